//! The streams of the tables, read shard by shard, parents before their children.

use crate::patient::patient;
use crate::source::Tip;
use crate::state::Asking;
use crate::world::Moment;
use keyfold_api::{ErrorKind, StreamEvent, StreamSpecification, UpdateTableInput};
use keyfold_client::{Backend, ClientError, blocked};
use keyfold_motion::world::{At, Place, World};
use keyfold_stream::world::ask;
use keyfold_stream::{Position, Shard, ShardKey, described, iterator, records, shards};
use std::collections::BTreeMap;
use std::time::Duration;

/// The most records of a shard that are read at once.
const PAGE_MAX: usize = 1_000;
/// The pages without records behind which a shard is read to its end.
const EMPTY_PAGES: u32 = 5;

/// A shard that is read.
struct Reading {
    table: String,
    shard: Shard,
    position: Position,
    next: Option<String>,
    /// The pages without records since the last one.
    empty: u32,
    since: Option<Moment>,
}

/// Records that were read together.
#[derive(Default)]
pub(crate) struct Page {
    /// The records, each with its table.
    pub(crate) events: Vec<(String, StreamEvent)>,
    /// Up to where shards are read with them.
    pub(crate) tips: Vec<Tip>,
}

/// The streams of some tables.
pub(crate) struct Streams<'b> {
    backend: &'b Backend,
    /// The streams, by their tables.
    streams: BTreeMap<String, String>,
    all: Vec<Reading>,
    /// Positions of shards that were read before.
    tips: BTreeMap<ShardKey, Position>,
    looked: Option<Moment>,
}

/// Switches the stream of a table off.
pub(crate) fn switch_off(world: &dyn World, table: &str) -> Result<(), ClientError> {
    let io = At {
        world,
        place: Place::Target,
    };
    let input = UpdateTableInput {
        table_name: Some(table.to_owned()),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(false),
            stream_view_type: None,
        }),
        ..UpdateTableInput::default()
    };
    match blocked(ask(&io, input)) {
        Ok(_) => Ok(()),
        // It is off already, or the table is gone.
        Err(error)
            if matches!(
                error.kind(),
                Some(ErrorKind::Validation | ErrorKind::ResourceNotFound)
            ) =>
        {
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// What is said of changes that no stream has any more.
const LOST: &str = "and a stream keeps them for 24 hours; the database does not have them: `keyfold migrate verify --mend` writes \
                    its rows as the items say now, and `keyfold migrate complete` ends the migration with the tables";

fn lost(table: &str, why: &str) -> ClientError {
    ClientError::refused(format!(
        "changes of the table {table} are lost: {why}, {LOST}"
    ))
}

/// The stream of a table, which is on. One that is off has records still, and nothing of what is written since.
fn stream_of(backend: &Backend, table: &str) -> Result<String, ClientError> {
    let found = patient(|| blocked(described(&Asking(backend), table)))?;
    let is_on = |one: &StreamSpecification| one.stream_enabled == Some(true);
    let found = found.filter(|found| found.stream_specification.as_ref().is_some_and(is_on));
    let stream = found.and_then(|found| found.latest_stream_arn);
    stream.ok_or_else(|| lost(table, "its stream is off"))
}

/// Whether the error of a run that carries changes of the tables is that no stream has them any more.
pub fn is_lost(error: &ClientError) -> bool {
    matches!(error, ClientError::Refused(refused) if refused.message.ends_with(LOST))
}

impl<'b> Streams<'b> {
    /// The streams of tables, from some positions on.
    pub(crate) fn of(
        backend: &'b Backend,
        tables: &[&str],
        tips: &[Tip],
    ) -> Result<Streams<'b>, ClientError> {
        let mut streams = BTreeMap::new();
        for table in tables {
            let stream = stream_of(backend, table)?;
            let is_of_table = |key: &ShardKey| table_of(&key.stream) == Some(*table);
            let mut known = tips.iter().map(|(key, _)| key);
            if known.any(|key| is_of_table(key) && key.stream != stream) {
                return Err(lost(table, "its stream is another one since"));
            }
            streams.insert((*table).to_owned(), stream);
        }
        let mut all = Streams {
            backend,
            streams,
            all: Vec::new(),
            tips: tips.iter().cloned().collect(),
            looked: None,
        };
        all.look()?;
        Ok(all)
    }

    /// Looks for shards that are new.
    fn look(&mut self) -> Result<(), ClientError> {
        let mut listed = Vec::new();
        for (table, stream) in &self.streams {
            if stream_of(self.backend, table)? != *stream {
                return Err(lost(table, "its stream is another one since"));
            }
            let found = patient(|| blocked(shards(&Asking(self.backend), stream)))?;
            let found = found.ok_or_else(|| lost(table, "its stream is gone"))?;
            listed.extend(found.into_iter().map(|shard| (table.clone(), shard)));
        }
        let is_listed = |key: &ShardKey| listed.iter().any(|(_, shard)| shard.key == *key);
        let mut gone = self.tips.iter();
        let gone = gone.find(|(key, at)| **at != Position::End && !is_listed(key));
        if let Some((key, _)) = gone {
            let table = table_of(&key.stream).unwrap_or_default();
            return Err(lost(table, &format!("the shard {} is gone", key.shard)));
        }
        for (table, shard) in listed {
            if self.all.iter().any(|one| one.shard.key == shard.key) {
                continue;
            }
            let position = self.tips.get(&shard.key).cloned();
            self.all.push(Reading {
                table,
                position: position.unwrap_or(Position::Horizon),
                shard,
                next: None,
                empty: 0,
                since: None,
            });
        }
        self.looked = Some(Moment::now());
        Ok(())
    }

    /// Whether the records of a shard's parent are to be read first.
    fn waits(&self, shard: &Shard) -> bool {
        let mut all = self.all.iter();
        all.any(|one| {
            Some(&one.shard.key.shard) == shard.parent.as_ref()
                && one.shard.key.stream == shard.key.stream
                && one.position != Position::End
        })
    }

    /// Reads a page of each shard.
    pub(crate) fn page(&mut self) -> Result<Page, ClientError> {
        let is_old = |at: Moment| at.elapsed() > Duration::from_secs(5);
        if self.looked.is_none_or(is_old) {
            self.look()?;
        }
        let mut page = Page::default();
        for at in 0..self.all.len() {
            let waits = self
                .all
                .get(at)
                .is_none_or(|one| one.position == Position::End || self.waits(&one.shard));
            if waits {
                continue;
            }
            let backend = self.backend;
            let Some(one) = self.all.get_mut(at) else {
                continue;
            };
            let before = one.position.clone();
            page.events.extend(one.read(backend)?);
            if one.position == Position::End {
                // Its children are listed with it or a moment later.
                self.looked = None;
            }
            if one.position != before {
                let tip = (one.shard.key.clone(), one.position.clone());
                self.tips.insert(tip.0.clone(), tip.1.clone());
                page.tips.push(tip);
            }
        }
        Ok(page)
    }

    /// Whether each shard was read to its end, for so long.
    pub(crate) fn is_quiet(&self, settle: Duration) -> bool {
        let is_at_end = |one: &Reading| {
            let is_long = one.since.is_some_and(|since| since.elapsed() >= settle);
            one.position == Position::End || (one.empty >= EMPTY_PAGES && is_long)
        };
        self.looked.is_some() && self.all.iter().all(is_at_end)
    }

    /// Begins to wait for the ends anew: what was empty before does not count.
    pub(crate) fn wait_anew(&mut self) {
        for one in &mut self.all {
            (one.empty, one.since) = (0, None);
        }
        self.looked = None;
    }

    /// Up to where all shards are read.
    pub(crate) fn all_tips(&self) -> Vec<Tip> {
        let all = self.all.iter();
        all.map(|one| (one.shard.key.clone(), one.position.clone()))
            .collect()
    }
}

impl Reading {
    /// The next records behind its position, which moves.
    fn read(&mut self, backend: &Backend) -> Result<Vec<(String, StreamEvent)>, ClientError> {
        let io = Asking(backend);
        let known = match self.next.take() {
            Some(known) => known,
            None => patient(|| blocked(iterator(&io, &self.shard.key, &self.position)))
                .map_err(|error| self.trimmed(error))?,
        };
        let answer = patient(|| blocked(records(&io, known.clone(), PAGE_MAX)));
        let page = match answer {
            Ok(page) => page,
            // The next call asks for another one.
            Err(error) if error.kind() == Some(ErrorKind::ExpiredIterator) => {
                return Ok(Vec::new());
            }
            Err(error) => return Err(self.trimmed(error)),
        };
        self.next = page.next_shard_iterator;
        let found = page.records.unwrap_or_default();
        if found.is_empty() {
            self.empty += 1;
            self.since.get_or_insert_with(Moment::now);
        } else {
            (self.empty, self.since) = (0, None);
        }
        let mut events = Vec::new();
        for event in found {
            let number = event.dynamodb.as_ref();
            let number = number.and_then(|record| record.sequence_number.clone());
            let number = number.ok_or_else(|| {
                ClientError::refused("a record of the stream has no sequence number")
            })?;
            if !self.position.is_behind(&number) {
                self.position = Position::After(number);
                events.push((self.table.clone(), event));
            }
        }
        if self.next.is_none() {
            self.position = Position::End;
        }
        Ok(events)
    }

    fn trimmed(&self, error: ClientError) -> ClientError {
        match error.kind() {
            Some(ErrorKind::TrimmedDataAccess | ErrorKind::ResourceNotFound) => {
                lost(&self.table, "records behind those that were read are gone")
            }
            Some(_) | None => error,
        }
    }
}

/// The table that the ARN of a stream names.
fn table_of(stream: &str) -> Option<&str> {
    let (_, behind) = stream.split_once(":table/")?;
    behind.split('/').next()
}
