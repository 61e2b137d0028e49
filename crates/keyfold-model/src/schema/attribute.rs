//! Attributes of entities.

use crate::diagnostic::Span;
use crate::types::Type;
use keyfold_types::Value;

/// The default of an attribute.
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
    /// The place of its declaration.
    pub span: Span,
    /// Its type.
    pub kind: Type,
    /// Whether an item may lack it.
    pub optional: bool,
    /// Its default.
    pub default: Option<DefaultValue>,
    /// The entity and attribute that it refers to.
    pub refers: Option<(String, String)>,
    /// Kept by the model itself: an aggregate or a version.
    pub is_kept: bool,
}
