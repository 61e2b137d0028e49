//! Two steps of one item, of two writes in one transaction: DynamoDB takes one action for each item.
//! They become one where that has the outcome of the first write and then the second; otherwise they
//! cannot be in one transaction.
//!
//! A later step sees the item as it was before the transaction. That is the same as behind the
//! earlier step where it reads nothing that the earlier one writes: no condition and no operand of it
//! is such an attribute. Both may add to the same number.
//!
//! The guard of a unique value that one item gives away and another takes is put over: of the deletion
//! and the put that must find no guard, the outcome is the put.

use super::refusal::Refusal;
use super::step::{RemainingItems, Step, StepAction};
use crate::bound::Bound;
use crate::error::ClientError;
use crate::expression::{Change, Term};
use crate::lookup::Spot;
use keyfold_model::schema::Path;
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Puts a later step of the same item into an earlier one. `remaining` are the items that the later
/// write leaves counted. Returns whether that is possible; if not, the earlier step may be changed in
/// part.
pub(super) fn join(earlier: &mut Step, later: Step, remaining: &mut [RemainingItems]) -> bool {
    if is_given_guard(earlier) && is_taken_guard(&later) {
        *earlier = over(later);
        return true;
    }
    let Some(refusal) = refusal_of(earlier, &later) else {
        return false;
    };
    let is_possible = match (&mut earlier.action, &later.action) {
        (StepAction::Check, _) => true,
        (
            StepAction::Update { changes, removed },
            StepAction::Update { .. } | StepAction::Check,
        ) => {
            let reads = reads_of(&later.conditions, &later.action);
            reads.iter().all(|name| !is_written(changes, removed, name))
                && add_changes(changes, removed, &later.action)
        }
        (StepAction::Update { changes, removed }, StepAction::Delete) => {
            subtract(changes, &later, remaining)
                && reads_of(&later.conditions, &later.action)
                    .iter()
                    .filter(|name| !is_counter(&later, remaining, name))
                    .all(|name| !is_written(changes, removed, name))
        }
        (StepAction::Update { .. }, StepAction::Put(_))
        | (StepAction::Put(_) | StepAction::Delete, _) => false,
    };
    if !is_possible {
        return false;
    }
    for condition in later.conditions {
        if !earlier.conditions.contains(&condition) {
            earlier.conditions.push(condition);
        }
    }
    match (&earlier.action, later.action) {
        (StepAction::Update { .. }, StepAction::Update { .. }) | (_, StepAction::Check) => {}
        (StepAction::Check, action) => {
            earlier.action = action;
            earlier.label = format!("{}, {}", earlier.label, later.label);
        }
        (_, action) => {
            earlier.action = action;
            earlier.label = later.label;
        }
    }
    earlier.refusal = refusal;
    true
}

/// Makes one step of the deletion and the put of each guard whose value one item of a write gives away
/// and another takes, in whichever order: the actions of a write happen together.
///
/// # Errors
/// `Taken` where two items take one value.
pub(super) fn hand_over(steps: &mut Vec<Step>) -> Result<(), ClientError> {
    let mut takers: BTreeMap<Spot<'_>, usize> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        if is_taken_guard(step) && takers.insert(step.spot(), at).is_some() {
            return Err(taken(step));
        }
    }
    let all = steps.iter().enumerate();
    let given = all.filter(|(_, step)| is_given_guard(step));
    let met = given.filter_map(|(at, step)| Some((at, *takers.get(&step.spot())?)));
    let (given, takers): (BTreeSet<usize>, BTreeSet<usize>) = met.unzip();
    let all = std::mem::take(steps).into_iter().enumerate();
    let left = all.filter(|(at, _)| !given.contains(at));
    steps.extend(left.map(|(at, step)| {
        if takers.contains(&at) {
            over(step)
        } else {
            step
        }
    }));
    Ok(())
}

/// Puts the guard of a value over the one that a later write gives away, if that is what the two steps are:
/// the later one is not needed then.
pub(super) fn hands_over(taken: &mut Step, given: &Step) -> bool {
    let is_handed = is_taken_guard(taken) && is_given_guard(given);
    if is_handed {
        *taken = over(taken.clone());
    }
    is_handed
}

/// Whether a step deletes an item without a condition of its own, as the guard of a value that its
/// item gives away. The deletion rests on the item being as it was read.
fn is_given_guard(step: &Step) -> bool {
    matches!(step.action, StepAction::Delete) && step.conditions.is_empty()
}

/// Whether a step puts the guard of a value that an item takes.
fn is_taken_guard(step: &Step) -> bool {
    matches!(step.action, StepAction::Put(_)) && matches!(step.refusal, Refusal::Taken(..))
}

/// The put of a guard over the one that is given away. It holds nothing of its item, so that it is the
/// same one; it is put, and not checked, since an item of another program may lack it.
fn over(taken: Step) -> Step {
    Step {
        conditions: Vec::new(),
        refusal: Refusal::None,
        ..taken
    }
}

/// The error of an item that takes a unique value which another one takes in the same transaction.
pub(super) fn taken_twice(earlier: &Step, later: &Step) -> Option<ClientError> {
    let is_put = matches!(earlier.action, StepAction::Put(_));
    (is_put && is_taken_guard(later)).then(|| taken(later))
}

fn taken(step: &Step) -> ClientError {
    let error = step.refusal.error(true);
    let error = error.unwrap_or_else(|| ClientError::refused(format!("{} twice", step.label)));
    error.at_item(&step.label, &step.table, &step.key)
}

/// The meaning of a failed condition of both steps; `None` where it is not known which of the two it
/// has.
fn refusal_of(earlier: &Step, later: &Step) -> Option<Refusal> {
    let needs_existence_only = |step: &Step| {
        let mut conditions = step.conditions.iter();
        conditions.all(|one| matches!(one, Term::Exists(_)))
    };
    match (&earlier.refusal, &later.refusal) {
        (Refusal::None, other) | (other, Refusal::None) => Some(other.clone()),
        (Refusal::Stale, Refusal::Stale) => Some(Refusal::Stale),
        // Both steps find an item that has gone, and the other one says so.
        (Refusal::Stale, other) if needs_existence_only(earlier) => Some(other.clone()),
        (other, Refusal::Stale) if needs_existence_only(later) => Some(other.clone()),
        // The write that read the item reads it again, and says that it has gone.
        (Refusal::Stale, _) if needs_existence_only(later) => Some(Refusal::Stale),
        (_, Refusal::Stale) if needs_existence_only(earlier) => Some(Refusal::Stale),
        (Refusal::Stale, _) | (_, Refusal::Stale) => None,
        (one, other) => Some(Refusal::joined(one, other)),
    }
}

/// The attributes that a step reads.
fn reads_of<'s>(conditions: &'s [Term], action: &'s StepAction) -> Vec<&'s str> {
    let mut names = Vec::new();
    for condition in conditions {
        match condition {
            Term::Exists(name) | Term::Missing(name) | Term::Equal(name, _) => names.push(&**name),
            Term::Condition(bound) => add_bound(bound, &mut names),
        }
    }
    if let StepAction::Update { changes, .. } = action {
        for (_, change) in changes {
            add_operands(change, &mut names);
        }
    }
    names
}

fn add_bound<'s>(bound: &'s Bound, names: &mut Vec<&'s str>) {
    match bound {
        Bound::Is(test) => names.extend(test.paths().map(|path| path.attribute.as_str())),
        Bound::Not(member) => add_bound(member, names),
        Bound::All(members) | Bound::Any(members) => {
            members.iter().for_each(|member| add_bound(member, names));
        }
    }
}

/// Adds the attributes whose values a change takes, beside the one that it writes.
fn add_operands<'s>(change: &'s Change, names: &mut Vec<&'s str>) {
    match change {
        Change::Attribute(path) => names.push(&path.attribute),
        Change::Sum(left, right) | Change::Difference(left, right) => {
            add_operands(left, names);
            add_operands(right, names);
        }
        Change::Field(_, inner) => add_operands(inner, names),
        Change::Set(_)
        | Change::First(_)
        | Change::Add(_)
        | Change::Append(_)
        | Change::Prepend(_)
        | Change::Include(_)
        | Change::Exclude(_) => {}
    }
}

fn is_written(changes: &[(String, Change)], removed: &[Path], name: &str) -> bool {
    changes.iter().any(|(written, _)| written == name)
        || removed.iter().any(|path| path.attribute == name)
}

/// Adds the changes of a later update to those of an earlier one. Returns whether they write different
/// attributes, or add to the same ones.
fn add_changes(
    changes: &mut Vec<(String, Change)>,
    removed: &mut Vec<Path>,
    later: &StepAction,
) -> bool {
    let StepAction::Update {
        changes: more,
        removed: also,
    } = later
    else {
        return true;
    };
    if also
        .iter()
        .any(|path| is_written(changes, removed, &path.attribute))
    {
        return false;
    }
    for (name, change) in more {
        let known = changes.iter_mut().find(|(written, _)| written == name);
        match (known, change) {
            (Some((_, Change::Add(number))), Change::Add(added)) => {
                let Ok(sum) = number.checked_add(added) else {
                    return false;
                };
                *number = sum;
            }
            (Some(_), _) => return false,
            (None, _) if removed.iter().any(|path| path.attribute == *name) => return false,
            (None, change) => changes.push((name.clone(), change.clone())),
        }
    }
    removed.extend(also.iter().cloned());
    true
}

/// Adds what an earlier write adds to the counters of a deleted item. Returns whether it does nothing
/// else with them.
fn subtract(
    changes: &[(String, Change)],
    deleted: &Step,
    remaining: &mut [RemainingItems],
) -> bool {
    let of_item = remaining.iter_mut();
    for one in of_item.filter(|one| deleted.is_at(&one.table, &one.key)) {
        match changes.iter().find(|(name, _)| *name == one.counter) {
            None => {}
            Some((_, Change::Add(number))) => match one.items.checked_add(number) {
                Ok(items) => one.items = items,
                Err(_) => return false,
            },
            Some(_) => return false,
        }
    }
    true
}

/// Whether an attribute counts the items of a deleted one, and nothing else is judged on it. The
/// condition that it is as it was read holds before the transaction, and not behind the earlier write.
fn is_counter(deleted: &Step, remaining: &[RemainingItems], name: &str) -> bool {
    let mut of_item = remaining.iter();
    of_item.any(|one| deleted.is_at(&one.table, &one.key) && one.counter == name && !one.is_judged)
}

/// The item of a step, for people: `Shop (PK = USER#1, SK = A)`.
pub(super) fn place(step: &Step) -> String {
    place_of(&step.table, &step.key)
}

/// An item by its table and key, for people: `Shop (PK = USER#1, SK = A)`.
pub(super) fn place_of(table: &str, key: &Item) -> String {
    let shown = |(name, value): (&String, &Value)| {
        format!("{name} = {}", keyfold_model::value::display(value))
    };
    let key: Vec<String> = key.iter().map(shown).collect();
    format!("{table} ({})", key.join(", "))
}
