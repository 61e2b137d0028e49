//! KF004: a fixed value of a pattern, a default and a value that a write sets can be part of the
//! keys that are made of them.

use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{DefaultValue, Entity, Model, Operand, Table};
use crate::template::Part;
use crate::value;
use keyfold_types::Value;
use std::collections::BTreeMap;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for entity in &model.entities {
        for attribute in &entity.attributes {
            if let Some(DefaultValue::Value(held)) = &attribute.default {
                let what = format!("the default of {}.{}", entity.name, attribute.name);
                diagnostics.extend(refuse(
                    model,
                    entity,
                    (&attribute.name, held),
                    attribute.span,
                    &what,
                ));
            }
        }
    }
    for pattern in &model.patterns {
        for (name, kind, text) in &pattern.fixed_values {
            let Ok(held) = value::parse(name, kind, text) else {
                continue;
            };
            for entity in pattern
                .returned
                .iter()
                .filter_map(|one| model.entities.get(one.entity))
            {
                let what = format!("what {} asks for", pattern.name);
                diagnostics.extend(refuse(model, entity, (name, &held), pattern.span, &what));
            }
        }
    }
    for write in &model.writes {
        for action in &write.actions {
            let Some(entity) = model.entities.get(action.entity) else {
                continue;
            };
            for assignment in &action.assignments {
                let (Operand::Literal(held), None) = (&assignment.left, &assignment.right) else {
                    continue;
                };
                let what = format!("what {} sets", write.name);
                diagnostics.extend(refuse(
                    model,
                    entity,
                    (&assignment.attribute, held),
                    write.span,
                    &what,
                ));
            }
        }
    }
}

fn refuse(
    model: &Model,
    entity: &Entity,
    (name, held): (&str, &Value),
    span: Span,
    what: &str,
) -> Option<Diagnostic> {
    let table = model.tables.get(entity.table)?;
    let error = in_keys(table, entity, name, held)?;
    Some(
        Diagnostic::error(
            "KF004",
            span,
            format!("{what} can be in no key: {error}"),
            "could never be written",
        )
        .note(format!(
            "no {} can have this value, since it could not be written with it",
            entity.name
        ))
        .help(format!(
            "choose another value, or another form of `{name}` in the key"
        )),
    )
}

/// Why a value cannot be written into one of an entity's keys.
fn in_keys(table: &Table, entity: &Entity, name: &str, held: &Value) -> Option<value::ValueError> {
    let keys = std::iter::once(&entity.key)
        .chain(entity.indexes.iter().map(|index| &index.key))
        .chain(entity.copies.iter().map(|copy| &copy.key));
    let mut parts = keys
        .flat_map(|key| std::iter::once(&key.partition).chain(&key.sort))
        .flat_map(|template| &template.parts);
    let values = BTreeMap::from([(name.to_owned(), held.clone())]);
    parts.find_map(|part| match part {
        Part::Field { name: field, .. } if field == name => {
            value::column(std::slice::from_ref(part), &values, &table.delimiters).err()
        }
        _ => None,
    })
}
