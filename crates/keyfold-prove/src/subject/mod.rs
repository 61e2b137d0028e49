//! The client that a proof writes and reads through: the embedded one, a client in another language
//! in a process of its own, or the embedded one with a record of its steps.
//!
//! - [`faults`]: answers that are lost, and requests that are delivered twice.
//! - [`forms`]: calls, requests, answers and results as JSON.
//! - [`lockstep`]: a process carries a call out beside the embedded client. Both get the same answers,
//!   and must make the same requests and return the same result.
//! - [`process`]: the process, line by line.
//! - [`record`]: a line of JSON for each call.

mod faults;
pub(crate) mod forms;
mod lockstep;
mod process;
mod record;

pub(crate) use faults::Faults;
use forms::Answer;
use keyfold_client::arguments::Values;
use keyfold_client::read::{Found, Many, Page, PageRequest, Pages};
use keyfold_client::write::{ManyWritten, Part, Transacted, Written};
use keyfold_client::{Backend, ClientError, drive, origin};
use keyfold_lower::{Lowering, OnUnknown, Origin, read, write};
use keyfold_model::{Entity, Model, Pattern, Write, value};
pub use process::Through;
pub use record::Record;
use serde_json::Value as Json;

/// The client that a proof drives.
#[derive(Clone, Default)]
pub enum Subject {
    /// The one of this program.
    #[default]
    Embedded,
    /// A client in another language.
    Through(Through),
    /// The one of this program; its calls are written down.
    Recorded(Record),
}

impl Subject {
    /// Whether the client makes calls of several writes, keys or items.
    pub(crate) fn makes_several(&self, model: &Model) -> Result<bool, ClientError> {
        match self {
            Subject::Embedded | Subject::Recorded(_) => Ok(true),
            Subject::Through(through) => through.makes_several(model),
        }
    }
}

/// A model's patterns and writes on a backend, through the subject of the proof.
#[derive(Clone, Copy)]
pub(crate) struct Client<'c> {
    pub(crate) model: &'c Model,
    pub(crate) backend: &'c Backend,
    pub(crate) subject: &'c Subject,
    /// The faults of the line to the backend, for the client of this program.
    pub(crate) faults: Option<&'c Faults>,
    /// The moment of named writes, milliseconds since 1970.
    pub(crate) now_epoch_ms: i64,
}

impl Client<'_> {
    pub(crate) fn create(&self, entity: &Entity, values: &Values) -> Result<Written, ClientError> {
        let of = |origin| write::create(origin, self.model, entity, values);
        self.carry_out(of, || forms::of_entity("create", entity, values))
    }

    pub(crate) fn put(&self, entity: &Entity, values: &Values) -> Result<Written, ClientError> {
        let of = |origin| write::put(origin, self.model, entity, values);
        self.carry_out(of, || forms::of_entity("put", entity, values))
    }

    pub(crate) fn update(
        &self,
        entity: &Entity,
        changes: &Values,
        removed: &[String],
    ) -> Result<Written, ClientError> {
        let of = |origin| write::update(origin, self.model, entity, changes, removed);
        self.carry_out(of, || forms::of_update(entity, changes, removed))
    }

    pub(crate) fn delete(&self, entity: &Entity, key: &Values) -> Result<Written, ClientError> {
        let of = |origin| write::delete(origin, self.model, entity, key);
        self.carry_out(of, || forms::of_entity("delete", entity, key))
    }

    /// Carries a named write out. A moment that the client sets itself is left out of the arguments; a
    /// record keeps it, since it is played at other moments.
    pub(crate) fn write(&self, named: &Write, arguments: &Values) -> Result<Written, ClientError> {
        let mut given = arguments.clone();
        let is_played = matches!(self.subject, Subject::Recorded(_));
        for parameter in named
            .parameters
            .iter()
            .filter(|one| one.is_now && one.optional)
        {
            let now = value::time_of_epoch_ms(&parameter.kind, self.now_epoch_ms);
            if !is_played && now.is_some() && given.get(&parameter.name) == now.as_ref() {
                given.remove(&parameter.name);
            }
        }
        let origin = Origin {
            now_epoch_ms: self.now_epoch_ms,
            ..origin()
        };
        let of = |origin| write::run(origin, self.model, named, &given);
        self.carry_out_at(origin, of, || forms::of_write(named, &given))
    }

    pub(crate) fn transact(&self, parts: &[Part<'_>]) -> Result<Transacted, ClientError> {
        let of = |origin| write::transact(origin, self.model, parts);
        let origin = origin();
        self.carry_out_at(origin, of, || forms::of_transaction(origin, parts))
    }

    pub(crate) fn put_many(
        &self,
        entity: &Entity,
        items: &[Values],
    ) -> Result<ManyWritten, ClientError> {
        let of = |origin| write::put_many(origin, self.model, entity, items);
        self.carry_out(of, || forms::of_many("put_many", entity, ("items", items)))
    }

    pub(crate) fn delete_many(
        &self,
        entity: &Entity,
        keys: &[Values],
    ) -> Result<ManyWritten, ClientError> {
        let of = |origin| write::delete_many(origin, self.model, entity, keys);
        self.carry_out(of, || forms::of_many("delete_many", entity, ("keys", keys)))
    }

    /// The entities with many keys.
    pub(crate) fn many(
        &self,
        entity: &Entity,
        keys: &[Values],
        strong: bool,
    ) -> Result<Many, ClientError> {
        let of = |origin| read::many(origin, self.model, entity, keys, (strong, OnUnknown::Error));
        self.carry_out(of, || forms::of_keys(entity, keys, strong))
    }

    /// One page of a pattern.
    pub(crate) fn page(
        &self,
        pattern: &Pattern,
        arguments: &Values,
        start: &PageRequest,
    ) -> Result<Page, ClientError> {
        let of = |origin| read::page(origin, self.model, pattern, arguments, start);
        self.carry_out(of, || forms::of_read("page", pattern, arguments, start))
    }

    /// All pages of a pattern.
    pub(crate) fn all(
        &self,
        pattern: &Pattern,
        arguments: &Values,
        start: &PageRequest,
    ) -> Result<Found, ClientError> {
        let of = |origin| {
            let pages = (start, Pages::All);
            read::run(origin, self.model, pattern, arguments, pages)
        };
        self.carry_out(of, || forms::of_read("all", pattern, arguments, start))
    }

    fn carry_out<'l, T: Answer>(
        &self,
        call: impl FnOnce(Origin) -> Lowering<'l, T>,
        asked: impl FnOnce() -> Json,
    ) -> Result<T, ClientError> {
        self.carry_out_at(origin(), call, asked)
    }

    fn carry_out_at<'l, T: Answer>(
        &self,
        origin: Origin,
        call: impl FnOnce(Origin) -> Lowering<'l, T>,
        asked: impl FnOnce() -> Json,
    ) -> Result<T, ClientError> {
        match self.subject {
            Subject::Embedded => match self.faults {
                Some(faults) => faults.drive(self.backend, call(origin)),
                None => drive(self.backend, call(origin)),
            },
            Subject::Through(through) => {
                let line = forms::call(origin, asked());
                through.with(self.model, |process| {
                    lockstep::drive(self.backend, call(origin), &line, process)
                })
            }
            Subject::Recorded(record) => {
                let line = forms::call(origin, asked());
                record.drive(self.backend, call(origin), line)
            }
        }
    }
}
