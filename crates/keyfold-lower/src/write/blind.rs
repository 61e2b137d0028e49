//! An entity in one request, without a read before it: an update that creates the item where it does
//! not exist. Attributes that the model keeps, and those that it does not name, stay.

use super::assignment::change;
use super::context::Context;
use super::left_behind::take_out;
use super::refusal::Refusal;
use super::step::{Step, StepAction};
use crate::arguments::Values;
use crate::derive::{Derived, derive, table};
use crate::error::ClientError;
use crate::expression::Change;
use keyfold_model::plan::upsert::{UpsertPlan, Upserted};
use keyfold_model::schema::{Assignment, Path};
use keyfold_model::{Action, Entity, Table};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// The step that writes a whole entity, whether it exists or not. No other item follows from it.
///
/// # Errors
/// Those of [`derive()`].
pub(super) fn put(
    context: &Context<'_>,
    entity: &Entity,
    values: &Values,
) -> Result<Step, ClientError> {
    let table = table(context.model, entity)?;
    let main = main_item(context, entity, values)?;
    let changes = main
        .item
        .iter()
        .filter(|(name, _)| main.key.get(name).is_none() && !is_kept(entity, name))
        .map(|(name, value)| (name.clone(), Change::Set(value.clone())));
    let changes = changes.chain(kept(entity)).collect();
    let removed = absent(table, entity, &main);
    let removed = removed.into_iter().map(Path::from).collect();
    let label = format!("put {}", entity.name);
    Ok(step(label, main, changes, removed))
}

/// The step of an upsert by its plan; `None` where a number is out of range.
///
/// # Errors
/// Those of [`derive()`]; `Missing` when a parameter has no value.
pub(super) fn upsert(
    context: &Context<'_>,
    (entity, action): (&Entity, &Action),
    arguments: &Values,
    new: &Values,
    plan: &UpsertPlan,
) -> Result<Option<Step>, ClientError> {
    let main = main_item(context, entity, new)?;
    let (mut changes, mut removed) = (Vec::new(), Vec::new());
    // Of several assignments to one attribute, such as fields of it, the first.
    let all = action.assignments.iter().rev();
    let all: BTreeMap<&str, &Assignment> = all.map(|one| (&*one.attribute, one)).collect();
    for (name, fate) in plan.iter().filter(|(name, _)| main.key.get(name).is_none()) {
        let held = main.item.get(name).cloned();
        let assigned = all.get(name.as_str()).copied();
        let change = match (fate, held, assigned) {
            (Upserted::Same, Some(value), _) => Change::Set(value),
            (Upserted::First, Some(value), _) => Change::First(value),
            (Upserted::Same, None, _) => {
                removed.push(Path::of(name));
                continue;
            }
            (Upserted::Moved, Some(first), Some(one)) => {
                match moved(change(entity, one, arguments)?, &first) {
                    Some(change) => change,
                    None => return Ok(None),
                }
            }
            (Upserted::Added, _, Some(one)) => change(entity, one, arguments)?,
            // An attribute that is stored only inside keys.
            (Upserted::First | Upserted::Moved | Upserted::Added, ..) => continue,
        };
        changes.push((name.clone(), change));
    }
    changes.extend(kept(entity));
    let label = format!("create or update {}", entity.name);
    let mut step = step(label, main, changes, removed);
    take_out((table(context.model, entity)?, entity), new, &mut step);
    Ok(Some(step))
}

/// The update of a main item, whatever is stored.
fn step(label: String, main: Derived, changes: Vec<(String, Change)>, removed: Vec<Path>) -> Step {
    Step {
        label,
        refusal: Refusal::None,
        table: main.table,
        key: main.key,
        conditions: Vec::new(),
        action: StepAction::Update { changes, removed },
        maxima: BTreeMap::new(),
    }
}

/// The change that moves a stored number, and gives a new item its `first` one: what is missing
/// counts as the number that the move takes there. `None` where that is out of range.
fn moved(change: Change, first: &Value) -> Option<Change> {
    let Value::N(first) = first else { return None };
    let number = |operand: &Change| match operand {
        Change::Set(Value::N(number)) => Some(*number),
        Change::Set(_)
        | Change::Attribute(_)
        | Change::Sum(..)
        | Change::Difference(..)
        | Change::First(_)
        | Change::Add(_)
        | Change::Append(_)
        | Change::Prepend(_)
        | Change::Include(_)
        | Change::Exclude(_)
        | Change::Field(..) => None,
    };
    match change {
        Change::Sum(_, right) => {
            let start = first.checked_sub(&number(&right)?).ok()?;
            Some(Change::Sum(Box::new(Change::First(Value::N(start))), right))
        }
        Change::Difference(_, right) => {
            let start = first.checked_add(&number(&right)?).ok()?;
            Some(Change::Difference(
                Box::new(Change::First(Value::N(start))),
                right,
            ))
        }
        Change::Set(_)
        | Change::Attribute(_)
        | Change::First(_)
        | Change::Add(_)
        | Change::Append(_)
        | Change::Prepend(_)
        | Change::Include(_)
        | Change::Exclude(_)
        | Change::Field(..) => None,
    }
}

fn main_item(
    context: &Context<'_>,
    entity: &Entity,
    values: &Values,
) -> Result<Derived, ClientError> {
    let main = derive(context.model, entity, values)?.into_iter().next();
    main.ok_or_else(|| ClientError::Unknown(format!("{} has no key", entity.name)))
}

fn is_kept(entity: &Entity, name: &str) -> bool {
    let attribute = entity.attribute(name);
    attribute.is_some_and(|attribute| attribute.is_kept)
}

/// The changes of the attributes that the model keeps: the version goes up, and starts at 1; a
/// count or sum starts at 0, and stays where it is.
fn kept(entity: &Entity) -> impl Iterator<Item = (String, Change)> {
    let kept = entity.attributes.iter();
    let kept = kept.filter(|attribute| attribute.is_kept && !attribute.optional);
    kept.map(|attribute| {
        let is_version = entity.version.as_ref() == Some(&attribute.name);
        let added = Number::from(i64::from(is_version));
        (attribute.name.clone(), Change::Add(added))
    })
}

/// The attributes that a stored item may have and the new one has not: its own, index keys, and the
/// time of expiry.
fn absent(table: &Table, entity: &Entity, main: &Derived) -> Vec<String> {
    let own = entity.attributes.iter().filter(|one| !one.is_kept);
    let own = own.map(|attribute| &attribute.name);
    let keys = entity
        .indexes
        .iter()
        .filter_map(|key| table.indexes.get(key.index))
        .flat_map(keyfold_model::Index::columns)
        .map(|column| &column.name);
    let expiry = table.ttl_attribute.iter().filter(|_| entity.ttl.is_some());
    let mut names: Vec<String> = own
        .chain(keys)
        .chain(expiry)
        .filter(|name| main.item.get(name).is_none() && !is_kept(entity, name))
        .cloned()
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
