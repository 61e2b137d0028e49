//! Applies the changes of the source's stream to the target, each shard from its position to its end,
//! parents before their children.
//!
//! Of the records of a transaction the last one of each item counts: its new image replaces the whole
//! item, and a removal deletes it. As long as segments are copied, a removal leaves a tombstone, so that
//! a page that was read before does not bring the item back.
//!
//! The target is even with the source up to a moment when each shard was read later: it has ended, or
//! its pages were empty for the time that a record takes to appear. The stream must have been on then.
//! A shard that is written without a pause of that length is not even; whether all of before one moment
//! is applied, [`crate::passed`] decides.

use crate::changes::{Batch, Change};
use crate::commit::{Committed, commit};
use crate::crew::{Crew, Patience, Stop};
use crate::guard::{check_kept, check_refused, check_tables};
use crate::held::{create, note};
use crate::ledger::Changed;
use crate::passed::Passing;
use crate::rows::{Checkpoint, Counts, shard_part};
use crate::world::Place;
use keyfold_api::{ErrorKind, StreamEvent, TransactDelete, TransactPut, TransactWriteItem};
use keyfold_client::ClientError;
use keyfold_stream::{Position, Shard, iterator, records, shards};
use keyfold_types::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The time between two looks at the stream's shards.
const DISCOVERY_TIME: Duration = Duration::from_secs(5);
/// The least pages without records, one after the other, of a shard that has none left.
const EMPTY_PAGES: u32 = 3;
/// The most records of a page.
const PAGE_MAX: usize = 1_000;
/// The most records of a page of a reader that is near the end of its shard.
const NEAR_MAX: usize = 100;
/// The time between two notes that the changes are complete.
const NOTE_TIME: Duration = Duration::from_secs(30);

/// Follows the stream, and ends the run when it cannot.
pub(crate) async fn follow(crew: Arc<Crew>, stream: String, rows: Vec<Checkpoint>) {
    let mut follower = Follower {
        crew: Arc::clone(&crew),
        stream,
        tails: rows
            .into_iter()
            .map(|row| (row.part.clone(), row))
            .collect(),
        iterators: BTreeMap::new(),
        empty: BTreeMap::new(),
        passing: Passing::default(),
        read_ms: BTreeMap::new(),
        listed: Vec::new(),
        looked: None,
        // Some may have ended just before this run began.
        ended: Some(crew.world.now()),
        guarded: crew.world.now(),
        noted: None,
        most: 0,
    };
    if let Err(stop) = follower.run().await {
        crew.end(stop);
    }
}

/// The pages of a shard since its last record.
#[derive(Debug, Clone, Copy)]
struct Empty {
    /// When the first of them was asked for.
    since: Duration,
    /// When the last of them was.
    last: Duration,
    pages: u32,
}

struct Follower {
    crew: Arc<Crew>,
    stream: String,
    /// The checkpoints by their part.
    tails: BTreeMap<String, Checkpoint>,
    /// The iterators of shards that were read before, by their part.
    iterators: BTreeMap<String, String>,
    /// The shards whose last page had no records, by their part.
    empty: BTreeMap<String, Empty>,
    /// The records that are later than the moment which was asked for.
    passing: Passing,
    /// The moment, milliseconds since 1970, up to which a shard is read, by their part: when its last record
    /// was made, or when a page without records was asked for.
    read_ms: BTreeMap<String, u64>,
    listed: Vec<Shard>,
    /// When the shards were asked for; `None` when they are to be asked for now.
    looked: Option<Duration>,
    /// When the last shard ended, whose children are listed later.
    ended: Option<Duration>,
    /// When both tables were looked at.
    guarded: Duration,
    noted: Option<Duration>,
    /// The records of the longest page of a round.
    most: usize,
}

impl Follower {
    async fn run(&mut self) -> Result<(), Stop> {
        check_refused(&self.crew).await?;
        loop {
            self.crew.check()?;
            self.look().await?;
            let is_quiet = self.round().await?;
            self.note().await?;
            self.judge().await?;
            self.pass().await?;
            if is_quiet {
                self.crew.world.pause(self.crew.options.poll_time).await;
            }
        }
    }

    /// Decides up to which moment the target is even with the source.
    async fn judge(&mut self) -> Result<(), Stop> {
        let now = self.crew.world.now();
        if !self.is_recent(self.guarded, now) {
            // The last look at the tables does not count before this one has found them.
            self.crew.progress.set_even(None);
            check_tables(&self.crew, now.saturating_sub(self.guarded)).await?;
            check_refused(&self.crew).await?;
            self.guarded = now;
        }
        let to = match self.crew.is_copying() {
            true => None,
            false => self.read_to().map(|to| to.min(self.guarded)),
        };
        self.crew.progress.set_even(to);
        Ok(())
    }

    /// Decides whether all of before the moment that was asked for is applied, and how far the run is behind.
    async fn pass(&mut self) -> Result<(), Stop> {
        let progress = Arc::clone(&self.crew.progress);
        let read_ms = match self.crew.is_copying() {
            true => None,
            false => self.read_ms()?,
        };
        progress.set_read(read_ms);
        let goal = progress.goal().filter(|_| !self.crew.is_copying());
        self.passing.toward(goal);
        let (Some(goal), Some(looked)) = (goal, self.looked) else {
            return Ok(());
        };
        let settle = self.crew.options.settle_time;
        // The children of a shard that has just ended may have records of before the moment.
        let is_listed = self.ended.is_none_or(|ended| looked >= ended + settle);
        if progress.is_past_goal() || looked.min(self.guarded) < goal || !is_listed {
            return Ok(());
        }
        let mut is_past = true;
        for shard in &self.listed {
            let part = shard_part(&self.crew.options.table, &shard.key.shard);
            let position = self.position(&part)?;
            let is_quiet = self.quiet_to(&part).is_some_and(|to| to >= goal);
            if position == Position::End || is_quiet || self.passing.has_passed(&part, &position) {
                continue;
            }
            is_past = false;
            // A shard without new records is judged by its empty pages.
            if !self.empty.contains_key(&part) {
                self.passing.look(&self.crew, &part, &shard.key).await;
            }
        }
        if is_past {
            progress.set_past(goal);
        }
        Ok(())
    }

    /// The moment up to which all shards are read; `None` before each has been.
    fn read_ms(&self) -> Result<Option<u64>, Stop> {
        let mut least = None;
        for shard in &self.listed {
            let part = shard_part(&self.crew.options.table, &shard.key.shard);
            let waits = match &shard.parent {
                Some(parent) => self.waits_for(parent)?,
                None => false,
            };
            if waits || self.position(&part)? == Position::End {
                continue;
            }
            let Some(ms) = self.read_ms.get(&part) else {
                return Ok(None);
            };
            least = Some(least.unwrap_or(*ms).min(*ms));
        }
        Ok(least)
    }

    /// Whether a look need not be repeated: it was not long ago, and later than all that is asked for.
    fn is_recent(&self, at: Duration, now: Duration) -> bool {
        let is_late = |asked: Option<Duration>| asked.is_none_or(|asked| at >= asked.min(now));
        let listed = self
            .ended
            .map(|ended| ended + self.crew.options.settle_time);
        now.saturating_sub(at) < DISCOVERY_TIME
            && is_late(self.crew.progress.goal())
            && is_late(listed.filter(|listed| *listed <= now))
    }

    /// The moment up to which all records were read.
    fn read_to(&self) -> Option<Duration> {
        let settle = self.crew.options.settle_time;
        let mut to = self.looked?;
        if self.ended.is_some_and(|ended| to < ended + settle) {
            return None;
        }
        for shard in &self.listed {
            let part = shard_part(&self.crew.options.table, &shard.key.shard);
            if self.position(&part).ok()? == Position::End {
                continue;
            }
            to = to.min(self.quiet_to(&part)?);
        }
        Some(to)
    }

    /// The moment up to which a shard is read whose pages were empty for the time that a record takes to appear.
    fn quiet_to(&self, part: &str) -> Option<Duration> {
        let settle = self.crew.options.settle_time;
        let empty = self.empty.get(part)?;
        let is_quiet =
            empty.pages >= EMPTY_PAGES && empty.last.saturating_sub(empty.since) >= settle;
        is_quiet.then(|| empty.last.saturating_sub(settle))
    }

    /// Looks at the shards of the stream, when it is time.
    async fn look(&mut self) -> Result<(), Stop> {
        let now = self.crew.world.now();
        if self.looked.is_some_and(|at| self.is_recent(at, now)) {
            return Ok(());
        }
        let listed = self.list().await?;
        for shard in &listed {
            let part = shard_part(&self.crew.options.table, &shard.key.shard);
            if !self.tails.contains_key(&part) {
                let row = self.begin(part.clone()).await?;
                self.tails.insert(part, row);
            }
        }
        self.find_gap(&listed)?;
        self.listed = listed;
        self.looked = Some(now);
        Ok(())
    }

    async fn list(&self) -> Result<Vec<Shard>, Stop> {
        let mut patience = Patience::new();
        loop {
            self.crew.check()?;
            let source = self.crew.at(Place::Source);
            match shards(&source, &self.stream).await {
                Ok(Some(listed)) => return Ok(listed),
                Ok(None) => return Err(self.lost("the stream is gone")),
                Err(error) => {
                    self.crew
                        .wait_out(&mut patience, Place::Source, error)
                        .await?;
                }
            }
        }
    }

    /// The checkpoint of a shard that no run has read.
    async fn begin(&self, part: String) -> Result<Checkpoint, Stop> {
        let row = Checkpoint {
            part,
            fence: self.crew.run.fence,
            step: 0,
            at: Value::from(Position::Horizon.to_string()),
            counts: Counts::default(),
        };
        create(&self.crew, row).await
    }

    /// A shard whose records went before they were applied.
    fn find_gap(&self, listed: &[Shard]) -> Result<(), Stop> {
        let end = Value::from(Position::End.to_string());
        let table = &self.crew.options.table;
        let is_listed = |part: &String| {
            listed
                .iter()
                .any(|shard| shard_part(table, &shard.key.shard) == *part)
        };
        let lost = self
            .tails
            .values()
            .find(|row| row.at != end && !is_listed(&row.part));
        match lost {
            Some(row) => Err(self.lost(&format!("{} is gone", row.part))),
            None => Ok(()),
        }
    }

    fn lost(&self, why: &str) -> Stop {
        Stop::Failed(ClientError::refused(format!(
            "changes of {} are lost: {why}, and the source keeps changes for 24 hours; abort the \
             move and begin it again",
            self.crew.options.table
        )))
    }

    /// Reads a page of each shard. Returns whether there was nothing.
    async fn round(&mut self) -> Result<bool, Stop> {
        let mut is_quiet = true;
        self.most = 0;
        for shard in self.listed.clone() {
            let part = shard_part(&self.crew.options.table, &shard.key.shard);
            if self.position(&part)? == Position::End {
                continue;
            }
            if let Some(parent) = &shard.parent
                && self.waits_for(parent)?
            {
                is_quiet = false;
                self.most = usize::MAX;
                continue;
            }
            is_quiet &= self.page(&shard, &part).await?;
        }
        let is_near = self.most <= NEAR_MAX && !self.crew.is_copying();
        self.crew.progress.set_near(is_near);
        Ok(is_quiet)
    }

    /// Whether the records of a parent are to be applied first. One without a checkpoint was gone
    /// before the move began.
    fn waits_for(&self, parent: &str) -> Result<bool, Stop> {
        let part = shard_part(&self.crew.options.table, parent);
        Ok(self.tails.contains_key(&part) && self.position(&part)? != Position::End)
    }

    fn position(&self, part: &str) -> Result<Position, Stop> {
        let at = self.tails.get(part).map(|row| &row.at);
        let position = match at {
            Some(Value::S(text)) => Position::of(text),
            Some(_) | None => None,
        };
        position.ok_or_else(|| {
            let why = format!(
                "the row {part} of {} has no proper `at`",
                self.crew.ledger.rows
            );
            Stop::Failed(ClientError::refused(why))
        })
    }

    /// Applies a page of a shard. Returns whether it was empty.
    async fn page(&mut self, shard: &Shard, part: &str) -> Result<bool, Stop> {
        let sent_ms = u64::try_from(self.crew.world.epoch_ms()).unwrap_or(0);
        let (sent, events, next) = self.read(shard, part).await?;
        self.most = self.most.max(events.len());
        self.count_empty(part, sent, events.is_empty() && next.is_some());
        let position = self.position(part)?;
        let is_new = |event: &StreamEvent| {
            let number = event.dynamodb.as_ref()?.sequence_number.as_deref()?;
            (!position.is_behind(number)).then_some(())
        };
        let events: Vec<StreamEvent> = events
            .into_iter()
            .filter(|event| is_new(event).is_some())
            .collect();
        let is_quiet = events.is_empty() && next.is_some();
        if !self.apply(part, &events).await? {
            self.iterators.remove(part);
            return Ok(false);
        }
        self.read_ms
            .insert(part.to_owned(), made_ms(&events).unwrap_or(sent_ms));
        match next {
            Some(next) => {
                self.iterators.insert(part.to_owned(), next);
            }
            None => {
                let end = Batch::end();
                self.send(part, &end).await?;
                self.iterators.remove(part);
                self.ended = Some(self.crew.world.now());
                self.looked = None;
                self.most = usize::MAX;
            }
        }
        Ok(is_quiet)
    }

    /// Counts the pages of a shard without records, one after the other.
    fn count_empty(&mut self, part: &str, sent: Duration, is_empty: bool) {
        if !is_empty {
            self.empty.remove(part);
            return;
        }
        let first = Empty {
            since: sent,
            last: sent,
            pages: 0,
        };
        let empty = self.empty.entry(part.to_owned()).or_insert(first);
        empty.last = sent;
        empty.pages += 1;
    }

    /// When the next records of a shard were asked for, these, and the iterator behind them; `None` at its
    /// end.
    async fn read(
        &mut self,
        shard: &Shard,
        part: &str,
    ) -> Result<(Duration, Vec<StreamEvent>, Option<String>), Stop> {
        let mut patience = Patience::new();
        loop {
            self.crew.check()?;
            let crew = Arc::clone(&self.crew);
            let source = crew.at(Place::Source);
            let known = self.iterators.get(part).cloned();
            let found = match known {
                Some(known) => Ok(known),
                None => iterator(&source, &shard.key, &self.position(part)?).await,
            };
            let sent = crew.world.now();
            let answer = match found {
                Ok(found) => {
                    self.iterators.insert(part.to_owned(), found.clone());
                    records(&source, found, PAGE_MAX).await
                }
                Err(error) => Err(error),
            };
            let error = match answer {
                Ok(page) => {
                    check_kept(&crew)?;
                    let events = page.records.unwrap_or_default();
                    return Ok((sent, events, page.next_shard_iterator));
                }
                Err(error) => error,
            };
            match error.kind() {
                Some(ErrorKind::ExpiredIterator) => {
                    self.iterators.remove(part);
                }
                Some(ErrorKind::TrimmedDataAccess | ErrorKind::ResourceNotFound) => {
                    return Err(self.lost(&format!("records behind those of {part} are gone")));
                }
                // More readers than a shard serves at once: that passes, however long it takes.
                Some(ErrorKind::LimitExceeded) => {
                    let mut anew = Patience::new();
                    crew.wait_out(&mut anew, Place::Source, error).await?;
                }
                Some(_) | None => crew.wait_out(&mut patience, Place::Source, error).await?,
            }
        }
    }

    /// Applies records in their order. Returns whether all are; if not, the checkpoint has moved.
    async fn apply(&mut self, part: &str, events: &[StreamEvent]) -> Result<bool, Stop> {
        let mut left = events;
        while !left.is_empty() {
            let batch = match self.crew.run.turn.applies() {
                true => Batch::of(left, self.crew.is_copying()),
                false => Batch::skipped(left),
            };
            let batch = batch.map_err(Stop::Failed)?;
            if !self.send(part, &batch).await? {
                return Ok(false);
            }
            left = left.get(batch.records..).unwrap_or_default();
        }
        Ok(true)
    }

    /// Applies a batch. Returns whether it was; if not, the checkpoint has moved.
    async fn send(&mut self, part: &str, batch: &Batch) -> Result<bool, Stop> {
        let Some(row) = self.tails.get(part).cloned() else {
            return Ok(false);
        };
        let to = Value::from(batch.to.to_string());
        let next = row.moved(&to, batch.counts());
        let mut actions = Vec::new();
        for change in &batch.changes {
            self.add(change, &mut actions);
        }
        let (now, is_done) = match commit(&self.crew, &row, next, &actions).await? {
            Committed::Yes(now) => (now, true),
            Committed::Moved(now) => (now, false),
            // No action has a condition.
            Committed::Refused(_) => (row, false),
        };
        self.tails.insert(part.to_owned(), now);
        if is_done && !batch.is_skipped {
            let progress = &self.crew.progress;
            progress.applied(batch.records, batch.changes.len());
        }
        Ok(is_done)
    }

    /// Adds the actions of a change.
    fn add(&self, change: &Change, actions: &mut Vec<TransactWriteItem>) {
        let table = Some(self.crew.options.table.clone());
        match change {
            Change::Put(item) => actions.push(TransactWriteItem {
                put: Some(TransactPut {
                    table_name: table,
                    item: Some(Ok(item.clone())),
                    ..TransactPut::default()
                }),
                ..TransactWriteItem::default()
            }),
            Change::Delete { key, tombstone } => {
                actions.push(TransactWriteItem {
                    delete: Some(TransactDelete {
                        table_name: table,
                        key: Some(Ok(key.clone())),
                        ..TransactDelete::default()
                    }),
                    ..TransactWriteItem::default()
                });
                if *tombstone {
                    actions.push(self.crew.ledger.gone(key, self.crew.run.id));
                }
            }
        }
    }

    /// Notes in the target that no change was missed up to now.
    async fn note(&mut self) -> Result<(), Stop> {
        let now = self.crew.world.now();
        if self
            .noted
            .is_some_and(|at| now.saturating_sub(at) < NOTE_TIME)
        {
            return Ok(());
        }
        match note(&self.crew).await? {
            Changed::Yes => {
                self.noted = Some(now);
                Ok(())
            }
            Changed::No => Err(Stop::Lost),
        }
    }
}

/// When the last of records was made, milliseconds since 1970.
fn made_ms(events: &[StreamEvent]) -> Option<u64> {
    let last = events.last()?.dynamodb.as_ref()?;
    last.approximate_creation_date_time.map(|moment| moment.0)
}
