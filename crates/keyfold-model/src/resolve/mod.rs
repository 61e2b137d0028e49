//! Names to meanings: declarations become a [`Model`] whose references are places, not words.
//!
//! A declaration that cannot be resolved is reported and left out; the others are still resolved.

mod above;
mod aggregate;
mod assignment;
mod attribute;
mod columns;
mod comparison;
mod condition;
mod constant;
mod copy;
mod delimiters;
mod entity;
mod expiry;
mod files;
mod filter;
mod follower;
mod former;
mod id;
mod index_key;
mod key;
mod link;
mod made;
mod names;
mod needed;
mod origin;
mod pattern;
mod present;
mod record;
mod settings;
mod shared;
mod source;
mod stored_or_given;
mod table;
mod template;
pub(crate) mod together;
mod too_many;
mod types;
mod unused;
mod view;
mod view_columns;
mod write;

use crate::diagnostic::{Diagnostic, Span};
use crate::schema::Model;
use crate::sources::Sources;
use crate::syntax::ast::Tree;
pub(crate) use files::check_uses;
use names::{Entities, Places};
pub(crate) use template::field_format;
use types::Types;

/// Resolves the declarations of a model's files. The model lacks the declarations that have errors.
pub(crate) fn resolve(tree: &Tree, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Model {
    let mut model = Model {
        name: tree
            .name
            .as_ref()
            .map_or_else(|| "model".to_owned(), |name| name.text.clone()),
        version: tree.version.unwrap_or(1),
        files: files::resolve(tree, sources, diagnostics),
        ..Model::default()
    };
    check_complete(tree, diagnostics);
    names::check(tree, diagnostics);
    former::check(tree, diagnostics);
    shared::check(tree, sources, diagnostics);
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
    for declared in tree.entities.iter().filter(|one| one.view.is_none()) {
        if let Some(entity) = entity::resolve(declared, &model, &types, diagnostics) {
            model.entities.push(entity);
        }
    }
    view::resolve_all(tree, &mut model, diagnostics);
    let places = Places::new(tree, &model);
    for declared in &tree.entities {
        aggregate::resolve(declared, &mut model, &places, diagnostics);
    }
    model.note_aggregates();
    let entities = Entities::new(tree, &model, places);
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

/// The places of faulty types, which are taken for strings. Errors about their uses follow from them.
pub(crate) fn faulty_types(tree: &Tree) -> Vec<usize> {
    let types = Types::new(tree);
    let records = tree.records.iter().flat_map(|record| &record.fields);
    let attributes = tree.entities.iter().flat_map(|entity| &entity.attributes);
    let faults = records
        .chain(attributes)
        .filter_map(|one| types.of(one).err());
    faults.map(|fault| fault.place()).collect()
}

/// Reports a file that lacks the model's name or has no table.
fn check_complete(tree: &Tree, diagnostics: &mut Vec<Diagnostic>) {
    if tree.name.is_none() {
        let missing = Diagnostic::error(
            "KF001",
            Span::default(),
            "the model has no name",
            "the first line names it",
        );
        diagnostics.push(missing.help("start with `model shop 1`: a name and a version"));
    }
    if tree.tables.is_empty() {
        let missing = Diagnostic::error(
            "KF002",
            Span::default(),
            "the model has no table",
            "nothing can be stored",
        );
        diagnostics.push(missing.help("add `table Shop (PK, SK)`"));
    }
}
