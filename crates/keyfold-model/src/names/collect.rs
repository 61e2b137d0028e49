//! Collects the names of all declarations: first those that others mention, then the mentions.

use super::attribute::{declare_attribute, end_of, mention_type};
use super::found::{NameKind, Names};
use super::scope::Scope;
use super::{entity, pattern, write};
use crate::diagnostic::Span;
use crate::sources::Sources;
use crate::syntax::ast::{Column, Name, ProjectionDecl, TableDecl, Tree};
use crate::syntax::parse;

impl Names {
    /// The names of a model's texts.
    ///
    /// # Example
    /// ```
    /// use keyfold_model::{Sources, names::Names};
    ///
    /// let text = "table T (PK)\nentity Note\n  id: string\n  key \"NOTE#{id}\"\n";
    /// let names = Names::of(&Sources::of_text("notes", text));
    /// let id = names.at(text.find("id}").unwrap())[0];
    /// assert_eq!(names.all()[id.name].span.start, text.find("id:").unwrap());
    /// ```
    pub fn of(sources: &Sources) -> Names {
        collect(&parse(sources, &mut Vec::new()))
    }
}

fn collect(tree: &Tree) -> Names {
    let mut scope = Scope::default();
    let tables: Vec<usize> = tree
        .tables
        .iter()
        .map(|table| declare_table(&mut scope, table))
        .collect();
    let mut records = Vec::new();
    for record in &tree.records {
        let end = record.fields.last().map_or(record.name.span, end_of);
        let whole = record.head.span.to(end);
        let at = scope.declare(NameKind::Record, &record.name, None, whole);
        for field in &record.fields {
            declare_attribute(&mut scope, NameKind::Field, field, at);
        }
        records.push(at);
    }
    let first = tables.first().copied();
    let entities: Vec<usize> = tree
        .entities
        .iter()
        .map(|entity| entity::declare(&mut scope, entity, first))
        .collect();
    for record in &tree.records {
        for field in &record.fields {
            mention_type(&mut scope, &field.kind);
        }
    }
    for (entity, at) in tree.entities.iter().zip(entities) {
        entity::mention(&mut scope, entity, at);
    }
    for pattern in &tree.patterns {
        pattern::collect(&mut scope, pattern);
    }
    for write in &tree.writes {
        write::collect(&mut scope, write);
    }
    scope.finish()
}

fn declare_table(scope: &mut Scope, table: &TableDecl) -> usize {
    let end = Span {
        start: table.end,
        end: table.end,
    };
    let whole = table.head.span.to(end);
    let at = scope.declare(NameKind::Table, &table.name, None, whole);
    for column in &table.columns {
        declare_column(scope, column, at);
    }
    for index in &table.indexes {
        let place = scope.declare(
            NameKind::Index,
            &index.name,
            Some(at),
            index.projection_span,
        );
        for column in index.partition.iter().chain(&index.sort) {
            // A local index has the partition key of its table.
            match scope.find(&[NameKind::Column], Some(at), &column.name.text) {
                Some(known) => scope.mention(column.name.span, known),
                None => declare_column(scope, column, at),
            }
        }
        if let ProjectionDecl::Only(names) = &index.projection {
            project(scope, names, (at, place));
        }
    }
    at
}

fn declare_column(scope: &mut Scope, column: &Column, table: usize) {
    let place = scope.declare(NameKind::Column, &column.name, Some(table), column.span());
    scope.of_type(place, column.kind.as_ref().map(|kind| kind.span));
    scope.has_column(table, place);
}

/// The attributes of a projection are those of every entity in the table: their names are columns.
fn project(scope: &mut Scope, names: &[Name], (table, index): (usize, usize)) {
    for name in names {
        match scope.find(&[NameKind::Column], Some(table), &name.text) {
            Some(known) => scope.mention(name.span, known),
            None => {
                let place = scope.declare(NameKind::Column, name, Some(index), name.span);
                scope.has_column(table, place);
            }
        }
    }
}
