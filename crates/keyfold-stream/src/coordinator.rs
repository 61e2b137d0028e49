//! The tasks of a worker beside those that read: one renews its leases, the other looks at the stream's
//! shards, creates and deletes leases, and takes those that are free.

use crate::assign::{Taker, View};
use crate::crew::Crew;
use crate::gap::AtGap;
use crate::latest;
use crate::lease::{Began, Row};
use crate::lease_table::Changed;
use crate::position::Position;
use crate::reader::read;
use crate::report::Report;
use crate::start::Start;
use crate::topology::{Shard, shards, stream_of};
use keyfold_lower::ClientError;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// The renewals in the time of a lease.
const RENEWALS: u32 = 3;

/// Renews the worker's leases until it stops and has none.
pub(crate) async fn renew(crew: Arc<Crew>) {
    let time = crew.options.lease_time / RENEWALS;
    loop {
        crew.world.pause(time).await;
        let held = crew.all_held();
        if held.is_empty() && crew.is_stopping() {
            return;
        }
        for held in held {
            let at = crew.world.now();
            match crew.leases.renew(&*crew.world, &held.lease).await {
                Ok(Changed::Yes) => held.renewed(at),
                Ok(Changed::No) => crew.let_go(&held),
                // The next one comes before the lease is over.
                Err(error) => crew.report(Report::Trouble(format!(
                    "the lease of {} was not renewed: {error}",
                    held.lease.key.shard
                ))),
            }
        }
    }
}

/// Looks for shards and takes leases until the worker stops.
pub(crate) async fn coordinate(crew: Arc<Crew>) {
    let mut coordinator = Coordinator {
        crew: Arc::clone(&crew),
        view: View::default(),
        began: BTreeMap::new(),
        looked: None,
        streams: BTreeSet::new(),
    };
    let time = crew.options.lease_time / RENEWALS;
    let time = time
        .min(crew.options.discovery_time)
        .min(Duration::from_secs(1));
    while !crew.is_stopping() {
        if let Err(error) = coordinator.turn().await {
            crew.report(Report::Trouble(error.to_string()));
        }
        crew.world.pause(time).await;
    }
}

struct Coordinator {
    crew: Arc<Crew>,
    view: View,
    /// Where the consumer began, by stream.
    began: BTreeMap<String, Began>,
    /// The moment of the last look at the shards.
    looked: Option<Duration>,
    streams: BTreeSet<String>,
}

impl Coordinator {
    async fn turn(&mut self) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        self.update().await?;
        let now = crew.world.now();
        let is_time = self
            .looked
            .is_none_or(|at| now.saturating_sub(at) >= crew.options.discovery_time);
        if crew.takes_look() || is_time {
            self.discover().await?;
            self.looked = Some(now);
            self.update().await?;
        }
        self.take().await
    }

    /// Reads the leases.
    async fn update(&mut self) -> Result<(), ClientError> {
        let rows = self.crew.leases.all(&*self.crew.world).await?;
        let mut leases = Vec::new();
        for row in rows {
            match row {
                Row::Lease(lease) => leases.push(lease),
                // It may have no leases yet, and be followed by another stream.
                Row::Stream { stream, began } => {
                    if self.began.insert(stream.clone(), began).is_none() {
                        self.streams.insert(stream);
                    }
                }
            }
        }
        self.view.update(leases, self.crew.world.now());
        Ok(())
    }

    /// Looks at the shards of the table's stream, and of those that it had before.
    async fn discover(&mut self) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        let latest = stream_of(&*crew.world, &crew.options.table).await;
        if let Ok(latest) = &latest {
            self.streams.insert(latest.clone());
        }
        let known = self.view.leases().map(|lease| lease.key.stream.clone());
        self.streams.extend(known);
        for stream in self.streams.clone() {
            let Some(listed) = shards(&*crew.world, &stream).await? else {
                self.clean(&stream, &[]).await?;
                self.streams.remove(&stream);
                continue;
            };
            self.begin(&stream, &listed).await?;
            let began = self.began.get(&stream).cloned().unwrap_or_default();
            for lease in self.view.missing(&listed, &began) {
                crew.leases.create(&*crew.world, &lease).await?;
            }
            self.clean(&stream, &listed).await?;
        }
        latest.map(|_| ())
    }

    /// Remembers where the consumer begins a stream, before it has leases.
    async fn begin(&mut self, stream: &str, listed: &[Shard]) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        while !self.began.contains_key(stream) {
            // A stream that follows another one of the table is read from its beginning.
            let start = match self.began.is_empty() {
                true => crew.options.start,
                false => Start::Oldest,
            };
            latest::begin(&*crew.world, &crew.leases, start, (stream, listed)).await?;
            // Where another worker was faster, what it has found counts.
            self.update().await?;
        }
        Ok(())
    }

    /// Deletes leases that nobody needs, and reports shards that went before they were handled.
    async fn clean(&mut self, stream: &str, listed: &[Shard]) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        for key in self.view.over(stream, listed) {
            crew.leases.forget(&*crew.world, &key).await?;
        }
        let held = crew.held_keys();
        for gap in self.view.gaps(stream, listed) {
            // The task that reads it finds out by itself.
            if held.contains(&gap.shard) {
                continue;
            }
            crew.report(Report::Gap(gap.clone()));
            match (crew.options.on_gap)(&gap) {
                AtGap::Stop => crew.fail(Report::Gap(gap).to_string()),
                AtGap::GoOn => self.close(&gap.shard).await?,
            }
        }
        Ok(())
    }

    /// Moves the lease of a shard that is gone to its end.
    async fn close(&self, key: &crate::lease::ShardKey) -> Result<(), ClientError> {
        let crew = &self.crew;
        let Some(seen) = crew.leases.one(&*crew.world, key).await? else {
            return Ok(());
        };
        let at = crew.world.now();
        let Some(taken) = crew.leases.take(&*crew.world, &seen, &crew.worker).await? else {
            return Ok(());
        };
        let held = crew.hold(taken.clone(), at);
        let none = crate::handler::Effects::none();
        crate::commit::commit(crew, &held, &taken, &Position::End, none).await;
        crew.let_go(&held);
        Ok(())
    }

    /// Takes leases, and begins to read their shards.
    async fn take(&mut self) -> Result<(), ClientError> {
        let crew = &self.crew;
        let taker = Taker {
            worker: &crew.worker,
            now: crew.world.now(),
            lease_time: crew.options.lease_time,
            random: crew.world.random(),
        };
        for seen in self.view.to_take(taker, &crew.held_keys()) {
            if crew.is_stopping() {
                return Ok(());
            }
            let at = crew.world.now();
            if let Some(taken) = crew.leases.take(&*crew.world, &seen, &crew.worker).await? {
                let held = crew.hold(taken, at);
                crew.world.spawn(Box::pin(read(Arc::clone(crew), held)));
            }
        }
        Ok(())
    }
}
