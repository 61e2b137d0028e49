//! Attributes of entities.

use super::Type;
use crate::diagnostic::Span;
use keyfold_types::Value;

/// What an attribute is when nothing is given for it.
#[derive(Debug, Clone, PartialEq)]
pub enum DefaultValue {
    /// This value.
    Value(Value),
    /// The moment of writing.
    Now,
    /// A new identifier.
    New,
}

/// An attribute of an entity.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its type.
    pub kind: Type,
    /// Whether an item may lack it.
    pub optional: bool,
    /// What it is when nothing is given.
    pub default: Option<DefaultValue>,
    /// The entity and attribute that it refers to.
    pub refers: Option<(String, String)>,
    /// Kept by the model itself: an aggregate or a version.
    pub is_kept: bool,
}
