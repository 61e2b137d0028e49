//! Errors, in kinds that a program can match.

use keyfold_client::{ClientError, Incomplete};
use keyfold_engine::OpenError;
use keyfold_lower::Refused;
use keyfold_model::value::ValueError;
use keyfold_model::{Diagnostic, Severity, Sources};

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
    /// An argument is wrong or missing, or a name that the model does not have.
    #[error("{0}")]
    Invalid(String),
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
    /// The data folder cannot be opened, with the reason.
    #[error("cannot open the data folder: {}", escaped(&.0.to_string()))]
    Open(OpenError),
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
    },
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
            | Error::Invalid(_)
            | Error::Closed
            | Error::Open(_)
            | Error::Unavailable(_)
            | Error::TimedOut(_)
            | Error::OutcomeUnknown { .. }
            | Error::Incomplete(_)
            | Error::Throttled { .. }
            | Error::Service { .. } => None,
        }
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

impl From<ClientError> for Error {
    fn from(error: ClientError) -> Error {
        let text = error.to_string();
        let is_throttled = error.is_throttled();
        match error {
            ClientError::Value(ValueError::Finer { .. }) => Error::Invalid(format!(
                "{text}; `keyfold::time::truncate` cuts a time, and \
                 `#[serde(serialize_with = \"keyfold::time::millis\")]` a member"
            )),
            ClientError::Value(_)
            | ClientError::Unknown(_)
            | ClientError::Missing { .. }
            | ClientError::Invalid(_) => Error::Invalid(text),
            ClientError::Exists(why) => Error::Exists(why),
            ClientError::Service {
                exception, message, ..
            } if is_throttled => Error::Throttled { exception, message },
            ClientError::Service {
                exception, message, ..
            } => Error::Service { exception, message },
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
