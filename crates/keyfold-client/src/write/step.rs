//! One changed item of a write: what is done, what must hold, and how to say that it did not.

use crate::arguments::Values;
use crate::derive::{Derived, Role};
use crate::error::ClientError;
use crate::expression::{Change, Placeholders, Term};
use keyfold_api::{ConditionCheck, TransactDelete, TransactPut, TransactUpdate, TransactWriteItem};
use keyfold_model::{Entity, Table};
use keyfold_types::{Item, Number, Value};
use std::collections::BTreeMap;

/// A write as it is put together: its steps, and what aggregates have to follow when all of them
/// are known.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) steps: Vec<Step>,
    /// Items that go from old to new attributes.
    pub(super) moved: Vec<Moved>,
    /// The items that deleted ones still count.
    pub(super) left: Vec<Left>,
}

/// An item of an entity that goes from `before` to `after`.
#[derive(Debug)]
pub(super) struct Moved {
    pub(super) entity: String,
    pub(super) before: Option<Values>,
    pub(super) after: Option<Values>,
}

/// The items that an aggregate of a deleted item counts: they must go in the same write.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) table: String,
    pub(super) key: Item,
    pub(super) counter: String,
    pub(super) items: Number,
    /// The sentence of the refusal.
    pub(super) reason: String,
}

impl Draft {
    pub(super) fn push(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Aggregates follow at the end, when every item of the write has its step.
    pub(super) fn moves(
        &mut self,
        entity: &Entity,
        before: Option<&Values>,
        after: Option<&Values>,
    ) {
        self.moved.push(Moved {
            entity: entity.name.clone(),
            before: before.cloned(),
            after: after.cloned(),
        });
    }
}

/// One action of a write.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// For people: `put Order`.
    pub(super) what: String,
    pub(super) refusal: Refusal,
    pub(super) table: String,
    pub(super) key: Item,
    pub(super) conditions: Vec<Term>,
    pub(super) action: StepAction,
    /// Changes of this write among the items of a maximum that is kept here, by its attribute.
    pub(super) greatest: BTreeMap<String, Changed>,
}

/// The changes of one write among the items of a maximum.
#[derive(Debug, Clone, Default)]
pub(super) struct Changed {
    /// The keys of items that are not what they were: they are no next greatest.
    pub(super) gone: Vec<Item>,
    /// The values of items that are there then.
    pub(super) new: Vec<Value>,
    /// Whether one of those that are gone was the greatest.
    pub(super) lost_greatest: bool,
}

#[derive(Debug, Clone)]
pub(super) enum StepAction {
    Put(Item),
    Update {
        changes: Vec<(String, Change)>,
        removed: Vec<String>,
    },
    Delete,
    Check,
}

/// The meaning of a condition that does not hold.
#[derive(Debug, Clone)]
pub(super) enum Refusal {
    /// There is none.
    None,
    /// Another writer was faster: read and try again.
    Stale,
    /// The write is not possible.
    Because(String),
    /// An item that must be there is not.
    NotFound(String),
    /// A unique value is another item's: the attributes, and the sentence.
    Taken(Vec<String>, String),
}

impl Refusal {
    /// The caller's error; none where it is no fault of the request.
    pub(super) fn error(&self) -> Option<ClientError> {
        match self {
            Refusal::Because(reason) => Some(ClientError::Refused(reason.clone())),
            Refusal::NotFound(reason) => Some(ClientError::NotFound(reason.clone())),
            Refusal::Taken(attributes, message) => Some(ClientError::Taken {
                attributes: attributes.clone(),
                message: message.clone(),
            }),
            Refusal::None | Refusal::Stale => None,
        }
    }
}

impl Step {
    /// The put of an item; of one that must not exist if `new`.
    pub(super) fn put(
        table: &Table,
        entity: &Entity,
        derived: Derived,
        new: bool,
        refusal: Refusal,
    ) -> Step {
        let conditions = if new {
            vec![Term::Missing(table.partition.name.clone())]
        } else {
            Vec::new()
        };
        Step {
            what: format!("put {}", describe(entity, &derived.role)),
            refusal,
            table: derived.table,
            key: derived.key,
            conditions,
            action: StepAction::Put(derived.item),
            greatest: BTreeMap::new(),
        }
    }

    pub(super) fn delete(entity: &Entity, derived: &Derived) -> Step {
        Step {
            what: format!("delete {}", describe(entity, &derived.role)),
            refusal: Refusal::None,
            table: derived.table.clone(),
            key: derived.key.clone(),
            conditions: Vec::new(),
            action: StepAction::Delete,
            greatest: BTreeMap::new(),
        }
    }

    /// The request's form.
    pub(super) fn lower(self) -> TransactWriteItem {
        let table_name = Some(self.table);
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
                    ..TransactPut::default()
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
                    ..TransactUpdate::default()
                });
            }
            StepAction::Delete => {
                let condition_expression = made.terms(&self.conditions);
                item.delete = Some(TransactDelete {
                    table_name,
                    key: Some(Ok(self.key)),
                    condition_expression,
                    expression_attributes: made.finish(),
                    ..TransactDelete::default()
                });
            }
            StepAction::Check => {
                let condition_expression = made.terms(&self.conditions);
                item.condition_check = Some(ConditionCheck {
                    table_name,
                    key: Some(Ok(self.key)),
                    condition_expression,
                    expression_attributes: made.finish(),
                    ..ConditionCheck::default()
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
    }
}
