//! Keys of entities and copies: the identity of an item, and the attributes that a key may have.

use crate::diagnostic::Diagnostic;
use crate::schema::{Condition, Entity, KeyPair};
use crate::template::Part;
use crate::written::written;

/// The identity of an item as one text: both parts of its key, or the attributes of `id` as the key
/// writes them.
pub(super) fn identity(entity: &Entity) -> Vec<Part> {
    let key = &entity.key;
    if entity.moves() {
        return of_id(entity);
    }
    let mut parts = key.partition.parts.clone();
    if let Some(sort) = &key.sort {
        parts.push(Part::Text("#".to_owned()));
        parts.extend(sort.parts.iter().cloned());
    }
    parts
}

fn of_id(entity: &Entity) -> Vec<Part> {
    let fields: Vec<&Part> = entity.key.templates().flat_map(|one| &one.parts).collect();
    let mut parts = Vec::new();
    for name in &entity.id {
        let is_of = |part: &&&Part| matches!(part, Part::Field { name: field, format, .. } if field == name && format.keeps_value());
        if let Some(part) = fields.iter().find(is_of) {
            parts.extend([(*part).clone(), Part::Text("#".to_owned())]);
        }
    }
    parts
}

/// Refuses a key that is made of optional attributes, or of attributes that the model keeps.
/// `what` names the key in messages. `demanded` are the conditions of a copy: an item has no such
/// key where they do not hold.
pub(super) fn check_required(
    entity: &Entity,
    key: &KeyPair,
    what: &str,
    demanded: Option<&[Condition]>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for field in key.fields() {
        let Some(attribute) = entity.attribute(field) else {
            continue;
        };
        let mut conditions = demanded.into_iter().flatten();
        let is_demanded = conditions.any(|one| one.demands(field));
        if attribute.optional && !is_demanded {
            let message = format!(
                "{what} of {} is made of `{field}`, which may be missing",
                entity.name
            );
            let mut error = Diagnostic::error(
                "KF004",
                key.span,
                message,
                "an item without it would have no key",
            )
            .label(attribute.span, "declared optional here")
            .help(format!(
                "make it required: remove the `?` behind the type of `{field}`"
            ))
            .offer(attribute.without_mark());
            if demanded.is_some() {
                let demand = written(field);
                error = error.help(format!(
                    "or let only items with it have the copy: `when exists {demand}`"
                ));
            }
            diagnostics.push(error);
        } else if attribute.is_kept {
            let message = format!(
                "{what} of {} is made of `{field}`, which the model itself keeps",
                entity.name
            );
            diagnostics.push(
                Diagnostic::error("KF016", key.span, message, "it changes with every write")
                    .label(attribute.span, "kept up to date from here")
                    .help("leave it out of keys, copies and `unique`"),
            );
        }
    }
}
