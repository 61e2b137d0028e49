//! The reasons for which a request gets no output of its operation.

use crate::budget::Exhausted;
use keyfold_api::ApiError;

/// An error of the API, or a reason of the transport below it.
pub(crate) enum Refusal {
    Api(Box<ApiError>),
    /// The body is larger than the limit.
    TooLarge,
    /// The body did not arrive in time.
    TooSlow,
    /// The connection ended before the body did.
    Cut,
    /// The budget for large bodies has too few free bytes.
    Exhausted,
    /// The body has a content coding other than gzip.
    Coding,
}

impl Refusal {
    /// The value of the label `outcome` in metrics and the log: an exception's name, or the reason.
    pub(crate) fn label(&self) -> &'static str {
        match self {
            Refusal::Api(error) => error.kind().exception(),
            Refusal::TooLarge => "TooLarge",
            Refusal::TooSlow => "TooSlow",
            Refusal::Cut => "Cut",
            Refusal::Exhausted => "BudgetExhausted",
            Refusal::Coding => "Coding",
        }
    }
}

impl From<Exhausted> for Refusal {
    fn from(_: Exhausted) -> Refusal {
        Refusal::Exhausted
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Refusal {
        Refusal::Api(Box::new(error))
    }
}
