//! Names to meanings: declarations become a [`Model`] whose references are places, not words.
//!
//! A declaration that cannot be resolved is reported and left out, so that the others still are.

mod aggregate;
mod attribute;
pub(crate) mod columns;
mod delimiters;
mod entity;
mod index_key;
mod pattern;
mod table;
mod template;
mod types;
mod write;

use crate::diagnostic::{Diagnostic, Edit, Span};
use crate::near::nearest;
use crate::period::Unit;
use crate::schema::Model;
use crate::syntax::ast::{Name, Tree};
use std::collections::{BTreeMap, HashMap};
use types::Types;

pub(crate) fn resolve(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) -> Model {
    let mut model = Model {
        name: tree
            .name
            .as_ref()
            .map_or_else(|| "model".to_owned(), |name| name.text.clone()),
        version: tree.version.unwrap_or(1),
        ..Model::default()
    };
    if tree.name.is_none() {
        let missing = Diagnostic::error(
            "KF001",
            Span::default(),
            "the model has no name",
            "the first line names it",
        );
        diagnostics.push(missing.help("start with `model shop 1`: a name and a version"));
    }
    if tree.tables.is_empty() && !tree.has_broken_table {
        let missing = Diagnostic::error(
            "KF002",
            Span::default(),
            "the model has no table",
            "nothing can be stored",
        );
        diagnostics.push(missing.help("add `table Shop (PK, SK)`"));
    }
    check_names(tree, diagnostics);
    let types = Types::new(tree);
    for field in tree.records.iter().flat_map(|record| &record.fields) {
        diagnostics.extend(types.of(field).err().map(|diagnostic| *diagnostic));
    }
    model.tables = tree
        .tables
        .iter()
        .map(|table| table::resolve(table, diagnostics))
        .collect();
    tree.tables
        .iter()
        .for_each(|declared| columns::check(declared, diagnostics));
    delimiters::collect(tree, &mut model);
    for declared in &tree.entities {
        if let Some(entity) = entity::resolve(declared, &model, &types, diagnostics) {
            model.entities.push(entity);
        }
    }
    for declared in &tree.entities {
        aggregate::resolve(declared, &mut model, diagnostics);
    }
    let entities = Entities::new(tree, &model);
    for declared in &tree.patterns {
        if let Some(pattern) = pattern::resolve(declared, &entities, &model, &types, diagnostics) {
            model.patterns.push(pattern);
        }
    }
    for declared in &tree.writes {
        if let Some(write) = write::resolve(declared, &entities, &model, &types, diagnostics) {
            model.writes.push(write);
        }
    }
    model
}

/// The names of entities: those that are declared, and the places of those that mean something.
struct Entities<'t> {
    declared: Vec<&'t str>,
    places: HashMap<&'t str, usize>,
}

impl<'t> Entities<'t> {
    fn new(tree: &'t Tree, model: &Model) -> Entities<'t> {
        let declared: Vec<&str> = tree
            .entities
            .iter()
            .map(|entity| entity.name.text.as_str())
            .collect();
        let resolved: HashMap<&str, usize> = model
            .entities
            .iter()
            .enumerate()
            .rev()
            .map(|(at, entity)| (entity.name.as_str(), at))
            .collect();
        let places = declared
            .iter()
            .filter_map(|name| Some((*name, *resolved.get(name)?)))
            .collect();
        Entities { declared, places }
    }

    /// The place of a declared entity; none when it has no meaning, which is reported here or was
    /// where it stands.
    fn place(&self, name: &Name, diagnostics: &mut Vec<Diagnostic>) -> Option<usize> {
        let place = self.places.get(name.text.as_str()).copied();
        if place.is_none() && !self.declared.contains(&name.text.as_str()) {
            diagnostics.push(unknown("entity", name, self.declared.iter().copied()));
        }
        place
    }
}

/// Refuses a name declared twice.
fn check_names(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    let groups: [(&str, Vec<&Name>); 5] = [
        (
            "record",
            tree.records.iter().map(|record| &record.name).collect(),
        ),
        (
            "table",
            tree.tables.iter().map(|table| &table.name).collect(),
        ),
        (
            "entity",
            tree.entities.iter().map(|entity| &entity.name).collect(),
        ),
        (
            "pattern",
            tree.patterns.iter().map(|pattern| &pattern.name).collect(),
        ),
        (
            "write",
            tree.writes.iter().map(|write| &write.name).collect(),
        ),
    ];
    for (what, names) in groups {
        distinct(what, names.into_iter(), diagnostics);
    }
    check_period_names(tree, diagnostics);
}

/// Refuses a table whose name is that of a period's table.
fn check_period_names(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    for table in &tree.tables {
        let Some(unit) = table
            .period
            .as_ref()
            .and_then(|word| Unit::of_word(&word.text))
        else {
            continue;
        };
        let is_of_period = |name: &str| {
            let period = name
                .strip_prefix(table.name.text.as_str())
                .and_then(|rest| rest.strip_prefix('_'));
            period.is_some_and(|period| unit.is_period_in_name(period))
        };
        for other in tree
            .tables
            .iter()
            .filter(|other| other.period.is_none() && is_of_period(&other.name.text))
        {
            let message = format!(
                "`{}` is the name of a table of {}",
                other.name.text, table.name.text
            );
            diagnostics.push(
                Diagnostic::error(
                    "KF003",
                    other.name.span,
                    message,
                    "items of both would lie in one table",
                )
                .label(
                    table.name.span,
                    format!("one table for each {}", unit.word()),
                )
                .help("rename one of them"),
            );
        }
    }
}

fn distinct<'n>(
    what: &str,
    names: impl Iterator<Item = &'n Name>,
    diagnostics: &mut Vec<Diagnostic>,
) {
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

/// An error about a name that is no attribute of an entity.
fn unknown_attribute(entity: &crate::schema::Entity, name: &Name) -> Diagnostic {
    let names = entity
        .attributes
        .iter()
        .map(|attribute| attribute.name.as_str());
    unknown(&format!("attribute of {}", entity.name), name, names)
}

/// An error about a name that means nothing, with the nearest one that does.
fn unknown<'n>(what: &str, name: &Name, known: impl Iterator<Item = &'n str>) -> Diagnostic {
    let mut known: Vec<&str> = known.collect();
    let mut seen = std::collections::BTreeSet::new();
    known.retain(|one| seen.insert(*one));
    let message = match what.split_once(" of ") {
        Some((what, owner)) => format!("{owner} has no {what} `{}`", name.text),
        None => format!("there is no {what} `{}`", name.text),
    };
    let diagnostic = Diagnostic::error("KF002", name.span, message, "not declared");
    let near = nearest(&name.text, known.iter().copied());
    match near.as_slice() {
        // Of two that are as near, neither is the one that was meant.
        [first, second, ..] => diagnostic.help(format!("did you mean `{first}` or `{second}`?")),
        [near] => diagnostic
            .help(format!("did you mean `{near}`?"))
            .repair(vec![Edit::replace(name.span, *near)]),
        [] if known.is_empty() => diagnostic,
        [] => {
            let shown = known
                .iter()
                .take(NAMES_SHOWN_MAX)
                .copied()
                .collect::<Vec<_>>()
                .join(", ");
            let more = known.len().saturating_sub(NAMES_SHOWN_MAX);
            let rest = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            diagnostic.help(format!("declared: {shown}{rest}"))
        }
    }
}

/// Names that a message lists.
const NAMES_SHOWN_MAX: usize = 40;
