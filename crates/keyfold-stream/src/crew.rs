//! What the tasks of one worker share: its settings, and the leases that it has.

use crate::handler::Handler;
use crate::lease::{Lease, ShardKey};
use crate::lease_table::LeaseTable;
use crate::options::Options;
use crate::report::Report;
use crate::world::World;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One worker.
pub(crate) struct Crew {
    pub(crate) world: Arc<dyn World>,
    pub(crate) options: Options,
    pub(crate) leases: LeaseTable,
    /// The worker's name, which no other has.
    pub(crate) worker: String,
    pub(crate) handler: Arc<dyn Handler>,
    held: Mutex<BTreeMap<ShardKey, Arc<Held>>>,
    is_stopping: AtomicBool,
    looks_now: AtomicBool,
    /// The reason for which the worker stops by itself.
    why: Mutex<Option<String>>,
}

/// A lease that the worker has.
pub(crate) struct Held {
    /// As it was taken. Its position moves on in the task that reads the shard.
    pub(crate) lease: Lease,
    is_lost: AtomicBool,
    /// The moment of the request that renewed it last.
    renewed: Mutex<Duration>,
}

impl Crew {
    pub(crate) fn new(world: Arc<dyn World>, options: Options, handler: Arc<dyn Handler>) -> Crew {
        let worker = format!("{:016x}{:016x}", world.random(), world.random());
        let leases = LeaseTable {
            table: options.leases.clone(),
            consumer: options.name.clone(),
        };
        Crew {
            world,
            options,
            leases,
            worker,
            handler,
            held: Mutex::default(),
            is_stopping: AtomicBool::new(false),
            looks_now: AtomicBool::new(false),
            why: Mutex::default(),
        }
    }

    pub(crate) fn report(&self, report: Report) {
        (self.options.on_report)(&report);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }

    /// Lets all tasks end after what they are about.
    pub(crate) fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
    }

    /// Lets all tasks end, and the worker with an error.
    pub(crate) fn fail(&self, why: String) {
        lock(&self.why).get_or_insert(why);
        self.stop();
    }

    /// The reason for which the worker stopped by itself.
    pub(crate) fn why(&self) -> Option<String> {
        lock(&self.why).clone()
    }

    /// Asks for a look at the stream's shards, soon.
    pub(crate) fn look_now(&self) {
        self.looks_now.store(true, Ordering::SeqCst);
    }

    pub(crate) fn takes_look(&self) -> bool {
        self.looks_now.swap(false, Ordering::SeqCst)
    }

    /// Keeps a lease that was taken at a moment.
    pub(crate) fn hold(&self, lease: Lease, at: Duration) -> Arc<Held> {
        let held = Arc::new(Held {
            lease,
            is_lost: AtomicBool::new(false),
            renewed: Mutex::new(at),
        });
        let key = held.lease.key.clone();
        lock(&self.held).insert(key, Arc::clone(&held));
        held
    }

    /// Lets go of a lease: another worker has it, its shard has ended, or it was given back.
    pub(crate) fn let_go(&self, held: &Arc<Held>) {
        held.is_lost.store(true, Ordering::SeqCst);
        let mut all = lock(&self.held);
        if all
            .get(&held.lease.key)
            .is_some_and(|one| Arc::ptr_eq(one, held))
        {
            all.remove(&held.lease.key);
        }
    }

    pub(crate) fn all_held(&self) -> Vec<Arc<Held>> {
        lock(&self.held).values().cloned().collect()
    }

    pub(crate) fn held_keys(&self) -> BTreeSet<ShardKey> {
        lock(&self.held).keys().cloned().collect()
    }

    /// Whether the worker has a lease, as far as it can know: it was not told otherwise, and renewed it
    /// within the time after which others may take it.
    pub(crate) fn has(&self, held: &Held) -> bool {
        !held.is_lost() && {
            let silent = self.world.now().saturating_sub(*lock(&held.renewed));
            silent < self.options.lease_time
        }
    }
}

impl Held {
    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::SeqCst)
    }

    /// Takes note of a request, sent at a moment, that has renewed the lease.
    pub(crate) fn renewed(&self, at: Duration) {
        let mut renewed = lock(&self.renewed);
        *renewed = at.max(*renewed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
