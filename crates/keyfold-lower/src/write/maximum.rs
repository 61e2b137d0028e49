//! Maxima that a parent keeps of an entity's items.
//!
//! The maximum is read and set. When its item goes, the next one is searched. Every change of the
//! items increments a counter beside the maximum, and the write requires that the counter is as it
//! was read: the search never misses an item that another writer adds in the meantime.

use super::contribution::{AggregateChange, Target, no_parent};
use super::refusal::Refusal;
use super::step::{MaximumChange, Step, StepAction};
use crate::bound::order;
use crate::derive::{derive_stored, table, table_name};
use crate::error::ClientError;
use crate::expression::{Change, Term};
use crate::kind_name::{kind_name, says_another, unknown_item};
use crate::read::raw_query;
use crate::stored::value_of;
use keyfold_model::schema::{Aggregate, Path};
use keyfold_model::value;
use keyfold_types::{Item, Number, Value};
use std::collections::BTreeMap;

/// Adds the step of the parent that keeps the maximum, or changes the step that it has already.
pub(super) async fn follow(
    change: &AggregateChange<'_>,
    target: &Target<'_>,
    steps: &mut Vec<Step>,
) -> Result<(), ClientError> {
    let attribute = change.aggregate.attribute.as_str();
    if let Some(Step {
        action: StepAction::Put(item),
        ..
    }) = target.step.and_then(|at| steps.get_mut(at))
    {
        add_to_new_parent(change, item);
        return Ok(());
    }
    let earlier = target
        .step
        .and_then(|at| steps.get(at)?.maxima.get(attribute))
        .cloned();
    let place = &target.place;
    let Some(parent) = change.context.get(&place.table_name, &place.key).await? else {
        return match change.new {
            None => Ok(()),
            Some(new) => {
                let error = ClientError::NotFound(no_parent(change.parent, &new.parent));
                let label = format!("max {}.{attribute}", change.parent.name);
                Err(error.at_item(&label, &place.table_name, &place.key))
            }
        };
    };
    let stored = parent.get(attribute).cloned();
    let items = changed_items(change, stored.as_ref(), earlier.unwrap_or_default())?;
    let next = next_maximum(change, stored, &items).await?;
    let update = ParentUpdate::of(change, target, &parent, next);
    let at = target.step.unwrap_or(steps.len());
    update.add_to(change, target, steps);
    if let Some(step) = steps.get_mut(at) {
        step.maxima.insert(attribute.to_owned(), items);
    }
    Ok(())
}

/// Sets the maximum of a parent that the same write creates: all of its items are in that write.
fn add_to_new_parent(change: &AggregateChange<'_>, parent: &mut Item) {
    let aggregate = change.aggregate;
    let attribute = aggregate.attribute.as_str();
    if let Some(new) = change.new
        && parent
            .get(attribute)
            .is_none_or(|held| is_greater(&new.value, held))
    {
        parent.insert(attribute, new.value.clone());
    }
    parent.insert(aggregate.changes_attribute(), 1);
    let items = aggregate.items_attribute();
    let held = match parent.get(&items) {
        Some(Value::N(number)) => *number,
        _ => Number::from(0_i64),
    };
    let sum = held.checked_add(&change.items_added()).unwrap_or(held);
    parent.insert(items, Value::N(sum));
}

fn is_greater(one: &Value, other: &Value) -> bool {
    order(one, other).is_some_and(std::cmp::Ordering::is_gt)
}

/// The changes of the write among the items of the maximum: `earlier` and this one.
fn changed_items(
    change: &AggregateChange<'_>,
    stored: Option<&Value>,
    earlier: MaximumChange,
) -> Result<MaximumChange, ClientError> {
    let mut items = earlier;
    if let (Some(old), Some(before)) = (change.old, change.before) {
        let own = derive_stored(change.context.model, change.child, before, &Item::new())?;
        items.removed.extend(own.into_iter().map(|one| one.key));
        items.lost_maximum |= Some(&old.value) == stored;
    }
    items.added.extend(change.new.map(|new| new.value.clone()));
    Ok(items)
}

/// The maximum after the write; `None` when no item remains.
async fn next_maximum(
    change: &AggregateChange<'_>,
    stored: Option<Value>,
    items: &MaximumChange,
) -> Result<Option<Value>, ClientError> {
    let mut next = if items.lost_maximum {
        search(change, &items.removed).await?
    } else {
        stored
    };
    for value in &items.added {
        if next.as_ref().is_none_or(|held| is_greater(value, held)) {
            next = Some(value.clone());
        }
    }
    Ok(next)
}

/// The maximum of the stored items that this write does not change.
async fn search(
    change: &AggregateChange<'_>,
    removed: &[Item],
) -> Result<Option<Value>, ClientError> {
    let (aggregate, child) = (change.aggregate, change.child);
    // The item at hand links to the parent before the change if it was counted there, after the
    // change otherwise.
    let linked = match change.old {
        Some(_) => change.before,
        None => change.after,
    };
    let (Some(plan), Some(linked), Some(of)) = (&aggregate.next, linked, &aggregate.of) else {
        return Ok(None);
    };
    let child_table = table(change.context.model, child)?;
    let mut arguments = linked.clone();
    if let Some((name, text)) = &aggregate.condition
        && let Some(found) = child.attribute(name)
    {
        arguments.insert(name.clone(), value::parse(name, &found.kind, text)?);
    }
    let name = table_name(child_table, child, linked)?;
    let copy = aggregate.next_copy.and_then(|at| child.copies.get(at));
    let kind = kind_name(child, copy);
    let has_key = |item: &Item, key: &Item| {
        key.iter()
            .all(|(name, value)| item.get(name) == Some(value))
    };
    // The first items may be removed ones, or parts of a list, which lack the attribute.
    let limit = u32::try_from(removed.len())
        .unwrap_or(u32::MAX)
        .saturating_add(1);
    let mut after = None;
    loop {
        let (items, next) = raw_query(
            change.context.io,
            child_table,
            plan,
            (&name, &arguments),
            after.take(),
            limit,
        )
        .await?;
        let mut found = None;
        for item in &items {
            if found.is_none() && !removed.iter().any(|key| has_key(item, key)) {
                let held = value_of(child_table, child, copy, of, std::slice::from_ref(item));
                found = held.map_err(|wrong| wrong.error((child_table, child), copy, item))?;
                if found.is_some() && says_another(child_table, &kind, item) {
                    let of = format!("a key of {kind} has");
                    return Err(unknown_item(&of, child_table, item));
                }
            }
        }
        match (found, next) {
            (Some(value), _) => return Ok(Some(value)),
            (None, Some(key)) => after = Some(key),
            (None, None) => return Ok(None),
        }
    }
}

/// The update of the parent's item.
struct ParentUpdate {
    changes: Vec<(String, Change)>,
    removed: Vec<Path>,
    conditions: Vec<Term>,
}

impl ParentUpdate {
    /// The update that sets the next maximum. It requires that the counter of changes is as it was
    /// read with the parent.
    fn of(
        change: &AggregateChange<'_>,
        target: &Target<'_>,
        parent: &Item,
        next: Option<Value>,
    ) -> ParentUpdate {
        let aggregate = change.aggregate;
        let counter = aggregate.changes_attribute();
        let mut changes = vec![
            (counter.clone(), Change::Add(Number::from(1_i64))),
            (
                aggregate.items_attribute(),
                Change::Add(change.items_added()),
            ),
        ];
        let mut removed = Vec::new();
        match next {
            Some(value) => changes.push((aggregate.attribute.clone(), Change::Set(value))),
            None => removed.push(Path::of(&aggregate.attribute)),
        }
        let as_read = match parent.get(&counter) {
            Some(value) => Term::Equal(counter, value.clone()),
            None => Term::Missing(counter),
        };
        let partition = target.place.table.partition.name.clone();
        ParentUpdate {
            changes,
            removed,
            conditions: vec![Term::Exists(partition), as_read],
        }
    }

    /// Adds the update as a step, or to the step of the same item.
    fn add_to(self, change: &AggregateChange<'_>, target: &Target<'_>, steps: &mut Vec<Step>) {
        let ParentUpdate {
            changes,
            removed,
            conditions,
        } = self;
        let label = format!("max {}.{}", change.parent.name, change.aggregate.attribute);
        let Some(step) = target.step.and_then(|at| steps.get_mut(at)) else {
            steps.push(Step {
                label,
                refusal: Refusal::Stale,
                table: target.place.table_name.clone(),
                key: target.place.key.clone(),
                conditions,
                action: StepAction::Update { changes, removed },
                maxima: BTreeMap::new(),
            });
            return;
        };
        match &mut step.action {
            StepAction::Update {
                changes: known_changes,
                removed: known_removed,
            } => {
                for one in changes {
                    known_removed.retain(|path| path.attribute != one.0);
                    merge_change(known_changes, one, change.aggregate);
                }
                for path in removed {
                    known_changes.retain(|(known, _)| *known != path.attribute);
                    if !known_removed.contains(&path) {
                        known_removed.push(path);
                    }
                }
            }
            StepAction::Check => {
                step.action = StepAction::Update { changes, removed };
                step.label = format!("{}, {label}", step.label);
            }
            StepAction::Put(_) | StepAction::Delete => return,
        }
        for condition in conditions {
            if !step.conditions.contains(&condition) {
                step.conditions.push(condition);
            }
        }
        // A failed condition of the step itself is judged again after the item has been read again.
        step.refusal = Refusal::Stale;
    }
}

/// Adds a change to those of a step, in place of an earlier change of the same attribute. The
/// number of items adds up; the counter of changes goes up once.
fn merge_change(
    known: &mut Vec<(String, Change)>,
    (name, change): (String, Change),
    aggregate: &Aggregate,
) {
    match known.iter_mut().find(|(other, _)| *other == name) {
        Some((_, Change::Add(held))) => {
            if let Change::Add(more) = change
                && name != aggregate.changes_attribute()
            {
                *held = held.checked_add(&more).unwrap_or(*held);
            }
        }
        Some((_, held)) => *held = change,
        None => known.push((name, change)),
    }
}
