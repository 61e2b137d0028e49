//! A client in Python: one file on the package `keyfold`, with a class that blocks and one for
//! `asyncio`. It is clean under `mypy --strict`, and printed as `ruff format` prints it.

mod client;
mod method;
mod names;
mod print;
mod types;

use super::attributes::{AttributeNames, snake};
use super::compose;
use super::form::{Form, MadeForm, MadeMember, Settings, Spelling};
use super::head::OVERWRITTEN;
use crate::generate::embedded;
use keyfold_model::Model;
use print::Printer;

const SPELLING: Spelling = Spelling {
    types: &names::RESERVED_TYPES,
    type_name: None,
    methods: &names::RESERVED_METHODS,
    method: snake,
};

/// The text of the file.
pub(super) fn text(model: &Model, settings: &Settings) -> String {
    let form = compose::form(model, &SPELLING, settings);
    let names = AttributeNames::of(&form, &names::reserved_attributes());
    let mut body = Printer::default();
    types::print(&form, &names, &mut body);
    client::print(&form, &names, &mut body);
    print_tables(&form, &names, &mut body);
    let body = body.into_text();
    let mut out = Printer::default();
    print_head(&form, &mut out);
    print_imports(&form, &body, &mut out);
    out.into_text() + &body
}

fn print_head(form: &Form, out: &mut Printer) {
    let Form {
        model,
        version,
        hash,
        settings: Settings { generator, .. },
        ..
    } = form;
    let lines = [
        format!("A client of the model {model}, version {version}."),
        String::new(),
        format!("Made by {generator}. The plan document's hash: {hash}."),
        OVERWRITTEN.to_owned(),
    ];
    out.doc(0, &lines);
    out.gap();
    out.line(0, "from __future__ import annotations");
    out.gap();
}

/// The names that a file may import, by their modules.
const IMPORTS: [(&str, &[&str]); 6] = [
    ("collections.abc", &["Mapping", "Sequence"]),
    ("collections.abc", &["Set as AbstractSet"]),
    ("dataclasses", &["dataclass"]),
    ("decimal", &["Decimal"]),
    (
        "typing",
        &["Any", "Literal", "NewType", "TypeAlias", "overload"],
    ),
    ("keyfold", &["Client", "Options", "typed"]),
];

/// Imports what the file uses.
fn print_imports(form: &Form, body: &str, out: &mut Printer) {
    let used = |name: &&&str| {
        let word = name.rsplit(' ').next().unwrap_or(name);
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        body.match_indices(word).any(|(at, _)| {
            let before = body.get(..at).and_then(|text| text.chars().next_back());
            let after = body
                .get(at + word.len()..)
                .and_then(|text| text.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(|c| is_part(c) && c != '.')
        })
    };
    let has_pydantic = form.settings.pydantic;
    if body.contains("_datetime.") {
        out.line(0, "import datetime as _datetime");
    }
    for (module, names) in IMPORTS {
        if module == "keyfold" {
            out.gap();
        }
        let names: Vec<String> = names
            .iter()
            .filter(used)
            .map(|name| (*name).to_owned())
            .collect();
        let is_replaced = has_pydantic && module == "dataclasses";
        if !names.is_empty() && !is_replaced {
            out.line(0, &format!("from {module} import {}", names.join(", ")));
        }
    }
    out.line(0, "from keyfold.aio import AsyncClient");
    if has_pydantic {
        // It says what to install where pydantic is missing.
        out.line(
            0,
            "from keyfold.typed.strict import Changes, ConfigDict, dataclass",
        );
        out.gap();
        out.line(0, "_GIVEN = ConfigDict(strict=True, extra=\"forbid\")");
    }
}

/// The table of what writes make.
fn print_made(form: &Form, out: &mut Printer) {
    out.line(0, "_MADE: typed.MadeTable = {");
    for (of, MadeForm { members, .. }) in form.made() {
        out.line(1, &format!("{}: {{", print::literal(&of)));
        for MadeMember {
            field,
            entity,
            attribute,
            each,
            given,
            argument,
        } in members
        {
            let held = [entity.as_str(), attribute, given.word()].map(print::literal);
            let each = each.as_deref().map_or("None".to_owned(), print::literal);
            let argument = argument.as_deref().map(print::literal);
            let held: Vec<String> = held.into_iter().chain([each]).chain(argument).collect();
            out.bracketed(
                2,
                &format!("{}: (", print::literal(&field.name)),
                &held,
                "),",
            );
        }
        out.line(1, "},");
    }
    out.line(0, "}");
}

/// The names, the classes of events, the plan document.
fn print_tables(form: &Form, names: &AttributeNames, out: &mut Printer) {
    let entry = |(name, held): (&str, &str)| format!("{}: {held}", print::literal(name));
    let renamed = names
        .renamed()
        .map(|(name, python)| entry((name, &print::literal(python))));
    let records = form
        .records
        .iter()
        .map(|record| entry((&record.name, &record.type_name)));
    let tables = [
        print::braced(renamed.collect()),
        print::braced(records.collect()),
    ];
    let mut tables = Vec::from(tables);
    out.gaps();
    if form.made().next().is_some() {
        print_made(form, out);
        tables.push(print::Member::Plain("_MADE".to_owned()));
    }
    out.nested(0, "_SHAPES = typed.Shapes(", &tables, ")");
    let entities = form.entities.iter().map(|entity| {
        let held = format!("({}, {})", entity.types.image, entity.types.change);
        entry((&entity.name, &held))
    });
    let copies = form.copies().map(|copy| {
        let held = format!("({}, {})", copy.type_name, copy.change);
        entry((&copy.kind, &held))
    });
    let events: Vec<String> = entities.chain(copies).collect();
    let all = form.event_with_copies.as_ref().unwrap_or(&form.event);
    let held = format!("Mapping[str, tuple[type[Any], type[{all}]]]");
    out.bracketed(0, &format!("_EVENTS: {held} = {{"), &events, "}");
    out.gap();
    out.line(0, "_PLAN = r\"\"\"");
    for line in embedded::lines(&form.plan) {
        out.line(0, &line);
    }
    out.line(0, "\"\"\"");
}
