//! How far a migration is, in a row of a table beside the model's.
//!
//! | attribute | |
//! |---|---|
//! | `part` | the name of the model |
//! | `fence` | grows with each run: one that was overtaken writes nothing more |
//! | `id` | names the migration, also in the database |
//! | `source` | what names the database |
//! | `mapping` | a digest of what rows become, as it was at the beginning |
//! | `phase` | `begin`, `copy`, `follow` (the database leads), `closing`, `lead` (the tables do), `returning` or `complete` |
//! | `turns` | how often the tables came to lead |
//! | `closed` | whether a switch has let the tables refuse writes of programs while the database leads |
//! | `streams` | the tables whose streams a switch has switched on |
//! | `entity`, `after` | the entity that is copied, and the identity of its last row |
//! | `rows` | how many rows were copied |
//! | `filled` | the columns that filled attributes at the beginning which need none, as `Entity attribute alias.column` |
//! | `place` | where the database's log is read from next, if the database does not keep it itself |
//! | `carried`, `noted` | the moment up to which every change of the side that leads is carried, and when a run has noted it: milliseconds since 1970 |

use crate::cell::Cell;
use crate::patient::patient;
use crate::world;
use keyfold_api::{
    DeleteItemInput, ErrorKind, ExpressionAttributes, GetItemInput, PutItemInput, Request, Response,
};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_stream::world::{Boxed, Io};
use keyfold_types::{Item, Value};
use std::time::Duration;

/// The table of the rows.
pub const STATES: &str = "keyfold_migrations";

const PART: &str = "part";

/// What a migration does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The database is about to keep changes.
    Begin,
    /// It reads every row once.
    Copy,
    /// Every row was read; it carries changes.
    Follow,
    /// A switch to the tables is under way: nobody writes.
    Closing,
    /// The tables lead; it carries what they say.
    Lead,
    /// A switch back to the database is under way: nobody writes.
    Returning,
    /// It has ended: the tables lead.
    Complete,
}

impl Phase {
    const ALL: [Phase; 7] = [
        Phase::Begin,
        Phase::Copy,
        Phase::Follow,
        Phase::Closing,
        Phase::Lead,
        Phase::Returning,
        Phase::Complete,
    ];

    /// Its name in the row.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Begin => "begin",
            Phase::Copy => "copy",
            Phase::Follow => "follow",
            Phase::Closing => "closing",
            Phase::Lead => "lead",
            Phase::Returning => "returning",
            Phase::Complete => "complete",
        }
    }
}

/// Up to when every change is carried, as a run has noted it: milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Carried {
    pub(crate) up_to_ms: i64,
    pub(crate) noted_ms: i64,
}

/// How far the last run was behind the side that leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behind {
    /// The time, when it noted it, since the moment up to which it had carried every change.
    pub behind: Duration,
    /// How long ago it noted that.
    pub noted_ago: Duration,
}

/// How far a migration is.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub(crate) fence: u64,
    /// What names the migration in the database.
    pub(crate) id: String,
    /// A digest of the mapping.
    pub(crate) mapping: String,
    /// The database.
    pub source: String,
    /// What it does.
    pub phase: Phase,
    /// The entity that is copied.
    pub entity: String,
    /// The identity of the last row of it that was copied.
    pub(crate) after: Option<Vec<Cell>>,
    /// The rows that were copied, of all entities.
    pub rows: u64,
    /// Where the log of the database is read from next.
    pub(crate) place: Option<String>,
    /// How often the tables came to lead.
    pub turns: u64,
    /// Whether a switch has begun, from which on the side that does not lead refuses writes.
    pub(crate) closed: bool,
    /// The tables whose streams a switch has switched on.
    pub(crate) streams: Vec<String>,
    /// The columns that filled attributes which need none, as it was at the beginning.
    pub(crate) filled: Vec<String>,
    /// Up to when every change is carried.
    pub(crate) carried: Option<Carried>,
}

impl State {
    pub(crate) fn first(source: String, mapping: String) -> State {
        State {
            fence: 1,
            id: world::name(),
            mapping,
            source,
            phase: Phase::Begin,
            entity: String::new(),
            after: None,
            rows: 0,
            place: None,
            turns: 0,
            closed: false,
            streams: Vec::new(),
            filled: Vec::new(),
            carried: None,
        }
    }

    /// How far the last run was behind when it noted that; `None` while rows are copied, and when nobody carries.
    pub fn behind(&self) -> Option<Behind> {
        let carried = self
            .carried
            .filter(|_| matches!(self.phase, Phase::Follow | Phase::Lead))?;
        Some(Behind {
            behind: world::since(carried.up_to_ms, carried.noted_ms),
            noted_ago: world::since(carried.noted_ms, world::epoch_ms()),
        })
    }

    fn to_item(&self, part: &str) -> Item {
        let mut item = Item::from_iter([(PART, part)]);
        item.insert("fence", Value::N(self.fence.into()));
        item.insert("id", self.id.as_str());
        item.insert("mapping", self.mapping.as_str());
        item.insert("source", self.source.as_str());
        item.insert("phase", self.phase.word());
        item.insert("entity", self.entity.as_str());
        item.insert("rows", Value::N(self.rows.into()));
        if self.turns > 0 {
            item.insert("turns", Value::N(self.turns.into()));
        }
        if self.closed {
            item.insert("closed", Value::Bool(true));
        }
        for (name, texts) in [("streams", &self.streams), ("filled", &self.filled)] {
            if !texts.is_empty() {
                let texts = texts.iter().cloned().map(Value::S);
                item.insert(name, Value::L(texts.collect()));
            }
        }
        if let Some(place) = &self.place {
            item.insert("place", place.as_str());
        }
        if let Some(carried) = self.carried {
            item.insert("carried", Value::from(carried.up_to_ms));
            item.insert("noted", Value::from(carried.noted_ms));
        }
        if let Some(after) = &self.after {
            item.insert("after", Value::L(after.iter().map(Cell::saved).collect()));
        }
        item
    }

    fn of(item: &Item) -> Option<State> {
        let text = |name: &str| match item.get(name) {
            Some(Value::S(text)) => Some(text.clone()),
            _ => None,
        };
        let number = |name: &str| match item.get(name) {
            Some(Value::N(number)) => number.to_string().parse().ok(),
            _ => None,
        };
        let after = match item.get("after") {
            None => None,
            Some(Value::L(cells)) => Some(cells.iter().map(Cell::of_saved).collect::<Option<_>>()?),
            Some(_) => return None,
        };
        let texts = |name: &str| match item.get(name) {
            Some(Value::L(texts)) => texts.iter().map(keyfold_model::value::display).collect(),
            Some(_) | None => Vec::new(),
        };
        let moment = |name: &str| match item.get(name) {
            Some(Value::N(number)) => number.to_string().parse::<i64>().ok(),
            _ => None,
        };
        let carried = moment("carried").zip(moment("noted"));
        let phase = text("phase")?;
        Some(State {
            fence: number("fence")?,
            id: text("id")?,
            mapping: text("mapping")?,
            source: text("source")?,
            phase: Phase::ALL.into_iter().find(|one| one.word() == phase)?,
            entity: text("entity")?,
            after,
            rows: number("rows")?,
            place: text("place"),
            turns: number("turns").unwrap_or(0),
            closed: item.get("closed") == Some(&Value::Bool(true)),
            streams: texts("streams"),
            filled: texts("filled"),
            carried: carried.map(|(up_to_ms, noted_ms)| Carried { up_to_ms, noted_ms }),
        })
    }
}

/// Sends requests of steps that wait for each other.
pub(crate) struct Asking<'b>(pub(crate) &'b Backend);

impl Io for Asking<'_> {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        Box::pin(async move { self.0.call(request) })
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        Box::pin(async move { world::pause(time) })
    }

    fn random(&self) -> u64 {
        world::random()
    }
}

/// The rows of migrations.
pub(crate) struct States<'b> {
    pub(crate) backend: &'b Backend,
    pub(crate) model: &'b str,
}

impl States<'_> {
    /// Sends a request until it is known what comes of it, as far as errors pass.
    fn ask(&self, request: impl Fn() -> Request) -> Result<Response, ClientError> {
        patient(|| self.backend.call(request()))
    }

    /// Makes the table, if it is absent.
    pub(crate) fn ensure(&self) -> Result<(), ClientError> {
        blocked(keyfold_stream::ensure_for_transactions(
            &Asking(self.backend),
            STATES,
            &[PART],
        ))
    }

    /// The row of the model.
    pub(crate) fn read(&self) -> Result<Option<State>, ClientError> {
        let get = || {
            GetItemInput {
                table_name: Some(STATES.to_owned()),
                key: Some(Ok(Item::from_iter([(PART, self.model)]))),
                consistent_read: Some(true),
                ..GetItemInput::default()
            }
            .into()
        };
        let output = match self.ask(get) {
            Ok(Response::GetItem(output)) => output,
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        let Some(item) = output.item else {
            return Ok(None);
        };
        let state = State::of(&item.to_item()).ok_or_else(|| {
            ClientError::refused(format!(
                "the row of {} in the table {STATES} is none of this version",
                self.model
            ))
        })?;
        Ok(Some(state))
    }

    /// Stores the row, if it has the fence still that was seen; `None`: if there is none yet. Answers whether
    /// it is stored.
    pub(crate) fn write(&self, state: &State, seen: Option<u64>) -> Result<bool, ClientError> {
        let put = || {
            let attributes = match seen {
                None => ExpressionAttributes::default().name("#part", PART),
                Some(fence) => ExpressionAttributes::default()
                    .name("#fence", "fence")
                    .value(":fence", Value::N(fence.into())),
            };
            let condition = match seen {
                None => "attribute_not_exists(#part)",
                Some(_) => "#fence = :fence",
            };
            PutItemInput {
                table_name: Some(STATES.to_owned()),
                item: Some(Ok(state.to_item(self.model))),
                condition_expression: Some(condition.to_owned()),
                expression_attributes: attributes,
                ..PutItemInput::default()
            }
            .into()
        };
        match self.ask(put) {
            Ok(_) => Ok(true),
            // An answer that was lost may have been that of this very write.
            Err(error) if error.kind() == Some(ErrorKind::ConditionalCheckFailed) => {
                Ok(self.read()?.as_ref() == Some(state))
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes the row.
    pub(crate) fn delete(&self) -> Result<(), ClientError> {
        let delete = || {
            DeleteItemInput {
                table_name: Some(STATES.to_owned()),
                key: Some(Ok(Item::from_iter([(PART, self.model)]))),
                ..DeleteItemInput::default()
            }
            .into()
        };
        match self.ask(delete) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
