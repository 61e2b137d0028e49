//! Which generation of a view its rows are of, and how far the next one is.
//!
//! Each write demands that nobody has changed the item since it was read.

use super::held;
use super::lost::Lost;
use super::place::{TABLE, key};
use super::requests::{get, put};
use crate::tables;
use crate::views::place::{PARTITION, SORT};
use crate::world::{Io, ask};
use keyfold_api::{ErrorKind, ExpressionAttributes, PutItemInput, TransactWriteItem};
use keyfold_lower::ClientError;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// A generation of a view's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Generation {
    pub(crate) number: u64,
    /// The digest of the definition that makes its rows.
    pub(crate) print: String,
    /// The table of the rows.
    pub(crate) table: String,
    /// The tables whose streams are read.
    pub(crate) streams: Vec<String>,
    /// Whether what items gave while it was built is still there: it counts before old images do.
    pub(crate) has_items: bool,
    /// Whether records were set aside whose items give to rows what they gave before.
    pub(crate) has_aside: bool,
    /// The moment at which it was begun, milliseconds since 1970.
    pub(crate) began: i64,
    /// The moment at which it became the live one, milliseconds since 1970.
    pub(crate) since: i64,
    /// What distinguishes the table of the rows from another one of its name; `None` of a generation that an
    /// earlier version has begun.
    pub(crate) place: Option<String>,
    /// Why its rows are kept no more, and another generation is built.
    pub(crate) lost: Option<Lost>,
}

/// How far the next generation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The source is scanned.
    Scan,
    /// The records that were written during the scan are handled.
    Follow,
    /// The live generation stands still, until the next one has passed it.
    Hold,
    /// Both stand still, and rows are moved.
    Switch,
}

/// The state of a view.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct State {
    /// How often it was written.
    pub(crate) version: u64,
    /// The number of the last generation that was begun.
    pub(crate) last: u64,
    /// The generation that readers see.
    pub(crate) live: Option<Generation>,
    /// The generation that is built.
    pub(crate) next: Option<(Generation, Phase)>,
    /// The worker that builds, and how often it said so.
    pub(crate) builder: Option<(String, u64)>,
    /// Up to where the source is scanned.
    pub(crate) cursor: Option<Vec<u8>>,
    /// The number of items that were scanned.
    pub(crate) scanned: u64,
    /// Generations whose items are still to be deleted.
    pub(crate) garbage: Vec<Generation>,
}

/// What a consumer does with records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Its generation is built: rows are aside, and what items give is kept.
    Build {
        /// Whether records were set aside.
        aside: bool,
    },
    /// Its rows are what readers see.
    Live {
        /// Whether what items gave while it was built may still be there.
        items: bool,
        /// Whether records were set aside.
        aside: bool,
    },
    /// It waits.
    Wait,
}

const CONTENT: &str = "content";
const VERSION: &str = "version";

impl Phase {
    fn word(self) -> &'static str {
        match self {
            Phase::Scan => "scan",
            Phase::Follow => "follow",
            Phase::Hold => "hold",
            Phase::Switch => "switch",
        }
    }

    fn of(text: &str) -> Option<Phase> {
        let all = [Phase::Scan, Phase::Follow, Phase::Hold, Phase::Switch];
        all.into_iter().find(|one| one.word() == text)
    }
}

impl State {
    /// Creates the table if it is absent.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn ensure(io: &dyn Io) -> Result<(), ClientError> {
        tables::ensure(io, TABLE, &[PARTITION, SORT]).await
    }

    pub(crate) fn key(view: &str) -> Item {
        key(view, "state")
    }

    /// The state of a view, as it is now.
    ///
    /// # Errors
    /// The backend's; `Refused` when the item is none of this crate.
    pub(crate) async fn read(io: &dyn Io, view: &str) -> Result<State, ClientError> {
        let Some(item) = get(io, TABLE, State::key(view)).await? else {
            return Ok(State::default());
        };
        State::of_item(&item).ok_or_else(|| {
            ClientError::refused(format!(
                "the item of the view {view} in the table {TABLE} is none of Keyfold's"
            ))
        })
    }

    /// Stores the state, if it is still the one that was read. Returns whether it was.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn store(&mut self, io: &dyn Io, view: &str) -> Result<bool, ClientError> {
        let (item, condition, attributes) = self.next(view);
        let input = PutItemInput {
            table_name: Some(TABLE.to_owned()),
            item: Some(Ok(item)),
            condition_expression: Some(condition.to_owned()),
            expression_attributes: attributes,
            ..PutItemInput::default()
        };
        match ask(io, input).await {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == Some(ErrorKind::ConditionalCheckFailed) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The action that stores the state, if it is still the one that was read.
    pub(crate) fn action(&mut self, view: &str) -> TransactWriteItem {
        let (item, condition, attributes) = self.next(view);
        put(TABLE, item, Some((condition.to_owned(), attributes)))
    }

    /// The item of the next version, and the condition that the one before is stored.
    fn next(&mut self, view: &str) -> (Item, &'static str, ExpressionAttributes) {
        let seen = self.version;
        self.version += 1;
        let mut item = State::key(view);
        item.insert(VERSION, Value::N(self.version.into()));
        item.insert(CONTENT, self.to_value());
        let attributes = ExpressionAttributes::default().name("#v", VERSION);
        match seen {
            0 => (item, "attribute_not_exists(#v)", attributes),
            seen => {
                let seen = Value::N(seen.into());
                (item, "#v = :seen", attributes.value(":seen", seen))
            }
        }
    }

    /// The live or next generation with a number.
    pub(crate) fn generation(&mut self, number: u64) -> Option<&mut Generation> {
        let next = self.next.as_mut().map(|(next, _)| next);
        let mut all = self.live.iter_mut().chain(next);
        all.find(|one| one.number == number)
    }

    /// As [`State::store`], with a sign of life of the worker that builds.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn store_of(
        &mut self,
        io: &dyn Io,
        view: &str,
        worker: &str,
    ) -> Result<bool, ClientError> {
        let beat = self.builder.as_ref().map_or(0, |(_, beat)| *beat);
        self.builder = Some((worker.to_owned(), beat + 1));
        self.store(io, view).await
    }

    /// What a consumer of a generation does.
    pub(crate) fn mode(&self, generation: u64) -> Mode {
        match (&self.live, &self.next) {
            (_, Some((next, phase))) if next.number == generation && next.lost.is_none() => {
                match phase {
                    Phase::Scan | Phase::Follow | Phase::Hold => Mode::Build {
                        aside: next.has_aside,
                    },
                    Phase::Switch => Mode::Wait,
                }
            }
            (Some(live), next) if live.number == generation && live.lost.is_none() => match next {
                Some((_, Phase::Hold | Phase::Switch)) => Mode::Wait,
                Some((_, Phase::Scan | Phase::Follow)) | None => Mode::Live {
                    items: live.has_items,
                    aside: live.has_aside,
                },
            },
            (_, _) => Mode::Wait,
        }
    }

    fn to_value(&self) -> Value {
        let State {
            version: _,
            last,
            live,
            next,
            builder,
            cursor,
            scanned,
            garbage,
        } = self;
        let mut all = BTreeMap::from([
            ("last".to_owned(), Value::N((*last).into())),
            ("scanned".to_owned(), Value::N((*scanned).into())),
            (
                "garbage".to_owned(),
                Value::L(garbage.iter().map(Generation::to_value).collect()),
            ),
        ]);
        if let Some(live) = live {
            all.insert("live".to_owned(), live.to_value());
        }
        if let Some((next, phase)) = next {
            all.insert("next".to_owned(), next.to_value());
            all.insert("phase".to_owned(), Value::from(phase.word()));
        }
        if let Some((builder, beat)) = builder {
            all.insert("builder".to_owned(), Value::from(builder.as_str()));
            all.insert("beat".to_owned(), Value::N((*beat).into()));
        }
        if let Some(cursor) = cursor {
            all.insert("cursor".to_owned(), Value::B(cursor.clone()));
        }
        Value::M(all)
    }

    fn of_item(item: &Item) -> Option<State> {
        let all = held::members(item.get(CONTENT)?)?;
        let next = match (all.get("next"), all.get("phase")) {
            (Some(next), Some(phase)) => {
                Some((Generation::of_value(next)?, Phase::of(held::text(phase)?)?))
            }
            (None, None) => None,
            (_, _) => return None,
        };
        let builder = match (all.get("builder"), all.get("beat")) {
            (Some(builder), Some(beat)) => {
                Some((held::text(builder)?.to_owned(), held::count(beat)?))
            }
            (_, _) => None,
        };
        let live = match all.get("live") {
            Some(live) => Some(Generation::of_value(live)?),
            None => None,
        };
        let garbage = held::elements(all.get("garbage")?)?.iter();
        Some(State {
            version: held::count(item.get(VERSION)?)?,
            last: held::count(all.get("last")?)?,
            live,
            next,
            builder,
            cursor: all.get("cursor").and_then(held::bytes).map(<[u8]>::to_vec),
            scanned: held::count(all.get("scanned")?)?,
            garbage: garbage.map(Generation::of_value).collect::<Option<_>>()?,
        })
    }
}

impl Generation {
    fn to_value(&self) -> Value {
        let Generation {
            number,
            print,
            table,
            streams,
            has_items,
            has_aside,
            began,
            since,
            place,
            lost,
        } = self;
        let streams = streams.iter().map(|one| Value::from(one.as_str()));
        let mut all = BTreeMap::from([
            ("number".to_owned(), Value::N((*number).into())),
            ("print".to_owned(), Value::from(print.as_str())),
            ("table".to_owned(), Value::from(table.as_str())),
            ("streams".to_owned(), Value::L(streams.collect())),
            ("items".to_owned(), Value::Bool(*has_items)),
            ("aside".to_owned(), Value::Bool(*has_aside)),
            ("began".to_owned(), Value::from(*began)),
            ("since".to_owned(), Value::from(*since)),
        ]);
        if let Some(place) = place {
            all.insert("place".to_owned(), Value::from(place.as_str()));
        }
        if let Some(lost) = lost {
            all.insert("lost".to_owned(), Value::from(lost.word()));
        }
        Value::M(all)
    }

    fn of_value(held: &Value) -> Option<Generation> {
        let all = held::members(held)?;
        let text = |held: &Value| held::text(held).map(str::to_owned);
        let streams = held::elements(all.get("streams")?)?.iter();
        Some(Generation {
            number: held::count(all.get("number")?)?,
            print: text(all.get("print")?)?,
            table: text(all.get("table")?)?,
            streams: streams.map(text).collect::<Option<_>>()?,
            has_items: all.get("items")? == &Value::Bool(true),
            has_aside: all.get("aside") == Some(&Value::Bool(true)),
            began: held::whole(all.get("began")?)?,
            since: held::whole(all.get("since")?)?,
            place: all.get("place").and_then(text),
            lost: all.get("lost").and_then(held::text).and_then(Lost::of),
        })
    }

    /// The name of the consumer that reads the stream of a table for it.
    pub(crate) fn consumer(&self, view: &str, table: &str) -> String {
        format!("view:{view}:{}:{table}", self.number)
    }
}
