//! The errors of a statement, with DynamoDB's messages.

use crate::error::number_message;
use crate::path::Path;
use keyfold_types::limits::STATEMENT_CHARS_MAX;
use keyfold_types::{NumberError, SetError, ValueKind};

/// The reason for which a statement is refused. `Display` is DynamoDB's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartiqlError {
    /// The text does not follow the grammar.
    #[error("Statement wasn't well formed, can't be processed: {0}")]
    Syntax(String),
    /// The number of `?` differs from the number of parameters.
    #[error("Number of parameters in request and statement don't match.")]
    Parameters,
    /// A number that cannot be stored.
    #[error("{}", number_message(*.0))]
    Number(NumberError),
    /// A list between `<<` and `>>` that is not a set.
    #[error("Statement wasn't well formed, can't be processed: {0}")]
    Set(SetError),
    /// SQL that DynamoDB does not execute.
    #[error("Unsupported operation: {0}")]
    Unsupported(String),
    /// One target of an update lies within another, or is the same.
    #[error(
        "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {0}, path two: {1}"
    )]
    Overlap(Path, Path),
    /// The text is too long, and is not parsed.
    #[error("The statement has more than {STATEMENT_CHARS_MAX} characters")]
    TooLong,
    /// A value of a type without an order is compared by `<`, `<=`, `>`, `>=` or BETWEEN.
    #[error(
        "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {}",
        found.descriptor()
    )]
    OperandType {
        /// The operator.
        operator: String,
        /// The type of the value.
        found: ValueKind,
    },
    /// A document path of more than 32 steps.
    #[error("The document path has too many nesting levels; nesting levels: {levels}")]
    PathTooDeep {
        /// The number of steps.
        levels: usize,
    },
    /// A position that no list can have.
    #[error("List index is not within the allowable range; index: [{0}]")]
    ListIndex(String),
    /// Two columns of different paths have the same name.
    #[error("Two columns of the statement have the same name: {0}")]
    Columns(String),
}
