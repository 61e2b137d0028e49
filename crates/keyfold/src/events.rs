//! Stream records as changes of the model's entities.

use crate::error::Error;
use crate::item::Item;
use keyfold_api::{Operation, Response, StreamEvent};
use keyfold_client::{ClientError, event};
use keyfold_lower::OnUnknown;

/// A change of an entity, or of a copy, from a stream record.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Event {
    /// The entity, or `Entity.copy`.
    pub kind: String,
    /// It before the change; `None` when it was created, or when the stream has no old images.
    pub old: Option<Item>,
    /// It after the change; `None` when it was deleted, or when the stream has no new images.
    pub new: Option<Item>,
}

/// Reads stream records. Reading many with one is faster than with one each. See
/// [`crate::Database::events`].
pub struct Events<'d> {
    events: event::Events<'d>,
    on_unknown: OnUnknown,
}

impl<'d> Events<'d> {
    pub(crate) fn new(model: &'d keyfold_model::Model) -> Events<'d> {
        Events {
            events: event::Events::new(model),
            on_unknown: OnUnknown::Error,
        }
    }

    /// What becomes of an item that the model does not know, instead of what the database says.
    pub fn on_unknown(mut self, on_unknown: OnUnknown) -> Self {
        self.on_unknown = on_unknown;
        self
    }

    pub(crate) fn skips_unknown(&self) -> bool {
        self.on_unknown == OnUnknown::Skip
    }

    /// Takes the records of copies as changes, too: of the kind `Entity.copy`.
    pub fn with_copies(mut self) -> Self {
        self.events = self.events.with_copies();
        self
    }

    /// The change that a record of GetRecords reports. `None` for an item that follows from an entity:
    /// a copy (see [`Events::with_copies`]), a guard, a further part of a list that is stored in
    /// several items. The record of the entity comes beside it. Such a list is not among the attributes, since no record has all of it.
    ///
    /// # Errors
    /// `UnknownItem` for an item that the model does not know: with another key or type, without an
    /// attribute that it must have, or with one that is no value of its type. `Invalid` for a record
    /// without images: the stream of the table must have them.
    pub fn of_record(&self, record: &StreamEvent) -> Result<Option<Event>, Error> {
        let change = match self.events.change(record) {
            Err(ClientError::UnknownItem(_)) if self.on_unknown == OnUnknown::Skip => None,
            other => other?,
        };
        Ok(change.map(|change| Event {
            kind: change.kind,
            old: change.old.map(Item::new),
            new: change.new.map(Item::new),
        }))
    }

    /// The changes that an event of Lambda reports: its JSON, `{"Records": [...]}`, as that of
    /// GetRecords.
    ///
    /// # Errors
    /// As [`Events::of_record`]; `Invalid` when the text is no such JSON.
    pub fn of_json(&self, json: &[u8]) -> Result<Vec<Event>, Error> {
        let records = match keyfold_wire::client::decode_response(Operation::GetRecords, json) {
            Ok(Response::GetRecords(output)) => output.records,
            Ok(_) | Err(_) => None,
        };
        let records = records.ok_or_else(|| {
            let why = "an event of a stream is JSON with `Records`, and this is not";
            Error::invalid(why.to_owned())
        })?;
        let events = records.iter().map(|record| self.of_record(record));
        events.filter_map(Result::transpose).collect()
    }
}

impl std::fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
