//! The key schema of a table or an index.

use crate::item::Item;
use crate::value::{Value, ValueKind};

/// The type of a key attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
}

impl KeyKind {
    /// The type descriptor of the API.
    pub fn descriptor(self) -> &'static str {
        self.value_kind().descriptor()
    }

    /// The kind of the values that a key attribute of this type accepts.
    pub fn value_kind(self) -> ValueKind {
        match self {
            KeyKind::S => ValueKind::S,
            KeyKind::N => ValueKind::N,
            KeyKind::B => ValueKind::B,
        }
    }

    /// The key kind of a type descriptor; `None` for other texts.
    pub fn from_descriptor(text: &str) -> Option<KeyKind> {
        match text {
            "S" => Some(KeyKind::S),
            "N" => Some(KeyKind::N),
            "B" => Some(KeyKind::B),
            _ => None,
        }
    }
}

/// One attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAttribute {
    /// The attribute's name.
    pub name: String,
    /// The attribute's type.
    pub kind: KeyKind,
}

/// The attributes of a key: partition part, then sort part.
///
/// A table and a local index have one partition attribute and at most one sort attribute; a global
/// index may have up to four of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySchema {
    /// Partition key attributes, at least one.
    pub partition: Vec<KeyAttribute>,
    /// Sort key attributes, in sort order; may be empty.
    pub sort: Vec<KeyAttribute>,
}

impl KeySchema {
    /// All attributes, partition part first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// Whether the key has an attribute of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.attributes().any(|attribute| attribute.name == name)
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        self.partition.len() + self.sort.len()
    }

    /// Whether the key has no attribute. Never true for a table's or an index's key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item's key attributes as an item of their own, without those that the item lacks.
    pub fn key_of(&self, item: &Item) -> Item {
        self.attributes()
            .filter_map(|attribute| {
                item.get(&attribute.name)
                    .map(|value| (attribute.name.clone(), value.clone()))
            })
            .collect()
    }
}

/// The length in bytes that the limits of keys count; 0 for values that cannot be in a key.
pub fn key_value_bytes(value: &Value) -> usize {
    match value {
        Value::S(text) => text.len(),
        Value::B(bytes) => bytes.len(),
        Value::N(number) => number.size_bytes() as usize,
        Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => 0,
    }
}
