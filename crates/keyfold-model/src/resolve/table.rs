//! Tables and indexes.

use crate::diagnostic::Diagnostic;
use crate::schema::{Column, Index, IndexKind, Model, Projection, Table};
use crate::syntax::ast::{self, PartDecl, ProjectionDecl, TableDecl, TemplateDecl, Tree};
use keyfold_types::KeyKind;
use std::collections::BTreeSet;

pub(super) fn resolve(declared: &TableDecl, diagnostics: &mut Vec<Diagnostic>) -> Table {
    let mut columns = declared.columns.iter().map(|one| column(one, diagnostics));
    let partition = columns.next().unwrap_or(Column { name: "PK".to_owned(), kind: KeyKind::S });
    let sort = columns.next();
    if let Some(third) = declared.columns.get(2) {
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                third.name.span,
                "a table's key has one or two attributes",
                "one too many",
            )
            .help("keep the partition key and the sort key"),
        );
    }
    super::distinct("index", declared.indexes.iter().map(|index| &index.name), diagnostics);
    let indexes = declared
        .indexes
        .iter()
        .map(|index| {
            let mut columns = index.columns.iter().map(|one| column(one, diagnostics));
            let (first, second) = (columns.next(), columns.next());
            drop(columns);
            let limit = if index.local { 1 } else { 2 };
            if let Some(extra) = index.columns.get(limit) {
                let message = if index.local {
                    "a local index names its sort key only; it shares the table's partition key"
                } else {
                    "an index's key has a partition key and at most one sort key here"
                };
                diagnostics.push(Diagnostic::error("KF004", extra.name.span, message, "one too many"));
            }
            if index.local && sort.is_none() {
                diagnostics.push(
                    Diagnostic::error(
                        "KF004",
                        index.name.span,
                        "a local index needs a table with a sort key",
                        "this table has none",
                    )
                    .help("give the table a second key attribute, or make this a `gsi`"),
                );
            }
            let (partition, sort) =
                if index.local { (Some(partition.clone()), first) } else { (first, second) };
            Index {
                name: index.name.text.clone(),
                span: index.name.span,
                kind: if index.local { IndexKind::Local } else { IndexKind::Global },
                partition: partition.unwrap_or(Column { name: String::new(), kind: KeyKind::S }),
                sort,
                projection: match &index.projection {
                    ProjectionDecl::All => Projection::All,
                    ProjectionDecl::Keys => Projection::Keys,
                    ProjectionDecl::Only(names) => {
                        Projection::Only(names.iter().map(|name| name.text.clone()).collect())
                    }
                },
            }
        })
        .collect();
    Table {
        name: declared.name.text.clone(),
        span: declared.name.span,
        partition,
        sort,
        type_attribute: declared.type_attribute.as_ref().map(|name| name.text.clone()),
        indexes,
        delimiters: Vec::new(),
    }
}

fn column(declared: &ast::Column, diagnostics: &mut Vec<Diagnostic>) -> Column {
    let kind = match &declared.kind {
        None => KeyKind::S,
        Some(name) => match name.text.as_str() {
            "string" => KeyKind::S,
            "number" => KeyKind::N,
            "binary" => KeyKind::B,
            _ => {
                let known = ["string", "number", "binary"];
                diagnostics.push(super::unknown("key type", name, known.into_iter()));
                KeyKind::S
            }
        },
    };
    Column { name: declared.name.text.clone(), kind }
}

/// The characters that stand between fields in the templates of each table's entities. A value inside a
/// key must not contain them, so that keys can be taken apart again.
pub(super) fn collect_delimiters(tree: &Tree, model: &mut Model) {
    for (at, table) in model.tables.iter_mut().enumerate() {
        let mut found: BTreeSet<char> = BTreeSet::new();
        for entity in &tree.entities {
            let in_table = match &entity.table {
                None => at == 0,
                Some(name) => name.text == table.name,
            };
            if !in_table {
                continue;
            }
            let keys = entity
                .key
                .iter()
                .chain(entity.indexes.iter().map(|index| &index.key))
                .chain(entity.copies.iter().map(|copy| &copy.key));
            for key in keys {
                for template in std::iter::once(&key.partition).chain(&key.sort) {
                    delimiters_of(template, &mut found);
                }
            }
            if !entity.uniques.is_empty() {
                found.insert('#');
            }
        }
        table.delimiters = found.into_iter().collect();
    }
}

/// A text's characters other than letters and digits, where they touch a field.
fn delimiters_of(template: &TemplateDecl, found: &mut BTreeSet<char>) {
    let mut parts = template.parts.iter().peekable();
    let mut after_field = false;
    while let Some(part) = parts.next() {
        match part {
            PartDecl::Field { .. } => after_field = true,
            PartDecl::Text(text) => {
                let before_field = matches!(parts.peek(), Some(PartDecl::Field { .. }));
                let first = text.chars().next().filter(|_| after_field);
                let last = text.chars().last().filter(|_| before_field);
                found.extend(first.into_iter().chain(last).filter(|c| !c.is_alphanumeric()));
                after_field = false;
            }
        }
    }
}
