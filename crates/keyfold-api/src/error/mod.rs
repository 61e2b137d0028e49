//! Errors as the API names them.
//!
//! - [`ApiError`]: one variant for each exception, with what the exception carries.
//! - [`ErrorKind`] (`kind.rs`): the one table of names, statuses and retry classes.
//! - [`Throttling`] (`throttling.rs`): what is told when capacity is used up.
//! - [`Validation`] (`message.rs`): the reasons of a ValidationException; the only place with their
//!   words.

mod kind;
mod message;
mod reason;
mod throttling;

pub use kind::ErrorKind;
pub use message::{Breached, Constraint, ConstraintBreach, Validation};
pub use reason::ReasonCode;
pub use throttling::{Throttling, ThrottlingReason};

use keyfold_codec::RawItem;
use std::fmt;

/// Why an operation failed.
#[derive(Debug, Clone, PartialEq)]
pub enum ApiError {
    /// The request is wrong.
    Validation(Box<Validation>),
    /// The body is no JSON of the operation's shape.
    Serialization(Option<String>),
    /// No such operation, or one that Keyfold does not carry out.
    UnknownOperation(Option<String>),
    /// The condition does not hold; with the item it met, if asked for.
    ConditionalCheckFailed(Option<Box<RawItem>>),
    /// A transaction could not happen; one reason for each action.
    TransactionCanceled(Vec<CancellationReason>),
    /// The token was used for another request.
    IdempotentParameterMismatch,
    /// No such table.
    ResourceNotFound(String),
    /// The table is in a state that forbids it, or exists already.
    ResourceInUse(String),
    /// A quota is used up.
    LimitExceeded(String),
    /// The item collection is above 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// The request is not signed.
    MissingAuthenticationToken,
    /// The signature's form is wrong.
    IncompleteSignature(String),
    /// The access key is unknown.
    UnrecognizedClient,
    /// The signature does not match.
    InvalidSignature(String),
    /// Capacity is used up.
    Throttled(Box<Throttling>),
    /// An exception that carries nothing but its sentence.
    Plain(ErrorKind, String),
    /// Keyfold failed; the text is for the operator.
    Internal(String),
}

/// The reason of one action of a cancelled transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum CancellationReason {
    /// Nothing was wrong with it.
    None,
    /// Its condition does not hold; with the item it met, if asked for.
    ConditionalCheckFailed(Option<Box<RawItem>>),
    /// It does not fit the item it met.
    ValidationError(String),
    /// The item collection is above 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// Another transaction holds the item.
    TransactionConflict,
    /// The statement inserts an item that exists.
    DuplicateItem,
    /// Capacity is used up.
    Throttled(Box<Throttling>),
}

impl CancellationReason {
    /// The reason's code.
    pub fn code(&self) -> ReasonCode {
        match self {
            CancellationReason::None => ReasonCode::None,
            CancellationReason::ConditionalCheckFailed(_) => ReasonCode::ConditionalCheckFailed,
            CancellationReason::ValidationError(_) => ReasonCode::ValidationError,
            CancellationReason::ItemCollectionSizeLimitExceeded => {
                ReasonCode::ItemCollectionSizeLimitExceeded
            }
            CancellationReason::TransactionConflict => ReasonCode::TransactionConflict,
            CancellationReason::DuplicateItem => ReasonCode::DuplicateItem,
            CancellationReason::Throttled(throttling) => throttling.code(),
        }
    }

    /// The reason's sentence; none when nothing was wrong.
    pub fn message(&self) -> Option<&str> {
        match self {
            CancellationReason::None => None,
            CancellationReason::ConditionalCheckFailed(_) => Some("The conditional request failed"),
            CancellationReason::ValidationError(message) => Some(message),
            CancellationReason::ItemCollectionSizeLimitExceeded => {
                Some("Collection size exceeded.")
            }
            CancellationReason::TransactionConflict => Some("Transaction is ongoing for the item"),
            CancellationReason::DuplicateItem => Some("Duplicate primary key exists in table"),
            CancellationReason::Throttled(throttling) => Some(throttling.message()),
        }
    }
}

impl ApiError {
    /// The exception's kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            ApiError::Validation(_) => ErrorKind::Validation,
            ApiError::Serialization(_) => ErrorKind::Serialization,
            ApiError::UnknownOperation(_) => ErrorKind::UnknownOperation,
            ApiError::ConditionalCheckFailed(_) => ErrorKind::ConditionalCheckFailed,
            ApiError::TransactionCanceled(_) => ErrorKind::TransactionCanceled,
            ApiError::IdempotentParameterMismatch => ErrorKind::IdempotentParameterMismatch,
            ApiError::ResourceNotFound(_) => ErrorKind::ResourceNotFound,
            ApiError::ResourceInUse(_) => ErrorKind::ResourceInUse,
            ApiError::LimitExceeded(_) => ErrorKind::LimitExceeded,
            ApiError::ItemCollectionSizeLimitExceeded => ErrorKind::ItemCollectionSizeLimitExceeded,
            ApiError::MissingAuthenticationToken => ErrorKind::MissingAuthenticationToken,
            ApiError::IncompleteSignature(_) => ErrorKind::IncompleteSignature,
            ApiError::UnrecognizedClient => ErrorKind::UnrecognizedClient,
            ApiError::InvalidSignature(_) => ErrorKind::InvalidSignature,
            ApiError::Throttled(throttling) => throttling.kind(),
            ApiError::Plain(kind, _) => *kind,
            ApiError::Internal(_) => ErrorKind::Internal,
        }
    }

    /// A ResourceNotFoundException for a data operation.
    pub fn table_not_found() -> ApiError {
        ApiError::ResourceNotFound("Requested resource not found".to_owned())
    }

    /// A ResourceNotFoundException for a table operation.
    pub fn named_table_not_found(table: &str) -> ApiError {
        ApiError::ResourceNotFound(format!(
            "Requested resource not found: Table: {table} not found"
        ))
    }

    /// The exception's sentence; nothing when the service sends none.
    pub fn message(&self) -> Option<String> {
        match self {
            ApiError::Validation(reason) => Some(reason.to_string()),
            ApiError::Serialization(message) | ApiError::UnknownOperation(message) => {
                message.clone()
            }
            ApiError::ConditionalCheckFailed(_) => {
                Some("The conditional request failed".to_owned())
            }
            ApiError::TransactionCanceled(reasons) => {
                let codes: Vec<&str> = reasons.iter().map(|reason| reason.code().name()).collect();
                Some(format!(
                    "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
                    codes.join(", ")
                ))
            }
            ApiError::IdempotentParameterMismatch => Some(
                "The request uses the same client token as a previous, but non-identical request."
                    .to_owned(),
            ),
            ApiError::ResourceNotFound(message)
            | ApiError::ResourceInUse(message)
            | ApiError::LimitExceeded(message)
            | ApiError::IncompleteSignature(message)
            | ApiError::InvalidSignature(message)
            | ApiError::Plain(_, message) => Some(message.clone()),
            ApiError::ItemCollectionSizeLimitExceeded => {
                Some("Collection size exceeded.".to_owned())
            }
            ApiError::Throttled(throttling) => Some(throttling.message().to_owned()),
            ApiError::MissingAuthenticationToken => {
                Some("Request is missing Authentication Token".to_owned())
            }
            ApiError::UnrecognizedClient => {
                Some("The security token included in the request is invalid.".to_owned())
            }
            ApiError::Internal(_) => {
                Some("The request processing has failed because of an internal error.".to_owned())
            }
        }
    }
}

impl From<Validation> for ApiError {
    fn from(reason: Validation) -> ApiError {
        ApiError::Validation(Box::new(reason))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().exception())?;
        match (self, self.message()) {
            (ApiError::Internal(detail), _) => write!(f, ": {detail}"),
            (_, Some(message)) => write!(f, ": {message}"),
            (_, None) => Ok(()),
        }
    }
}

impl std::error::Error for ApiError {}
