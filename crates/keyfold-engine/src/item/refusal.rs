//! The reasons for which a write is refused.

use keyfold_api::{ApiError, ErrorKind, Throttling, Validation};
use keyfold_codec::RawItem;

/// The reason for which a write is refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    Condition(Option<Box<RawItem>>),
    Duplicate,
    Throttled(Box<Throttling>),
    Invalid(Box<Validation>),
    Internal(ApiError),
}

impl From<Validation> for Refusal {
    fn from(reason: Validation) -> Refusal {
        Refusal::Invalid(Box::new(reason))
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        match refusal {
            Refusal::Condition(item) => ApiError::ConditionalCheckFailed(item),
            Refusal::Duplicate => ApiError::Plain(
                ErrorKind::DuplicateItem,
                "Duplicate primary key exists in table".to_owned(),
            ),
            Refusal::Throttled(throttling) => ApiError::Throttled(throttling),
            Refusal::Invalid(reason) => ApiError::Validation(reason),
            Refusal::Internal(error) => error,
        }
    }
}
