//! Finds the shards of a mapping, and reads them on threads.

use crate::assign::View;
use crate::gap::Gap;
use crate::latest;
use crate::lease::{Beginning, Row, ShardKey, is_deleted};
use crate::lease_table::LeaseTable;
use crate::mapping::function::{Function, Listener};
use crate::mapping::settings::Settings;
use crate::mapping::shard::{Parts, Shard, Step};
use crate::options::Options;
use crate::position::Position;
use crate::start::Start;
use crate::streams::last_before;
use crate::tables::{described, names};
use crate::threads::{Sends, Threads};
use crate::topology::{Shard as Listed, shards};
use crate::world::{Io, World};
use keyfold_api::ErrorKind;
use keyfold_client::blocked;
use keyfold_lower::ClientError;
use keyfold_model::near;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The owner of the leases: the server. Only one has the data folder at a time.
pub(crate) const OWNER: &str = "keyfold serve";
/// The time between two looks at the shards.
const LOOK_TIME: Duration = Duration::from_millis(500);

/// A mapping of a table's stream to a function, in any surroundings whose requests block.
pub struct Mapping {
    of: Arc<Parts>,
    view: View,
    began: BTreeMap<String, Beginning>,
    running: BTreeSet<ShardKey>,
    waits: Option<Waits>,
    has_waited: bool,
}

/// What a mapping waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waits {
    Table,
    Stream,
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapping")
            .field("settings", &self.of.settings)
            .finish_non_exhaustive()
    }
}

impl Mapping {
    /// A mapping that has not begun.
    pub fn new(
        world: Arc<dyn World>,
        settings: Settings,
        function: Arc<dyn Function>,
        listener: Arc<dyn Listener>,
    ) -> Mapping {
        let leases = LeaseTable {
            table: Options::new(&settings.name, &settings.table).leases,
            consumer: settings.name.clone(),
        };
        Mapping {
            of: Arc::new(Parts {
                world,
                settings,
                function,
                listener,
                leases,
            }),
            view: View::default(),
            began: BTreeMap::new(),
            running: BTreeSet::new(),
            waits: None,
            has_waited: false,
        }
    }

    /// Looks at the shards of the table's stream, and of those that it had before. Returns those whose records are to
    /// be handled from now on; none while the table is absent. A table that is absent, or has no stream, is reported
    /// once.
    ///
    /// # Errors
    /// The backend's.
    pub fn look(&mut self) -> Result<Vec<Shard>, ClientError> {
        let of = Arc::clone(&self.of);
        let io: &dyn Io = &*of.world;
        let Some(found) = blocked(described(io, &of.settings.table))? else {
            return self.wait_for(Waits::Table).map(|()| Vec::new());
        };
        let latest = found.latest_stream_arn;
        match latest {
            None => self.wait_for(Waits::Stream)?,
            Some(_) => self.waits = None,
        }
        if self.began.is_empty() {
            blocked(of.leases.ensure(io))?;
        }
        self.update()?;
        if let Some(latest) = &latest {
            let place = (of.settings.table.as_str(), latest.as_str());
            blocked(self.view.streams.find(io, place, self.began.keys()))?;
        }
        for stream in self.view.streams.names() {
            let found = blocked(shards(io, &stream))?;
            let listed = found.as_deref().unwrap_or_default();
            if found.is_some() {
                self.begin(&stream, listed)?;
            }
            for key in self.view.over(&stream, listed) {
                blocked(of.leases.forget(io, &key))?;
            }
            self.close_lost(&stream, listed)?;
            match found {
                Some(listed) => self.view.streams.leased(&stream, listed),
                // Its leases are ended and deleted first, and another stream has come.
                None if self.view.leases().all(|lease| lease.key.stream != stream)
                    && latest.as_ref().is_some_and(|latest| *latest != stream) =>
                {
                    self.never_read(&stream)?;
                    self.view.streams.remove(&stream);
                }
                None => {}
            }
        }
        self.update()?;
        self.take()
    }

    /// Remembers where the mapping begins a stream, and creates leases of its shards.
    fn begin(&mut self, stream: &str, listed: &[Listed]) -> Result<(), ClientError> {
        let of = Arc::clone(&self.of);
        let io: &dyn Io = &*of.world;
        let beginning = loop {
            if let Some(beginning) = self.began.get(stream) {
                break beginning;
            }
            if let Some(before) = last_before(self.began.keys(), stream) {
                of.listener
                    .report(&Gap::between(before, stream).to_string());
            }
            // A stream that follows another one of the table, or that the mapping has waited for, is read from its
            // beginning.
            let start = match self.began.is_empty() && !self.has_waited {
                true => of.settings.start,
                false => Start::Oldest,
            };
            let place = (stream, Some(listed));
            blocked(latest::begin(io, &of.leases, start, place))?;
            self.update()?;
        };
        for lease in self.view.missing(listed, &beginning.began) {
            blocked(of.leases.create(io, &lease))?;
        }
        if beginning.is_unleased {
            blocked(of.leases.leased(io, beginning))?;
        }
        Ok(())
    }

    /// Reports a stream that has gone before its shards had leases.
    fn never_read(&self, stream: &str) -> Result<(), ClientError> {
        let of = &self.of;
        if let Some(beginning) = self.began.get(stream).filter(|one| one.is_unleased) {
            of.listener.report(&Gap::of_stream(stream).to_string());
            blocked(of.leases.leased(&*of.world, beginning))?;
        }
        Ok(())
    }

    /// Says what the mapping waits for, unless it was said.
    fn wait_for(&mut self, waits: Waits) -> Result<(), ClientError> {
        self.has_waited = true;
        if self.waits.replace(waits) == Some(waits) {
            return Ok(());
        }
        let of = &self.of;
        let text = match waits {
            Waits::Table => {
                let known = blocked(names(&*of.world))?;
                let known = known.iter().map(String::as_str);
                format!(
                    "waits for the table{}",
                    near::meant(&of.settings.table, known)
                )
            }
            Waits::Stream => {
                "waits: the table has no stream yet, which `stream new and old images` \
                              in its model gives it"
                    .to_owned()
            }
        };
        of.listener.report(&text);
        Ok(())
    }

    /// Reads the leases.
    fn update(&mut self) -> Result<(), ClientError> {
        let of = &self.of;
        let rows = match blocked(of.leases.all(&*of.world)) {
            // The table is gone, in which there were some. The next look makes it.
            Err(error)
                if error.kind() == Some(ErrorKind::ResourceNotFound) && !self.began.is_empty() =>
            {
                Vec::new()
            }
            rows => rows?,
        };
        if is_deleted(&self.began, &rows) {
            let table = &of.leases.table;
            of.listener.report(&format!(
                "its positions were deleted from the table {table}: it begins anew"
            ));
            self.began.clear();
            self.running.clear();
            self.view = View::default();
        }
        let mut leases = Vec::new();
        for row in rows {
            match row {
                Row::Lease(lease) => leases.push(lease),
                Row::Stream(beginning) => {
                    let stream = beginning.stream.clone();
                    if !self.began.contains_key(&stream) {
                        self.view.streams.add(&stream);
                    }
                    self.began.insert(stream, beginning);
                }
            }
        }
        self.view.update(leases, of.world.now());
        Ok(())
    }

    /// Ends leases of shards that have gone with their records, so that their children are read.
    fn close_lost(&mut self, stream: &str, listed: &[Listed]) -> Result<(), ClientError> {
        let (of, io) = (&self.of, &*self.of.world as &dyn Io);
        for lost in self.view.lost(stream, listed) {
            if self.running.contains(&lost.key) {
                continue;
            }
            let shard = &lost.key.shard;
            of.listener
                .report(&format!("records of {shard} have expired and are left out"));
            if let Some(seen) = blocked(of.leases.one(io, &lost.key))?
                && let Some(taken) = blocked(of.leases.take(io, &seen, OWNER))?
            {
                let end = (&Position::End, of.world.epoch_ms());
                blocked(of.leases.set_position(io, &taken, end))?;
            }
        }
        Ok(())
    }

    /// Takes the shards whose parents have ended.
    fn take(&mut self) -> Result<Vec<Shard>, ClientError> {
        let (of, io) = (&self.of, &*self.of.world as &dyn Io);
        let mut taken = Vec::new();
        for seen in self.view.ready() {
            if self.running.contains(&seen.key) {
                continue;
            }
            if let Some(lease) = blocked(of.leases.take(io, seen, OWNER))? {
                self.running.insert(lease.key.clone());
                taken.push(Shard::new(Arc::clone(of), lease));
            }
        }
        Ok(taken)
    }
}

/// A mapping on threads, one for each shard. Dropping it stops it, and waits for the calls under way.
pub struct Running {
    threads: Arc<Threads>,
    stops: Arc<AtomicBool>,
}

impl Running {
    /// Starts a mapping. It waits until the table exists and has a stream.
    pub fn start(
        send: Sends,
        settings: Settings,
        function: Arc<dyn Function>,
        listener: Arc<dyn Listener>,
    ) -> Running {
        let threads = Threads::new(send);
        let world: Arc<dyn World> = Arc::clone(&threads) as Arc<dyn World>;
        let stops = Arc::new(AtomicBool::new(false));
        let mapping = Mapping::new(
            Arc::clone(&world),
            settings,
            function,
            Arc::clone(&listener),
        );
        let task = look(mapping, Arc::clone(&stops));
        world.spawn(Box::pin(task));
        Running { threads, stops }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Release);
        self.threads.stop();
        self.threads.join();
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running").finish_non_exhaustive()
    }
}

/// Looks for shards until the mapping is stopped.
async fn look(mut mapping: Mapping, stops: Arc<AtomicBool>) {
    let world = Arc::clone(&mapping.of.world);
    while !stops.load(Ordering::Acquire) {
        match mapping.look() {
            Ok(found) => {
                for shard in found {
                    world.spawn(Box::pin(read(
                        shard,
                        Arc::clone(&world),
                        Arc::clone(&stops),
                    )));
                }
            }
            Err(error) => {
                mapping
                    .of
                    .listener
                    .report(&format!("the shards are not found: {error}"));
            }
        }
        world.pause(LOOK_TIME).await;
    }
}

/// Reads a shard until it has ended, or the mapping is stopped.
async fn read(mut shard: Shard, world: Arc<dyn World>, stops: Arc<AtomicBool>) {
    while !stops.load(Ordering::Acquire) {
        match shard.step() {
            Step::Wait(time) if time.is_zero() => {}
            Step::Wait(time) => world.pause(time).await,
            Step::Ended => return,
        }
    }
}
