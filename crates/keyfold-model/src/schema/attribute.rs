//! Attributes of entities.

use super::former::Former;
use crate::diagnostic::{Edit, Span};
use crate::types::Type;
use keyfold_types::Value;

/// The default of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum DefaultValue {
    /// A fixed value.
    Value(Value),
    /// The time of the write.
    Now,
    /// The time of the last write: each write of the item sets it.
    Always,
    /// A new identifier: a ULID or UUID.
    New,
}

/// An attribute of an entity.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Its type.
    pub kind: Type,
    /// Whether an item may lack it.
    pub optional: bool,
    /// The place of the `?` that says so.
    pub mark: Option<Span>,
    /// The value of an item that is written without the attribute.
    pub default: Option<DefaultValue>,
    /// The names of the entity and attribute that it refers to.
    pub refers: Option<(String, String)>,
    /// Whether the model itself keeps it: an aggregate or a version.
    pub is_kept: bool,
    /// Its name in an earlier version of the model, if it had another one: items that were written then
    /// hold it under that name. Where several entities become one, the first of these names that the entity had
    /// is its own. Only the comparison of two models looks at it.
    pub was: Vec<String>,
    /// What its value follows from in items of the earlier version, where that is more than a name. Only the
    /// comparison of two models looks at it.
    pub former: Option<Former>,
}

impl Attribute {
    /// The edit that makes it required.
    pub(crate) fn without_mark(&self) -> Vec<Edit> {
        self.mark
            .map(|mark| Edit::replace(mark, ""))
            .into_iter()
            .collect()
    }
}

impl Attribute {
    /// Whether each write of the item sets it to the present moment.
    pub fn is_touched(&self) -> bool {
        self.default == Some(DefaultValue::Always)
    }
}

/// The name of a hidden attribute that the model keeps for an attribute: `balance:items`. Declared
/// names are words, so that they never contain a colon.
pub fn hidden(attribute: &str, what: &str) -> String {
    format!("{attribute}:{what}")
}
