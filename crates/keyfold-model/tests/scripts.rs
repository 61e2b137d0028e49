//! Golden scripts: `testscripts/NAME.out` holds the findings and then the plans of the patterns,
//! greatest values and writes that the compiler makes of `NAME.keyfold`, in which a line `# orders.keyfold:` starts a
//! further file. `UPDATE_GOLDENFILES=1` writes the files again, to be reviewed as a diff.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use keyfold_model::schema::Write;
use keyfold_model::{Model, PatternPlan, Sources, compile, compile_sources};
use std::fmt::Write as _;
use std::path::Path;

fn plan_line(name: &str, plan: &PatternPlan) -> String {
    let order = if plan.descending { ", descending" } else { "" };
    let requests = match plan.requests().as_str() {
        "1" => String::new(),
        other => format!(" [{other}]"),
    };
    let by = plan.ordered_by.as_ref();
    let by = by.map_or(String::new(), |by| format!(" by {by}"));
    let only = match plan.only.as_slice() {
        [] => String::new(),
        names => format!(", only {}", names.join(", ")),
    };
    let strong = if plan.strong { ", strong" } else { "" };
    format!(
        "{name}: {} {}: {}{order}{by}{only}{strong}{requests}\n",
        plan.request,
        plan.place(),
        plan.key_condition()
    )
}

fn output(source: &str, path: &str) -> String {
    let sources = common::sources(path, source);
    let compiled = compile_sources(&sources);
    let mut out = String::new();
    for diagnostic in &compiled.diagnostics {
        writeln!(out, "{}\n", diagnostic.render_in(&sources, false)).unwrap();
    }
    if let Some(model) = &compiled.model {
        for pattern in &model.patterns {
            for (absent, plan) in pattern.plans() {
                let without = absent
                    .iter()
                    .map(|name| format!(" without {name}"))
                    .collect::<String>();
                out.push_str(&plan_line(&format!("{}{without}", pattern.name), plan));
            }
        }
        for entity in &model.entities {
            for aggregate in &entity.aggregates {
                let name = format!("{}.{}", entity.name, aggregate.attribute);
                let next = aggregate.next.iter();
                out.extend(next.map(|plan| plan_line(&name, plan)));
            }
        }
        for write in &model.writes {
            out.push_str(&write_lines(model, write));
        }
        if path.starts_with("excluded") {
            out.push_str(&exclusions(model));
        }
    }
    out
}

/// The requests of a write, the actions of a transaction that read their item first, and what an upsert
/// in one request does to each stored attribute.
fn write_lines(model: &Model, write: &Write) -> String {
    let mut out = format!("{}: {}\n", write.name, model.requests(write));
    for (at, action) in write.actions.iter().enumerate() {
        if write.actions.len() > 1 && !model.is_direct(action) {
            writeln!(out, "  action {} reads its item", at + 1).unwrap();
        }
        for (name, fate) in model.upsert_plan(action).into_iter().flatten() {
            writeln!(out, "  {name}: {fate:?}").unwrap();
        }
    }
    out
}

/// What the texts of each entity exclude, and because of which template.
fn exclusions(model: &Model) -> String {
    let all = model.entities.iter().flat_map(|entity| {
        let name = &entity.name;
        entity.excluded.iter().map(move |one| {
            let (attribute, sign, by) = (&one.attribute, one.character, &one.template);
            format!("{name}.{attribute} without {sign} because of {by}\n")
        })
    });
    all.collect()
}

#[test]
fn scripts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testscripts");
    let mut count = 0;
    for path in std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
    {
        if path
            .extension()
            .is_none_or(|extension| extension != "keyfold")
        {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = output(&std::fs::read_to_string(&path).unwrap(), &name);
        let golden = path.with_extension("out");
        if std::env::var_os("UPDATE_GOLDENFILES").is_some() {
            std::fs::write(&golden, &found).unwrap();
        }
        assert_eq!(
            found,
            std::fs::read_to_string(&golden).unwrap_or_default(),
            "{name}"
        );
        count += 1;
    }
    assert!(count >= 12, "scripts are missing: found {count}");
}

#[test]
fn the_models_of_the_repository_compile() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut count = 0;
    for path in [folder.join("existing"), folder]
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
    {
        let compiled = compile(&std::fs::read_to_string(&path).unwrap());
        // The tests of keyfold-prove check their warnings.
        assert!(
            !compiled.has_errors(),
            "{}: {:#?}",
            path.display(),
            compiled.diagnostics
        );
        count += 1;
    }
    assert!(count >= 12);
    let teams = Sources::of_texts(&[
        (
            "shop.keyfold",
            include_str!("../../../models/shop-teams/shop.keyfold"),
        ),
        (
            "users.keyfold",
            include_str!("../../../models/shop-teams/users.keyfold"),
        ),
        (
            "orders.keyfold",
            include_str!("../../../models/shop-teams/orders.keyfold"),
        ),
    ]);
    let compiled = compile_sources(&teams);
    assert_eq!(compiled.diagnostics, [], "models/shop-teams");
}

/// Cuts and garbles the example models in many places.
#[test]
fn incomplete_models_do_not_panic() {
    let sources = [
        include_str!("../../../models/shop.keyfold"),
        include_str!("../../../models/shop_techniques.keyfold"),
        include_str!("../../keyfold-prove/tests/everything.keyfold"),
    ];
    sources.into_iter().for_each(cut_everywhere);
    for text in [
        "",
        "\u{feff}model m 1",
        "\r\n\r\n",
        "model m 99999999999",
        "((((",
        "entity",
        "pattern",
        "write w",
        "table",
    ] {
        compile(text);
    }
}

fn cut_everywhere(source: &str) {
    for at in (0..source.len())
        .step_by(61)
        .filter(|at| source.is_char_boundary(*at))
    {
        let (head, tail) = source.split_at(at);
        for text in [
            head.to_owned(),
            tail.to_owned(),
            format!("{head}\"{tail}"),
            format!("{head}{{{tail}"),
            format!("{head}\u{0}({tail}"),
        ] {
            for diagnostic in compile(&text).diagnostics {
                assert!(!diagnostic.render(&text, "cut", false).is_empty());
            }
        }
    }
}

/// Deeply nested types, and records whose nesting doubles with each level.
#[test]
fn deep_and_wide_types_are_refused() {
    let deep = format!(
        "model m 1\ntable Tab (PK)\nentity A\n  id: {}int\n  key \"{{id}}\"\n",
        "list of ".repeat(100_000)
    );
    assert!(compile(&deep).has_errors());
    let mut wide = "model m 1\ntable Tab (PK)\n".to_owned();
    for n in 0..40 {
        writeln!(wide, "record R{n}\n  x: R{}, y: R{}", n + 1, n + 1).unwrap();
    }
    wide.push_str("record R40\n  x: int\nentity A\n  id: string, all: R0\n  key \"{id}\"\n");
    assert!(compile(&wide).has_errors());
}

/// A model of 100 entities and 300 patterns, which must compile without a noticeable delay. The
/// test checks the number of its patterns; `time keyfold check` measures the time.
#[test]
fn a_large_model_compiles() {
    let compiled = compile(&large());
    assert!(!compiled.has_errors());
    assert_eq!(compiled.model.unwrap().patterns.len(), 300);
}

fn large() -> String {
    let mut text =
        "model large 1\ntable Big (PK, SK) type kind\n  gsi GSI1 (A, B)\n  gsi GSI2 (C, D)\n"
            .to_owned();
    for n in 0..100 {
        writeln!(
            text,
            "entity Ent{n}\n  id{n}: string, at: time, owner: string, status: open | closed\n  key \"OWNER{n}#{{owner}}\" \"ENT#{{at}}#{{id{n}}}\"\n  GSI1 \"ST{n}#{{status}}\" \"ENT#{{at}}#{{id{n}}}\"\n  GSI2 \"ID{n}#{{id{n}}}\" \"X\"\n  unique id{n}\npattern a{n}(owner) -> Ent{n}[] newest page 10\npattern b{n}(status, at >= since) -> Ent{n}[] newest page 10\npattern c{n}(id{n}) -> Ent{n}?"
        )
        .unwrap();
    }
    text
}
