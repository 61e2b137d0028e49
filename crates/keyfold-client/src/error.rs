//! Errors of patterns and writes.

use keyfold_api::{ErrorKind, ReasonCode};
use keyfold_model::value::ValueError;
use keyfold_wire::client::ServiceError;

/// Why a pattern or write failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClientError {
    /// An argument or attribute is wrong.
    #[error("{0}")]
    Value(#[from] ValueError),
    /// A name that the model does not have.
    #[error("{0}")]
    Unknown(String),
    /// Something needed was not given.
    #[error("{0}")]
    Missing(String),
    /// The backend refused the request.
    #[error("{exception}: {message}")]
    Service {
        /// Its kind; none where it is not known here.
        kind: Option<ErrorKind>,
        /// The exception's name.
        exception: String,
        /// Its sentence.
        message: String,
        /// Code and sentence for each action of a cancelled transaction.
        reasons: Vec<(ReasonCode, Option<String>)>,
    },
    /// The backend could not be reached, or answered nonsense.
    #[error("{0}")]
    Transport(String),
    /// A write was sent and its answer lost: it may have been carried out, and it was not sent
    /// again.
    #[error("whether it was done is not known: {why}; look at {check} before you do it again")]
    OutcomeUnknown {
        /// The cause.
        why: String,
        /// The item that shows whether it was done.
        check: String,
    },
    /// An existing table contradicts the model.
    #[error("the table {table} exists and differs from the model:\n{}", differences.iter().map(|d| format!("  - {d}")).collect::<Vec<_>>().join("\n"))]
    TableDiffers {
        /// The table.
        table: String,
        /// Each difference in a line.
        differences: Vec<String>,
    },
    /// A condition of a write does not hold.
    #[error("{0}")]
    Refused(String),
    /// A unique value is another item's.
    #[error("{message}")]
    Taken {
        /// The unique attributes.
        attributes: Vec<String>,
        /// The sentence.
        message: String,
    },
    /// The version given is not the item's: it has been changed since it was read.
    #[error("{0}")]
    StaleVersion(String),
    /// The item that must exist does not.
    #[error("{0}")]
    NotFound(String),
}

impl ClientError {
    /// The error of a service's answer.
    pub(crate) fn told(error: ServiceError) -> ClientError {
        ClientError::Service {
            kind: ErrorKind::of_exception(&error.exception),
            exception: error.exception,
            message: error.message,
            reasons: error
                .reasons
                .into_iter()
                .map(|(code, message)| (ReasonCode::of(&code), message))
                .collect(),
        }
    }

    /// The kind of the refusal, where it is one of the API's.
    pub fn kind(&self) -> Option<ErrorKind> {
        if let ClientError::Service { kind, .. } = self {
            *kind
        } else {
            None
        }
    }

    /// Whether another transaction held an item: nothing is wrong with the request, and it may be
    /// sent again.
    pub(crate) fn is_conflict(&self) -> bool {
        let ClientError::Service {
            kind: Some(kind),
            reasons,
            ..
        } = self
        else {
            return false;
        };
        match kind {
            ErrorKind::TransactionConflict => true,
            ErrorKind::TransactionCanceled => reasons
                .iter()
                .any(|(code, _)| *code == ReasonCode::TransactionConflict),
            _ => false,
        }
    }

    /// Whether the failure is a condition that did not hold, which a transaction tells by action.
    pub(crate) fn failed_actions(&self) -> Option<Vec<usize>> {
        let ClientError::Service {
            kind: Some(kind),
            reasons,
            ..
        } = self
        else {
            return None;
        };
        match kind {
            ErrorKind::ConditionalCheckFailed => Some(vec![0]),
            ErrorKind::TransactionCanceled => {
                let failed = reasons
                    .iter()
                    .enumerate()
                    .filter(|(_, (code, _))| *code == ReasonCode::ConditionalCheckFailed);
                let failed: Vec<usize> = failed.map(|(at, _)| at).collect();
                (!failed.is_empty()).then_some(failed)
            }
            _ => None,
        }
    }
}
