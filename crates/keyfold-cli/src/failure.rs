//! Failures of the command: a message, and an exit code with a meaning.

use crate::json;
use crate::terminal::{self, ERROR};
use keyfold_api::{ApiError, ErrorKind};
use keyfold_client::ClientError;
use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::ExitCode;

/// What kind of failure it is: one exit code each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A condition does not hold, a value is taken, a proof fails, a table differs.
    Refused,
    /// The arguments are wrong.
    Usage,
    /// The model has errors.
    Model,
    /// What must exist does not.
    NotFound,
    /// The backend cannot be used.
    Backend,
    /// A write was sent, and its answer was lost.
    OutcomeUnknown,
}

impl Kind {
    fn code(self) -> u8 {
        match self {
            Kind::Refused => 1,
            Kind::Usage => 2,
            Kind::Model => 3,
            Kind::NotFound => 4,
            Kind::Backend => 5,
            Kind::OutcomeUnknown => 6,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Refused => "refused",
            Kind::Usage => "usage",
            Kind::Model => "model",
            Kind::NotFound => "not_found",
            Kind::Backend => "backend",
            Kind::OutcomeUnknown => "outcome_unknown",
        }
    }
}

/// Why the command fails.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
    /// Whether people have been shown what is wrong.
    is_shown: bool,
    more: Box<More>,
}

/// What programs are told besides.
#[derive(Debug, Default)]
struct More {
    /// Which file, folder, table or argument is meant, as an object with one of these members.
    place: Json,
    /// What the compiler found, and how much more it found.
    diagnostics: Option<(Json, usize)>,
    /// What the command reports although it fails: the differences of a proof, the files that are
    /// not formatted.
    result: Option<Json>,
}

impl Failure {
    fn new(kind: Kind, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
            is_shown: false,
            more: Box::default(),
        }
    }

    fn placed(mut self, place: Json) -> Failure {
        self.more.place = place;
        self
    }

    /// A condition does not hold, a value is taken, a table differs.
    pub(crate) fn refused(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Refused, message)
    }

    /// The arguments are wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Usage, message)
    }

    /// What must exist does not.
    pub(crate) fn not_found(message: impl Into<String>) -> Failure {
        Failure::new(Kind::NotFound, message)
    }

    /// The backend cannot be used.
    pub(crate) fn backend(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Backend, message)
    }

    /// The model has errors; people have been shown them.
    pub(crate) fn model(
        message: impl Into<String>,
        place: Json,
        diagnostics: Json,
        more: usize,
    ) -> Failure {
        let more = More {
            place,
            diagnostics: Some((diagnostics, more)),
            result: None,
        };
        Failure {
            is_shown: true,
            more: Box::new(more),
            ..Failure::new(Kind::Model, message)
        }
    }

    /// The command did its work, and the verdict is bad: the report goes with the failure.
    pub(crate) fn verdict(message: impl Into<String>, report: Json) -> Failure {
        let mut failure = Failure::refused(message);
        failure.more.result = Some(report);
        failure
    }

    /// Which file is meant.
    pub(crate) fn in_file(self, path: &Path) -> Failure {
        self.placed(json!({ "file": path.display().to_string() }))
    }

    /// Which folder is meant.
    pub(crate) fn in_folder(self, path: &Path) -> Failure {
        self.placed(json!({ "folder": path.display().to_string() }))
    }

    /// Which table is meant.
    fn in_table(self, name: &str) -> Failure {
        self.placed(json!({ "table": name }))
    }

    /// Which argument is meant.
    pub(crate) fn of_argument(self, name: &str) -> Failure {
        self.placed(json!({ "argument": name }))
    }

    /// Tells it, and gives the exit code.
    pub(crate) fn report(self, as_json: bool) -> ExitCode {
        let code = ExitCode::from(self.kind.code());
        if !as_json {
            if !self.is_shown {
                terminal::error_line(&format!("{ERROR}error{ERROR:#}: {}", self.message));
            }
            return code;
        }
        let mut error =
            json!({ "kind": self.kind.word(), "message": self.message, "where": self.more.place });
        if let Some((diagnostics, more)) = self.more.diagnostics {
            error["diagnostics"] = diagnostics;
            error["more"] = json!(more);
        }
        json::print_failure(error, self.more.result);
        code
    }
}
impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        let message = error.to_string();
        match error {
            ClientError::Value(value) => Failure::usage(message).of_argument(value.name()),
            ClientError::Unknown(_) | ClientError::Missing(_) => Failure::usage(message),
            ClientError::TableDiffers { table, .. } => Failure::refused(format!(
                "{message}\nnothing was changed; change the model, or the table, or name another one (`keyfold diff OLD NEW` tells what a change of a model means)"
            ))
            .in_table(&table),
            ClientError::Refused(_) | ClientError::Taken { .. } | ClientError::StaleVersion(_) => {
                Failure::refused(message)
            }
            ClientError::NotFound(_) => Failure::not_found(message),
            ClientError::Transport(_) => Failure::backend(message),
            ClientError::OutcomeUnknown { .. } => Failure::new(Kind::OutcomeUnknown, message),
            ClientError::Service { kind, message: detail, .. } => match kind {
                Some(ErrorKind::ResourceNotFound) => Failure::backend(format!(
                    "{message}; the tables of a model are made by `keyfold serve FILE`"
                )),
                Some(ErrorKind::Internal) => Failure::backend(detail),
                Some(kind) if is_unusable(kind) => Failure::backend(message),
                None if is_denied(&message) => Failure::backend(message),
                _ => Failure::refused(message),
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
            ApiError::Internal(detail) => Failure::backend(detail),
            other => Failure::refused(other.to_string()),
        }
    }
}
