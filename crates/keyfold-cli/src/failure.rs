//! The failures of commands: a message, and the exit code of its kind.

use keyfold_api::{ApiError, ErrorKind};
use keyfold_client::ClientError;
use keyfold_client::arguments::written_name;
use serde_json::{Value as Json, json};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// The kinds of failures; each has an exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A condition does not hold, a value is taken, a proof fails, a table differs.
    Refused,
    /// The arguments are wrong.
    Usage,
    /// The model has errors.
    Model,
    /// A required item or table does not exist.
    NotFound,
    /// The backend cannot be used.
    Backend,
    /// A write was sent, and its answer was lost: its outcome is unknown.
    OutcomeUnknown,
    /// It stands until people have done something.
    Waiting,
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
            Kind::Waiting => 7,
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
            Kind::Waiting => "waiting",
        }
    }
}

/// The failure of a command.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: Kind,
    message: String,
    /// Whether people have seen the reason.
    is_shown: bool,
    more: Box<More>,
}

/// Members of the error for programs.
#[derive(Debug, Default)]
struct More {
    /// The file, folder, table or argument of the error: an object with one of these members, or
    /// null.
    place: Json,
    /// The findings of the compiler, and the number of findings beyond them.
    diagnostics: Option<(Json, usize)>,
    /// The report of a bad verdict: the differences of a proof, the files that are not
    /// formatted.
    result: Option<Json>,
    /// The error of a request that it is made of.
    cause: Option<ClientError>,
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

    /// A required item or table does not exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Failure {
        Failure::new(Kind::NotFound, message)
    }

    /// It stands until people have done something.
    pub(crate) fn waiting(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Waiting, message)
    }

    /// The backend cannot be used.
    pub(crate) fn backend(message: impl Into<String>) -> Failure {
        Failure::new(Kind::Backend, message)
    }

    /// A file cannot be written: its path names no place for a file, or the storage takes none.
    pub(crate) fn unwritten(path: &Path, error: &io::Error) -> Failure {
        let message = format!("cannot write {}: {error}", path.display());
        Failure::of_place(error, message).in_file(path)
    }

    /// The failure of a path that was given and cannot be used: wrong usage if the path names no
    /// place, and a backend that cannot be used if the storage takes no data.
    pub(crate) fn of_place(error: &io::Error, message: String) -> Failure {
        let is_path_wrong = matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::PermissionDenied
                | io::ErrorKind::AlreadyExists
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::IsADirectory
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidFilename
        );
        let kind = if is_path_wrong {
            Kind::Usage
        } else {
            Kind::Backend
        };
        Failure::new(kind, message)
    }

    /// The model has errors, which people have seen.
    pub(crate) fn model(
        message: impl Into<String>,
        place: Json,
        diagnostics: Json,
        more: usize,
    ) -> Failure {
        let more = More {
            place,
            diagnostics: Some((diagnostics, more)),
            ..More::default()
        };
        Failure {
            is_shown: true,
            more: Box::new(more),
            ..Failure::new(Kind::Model, message)
        }
    }

    /// Adds the report of a command that did its work and has a bad verdict.
    pub(crate) fn with_report(mut self, report: Json) -> Failure {
        self.more.result = Some(report);
        self
    }

    /// The error of a request that it is made of.
    pub(crate) fn cause(&self) -> Option<&ClientError> {
        self.more.cause.as_ref()
    }

    /// As another failure, with the report of this one.
    pub(crate) fn told_as(mut self, mut other: Failure) -> Failure {
        other.more.result = self.more.result.take();
        other
    }

    /// Adds the file as the place of the error.
    pub(crate) fn in_file(self, path: &Path) -> Failure {
        self.placed(json!({ "file": path.display().to_string() }))
    }

    /// Adds a line of a file as the place of the error.
    pub(crate) fn at_line(self, path: &Path, line: usize) -> Failure {
        self.placed(json!({ "file": path.display().to_string(), "line": line }))
    }

    /// Adds the folder as the place of the error.
    pub(crate) fn in_folder(self, path: &Path) -> Failure {
        self.placed(json!({ "folder": path.display().to_string() }))
    }

    /// Adds the table as the place of the error.
    pub(crate) fn in_table(self, name: &str) -> Failure {
        self.placed(json!({ "table": name }))
    }

    /// Adds the argument as the place of the error.
    pub(crate) fn of_argument(self, name: &str) -> Failure {
        self.placed(json!({ "argument": name }))
    }

    /// The exit code.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.number())
    }

    /// The exit code as a number.
    pub(crate) fn number(&self) -> u8 {
        self.kind.code()
    }

    /// Why the command could not.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// With a message made of its own.
    pub(crate) fn with_message(mut self, made: impl FnOnce(String) -> String) -> Failure {
        self.message = made(self.message);
        self
    }

    /// The message, unless people have seen the reason already.
    pub(crate) fn unseen_message(&self) -> Option<&str> {
        (!self.is_shown).then_some(&self.message)
    }

    /// The error for programs, and the report.
    pub(crate) fn into_document(self) -> (Json, Option<Json>) {
        let mut error =
            json!({ "kind": self.kind.word(), "message": self.message, "where": self.more.place });
        if let Some((diagnostics, more)) = self.more.diagnostics {
            error["diagnostics"] = diagnostics;
            error["more"] = json!(more);
        }
        (error, self.more.result)
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        let cause = Some(error.clone());
        let mut failure = Failure::of_request(error);
        failure.more.cause = cause;
        failure
    }
}

impl Failure {
    fn of_request(error: ClientError) -> Failure {
        let message = error.to_string();
        match error {
            ClientError::Value(value) => Failure::usage(message).of_argument(value.name()),
            ClientError::Unknown(_) | ClientError::Named { .. } | ClientError::Invalid(_) => {
                Failure::usage(message)
            }
            ClientError::Missing { names, .. } => {
                let forms = names.iter().map(|name| format!("{}=…", written_name(name)));
                let forms: Vec<String> = forms.collect();
                Failure::usage(format!("{message}; write {}", forms.join(" ")))
            }
            ClientError::TableDiffers { table, .. } => Failure::refused(format!(
                "{message}\nnothing was changed; `keyfold evolve plan OLD NEW` says what changes the table, from the model as it was to this one, and `keyfold evolve run` does it; or change the model, or name another table"
            ))
            .in_table(&table),
            ClientError::Exists(_)
            | ClientError::UnknownItem(_)
            | ClientError::Overtaken(_)
            | ClientError::Refused(_)
            | ClientError::Taken { .. }
            | ClientError::StaleVersion(_) => Failure::refused(message),
            ClientError::NotFound(_) => Failure::not_found(message),
            ClientError::Incomplete(batch) if batch.unknown.is_empty() => Failure::backend(message),
            ClientError::Incomplete(_) => Failure::new(Kind::OutcomeUnknown, message),
            ClientError::Transport(_) | ClientError::TimedOut(_) => Failure::backend(message),
            ClientError::OutcomeUnknown { .. } => Failure::new(Kind::OutcomeUnknown, message),
            ClientError::Service {
                kind,
                exception,
                message: detail,
                ..
            } => match kind {
                Some(ErrorKind::ResourceNotFound) => Failure::backend(format!(
                    "{message}; `keyfold tables FILE` makes the tables of a model"
                )),
                Some(ErrorKind::Internal) => Failure::backend(detail),
                Some(kind) if is_unusable(kind) => Failure::backend(message),
                None if is_denied(&exception) => Failure::backend(message),
                Some(_) | None => Failure::refused(message),
            },
        }
    }
}

/// Whether an error is about the caller or the rate, so that every request of the caller fails.
fn is_unusable(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::MissingAuthenticationToken
        | ErrorKind::IncompleteSignature
        | ErrorKind::UnrecognizedClient
        | ErrorKind::InvalidSignature
        | ErrorKind::AccessDenied
        | ErrorKind::Throttling
        | ErrorKind::ProvisionedThroughputExceeded
        | ErrorKind::RequestLimitExceeded => true,
        ErrorKind::Validation
        | ErrorKind::Serialization
        | ErrorKind::UnknownOperation
        | ErrorKind::ConditionalCheckFailed
        | ErrorKind::TransactionCanceled
        | ErrorKind::IdempotentParameterMismatch
        | ErrorKind::ResourceNotFound
        | ErrorKind::ResourceInUse
        | ErrorKind::LimitExceeded
        | ErrorKind::ItemCollectionSizeLimitExceeded
        | ErrorKind::TableNotFound
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
        | ErrorKind::TrimmedDataAccess
        | ErrorKind::DuplicateItem
        | ErrorKind::TransactionConflict
        | ErrorKind::TransactionInProgress
        | ErrorKind::Internal => false,
    }
}

/// Whether an exception that is not in the API is about the caller or the rate.
fn is_denied(exception: &str) -> bool {
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
    .any(|name| exception.contains(name))
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Failure {
        if error.kind() == ErrorKind::Internal {
            Failure::backend(detail(error))
        } else {
            Failure::refused(error.to_string())
        }
    }
}

/// The text of an engine's error; of an internal error, its cause.
fn detail(error: ApiError) -> String {
    if let ApiError::Internal(cause) = error {
        cause
    } else {
        error.to_string()
    }
}
