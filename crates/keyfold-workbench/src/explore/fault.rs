//! A refusal, with the fields of the form that it is about.

use crate::files::FileError;
use keyfold_client::ClientError;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// A refusal.
pub(super) struct Fault {
    message: String,
    /// The sentences about single fields, by name.
    fields: BTreeMap<String, String>,
    /// The requests that were sent before.
    exchanges: Vec<Json>,
}

impl Fault {
    pub(super) fn because(message: String) -> Fault {
        Fault {
            message,
            fields: BTreeMap::new(),
            exchanges: Vec::new(),
        }
    }

    /// The same, with the requests that were sent.
    pub(super) fn after(self, exchanges: Vec<Json>) -> Fault {
        Fault { exchanges, ..self }
    }

    /// What is refused, as one sentence.
    pub(super) fn message(self) -> String {
        self.message
    }

    pub(super) fn json(self) -> Json {
        let Fault {
            message,
            fields,
            exchanges,
        } = self;
        json!({ "error": message, "fields": fields, "exchanges": exchanges })
    }
}

impl From<ClientError> for Fault {
    fn from(error: ClientError) -> Fault {
        let mut fault = Fault::because(error.to_string());
        match error {
            ClientError::Value(error) => {
                fault
                    .fields
                    .insert(error.name().to_owned(), error.to_string());
            }
            ClientError::Named { name, message } => {
                fault.fields.insert(name, message);
            }
            ClientError::Missing { names, .. } => {
                let needed = |name| (name, "a value is needed".to_owned());
                fault.fields.extend(names.into_iter().map(needed));
            }
            ClientError::Unknown(_)
            | ClientError::Invalid(_)
            | ClientError::Service { .. }
            | ClientError::Transport(_)
            | ClientError::TimedOut(_)
            | ClientError::OutcomeUnknown { .. }
            | ClientError::TableDiffers { .. }
            | ClientError::Exists(_)
            | ClientError::Refused(_)
            | ClientError::Taken { .. }
            | ClientError::StaleVersion(_)
            | ClientError::NotFound(_)
            | ClientError::UnknownItem(_)
            | ClientError::Overtaken(_)
            | ClientError::Incomplete(_) => {}
        }
        fault
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Fault {
        Fault::because(error.to_string())
    }
}
