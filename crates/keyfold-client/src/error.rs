//! What can go wrong between a model and its data.

use keyfold_model::value::ValueError;

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
        /// The exception's name.
        exception: String,
        /// Its sentence.
        message: String,
        /// Code and sentence for each action of a cancelled transaction.
        reasons: Vec<(String, Option<String>)>,
    },
    /// The backend could not be reached, or answered nonsense.
    #[error("{0}")]
    Transport(String),
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
    /// The item that must exist does not.
    #[error("{0}")]
    NotFound(String),
}

impl ClientError {
    /// Whether another transaction held an item: nothing is wrong with the request, and it may be sent again.
    pub(crate) fn is_conflict(&self) -> bool {
        let ClientError::Service { exception, reasons, .. } = self else { return false };
        exception == "TransactionConflictException"
            || (exception == "TransactionCanceledException"
                && reasons.iter().any(|(code, _)| code == "TransactionConflict"))
    }

    /// Whether the failure is a condition that did not hold, which a transaction tells by action.
    pub(crate) fn failed_actions(&self) -> Option<Vec<usize>> {
        let ClientError::Service { exception, reasons, .. } = self else { return None };
        match exception.as_str() {
            "ConditionalCheckFailedException" => Some(vec![0]),
            "TransactionCanceledException" => {
                let failed =
                    reasons.iter().enumerate().filter(|(_, (code, _))| code == "ConditionalCheckFailed");
                let failed: Vec<usize> = failed.map(|(at, _)| at).collect();
                (!failed.is_empty()).then_some(failed)
            }
            _ => None,
        }
    }
}
