//! The errors of a statement, with DynamoDB's messages.

use crate::error::{ExprErrorKind, number_message};
use keyfold_types::limits::STATEMENT_CHARS_MAX;
use keyfold_types::{NumberError, SetError};

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
    /// The text is too long, and is not parsed.
    #[error("The statement has more than {STATEMENT_CHARS_MAX} characters")]
    TooLong,
    /// A reason that statements have in common with expressions.
    #[error("{0}")]
    Expression(ExprErrorKind),
    /// Two columns of different paths have the same name.
    #[error("Two columns of the statement have the same name: {0}")]
    Columns(String),
}
