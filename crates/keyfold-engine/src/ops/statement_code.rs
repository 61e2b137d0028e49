//! The codes of a failed statement in the answer of BatchExecuteStatement.
//!
//! Source: the API model's `BatchStatementErrorCodeEnum`.

use keyfold_api::ErrorKind;

/// A code of the API model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementCode {
    ConditionalCheckFailed,
    ItemCollectionSizeLimitExceeded,
    RequestLimitExceeded,
    ValidationError,
    ProvisionedThroughputExceeded,
    TransactionConflict,
    ThrottlingError,
    InternalServerError,
    ResourceNotFound,
    AccessDenied,
    DuplicateItem,
}

impl StatementCode {
    /// The code of an exception that a single statement has. Exceptions of whole requests and of
    /// other operations do not come from a statement; they would be its caller's mistake.
    pub(crate) fn of(kind: ErrorKind) -> StatementCode {
        match kind {
            ErrorKind::ConditionalCheckFailed => StatementCode::ConditionalCheckFailed,
            ErrorKind::ItemCollectionSizeLimitExceeded => {
                StatementCode::ItemCollectionSizeLimitExceeded
            }
            ErrorKind::RequestLimitExceeded => StatementCode::RequestLimitExceeded,
            ErrorKind::ProvisionedThroughputExceeded => {
                StatementCode::ProvisionedThroughputExceeded
            }
            ErrorKind::TransactionConflict | ErrorKind::TransactionInProgress => {
                StatementCode::TransactionConflict
            }
            ErrorKind::Throttling => StatementCode::ThrottlingError,
            ErrorKind::Internal => StatementCode::InternalServerError,
            ErrorKind::ResourceNotFound | ErrorKind::TableNotFound => {
                StatementCode::ResourceNotFound
            }
            ErrorKind::AccessDenied => StatementCode::AccessDenied,
            ErrorKind::DuplicateItem => StatementCode::DuplicateItem,
            ErrorKind::Validation
            | ErrorKind::Serialization
            | ErrorKind::UnknownOperation
            | ErrorKind::TransactionCanceled
            | ErrorKind::IdempotentParameterMismatch
            | ErrorKind::ResourceInUse
            | ErrorKind::LimitExceeded
            | ErrorKind::MissingAuthenticationToken
            | ErrorKind::IncompleteSignature
            | ErrorKind::UnrecognizedClient
            | ErrorKind::InvalidSignature
            | ErrorKind::TableAlreadyExists
            | ErrorKind::BackupNotFound
            | ErrorKind::BackupInUse
            | ErrorKind::PointInTimeRecoveryUnavailable
            | ErrorKind::InvalidRestoreTime
            | ErrorKind::ExportNotFound
            | ErrorKind::ExportConflict
            | ErrorKind::InvalidExportTime
            | ErrorKind::ImportNotFound
            | ErrorKind::ImportConflict
            | ErrorKind::PolicyNotFound
            | ErrorKind::ExpiredIterator
            | ErrorKind::TrimmedDataAccess => StatementCode::ValidationError,
        }
    }

    /// The code's text in answers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StatementCode::ConditionalCheckFailed => "ConditionalCheckFailed",
            StatementCode::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
            StatementCode::RequestLimitExceeded => "RequestLimitExceeded",
            StatementCode::ValidationError => "ValidationError",
            StatementCode::ProvisionedThroughputExceeded => "ProvisionedThroughputExceeded",
            StatementCode::TransactionConflict => "TransactionConflict",
            StatementCode::ThrottlingError => "ThrottlingError",
            StatementCode::InternalServerError => "InternalServerError",
            StatementCode::ResourceNotFound => "ResourceNotFound",
            StatementCode::AccessDenied => "AccessDenied",
            StatementCode::DuplicateItem => "DuplicateItem",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the API model, whatever the exceptions are called.
    #[test]
    fn every_code_is_one_of_the_model() {
        const MODEL: [&str; 11] = [
            "ConditionalCheckFailed",
            "ItemCollectionSizeLimitExceeded",
            "RequestLimitExceeded",
            "ValidationError",
            "ProvisionedThroughputExceeded",
            "TransactionConflict",
            "ThrottlingError",
            "InternalServerError",
            "ResourceNotFound",
            "AccessDenied",
            "DuplicateItem",
        ];
        let used: Vec<&str> = ErrorKind::ALL
            .iter()
            .map(|kind| StatementCode::of(*kind).name())
            .collect();
        assert!(used.iter().all(|name| MODEL.contains(name)), "{used:?}");
        assert!(MODEL.iter().all(|name| used.contains(name)), "{used:?}");
    }
}
