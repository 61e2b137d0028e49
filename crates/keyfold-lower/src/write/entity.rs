//! The steps of one entity: its creation, its change from old to new attributes, its deletion. They
//! include its copies, guards and parts; the aggregates of other entities follow in `aggregate`.

use super::context::Context;
use super::left_behind::left_behind;
use super::main_item::{Given, MainItem};
use super::moved;
use super::refusal::{Refusal, identity_of, key_text};
use super::step::{Draft, RemainingItems, Step, StepAction};
use super::stored_entity::StoredEntity;
use crate::arguments::Values;
use crate::derive::{Derived, Place, Role, derive, table};
use crate::error::ClientError;
use crate::expression::Term;
use crate::refused::Refused;
use crate::stored::digest_attribute;
use keyfold_model::schema::Aggregate;
use keyfold_model::{Entity, Table};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// Adds the puts of all items that follow from the values. `exists` is the refusal when the main
/// item exists.
pub(super) fn create(
    context: &Context<'_>,
    entity: &Entity,
    values: &Values,
    exists: Refusal,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let table = table(context.model, entity)?;
    let at_key = match &exists {
        Refusal::Stale if entity.moves() => Refusal::occupied(entity, values),
        Refusal::Stale
        | Refusal::None
        | Refusal::Exists(_)
        | Refusal::Because(_)
        | Refusal::NotFound(_)
        | Refusal::Taken(..)
        | Refusal::ByItem(_) => exists.clone(),
    };
    for one in derive(context.model, entity, values)? {
        draft.push(match &one.role {
            Role::Main => Step::put_new(table, entity, one, at_key.clone()),
            Role::Copy(_) | Role::Part(_) => Step::put(entity, one),
            Role::IdGuard => Step::put_new(table, entity, one, exists.clone()),
            Role::Guard(attributes) => {
                let taken = Refusal::taken(entity, attributes, values);
                Step::put_new(table, entity, one, taken)
            }
        });
    }
    draft.record_change(entity, None, Some(values));
    Ok(())
}

/// Adds the steps that put a whole entity over what was read: nothing, or the stored entity, whose
/// `watched` attributes must still be as they were read.
pub(super) fn put_over(
    context: &Context<'_>,
    (entity, values): (&Entity, &Values),
    old: Option<&StoredEntity>,
    watched: &[&str],
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let Some(old) = old else {
        return create(context, entity, values, Refusal::Stale, draft);
    };
    let replacement = Replacement {
        entity,
        new: &old.with_kept(entity, values.clone()),
        old,
        given: Given::All,
        watched,
        is_part: false,
    };
    replace(context, &replacement, draft)
}

/// Adds the deletion of everything that follows from an entity.
pub(super) fn delete(
    context: &Context<'_>,
    entity: &Entity,
    old: &StoredEntity,
    watched: &[&str],
    draft: &mut Draft,
) -> Result<(), ClientError> {
    old.require_kind((context, entity))?;
    old.require_readable((context, entity), |name| {
        context.model.decides(entity, name)
    })?;
    let counters: Vec<String> = entity
        .aggregates
        .iter()
        .map(Aggregate::items_attribute)
        .collect();
    for (counter, aggregate) in counters.iter().zip(&entity.aggregates) {
        let mut remaining = remaining_items(context, entity, old, (counter, aggregate))?;
        if let Some(remaining) = &mut remaining {
            remaining.is_judged = watched.contains(&counter.as_str());
        }
        draft.remaining.extend(remaining);
    }
    let watched: Vec<&str> = watched
        .iter()
        .copied()
        .chain(counters.iter().map(String::as_str))
        .chain(old.identity(entity))
        .collect();
    let mut conditions = Some(unchanged(context, entity, old, &watched)?);
    for one in old.derived(context, entity)? {
        let step = Step::delete(entity, &one);
        draft.push(match conditions.take() {
            Some(conditions) => step.unless_stale(conditions),
            None => step,
        });
    }
    if old.lacks_guard {
        let table = table(context.model, entity)?;
        draft
            .steps
            .extend(moved::guard_is_absent(table, entity, old)?);
    }
    draft.record_change(entity, Some(&old.values), None);
    Ok(())
}

/// The items that an aggregate of a deleted entity counts. The entity cannot be deleted while there
/// are any, except those that the same write deletes.
fn remaining_items(
    context: &Context<'_>,
    entity: &Entity,
    old: &StoredEntity,
    (counter, aggregate): (&str, &Aggregate),
) -> Result<Option<RemainingItems>, ClientError> {
    let Some(Value::N(items)) = old.item.get(counter) else {
        return Ok(None);
    };
    let child = context
        .model
        .entities
        .get(aggregate.entity)
        .map_or("", |child| child.name.as_str());
    let key = key_text(entity, &old.values);
    let place = Place::of(context.model, entity, &old.values)?;
    let message = format!(
        "the {} with {key} still has {child} items; delete them first",
        entity.name
    );
    Ok(Some(RemainingItems {
        table: place.table_name,
        key: place.key,
        counter: counter.to_owned(),
        items: *items,
        is_judged: false,
        refused: Box::new(Refused {
            action: Some(format!("delete {}", entity.name)),
            entity: Some(entity.name.clone()),
            id: identity_of(entity, &old.values),
            ..Refused::because(message)
        }),
    }))
}

/// The conditions that everything a write rests on is as it was read.
pub(super) fn unchanged(
    context: &Context<'_>,
    entity: &Entity,
    old: &StoredEntity,
    watched: &[&str],
) -> Result<Vec<Term>, ClientError> {
    let table = table(context.model, entity)?;
    let mut terms = vec![Term::Exists(table.partition.name.clone())];
    let mut names: Vec<String> = context
        .model
        .followed(entity)
        .into_iter()
        .chain(watched.iter().copied())
        .map(str::to_owned)
        .collect();
    // A split list is compared by its digest.
    if let Some((split, _)) = &entity.split {
        names
            .iter_mut()
            .filter(|name| *name == split)
            .for_each(|name| *name = digest_attribute(split));
    }
    names.sort_unstable();
    names.dedup();
    for name in names {
        terms.push(match old.item.get(&name) {
            Some(value) => Term::Equal(name, value.clone()),
            None => Term::Missing(name),
        });
    }
    Ok(terms)
}

/// The change of an entity from its old to its new attributes.
pub(super) struct Replacement<'r> {
    pub(super) entity: &'r Entity,
    pub(super) old: &'r StoredEntity,
    pub(super) new: &'r Values,
    /// The attributes that the caller gives.
    pub(super) given: Given<'r>,
    /// Attributes that must still be as they were read.
    pub(super) watched: &'r [&'r str],
    /// Whether other actions may happen together with it: then the entity must be as it was read even
    /// where nothing differs.
    pub(super) is_part: bool,
}

/// Adds the steps that move an entity from its old to its new attributes. When nothing differs, also no
/// version, it adds none, or a check in a write of several actions.
pub(super) fn replace(
    context: &Context<'_>,
    replacement: &Replacement<'_>,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let Replacement {
        entity, old, given, ..
    } = *replacement;
    old.require_replaceable((context, entity), given)?;
    let new = replacement.with_next_version();
    let before = old.derived(context, entity)?;
    let after = derive(context.model, entity, &new);
    let after = after.map_err(|error| old.explained(entity, given, error))?;
    let (Some(main_before), Some(main_after)) = (before.first(), after.first()) else {
        return Err(ClientError::Unknown(format!("{} has no key", entity.name)));
    };
    let is_moved = main_before.key != main_after.key || main_before.table != main_after.table;
    if is_moved && !entity.moves() {
        return Err(moved::key_stays(entity));
    }
    let table = table(context.model, entity)?;
    let changed = (&new, &main_after.item);
    let left = left_behind((table, entity), old, changed, given == Given::All)?;
    let followers = Followers {
        table,
        entity,
        before: before.get(1..).unwrap_or_default(),
        after: after.get(1..).unwrap_or_default(),
    };
    if is_moved {
        let conditions = unchanged(context, entity, old, &moved::watched(table, entity, old))?;
        let mains = ([main_before, main_after], left.as_slice());
        moved::add(table, (entity, old), mains, conditions, draft);
        followers.replace(&new, draft);
        draft.record_change(entity, Some(&old.values), Some(&new));
        return Ok(());
    }
    let mut watched = replacement.watched_names();
    if let Given::Only(names) = given
        && before == after
    {
        watched.extend(names.iter());
    }
    let conditions = unchanged(context, entity, old, &watched)?;
    let main = MainItem {
        entity,
        stored: &old.item,
        before: main_before,
        after: main_after,
        given,
        left: &left,
    };
    match main.step(&conditions) {
        Some(main) => draft.push(main),
        None if before == after && !replacement.is_part => return Ok(()),
        // Copies or guards differ. They rest on the entity being as it was read.
        None => draft.push(Step {
            label: format!("check {}", entity.name),
            refusal: Refusal::Stale,
            table: main_after.table.clone(),
            key: main_after.key.clone(),
            conditions,
            action: StepAction::Check,
            maxima: BTreeMap::new(),
        }),
    }
    followers.replace(&new, draft);
    draft.record_change(entity, Some(&old.values), Some(&new));
    Ok(())
}

impl Replacement<'_> {
    /// The attributes that must still be as they were read, whatever the new values are.
    fn watched_names(&self) -> Vec<&str> {
        let mut names = self.watched.to_vec();
        names.extend(self.entity.version.iter().map(String::as_str));
        names.extend(self.old.identity(self.entity));
        names
    }

    /// The new values with the next version: it counts writes, also those that change nothing else.
    fn with_next_version(&self) -> Values {
        let mut new = self.new.clone();
        if let Some(version) = &self.entity.version {
            let one = Number::from(1_i64);
            let next = match self.old.values.get(version) {
                Some(Value::N(number)) => number.checked_add(&one).ok(),
                _ => None,
            };
            new.insert(version.clone(), Value::N(next.unwrap_or(one)));
        }
        new
    }
}

/// The items that follow the main one: copies, parts and guards, before and after a change.
struct Followers<'f> {
    table: &'f Table,
    entity: &'f Entity,
    before: &'f [Derived],
    after: &'f [Derived],
}

impl Followers<'_> {
    /// Deletes the items that no longer follow, and puts those that are new or differ.
    fn replace(&self, new: &Values, draft: &mut Draft) {
        let has = |all: &[Derived], one: &Derived| all.iter().any(|other| other.key == one.key);
        for gone in self.before.iter().filter(|one| !has(self.after, one)) {
            draft.push(Step::delete(self.entity, gone));
        }
        for one in self.after.iter().filter(|one| !self.before.contains(one)) {
            draft.push(match &one.role {
                Role::Guard(attributes) if !has(self.before, one) => {
                    let taken = Refusal::taken(self.entity, attributes, new);
                    Step::put_new(self.table, self.entity, one.clone(), taken)
                }
                Role::IdGuard => {
                    let before = self.before.iter().find(|other| other.key == one.key);
                    moved::guard(self.table, self.entity, before, one)
                }
                Role::Guard(_) | Role::Main | Role::Copy(_) | Role::Part(_) => {
                    Step::put(self.entity, one.clone())
                }
            });
        }
    }
}
