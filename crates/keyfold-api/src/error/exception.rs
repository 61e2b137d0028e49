//! The exceptions of the API with their payloads and messages.

use super::kind::ErrorKind;
use super::message::Validation;
use super::reason::ReasonCode;
use super::throttling::Throttling;
use keyfold_codec::RawItem;
use std::fmt;

/// An exception of the API.
#[derive(Debug, Clone, PartialEq)]
pub enum ApiError {
    /// The request is wrong.
    Validation(Box<Validation>),
    /// The body is not JSON of the operation's shape.
    Serialization(Option<String>),
    /// There is no such operation, or Keyfold does not support it.
    UnknownOperation(Option<String>),
    /// The condition does not hold; with the present item, if requested.
    ConditionalCheckFailed(Option<Box<RawItem>>),
    /// The transaction is cancelled; one reason for each action.
    TransactionCanceled(Vec<CancellationReason>),
    /// The token was used for another request.
    IdempotentParameterMismatch,
    /// There is no such table or other resource.
    ResourceNotFound(String),
    /// The state of the table forbids the operation, or the table exists already.
    ResourceInUse(String),
    /// A quota is exhausted.
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
    /// Capacity is exhausted.
    Throttled(Box<Throttling>),
    /// An exception with no other payload than its message.
    Plain(ErrorKind, String),
    /// Keyfold failed; the text is for the operator, not for the client.
    Internal(String),
}

/// The reason of one action of a cancelled transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum CancellationReason {
    /// The action itself did not fail.
    None,
    /// The condition does not hold; with the present item, if requested.
    ConditionalCheckFailed(Option<Box<RawItem>>),
    /// The action does not fit the present item.
    ValidationError(String),
    /// The item collection is above 10 GB.
    ItemCollectionSizeLimitExceeded,
    /// Another transaction holds the item.
    TransactionConflict,
    /// The statement inserts an item that exists.
    DuplicateItem,
    /// Capacity is exhausted.
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

    /// The present item of a failed condition, if requested.
    pub fn item(&self) -> Option<&RawItem> {
        match self {
            CancellationReason::ConditionalCheckFailed(item) => item.as_deref(),
            CancellationReason::None
            | CancellationReason::ValidationError(_)
            | CancellationReason::ItemCollectionSizeLimitExceeded
            | CancellationReason::TransactionConflict
            | CancellationReason::DuplicateItem
            | CancellationReason::Throttled(_) => None,
        }
    }

    /// The reason's message; `None` if the action itself did not fail.
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

    /// The exception's message; `None` if the service sends none.
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
