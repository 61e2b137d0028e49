//! An item: attribute values by name, in name order.

use crate::value::Value;
use std::collections::{BTreeMap, btree_map};

/// Attributes by name. Iterates in name order (by bytes), so equal items are equal byte for byte.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    attributes: BTreeMap<String, Value>,
}

impl Item {
    /// An item without attributes.
    pub fn new() -> Item {
        Item::default()
    }

    /// The value of an attribute, if it exists.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.attributes.get(name)
    }

    /// The value of an attribute, to change in place.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.attributes.get_mut(name)
    }

    /// Sets an attribute; returns its previous value.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        self.attributes.insert(name.into(), value.into())
    }

    /// Removes an attribute; returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.attributes.remove(name)
    }

    /// Attributes in name order.
    pub fn iter(&self) -> btree_map::Iter<'_, String, Value> {
        self.attributes.iter()
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether the item has no attribute.
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// Size in bytes as DynamoDB counts it: names and values of all attributes.
    pub fn size_bytes(&self) -> u64 {
        self.attributes
            .iter()
            .map(|(name, value)| name.len() as u64 + value.size_bytes())
            .sum()
    }

    /// The deepest nesting of any attribute's value, in levels: see [`Value::depth`].
    pub fn depth(&self) -> usize {
        self.attributes
            .values()
            .map(Value::depth)
            .max()
            .unwrap_or(0)
    }

    /// The attributes as a map.
    pub fn into_map(self) -> BTreeMap<String, Value> {
        self.attributes
    }

    /// The attributes as a map, borrowed.
    pub fn as_map(&self) -> &BTreeMap<String, Value> {
        &self.attributes
    }
}

impl From<BTreeMap<String, Value>> for Item {
    fn from(attributes: BTreeMap<String, Value>) -> Item {
        Item { attributes }
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Item {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(attributes: I) -> Item {
        Item {
            attributes: attributes
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }
}

impl IntoIterator for Item {
    type Item = (String, Value);
    type IntoIter = btree_map::IntoIter<String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.attributes.into_iter()
    }
}

impl<'a> IntoIterator for &'a Item {
    type Item = (&'a String, &'a Value);
    type IntoIter = btree_map::Iter<'a, String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.attributes.iter()
    }
}
