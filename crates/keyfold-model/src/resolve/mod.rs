//! Names to meanings: declarations become a [`Model`] whose references are places, not words.
//!
//! What has no meaning is reported and left out, so that everything else is still resolved.

mod aggregate;
mod attribute;
mod columns;
mod delimiters;
mod entity;
mod index_key;
mod pattern;
mod table;
mod template;
mod types;
mod write;

use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::period::Unit;
use crate::schema::Model;
use crate::syntax::ast::{Name, Tree};
use std::collections::BTreeMap;
use types::Types;

pub(crate) fn resolve(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> Model {
    let mut model = Model {
        name: tree.name.as_ref().map_or_else(|| "model".to_owned(), |name| name.text.clone()),
        version: tree.version.unwrap_or(1),
        ..Model::default()
    };
    if tree.name.is_none() {
        let missing =
            Diagnostic::error("KF001", Span::default(), "the model has no name", "the first line names it");
        diagnostics.push(missing.help("start with `model shop 1`: a name and a version"));
    }
    if tree.tables.is_empty() && !tree.has_broken_table {
        let missing =
            Diagnostic::error("KF002", Span::default(), "the model has no table", "nothing can be stored");
        diagnostics.push(missing.help("add `table Shop (PK, SK)`"));
    }
    check_names(tree, diagnostics);
    let types = Types::new(tree);
    for field in tree.records.iter().flat_map(|record| &record.fields) {
        diagnostics.extend(types.of(field).err().map(|diagnostic| *diagnostic));
    }
    model.tables = tree.tables.iter().map(|table| table::resolve(table, diagnostics)).collect();
    tree.tables.iter().for_each(|declared| columns::check(declared, diagnostics));
    delimiters::collect(tree, &mut model);
    for declared in &tree.entities {
        if let Some(entity) = entity::resolve(declared, &model, &types, diagnostics) {
            model.entities.push(entity);
        }
    }
    for declared in &tree.entities {
        aggregate::resolve(declared, &mut model, diagnostics);
    }
    let declared_entities: Vec<&str> = tree.entities.iter().map(|entity| entity.name.text.as_str()).collect();
    for declared in &tree.patterns {
        if let Some(pattern) = pattern::resolve(declared, &declared_entities, &model, &types, diagnostics) {
            model.patterns.push(pattern);
        }
    }
    for declared in &tree.writes {
        if let Some(write) = write::resolve(declared, &declared_entities, &model, &types, diagnostics) {
            model.writes.push(write);
        }
    }
    model
}

/// Refuses a name declared twice.
fn check_names(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let groups: [(&str, Vec<&Name>); 5] = [
        ("record", tree.records.iter().map(|record| &record.name).collect()),
        ("table", tree.tables.iter().map(|table| &table.name).collect()),
        ("entity", tree.entities.iter().map(|entity| &entity.name).collect()),
        ("pattern", tree.patterns.iter().map(|pattern| &pattern.name).collect()),
        ("write", tree.writes.iter().map(|write| &write.name).collect()),
    ];
    for (what, names) in groups {
        distinct(what, names.into_iter(), diagnostics);
    }
    check_period_names(tree, diagnostics);
}

/// Refuses a table whose name is that of a period's table.
fn check_period_names(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    for table in &tree.tables {
        let Some(unit) = table.period.as_ref().and_then(|word| Unit::of_word(&word.text)) else { continue };
        let is_of_period = |name: &str| {
            let period = name.strip_prefix(table.name.text.as_str()).and_then(|rest| rest.strip_prefix('_'));
            period.is_some_and(|period| unit.is_period_in_name(period))
        };
        for other in
            tree.tables.iter().filter(|other| other.period.is_none() && is_of_period(&other.name.text))
        {
            let message = format!("`{}` is the name of a table of {}", other.name.text, table.name.text);
            diagnostics.push(
                Diagnostic::error("KF003", other.name.span, message, "items of both would lie in one table")
                    .label(table.name.span, format!("one table for each {}", unit.word()))
                    .help("rename one of them"),
            );
        }
    }
}

fn distinct<'n>(what: &str, names: impl Iterator<Item = &'n Name>, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for name in names {
        if let Some(first) = seen.insert(&name.text, name.span) {
            diagnostics.push(
                Diagnostic::error(
                    "KF003",
                    name.span,
                    format!("the {what} `{}` is declared twice", name.text),
                    "again here",
                )
                .label(first, "first here")
                .help("rename or remove one of them"),
            );
        }
    }
}

/// An error about a name that means nothing, with the nearest one that does.
fn unknown<'n>(what: &str, name: &Name, known: impl Iterator<Item = &'n str>) -> Diagnostic {
    let known: Vec<&str> = known.collect();
    let diagnostic =
        Diagnostic::error("KF002", name.span, format!("there is no {what} `{}`", name.text), "not declared");
    let nearest = known.iter().min_by_key(|other| distance(other, &name.text));
    match nearest {
        Some(near) if distance(near, &name.text) <= 2 => {
            diagnostic.help(format!("did you mean `{near}`?")).repair(vec![Edit::replace(name.span, *near)])
        }
        Some(_) => diagnostic.help(format!("declared: {}", known.join(", "))),
        None => diagnostic,
    }
}

/// How many letters must change between two words.
fn distance(one: &str, two: &str) -> usize {
    let two: Vec<char> = two.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (at, letter) in one.to_lowercase().chars().enumerate() {
        let mut next = vec![at + 1];
        for (place, other) in two.iter().enumerate() {
            let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX / 2);
            let change = get(&row, place) + usize::from(letter != *other);
            next.push(change.min(get(&row, place + 1) + 1).min(get(&next, place) + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
