//! Stream records as changes of the model's entities.

use crate::error::Error;
use crate::item::Item;
use keyfold_api::{Operation, Response, StreamEvent};
use keyfold_client::{ClientError, event};
use keyfold_lower::OnUnknown;
use keyfold_wire::client::{decode_item, decode_response};
use serde_json::Value as Json;

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
        let records = match decode_response(Operation::GetRecords, json) {
            Ok(Response::GetRecords(output)) => output.records,
            Ok(_) | Err(_) => None,
        };
        let records = records.ok_or_else(|| {
            let none = "an event of a stream is JSON with `Records`, and this is not";
            Error::invalid(no_record(json).unwrap_or_else(|| none.to_owned()))
        })?;
        let events = records.iter().map(|record| self.of_record(record));
        let events: Result<Vec<Event>, Error> = events.filter_map(Result::transpose).collect();
        events.map_err(|error| match (&error, no_record(json)) {
            (Error::Invalid { .. }, Some(why)) => Error::invalid(why),
            _ => error,
        })
    }
}

/// Why JSON with `Records` has one that is no record of a stream: the value that is not DynamoDB's.
fn no_record(json: &[u8]) -> Option<String> {
    let event: Json = serde_json::from_slice(json).ok()?;
    let records = event.get("Records")?.as_array()?;
    records.iter().enumerate().find_map(|(at, record)| {
        let why = wrong_value(record)?;
        Some(format!(
            "record {at} is none of a stream: {why} of DynamoDB's JSON"
        ))
    })
}

fn wrong_value(record: &Json) -> Option<String> {
    let change = record.get("dynamodb")?;
    let mut images = ["Keys", "OldImage", "NewImage"].into_iter();
    images.find_map(|name| {
        let image = change.get(name).filter(|image| !image.is_null())?;
        let Some(image) = image.as_object() else {
            return Some(format!("its `{name}` is no item"));
        };
        let wrong = image.iter().find(|(attribute, value)| {
            let alone = serde_json::json!({ attribute.as_str(): value });
            decode_item(alone.to_string().as_bytes()).is_err()
        });
        let (attribute, _) = wrong?;
        Some(format!("`{attribute}` of its `{name}` is no value"))
    })
}

impl std::fmt::Debug for Events<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
