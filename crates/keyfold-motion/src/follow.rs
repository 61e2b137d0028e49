//! Applies the changes of the source's stream to the target, each shard from its position to its end,
//! parents before their children.
//!
//! Of the records of a transaction the last one of each item counts: its new image replaces the whole
//! item, and a removal deletes it. As long as segments are copied, a removal leaves a tombstone, so that
//! a page that was read before does not bring the item back.

use crate::changes::{Batch, Change};
use crate::commit::{Committed, commit};
use crate::crew::{Crew, Patience, Stop};
use crate::held::{create, note};
use crate::ledger::Changed;
use crate::rows::{Checkpoint, shard_part};
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
/// The rounds without any record after which nothing is left: a page of a shard may be empty before
/// its end.
const EVEN_ROUNDS: u32 = 3;
/// The most records of a page.
const PAGE_MAX: usize = 1_000;
/// The time between two notes that the changes are complete.
const NOTE_TIME: Duration = Duration::from_secs(30);

/// Follows the stream, and ends the run when it cannot, or when nothing is left.
pub(crate) async fn follow(crew: Arc<Crew>, stream: String, rows: Vec<Checkpoint>) {
    let mut follower = Follower {
        crew: Arc::clone(&crew),
        stream,
        tails: rows
            .into_iter()
            .map(|row| (row.part.clone(), row))
            .collect(),
        iterators: BTreeMap::new(),
        listed: Vec::new(),
        looked: None,
        quiet: 0,
        noted: None,
    };
    if let Err(stop) = follower.run().await {
        crew.end(stop);
    }
}

struct Follower {
    crew: Arc<Crew>,
    stream: String,
    /// The checkpoints by their part.
    tails: BTreeMap<String, Checkpoint>,
    /// The iterators of shards that were read before, by their part.
    iterators: BTreeMap<String, String>,
    listed: Vec<Shard>,
    looked: Option<Duration>,
    /// The rounds without any record after the table was copied.
    quiet: u32,
    noted: Option<Duration>,
}

impl Follower {
    async fn run(&mut self) -> Result<(), Stop> {
        loop {
            self.crew.check()?;
            let was_copied = !self.crew.is_copying();
            self.look().await?;
            let is_quiet = self.round().await?;
            self.note().await?;
            self.quiet = match is_quiet && was_copied {
                true => self.quiet + 1,
                false => 0,
            };
            let is_even = self.quiet >= EVEN_ROUNDS;
            self.crew.progress.set_even(is_even);
            if is_even && self.crew.options.until_even {
                return Ok(());
            }
            if is_quiet {
                self.crew.world.pause(self.crew.options.poll_time).await;
            }
        }
    }

    /// Looks at the shards of the stream, when it is time.
    async fn look(&mut self) -> Result<(), Stop> {
        let now = self.crew.world.now();
        let is_recent = self
            .looked
            .is_some_and(|at| now.saturating_sub(at) < DISCOVERY_TIME);
        // The rounds that decide that nothing is left look each time.
        let decides = self.crew.options.until_even && !self.crew.is_copying();
        if is_recent && !decides {
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
            "changes of {} are lost: {why} in the source, which keeps changes for 24 hours; abort the \
             move and begin it again",
            self.crew.options.table
        )))
    }

    /// Reads a page of each shard. Returns whether there was nothing.
    async fn round(&mut self) -> Result<bool, Stop> {
        let mut is_quiet = true;
        for shard in self.listed.clone() {
            let part = shard_part(&self.crew.options.table, &shard.key.shard);
            if self.position(&part)? == Position::End {
                continue;
            }
            if let Some(parent) = &shard.parent
                && self.waits_for(parent)?
            {
                is_quiet = false;
                continue;
            }
            is_quiet &= self.page(&shard, &part).await?;
        }
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
        let (events, next) = self.read(shard, part).await?;
        let position = self.position(part)?;
        let is_new = |event: &StreamEvent| {
            let number = event.dynamodb.as_ref()?.sequence_number.as_deref()?;
            (!position.is_behind(number)).then_some(())
        };
        let events: Vec<StreamEvent> = events
            .into_iter()
            .filter(|event| is_new(event).is_some())
            .collect();
        let is_empty = events.is_empty() && next.is_some();
        if !self.apply(part, &events).await? {
            self.iterators.remove(part);
            return Ok(false);
        }
        match next {
            Some(next) => {
                self.iterators.insert(part.to_owned(), next);
            }
            None => {
                let end = Batch::end();
                self.send(part, &end).await?;
                self.iterators.remove(part);
                self.looked = None;
            }
        }
        Ok(is_empty)
    }

    /// The next records of a shard, and the iterator behind them; `None` at its end.
    async fn read(
        &mut self,
        shard: &Shard,
        part: &str,
    ) -> Result<(Vec<StreamEvent>, Option<String>), Stop> {
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
            let answer = match found {
                Ok(found) => {
                    self.iterators.insert(part.to_owned(), found.clone());
                    records(&source, found, PAGE_MAX).await
                }
                Err(error) => Err(error),
            };
            let error = match answer {
                Ok(page) => {
                    return Ok((page.records.unwrap_or_default(), page.next_shard_iterator));
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
                Some(_) | None => crew.wait_out(&mut patience, Place::Source, error).await?,
            }
        }
    }

    /// Applies records in their order. Returns whether all are; if not, the checkpoint has moved.
    async fn apply(&mut self, part: &str, events: &[StreamEvent]) -> Result<bool, Stop> {
        let mut left = events;
        while !left.is_empty() {
            let batch = Batch::of(left, self.crew.is_copying()).map_err(Stop::Failed)?;
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
        let mut actions = Vec::new();
        for change in &batch.changes {
            self.add(change, &mut actions);
        }
        let (now, is_done) = match commit(&self.crew, &row, &to, &actions).await? {
            Committed::Yes(now) => (now, true),
            Committed::Moved(now) => (now, false),
            // No action has a condition.
            Committed::Refused(_) => (row, false),
        };
        self.tails.insert(part.to_owned(), now);
        if is_done {
            let progress = &self.crew.progress;
            progress.applied(batch.records, batch.changes.len(), batch.made_ms);
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
            Changed::Yes => self.noted = Some(now),
            Changed::No => return Err(Stop::Lost),
        }
        Ok(())
    }
}
