//! Stream records as changes of a model's entities.

use super::members::{Answer, Held, unfit};
use super::value::Fault;
use crate::error::Error;
use crate::item::Item;
use keyfold_api::StreamEvent;
use keyfold_lower::OnUnknown;
use std::collections::BTreeMap;
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
    /// What becomes of an item that the model does not know, instead of what the client says.
    pub fn on_unknown(mut self, on_unknown: OnUnknown) -> Self {
        self.events = self.events.on_unknown(on_unknown);
        self
    }

    /// The change that a record of GetRecords reports. `None` for an item that follows from an entity.
    ///
    /// # Errors
    /// As [`crate::Events::of_record`].
    pub fn of_record(&self, record: &StreamEvent) -> Result<Option<E>, Error> {
        match self.events.of_record(record)? {
            Some(event) => self.change(event),
            None => Ok(None),
        }
    }

    /// The changes that an event of Lambda reports: its JSON, `{"Records": [...]}`.
    ///
    /// # Errors
    /// As [`crate::Events::of_json`].
    pub fn of_json(&self, json: &[u8]) -> Result<Vec<E>, Error> {
        let events = self.events.of_json(json)?.into_iter();
        let changes = events.filter_map(|event| self.change(event).transpose());
        changes.collect()
    }

    /// The change as its type; `None` for one that does not fit where such items are left out.
    fn change(&self, event: crate::events::Event) -> Result<Option<E>, Error> {
        let crate::events::Event { kind, old, new } = event;
        let held = |item: Item| Held::of_item(item);
        match E::of_event(&kind, old.map(held), new.map(held)) {
            Ok(made) => Ok(Some(made)),
            Err(_) if self.events.skips_unknown() => Ok(None),
            Err(fault) => Err(unfit(&kind, BTreeMap::new(), &fault)),
        }
    }
}

impl<E> std::fmt::Debug for Events<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
