//! The tasks of a worker beside those that read: one renews its leases, the other looks at the stream's
//! shards, creates and deletes leases, and takes those that are free.

use crate::assign::{Taker, View};
use crate::crew::{Crew, Held};
use crate::gap::{AtGap, Gap};
use crate::latest;
use crate::lease::{Beginning, Lease, Row, ShardKey, is_deleted};
use crate::lease_table::{Changed, LeaseTable};
use crate::position::Position;
use crate::reader::read;
use crate::report::Report;
use crate::start::Start;
use crate::streams::last_before;
use crate::topology::{Shard, shards, stream_of};
use crate::world::Io;
use keyfold_api::ErrorKind;
use keyfold_lower::ClientError;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// The renewals in the time of a lease.
const RENEWALS: u32 = 3;
/// How often a renewal is tried that meets a transaction, and into how many parts the time to the next renewal
/// is divided for that.
const TRIES: u32 = 3;
const PARTS: u32 = 16;

/// Renews the worker's leases until it stops and has none.
pub(crate) async fn renew(crew: Arc<Crew>) {
    let time = crew.options.lease_time / RENEWALS;
    loop {
        crew.world.pause(time).await;
        let mut due = crew.all_held();
        if due.is_empty() && crew.is_stopping() {
            return;
        }
        // A transaction with effects moves the position in the same item, mostly this worker's own: it is over in a
        // moment, and a renewal counts nothing but itself.
        for left in (0..TRIES).rev() {
            due = renewed(&crew, due, left > 0).await;
            if due.is_empty() {
                break;
            }
            crew.world.pause(time / PARTS).await;
        }
    }
}

/// Renews leases, and returns those that a transaction was about, where these are tried again.
async fn renewed(crew: &Crew, due: Vec<Arc<Held>>, is_tried_again: bool) -> Vec<Arc<Held>> {
    let mut again = Vec::new();
    for held in due {
        let at = crew.world.now();
        match crew.leases.renew(&*crew.world, &held.lease).await {
            Ok(Changed::Yes) => held.renewed(at),
            Ok(Changed::No) => crew.let_go(&held),
            Err(error) if error.is_conflict() && is_tried_again => again.push(held),
            // The next one comes before the lease is over.
            Err(error) => crew.report(Report::Trouble(format!(
                "the lease of {} was not renewed: {error}",
                held.lease.key.shard
            ))),
        }
    }
    again
}

/// Looks for shards and takes leases until the worker stops.
pub(crate) async fn coordinate(crew: Arc<Crew>) {
    let mut coordinator = Coordinator {
        crew: Arc::clone(&crew),
        view: View::default(),
        began: BTreeMap::new(),
        looked: None,
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
    began: BTreeMap<String, Beginning>,
    /// The moment of the last look at the shards.
    looked: Option<Duration>,
}

impl Coordinator {
    async fn turn(&mut self) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        self.update().await?;
        if crew.is_stopping() {
            return Ok(());
        }
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
        let rows = match self.crew.leases.all(&*self.crew.world).await {
            // The table is gone, in which there were some.
            Err(error)
                if error.kind() == Some(ErrorKind::ResourceNotFound) && !self.began.is_empty() =>
            {
                Vec::new()
            }
            rows => rows?,
        };
        if is_deleted(&self.began, &rows) {
            let LeaseTable { table, consumer } = &self.crew.leases;
            self.crew.fail(format!(
                "the leases of the consumer {consumer} were deleted from the table {table}: up to where records are \
                 handled is not known any more, and a worker that starts now begins anew"
            ));
            return Ok(());
        }
        let mut leases = Vec::new();
        for row in rows {
            match row {
                Row::Lease(lease) => leases.push(lease),
                // It may have no leases yet, and be followed by another stream.
                Row::Stream(beginning) => {
                    let stream = beginning.stream.clone();
                    if !self.began.contains_key(&stream) {
                        self.view.streams.add(&stream);
                    }
                    self.began.insert(stream, beginning);
                }
            }
        }
        self.view.update(leases, self.crew.world.now());
        Ok(())
    }

    /// Looks at the shards of the table's stream, and of those that it had before.
    async fn discover(&mut self) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        let (io, table): (&dyn Io, _) = (&*crew.world, &crew.options.table);
        let latest = stream_of(io, table).await;
        if let Ok(latest) = &latest {
            let streams = &mut self.view.streams;
            streams.find(io, (table, latest), self.began.keys()).await?;
        }
        let known: BTreeSet<String> = self
            .view
            .leases()
            .map(|one| one.key.stream.clone())
            .collect();
        for stream in known {
            self.view.streams.add(&stream);
        }
        for stream in self.view.streams.names() {
            let Some(listed) = shards(io, &stream).await? else {
                self.clean(&stream, &[]).await?;
                // A stream that was just switched on is found a moment later. One that is gone is none of the
                // consumer's any more when another one has come.
                if latest.as_ref().is_ok_and(|latest| *latest != stream) {
                    self.never_read(&stream).await?;
                    self.view.streams.remove(&stream);
                }
                continue;
            };
            if !self.comes(&stream) {
                continue;
            }
            let is_new = !self.began.contains_key(&stream);
            self.lease(&stream, &listed).await?;
            if is_new {
                // Streams behind it see its leases.
                self.update().await?;
            }
            self.clean(&stream, &listed).await?;
            self.view.streams.leased(&stream, listed);
        }
        latest.map(|_| ())
    }

    /// Whether a stream's records may be handled at some time. Where it follows another one that the consumer
    /// has begun, the program decides on the time between them, when all records before are handled.
    fn comes(&self, stream: &str) -> bool {
        if self.began.contains_key(stream) {
            return true;
        }
        let Some(before) = last_before(self.began.keys(), stream) else {
            return true;
        };
        !self.view.has_unfinished_before(stream) && self.goes_on(Gap::between(before, stream))
    }

    /// Creates leases of the shards of a stream that have none, where the consumer begins them.
    async fn lease(&mut self, stream: &str, listed: &[Shard]) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        let io: &dyn Io = &*crew.world;
        let beginning = self.begin(stream, listed).await?;
        let missing = self.view.missing(listed, &beginning.began);
        // Before the first shards had leases, nothing was missed.
        if !beginning.is_unleased && !self.has_seen_parents(listed, &missing).await? {
            return Ok(());
        }
        for lease in missing {
            crew.leases.create(io, &lease).await?;
        }
        if beginning.is_unleased {
            crew.leases.leased(io, &beginning).await?;
        }
        Ok(())
    }

    /// Lets the program decide on shards that came and went between two looks: a shard without a lease names its parent,
    /// which is not there any more, and had no lease either. Returns whether the worker goes on.
    async fn has_seen_parents(
        &self,
        listed: &[Shard],
        missing: &[Lease],
    ) -> Result<bool, ClientError> {
        let (leases, io): (_, &dyn Io) = (&self.crew.leases, &*self.crew.world);
        let listed: BTreeSet<&str> = listed.iter().map(|one| one.key.shard.as_str()).collect();
        let mut looked = BTreeSet::new();
        for lease in missing {
            let Some(parent) = lease.parent.as_deref() else {
                continue;
            };
            if listed.contains(parent) || !looked.insert(parent) {
                continue;
            }
            let key = ShardKey {
                stream: lease.key.stream.clone(),
                shard: parent.to_owned(),
            };
            // In this order: another worker creates the lease of a shard before it deletes that of its parent.
            let is_seen = leases.one(io, &key).await?.is_some()
                || leases.one(io, &lease.key).await?.is_some();
            if !is_seen && !self.goes_on(Gap::of(&key, &Position::Horizon)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Remembers where the consumer begins a stream, before it has leases.
    async fn begin(&mut self, stream: &str, listed: &[Shard]) -> Result<Beginning, ClientError> {
        let crew = Arc::clone(&self.crew);
        loop {
            if let Some(beginning) = self.began.get(stream) {
                return Ok(beginning.clone());
            }
            // A stream that follows another one of the table is read from its beginning.
            let start = match self.began.is_empty() {
                true => crew.options.start,
                false => Start::Oldest,
            };
            let place = (stream, Some(listed));
            latest::begin(&*crew.world, &crew.leases, start, place).await?;
            // Where another worker was faster, what it has found counts.
            self.update().await?;
        }
    }

    /// Deletes leases that nobody needs, and reports shards that went before they were handled.
    async fn clean(&mut self, stream: &str, listed: &[Shard]) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        for key in self.view.over(stream, listed) {
            crew.leases.forget(&*crew.world, &key).await?;
        }
        let held = crew.held_keys();
        for lease in self.view.lost(stream, listed) {
            // The task that reads it finds out by itself.
            if !held.contains(&lease.key) && self.goes_on(Gap::of(&lease.key, &lease.position)) {
                self.close(&lease.key).await?;
            }
        }
        Ok(())
    }

    /// Reports a stream that has gone before its shards had leases.
    async fn never_read(&mut self, stream: &str) -> Result<(), ClientError> {
        let crew = Arc::clone(&self.crew);
        let beginning = self.began.get(stream).filter(|one| one.is_unleased);
        if let Some(beginning) = beginning
            && self.goes_on(Gap::of_stream(stream))
        {
            crew.leases.leased(&*crew.world, beginning).await?;
        }
        Ok(())
    }

    /// Lets the program decide on a gap. Returns whether it goes on; otherwise the worker stops.
    fn goes_on(&self, gap: Gap) -> bool {
        let crew = &self.crew;
        if crew.is_stopping() {
            return false;
        }
        crew.report(Report::Gap(gap.clone()));
        match (crew.options.on_gap)(&gap) {
            AtGap::Stop => {
                crew.fail(Report::Gap(gap).to_string());
                false
            }
            AtGap::GoOn => true,
        }
    }

    /// Moves the lease of a shard that is gone to its end.
    async fn close(&self, key: &ShardKey) -> Result<(), ClientError> {
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
