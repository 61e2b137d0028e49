//! An item that moves: its key is made of attributes that change. It is deleted where it was and put
//! where it belongs, in one transaction with the guard of its `id`.

use super::refusal::{Refusal, key_text};
use super::step::{Draft, Step};
use super::stored_entity::StoredEntity;
use crate::derive::Derived;
use crate::expression::Term;
use keyfold_model::{Entity, Table};

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
    [before, after]: [&Derived; 2],
    conditions: Vec<Term>,
    draft: &mut Draft,
) {
    draft.push(Step::delete(entity, before).unless_stale(conditions));
    let occupied = Refusal::Because(format!(
        "the {} with {} cannot move: an item that was not written through the model is in its place",
        entity.name,
        key_text(entity, &old.values)
    ));
    let moved = with_others(entity, old, before, after);
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

/// The step that makes the guard of an `id` say the new place. It must say the old one until then.
pub(super) fn guard(entity: &Entity, before: Option<&Derived>, after: &Derived) -> Step {
    let put = Step::put(entity, after.clone());
    let Some(before) = before else { return put };
    let held = before.item.iter();
    let held = held.filter(|(name, _)| before.key.get(name).is_none());
    let same = held.map(|(name, value)| Term::Equal(name.clone(), value.clone()));
    put.unless_stale(same.collect())
}
