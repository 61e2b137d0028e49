//! Entities: attributes, keys, copies, unique attributes, expiry and sizes.

use super::id;
use super::key::{check_required, identity};
use super::names::{attribute_of, distinct, unknown};
use super::template::{self, Columns};
use super::types::Types;
use super::{attribute, copy, expiry, index_key, origin};
use crate::diagnostic::{Diagnostic, Edit, report};
use crate::near::nearest;
use crate::schema::{
    Attribute, Entity, Expected, KeyPair, Model, Table, Type, Unique, UniqueMember, order_by_name,
    touched,
};
use crate::syntax::ast::{EntityDecl, ExpectDecl, ExpectUnit, KeyDecl, Name, UniqueDecl};
use crate::template::{KeyTemplate, Part};
use crate::written::{fits_in_text, written};

/// Resolves an entity; `None` when it has no table or no valid key. Faults in other lines are
/// reported, and the lines are left out.
pub(super) fn resolve(
    declared: &EntityDecl,
    model: &Model,
    types: &Types<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Entity> {
    let table = report(table_of(declared, model, diagnostics), diagnostics)?;
    let attributes = attribute::resolve_all(declared, types, diagnostics);
    with_attributes(declared, attributes, (model, table), diagnostics)
}

/// Resolves an entity whose attributes are known, in the table at a position.
pub(super) fn with_attributes(
    declared: &EntityDecl,
    attributes: Vec<Attribute>,
    (model, table_at): (&Model, usize),
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Entity> {
    let table = model.tables.get(table_at)?;
    let Some(key) = &declared.key else {
        diagnostics.push(misspelt_key(declared).unwrap_or_else(|| no_key(declared, table)));
        return None;
    };
    let mut entity = Entity {
        name: declared.name.text.clone(),
        was: declared.was.iter().map(|was| was.text.clone()).collect(),
        part: declared
            .part
            .as_ref()
            .map(|(name, value)| (name.text.clone(), value.unquoted().to_owned())),
        span: declared.name.span,
        end: declared.end,
        is_shared: declared.head.is_shared,
        table: table_at,
        by_name: order_by_name(&attributes),
        touched: touched(&attributes),
        attributes,
        key: empty_key(key),
        id: Vec::new(),
        indexes: Vec::new(),
        copies: Vec::new(),
        uniques: Vec::new(),
        ttl: None,
        version: declared.version.as_ref().map(|name| name.text.clone()),
        aggregates: Vec::new(),
        split: None,
        unstored: Vec::new(),
        compressed: Vec::new(),
        expected: Expected::default(),
        period_attribute: None,
        excluded: Vec::new(),
        origin: None,
        view: None,
    };
    entity.expected = expected(&declared.expects, &entity, diagnostics);
    entity.key = template::key(key, &Columns::of_table(table), &entity, diagnostics)?;
    id::resolve(declared, table, &mut entity, diagnostics);
    let identity = identity(&entity);
    template::add_shard(&mut entity.key, key, &identity);
    check_required(&entity, &entity.key, "the key", None, diagnostics);
    split(declared, &mut entity, diagnostics);
    compressed(declared, &mut entity, diagnostics);
    unstored(declared, &mut entity, diagnostics);
    index_key::resolve_all(declared, table, &mut entity, &identity, diagnostics);
    distinct(
        "copy",
        declared.copies.iter().map(|copy| &copy.name),
        diagnostics,
    );
    for declared in &declared.copies {
        let copy = copy::resolve(declared, table, &entity, &identity, diagnostics);
        entity.copies.extend(copy);
    }
    origin::resolve(declared, &mut entity, diagnostics);
    uniques(declared, table, &mut entity, diagnostics);
    expiry::resolve(declared, table, &mut entity, diagnostics);
    period(table, &mut entity, diagnostics);
    Some(entity)
}

/// The place of the table that an entity lies in: the one it names, or the only one. An entity that
/// names none of several is reported, and judged as one of the first that its key fits.
pub(super) fn table_of(
    declared: &EntityDecl,
    model: &Model,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<usize, Box<Diagnostic>> {
    let Some(name) = &declared.table else {
        if model.tables.len() > 1 {
            diagnostics.push(no_table(declared, model));
        }
        return Ok(likely_table(declared, model));
    };
    let at = model
        .tables
        .iter()
        .position(|table| table.name == name.text);
    at.ok_or_else(|| {
        let names = model.tables.iter().map(|table| table.name.as_str());
        Box::new(unknown("table", name, names))
    })
}

/// The first table whose key has as many attributes as the entity has templates: another one would
/// bring errors about the key beside the one about the table.
fn likely_table(declared: &EntityDecl, model: &Model) -> usize {
    let mut tables = model.tables.iter();
    tables
        .position(|table| fits(declared, table))
        .unwrap_or_default()
}

/// Whether a table's key has as many attributes as the entity has templates.
fn fits(declared: &EntityDecl, table: &Table) -> bool {
    let templates = declared.key.as_ref().map_or(0, |key| key.templates.len());
    templates == 1 + usize::from(table.sort.is_some())
}

/// The error about an entity that does not say in which of several tables it lies.
fn no_table(declared: &EntityDecl, model: &Model) -> Diagnostic {
    let names: Vec<String> = model
        .tables
        .iter()
        .map(|table| title(&table.name))
        .collect();
    let message = format!(
        "{} does not say its table: the model has {}",
        declared.name.text,
        names.join(", ")
    );
    let diagnostic = Diagnostic::error(
        "KF002",
        declared.name.span,
        message,
        "in which table does it lie?",
    );
    let word = declared.view.as_ref().map_or("entity", |_| "view");
    // Where the key fits several tables, a person knows in which one it lies.
    let fitting: Vec<bool> = model.tables.iter().map(|one| fits(declared, one)).collect();
    let is_clear = fitting.iter().filter(|fits| **fits).count() == 1;
    let (likely, others): (Vec<_>, Vec<_>) = names.iter().zip(fitting).partition(|one| one.1);
    let proposed = likely.into_iter().chain(others).take(TABLES_PROPOSED_MAX);
    proposed.fold(diagnostic, |diagnostic, (name, fits)| {
        let edit = Edit::insert(declared.name.span.end, format!(" in {name}"));
        let diagnostic =
            diagnostic.help(format!("write `{word} {} in {name}`", declared.name.text));
        match fits && is_clear {
            true => diagnostic.repair(vec![edit]),
            false => diagnostic.offer(vec![edit]),
        }
    })
}

/// Most tables that are proposed for an entity without one.
const TABLES_PROPOSED_MAX: usize = 3;

/// The name of a table as a model writes it: in quotes if it is no word.
fn title(name: &str) -> String {
    let is_word = !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

/// The error about a line that is probably the entity's key, whose word is misspelt.
fn misspelt_key(declared: &EntityDecl) -> Option<Diagnostic> {
    let titles = declared.indexes.iter().map(|line| &line.index);
    let is_near = |title: &&Name| !nearest(&title.text, ["key"].into_iter()).is_empty();
    let title = titles.into_iter().find(is_near)?;
    let message = format!("`{}` starts no line of an entity", title.text);
    let diagnostic = Diagnostic::error("KF002", title.span, message, "not declared");
    Some(
        diagnostic
            .help("did you mean `key`?")
            .repair(vec![Edit::replace(title.span, "key")]),
    )
}

/// The error about an entity without a key, with a key to insert.
fn no_key(declared: &EntityDecl, table: &Table) -> Diagnostic {
    let message = format!("the entity {} has no key", declared.name.text);
    let first = declared
        .attributes
        .iter()
        .find(|attribute| fits_in_text(&attribute.name.text))
        .map_or("id", |attribute| attribute.name.text.as_str());
    let sort = if table.sort.is_some() {
        " \"META\""
    } else {
        ""
    };
    let line = format!(
        "key \"{}#{{{first}}}\"{sort}",
        declared.name.text.to_uppercase()
    );
    let diagnostic = Diagnostic::error("KF002", declared.name.span, message, "it cannot be stored")
        .help(format!("add a line like `{line}`"));
    if declared.attributes.is_empty() {
        return diagnostic;
    }
    diagnostic.repair(vec![Edit::insert(declared.end, format!("\n  {line}"))])
}

/// The key of an entity whose templates are not resolved yet.
fn empty_key(declared: &KeyDecl) -> KeyPair {
    KeyPair {
        partition: KeyTemplate::of_text("", declared.span),
        sort: None,
        span: declared.span,
    }
}

/// Resolves `split list by N`: the item becomes the first of several, in the order of their sort
/// keys.
fn split(declared: &EntityDecl, entity: &mut Entity, diagnostics: &mut Vec<Diagnostic>) {
    if let Some((extra, _)) = declared.splits.get(1) {
        diagnostics.push(
            Diagnostic::error(
                "KF003",
                extra.span,
                "an entity splits one list",
                "a second one",
            )
            .help("make it an entity of its own"),
        );
    }
    let Some((name, count)) = declared.splits.first() else {
        return;
    };
    if report(check_split(name, *count, entity), diagnostics).is_some() {
        let sort = entity.key.sort.iter_mut();
        sort.for_each(|sort| sort.parts.extend([Part::Text("#".to_owned()), Part::Chunk]));
        entity.split = Some((name.text.clone(), *count));
    }
}

/// Only a list can be split, and only where the sort key can hold the number of the part.
fn check_split(name: &Name, count: u32, entity: &Entity) -> Result<(), Box<Diagnostic>> {
    let attribute = attribute_of(entity, name)?;
    if !matches!(attribute.kind, Type::List(_)) || count == 0 {
        let message = format!(
            "`{}` is {} and cannot be split into items of {count}",
            name.text,
            attribute.kind.with_article()
        );
        let label = "only a list has elements, one or more an item";
        return Err(Box::new(
            Diagnostic::error("KF004", name.span, message, label)
                .label(attribute.span, "declared here"),
        ));
    }
    if entity.key.sort.as_ref().is_none_or(KeyTemplate::is_bare) {
        let message = "`split` needs a text sort key";
        return Err(Box::new(
            Diagnostic::error("KF004", name.span, message, "there is none")
                .note("the parts lie side by side, their number at the end of the sort key")
                .help("give the table a sort key of text"),
        ));
    }
    Ok(())
}

/// Resolves `compress`: attributes that are stored compressed.
fn compressed(declared: &EntityDecl, entity: &mut Entity, diagnostics: &mut Vec<Diagnostic>) {
    for name in &declared.compressed {
        let found = attribute_of(entity, name).and_then(|found| {
            if entity.key.fields().any(|field| field == found.name) {
                let message = "a key cannot be compressed";
                let label = "part of the key";
                return Err(Box::new(Diagnostic::error(
                    "KF004", name.span, message, label,
                )));
            }
            Ok(())
        });
        if report(found, diagnostics).is_some() {
            entity.compressed.push(name.text.clone());
        }
    }
}

/// Resolves `unstored`: attributes that are stored only inside keys.
fn unstored(declared: &EntityDecl, entity: &mut Entity, diagnostics: &mut Vec<Diagnostic>) {
    for name in &declared.unstored {
        if report(attribute_of(entity, name).map(drop), diagnostics).is_some() {
            entity.unstored.push(name.text.clone());
        }
    }
}

/// Resolves `unique`: attributes whose values together no two items share.
fn uniques(
    declared: &EntityDecl,
    table: &Table,
    entity: &mut Entity,
    diagnostics: &mut Vec<Diagnostic>,
) {
    if let Some(first) = declared.uniques.iter().flatten().next() {
        id::check_guards("unique", first.span, table, diagnostics);
    }
    for unique in &declared.uniques {
        let mut members = Vec::new();
        for member in unique {
            members.extend(report(unique_member(member, entity), diagnostics));
        }
        if members.len() != unique.len() {
            continue;
        }
        let resolved = Unique { members };
        if let (true, Some(first)) = (entity.uniques.contains(&resolved), unique.first()) {
            let message = format!("{} is declared unique twice", resolved.joined(", "));
            diagnostics.push(
                Diagnostic::error("KF003", first.span, message, "again here").help("remove it"),
            );
            continue;
        }
        entity.uniques.push(resolved);
    }
}

/// An attribute that can be unique.
fn unique_member(declared: &UniqueDecl, entity: &Entity) -> Result<UniqueMember, Box<Diagnostic>> {
    let name = &declared.attribute;
    let found = attribute_of(entity, name)?;
    if let Some(word) = declared.compared.word()
        && found.kind != Type::String
    {
        let message = format!(
            "`{}`, {}, has no capitals",
            name.text,
            found.kind.with_article()
        );
        return Err(Box::new(
            Diagnostic::error("KF004", declared.span, message, "no text")
                .label(found.span, "declared here")
                .help(format!("write `unique {}` without `{word}`", name.text))
                .repair(vec![Edit::replace(declared.span, written(&name.text))]),
        ));
    }
    if found.kind.fits_key() && !found.is_kept {
        return Ok(UniqueMember {
            attribute: name.text.clone(),
            compared: declared.compared,
        });
    }
    let message = format!(
        "`{}`, {}, cannot be unique",
        name.text,
        found.kind.with_article()
    );
    let label = "no text or number";
    Err(Box::new(Diagnostic::error(
        "KF004", name.span, message, label,
    )))
}

/// Finds the time in the key that decides, in a table with periods, which table an item lies in.
fn period(table: &Table, entity: &mut Entity, diagnostics: &mut Vec<Diagnostic>) {
    let Some(unit) = table.period else { return };
    let fits = |field: &&str| {
        entity
            .attribute(field)
            .is_some_and(|attribute| attribute.kind.has_period(unit))
    };
    entity.period_attribute = entity.key.fields().find(fits).map(str::to_owned);
    if entity.period_attribute.is_none() {
        let message = format!(
            "the key of {} has no time, and {} has a table per {unit}",
            entity.name, table.name
        );
        let label = "which table is not known";
        diagnostics.push(
            Diagnostic::error("KF004", entity.key.span, message, label)
                .label(table.span, format!("per {unit}"))
                .help(
                    "add the time to the key, so that an item is found without asking every table",
                ),
        );
    }
}

/// The declared numbers; the last declaration of a number wins.
fn expected(
    declared: &[ExpectDecl],
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Expected {
    let mut expected = Expected::default();
    for one in declared {
        expected.span.get_or_insert(one.span);
        match &one.unit {
            ExpectUnit::Items => expected.items = Some(one.count),
            ExpectUnit::Bytes => expected.bytes = Some(one.count),
            ExpectUnit::WritesASecond | ExpectUnit::ASecond => expected.writes = Some(one.count),
            ExpectUnit::Per(attribute) => {
                let found = report(attribute_of(entity, attribute), diagnostics);
                expected
                    .per
                    .extend(found.map(|found| (found.name.clone(), one.count)));
            }
        }
    }
    expected
}
