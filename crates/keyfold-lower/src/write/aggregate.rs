//! Aggregates follow the items of a write: counts, sums and maxima that a parent keeps of an
//! entity's items change in the same transaction.
//!
//! A count or a sum is added to, without reading it. A maximum is read and set: `maximum` searches
//! for the next one when its item goes.

use super::context::Context;
use super::contribution::{AggregateChange, Contribution, Target, no_parent};
use super::maximum;
use super::refusal::Refusal;
use super::step::{Draft, EntityChange, RemainingItems, Step, StepAction};
use crate::derive::Place;
use crate::error::ClientError;
use crate::expression::{Change, Term};
use keyfold_model::schema::AggregateKind;
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// All steps of a write: those of its items, and those of the aggregates that follow them.
///
/// # Errors
/// `Refused` when an entity is deleted that still counts items.
pub(super) async fn with_aggregates(
    context: &Context<'_>,
    mut draft: Draft,
) -> Result<Vec<Step>, ClientError> {
    add_aggregates(context, &mut draft).await?;
    Ok(draft.steps)
}

/// Adds the steps of the aggregates that follow the changes so far.
///
/// # Errors
/// Those of [`with_aggregates`].
pub(super) async fn add_aggregates(
    context: &Context<'_>,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    for change in std::mem::take(&mut draft.changes) {
        follow(context, &change, draft).await?;
    }
    let mut remaining = std::mem::take(&mut draft.remaining).into_iter();
    match remaining.find(|one| !one.items.is_zero()) {
        Some(one) => {
            let refused = ClientError::Refused(one.refused);
            Err(refused.at_item("delete", &one.table, &one.key))
        }
        None => Ok(()),
    }
}

/// Adds the steps of the aggregates that follow the change of one entity.
async fn follow(
    context: &Context<'_>,
    change: &EntityChange,
    draft: &mut Draft,
) -> Result<(), ClientError> {
    let Some(entity) = context.model.entity(&change.entity) else {
        return Ok(());
    };
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    for (parent, aggregate) in context.model.aggregates_of(entity) {
        let old = before.and_then(|values| Contribution::of(aggregate, values));
        let new = after.and_then(|values| Contribution::of(aggregate, values));
        let of_parent = |old, new| AggregateChange {
            context,
            parent,
            aggregate,
            child: entity,
            before,
            after,
            old,
            new,
        };
        match (&old, &new) {
            (Some(old), Some(new)) if old.parent == new.parent => {
                if old.value != new.value {
                    apply(&of_parent(Some(old), Some(new)), draft).await?;
                }
            }
            (old, new) => {
                if let Some(old) = old {
                    apply(&of_parent(Some(old), None), draft).await?;
                }
                if let Some(new) = new {
                    apply(&of_parent(None, Some(new)), draft).await?;
                }
            }
        }
    }
    Ok(())
}

/// Adds the step of one parent, or changes the step that the parent has already.
async fn apply(change: &AggregateChange<'_>, draft: &mut Draft) -> Result<(), ClientError> {
    let Some(key) = change.parent_key() else {
        return Ok(());
    };
    let place = Place::of(change.context.model, change.parent, key)?;
    let step = draft.position_of(&place.table_name, &place.key);
    if let Some(step) = step.and_then(|at| draft.steps.get(at))
        && matches!(step.action, StepAction::Delete)
    {
        return subtract_remaining(change, &place, &step.label, &mut draft.remaining);
    }
    let target = Target { place, step };
    match change.aggregate.kind {
        AggregateKind::Max => maximum::follow(change, &target, &mut draft.steps).await,
        AggregateKind::Count | AggregateKind::Sum => add(change, target, &mut draft.steps).await,
    }
}

/// Subtracts an item that is deleted together with its parent from the parent's remaining items.
fn subtract_remaining(
    change: &AggregateChange<'_>,
    place: &Place<'_>,
    label: &str,
    remaining: &mut [RemainingItems],
) -> Result<(), ClientError> {
    let counter = change.aggregate.items_attribute();
    let added = change.items_added();
    if !added.is_negative() && !added.is_zero() {
        return Err(ClientError::refused(format!(
            "`{label}` in the same write: {} cannot follow",
            change.aggregate.attribute
        )));
    }
    let of_parent = remaining.iter_mut().find(|one| {
        one.table == place.table_name && one.key == place.key && one.counter == counter
    });
    if let Some(one) = of_parent {
        one.items = one.items.checked_add(&added).unwrap_or(one.items);
    }
    Ok(())
}

/// Adds the difference to a count or a sum.
async fn add(
    change: &AggregateChange<'_>,
    target: Target<'_>,
    steps: &mut Vec<Step>,
) -> Result<(), ClientError> {
    let (parent, aggregate) = (change.parent, change.aggregate);
    let attribute = &aggregate.attribute;
    let mut added = vec![(attribute.clone(), difference(change)?)];
    if aggregate.kind == AggregateKind::Sum {
        added.push((aggregate.items_attribute(), change.items_added()));
    }
    let label = format!("{} {}.{attribute}", aggregate.kind.word(), parent.name);
    if let Some(step) = target.step.and_then(|at| steps.get_mut(at)) {
        let is_check = matches!(step.action, StepAction::Check);
        for (attribute, difference) in &added {
            add_to_step(step, attribute, difference)?;
        }
        if is_check {
            step.label = format!("{}, {label}", step.label);
        }
        return Ok(());
    }
    let place = target.place;
    let refusal = match change.new {
        Some(new) => Refusal::NotFound(no_parent(parent, &new.parent)),
        // The parent may be deleted before the items that it counts.
        None if change
            .context
            .get(&place.table_name, &place.key)
            .await?
            .is_none() =>
        {
            return Ok(());
        }
        None => Refusal::Stale,
    };
    let changes = added
        .into_iter()
        .map(|(name, number)| (name, Change::Add(number)))
        .collect();
    steps.push(Step {
        label,
        refusal,
        conditions: vec![Term::Exists(place.table.partition.name.clone())],
        table: place.table_name,
        key: place.key,
        action: StepAction::Update {
            changes,
            removed: Vec::new(),
        },
        maxima: BTreeMap::new(),
    });
    Ok(())
}

/// The new contribution minus the old one.
fn difference(change: &AggregateChange<'_>) -> Result<Number, ClientError> {
    let amount = |one: Option<&Contribution>| match one.map(|one| &one.value) {
        Some(Value::N(number)) => *number,
        _ => Number::from(0_i64),
    };
    let difference = amount(change.new).checked_sub(&amount(change.old));
    difference.map_err(|error| {
        ClientError::refused(format!(
            "{}.{} would leave DynamoDB's numbers: {error}",
            change.parent.name, change.aggregate.attribute
        ))
    })
}

/// Adds to a number that another step of the same write sets or changes.
fn add_to_step(step: &mut Step, attribute: &str, difference: &Number) -> Result<(), ClientError> {
    let sum = |number: &Number| {
        number.checked_add(difference).map_err(|error| {
            ClientError::refused(format!(
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
                Some((_, Change::Add(number) | Change::Set(Value::N(number)))) => {
                    *number = sum(number)?;
                }
                Some(_) | None => changes.push((attribute.to_owned(), Change::Add(*difference))),
            }
        }
        StepAction::Check => {
            step.action = StepAction::Update {
                changes: vec![(attribute.to_owned(), Change::Add(*difference))],
                removed: Vec::new(),
            };
        }
        // A deleted item keeps no aggregate.
        StepAction::Delete => {}
    }
    Ok(())
}
