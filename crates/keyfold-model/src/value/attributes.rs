//! Attributes by name, in whatever form an item is held: as a tree, or as stored bytes.

use keyfold_types::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The attributes of an item.
pub trait Attributes {
    /// The value of an attribute.
    fn value(&self, name: &str) -> Option<Cow<'_, Value>>;

    /// The text of an attribute that is a text; `None` for others.
    fn text(&self, name: &str) -> Option<&str>;

    /// Whether the item has an attribute.
    fn has(&self, name: &str) -> bool;
}

impl Attributes for BTreeMap<String, Value> {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.get(name).map(Cow::Borrowed)
    }

    fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::S(text) => Some(text),
            Value::N(_)
            | Value::B(_)
            | Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_) => None,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.contains_key(name)
    }
}
