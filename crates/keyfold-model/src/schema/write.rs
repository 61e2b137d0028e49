//! Named writes.

use super::{Comparison, Type};
use crate::diagnostic::Span;
use keyfold_types::Value;

/// The source of the value of an assignment or condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A parameter of the write.
    Parameter(String),
    /// An attribute of the item.
    Attribute(String),
    /// A fixed value of the attribute's type.
    Literal(Value),
}

impl std::fmt::Display for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Operand::Parameter(name) | Operand::Attribute(name) => f.write_str(name),
            Operand::Literal(value) => f.write_str(&crate::value::display(value)),
        }
    }
}

/// A change of an attribute: `stock = stock - quantity`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The attribute.
    pub attribute: String,
    /// Its new value.
    pub left: Operand,
    /// The operand that is added (true) or taken away.
    pub right: Option<(bool, Operand)>,
}

/// The verb of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Makes an item that must not exist.
    Create,
    /// Writes a whole item, whether it exists or not.
    Put,
    /// Changes an item that must exist.
    Update,
    /// Removes an item that must exist.
    Delete,
    /// Only looks at an item that must exist.
    Check,
}

impl Verb {
    /// Its word in the language.
    pub fn word(self) -> &'static str {
        match self {
            Verb::Create => "create",
            Verb::Put => "put",
            Verb::Update => "update",
            Verb::Delete => "delete",
            Verb::Check => "check",
        }
    }
}

/// One change of a named write.
#[derive(Debug, Clone)]
pub struct Action {
    /// The action.
    pub verb: Verb,
    /// The entity, by place.
    pub entity: usize,
    /// Once for each element of this parameter, a list of records.
    pub each: Option<String>,
    /// The assignments: changes, or values given beside the parameters.
    pub assignments: Vec<Assignment>,
    /// Attributes that are taken away.
    pub removed: Vec<String>,
    /// The conditions.
    pub conditions: Vec<Comparison>,
}

/// A named write: actions that happen together or not at all.
#[derive(Debug, Clone)]
pub struct Write {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    pub span: Span,
    /// Its parameters and their types.
    pub parameters: Vec<WriteParameter>,
    /// Its actions.
    pub actions: Vec<Action>,
}

/// A parameter of a named write.
#[derive(Debug, Clone)]
pub struct WriteParameter {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// Whether it may be left out.
    pub optional: bool,
}
