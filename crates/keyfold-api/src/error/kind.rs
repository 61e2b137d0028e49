//! The table of exceptions: name, namespace, HTTP status, and whether a client may try again.

/// An exception without what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// `ValidationException`.
    Validation,
    /// `SerializationException`.
    Serialization,
    /// `UnknownOperationException`.
    UnknownOperation,
    /// `ConditionalCheckFailedException`.
    ConditionalCheckFailed,
    /// `TransactionCanceledException`.
    TransactionCanceled,
    /// `IdempotentParameterMismatchException`.
    IdempotentParameterMismatch,
    /// `ResourceNotFoundException`.
    ResourceNotFound,
    /// `ResourceInUseException`.
    ResourceInUse,
    /// `LimitExceededException`.
    LimitExceeded,
    /// `ItemCollectionSizeLimitExceededException`.
    ItemCollectionSizeLimitExceeded,
    /// `MissingAuthenticationTokenException`.
    MissingAuthenticationToken,
    /// `IncompleteSignatureException`.
    IncompleteSignature,
    /// `UnrecognizedClientException`.
    UnrecognizedClient,
    /// `InvalidSignatureException`.
    InvalidSignature,
    /// `InternalServerError`.
    Internal,
}

const MODEL: &str = "com.amazonaws.dynamodb.v20120810";
const SERVICE: &str = "com.amazon.coral.service";
const VALIDATE: &str = "com.amazon.coral.validate";

impl ErrorKind {
    /// Every kind, once.
    pub const ALL: [ErrorKind; 15] = [
        ErrorKind::Validation,
        ErrorKind::Serialization,
        ErrorKind::UnknownOperation,
        ErrorKind::ConditionalCheckFailed,
        ErrorKind::TransactionCanceled,
        ErrorKind::IdempotentParameterMismatch,
        ErrorKind::ResourceNotFound,
        ErrorKind::ResourceInUse,
        ErrorKind::LimitExceeded,
        ErrorKind::ItemCollectionSizeLimitExceeded,
        ErrorKind::MissingAuthenticationToken,
        ErrorKind::IncompleteSignature,
        ErrorKind::UnrecognizedClient,
        ErrorKind::InvalidSignature,
        ErrorKind::Internal,
    ];

    /// Namespace, exception name, HTTP status, whether the same request may succeed later.
    const fn row(self) -> (&'static str, &'static str, u16, bool) {
        match self {
            ErrorKind::Validation => (VALIDATE, "ValidationException", 400, false),
            ErrorKind::Serialization => (SERVICE, "SerializationException", 400, false),
            ErrorKind::UnknownOperation => (SERVICE, "UnknownOperationException", 400, false),
            ErrorKind::ConditionalCheckFailed => (MODEL, "ConditionalCheckFailedException", 400, false),
            ErrorKind::TransactionCanceled => (MODEL, "TransactionCanceledException", 400, false),
            ErrorKind::IdempotentParameterMismatch => {
                (MODEL, "IdempotentParameterMismatchException", 400, false)
            }
            ErrorKind::ResourceNotFound => (MODEL, "ResourceNotFoundException", 400, false),
            ErrorKind::ResourceInUse => (MODEL, "ResourceInUseException", 400, false),
            ErrorKind::LimitExceeded => (MODEL, "LimitExceededException", 400, true),
            ErrorKind::ItemCollectionSizeLimitExceeded => {
                (MODEL, "ItemCollectionSizeLimitExceededException", 400, false)
            }
            ErrorKind::MissingAuthenticationToken => {
                (SERVICE, "MissingAuthenticationTokenException", 400, false)
            }
            ErrorKind::IncompleteSignature => (SERVICE, "IncompleteSignatureException", 400, false),
            ErrorKind::UnrecognizedClient => (SERVICE, "UnrecognizedClientException", 400, false),
            ErrorKind::InvalidSignature => (SERVICE, "InvalidSignatureException", 400, false),
            ErrorKind::Internal => (MODEL, "InternalServerError", 500, true),
        }
    }

    /// The exception's name.
    pub const fn exception(self) -> &'static str {
        self.row().1
    }

    /// What stands before `#` in `__type`.
    pub const fn namespace(self) -> &'static str {
        self.row().0
    }

    /// The HTTP status.
    pub const fn status(self) -> u16 {
        self.row().2
    }

    /// Whether the same request may succeed later.
    pub const fn is_retryable(self) -> bool {
        self.row().3
    }

    /// Whether the message member is spelled `Message`.
    pub const fn capital_message(self) -> bool {
        matches!(
            self,
            ErrorKind::TransactionCanceled
                | ErrorKind::IdempotentParameterMismatch
                | ErrorKind::Serialization
        )
    }
}
