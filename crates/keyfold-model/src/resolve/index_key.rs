//! Keys in indexes. An item is in an index when it has all attributes of the index's key: those
//! that a line of the entity makes, those of the table's own key, and attributes of the entity that
//! have the same name.
//!
//! An attribute may be part of several keys, as long as one template makes it; two would overwrite
//! each other.

use super::unknown_attribute;
use super::{template, unknown};
use crate::diagnostic::Diagnostic;
use crate::schema::{Column, Entity, Index, IndexKey, KeyPair, Sparse, Table, Type};
use crate::syntax::ast::{EntityDecl, IndexKeyDecl, SparseDecl};
use crate::template::{CHUNK_DIGITS, Format, KeyTemplate, Part};
use keyfold_types::KeyKind;
use std::collections::BTreeMap;

/// The template of one key attribute.
#[derive(Clone)]
struct Made {
    parts: Vec<Part>,
    sparse: Option<Sparse>,
    span: crate::diagnostic::Span,
}

impl Made {
    /// The same with the number of the first part.
    fn first_part(&self) -> Made {
        let number = |part: &Part| match part {
            Part::Chunk => Part::Text("0".repeat(CHUNK_DIGITS)),
            other => other.clone(),
        };
        Made {
            parts: self.parts.iter().map(number).collect(),
            ..self.clone()
        }
    }
}

pub(super) fn resolve_all(
    declared: &EntityDecl,
    table: &Table,
    entity: &mut Entity,
    identity: &[Part],
    diagnostics: &mut Vec<Diagnostic>,
) {
    super::distinct(
        "index key",
        declared.indexes.iter().map(|index| &index.index),
        diagnostics,
    );
    let mut made: BTreeMap<String, Made> = BTreeMap::new();
    let own = std::iter::once((&table.partition, Some(&entity.key.partition))).chain(
        table
            .sort
            .iter()
            .map(|column| (column, entity.key.sort.as_ref())),
    );
    for (column, template) in own {
        let Some(template) = template else { continue };
        let parts = template.parts.clone();
        made.insert(
            column.name.clone(),
            Made {
                parts,
                sparse: None,
                span: entity.key.span,
            },
        );
    }
    for index in &declared.indexes {
        line(index, table, entity, identity, &mut made, diagnostics);
    }
    natural(table, entity, &mut made, diagnostics);
    for (at, index) in table.indexes.iter().enumerate() {
        let is_declared = declared
            .indexes
            .iter()
            .find(|line| line.index.text == index.name);
        let all: Option<Vec<&Made>> = index
            .columns()
            .map(|column| made.get(&column.name))
            .collect();
        let Some(all) = all else { continue };
        let span = is_declared.map_or(entity.key.span, |line| line.key.span);
        let joined = |makers: &[Made]| KeyTemplate {
            parts: makers
                .iter()
                .map(|one| one.parts.clone())
                .collect::<Vec<_>>()
                .join(&Part::Break),
            span,
        };
        // Of an item that is split, only the first part has other key attributes than the table's.
        let is_base = |column: &Column| {
            column.name == table.partition.name
                || table
                    .sort
                    .as_ref()
                    .is_some_and(|sort| sort.name == column.name)
        };
        let all: Vec<Made> = if index.columns().all(is_base) {
            all.into_iter().cloned().collect()
        } else {
            all.into_iter().map(Made::first_part).collect()
        };
        let (partition, sort) = all.split_at(index.partition.len());
        let key = KeyPair {
            partition: joined(partition),
            sort: (!sort.is_empty()).then(|| joined(sort)),
            span,
        };
        let sparse = all.iter().find_map(|one| one.sparse.clone());
        entity.indexes.push(IndexKey {
            index: at,
            key,
            sparse,
            is_declared: is_declared.is_some(),
        });
    }
}

/// One line of the entity: templates for the index's own attributes, or for all of its key.
fn line(
    declared: &IndexKeyDecl,
    table: &Table,
    entity: &Entity,
    identity: &[Part],
    made: &mut BTreeMap<String, Made>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(index) = table
        .indexes
        .iter()
        .find(|index| index.name == declared.index.text)
    else {
        let names = table.indexes.iter().map(|index| index.name.as_str());
        diagnostics.push(unknown(&format!("index of {}", table.name), &declared.index, names).note(
            "a line in an entity is an attribute (`name: type`), an index's key, `key`, `copy`, `unique`, `ttl`, `version`, `count`, `sum`, `max`, `split`, `compress` or `expect`",
        ));
        return;
    };
    let is_base = |column: &Column| {
        column.name == table.partition.name
            || table
                .sort
                .as_ref()
                .is_some_and(|sort| sort.name == column.name)
    };
    let whole = declared.key.templates.len() == index.columns().count();
    let chosen = |columns: &'_ [Column]| -> Vec<Column> {
        columns
            .iter()
            .filter(|column| whole || !is_base(column))
            .cloned()
            .collect()
    };
    let (partition, sort) = (chosen(&index.partition), chosen(&index.sort));
    if partition.is_empty() && sort.is_empty() {
        let message = format!("the key of {} is made of the table's key", index.name);
        diagnostics.push(
            Diagnostic::error(
                "KF004",
                declared.key.span,
                message,
                "nothing is left to make",
            )
            .help("remove the line: every item of the table is in this index"),
        );
        return;
    }
    let (of_partition, of_sort): (Vec<&Column>, Vec<&Column>) =
        (partition.iter().collect(), sort.iter().collect());
    let Some(mut key) = template::key(&declared.key, &of_partition, &of_sort, entity, diagnostics)
    else {
        return;
    };
    template::add_shard(&mut key, &declared.key, identity);
    let sparse = match &declared.sparse {
        None => None,
        Some(sparse) => match resolve_sparse(sparse, entity, diagnostics) {
            Some(sparse) => Some(sparse),
            None => return,
        },
    };
    let first = if partition.is_empty() {
        None
    } else {
        Some(&key.partition)
    };
    let templates: Vec<&[Part]> = first
        .into_iter()
        .chain(&key.sort)
        .flat_map(KeyTemplate::columns)
        .collect();
    // The table's key and attributes of the entity are there whatever `sparse` says.
    let is_always = |column: &Column, parts: &[Part]| {
        is_base(column)
            || matches!(parts, [Part::Field { name, format: Format::Bare, .. }] if *name == column.name)
    };
    let mut each = partition.iter().chain(&sort).zip(templates.iter().copied());
    if sparse.is_some() && each.all(|(column, parts)| is_always(column, parts)) {
        let message = format!(
            "every {} with these attributes is in {}, whatever `sparse` says",
            entity.name, index.name
        );
        diagnostics.push(
            Diagnostic::error("KF004", declared.key.span, message, "the key attributes are the entity's own")
                .note("an item is in an index when it has the attributes of its key, and these are always there")
                .help("give the index a key attribute of another name, which only some items get"),
        );
        return;
    }
    for (column, parts) in partition.iter().chain(&sort).zip(templates) {
        let sparse = sparse.clone().filter(|_| !is_always(column, parts));
        let new = Made {
            parts: parts.to_vec(),
            sparse,
            span: declared.key.span,
        };
        assign(column, new, entity, index, made, diagnostics);
    }
}

fn assign(
    column: &Column,
    new: Made,
    entity: &Entity,
    index: &Index,
    made: &mut BTreeMap<String, Made>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    match made.get(&column.name) {
        Some(first) if first.parts != new.parts || first.sparse != new.sparse => {
            let message = format!(
                "`{}` of {} is made in two ways, here for {}",
                column.name, entity.name, index.name
            );
            diagnostics.push(
                Diagnostic::error("KF018", new.span, message, "differs from the other")
                    .label(first.span, "made first here")
                    .note("an item has one value of an attribute, so one key would overwrite the other")
                    .help("write the same template in both places, or give the index a key attribute of its own"),
            );
        }
        Some(_) => {}
        None => {
            made.insert(column.name.clone(), new);
        }
    }
}

/// Attributes of the entity that have the name of a key attribute: they are the key themselves, or
/// the key would overwrite them.
fn natural(
    table: &Table,
    entity: &Entity,
    made: &mut BTreeMap<String, Made>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let base = std::iter::once(&table.partition).chain(&table.sort);
    for column in base.chain(table.indexes.iter().flat_map(Index::columns)) {
        let Some(attribute) = entity.attribute(&column.name) else {
            continue;
        };
        if let Some(maker) = made.get(&column.name) {
            let itself = matches!(maker.parts.as_slice(),
                [Part::Field { name, format: Format::Bare, .. }] if *name == attribute.name);
            if !itself {
                let message = format!(
                    "`{}` is an attribute that the table's keys use",
                    attribute.name
                );
                diagnostics.push(
                    Diagnostic::error(
                        "KF018",
                        attribute.span,
                        message,
                        "the key would overwrite it",
                    )
                    .label(maker.span, "made from a template here")
                    .help(format!(
                        "rename the attribute, or let it be the key itself: {{{}}}",
                        attribute.name
                    )),
                );
                return;
            }
            continue;
        }
        let fits = match column.kind {
            KeyKind::S => attribute.kind.is_text(),
            KeyKind::N => attribute.kind.is_number(),
            KeyKind::B => attribute.kind == Type::Binary,
        };
        if !fits {
            let message = format!(
                "`{}` is a {} and a key attribute of type {}",
                attribute.name,
                attribute.kind,
                column.kind.descriptor()
            );
            diagnostics.push(
                Diagnostic::error(
                    "KF004",
                    attribute.span,
                    message,
                    "items with it would be refused",
                )
                .help("rename the attribute, or give both the same type"),
            );
            return;
        }
        let field = Part::Field {
            name: attribute.name.clone(),
            kind: attribute.kind.clone(),
            format: Format::Bare,
        };
        made.insert(
            column.name.clone(),
            Made {
                parts: vec![field],
                sparse: None,
                span: attribute.span,
            },
        );
    }
    for mark in table.type_attribute.iter().chain(&table.ttl_attribute) {
        if let Some(attribute) = entity.attribute(mark) {
            let message = format!(
                "`{mark}` is an attribute that the table {} fills itself",
                table.name
            );
            diagnostics.push(
                Diagnostic::error("KF018", attribute.span, message, "would be overwritten")
                    .label(table.span, "declared here")
                    .help("give one of them another name"),
            );
        }
    }
}

fn resolve_sparse(
    declared: &SparseDecl,
    entity: &Entity,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Sparse> {
    let Some(attribute) = entity.attribute(&declared.attribute.text) else {
        diagnostics.push(unknown_attribute(entity, &declared.attribute));
        return None;
    };
    let value = match &declared.value {
        None => None,
        Some(value) => {
            match crate::value::canonical(&attribute.name, &attribute.kind, value.unquoted()) {
                Ok(text) => Some(text),
                Err(error) => {
                    let message = error.to_string();
                    diagnostics.push(Diagnostic::error(
                        "KF004",
                        value.span,
                        message,
                        "no such value",
                    ));
                    return None;
                }
            }
        }
    };
    Some(Sparse {
        attribute: attribute.name.clone(),
        value,
    })
}
