//! KF016, followed: the requests that change an item are within DynamoDB's limits.
//!
//! A change requires the old values of all attributes that others follow from, in one condition of
//! at most 4 KB and 300 operators.

use super::expressions::CHANGE_BYTES;
use crate::diagnostic::Diagnostic;
use crate::schema::{Aggregate, Copy, Entity, Model};
use keyfold_types::limits::{
    EXPRESSION_BYTES_MAX, EXPRESSION_OPERATORS_MAX, TRANSACTION_ACTIONS_MAX,
};

/// Bytes of `#n100 = :v100 AND `.
const EQUAL_BYTES: usize = 18;
/// Bytes of `attribute_not_exists(#n100) AND `.
const MISSING_BYTES: usize = 32;
/// Entities with fewer attributes fit in any case: even if each attribute is missing, and with
/// index keys and own attributes added.
const ATTRIBUTES_MIN: usize = 60;
/// Attributes that the client adds: the type, the expiry, and the number and digest of the parts of
/// a list.
const OWN_ATTRIBUTES: usize = 4;

pub(crate) fn check(model: &Model, diagnostics: &mut Vec<Diagnostic>) {
    let mut kept: Vec<Vec<&Aggregate>> = vec![Vec::new(); model.entities.len()];
    for aggregate in model.entities.iter().flat_map(|entity| &entity.aggregates) {
        if let Some(of_entity) = kept.get_mut(aggregate.entity) {
            of_entity.push(aggregate);
        }
    }
    for (entity, aggregates) in model.entities.iter().zip(&kept) {
        diagnostics.extend(actions(entity, aggregates));
        if entity.attributes.len() >= ATTRIBUTES_MIN {
            diagnostics.extend(condition(model, entity, aggregates));
            diagnostics.extend(replacement(entity));
        }
    }
}

/// Checks the longest condition of a change: the item exists, all followed attributes have their
/// old values, and no items are counted in it.
fn condition(model: &Model, entity: &Entity, aggregates: &[&Aggregate]) -> Option<Diagnostic> {
    let mut followed = model.followed_with(entity, aggregates);
    if entity.moves() {
        // An item that moves is put as it was read: all of its attributes are compared.
        let names = entity.attributes.iter();
        followed = names.map(|attribute| attribute.name.as_str()).collect();
    }
    let bytes_of = |name: &&str| match entity.attribute(name) {
        Some(attribute) if attribute.optional => MISSING_BYTES,
        Some(_) | None => EQUAL_BYTES,
    };
    let more = entity.aggregates.len() + usize::from(entity.version.is_some());
    let terms = 1 + followed.len() + more;
    let bytes = followed.iter().map(bytes_of).sum::<usize>() + (1 + more) * MISSING_BYTES;
    // Each term has an operator, and each but the last an AND.
    if bytes <= EXPRESSION_BYTES_MAX && 2 * terms - 1 <= EXPRESSION_OPERATORS_MAX {
        return None;
    }
    let message = format!(
        "a change of {} rests on {} attributes, more than a condition holds",
        entity.name,
        followed.len()
    );
    Some(
        Diagnostic::error("KF016", entity.span, message, "could be written once and never changed")
            .note("copies, guards, index keys and aggregates follow from them, so a writer requires that they are as it read them")
            .note(format!("an expression has at most {EXPRESSION_BYTES_MAX} bytes and {EXPRESSION_OPERATORS_MAX} operators"))
            .help("let copies hold fewer attributes (`only ...`), or put attributes that belong together into a record"),
    )
}

/// Checks the longest transaction of a change: the item, its copies and guards under their old and
/// their new keys, and the items that it is counted in.
fn actions(entity: &Entity, aggregates: &[&Aggregate]) -> Option<Diagnostic> {
    // A copy whose key is made of the item's own key attributes keeps its key.
    let identity = entity.identity();
    let of_copy = |copy: &Copy| {
        if copy.key.fields().all(|field| identity.contains(&field)) {
            1
        } else {
            2
        }
    };
    let copies: usize = entity.copies.iter().map(of_copy).sum();
    let mut parents: Vec<&[(String, String)]> =
        aggregates.iter().map(|one| one.link.as_slice()).collect();
    parents.sort_unstable();
    parents.dedup();
    let own = if entity.moves() { 2 } else { 1 };
    let most = own + copies + 2 * entity.uniques.len() + 2 * parents.len();
    if most <= TRANSACTION_ACTIONS_MAX {
        return None;
    }
    let message = format!(
        "a change of {} may take {most} actions, more than a transaction has",
        entity.name
    );
    Some(
        Diagnostic::error("KF016", entity.span, message, "could not be changed any more")
            .note("a copy or guard whose key changes is deleted and written again: two actions; so are the counts of what it moves between")
            .note(format!("a transaction has at most {TRANSACTION_ACTIONS_MAX} actions"))
            .help("reach it by an index instead of copies, which costs no action"),
    )
}

/// Checks the update that replaces an item with maintained attributes: it sets the others one by
/// one.
fn replacement(entity: &Entity) -> Option<Diagnostic> {
    let keeps_some = entity.attributes.iter().any(|attribute| attribute.is_kept);
    if !keeps_some || fits_update(entity) {
        return None;
    }
    let message = format!(
        "{} has {} attributes, more than an update sets",
        entity.name,
        entity.attributes.len()
    );
    Some(
        Diagnostic::error("KF016", entity.span, message, "could not be put a second time")
            .note("the model keeps some of them, so a put sets the others one by one")
            .note(format!("an expression has at most {EXPRESSION_BYTES_MAX} bytes and {EXPRESSION_OPERATORS_MAX} operators"))
            .help("put attributes that belong together into a record"),
    )
}

/// Whether an update can set all attributes of an entity one by one.
pub(crate) fn fits_update(entity: &Entity) -> bool {
    let index_keys = 2 * entity.indexes.len();
    let changes = entity.attributes.len() + index_keys + OWN_ATTRIBUTES;
    changes * CHANGE_BYTES <= EXPRESSION_BYTES_MAX && changes <= EXPRESSION_OPERATORS_MAX
}
