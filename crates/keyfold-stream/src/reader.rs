//! The task that reads a shard, whose lease the worker has, from its position to its end.

use crate::commit::{Committed, commit};
use crate::crew::{Crew, Held};
use crate::gap::{AtGap, Gap};
use crate::handle::{Broken, handle};
use crate::handler::{Effects, Record};
use crate::lease::Lease;
use crate::position::Position;
use crate::records::{TROUBLE_PAUSE, iterator, records};
use crate::report::Report;
use crate::world::Io;
use keyfold_api::{ErrorKind, StreamEvent};
use keyfold_lower::ClientError;
use std::sync::Arc;
use std::time::Duration;

/// Where the next records of a shard come from.
enum Next {
    /// From the stored position.
    Position,
    /// From an iterator.
    Iterator(String),
    /// There are none: the shard has ended.
    Nothing,
}

/// What a request for records found.
enum Page {
    Records(Vec<StreamEvent>, Next),
    /// The iterator is too old.
    Expired,
    /// The position is older than the oldest record of the stream.
    Trimmed,
    /// It failed, and may succeed later.
    Trouble(String),
}

struct Reader {
    crew: Arc<Crew>,
    held: Arc<Held>,
    lease: Lease,
    /// Up to where the records were read: those that a filter leaves out move it, and not the lease.
    read: Position,
    waiting: Vec<Record>,
    /// The moment at which the first of the waiting records was read.
    since: Duration,
    next: Next,
}

/// Reads a shard until it has ended, the lease is lost, or the worker stops.
pub(crate) async fn read(crew: Arc<Crew>, held: Arc<Held>) {
    crew.report(Report::Taken(held.lease.key.clone()));
    let lease = held.lease.clone();
    let mut reader = Reader {
        read: lease.position.clone(),
        lease,
        waiting: Vec::new(),
        since: Duration::ZERO,
        next: Next::Position,
        crew: Arc::clone(&crew),
        held: Arc::clone(&held),
    };
    let key = held.lease.key.clone();
    match reader.run().await {
        Ok(()) => {
            crew.let_go(&held);
            crew.report(Report::Ended(key));
            crew.look_now();
        }
        Err(Broken::Lost) => {
            crew.let_go(&held);
            crew.report(Report::Lost(key));
        }
        Err(Broken::Stopping) => {
            crew.let_go(&held);
            match crew.leases.release(&*crew.world, &held.lease).await {
                Ok(_) => crew.report(Report::Released(key)),
                Err(error) => crew.report(Report::Trouble(format!(
                    "the lease of {} was not given back, and others take it when its time is over: \
                     {error}",
                    key.shard
                ))),
            }
        }
    }
}

impl Reader {
    async fn run(&mut self) -> Result<(), Broken> {
        loop {
            self.check()?;
            match self.page().await {
                Page::Records(events, next) => {
                    let is_empty = events.is_empty();
                    self.add(events);
                    self.next = next;
                    let is_end = matches!(self.next, Next::Nothing);
                    if self.is_due(is_end) {
                        self.flush().await?;
                    } else if is_empty {
                        self.crew.world.pause(self.idle_time()).await;
                    }
                    if is_end {
                        return self.end().await;
                    }
                }
                Page::Expired => self.next = Next::Position,
                Page::Trimmed => self.gap()?,
                Page::Trouble(why) => {
                    self.crew.report(Report::Trouble(why));
                    self.crew.world.pause(TROUBLE_PAUSE).await;
                }
            }
        }
    }

    fn check(&self) -> Result<(), Broken> {
        match () {
            () if self.held.is_lost() => Err(Broken::Lost),
            () if self.crew.is_stopping() => Err(Broken::Stopping),
            () => Ok(()),
        }
    }

    /// The next records.
    async fn page(&mut self) -> Page {
        let io: &dyn Io = &*self.crew.world;
        let iterator = match std::mem::replace(&mut self.next, Next::Position) {
            Next::Iterator(iterator) => iterator,
            Next::Position => match iterator(io, &self.lease.key, &self.read).await {
                Ok(iterator) => iterator,
                Err(error) => return failed(error),
            },
            Next::Nothing => return Page::Records(Vec::new(), Next::Nothing),
        };
        let room = self.crew.options.batch.saturating_sub(self.waiting.len());
        match records(io, iterator.clone(), room).await {
            Ok(page) => {
                let next = page
                    .next_shard_iterator
                    .map_or(Next::Nothing, Next::Iterator);
                Page::Records(page.records.unwrap_or_default(), next)
            }
            Err(error) => {
                self.next = Next::Iterator(iterator);
                failed(error)
            }
        }
    }

    /// Keeps the records that were not read before, and that the filter lets through.
    fn add(&mut self, events: Vec<StreamEvent>) {
        for event in events {
            let Some(record) = Record::new(event) else {
                let why = "a record without a sequence number was left out";
                self.crew.report(Report::Trouble(why.to_owned()));
                continue;
            };
            if self.read.is_behind(record.number()) {
                continue;
            }
            self.read = Position::After(record.number().to_owned());
            let filter = self.crew.options.filter.as_ref();
            if filter.is_none_or(|keeps| keeps(&record.event)) {
                if self.waiting.is_empty() {
                    self.since = self.crew.world.now();
                }
                self.waiting.push(record);
            }
        }
    }

    /// Whether the waiting records are handled now.
    fn is_due(&self, is_end: bool) -> bool {
        let options = &self.crew.options;
        let waited = self.crew.world.now().saturating_sub(self.since);
        let is_full = self.waiting.len() >= options.batch;
        !self.waiting.is_empty() && (is_full || is_end || waited >= options.window)
    }

    /// How long the task waits for more records.
    fn idle_time(&self) -> Duration {
        let options = &self.crew.options;
        if self.waiting.is_empty() {
            return options.poll_time;
        }
        let waited = self.crew.world.now().saturating_sub(self.since);
        options.window.saturating_sub(waited).min(options.poll_time)
    }

    /// Handles the waiting records.
    async fn flush(&mut self) -> Result<(), Broken> {
        let records = std::mem::take(&mut self.waiting);
        handle(&self.crew, &self.held, &mut self.lease, &records).await
    }

    /// Moves the lease to the end of the shard.
    async fn end(&mut self) -> Result<(), Broken> {
        loop {
            self.check()?;
            let (crew, held) = (&self.crew, &self.held);
            match commit(crew, held, &self.lease, &Position::End, Effects::none()).await {
                Committed::Yes | Committed::Moved(Position::End) => return Ok(()),
                Committed::Moved(to) => self.lease.position = to,
                Committed::Lost => return Err(Broken::Lost),
                Committed::Again(why) | Committed::Refused(why) => {
                    crew.report(Report::Trouble(why));
                    crew.world.pause(TROUBLE_PAUSE).await;
                }
                Committed::TooMany(_) => return Err(Broken::Lost),
            }
        }
    }

    /// The program decides what a gap means.
    fn gap(&mut self) -> Result<(), Broken> {
        let gap = Gap::of(&self.lease.key, &self.read);
        self.crew.report(Report::Gap(gap.clone()));
        match (self.crew.options.on_gap)(&gap) {
            AtGap::GoOn => {
                self.read = Position::Horizon;
                self.next = Next::Position;
                Ok(())
            }
            AtGap::Stop => {
                self.crew.fail(Report::Gap(gap).to_string());
                Err(Broken::Stopping)
            }
        }
    }
}

fn failed(error: ClientError) -> Page {
    match error.kind() {
        Some(ErrorKind::ExpiredIterator) => Page::Expired,
        Some(ErrorKind::TrimmedDataAccess) => Page::Trimmed,
        // The shard is gone with all its records.
        Some(ErrorKind::ResourceNotFound) => Page::Trimmed,
        Some(_) | None => Page::Trouble(error.to_string()),
    }
}
