//! Aggregates follow: what is counted, summed up or greatest among an entity's items changes with
//! them, in the same transaction.
//!
//! A count or sum is added to. The greatest is read and set: if the greatest goes, the next one is
//! searched. Every change of the items adds to a counter beside it, and the search requires that
//! the counter is as it was read, so that it never misses an item that came meanwhile.

use super::Context;
use super::step::{Changed, Draft, Left, Refusal, Step, StepAction};
use crate::arguments::Values;
use crate::backend::unexpected;
use crate::derive::{main_key, table, table_name};
use crate::error::ClientError;
use crate::expression::{Change, Term, order};
use crate::read::raw_query;
use keyfold_api::{GetItemInput, Response};
use keyfold_model::schema::{Aggregate, AggregateKind, Comparator};
use keyfold_model::{Entity, value};
use keyfold_types::{Item, Number, Value};
use std::collections::BTreeMap;

/// The contribution of an item to an aggregate, and the parent's key.
struct Contribution {
    parent: Values,
    value: Value,
}

/// The steps of a whole write: to those of its items, what the aggregates need that follow from
/// them.
///
/// # Errors
/// `Refused` when an item is deleted that still counts others.
pub(super) fn followed(context: &Context<'_>, mut draft: Draft) -> Result<Vec<Step>, ClientError> {
    for moved in std::mem::take(&mut draft.moved) {
        let Some(entity) = context.model.entity(&moved.entity) else {
            continue;
        };
        follow(
            context,
            entity,
            moved.before.as_ref(),
            moved.after.as_ref(),
            &mut draft,
        )?;
    }
    match draft.left.into_iter().find(|left| !left.items.is_zero()) {
        Some(left) => Err(ClientError::Refused(left.reason)),
        None => Ok(draft.steps),
    }
}

/// Adds to the steps what the aggregates of other entities need when an item of this one goes from
/// `before` to `after`.
fn follow(
    context: &Context<'_>,
    entity: &Entity,
    before: Option<&Values>,
    after: Option<&Values>,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    for (parent, aggregate) in context.model.aggregates_of(entity) {
        let old = before.and_then(|values| contribution(aggregate, values));
        let new = after.and_then(|values| contribution(aggregate, values));
        let kept = Kept {
            context,
            parent,
            aggregate,
            child: entity,
            before,
            after,
        };
        if let (Some(old), Some(new)) = (&old, &new)
            && old.parent == new.parent
        {
            if old.value != new.value {
                kept.change(Some(old), Some(new), draft)?;
            }
            continue;
        }
        if let Some(old) = &old {
            kept.change(Some(old), None, draft)?;
        }
        if let Some(new) = &new {
            kept.change(None, Some(new), draft)?;
        }
    }
    Ok(())
}

fn contribution(aggregate: &Aggregate, values: &Values) -> Option<Contribution> {
    if let Some((attribute, wanted)) = &aggregate.condition
        && values.get(attribute).map(value::display).as_ref() != Some(wanted)
    {
        return None;
    }
    let value = match &aggregate.of {
        None => Value::from(1),
        Some(of) => values.get(of)?.clone(),
    };
    let parent = aggregate
        .link
        .iter()
        .map(|(field, name)| Some((field.clone(), values.get(name)?.clone())));
    Some(Contribution {
        parent: parent.collect::<Option<_>>()?,
        value,
    })
}

/// One aggregate of an entity, and the item that changes it.
struct Kept<'k> {
    context: &'k Context<'k>,
    parent: &'k Entity,
    aggregate: &'k Aggregate,
    child: &'k Entity,
    before: Option<&'k Values>,
    after: Option<&'k Values>,
}

impl Kept<'_> {
    /// Adds the step for one parent, which loses `old` and gets `new`.
    fn change(
        &self,
        old: Option<&Contribution>,
        new: Option<&Contribution>,
        draft: &mut Draft,
    ) -> Result<(), ClientError> {
        let Kept {
            context,
            parent,
            aggregate,
            ..
        } = *self;
        let Some(key_values) = old.or(new).map(|one| &one.parent) else {
            return Ok(());
        };
        let parent_table = table(context.model, parent)?;
        let name = table_name(parent_table, parent, key_values)?;
        let key = main_key(context.model, parent, key_values)?;
        let place = draft
            .steps
            .iter()
            .position(|step| step.table == name && step.key == key);
        if let Some(step) = place.and_then(|at| draft.steps.get(at))
            && matches!(step.action, StepAction::Delete)
        {
            let what = step.what.clone();
            return self.leave((&name, &key), &what, more(old, new), draft);
        }
        let steps = &mut draft.steps;
        if aggregate.kind == AggregateKind::Max {
            let target = Target {
                context,
                parent,
                name,
                key,
                place,
            };
            return greatest(&target, self, old, new, steps);
        }
        let amount = |one: Option<&Contribution>| match one.map(|one| &one.value) {
            Some(Value::N(number)) => *number,
            _ => Number::from(0_i64),
        };
        let difference = amount(new).checked_sub(&amount(old));
        let difference = difference.map_err(|error| {
            ClientError::Refused(format!(
                "{}.{} would leave DynamoDB's numbers: {error}",
                parent.name, aggregate.attribute
            ))
        })?;
        let attribute = &aggregate.attribute;
        let mut added = vec![(attribute.clone(), difference)];
        if aggregate.kind == AggregateKind::Sum {
            added.push((aggregate.items_attribute(), more(old, new)));
        }
        if let Some(step) = place.and_then(|at| steps.get_mut(at)) {
            for (attribute, difference) in &added {
                add_to(step, attribute, difference)?;
            }
            return Ok(());
        }
        // A parent may have gone before the items that it counts.
        if new.is_none() && current(context, &name, &key)?.is_none() {
            return Ok(());
        }
        let refusal = if new.is_none() {
            Refusal::Stale
        } else {
            no_parent(parent, key_values)
        };
        steps.push(Step {
            what: format!("{} {}.{attribute}", aggregate.kind.word(), parent.name),
            refusal,
            table: name,
            key,
            conditions: vec![Term::Exists(parent_table.partition.name.clone())],
            action: StepAction::Update {
                changes: added
                    .into_iter()
                    .map(|(name, number)| (name, Change::Add(number)))
                    .collect(),
                removed: Vec::new(),
            },
            greatest: BTreeMap::new(),
        });
        Ok(())
    }
}

impl Kept<'_> {
    /// An item that goes with the one that counts it.
    fn leave(
        &self,
        (table, key): (&str, &Item),
        what: &str,
        more: Number,
        draft: &mut Draft,
    ) -> Result<(), ClientError> {
        let counter = self.aggregate.items_attribute();
        let is_it =
            |left: &&mut Left| left.table == table && left.key == *key && left.counter == counter;
        if !more.is_negative() && !more.is_zero() {
            return Err(ClientError::Refused(format!(
                "`{what}` in the same write: {} cannot follow",
                self.aggregate.attribute
            )));
        }
        if let Some(left) = draft.left.iter_mut().find(is_it) {
            left.items = left.items.checked_add(&more).unwrap_or(left.items);
        }
        Ok(())
    }
}

/// The difference in the number of items.
fn more(old: Option<&Contribution>, new: Option<&Contribution>) -> Number {
    Number::from(i64::from(new.is_some()) - i64::from(old.is_some()))
}

fn no_parent(parent: &Entity, key: &Values) -> Refusal {
    let shown: Vec<String> = key
        .iter()
        .map(|(name, held)| format!("{name} = {}", value::display(held)))
        .collect();
    Refusal::NotFound(format!(
        "there is no {} with {}",
        parent.name,
        shown.join(", ")
    ))
}

/// Adds to a number that another step of the same write makes or changes.
fn add_to(step: &mut Step, attribute: &str, difference: &Number) -> Result<(), ClientError> {
    let sum = |number: &Number| {
        number.checked_add(difference).map_err(|error| {
            ClientError::Refused(format!(
                "{attribute} would leave DynamoDB's numbers: {error}"
            ))
        })
    };
    match &mut step.action {
        StepAction::Put(item) => {
            let held = match item.get(attribute) {
                Some(Value::N(number)) => *number,
                _ => Number::from(0_i64),
            };
            item.insert(attribute, Value::N(sum(&held)?));
        }
        StepAction::Update { changes, .. } => {
            match changes.iter_mut().find(|(name, _)| name == attribute) {
                Some((_, Change::Add(number))) => *number = sum(number)?,
                Some((_, Change::Set(Value::N(number)))) => *number = sum(number)?,
                Some(_) | None => changes.push((attribute.to_owned(), Change::Add(*difference))),
            }
        }
        StepAction::Check => {
            let changes = vec![(attribute.to_owned(), Change::Add(*difference))];
            step.action = StepAction::Update {
                changes,
                removed: Vec::new(),
            };
        }
        // A deleted item counts nothing.
        StepAction::Delete => {}
    }
    Ok(())
}

/// The item that keeps an aggregate.
struct Target<'c> {
    context: &'c Context<'c>,
    parent: &'c Entity,
    name: String,
    key: Item,
    place: Option<usize>,
}

fn current(context: &Context<'_>, table: &str, key: &Item) -> Result<Option<Item>, ClientError> {
    let input = GetItemInput {
        table_name: Some(table.to_owned()),
        key: Some(Ok(key.clone())),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    let Response::GetItem(output) = context.backend.call(input.into())? else {
        return Err(unexpected());
    };
    Ok(output.item.map(|item| item.to_item()))
}

fn greatest(
    target: &Target<'_>,
    kept: &Kept<'_>,
    old: Option<&Contribution>,
    new: Option<&Contribution>,
    steps: &mut Vec<Step>,
) -> Result<(), ClientError> {
    let aggregate = kept.aggregate;
    let attribute = aggregate.attribute.as_str();
    let counter = aggregate.changes_attribute();
    let is_greater =
        |one: &Value, two: &Value| order(one, two).is_some_and(std::cmp::Ordering::is_gt);
    // The parent is made in the same write: its greatest is among what this write makes.
    if let Some(Step {
        action: StepAction::Put(item),
        ..
    }) = target.place.and_then(|at| steps.get_mut(at))
    {
        if let Some(new) = new
            && item
                .get(attribute)
                .is_none_or(|held| is_greater(&new.value, held))
        {
            item.insert(attribute, new.value.clone());
        }
        item.insert(counter, 1);
        let items = aggregate.items_attribute();
        let held = match item.get(&items) {
            Some(Value::N(number)) => *number,
            _ => Number::from(0_i64),
        };
        let sum = held.checked_add(&more(old, new)).unwrap_or(held);
        item.insert(items, Value::N(sum));
        return Ok(());
    }
    let Some(item) = current(target.context, &target.name, &target.key)? else {
        let Some(new) = new else { return Ok(()) };
        return Err(no_parent(target.parent, &new.parent)
            .error()
            .unwrap_or_else(unexpected));
    };
    let stored = item.get(attribute).cloned();
    let before = target
        .place
        .and_then(|at| steps.get(at))
        .and_then(|step| step.greatest.get(attribute));
    let changed = changed(
        target,
        kept,
        (old, new),
        stored.as_ref(),
        before.cloned().unwrap_or_default(),
    )?;
    let mut next = if changed.lost_greatest {
        search(target, kept, old.is_some(), &changed.gone)?
    } else {
        stored
    };
    for value in &changed.new {
        if next.as_ref().is_none_or(|held| is_greater(value, held)) {
            next = Some(value.clone());
        }
    }
    let (mut changes, mut removed) = (
        vec![(counter.clone(), Change::Add(Number::from(1_i64)))],
        Vec::new(),
    );
    changes.push((aggregate.items_attribute(), Change::Add(more(old, new))));
    match next {
        Some(value) => changes.push((attribute.to_owned(), Change::Set(value))),
        None => removed.push(attribute.to_owned()),
    }
    let as_read = match item.get(&counter) {
        Some(value) => Term::Compare(counter.clone(), Comparator::Equal, value.clone()),
        None => Term::Missing(counter.clone()),
    };
    let partition = table(target.context.model, target.parent)?
        .partition
        .name
        .clone();
    let conditions = vec![Term::Exists(partition), as_read];
    put_together(target, aggregate, (changes, removed), conditions, steps);
    let is_it = |step: &&mut Step| step.table == target.name && step.key == target.key;
    if let Some(step) = steps.iter_mut().find(is_it) {
        step.greatest.insert(attribute.to_owned(), changed);
    }
    Ok(())
}

/// Adds one item's change to those that the write has made before among the items of a maximum.
fn changed(
    target: &Target<'_>,
    kept: &Kept<'_>,
    (old, new): (Option<&Contribution>, Option<&Contribution>),
    stored: Option<&Value>,
    mut changed: Changed,
) -> Result<Changed, ClientError> {
    if let (Some(old), Some(before)) = (old, kept.before) {
        let own = crate::derive::derive(target.context.model, kept.child, before)?;
        changed
            .gone
            .extend(own.into_iter().map(|derived| derived.key));
        changed.lost_greatest |= Some(&old.value) == stored;
    }
    changed.new.extend(new.map(|new| new.value.clone()));
    Ok(changed)
}

/// Adds the change to the step of the same item, if there is one.
fn put_together(
    target: &Target<'_>,
    aggregate: &Aggregate,
    (changes, removed): (Vec<(String, Change)>, Vec<String>),
    conditions: Vec<Term>,
    steps: &mut Vec<Step>,
) {
    let Some(step) = target.place.and_then(|at| steps.get_mut(at)) else {
        steps.push(Step {
            what: format!("max {}.{}", target.parent.name, aggregate.attribute),
            refusal: Refusal::Stale,
            table: target.name.clone(),
            key: target.key.clone(),
            conditions,
            action: StepAction::Update { changes, removed },
            greatest: BTreeMap::new(),
        });
        return;
    };
    match &mut step.action {
        StepAction::Update {
            changes: known,
            removed: gone,
        } => {
            for (name, change) in changes {
                gone.retain(|other| *other != name);
                match known.iter_mut().find(|(other, _)| *other == name) {
                    // The counters have been added to already; what changed since is added too.
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
            for name in removed {
                known.retain(|(other, _)| *other != name);
                if !gone.contains(&name) {
                    gone.push(name);
                }
            }
        }
        StepAction::Check => step.action = StepAction::Update { changes, removed },
        StepAction::Put(_) | StepAction::Delete => return,
    }
    for condition in conditions {
        if !step.conditions.contains(&condition) {
            step.conditions.push(condition);
        }
    }
    // A condition of its own that fails is judged again when the item has been read anew.
    step.refusal = Refusal::Stale;
}

/// The greatest among the items that this write does not change. `leaves` says whether the item at
/// hand was one of them; otherwise it becomes one.
fn search(
    target: &Target<'_>,
    kept: &Kept<'_>,
    leaves: bool,
    gone: &[Item],
) -> Result<Option<Value>, ClientError> {
    let aggregate = kept.aggregate;
    let of_parent = if leaves { kept.before } else { kept.after };
    let (Some(plan), Some(of_parent), Some(of)) = (&aggregate.next, of_parent, &aggregate.of)
    else {
        return Ok(None);
    };
    let child_table = table(target.context.model, kept.child)?;
    let mut arguments = of_parent.clone();
    if let Some((name, text)) = &aggregate.condition
        && let Some(found) = kept.child.attribute(name)
    {
        arguments.insert(name.clone(), value::parse(name, &found.kind, text)?);
    }
    let name = table_name(child_table, kept.child, of_parent)?;
    let is_gone = |item: &Item| {
        gone.iter().any(|key| {
            key.iter()
                .all(|(name, value)| item.get(name) == Some(value))
        })
    };
    // Those that go may be the first ones, and so may be parts of a list, which do not have the
    // attribute.
    let enough = u32::try_from(gone.len())
        .unwrap_or(u32::MAX)
        .saturating_add(1);
    let mut after = None;
    loop {
        let (items, next) = raw_query(
            target.context.backend,
            child_table,
            plan,
            (&name, &arguments),
            after.take(),
            enough,
        )?;
        let found = items
            .iter()
            .filter(|item| !is_gone(item))
            .find_map(|item| item.get(of).cloned());
        match (found, next) {
            (Some(value), _) => return Ok(Some(value)),
            (None, Some(key)) => after = Some(key),
            (None, None) => return Ok(None),
        }
    }
}
