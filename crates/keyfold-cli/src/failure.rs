//! How the command ends when it cannot do what was asked: a message, and an exit code with a meaning.

use crate::terminal::{self, ERROR};
use keyfold_api::{ApiError, ErrorKind};
use keyfold_client::ClientError;
use std::process::ExitCode;

/// Why the command fails.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A condition does not hold, a value is taken, a table differs.
    Refused(String),
    /// The arguments are wrong.
    Usage(String),
    /// What is wrong has been shown in a report; this sums it up.
    Shown(String),
    /// The model has errors; they have been shown.
    Model,
    /// What must exist does not.
    NotFound(String),
    /// The backend cannot be used.
    Backend(String),
    /// A write was sent, and its answer was lost.
    Unknown(String),
}

impl Failure {
    fn code(&self) -> u8 {
        match self {
            Failure::Refused(_) | Failure::Shown(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Model => 3,
            Failure::NotFound(_) => 4,
            Failure::Backend(_) => 5,
            Failure::Unknown(_) => 6,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Failure::Refused(_) | Failure::Shown(_) => "refused",
            Failure::Usage(_) => "usage",
            Failure::Model => "model",
            Failure::NotFound(_) => "not_found",
            Failure::Backend(_) => "backend",
            Failure::Unknown(_) => "outcome_unknown",
        }
    }

    fn message(&self) -> Option<&str> {
        match self {
            Failure::Refused(message)
            | Failure::Shown(message)
            | Failure::Usage(message)
            | Failure::NotFound(message)
            | Failure::Backend(message)
            | Failure::Unknown(message) => Some(message),
            Failure::Model => None,
        }
    }

    pub(crate) fn report(&self, json: bool) -> ExitCode {
        if let Some(message) = self.message() {
            if json {
                if matches!(self, Failure::Shown(_)) {
                    return ExitCode::from(self.code());
                }
                let report = serde_json::json!({ "error": { "kind": self.kind(), "message": message } });
                terminal::line(&report.to_string());
            } else {
                terminal::error_line(&format!("{ERROR}error{ERROR:#}: {message}"));
            }
        }
        ExitCode::from(self.code())
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        let message = error.to_string();
        match error {
            ClientError::Value(_) | ClientError::Unknown(_) | ClientError::Missing(_) => {
                Failure::Usage(message)
            }
            ClientError::TableDiffers { .. } => Failure::Refused(format!(
                "{message}\nnothing was changed; change the model, or the table, or name another one (`keyfold diff OLD NEW` tells what a change of a model means)"
            )),
            ClientError::Refused(_) => Failure::Refused(message),
            ClientError::NotFound(_) => Failure::NotFound(message),
            ClientError::Transport(_) => Failure::Backend(message),
            ClientError::OutcomeUnknown { .. } => Failure::Unknown(message),
            ClientError::Service { kind, message: detail, .. } => match kind {
                Some(ErrorKind::ResourceNotFound) => Failure::Backend(format!(
                    "{message}; the tables of a model are made by `keyfold serve FILE`"
                )),
                Some(ErrorKind::Internal) => Failure::Backend(detail),
                Some(kind) if is_unusable(kind) => Failure::Backend(message),
                None if is_denied(&message) => Failure::Backend(message),
                _ => Failure::Refused(message),
            },
        }
    }
}

/// Whether an error is about who asks, or how much: the same request is refused whatever it says.
fn is_unusable(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::MissingAuthenticationToken
            | ErrorKind::IncompleteSignature
            | ErrorKind::UnrecognizedClient
            | ErrorKind::InvalidSignature
            | ErrorKind::AccessDenied
            | ErrorKind::Throttling
            | ErrorKind::ProvisionedThroughputExceeded
            | ErrorKind::RequestLimitExceeded
    )
}

/// The same of exceptions that only the service has.
fn is_denied(message: &str) -> bool {
    [
        "ExpiredToken",
        "InvalidClientTokenId",
        "AccessDenied",
        "Throttl",
        "OptInRequired",
        "NotAuthorized",
        "ServiceUnavailable",
    ]
    .iter()
    .any(|name| message.contains(name))
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Failure {
        match error {
            ApiError::Internal(detail) => Failure::Backend(detail),
            other => Failure::Refused(other.to_string()),
        }
    }
}
