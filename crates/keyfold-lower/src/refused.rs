//! Why a write is refused, or an item is not found: a sentence for people, and the parts that a program
//! acts on.

use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// A refusal of a write, or of a read of an item that must exist. Parts that are not known, or that no
/// single item is at fault for, are `None` and empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct Refused {
    /// The sentence.
    pub message: String,
    /// The conditions of the write that do not hold, as the model has them, with the values of their
    /// parameters.
    pub conditions: Option<String>,
    /// The action of the write in words: `put Order`, `update Account as from`.
    pub action: Option<String>,
    /// The number of the write of a transaction, from 0.
    pub write: Option<usize>,
    /// The entity that the refusal is about.
    pub entity: Option<String>,
    /// The attributes that identify it.
    pub id: BTreeMap<String, Value>,
    /// The table of the item.
    pub table: Option<String>,
    /// The key of the item.
    pub key: Item,
}

impl Refused {
    /// A refusal that is a sentence.
    pub(crate) fn because(message: impl Into<String>) -> Refused {
        Refused {
            message: message.into(),
            ..Refused::default()
        }
    }

    /// Adds the action and the item of a step, where the refusal has none.
    pub(crate) fn locate(&mut self, action: &str, table: &str, key: &Item) {
        self.action.get_or_insert_with(|| action.to_owned());
        if self.table.is_none() {
            self.table = Some(table.to_owned());
            self.key.clone_from(key);
        }
    }

    /// The refusal in the words of the write of a transaction that it is of, and its number.
    pub(crate) fn of_write(self, message: String, number: usize) -> Box<Refused> {
        Box::new(Refused {
            message,
            write: Some(number),
            ..self
        })
    }
}
