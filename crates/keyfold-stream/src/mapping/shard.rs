//! Reads a shard for a mapping: forms batches, calls the function, and moves the position behind what is
//! finished.

use crate::lease::Lease;
use crate::lease_table::{Changed, LeaseTable};
use crate::mapping::event;
use crate::mapping::function::{Function, Invocation, Listener};
use crate::mapping::lane::{Discarded, EVENT_MAX, Lane};
use crate::mapping::part::{Condition, Entry, Outcome, Part, Reply};
use crate::mapping::settings::Settings;
use crate::mapping::troubles::Troubles;
use crate::position::Position;
use crate::records::{TROUBLE_PAUSE, iterator, records};
use crate::world::{Io, World};
use keyfold_api::{ErrorKind, StreamEvent};
use keyfold_client::blocked;
use keyfold_lower::ClientError;
use serde_json::Value as Json;
use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The most records that wait for lanes whose batches fail, beside a batch for each lane.
const AHEAD_MAX: usize = 10_000;
/// The most characters of a cause in a report.
const CAUSE_MAX: usize = 1_000;
/// The most bytes of such records.
const AHEAD_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The time between two looks at a shard without records.
const POLL_TIME: Duration = Duration::from_millis(100);

/// The time between two tries to store a discarded batch.
const STORE_PAUSE: Duration = Duration::from_secs(5);

/// What a mapping's shards share.
pub(crate) struct Parts {
    pub(crate) world: Arc<dyn World>,
    pub(crate) settings: Settings,
    pub(crate) function: Arc<dyn Function>,
    pub(crate) listener: Arc<dyn Listener>,
    pub(crate) leases: LeaseTable,
}

/// What comes after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The next step, after a pause.
    Wait(Duration),
    /// Nothing: all records of the shard are finished, or another program has taken it.
    Ended,
}

/// A shard whose records a mapping handles.
pub struct Shard {
    of: Arc<Parts>,
    lease: Lease,
    /// Up to where the records were read.
    read: Position,
    iterator: Option<String>,
    next_read: Duration,
    is_end: bool,
    lanes: Vec<Lane>,
    troubles: Troubles,
    /// The discarded batches that are not stored yet: nothing else is done before they are, so that the position stays
    /// before them.
    unstored: VecDeque<Unstored>,
    /// They are not stored before.
    next_store: Duration,
    /// The numbers of the records that were read and lie behind the position, in order.
    order: VecDeque<String>,
    /// Those of them that are not finished.
    open: BTreeSet<String>,
}

/// A discarded batch that is to be stored.
struct Unstored {
    lane: usize,
    record: Json,
    entries: Vec<Entry>,
}

impl fmt::Debug for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shard")
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

impl Shard {
    pub(crate) fn new(of: Arc<Parts>, lease: Lease) -> Shard {
        let lanes = (0..of.settings.parallel).map(|_| Lane::default()).collect();
        Shard {
            read: lease.position.clone(),
            troubles: Troubles::after(lease.error.as_ref()),
            lease,
            iterator: None,
            next_read: Duration::ZERO,
            is_end: false,
            lanes,
            unstored: VecDeque::new(),
            next_store: Duration::ZERO,
            order: VecDeque::new(),
            open: BTreeSet::new(),
            of,
        }
    }

    /// Up to where the records are finished, as it is stored.
    pub fn position(&self) -> &Position {
        &self.lease.position
    }

    /// Does what can be done now: reads records, calls the function for one batch of each lane, and
    /// stores the position.
    pub fn step(&mut self) -> Step {
        if !self.store() {
            let now = self.of.world.now();
            return Step::Wait(self.next_store.saturating_sub(now));
        }
        self.fetch();
        let now = self.of.world.now();
        for lane in &mut self.lanes {
            lane.form(&self.of.settings, now, self.is_end);
        }
        self.expire();
        for (at, outcome) in self.invoke() {
            self.settle(at, &outcome);
        }
        self.note_error();
        match self.checkpoint() {
            Ok(Changed::Yes) => {}
            Ok(Changed::No) => {
                let shard = &self.lease.key.shard;
                let why = format!("another program reads {shard} under the same name");
                self.of.listener.report(&why);
                return Step::Ended;
            }
            Err(error) => {
                self.of
                    .listener
                    .report(&format!("the position is not stored: {error}"));
                return Step::Wait(TROUBLE_PAUSE);
            }
        }
        match self.lease.is_ended() {
            true => Step::Ended,
            false => Step::Wait(self.rest()),
        }
    }

    /// How long nothing is to be done.
    fn rest(&self) -> Duration {
        let now = self.of.world.now();
        let lanes = self
            .lanes
            .iter()
            .filter_map(|lane| lane.due(&self.of.settings));
        let read = (!self.is_end && self.room() > 0).then_some(self.next_read);
        let next = lanes.chain(read).min().unwrap_or(now);
        next.saturating_sub(now)
    }

    /// The number of records that are still read ahead. A lane whose batch fails must not keep the
    /// others from their records, so more are read for them.
    fn room(&self) -> usize {
        let settings = &self.of.settings;
        if self.lanes.iter().all(|lane| lane.is_full(settings)) {
            return 0;
        }
        let (ahead, ahead_bytes) = match settings.parallel {
            1 => (0, 0),
            _ => (AHEAD_MAX, AHEAD_BYTES_MAX),
        };
        let bytes: usize = self.lanes.iter().map(Lane::bytes).sum();
        if bytes >= EVENT_MAX * settings.parallel + ahead_bytes {
            return 0;
        }
        let most = settings.batch * settings.parallel + ahead;
        let waiting: usize = self.lanes.iter().map(Lane::waiting).sum();
        most.saturating_sub(waiting)
    }

    /// Reads records, if there is room for them.
    fn fetch(&mut self) {
        let now = self.of.world.now();
        if self.is_end || self.next_read > now || self.room() == 0 {
            return;
        }
        match self.page() {
            Ok(events) => {
                if events.is_empty() {
                    self.next_read = now + POLL_TIME;
                }
                self.add(events, now);
            }
            Err(error) => {
                self.iterator = None;
                match error.kind() {
                    Some(ErrorKind::ExpiredIterator) => {}
                    Some(ErrorKind::TrimmedDataAccess) => {
                        let shard = &self.lease.key.shard;
                        let why = format!("records of {shard} have expired and are left out");
                        self.of.listener.report(&why);
                        self.read = Position::Horizon;
                    }
                    // The shard is gone with all its records.
                    Some(ErrorKind::ResourceNotFound) => self.is_end = true,
                    Some(_) | None => {
                        self.of
                            .listener
                            .report(&format!("no records are read: {error}"));
                        self.next_read = now + TROUBLE_PAUSE;
                    }
                }
            }
        }
    }

    fn page(&mut self) -> Result<Vec<StreamEvent>, ClientError> {
        let io: &dyn Io = &*self.of.world;
        let iterator = match self.iterator.take() {
            Some(iterator) => iterator,
            None => blocked(iterator(io, &self.lease.key, &self.read))?,
        };
        let page = blocked(records(io, iterator, self.room()))?;
        self.iterator = page.next_shard_iterator;
        self.is_end = self.iterator.is_none();
        Ok(page.records.unwrap_or_default())
    }

    /// Keeps the records that were not read before. Those that the filters leave out are finished.
    fn add(&mut self, events: Vec<StreamEvent>, now: Duration) {
        for (record, json) in event::records(&self.lease.key.stream, events) {
            if self.read.is_behind(record.number()) {
                continue;
            }
            self.read = Position::After(record.number().to_owned());
            self.order.push_back(record.number().to_owned());
            if !self.of.settings.keeps(&json) {
                continue;
            }
            let entry = Entry::new(&record, &json);
            self.open.insert(entry.number.clone());
            // All records of an item are in one lane, in order.
            let at = usize::try_from(entry.key % self.lanes.len() as u64).unwrap_or_default();
            if let Some(lane) = self.lanes.get_mut(at) {
                lane.add(entry, now);
            }
        }
    }

    fn expire(&mut self) {
        let now_ms = self.of.world.epoch_ms();
        for at in 0..self.lanes.len() {
            let lane = self.lanes.get_mut(at);
            let old = lane.and_then(|lane| lane.expire(&self.of.settings, now_ms));
            if let Some(old) = old {
                self.discard(at, old);
            }
        }
    }

    /// Calls the function for the next batch of each lane.
    fn invoke(&mut self) -> Vec<(usize, Outcome)> {
        let of = &self.of;
        let now = of.world.now();
        let lanes = self.lanes.iter_mut().enumerate();
        let due = lanes.filter_map(|(at, lane)| lane.next(now).map(|part| (at, part)));
        let mut due: Vec<(usize, &mut Part)> = due.collect();
        if let [(at, part)] = due.as_mut_slice() {
            return vec![(*at, call(of, part))];
        }
        std::thread::scope(|scope| {
            let calls = due.into_iter();
            let calls: Vec<_> = calls
                .map(|(at, part)| (at, scope.spawn(move || call(of, part))))
                .collect();
            let done = calls.into_iter().map(|(at, call)| {
                let outcome = call.join();
                let ended = || Outcome::Unreachable("the thread of the call ended".to_owned());
                (at, outcome.unwrap_or_else(|_| ended()))
            });
            done.collect()
        })
    }

    fn settle(&mut self, at: usize, outcome: &Outcome) {
        let of = Arc::clone(&self.of);
        let now = of.world.now();
        let Some(lane) = self.lanes.get_mut(at) else {
            return;
        };
        let why = match outcome {
            Outcome::All => None,
            Outcome::UpTo(handled) => {
                let handled = counted(*handled);
                of.listener
                    .report(&format!("the function handled {handled} of a batch"));
                None
            }
            Outcome::Failed(_, why) => Some(format!("the function failed: {}", in_a_line(why))),
            Outcome::Unreachable(why) => {
                Some(format!("the function is not reached: {}", in_a_line(why)))
            }
        };
        match why {
            None => self.troubles.end(at),
            Some(why) => {
                of.listener.report(&why);
                self.troubles.note(at, why, of.world.epoch_ms());
            }
        }
        let settled = lane.settle(&of.settings, outcome, now);
        self.finish(&settled.finished);
        if let Some(discarded) = settled.discarded {
            self.discard(at, discarded);
        }
    }

    /// Stores why the next records are not handled with the lease, for those who ask for the state of the mapping.
    /// Where it cannot be stored, the position cannot be, which is reported.
    fn note_error(&mut self) {
        let of = &self.of;
        let Some(error) = self.troubles.changed(self.lease.error.as_ref()) else {
            return;
        };
        let stored = of.leases.set_error(&*of.world, &self.lease, error.as_ref());
        if matches!(blocked(stored), Ok(Changed::Yes)) {
            self.lease.error = error;
        }
    }

    fn finish(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.open.remove(&entry.number);
        }
    }

    fn discard(&mut self, lane: usize, discarded: Discarded) {
        let Discarded { part, condition } = discarded;
        let (of, key) = (&self.of, &self.lease.key);
        let why = match condition {
            Condition::RetryAttemptsExhausted => "its retries are used up",
            Condition::RecordAgeExceeded => "it is too old",
        };
        let records = counted(part.entries.len());
        of.listener
            .report(&format!("a batch of {records} is discarded: {why}"));
        let now_ms = of.world.epoch_ms();
        let whose = (of.settings.name.as_str(), of.function.arn());
        let record = event::discarded((key, &part), condition, (whose.0, &whose.1), now_ms);
        self.unstored.push_back(Unstored {
            lane,
            record,
            entries: part.entries,
        });
        self.store();
    }

    /// Stores the discarded batches. Returns whether all are; the rest is tried again after a pause.
    fn store(&mut self) -> bool {
        let of = Arc::clone(&self.of);
        let now = of.world.now();
        while let Some(first) = self.unstored.front() {
            if self.next_store > now {
                return false;
            }
            if let Err(why) = of.listener.discarded(&first.record) {
                let why = unstored(&first.entries, &why);
                of.listener.report(&why);
                self.troubles.note(first.lane, why, of.world.epoch_ms());
                self.next_store = now + STORE_PAUSE;
                self.note_error();
                return false;
            }
            if let Some(stored) = self.unstored.pop_front() {
                self.troubles.end(stored.lane);
                self.finish(&stored.entries);
            }
        }
        true
    }

    /// Moves the position behind the records before the first that is not finished.
    fn checkpoint(&mut self) -> Result<Changed, ClientError> {
        let mut to = None;
        while let Some(number) = self
            .order
            .pop_front_if(|number| !self.open.contains(number))
        {
            to = Some(Position::After(number));
        }
        if self.is_end && self.order.is_empty() && self.lanes.iter().all(Lane::is_empty) {
            to = Some(Position::End);
        }
        // A position that could not be stored before is stored with the next.
        let Some(to) = to else {
            return Ok(Changed::Yes);
        };
        let moved = self.of.leases.set_position(
            &*self.of.world,
            &self.lease,
            (&to, self.of.world.epoch_ms()),
        );
        match blocked(moved) {
            Ok(changed) => {
                self.lease.position = to;
                Ok(changed)
            }
            Err(error) => {
                if let Position::After(number) = to {
                    self.order.push_front(number);
                }
                Err(error)
            }
        }
    }
}

/// Why the position stays before a discarded batch.
fn unstored(entries: &[Entry], why: &str) -> String {
    let number = |entry: Option<&Entry>| entry.map_or(String::new(), |entry| entry.number.clone());
    let (first, last) = (number(entries.first()), number(entries.last()));
    let why = in_a_line(why);
    format!(
        "a discarded batch, records {first} to {last}, is not stored, which is tried again: {why}"
    )
}

/// `1 record`, `2 records`.
fn counted(records: usize) -> String {
    match records {
        1 => "1 record".to_owned(),
        count => format!("{count} records"),
    }
}

/// A cause for a log, in one short line: a function may answer anything.
pub(crate) fn in_a_line(why: &str) -> String {
    let mut chars = why.chars();
    let plain = |char: char| if char.is_control() { ' ' } else { char };
    let mut line: String = chars.by_ref().take(CAUSE_MAX).map(plain).collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}

/// Calls the function with a batch.
fn call(of: &Parts, part: &mut Part) -> Outcome {
    part.id = request_id(|| of.world.random());
    let event = event::event(&part.entries);
    let reply = of.function.invoke(Invocation {
        id: &part.id,
        event: &event,
        timeout: of.settings.timeout,
    });
    if !matches!(reply, Reply::Unreachable(_)) {
        part.invoked += 1;
    }
    event::outcome(&of.settings, &part.entries, reply)
}

/// A random UUID.
pub(crate) fn request_id(random: impl Fn() -> u64) -> String {
    let (high, low) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        (low >> 48) & 0x3fff | 0x8000,
        low & 0xffff_ffff_ffff
    )
}
