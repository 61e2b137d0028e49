//! An item that moves: its key is made of attributes that change. It is deleted where it was and put
//! where it belongs, in one transaction with the guard of its `id`.

use super::refusal::{Refusal, key_text};
use super::step::{Draft, Step, StepAction};
use super::stored_entity::StoredEntity;
use crate::derive::{Derived, guard_key};
use crate::error::ClientError;
use crate::expression::Term;
use keyfold_model::schema::held_in_guard;
use keyfold_model::{Entity, Table};
use std::collections::BTreeMap;

/// The refusal to change the key of an entity that does not move.
pub(super) fn key_stays(entity: &Entity) -> ClientError {
    ClientError::Invalid(format!(
        "the key of {} cannot change; delete it and put it again",
        entity.name
    ))
}

/// The attributes that must be as they were read: all of them, since the new item is made of them.
pub(super) fn watched<'w>(
    table: &Table,
    entity: &'w Entity,
    old: &'w StoredEntity,
) -> Vec<&'w str> {
    let own = entity.attributes.iter().map(|attribute| &attribute.name);
    let stored = old.item.iter().map(|(name, _)| name);
    let mut names: Vec<&str> = own.chain(stored).map(String::as_str).collect();
    names.retain(|name| table.columns().all(|column| column.name != *name));
    names
}

/// Adds the steps that move a main item from one key to another, if it is as the conditions say.
pub(super) fn add(
    table: &Table,
    (entity, old): (&Entity, &StoredEntity),
    ([before, after], left): ([&Derived; 2], &[String]),
    conditions: Vec<Term>,
    draft: &mut Draft,
) {
    draft.push(Step::delete(entity, before).unless_stale(conditions));
    let message = format!(
        "the {} with {} cannot move: an item that was not written through the model is in its place",
        entity.name,
        key_text(entity, &old.values)
    );
    let occupied = Refusal::about(entity, &old.values, message);
    let mut moved = with_others(entity, old, before, after);
    for name in left {
        moved.item.remove(name);
    }
    draft.push(Step::put_new(table, entity, moved, occupied));
}

/// The moved item, with the attributes of the stored one that the model does not name.
fn with_others(entity: &Entity, old: &StoredEntity, before: &Derived, after: &Derived) -> Derived {
    let mut moved = after.clone();
    for (name, value) in old.item.iter() {
        let is_named = entity.attribute(name).is_some()
            || before.item.get(name).is_some()
            || after.item.get(name).is_some();
        if !is_named {
            moved.item.insert(name.as_str(), value.clone());
        }
    }
    moved
}

/// The step that makes the guard of an `id` say the new place. It must say the old one until then, or
/// be absent where the item has none.
pub(super) fn guard(
    table: &Table,
    entity: &Entity,
    before: Option<&Derived>,
    after: &Derived,
) -> Step {
    let Some(before) = before else {
        return Step::put_new(table, entity, after.clone(), Refusal::Stale);
    };
    let mut names: Vec<String> = entity.moving().into_iter().map(held_in_guard).collect();
    names.sort_unstable();
    let said = names.into_iter().filter_map(|name| {
        let value = before.item.get(&name)?.clone();
        Some(Term::Equal(name, value))
    });
    Step::put(entity, after.clone()).unless_stale(said.collect())
}

/// The check that another writer has not made the guard of an item that lacks it.
pub(super) fn guard_is_absent(
    table: &Table,
    entity: &Entity,
    old: &StoredEntity,
) -> Result<Option<Step>, ClientError> {
    let Some(id) = entity.id_guard() else {
        return Ok(None);
    };
    Ok(Some(Step {
        label: format!("check the guard of {}", entity.id.join(", ")),
        refusal: Refusal::Stale,
        table: table.name.clone(),
        key: guard_key(table, entity, id, &old.values)?,
        conditions: vec![Term::Missing(table.partition.name.clone())],
        action: StepAction::Check,
        maxima: BTreeMap::new(),
    }))
}
