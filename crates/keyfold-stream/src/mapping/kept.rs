//! The records of batches that were discarded: read from the stream by number, and sent to a function again.
//!
//! A batch costs the records between its numbers and one more. That one shows whether the next batch begins right
//! behind it: then the reader goes on where it is, in pages that grow, so that many batches in a row are one pass of
//! the shard.

use crate::handler::Record;
use crate::lease::ShardKey;
use crate::mapping::discards::Discard;
use crate::mapping::event;
use crate::mapping::function::{Function, Invocation};
use crate::mapping::part::{Entry, Outcome};
use crate::mapping::settings::Settings;
use crate::mapping::shard::{in_a_line, request_id};
use crate::pages::EMPTY_PAGES;
use crate::position::{self, Position};
use crate::records::{iterator, iterator_at, records};
use crate::threads::{Sends, Threads};
use crate::world::{Io, ask};
use keyfold_api::{DescribeStreamInput, ErrorKind};
use keyfold_client::blocked;
use keyfold_lower::ClientError;
use serde_json::Value as Json;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

/// The most records of a page.
const PAGE: usize = 1_000;

/// Why a stream holds no record of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absence {
    /// There is no such stream at this place.
    NoStream,
    /// The stream has no such shard.
    NoShard,
    /// The shard begins with a later number, this one: the batch is none of it.
    BeforeShard(String),
    /// Its records have expired.
    Expired,
    /// The shard has no record between its numbers.
    NoRecord,
}

/// What a stream holds of a batch that was discarded.
#[derive(Debug, Default)]
pub struct Kept {
    /// The records between its numbers that the mapping handles.
    pub records: Vec<Record>,
    /// The number of all records between its numbers.
    pub between: usize,
    /// Why there is none.
    pub absence: Option<Absence>,
    entries: Vec<Entry>,
}

impl Kept {
    /// Calls a function with the records, as one event.
    ///
    /// # Errors
    /// The reason for which they are not handled.
    pub fn send(&self, function: &dyn Function, settings: &Settings) -> Result<(), String> {
        let id = request_id(|| fastrand::u64(..));
        let reply = function.invoke(Invocation {
            id: &id,
            event: &event::event(&self.entries),
            timeout: settings.timeout,
        });
        match event::outcome(settings, &self.entries, reply) {
            Outcome::All => Ok(()),
            Outcome::UpTo(at) => {
                let count = self.entries.len();
                Err(format!("the function handled {at} of its {count} records"))
            }
            Outcome::Failed(_, why) => Err(format!("the function failed: {}", in_a_line(&why))),
            Outcome::Unreachable(why) => {
                Err(format!("the function is not reached: {}", in_a_line(&why)))
            }
        }
    }

    fn absent(absence: Absence) -> Kept {
        Kept {
            absence: Some(absence),
            ..Kept::default()
        }
    }

    /// Keeps the records of the lane that had the first one.
    fn choose(&mut self, lanes: u64) {
        let Some(first) = self.entries.first() else {
            return;
        };
        let lane = first.key % lanes;
        let is_of_lane: Vec<bool> = self
            .entries
            .iter()
            .map(|one| one.key % lanes == lane)
            .collect();
        let (mut entries, mut records) = (is_of_lane.iter(), is_of_lane.iter());
        self.entries.retain(|_| entries.next() == Some(&true));
        self.records.retain(|_| records.next() == Some(&true));
    }
}

/// Reads batches, best in the order of their file.
pub struct Reader {
    threads: Arc<Threads>,
    place: Option<Place>,
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}

/// A place in a shard.
struct Place {
    key: ShardKey,
    /// The records that were read and are behind the last batch.
    ahead: VecDeque<(Record, Json)>,
    /// The iterator behind them; `None` at the end.
    next: Option<String>,
    /// The records of the next page.
    room: usize,
    /// Whether a batch began right behind another one.
    is_run: bool,
    /// Whether records with lower numbers have expired, of which the batch may have had some.
    is_trimmed: bool,
}

impl Reader {
    /// A reader that has read nothing.
    pub fn new(send: &Sends) -> Reader {
        Reader {
            threads: Threads::new(Arc::clone(send)),
            place: None,
        }
    }

    /// Reads the records of a batch. The settings are those of the mapping: its filters and its lanes choose among
    /// the records between the numbers.
    ///
    /// # Errors
    /// The backend's. A stream or a shard that is not there, or does not hold the records, is none.
    pub fn read(&mut self, batch: &Discard, settings: &Settings) -> Result<Kept, ClientError> {
        let threads = Arc::clone(&self.threads);
        blocked(self.read_by(&*threads, batch, settings))
    }

    async fn read_by(
        &mut self,
        io: &dyn Io,
        batch: &Discard,
        settings: &Settings,
    ) -> Result<Kept, ClientError> {
        let mut place = match self.following(io, batch).await {
            Some(place) => place,
            None => match Place::of(io, batch).await? {
                Ok(place) => place,
                Err(absence) => return Ok(Kept::absent(absence)),
            },
        };
        let mut kept = Kept::default();
        while !place.hand_over(batch, settings, &mut kept) {
            if !place.read(io).await? {
                break;
            }
        }
        if kept.between == 0 {
            kept.absence = Some(match place.is_trimmed {
                true => Absence::Expired,
                false => Absence::NoRecord,
            });
        }
        kept.choose(settings.parallel as u64);
        self.place = Some(place);
        Ok(kept)
    }

    /// The place behind the last batch, where this one begins there.
    async fn following(&mut self, io: &dyn Io, batch: &Discard) -> Option<Place> {
        let place = self.place.take();
        let mut place = place.filter(|place| place.key == batch.shard)?;
        if place.ahead.is_empty() && place.is_run {
            // A page that cannot be read is read anew from the number of the batch.
            place.read(io).await.ok()?;
        }
        let (first, _) = place.ahead.front()?;
        if first.number() != batch.first {
            return None;
        }
        place.is_run = true;
        place.is_trimmed = false;
        Some(place)
    }
}

impl Place {
    /// The place of a batch's first record, or of the first one that has not expired.
    async fn of(io: &dyn Io, batch: &Discard) -> Result<Result<Place, Absence>, ClientError> {
        let key = &batch.shard;
        let (found, is_trimmed) = match iterator_at(io, key, &batch.first).await {
            Err(error) if error.kind() == Some(ErrorKind::TrimmedDataAccess) => {
                let absence = absence(io, batch).await?;
                if absence != Absence::Expired {
                    return Ok(Err(absence));
                }
                (iterator(io, key, &Position::Horizon).await, true)
            }
            found => (found, false),
        };
        let next = match found {
            Ok(iterator) => Some(iterator),
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => {
                return Ok(Err(absence(io, batch).await?));
            }
            Err(error) => return Err(error),
        };
        Ok(Ok(Place {
            key: key.clone(),
            ahead: VecDeque::new(),
            next,
            room: batch.count.saturating_add(1).min(PAGE),
            is_run: false,
            is_trimmed,
        }))
    }

    /// Reads a page with records. Returns whether there is one.
    ///
    /// # Errors
    /// The backend's.
    async fn read(&mut self, io: &dyn Io) -> Result<bool, ClientError> {
        let mut empty = 0;
        while let Some(at) = self.next.take() {
            let page = match records(io, at, self.room).await {
                Ok(page) => page,
                Err(error) if is_gone(&error) => return Ok(false),
                Err(error) => return Err(error),
            };
            self.next = page.next_shard_iterator;
            let events = page.records.unwrap_or_default();
            if !events.is_empty() {
                self.ahead.extend(event::records(&self.key.stream, events));
                self.room = self.room.saturating_mul(2).min(PAGE);
                return Ok(true);
            }
            empty += 1;
            if empty > EMPTY_PAGES {
                break;
            }
        }
        Ok(false)
    }

    /// Moves the records of a batch out of those that were read. Returns whether its last number was reached.
    fn hand_over(&mut self, batch: &Discard, settings: &Settings, kept: &mut Kept) -> bool {
        while let Some((record, json)) = self.ahead.pop_front() {
            let to_last = position::order(record.number(), &batch.last);
            if to_last == Ordering::Greater {
                self.ahead.push_front((record, json));
                return true;
            }
            if position::order(record.number(), &batch.first).is_lt() {
                continue;
            }
            kept.between += 1;
            if settings.keeps(&json) {
                kept.entries.push(Entry::new(&record, &json));
                kept.records.push(record);
            }
            if to_last == Ordering::Equal {
                return true;
            }
        }
        false
    }
}

/// Whether the shard, or its records behind an iterator, are gone.
fn is_gone(error: &ClientError) -> bool {
    matches!(
        error.kind(),
        Some(ErrorKind::ResourceNotFound | ErrorKind::TrimmedDataAccess)
    )
}

/// Why the records of a batch are not found: whether its stream and its shard are there, and began before it.
async fn absence(io: &dyn Io, batch: &Discard) -> Result<Absence, ClientError> {
    let key = &batch.shard;
    let mut after = None;
    loop {
        let input = DescribeStreamInput {
            stream_arn: Some(key.stream.clone()),
            exclusive_start_shard_id: after,
            ..DescribeStreamInput::default()
        };
        let page = match ask(io, input).await {
            Ok(page) => page.stream_description.unwrap_or_default(),
            Err(error) if error.kind() == Some(ErrorKind::ResourceNotFound) => {
                return Ok(Absence::NoStream);
            }
            Err(error) => return Err(error),
        };
        let mut shards = page.shards.unwrap_or_default().into_iter();
        if let Some(found) = shards.find(|one| one.shard_id.as_ref() == Some(&key.shard)) {
            let range = found.sequence_number_range.unwrap_or_default();
            return Ok(match range.starting_sequence_number {
                Some(begins) if position::order(&batch.last, &begins).is_lt() => {
                    Absence::BeforeShard(begins)
                }
                Some(_) | None => Absence::Expired,
            });
        }
        after = page.last_evaluated_shard_id;
        if after.is_none() {
            return Ok(Absence::NoShard);
        }
    }
}
