//! The contributions of items to an aggregate of another entity, before and after a change.

use super::context::Context;
use super::refusal::of_entity;
use crate::arguments::Values;
use crate::derive::Place;
use crate::refused::Refused;
use keyfold_model::schema::Aggregate;
use keyfold_model::value::Attributes;
use keyfold_model::{Entity, value};
use keyfold_types::{Number, Value};
use std::borrow::Cow;

/// The contribution of an item to an aggregate.
pub struct Contribution {
    /// The key attributes of the parent, which keeps the aggregate.
    pub parent: Values,
    /// The number that is added, or the value that may be the greatest.
    pub value: Value,
}

impl Contribution {
    /// The contribution of an item with these values; `None` when it is not in the aggregate.
    pub fn of(aggregate: &Aggregate, values: &impl Attributes) -> Option<Contribution> {
        let value = Contribution::value(aggregate, values)?;
        let parent = Contribution::parent(aggregate, values)?;
        Some(Contribution { parent, value })
    }

    /// The key attributes of the parent of an item with these values; `None` when one is missing.
    pub fn parent(aggregate: &Aggregate, values: &impl Attributes) -> Option<Values> {
        let parent = aggregate
            .link
            .iter()
            .map(|(field, name)| Some((field.clone(), values.value(name)?.into_owned())));
        parent.collect()
    }

    /// What an item with these values adds to its parent; `None` when it is not in the aggregate.
    pub fn value(aggregate: &Aggregate, values: &impl Attributes) -> Option<Value> {
        if let Some((attribute, wanted)) = &aggregate.condition {
            let held = values.value(attribute)?;
            if value::display(&held) != *wanted {
                return None;
            }
        }
        match &aggregate.of {
            None => Some(Value::from(1)),
            Some(of) => values.value(of).map(Cow::into_owned),
        }
    }
}

/// The change of one aggregate of one parent, which follows from the change of one item.
pub(super) struct AggregateChange<'k> {
    pub(super) context: &'k Context<'k>,
    /// The entity that keeps the aggregate.
    pub(super) parent: &'k Entity,
    pub(super) aggregate: &'k Aggregate,
    /// The entity of the item that changes.
    pub(super) child: &'k Entity,
    /// The attributes of the item before and after the change.
    pub(super) before: Option<&'k Values>,
    pub(super) after: Option<&'k Values>,
    /// The contribution that this parent loses.
    pub(super) old: Option<&'k Contribution>,
    /// The contribution that this parent gains.
    pub(super) new: Option<&'k Contribution>,
}

impl AggregateChange<'_> {
    /// The key attributes of the parent.
    pub(super) fn parent_key(&self) -> Option<&Values> {
        self.old.or(self.new).map(|one| &one.parent)
    }

    /// The difference in the number of items: -1, 0 or 1.
    pub(super) fn items_added(&self) -> Number {
        Number::from(i64::from(self.new.is_some()) - i64::from(self.old.is_some()))
    }
}

/// The item that keeps an aggregate.
pub(super) struct Target<'m> {
    pub(super) place: Place<'m>,
    /// The index of the step of the same write that changes this item.
    pub(super) step: Option<usize>,
}

/// The refusal of a write whose parent does not exist.
pub(super) fn no_parent(parent: &Entity, key: &Values) -> Box<Refused> {
    let shown: Vec<String> = key
        .iter()
        .map(|(name, held)| format!("{name} = {}", value::shown(held)))
        .collect();
    let message = format!("there is no {} with {}", parent.name, shown.join(", "));
    of_entity(parent, key, message)
}
