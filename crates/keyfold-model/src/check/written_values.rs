//! KF004: fixed values of patterns, defaults, and values that writes set can be written into the
//! keys that contain their attributes.

use crate::diagnostic::{Diagnostic, Span};
use crate::schema::{DefaultValue, Entity, KeyPair, Model, Operand};
use crate::template::Part;
use crate::value;
use keyfold_types::Value;
use std::collections::BTreeMap;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    check_defaults(model, diagnostics);
    check_fixed(model, diagnostics);
    check_assigned(model, diagnostics);
}

fn check_defaults(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for entity in &model.entities {
        for attribute in &entity.attributes {
            if let Some(DefaultValue::Value(value)) = &attribute.default {
                let what = format!("the default of {}.{}", entity.name, attribute.name);
                let held = (attribute.name.as_str(), value);
                diagnostics.extend(refuse(entity, held, attribute.span, &what));
            }
        }
    }
}

fn check_fixed(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for pattern in &model.patterns {
        for (name, kind, text) in &pattern.fixed_values {
            let Ok(value) = value::parse(name, kind, text) else {
                continue;
            };
            let what = format!("what {} asks for", pattern.name);
            for returned in &pattern.returned {
                if let Some(entity) = model.entities.get(returned.entity) {
                    let held = (name.as_str(), &value);
                    diagnostics.extend(refuse(entity, held, pattern.span, &what));
                }
            }
        }
    }
}

fn check_assigned(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    for write in &model.writes {
        let what = format!("what {} sets", write.name);
        for action in &write.actions {
            let Some(entity) = model.entities.get(action.entity) else {
                continue;
            };
            for assignment in action.assignments.iter().chain(&action.otherwise) {
                if let (Operand::Literal(value), None) = (&assignment.left, &assignment.right) {
                    let held = (assignment.attribute.as_str(), value);
                    diagnostics.extend(refuse(entity, held, write.span, &what));
                }
            }
        }
    }
}

/// Reports a value of an attribute that a key of the entity cannot contain.
fn refuse(
    entity: &Entity,
    (name, held): (&str, &Value),
    span: Span,
    what: &str,
) -> Option<Diagnostic> {
    let error = in_keys(entity, name, held)?;
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

/// The reason why a value cannot be written into one of an entity's keys; `None` if it can.
fn in_keys(entity: &Entity, name: &str, held: &Value) -> Option<value::ValueError> {
    let mut parts = entity
        .keys()
        .flat_map(KeyPair::templates)
        .flat_map(|template| &template.parts);
    let values = BTreeMap::from([(name.to_owned(), held.clone())]);
    parts.find_map(|part| match part {
        Part::Field { name: field, .. } if field == name => {
            value::column(std::slice::from_ref(part), &values).err()
        }
        Part::Field { .. } | Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => None,
    })
}
