//! Attribute values of requests, and what can be wrong with one.

use keyfold_types::{Item, NumberError, SetError, Value, ValueKind};

/// A value of a request, or its error.
pub type AttributeValue = Result<Value, ValueError>;

/// An item or key of a request, or the error of one of its values.
pub type Attributes = Result<Item, ValueError>;

/// An error of one attribute value. `Display` is DynamoDB's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The value has no type.
    #[error(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
    )]
    NoType,
    /// The value has more than one type.
    #[error(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )]
    ManyTypes,
    /// The text is not a number, or the number is out of range.
    #[error("{}", number_text(text, *error))]
    Number {
        /// The text.
        text: String,
        /// The error.
        error: NumberError,
    },
    /// The list is not a set.
    #[error("{}", set_text(*kind, *error, members))]
    Set {
        /// The set's type.
        kind: ValueKind,
        /// The error.
        error: SetError,
        /// The members as sent.
        members: String,
    },
    /// The value is `{"NULL": false}`.
    #[error(
        "One or more parameter values were invalid: Null attribute value types must have the value of true"
    )]
    NullFalse,
    /// The value is nested too deeply.
    #[error("{NESTING}")]
    TooDeep,
}

/// The message for values that are nested too deeply.
pub(crate) const NESTING: &str = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit";

fn number_text(text: &str, error: NumberError) -> String {
    match error {
        NumberError::Syntax if text.is_empty() => {
            keyfold_expr::error::number_message(error).to_owned()
        }
        NumberError::Syntax => {
            format!("The parameter cannot be converted to a numeric value: {text}")
        }
        NumberError::Overflow | NumberError::Underflow | NumberError::Precision => {
            keyfold_expr::error::number_message(error).to_owned()
        }
    }
}

fn set_text(kind: ValueKind, error: SetError, members: &str) -> String {
    let name = match kind {
        ValueKind::Ns => "An number set ",
        ValueKind::Bs => "A binary set ",
        ValueKind::Ss
        | ValueKind::S
        | ValueKind::N
        | ValueKind::B
        | ValueKind::Bool
        | ValueKind::Null
        | ValueKind::L
        | ValueKind::M => "An string set ",
    };
    match error {
        SetError::Empty if kind == ValueKind::Bs => {
            "One or more parameter values were invalid: Binary sets should not be empty".to_owned()
        }
        SetError::Empty => {
            format!("One or more parameter values were invalid: {name} may not be empty")
        }
        SetError::Duplicate => {
            format!(
                "One or more parameter values were invalid: Input collection [{members}] contains duplicates."
            )
        }
    }
}
