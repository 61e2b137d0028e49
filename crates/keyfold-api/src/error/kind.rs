//! The table of exceptions: name, namespace, HTTP status and retry class.

/// An exception without its payload.
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
    /// `TableNotFoundException`.
    TableNotFound,
    /// `TableAlreadyExistsException`.
    TableAlreadyExists,
    /// `BackupNotFoundException`.
    BackupNotFound,
    /// `BackupInUseException`.
    BackupInUse,
    /// `PointInTimeRecoveryUnavailableException`.
    PointInTimeRecoveryUnavailable,
    /// `InvalidRestoreTimeException`.
    InvalidRestoreTime,
    /// `ExportNotFoundException`.
    ExportNotFound,
    /// `ExportConflictException`.
    ExportConflict,
    /// `InvalidExportTimeException`.
    InvalidExportTime,
    /// `ImportNotFoundException`.
    ImportNotFound,
    /// `ImportConflictException`.
    ImportConflict,
    /// `PolicyNotFoundException`.
    PolicyNotFound,
    /// `ExpiredIteratorException`.
    ExpiredIterator,
    /// `TrimmedDataAccessException`.
    TrimmedDataAccess,
    /// `DuplicateItemException`.
    DuplicateItem,
    /// `TransactionConflictException`.
    TransactionConflict,
    /// `ProvisionedThroughputExceededException`.
    ProvisionedThroughputExceeded,
    /// `ThrottlingException`.
    Throttling,
    /// `RequestLimitExceeded`, which Keyfold itself does not return.
    RequestLimitExceeded,
    /// `TransactionInProgressException`, which Keyfold itself does not return.
    TransactionInProgress,
    /// `AccessDeniedException`.
    AccessDenied,
    /// `InternalServerError`.
    Internal,
}

const MODEL: &str = "com.amazonaws.dynamodb.v20120810";
const SERVICE: &str = "com.amazon.coral.service";
const VALIDATE: &str = "com.amazon.coral.validate";

impl ErrorKind {
    /// Every kind, once.
    pub const ALL: &'static [ErrorKind] = &[
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
        ErrorKind::TableNotFound,
        ErrorKind::TableAlreadyExists,
        ErrorKind::BackupNotFound,
        ErrorKind::BackupInUse,
        ErrorKind::PointInTimeRecoveryUnavailable,
        ErrorKind::InvalidRestoreTime,
        ErrorKind::ExportNotFound,
        ErrorKind::ExportConflict,
        ErrorKind::InvalidExportTime,
        ErrorKind::ImportNotFound,
        ErrorKind::ImportConflict,
        ErrorKind::PolicyNotFound,
        ErrorKind::ExpiredIterator,
        ErrorKind::TrimmedDataAccess,
        ErrorKind::DuplicateItem,
        ErrorKind::TransactionConflict,
        ErrorKind::ProvisionedThroughputExceeded,
        ErrorKind::Throttling,
        ErrorKind::RequestLimitExceeded,
        ErrorKind::TransactionInProgress,
        ErrorKind::AccessDenied,
        ErrorKind::Internal,
    ];

    /// Namespace, exception name, HTTP status, and whether the request is retryable.
    const fn row(self) -> (&'static str, &'static str, u16, bool) {
        match self {
            ErrorKind::Validation => (VALIDATE, "ValidationException", 400, false),
            ErrorKind::Serialization => (SERVICE, "SerializationException", 400, false),
            ErrorKind::UnknownOperation => (SERVICE, "UnknownOperationException", 400, false),
            ErrorKind::ConditionalCheckFailed => {
                (MODEL, "ConditionalCheckFailedException", 400, false)
            }
            ErrorKind::TransactionCanceled => (MODEL, "TransactionCanceledException", 400, false),
            ErrorKind::IdempotentParameterMismatch => {
                (MODEL, "IdempotentParameterMismatchException", 400, false)
            }
            ErrorKind::ResourceNotFound => (MODEL, "ResourceNotFoundException", 400, false),
            ErrorKind::ResourceInUse => (MODEL, "ResourceInUseException", 400, false),
            ErrorKind::LimitExceeded => (MODEL, "LimitExceededException", 400, true),
            ErrorKind::ItemCollectionSizeLimitExceeded => (
                MODEL,
                "ItemCollectionSizeLimitExceededException",
                400,
                false,
            ),
            ErrorKind::MissingAuthenticationToken => {
                (SERVICE, "MissingAuthenticationTokenException", 400, false)
            }
            ErrorKind::IncompleteSignature => (SERVICE, "IncompleteSignatureException", 400, false),
            ErrorKind::UnrecognizedClient => (SERVICE, "UnrecognizedClientException", 400, false),
            ErrorKind::InvalidSignature => (SERVICE, "InvalidSignatureException", 400, false),
            ErrorKind::TableNotFound => (MODEL, "TableNotFoundException", 400, false),
            ErrorKind::TableAlreadyExists => (MODEL, "TableAlreadyExistsException", 400, false),
            ErrorKind::BackupNotFound => (MODEL, "BackupNotFoundException", 400, false),
            ErrorKind::BackupInUse => (MODEL, "BackupInUseException", 400, false),
            ErrorKind::PointInTimeRecoveryUnavailable => {
                (MODEL, "PointInTimeRecoveryUnavailableException", 400, false)
            }
            ErrorKind::InvalidRestoreTime => (MODEL, "InvalidRestoreTimeException", 400, false),
            ErrorKind::ExportNotFound => (MODEL, "ExportNotFoundException", 400, false),
            ErrorKind::ExportConflict => (MODEL, "ExportConflictException", 400, false),
            ErrorKind::InvalidExportTime => (MODEL, "InvalidExportTimeException", 400, false),
            ErrorKind::ImportNotFound => (MODEL, "ImportNotFoundException", 400, false),
            ErrorKind::ImportConflict => (MODEL, "ImportConflictException", 400, false),
            ErrorKind::PolicyNotFound => (MODEL, "PolicyNotFoundException", 400, false),
            ErrorKind::ExpiredIterator => (MODEL, "ExpiredIteratorException", 400, false),
            ErrorKind::TrimmedDataAccess => (MODEL, "TrimmedDataAccessException", 400, false),
            ErrorKind::DuplicateItem => (MODEL, "DuplicateItemException", 400, false),
            ErrorKind::TransactionConflict => (MODEL, "TransactionConflictException", 400, true),
            ErrorKind::ProvisionedThroughputExceeded => {
                (MODEL, "ProvisionedThroughputExceededException", 400, true)
            }
            ErrorKind::Throttling => (SERVICE, "ThrottlingException", 400, true),
            ErrorKind::RequestLimitExceeded => (MODEL, "RequestLimitExceeded", 400, true),
            ErrorKind::TransactionInProgress => {
                (MODEL, "TransactionInProgressException", 400, true)
            }
            ErrorKind::AccessDenied => (SERVICE, "AccessDeniedException", 400, false),
            ErrorKind::Internal => (MODEL, "InternalServerError", 500, false),
        }
    }

    /// The exception's name.
    pub const fn exception(self) -> &'static str {
        self.row().1
    }

    /// The prefix of `__type`, before `#`.
    pub const fn namespace(self) -> &'static str {
        self.row().0
    }

    /// The HTTP status.
    pub const fn status(self) -> u16 {
        self.row().2
    }

    /// The kind of an exception; `None` if its name is unknown here.
    pub fn of_exception(name: &str) -> Option<ErrorKind> {
        ErrorKind::ALL
            .iter()
            .copied()
            .find(|kind| kind.exception() == name)
    }

    /// Whether the request had no effect and may succeed later. After a failure of the server the
    /// effect is unknown.
    pub const fn is_retryable(self) -> bool {
        self.row().3
    }

    /// Whether the message member is spelled `Message`.
    pub const fn has_capital_message(self) -> bool {
        matches!(
            self,
            ErrorKind::TransactionCanceled
                | ErrorKind::IdempotentParameterMismatch
                | ErrorKind::Serialization
                | ErrorKind::AccessDenied
        )
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorKind;

    #[test]
    fn every_exception_is_found_by_its_name() {
        for kind in ErrorKind::ALL {
            assert_eq!(ErrorKind::of_exception(kind.exception()), Some(*kind));
        }
        assert_eq!(ErrorKind::of_exception("Unknown"), None);
    }
}
