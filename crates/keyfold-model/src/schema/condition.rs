//! Conditions: comparisons and their operands.

use crate::diagnostic::Span;
use crate::words::Comparator;
use keyfold_types::Value;

/// The source of a value in an assignment or condition.
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

/// A comparison of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The attribute.
    pub attribute: String,
    /// The comparator.
    pub comparator: Comparator,
    /// The value to compare with; `None` for `exists` and `missing`.
    pub operand: Option<Operand>,
    /// Its place in the source.
    pub span: Span,
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.operand {
            None => write!(f, "{} {}", self.comparator.word(), self.attribute),
            Some(operand) => write!(f, "{} {} {operand}", self.attribute, self.comparator.word()),
        }
    }
}
