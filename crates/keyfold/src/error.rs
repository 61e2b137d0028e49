//! Errors, in kinds that a program can match.

use crate::serial::fault::Fault;
use keyfold_api::ReasonCode;
use keyfold_client::{ClientError, Incomplete};
use keyfold_engine::OpenError;
use keyfold_lower::{Refused, UnknownItem};
use keyfold_model::value::ValueError;
use keyfold_model::{Diagnostic, Severity, Sources};
use std::path::{Path, PathBuf};

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The model has errors. Displayed with the lines they are in.
    #[error("{}", .0.iter().map(|one| one.rendered.as_str()).collect::<Vec<_>>().join("\n"))]
    Model(Vec<Finding>),
    /// A table exists and is not as the model says. Nothing was changed.
    #[error("the table {table} exists and differs from the model:\n{}", .differences.join("\n"))]
    TableDiffers {
        /// The table.
        table: String,
        /// Each difference in a line.
        differences: Vec<String>,
    },
    /// An argument is wrong or missing, or a name that the model does not have. Nothing was sent.
    #[error("{message}")]
    Invalid {
        /// The sentence.
        message: String,
        /// The entity, pattern or write: `Order`, `the pattern orders_of_user`.
        of: Option<String>,
        /// The attribute or parameter, with the path to a nested value: `lines[2].price`.
        attribute: Option<String>,
    },
    /// An answer has more items than `all` was to take.
    #[error(
        "{pattern} has more than {most} items; read it in pages, or give `all` a larger number"
    )]
    TooMany {
        /// The pattern.
        pattern: String,
        /// The most items that the caller takes.
        most: usize,
    },
    /// An item of the table that the model does not know: with the sentence, the key of the item, and
    /// the attribute that is wrong or missing. `on_unknown` leaves such items out.
    #[error("{0}")]
    UnknownItem(Box<UnknownItem>),
    /// Other writers were faster at every attempt. The call may be tried again.
    #[error("{0}")]
    Overtaken(String),
    /// An item with this key exists already: with the sentence, the action of the write and the item.
    #[error("{0}")]
    Exists(Box<Refused>),
    /// A condition does not hold, an item is still counted: with the sentence, the conditions, the
    /// action of the write and the item.
    #[error("{0}")]
    Refused(Box<Refused>),
    /// A unique value is another item's.
    #[error("{refused}")]
    Taken {
        /// The unique attributes.
        attributes: Vec<String>,
        /// The sentence, the action of the write, and the item that was to have them.
        refused: Box<Refused>,
    },
    /// The version given is not the item's: it has been changed since it was read.
    #[error("{0}")]
    StaleVersion(Box<Refused>),
    /// An item or table that must exist does not.
    #[error("{0}")]
    NotFound(Box<Refused>),
    /// The database has been closed.
    #[error("the database is closed")]
    Closed,
    /// The data folder cannot be opened, or the engine in memory not started.
    #[error("{}: {}", unopened(.folder.as_deref()), escaped(&.error.to_string()))]
    Open {
        /// The data folder, as the caller named it; none in memory.
        folder: Option<PathBuf>,
        /// The reason.
        error: OpenError,
    },
    /// The endpoint cannot be used. Nothing was written.
    #[error("{0}")]
    Unavailable(String),
    /// The time that the call was given is over. Nothing was written.
    #[error("{0}")]
    TimedOut(String),
    /// The answer of a write was lost: it may have been carried out. Repeating it was not safe, or
    /// did not help.
    #[error("whether it was done is not known: {why}; look at {check} before you do it again")]
    OutcomeUnknown {
        /// What happened.
        why: String,
        /// What shows whether it was done.
        check: String,
    },
    /// A batch was written in part.
    #[error("{0}")]
    Incomplete(Incomplete),
    /// Capacity is exhausted: of a table, an index, a partition or an account. Nothing was written, and
    /// the call succeeds later. An endpoint's requests were repeated before, as often as
    /// [`Endpoint`](crate::Endpoint) says.
    #[error("{exception}: {message}")]
    Throttled {
        /// The exception's name, as in DynamoDB's documentation.
        exception: String,
        /// Its sentence.
        message: String,
    },
    /// The engine or the service refused a request, with its exception.
    #[error("{exception}: {message}")]
    Service {
        /// The exception's name, as in DynamoDB's documentation.
        exception: String,
        /// Its sentence.
        message: String,
        /// Of a cancelled transaction, the outcome of each action.
        reasons: Vec<Reason>,
    },
}

/// The outcome of one action of a cancelled transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// Its code, as in DynamoDB's documentation: `ConditionalCheckFailed`, or `None` of an action that
    /// is not at fault.
    pub code: String,
    /// Its sentence.
    pub message: Option<String>,
}

/// What cannot be opened.
fn unopened(folder: Option<&Path>) -> String {
    folder.map_or_else(
        || "cannot start the engine".to_owned(),
        |folder| {
            let folder = folder.display().to_string();
            format!("cannot open the data folder {}", escaped(&folder))
        },
    )
}

/// A text without characters that move the cursor.
fn escaped(text: &str) -> String {
    let one = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(one).collect()
}

/// An error of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's code, like KF012: `keyfold explain KF012` says more.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// The file; `model` of a model that was given as a text.
    pub file: String,
    /// The owner that the file names.
    pub owner: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// All of it as a person reads it, with the lines of the model and how to repair it.
    pub rendered: String,
}

impl Error {
    /// The sentence, the action and the item, of an error that is about an item: `Refused`, `Exists`,
    /// `Taken`, `StaleVersion`, `NotFound`.
    ///
    /// ```
    /// # use keyfold::{Keyfold, values};
    /// # let db = Keyfold::memory()?;
    /// # let notes = db.model("model n 1\ntable Notes (PK, SK)\nentity Note\n  id: string\n  key \"N#{id}\" \"N\"\npattern note(id) -> Note?\n")?;
    /// notes.create("Note", values! { "id": "a" })?;
    /// let again = notes.create("Note", values! { "id": "a" }).unwrap_err();
    /// let refused = again.refused().expect("it is about a note");
    /// assert_eq!(refused.action.as_deref(), Some("put Note"));
    /// assert_eq!(refused.entity.as_deref(), Some("Note"));
    /// # Ok::<(), keyfold::Error>(())
    /// ```
    pub fn refused(&self) -> Option<&Refused> {
        match self {
            Error::Exists(refused)
            | Error::Refused(refused)
            | Error::Taken { refused, .. }
            | Error::StaleVersion(refused)
            | Error::NotFound(refused) => Some(refused),
            Error::Model(_)
            | Error::TableDiffers { .. }
            | Error::Invalid { .. }
            | Error::TooMany { .. }
            | Error::UnknownItem(_)
            | Error::Overtaken(_)
            | Error::Closed
            | Error::Open { .. }
            | Error::Unavailable(_)
            | Error::TimedOut(_)
            | Error::OutcomeUnknown { .. }
            | Error::Incomplete(_)
            | Error::Throttled { .. }
            | Error::Service { .. } => None,
        }
    }

    /// The error about a call, as a sentence.
    pub(crate) fn invalid(message: impl Into<String>) -> Error {
        Error::Invalid {
            message: message.into(),
            of: None,
            attribute: None,
        }
    }

    /// The error about a value that cannot be stored.
    pub(crate) fn of_fault(fault: &Fault) -> Error {
        Error::Invalid {
            message: fault.to_string(),
            of: None,
            attribute: fault.path(),
        }
    }

    /// The error, which is of an entity, a pattern or a write where it is about a call.
    pub(crate) fn owned(mut self, name: &str) -> Error {
        if let Error::Invalid { of, .. } = &mut self {
            of.get_or_insert_with(|| name.to_owned());
        }
        self
    }

    /// The error, which is about an argument of a call.
    pub(crate) fn at(mut self, argument: &str) -> Error {
        if let Error::Invalid { attribute, .. } = &mut self {
            attribute.get_or_insert_with(|| argument.to_owned());
        }
        self
    }

    /// The error about an item of a batch, which names its position.
    pub(crate) fn of_item(mut self, at: usize) -> Error {
        if let Error::Invalid { message, .. } = &mut self {
            *message = format!("item {at} of the batch: {message}");
        }
        self
    }

    /// The error about an item that must exist, as a sentence.
    pub(crate) fn not_found(message: String) -> Error {
        ClientError::not_found(message).into()
    }

    /// The errors of a model's texts.
    pub(crate) fn of_model(sources: &Sources, diagnostics: &[Diagnostic]) -> Error {
        let errors = diagnostics
            .iter()
            .filter(|one| one.severity == Severity::Error);
        let finding = |one: &Diagnostic| {
            let place = sources.place(one.place());
            Finding {
                code: one.code.to_owned(),
                message: one.message.clone(),
                file: place.path,
                owner: place.owner.map(str::to_owned),
                line: place.line,
                column: place.column,
                rendered: one.render_in(sources, false),
            }
        };
        Error::Model(errors.map(finding).collect())
    }
}

/// The error about a value that is none of its type.
fn of_value(wrong: &ValueError, text: String) -> Error {
    let hint = "`keyfold::time::truncate` cuts a time, and `#[serde(serialize_with = \"keyfold::time::millis\")]` a member";
    Error::Invalid {
        message: match wrong {
            ValueError::Finer { .. } => format!("{text}; {hint}"),
            ValueError::Text { .. }
            | ValueError::Moment { .. }
            | ValueError::Twice { .. }
            | ValueError::Missing(_)
            | ValueError::MissingField(_)
            | ValueError::Set(_)
            | ValueError::Kind { .. }
            | ValueError::Periods { .. }
            | ValueError::Delimiter { .. }
            | ValueError::Empty(_)
            | ValueError::Argument { .. }
            | ValueError::Item { .. }
            | ValueError::Long { .. }
            | ValueError::Width { .. } => text,
        },
        of: None,
        attribute: Some(wrong.name().to_owned()),
    }
}

fn reason((code, message): (ReasonCode, Option<String>)) -> Reason {
    Reason {
        code: code.name().to_owned(),
        message,
    }
}

impl From<ClientError> for Error {
    fn from(error: ClientError) -> Error {
        let text = error.to_string();
        let is_throttled = error.is_throttled();
        match error {
            ClientError::Value(wrong) => of_value(&wrong, text),
            ClientError::Missing { names, .. } => Error::Invalid {
                message: text,
                of: None,
                attribute: names.into_iter().next(),
            },
            ClientError::Named { name, .. } => Error::Invalid {
                message: text,
                of: None,
                attribute: Some(name),
            },
            ClientError::Unknown(_) | ClientError::Invalid(_) => Error::invalid(text),
            ClientError::UnknownItem(unknown) => Error::UnknownItem(unknown),
            ClientError::Overtaken(why) => Error::Overtaken(why),
            ClientError::Exists(why) => Error::Exists(why),
            ClientError::Service {
                exception, message, ..
            } if is_throttled => Error::Throttled { exception, message },
            ClientError::Service {
                exception,
                message,
                reasons,
                ..
            } => Error::Service {
                exception,
                message,
                reasons: reasons.into_iter().map(reason).collect(),
            },
            ClientError::Transport(why) => Error::Unavailable(why),
            ClientError::TimedOut(why) => Error::TimedOut(why),
            ClientError::OutcomeUnknown { why, check } => Error::OutcomeUnknown { why, check },
            ClientError::TableDiffers { table, differences } => {
                Error::TableDiffers { table, differences }
            }
            ClientError::Refused(refused) => Error::Refused(refused),
            ClientError::Taken {
                attributes,
                refused,
            } => Error::Taken {
                attributes,
                refused,
            },
            ClientError::StaleVersion(why) => Error::StaleVersion(why),
            ClientError::NotFound(why) => Error::NotFound(why),
            ClientError::Incomplete(batch) => Error::Incomplete(batch),
        }
    }
}
