//! Up to where the shards of a view's streams go, and whether its consumers have come there.

use super::state::Generation;
use crate::lease::{Lease, Row, ShardKey};
use crate::lease_table::LeaseTable;
use crate::pages::{EMPTY_PAGES, Pages};
use crate::position::Position;
use crate::streams::{Streams, is_before};
use crate::topology::{Shard, shards, stream_of};
use crate::world::{Io, World};
use keyfold_lower::ClientError;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Positions of shards, for each table.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Tips {
    all: Vec<(String, ShardKey, Position)>,
}

/// What is stored of a generation's consumer of a table.
#[derive(Debug, Default)]
pub(crate) struct Held {
    leases: BTreeMap<ShardKey, Lease>,
    /// The streams that it has begun.
    begun: BTreeSet<String>,
}

impl Held {
    /// Reads it.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn of(
        io: &dyn Io,
        (view, generation, table): (&str, &Generation, &str),
        leases: &str,
    ) -> Result<Held, ClientError> {
        let table = LeaseTable {
            table: leases.to_owned(),
            consumer: generation.consumer(view, table),
        };
        let mut held = Held::default();
        for row in table.all(io).await? {
            match row {
                Row::Lease(lease) => drop(held.leases.insert(lease.key.clone(), lease)),
                Row::Stream(beginning) => drop(held.begun.insert(beginning.stream)),
            }
        }
        Ok(held)
    }

    /// The streams that the consumer has begun.
    pub(crate) fn begun(&self) -> &BTreeSet<String> {
        &self.begun
    }

    /// Up to where the consumer has handled a shard.
    pub(crate) fn position(&self, key: &ShardKey) -> &Position {
        let lease = self.leases.get(key);
        lease.map_or(&Position::Horizon, |lease| &lease.position)
    }

    /// The shards that the consumer reads, of the table's latest stream and of those before it, from the
    /// first one on that it has begun.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn shards(&self, io: &dyn Io, table: &str) -> Result<Vec<Shard>, ClientError> {
        let latest = stream_of(io, table).await?;
        let mut streams = Streams::default();
        streams.add(&latest);
        if self.begun.iter().any(|stream| *stream != latest) {
            for stream in &self.begun {
                streams.add(stream);
            }
            streams
                .find(io, (table, &latest), self.begun.iter())
                .await?;
        }
        let mut all = Vec::new();
        for stream in streams.names() {
            all.extend(shards(io, &stream).await?.unwrap_or_default());
        }
        Ok(all)
    }

    /// Whether a shard is one of a stream before all those that the consumer has begun.
    fn is_before_all(&self, key: &ShardKey) -> bool {
        !self.begun.is_empty() && self.begun.iter().all(|begun| is_before(&key.stream, begun))
    }
}

/// The search for the present ends of a generation's shards, in parts.
pub(crate) struct Ends {
    shards: Vec<End>,
    /// How long pages are empty behind the last record.
    quiet: Duration,
}

/// The search for the end of a shard. It is found behind the last record of a shard that has ended, when
/// a record is read that was written behind the beginning of the search, and behind many empty pages.
struct End {
    table: String,
    pages: Pages,
    /// Shows the first record that is written from now on.
    latest: Pages,
    first_new: Option<String>,
    empty: u32,
    since: Duration,
    is_found: bool,
}

impl Ends {
    /// Begins where a generation's consumers are.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn of(
        io: &dyn Io,
        (view, generation): (&str, &Generation),
        table: &str,
        quiet: Duration,
    ) -> Result<Ends, ClientError> {
        let mut all = Vec::new();
        for source in &generation.streams {
            let held = Held::of(io, (view, generation, source), table).await?;
            for shard in held.shards(io, source).await? {
                let pages = Pages::of(io, &shard.key, held.position(&shard.key)).await?;
                let mut latest = Pages::newest(&shard.key);
                if shard.is_open && pages.next.is_some() {
                    latest.begin(io).await?;
                }
                all.push(End {
                    table: source.clone(),
                    pages,
                    latest,
                    first_new: None,
                    empty: 0,
                    since: Duration::ZERO,
                    is_found: false,
                });
            }
        }
        Ok(Ends { shards: all, quiet })
    }

    /// Reads a page of each shard whose end is not found yet. Returns whether all are.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn step(&mut self, world: &dyn World) -> Result<bool, ClientError> {
        for end in self.shards.iter_mut().filter(|end| !end.is_found) {
            end.step(world, self.quiet).await?;
        }
        Ok(self.shards.iter().all(|end| end.is_found))
    }

    /// The ends.
    pub(crate) fn tips(&self) -> Tips {
        let all = self.shards.iter().filter_map(|end| match &end.pages.read {
            Position::After(_) => {
                let key = end.pages.key.clone();
                Some((end.table.clone(), key, end.pages.read.clone()))
            }
            Position::Horizon | Position::End => None,
        });
        Tips { all: all.collect() }
    }
}

impl End {
    async fn step(&mut self, world: &dyn World, quiet: Duration) -> Result<(), ClientError> {
        if self.first_new.is_none() {
            self.first_new = self.latest.next(world).await?.first;
        }
        let found = self.pages.next(world).await?;
        if found.records > 0 {
            self.empty = 0;
        } else {
            if self.empty == 0 {
                self.since = world.now();
            }
            self.empty += 1;
        }
        let is_quiet = self.empty >= EMPTY_PAGES && world.now().saturating_sub(self.since) >= quiet;
        let has_passed = self
            .first_new
            .as_ref()
            .is_some_and(|number| self.pages.read.is_behind(number));
        self.is_found = self.pages.next.is_none() || has_passed || is_quiet;
        Ok(())
    }
}

impl Tips {
    /// The shards with their positions.
    #[cfg(test)]
    pub(crate) fn shards(&self) -> impl Iterator<Item = (&ShardKey, &Position)> {
        self.all.iter().map(|(_, key, at)| (key, at))
    }

    /// Up to where a generation's consumers have handled their shards.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn handled(
        io: &dyn Io,
        view: &str,
        generation: &Generation,
        table: &str,
    ) -> Result<Tips, ClientError> {
        let mut tips = Tips::default();
        for source in &generation.streams {
            let held = Held::of(io, (view, generation, source), table).await?;
            for (key, lease) in held.leases {
                tips.all.push((source.clone(), key, lease.position));
            }
        }
        Ok(tips)
    }

    /// Whether a generation's consumers have handled all up to here.
    ///
    /// # Errors
    /// The backend's.
    pub(crate) async fn are_passed(
        &self,
        io: &dyn Io,
        view: &str,
        generation: &Generation,
        table: &str,
    ) -> Result<bool, ClientError> {
        for source in &generation.streams {
            let held = Held::of(io, (view, generation, source), table).await?;
            for (_, key, tip) in self.all.iter().filter(|(of, _, _)| of == source) {
                let is_passed = match (held.leases.get(key), tip) {
                    (_, Position::Horizon) => true,
                    // It began with a later stream: its scan has seen what this one says.
                    (None, _) if held.is_before_all(key) => true,
                    (Some(lease), Position::After(number)) => {
                        lease.position.is_behind(number) || is_gone(io, lease, number).await?
                    }
                    (Some(lease), Position::End) => lease.is_ended(),
                    // Its lease was deleted behind its end, or is not there yet.
                    (None, _) => !is_listed(io, key).await?,
                };
                if !is_passed {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Whether the records up to a number have expired, so that a consumer that begins with the oldest ones
/// will not see them.
async fn is_gone(io: &dyn Io, lease: &Lease, number: &str) -> Result<bool, ClientError> {
    if lease.position != Position::Horizon {
        return Ok(false);
    }
    let mut pages = Pages::of(io, &lease.key, &Position::Horizon).await?;
    for _ in 0..EMPTY_PAGES {
        if let Some(first) = pages.next(io).await?.first {
            return Ok(!Position::After(number.to_owned()).is_behind(&first));
        }
        if pages.next.is_none() {
            break;
        }
    }
    Ok(true)
}

/// Whether a stream has a shard still.
pub(crate) async fn is_listed(io: &dyn Io, key: &ShardKey) -> Result<bool, ClientError> {
    let listed = shards(io, &key.stream).await?.unwrap_or_default();
    Ok(listed.iter().any(|shard| shard.key == *key))
}
