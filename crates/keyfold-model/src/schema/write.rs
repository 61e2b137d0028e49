//! Named writes.

use super::condition::{Comparison, Operand};
use crate::diagnostic::Span;
use crate::types::Type;
use crate::words::Verb;

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
