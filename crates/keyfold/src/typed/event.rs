//! Stream records as changes of a model's entities.

use super::members::{Answer, Held};
use super::value::Fault;
use crate::error::Error;
use crate::item::Item;
use keyfold_api::StreamEvent;
use std::marker::PhantomData;

/// A change of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<T> {
    /// It before the change; `None` when it was created, or when the stream has no old images.
    pub old: Option<T>,
    /// It after the change; `None` when it was deleted, or when the stream has no new images.
    pub new: Option<T>,
}

impl<T: Answer> Change<T> {
    /// A change of a kind of item.
    ///
    /// # Errors
    /// When an image does not fit.
    pub fn of_images(kind: &str, old: Option<Held>, new: Option<Held>) -> Result<Change<T>, Fault> {
        let image = |held: Option<Held>| held.map(|held| T::of_item(kind, held)).transpose();
        Ok(Change {
            old: image(old)?,
            new: image(new)?,
        })
    }
}

/// The enum of a model's changes.
pub trait OfEvent: Sized {
    /// The change of an entity.
    ///
    /// # Errors
    /// When an image does not fit, or the enum has no such entity.
    fn of_event(kind: &str, old: Option<Held>, new: Option<Held>) -> Result<Self, Fault>;
}

/// Reads stream records. Reading many with one is faster than with one each.
pub struct Events<'d, E> {
    events: crate::events::Events<'d>,
    of: PhantomData<fn() -> E>,
}

impl<'d, E> Events<'d, E> {
    pub(super) fn new(events: crate::events::Events<'d>) -> Events<'d, E> {
        Events {
            events,
            of: PhantomData,
        }
    }
}

impl<E: OfEvent> Events<'_, E> {
    /// Leaves out items that the model does not know, which are errors otherwise.
    pub fn skip_unknown(mut self) -> Self {
        self.events = self.events.skip_unknown();
        self
    }

    /// The change that a record of GetRecords reports. `None` for an item that follows from an entity.
    ///
    /// # Errors
    /// As [`crate::Events::of_record`].
    pub fn of_record(&self, record: &StreamEvent) -> Result<Option<E>, Error> {
        self.events.of_record(record)?.map(change).transpose()
    }

    /// The changes that an event of Lambda reports: its JSON, `{"Records": [...]}`.
    ///
    /// # Errors
    /// As [`crate::Events::of_json`].
    pub fn of_json(&self, json: &[u8]) -> Result<Vec<E>, Error> {
        self.events.of_json(json)?.into_iter().map(change).collect()
    }
}

fn change<E: OfEvent>(event: crate::events::Event) -> Result<E, Error> {
    let crate::events::Event { kind, old, new } = event;
    let held = |item: Item| Held::of_item(item);
    let made = E::of_event(&kind, old.map(held), new.map(held));
    made.map_err(|fault| Error::Invalid(format!("the {kind} does not fit: {fault}")))
}

impl<E> std::fmt::Debug for Events<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
