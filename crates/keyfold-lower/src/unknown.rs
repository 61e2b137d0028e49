//! Items that the model does not know: another program wrote them.

use crate::printed::print;
use crate::sums::without_sum;
use keyfold_model::{Entity, Table};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// What becomes of an item that the model does not know: of another kind, without an attribute that it
/// must have, or with a value of another type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnUnknown {
    /// It is an error.
    #[default]
    Error,
    /// It is left out.
    Skip,
}

/// An item that the model does not know: it was not written through the model. Parts that are not
/// known, or that no single item is at fault for, are `None` and empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[non_exhaustive]
#[error("{message}")]
pub struct UnknownItem {
    /// The sentence.
    pub message: String,
    /// The entity, or the copy, whose key the item has.
    pub entity: Option<String>,
    /// The attributes that identify the entity, where they are known and the key is not.
    pub id: BTreeMap<String, Value>,
    /// The key of the item.
    pub key: Item,
    /// The attribute that is wrong or missing, with the path to a nested value.
    pub attribute: Option<String>,
}

impl UnknownItem {
    /// An item that no kind fits, or several that do not belong together.
    pub fn because(message: impl Into<String>) -> UnknownItem {
        UnknownItem {
            message: message.into(),
            ..UnknownItem::default()
        }
    }

    /// The same with the key of the item.
    #[must_use]
    pub fn at(self, key: Item) -> UnknownItem {
        UnknownItem { key, ..self }
    }

    /// The same about an attribute of an entity or a copy.
    #[must_use]
    pub fn of(self, entity: &str, attribute: &str) -> UnknownItem {
        UnknownItem {
            entity: Some(entity.to_owned()),
            attribute: Some(attribute.to_owned()),
            ..self
        }
    }

    /// The same with the attributes that identify the entity.
    #[must_use]
    pub fn identified(self, id: BTreeMap<String, Value>) -> UnknownItem {
        UnknownItem { id, ..self }
    }
}

/// Why an attribute of an item is not as the model writes it: the end of a sentence.
pub fn unwritten(entity: &Entity, item: &Item, attribute: &str) -> String {
    let by_whom = match entity.view {
        None => "it was not written through the model, or by an earlier version of it",
        // The rest of the row, which may say it, may not have been read.
        Some(_) => "`keyfold verify` says why",
    };
    without_sum(item, attribute).unwrap_or_else(|| by_whom.to_owned())
}

/// The key attributes of an item.
pub fn key_of(table: &Table, item: &Item) -> Item {
    let mut key = Item::new();
    for column in table.columns() {
        if let Some(held) = item.get(&column.name) {
            key.insert(column.name.as_str(), held.clone());
        }
    }
    key
}

/// The key attributes of an item, for people.
pub fn shown_key(table: &Table, item: &Item) -> String {
    let held = table
        .columns()
        .filter_map(|column| Some((&column.name, item.get(&column.name)?)));
    let shown = held.map(|(name, value)| print(name, " = ", value));
    shown.collect::<Vec<_>>().join(", ")
}

/// All attributes of an item, for people.
pub fn shown_item(item: &Item) -> String {
    let shown = item.iter().map(|(name, value)| print(name, " = ", value));
    shown.collect::<Vec<_>>().join(", ")
}
