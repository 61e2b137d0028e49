//! Errors of patterns and writes.

use crate::refused::Refused;
use crate::unknown::UnknownItem;
use keyfold_api::{ErrorKind, ReasonCode};
use keyfold_model::value::ValueError;
use keyfold_types::Item;

/// The error of a pattern or a write.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ClientError {
    /// An argument or attribute is no value of its type, or no key can contain it.
    #[error("{0}")]
    Value(#[from] ValueError),
    /// A name that the model does not have.
    #[error("{0}")]
    Unknown(String),
    /// An attribute or parameter that the entity, pattern or write does not have, or that callers do
    /// not give, or not so.
    #[error("{message}")]
    Named {
        /// The attribute or parameter.
        name: String,
        /// The sentence.
        message: String,
    },
    /// Required arguments or attributes are absent.
    #[error("{of} needs {}", names.join(", "))]
    Missing {
        /// The pattern, write, entity or key that needs them.
        of: String,
        /// Their names.
        names: Vec<String>,
    },
    /// The call contradicts the model: an attribute that callers do not write, a key that would
    /// change, a required attribute that would be removed.
    #[error("{0}")]
    Invalid(String),
    /// The backend refused the request.
    #[error("{exception}: {message}")]
    Service {
        /// Its kind; `None` for an exception that is not in the API.
        kind: Option<ErrorKind>,
        /// The exception's name.
        exception: String,
        /// Its message.
        message: String,
        /// The code and message for each action of a cancelled transaction.
        reasons: Vec<(ReasonCode, Option<String>)>,
        /// The indexes of the actions whose condition failed on an item that is stored, where the
        /// request asked for it.
        found: Vec<usize>,
    },
    /// The backend could not be reached, or its answer is not DynamoDB's.
    #[error("{0}")]
    Transport(String),
    /// The time that the call was given is over. Nothing was written.
    #[error("{0}")]
    TimedOut(String),
    /// A write was sent and its answer was lost: it may have been carried out, and it was not sent
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
        /// The differences, one a line.
        differences: Vec<String>,
    },
    /// An item with this key exists already.
    #[error("{0}")]
    Exists(Box<Refused>),
    /// A condition of a write does not hold, or what is stored contradicts the model.
    #[error("{0}")]
    Refused(Box<Refused>),
    /// A unique value belongs to another item.
    #[error("{refused}")]
    Taken {
        /// The unique attributes.
        attributes: Vec<String>,
        /// The sentence, and the item that was to have them.
        refused: Box<Refused>,
    },
    /// The given version is not the stored one: the item has been changed since it was read.
    #[error("{0}")]
    StaleVersion(Box<Refused>),
    /// A required item does not exist.
    #[error("{0}")]
    NotFound(Box<Refused>),
    /// An item of the table that the model does not know.
    #[error("{0}")]
    UnknownItem(Box<UnknownItem>),
    /// Others were faster at every attempt: the call may be tried again.
    #[error("{0}")]
    Overtaken(String),
    /// A batch was written in part.
    #[error("{0}")]
    Incomplete(Incomplete),
}

/// What became of the items of a batch, by their positions from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "of {} items of {of}, {} were written, {} were not, and of {} it is not known: {why}",
    written.len() + unwritten.len() + unknown.len(),
    written.len(),
    unwritten.len(),
    unknown.len()
)]
pub struct Incomplete {
    /// The entity.
    pub of: String,
    /// The items that were written.
    pub written: Vec<usize>,
    /// The items that were not written: they can be written again.
    pub unwritten: Vec<usize>,
    /// The items whose answer was lost: they may have been written.
    pub unknown: Vec<usize>,
    /// The first error.
    pub why: String,
}

impl ClientError {
    /// A refusal that is a sentence.
    pub fn refused(message: impl Into<String>) -> ClientError {
        ClientError::Refused(Box::new(Refused::because(message)))
    }

    /// The error about an item that must exist, as a sentence.
    pub fn not_found(message: impl Into<String>) -> ClientError {
        ClientError::NotFound(Box::new(Refused::because(message)))
    }

    /// The error about an item that the model does not know.
    pub fn unknown(unknown: UnknownItem) -> ClientError {
        ClientError::UnknownItem(Box::new(unknown))
    }

    /// The error, whose refusal has the action and item of a step where it had none.
    pub(crate) fn at_item(mut self, action: &str, table: &str, key: &Item) -> ClientError {
        if let Some(refused) = self.refusal_mut() {
            refused.locate(action, table, key);
        }
        self
    }

    /// The refusal, of an error that is about an item.
    fn refusal_mut(&mut self) -> Option<&mut Refused> {
        match self {
            ClientError::Exists(refused)
            | ClientError::Refused(refused)
            | ClientError::Taken { refused, .. }
            | ClientError::StaleVersion(refused)
            | ClientError::NotFound(refused) => Some(refused),
            ClientError::Value(_)
            | ClientError::Unknown(_)
            | ClientError::Named { .. }
            | ClientError::Missing { .. }
            | ClientError::Invalid(_)
            | ClientError::Service { .. }
            | ClientError::Transport(_)
            | ClientError::TimedOut(_)
            | ClientError::OutcomeUnknown { .. }
            | ClientError::TableDiffers { .. }
            | ClientError::UnknownItem(_)
            | ClientError::Overtaken(_)
            | ClientError::Incomplete(_) => None,
        }
    }

    /// The error of one absent argument.
    pub(crate) fn missing(of: &str, name: &str) -> ClientError {
        ClientError::Missing {
            of: of.to_owned(),
            names: vec![name.to_owned()],
        }
    }

    /// The error about an item of a batch, which names its position.
    pub(crate) fn of_item(self, at: usize) -> ClientError {
        let said = |text: &str| format!("item {at} of the batch: {text}");
        match self {
            ClientError::Value(error) => ClientError::Value(ValueError::Item {
                at,
                error: Box::new(error),
            }),
            ClientError::Missing { of, names } => ClientError::Missing {
                of: said(&of),
                names,
            },
            ClientError::Unknown(text) => ClientError::Unknown(said(&text)),
            ClientError::Invalid(text) => ClientError::Invalid(said(&text)),
            ClientError::Named { name, message } => ClientError::Named {
                name,
                message: said(&message),
            },
            ClientError::Exists(_)
            | ClientError::Refused(_)
            | ClientError::Taken { .. }
            | ClientError::StaleVersion(_)
            | ClientError::NotFound(_)
            | ClientError::Service { .. }
            | ClientError::Transport(_)
            | ClientError::TimedOut(_)
            | ClientError::OutcomeUnknown { .. }
            | ClientError::TableDiffers { .. }
            | ClientError::UnknownItem(_)
            | ClientError::Overtaken(_)
            | ClientError::Incomplete(_) => self,
        }
    }

    /// The error of one write of a transaction: `write` says which, `number` counts from 0.
    pub(crate) fn of_write(self, write: &str, number: usize) -> ClientError {
        let said = |text: String| match text.starts_with(write) {
            true => text,
            false => format!("{write}: {text}"),
        };
        let of_part = |refused: Refused| {
            let message = said(refused.message.clone());
            refused.of_write(message, number)
        };
        match self {
            ClientError::Value(error) => ClientError::Value(ValueError::Argument {
                argument: format!("writes[{number}]"),
                error: Box::new(error),
            }),
            ClientError::Missing { of, names } => ClientError::Missing {
                of: said(of),
                names,
            },
            ClientError::Unknown(text) => ClientError::Unknown(said(text)),
            ClientError::Invalid(text) => ClientError::Invalid(said(text)),
            ClientError::Named { name, message } => ClientError::Named {
                name,
                message: said(message),
            },
            ClientError::Exists(refused) => ClientError::Exists(of_part(*refused)),
            ClientError::Refused(refused) => ClientError::Refused(of_part(*refused)),
            ClientError::Taken {
                attributes,
                refused,
            } => ClientError::Taken {
                attributes,
                refused: of_part(*refused),
            },
            ClientError::StaleVersion(refused) => ClientError::StaleVersion(of_part(*refused)),
            ClientError::NotFound(refused) => ClientError::NotFound(of_part(*refused)),
            ClientError::Service { .. }
            | ClientError::Transport(_)
            | ClientError::TimedOut(_)
            | ClientError::OutcomeUnknown { .. }
            | ClientError::TableDiffers { .. }
            | ClientError::UnknownItem(_)
            | ClientError::Overtaken(_)
            | ClientError::Incomplete(_) => self,
        }
    }

    /// The kind of a `Service` error; `None` for other errors and unknown exceptions.
    pub fn kind(&self) -> Option<ErrorKind> {
        if let ClientError::Service { kind, .. } = self {
            *kind
        } else {
            None
        }
    }

    /// Whether nothing was done and the same request may succeed later. A write that conflicts with
    /// another transaction is not the same request later: it must read the item again first.
    pub fn is_passing(&self) -> bool {
        self.kind().is_some_and(ErrorKind::is_retryable) && !self.is_conflict()
    }

    /// Whether capacity is exhausted: nothing was done, and the same request may succeed later. Also of
    /// a transaction that was cancelled for nothing else.
    pub fn is_throttled(&self) -> bool {
        let ClientError::Service {
            kind: Some(kind),
            reasons,
            ..
        } = self
        else {
            return false;
        };
        let throttles = [
            ErrorKind::ProvisionedThroughputExceeded,
            ErrorKind::Throttling,
            ErrorKind::RequestLimitExceeded,
        ];
        let of_capacity = [
            ReasonCode::ProvisionedThroughputExceeded,
            ReasonCode::ThrottlingError,
        ];
        let mut failed = reasons
            .iter()
            .map(|(code, _)| code)
            .filter(|code| **code != ReasonCode::None)
            .peekable();
        throttles.contains(kind)
            || (*kind == ErrorKind::TransactionCanceled
                && failed.peek().is_some()
                && failed.all(|code| of_capacity.contains(code)))
    }

    /// Whether another transaction was using an item: the write may be tried again once it has read
    /// the item again.
    pub fn is_conflict(&self) -> bool {
        let ClientError::Service {
            kind: Some(kind),
            reasons,
            ..
        } = self
        else {
            return false;
        };
        let is_reason = || {
            reasons
                .iter()
                .any(|(code, _)| *code == ReasonCode::TransactionConflict)
        };
        *kind == ErrorKind::TransactionConflict
            || (*kind == ErrorKind::TransactionCanceled && is_reason())
    }

    /// Whether the condition of an action failed on an item that is stored.
    pub(crate) fn has_found(&self, action: usize) -> bool {
        matches!(self, ClientError::Service { found, .. } if found.contains(&action))
    }

    /// The indexes of the actions whose condition failed; `None` when the failure is no condition.
    pub(crate) fn failed_actions(&self) -> Option<Vec<usize>> {
        let ClientError::Service {
            kind: Some(kind),
            reasons,
            ..
        } = self
        else {
            return None;
        };
        if *kind == ErrorKind::ConditionalCheckFailed {
            return Some(vec![0]);
        }
        if *kind != ErrorKind::TransactionCanceled {
            return None;
        }
        let failed = reasons
            .iter()
            .enumerate()
            .filter(|(_, (code, _))| *code == ReasonCode::ConditionalCheckFailed);
        let failed: Vec<usize> = failed.map(|(at, _)| at).collect();
        (!failed.is_empty()).then_some(failed)
    }
}

/// The error about an answer of another operation: a bug of the backend.
pub fn unexpected() -> ClientError {
    ClientError::Transport("the backend answered another operation than was asked".to_owned())
}
