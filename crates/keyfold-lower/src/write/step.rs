//! The steps of a write: one changed item each, with its action, its conditions and the refusal
//! when they fail.

use super::lacking::Unread;
use super::refusal::Refusal;
use crate::arguments::Values;
use crate::derive::{Derived, Role};
use crate::expression::{Change, Placeholders, Term};
use crate::lookup::{Placed, Spot};
use crate::refused::Refused;
use keyfold_api::{
    ConditionCheck, ReturnValuesOnConditionCheckFailure, TransactDelete, TransactPut,
    TransactUpdate, TransactWriteItem,
};
use keyfold_model::schema::Path;
use keyfold_model::{Entity, Table};
use keyfold_types::{Item, Number, Value};
use std::collections::BTreeMap;

/// A write that is being composed. Aggregates follow once all of its steps are known.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) steps: Vec<Step>,
    /// The entities that the steps change.
    pub(super) changes: Vec<EntityChange>,
    /// The items that aggregates of deleted entities still count.
    pub(super) remaining: Vec<RemainingItems>,
    /// The updates of items that are not read before.
    pub(super) unread: Vec<Unread>,
    /// The first positions of the steps by their places, of as many steps as it has seen.
    places: BTreeMap<Placed, usize>,
    seen: usize,
}

/// The change of an entity from `before` to `after`; one of them is `None` when it is created or
/// deleted.
#[derive(Debug)]
pub(super) struct EntityChange {
    pub(super) entity: String,
    pub(super) before: Option<Values>,
    pub(super) after: Option<Values>,
}

/// The items that one aggregate of a deleted entity counts. The same write must delete them too.
#[derive(Debug)]
pub(super) struct RemainingItems {
    pub(super) table: String,
    pub(super) key: Item,
    /// The attribute that holds the number of items.
    pub(super) counter: String,
    pub(super) items: Number,
    /// Whether a condition of the deletion is judged on the counter.
    pub(super) is_judged: bool,
    /// The refusal.
    pub(super) refused: Box<Refused>,
}

impl Draft {
    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// The position of the first step that changes the item with this key. Steps are added, and never
    /// taken out.
    pub(super) fn position_of(&mut self, table: &str, key: &Item) -> Option<usize> {
        for (at, step) in self.steps.iter().enumerate().skip(self.seen) {
            let place = Placed(step.table.clone(), step.key.clone());
            self.places.entry(place).or_insert(at);
        }
        self.seen = self.steps.len();
        let place = Placed(table.to_owned(), key.clone());
        self.places.get(&place).copied()
    }

    /// Records a change of an entity, for the aggregates that follow it.
    pub(super) fn record_change(
        &mut self,
        entity: &Entity,
        before: Option<&Values>,
        after: Option<&Values>,
    ) {
        self.changes.push(EntityChange {
            entity: entity.name.clone(),
            before: before.cloned(),
            after: after.cloned(),
        });
    }
}

/// One action of a write.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The step for people: `put Order`.
    pub(super) label: String,
    pub(super) refusal: Refusal,
    pub(super) table: String,
    pub(super) key: Item,
    pub(super) conditions: Vec<Term>,
    pub(super) action: StepAction,
    /// By attribute of a maximum that this item keeps: the changes of this write among its items.
    pub(super) maxima: BTreeMap<String, MaximumChange>,
}

/// The changes of one write among the items of a maximum.
#[derive(Debug, Clone, Default)]
pub(super) struct MaximumChange {
    /// The keys of changed and deleted items: the search for the next maximum skips them.
    pub(super) removed: Vec<Item>,
    /// The values of the items after the write.
    pub(super) added: Vec<Value>,
    /// Whether one of the removed items held the maximum.
    pub(super) lost_maximum: bool,
}

#[derive(Debug, Clone)]
pub(super) enum StepAction {
    Put(Item),
    Update {
        changes: Vec<(String, Change)>,
        removed: Vec<Path>,
    },
    Delete,
    Check,
}

impl Step {
    /// Puts an item, whether one exists or not.
    pub(super) fn put(entity: &Entity, derived: Derived) -> Step {
        Step {
            label: format!("put {}", describe(entity, &derived.role)),
            refusal: Refusal::None,
            table: derived.table,
            key: derived.key,
            conditions: Vec::new(),
            action: StepAction::Put(derived.item),
            maxima: BTreeMap::new(),
        }
    }

    /// Puts an item that must not exist.
    pub(super) fn put_new(
        table: &Table,
        entity: &Entity,
        derived: Derived,
        exists: Refusal,
    ) -> Step {
        let absent = Term::Missing(table.partition.name.clone());
        Step {
            conditions: vec![absent],
            refusal: exists,
            ..Step::put(entity, derived)
        }
    }

    /// Deletes an item.
    pub(super) fn delete(entity: &Entity, derived: &Derived) -> Step {
        Step {
            label: format!("delete {}", describe(entity, &derived.role)),
            refusal: Refusal::None,
            table: derived.table.clone(),
            key: derived.key.clone(),
            conditions: Vec::new(),
            action: StepAction::Delete,
            maxima: BTreeMap::new(),
        }
    }

    /// The step under these conditions, which fail when another writer was faster.
    pub(super) fn unless_stale(self, conditions: Vec<Term>) -> Step {
        Step {
            conditions,
            refusal: Refusal::Stale,
            ..self
        }
    }

    /// The table and key of its item.
    pub(super) fn item(&self) -> (String, Item) {
        (self.table.clone(), self.key.clone())
    }

    /// The table and key of its item, to look it up.
    pub(super) fn spot(&self) -> Spot<'_> {
        Spot(&self.table, &self.key)
    }

    /// Whether the step changes the item with this key.
    pub(super) fn is_at(&self, table: &str, key: &Item) -> bool {
        self.table == table && self.key == *key
    }

    /// The step as an action of a transaction.
    pub(super) fn lower(self) -> TransactWriteItem {
        let table_name = Some(self.table);
        // The error then shows whether the item is stored.
        let is_by_item = matches!(self.refusal, Refusal::ByItem(_));
        let on_failure = is_by_item.then(|| ReturnValuesOnConditionCheckFailure::AllOld.into());
        let mut made = Placeholders::default();
        let mut item = TransactWriteItem::default();
        match self.action {
            StepAction::Put(put) => {
                let condition_expression = made.terms(&self.conditions);
                item.put = Some(TransactPut {
                    table_name,
                    item: Some(Ok(put)),
                    condition_expression,
                    expression_attributes: made.finish(),
                    return_values_on_condition_check_failure: on_failure,
                });
            }
            StepAction::Update { changes, removed } => {
                let update_expression = Some(made.changes(&changes, &removed));
                let condition_expression = made.terms(&self.conditions);
                item.update = Some(TransactUpdate {
                    table_name,
                    key: Some(Ok(self.key)),
                    update_expression,
                    condition_expression,
                    expression_attributes: made.finish(),
                    return_values_on_condition_check_failure: on_failure,
                });
            }
            StepAction::Delete => {
                let condition_expression = made.terms(&self.conditions);
                item.delete = Some(TransactDelete {
                    table_name,
                    key: Some(Ok(self.key)),
                    condition_expression,
                    expression_attributes: made.finish(),
                    return_values_on_condition_check_failure: on_failure,
                });
            }
            StepAction::Check => {
                let condition_expression = made.terms(&self.conditions);
                item.condition_check = Some(ConditionCheck {
                    table_name,
                    key: Some(Ok(self.key)),
                    condition_expression,
                    expression_attributes: made.finish(),
                    return_values_on_condition_check_failure: on_failure,
                });
            }
        }
        item
    }
}

fn describe(entity: &Entity, role: &Role) -> String {
    match role {
        Role::Main => entity.name.clone(),
        Role::Part(number) => format!("part {number} of {}", entity.name),
        Role::Copy(name) => format!("{}.{name}", entity.name),
        Role::Guard(attributes) => format!("the guard of {}", attributes.join(", ")),
        Role::IdGuard => format!("the guard of {}", entity.id.join(", ")),
    }
}
