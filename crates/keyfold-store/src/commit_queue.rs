//! Group commit: the waiting batches become one write with one sync.
//!
//! Two groups exist at a time: `pending` collects, `in_flight` is being written.
//! [`CommitQueue::latest`] looks through both before the store, so the next writer's conditions see
//! staged writes while the log still syncs. A failed write poisons the queue: nothing later is
//! accepted, because its conditions may have been judged against writes that never happened.

use crate::batch::{Batch, SEQUENCE_KEY, counter_value, sequence_value};
use crate::durable::DurableStore;
use crate::error::{StoreError, guarded};
use crate::metrics::Metrics;
use crate::ticket::{Fate, Ticket};
use bytes::Bytes;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Soft limit of staged bytes: async callers wait for the group in flight before they stage more.
const CROWDED_BYTES: usize = 32 * 1024 * 1024;
/// Hard limit of staged bytes: callers that may block do so in [`CommitQueue::wait_for_room`].
/// Twice the soft limit, so that a caller that has awaited the soft one is rarely blocked.
const GROUP_BYTES_MAX: usize = 2 * CROWDED_BYTES;
/// Counters whose values the committer keeps in memory. There is a counter for each item
/// collection, so they are forgotten, and read again, when there are more.
const COUNTERS_KEPT_MAX: usize = 16 * 1024;
/// Retries of a failed read of a counter, and the pause before each.
const READ_AGAIN_MAX: usize = 5;
const READ_AGAIN_AFTER: Duration = Duration::from_millis(20);

type Changes = HashMap<Vec<u8>, Option<Bytes>>;

#[derive(Default)]
struct Group {
    changes: Changes,
    additions: HashMap<Vec<u8>, i64>,
    /// Counters that begin anew.
    reset: HashSet<Vec<u8>>,
    bytes: usize,
    fate: Arc<Fate>,
}

impl Group {
    fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.additions.is_empty() && self.reset.is_empty()
    }
}

#[derive(Default)]
struct Queue {
    pending: Group,
    /// The group in flight; `latest` still needs it until it is visible in the store.
    in_flight: Arc<Changes>,
    in_flight_fate: Option<Arc<Fate>>,
    closed: bool,
    /// The number of the next appended entry.
    sequence: u64,
}

struct Shared {
    queue: Mutex<Queue>,
    staged: Condvar,
    drained: Condvar,
    store: Arc<DurableStore>,
    metrics: Arc<Metrics>,
    sync: bool,
    /// Why nothing is taken any more. Set while `queue` is locked.
    failed: OnceLock<StoreError>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Merges batches and writes them on a thread of its own.
pub(crate) struct CommitQueue {
    shared: Arc<Shared>,
    committer: Option<JoinHandle<()>>,
}

impl CommitQueue {
    pub(crate) fn start(
        store: Arc<DurableStore>,
        metrics: Arc<Metrics>,
        sync: bool,
    ) -> Result<CommitQueue, StoreError> {
        let sequence = sequence_value(store.get(SEQUENCE_KEY)?.as_deref())?;
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue {
                sequence,
                ..Queue::default()
            }),
            staged: Condvar::new(),
            drained: Condvar::new(),
            store,
            metrics,
            sync,
            failed: OnceLock::new(),
        });
        let for_thread = Arc::clone(&shared);
        let committer = std::thread::Builder::new()
            .name("keyfold-commit".to_owned())
            .spawn(move || run(&for_thread))?;
        Ok(CommitQueue {
            shared,
            committer: Some(committer),
        })
    }

    /// The newest staged value of a key, if one is staged: `Some(None)` is a staged removal.
    pub(crate) fn latest(&self, key: &[u8]) -> Option<Option<Bytes>> {
        let queue = self.shared.lock();
        queue
            .pending
            .changes
            .get(key)
            .or_else(|| queue.in_flight.get(key))
            .cloned()
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.shared.failed.get().is_some()
    }

    /// The ticket of everything staged so far.
    pub(crate) fn barrier(&self) -> Ticket {
        let queue = self.shared.lock();
        if let Some(error) = self.shared.failed.get() {
            // The batch rests on one that was lost.
            return Ticket::failed(StoreError::Poisoned(error.to_string()));
        }
        if queue.pending.is_empty() {
            queue
                .in_flight_fate
                .as_ref()
                .map_or_else(Ticket::done, Ticket::of)
        } else {
            Ticket::of(&queue.pending.fate)
        }
    }

    /// Back-pressure: the group in flight that the next batch should wait for, when the pending one
    /// is large.
    pub(crate) fn crowded(&self) -> Option<Ticket> {
        let queue = self.shared.lock();
        let is_full = queue.pending.bytes > CROWDED_BYTES && self.shared.failed.get().is_none();
        queue
            .in_flight_fate
            .as_ref()
            .filter(|_| is_full)
            .map(Ticket::of)
    }

    /// Blocks while the pending group is above the hard limit. Callers hold no lock: whatever they
    /// held would be kept from others for as long as the device takes.
    pub(crate) fn wait_for_room(&self) {
        let mut queue = self.shared.lock();
        while queue.pending.bytes > GROUP_BYTES_MAX
            && self.shared.failed.get().is_none()
            && !queue.closed
        {
            queue = self
                .shared
                .drained
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Adds a batch to the pending group. Never blocks: see [`CommitQueue::wait_for_room`].
    pub(crate) fn stage(&self, mut batch: Batch) -> Result<Ticket, StoreError> {
        let mut queue = self.shared.lock();
        if let Some(error) = self.shared.failed.get() {
            return Err(StoreError::Poisoned(error.to_string()));
        }
        if queue.closed {
            return Err(StoreError::Closed);
        }
        queue.sequence = batch.number(queue.sequence);
        let group = &mut queue.pending;
        let was_empty = group.is_empty();
        for (key, value) in batch.changes {
            group.bytes += key.len() + value.as_ref().map_or(0, Bytes::len);
            group.changes.insert(key, value);
        }
        for key in batch.reset {
            group.additions.remove(&key);
            group.reset.insert(key);
        }
        for (key, amount) in batch.additions {
            *group.additions.entry(key).or_default() += amount;
        }
        let ticket = Ticket::of(&group.fate);
        drop(queue);
        if was_empty {
            self.shared.staged.notify_one();
        }
        Ok(ticket)
    }
}

impl Drop for CommitQueue {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.staged.notify_one();
        if let Some(committer) = self.committer.take()
            && committer.join().is_err()
        {
            // The thread panicked: nothing more can be written, and nobody is left to tell.
        }
    }
}

fn run(shared: &Shared) {
    let mut counters = HashMap::new();
    while let Some(group) = next_group(shared) {
        // A panic in the storage engine must not leave writers waiting for ever.
        let result = guarded(|| write(shared, &group, &mut counters));
        let mut queue = shared.lock();
        queue.in_flight = Arc::default();
        queue.in_flight_fate = None;
        if let Err(error) = &result {
            // It fails once: this thread takes no group after it.
            shared.failed.get_or_init(|| error.clone());
            // Batches staged meanwhile were judged against changes that are now lost.
            let orphans = std::mem::take(&mut queue.pending);
            orphans
                .fate
                .decide(Err(StoreError::Poisoned(error.to_string())));
        }
        drop(queue);
        shared.drained.notify_all();
        group.fate.decide(result);
    }
}

struct InFlight {
    changes: Arc<Changes>,
    additions: HashMap<Vec<u8>, i64>,
    reset: HashSet<Vec<u8>>,
    fate: Arc<Fate>,
}

fn next_group(shared: &Shared) -> Option<InFlight> {
    let mut queue = shared.lock();
    loop {
        if !queue.pending.is_empty() {
            let group = std::mem::take(&mut queue.pending);
            let changes = Arc::new(group.changes);
            queue.in_flight = Arc::clone(&changes);
            queue.in_flight_fate = Some(Arc::clone(&group.fate));
            drop(queue);
            shared.drained.notify_all();
            return Some(InFlight {
                changes,
                additions: group.additions,
                reset: group.reset,
                fate: group.fate,
            });
        }
        if queue.closed {
            return None;
        }
        queue = shared
            .staged
            .wait(queue)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

/// A failed read here would end all writing, so it is tried again for a moment.
fn read_again<T>(read: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut done = read();
    for _ in 0..READ_AGAIN_MAX {
        if done.is_ok() {
            break;
        }
        std::thread::sleep(READ_AGAIN_AFTER);
        done = read();
    }
    done
}

fn write(
    shared: &Shared,
    group: &InFlight,
    counters: &mut HashMap<Vec<u8>, i64>,
) -> Result<(), StoreError> {
    let mut totals = Vec::with_capacity(group.additions.len());
    if counters.len() > COUNTERS_KEPT_MAX {
        counters.clear();
        counters.shrink_to(COUNTERS_KEPT_MAX);
    }
    #[expect(
        clippy::iter_over_hash_type,
        reason = "each counter is removed once; order has no meaning"
    )]
    for key in &group.reset {
        counters.remove(key);
    }
    #[expect(
        clippy::iter_over_hash_type,
        reason = "each counter is written once; order has no meaning"
    )]
    for (key, amount) in &group.additions {
        let before = match counters.get(key) {
            Some(value) => *value,
            None if group.reset.contains(key) => 0,
            None => counter_value(read_again(|| shared.store.get(key))?.as_deref())?,
        };
        let total = before.saturating_add(*amount);
        counters.insert(key.clone(), total);
        totals.push((key, total.to_le_bytes()));
    }
    let gone = group
        .reset
        .iter()
        .filter(|key| !group.additions.contains_key(*key));
    let changes = group
        .changes
        .iter()
        .map(|(key, value)| (&key[..], value.as_deref()));
    let totals = totals
        .iter()
        .map(|(key, total)| (&key[..], Some(&total[..])));
    shared.store.apply(
        changes
            .chain(totals)
            .chain(gone.map(|key| (&key[..], None))),
        shared.sync,
    )?;
    Metrics::count(&shared.metrics.commits);
    Ok(())
}
