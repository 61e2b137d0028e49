//! Group commit: the pending batches become one write with one sync.
//!
//! Two groups exist at a time: `pending` collects, `in_flight` is being written.
//! [`CommitQueue::latest`] reads both before the store, so the next writer's conditions see staged
//! writes while the log still syncs. A failed write poisons the queue: later batches are refused,
//! because their conditions may have been evaluated against the lost write. Where only room was
//! missing, [`CommitQueue::take_again`] ends that, while no writer is between its reads and its staging.

use crate::batch::{
    Batch, COUNTER_BYTES, SEQUENCE_KEY, counter_sum, counter_value, sequence_value,
};
use crate::durability::Durability;
use crate::durable::DurableStore;
use crate::error::{StoreError, guarded};
use crate::metrics::Metrics;
use crate::ticket::{GroupResult, Ticket};
use bytes::Bytes;
use keyfold_threads::ask_for_slice;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Counters whose values the committer caches. There is a counter for each item collection, so the
/// cache is cleared when there are more.
const COUNTERS_CACHED_MAX: usize = 16 * 1024;
/// Retries of a failed read of a counter, and the pause before each.
const READ_RETRIES_MAX: usize = 5;
const READ_RETRY_PAUSE: Duration = Duration::from_millis(20);

/// The pauses before a queue whose device was full takes batches again. They grow with each failure that
/// comes soon after.
const FULL_PAUSE: Duration = Duration::from_secs(1);
const FULL_PAUSE_MAX: Duration = Duration::from_secs(30);
/// The time without a failure after which the first pause is short again.
const FULL_SOON: Duration = Duration::from_secs(120);

/// The time slice of the committer.
const SLICE: Duration = Duration::from_micros(200);

type Changes = HashMap<Vec<u8>, Option<Bytes>>;

#[derive(Default)]
struct Group {
    changes: Changes,
    additions: HashMap<Vec<u8>, i64>,
    /// Counters to reset before the additions.
    reset: HashSet<Vec<u8>>,
    /// Bytes of the keys and values that were added, at least as many as are held.
    bytes: usize,
    result: Arc<GroupResult>,
}

impl Group {
    fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.additions.is_empty() && self.reset.is_empty()
    }

    /// Adds a numbered batch.
    fn add(&mut self, batch: Batch) {
        for (key, value) in batch.changes {
            self.bytes += key.len() + value.as_ref().map_or(0, Bytes::len);
            self.changes.insert(key, value);
        }
        for key in batch.reset {
            self.additions.remove(&key);
            self.bytes += key.len();
            self.reset.insert(key);
        }
        for (key, amount) in batch.additions {
            let bytes = key.len() + COUNTER_BYTES;
            match self.additions.entry(key) {
                // Most batches add to the same few counters, which are held once.
                Entry::Occupied(mut sum) => *sum.get_mut() = counter_sum(*sum.get(), amount),
                Entry::Vacant(place) => {
                    self.bytes += bytes;
                    place.insert(amount);
                }
            }
        }
    }
}

#[derive(Default)]
struct Queue {
    pending: Group,
    /// The group in flight; `latest` still needs it until it is visible in the store.
    in_flight: Arc<Changes>,
    in_flight_result: Option<Arc<GroupResult>>,
    closed: bool,
    /// The number of the next appended entry.
    sequence: u64,
    /// The failure that makes the queue refuse every batch.
    failed: Option<Failed>,
    /// The pause after a full device.
    pause: Option<(Instant, Duration)>,
}

struct Failed {
    error: StoreError,
    /// When batches may be taken again, if there is room; never after another failure.
    again: Option<Instant>,
}

impl Queue {
    fn error(&self) -> Option<&StoreError> {
        self.failed.as_ref().map(|failed| &failed.error)
    }

    /// When batches may be taken again, after a pause that is longer than one of just before.
    fn paused(&mut self, now: Instant) -> Instant {
        let before = self
            .pause
            .filter(|(at, _)| now.duration_since(*at) < FULL_SOON);
        let pause = before.map_or(FULL_PAUSE, |(_, pause)| (pause * 2).min(FULL_PAUSE_MAX));
        self.pause = Some((now, pause));
        now + pause
    }

    /// Lets a while pass before batches are tried to be taken again.
    fn put_off(&mut self, now: Instant) {
        let again = self.paused(now);
        if let Some(failed) = &mut self.failed {
            failed.again = Some(again);
        }
    }

    /// Notes the failure of a group.
    fn fail(&mut self, error: &StoreError, now: Instant) {
        if self.failed.is_some() {
            return;
        }
        let again = matches!(error, StoreError::Full(_)).then(|| self.paused(now));
        self.failed = Some(Failed {
            error: error.of_later(),
            again,
        });
    }
}

struct Shared {
    queue: Mutex<Queue>,
    staged: Condvar,
    /// Signaled when the pending group was taken, or a group has failed.
    drained: Condvar,
    store: Arc<DurableStore>,
    metrics: Arc<Metrics>,
    durability: Durability,
    /// Limit of the pending group's bytes above which async callers wait for the group in flight before
    /// they stage more. Blocking ones wait above twice as many, in [`CommitQueue::wait_below_hard_limit`].
    staged_bytes_soft: usize,
    /// The pending group's bytes, for a look without the lock. Changed while `queue` is locked.
    pending_bytes: AtomicUsize,
    /// The failures so far, the present one in `queue` included. Changed while `queue` is locked.
    failures: AtomicU64,
    /// Those of them after which batches are taken again.
    over: AtomicU64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the pending group seems to be above a multiple of the soft limit. A writer that is told an
    /// older number stages one batch more.
    fn is_above(&self, multiple: usize) -> bool {
        self.pending_bytes.load(Ordering::Relaxed) / multiple > self.staged_bytes_soft
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
        (durability, staged_bytes): (Durability, u64),
    ) -> Result<CommitQueue, StoreError> {
        let sequence = sequence_value(store.get(SEQUENCE_KEY)?.as_deref())?;
        let mut queue = Queue {
            sequence,
            ..Queue::default()
        };
        let refusal = store.refusal();
        if let Some(error) = &refusal {
            queue.fail(&store.with_room(error.clone()), Instant::now());
        }
        let shared = Arc::new(Shared {
            queue: Mutex::new(queue),
            staged: Condvar::new(),
            drained: Condvar::new(),
            store,
            metrics,
            durability,
            staged_bytes_soft: usize::try_from(staged_bytes).unwrap_or(usize::MAX),
            pending_bytes: AtomicUsize::new(0),
            failures: AtomicU64::new(u64::from(refusal.is_some())),
            over: AtomicU64::new(0),
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

    /// The newest staged change of a key: `None` without one, `Some(None)` for a removal.
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
        self.failures() > self.shared.over.load(Ordering::Acquire)
    }

    /// The failures so far.
    pub(crate) fn failures(&self) -> u64 {
        self.shared.failures.load(Ordering::Acquire)
    }

    /// The error with which batches are refused.
    pub(crate) fn refusal(&self) -> Option<StoreError> {
        self.shared.lock().error().cloned()
    }

    /// Whether batches may be taken again, once the device has room.
    pub(crate) fn may_take_again(&self) -> bool {
        let queue = self.shared.lock();
        let again = queue.failed.as_ref().and_then(|failed| failed.again);
        again.is_some_and(|again| Instant::now() >= again)
    }

    /// Takes batches again after a write that failed since the device was full. The caller keeps
    /// writers out: none is between its reads and its staging.
    pub(crate) fn take_again(&self) -> Result<(), StoreError> {
        let mut queue = self.shared.lock();
        match &queue.failed {
            None => return Ok(()),
            Some(Failed { error, again: None }) => return Err(error.clone()),
            Some(Failed { again: Some(_), .. }) => {}
        }
        let resumed = self.shared.store.resume().map_err(StoreError::or_full);
        // Entries of the lost groups have no number.
        let sequence = resumed.and_then(|()| self.shared.store.get(SEQUENCE_KEY));
        let sequence = sequence.and_then(|stored| sequence_value(stored.as_deref()));
        queue.sequence = sequence.inspect_err(|_| queue.put_off(Instant::now()))?;
        queue.failed = None;
        let failures = self.failures();
        self.shared.over.store(failures, Ordering::Release);
        Ok(())
    }

    /// The ticket of everything staged so far.
    pub(crate) fn barrier(&self) -> Ticket {
        let queue = self.shared.lock();
        if let Some(error) = queue.error() {
            // The caller may have read a write that is lost.
            return Ticket::failed(error.clone());
        }
        if queue.pending.is_empty() {
            queue
                .in_flight_result
                .as_ref()
                .map_or_else(Ticket::done, Ticket::of)
        } else {
            Ticket::of(&queue.pending.result)
        }
    }

    /// The group in flight, while the pending one is above the soft limit: async callers await it
    /// before they stage more.
    pub(crate) fn back_pressure(&self) -> Option<Ticket> {
        if !self.shared.is_above(1) {
            return None;
        }
        let queue = self.shared.lock();
        let is_above =
            queue.pending.bytes > self.shared.staged_bytes_soft && queue.failed.is_none();
        queue
            .in_flight_result
            .as_ref()
            .filter(|_| is_above)
            .map(Ticket::of)
    }

    /// Blocks while the pending group is above the hard limit. Callers must not hold a
    /// lock, since others would wait for it as long as the device takes.
    pub(crate) fn wait_below_hard_limit(&self) {
        if !self.shared.is_above(2) {
            return;
        }
        let mut queue = self.shared.lock();
        // Twice the soft limit, so that a caller that has awaited the soft one rarely blocks.
        while queue.pending.bytes / 2 > self.shared.staged_bytes_soft
            && queue.failed.is_none()
            && !queue.closed
        {
            queue = self
                .shared
                .drained
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Adds a batch to the pending group. Never blocks: see
    /// [`CommitQueue::wait_below_hard_limit`].
    pub(crate) fn stage(&self, mut batch: Batch) -> Result<Ticket, StoreError> {
        let mut queue = self.shared.lock();
        if let Some(error) = queue.error() {
            return Err(error.clone());
        }
        if queue.closed {
            return Err(StoreError::Closed);
        }
        queue.sequence = batch.number(queue.sequence);
        let group = &mut queue.pending;
        let was_empty = group.is_empty();
        group.add(batch);
        let ticket = Ticket::of(&group.result);
        let bytes = group.bytes;
        self.shared.pending_bytes.store(bytes, Ordering::Relaxed);
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
            // The thread panicked. There is no caller left to report it to.
        }
    }
}

fn run(shared: &Shared) {
    // All writers wait for this thread. Without a short slice it waits for a flush in turn.
    ask_for_slice(SLICE);
    let mut counters = HashMap::new();
    while let Some(group) = next_group(shared) {
        // A panic of the storage engine must not leave writers waiting for ever.
        let result = guarded(|| write(shared, &group, &mut counters))
            .map_err(|error| shared.store.with_room(error.or_full()));
        let mut queue = shared.lock();
        queue.in_flight = Arc::default();
        queue.in_flight_result = None;
        if let Err(error) = &result {
            // The values of the lost group.
            counters.clear();
            // This thread takes no group until batches are taken again.
            queue.fail(error, Instant::now());
            shared.failures.fetch_add(1, Ordering::AcqRel);
            // The conditions of batches staged meanwhile were evaluated against the lost write.
            let orphans = std::mem::take(&mut queue.pending);
            shared.pending_bytes.store(0, Ordering::Relaxed);
            orphans.result.set(Err(error.of_later()));
        }
        drop(queue);
        shared.drained.notify_all();
        group.result.set(result);
    }
}

/// A group that is being written.
struct InFlight {
    changes: Arc<Changes>,
    additions: HashMap<Vec<u8>, i64>,
    reset: HashSet<Vec<u8>>,
    result: Arc<GroupResult>,
}

/// Waits for a group and takes it; `None` when the queue is closed and empty.
fn next_group(shared: &Shared) -> Option<InFlight> {
    let mut queue = shared.lock();
    loop {
        if !queue.pending.is_empty() {
            let group = std::mem::take(&mut queue.pending);
            shared.pending_bytes.store(0, Ordering::Relaxed);
            let changes = Arc::new(group.changes);
            queue.in_flight = Arc::clone(&changes);
            queue.in_flight_result = Some(Arc::clone(&group.result));
            drop(queue);
            shared.drained.notify_all();
            return Some(InFlight {
                changes,
                additions: group.additions,
                reset: group.reset,
                result: group.result,
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

/// Reads, with a few retries: a failed read of a counter would poison the queue.
fn read_with_retries<T>(read: impl Fn() -> Result<T, StoreError>) -> Result<T, StoreError> {
    let mut done = read();
    for _ in 0..READ_RETRIES_MAX {
        if done.is_ok() {
            break;
        }
        std::thread::sleep(READ_RETRY_PAUSE);
        done = read();
    }
    done
}

/// Writes a group as one batch. `counters` caches values of counters.
fn write(
    shared: &Shared,
    group: &InFlight,
    counters: &mut HashMap<Vec<u8>, i64>,
) -> Result<(), StoreError> {
    let mut totals = Vec::with_capacity(group.additions.len());
    if counters.len() > COUNTERS_CACHED_MAX {
        counters.clear();
        counters.shrink_to(COUNTERS_CACHED_MAX);
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
            None => counter_value(read_with_retries(|| shared.store.get(key))?.as_deref())?,
        };
        let total = counter_sum(before, *amount);
        counters.insert(key.clone(), total);
        totals.push((key, total.to_le_bytes()));
    }
    let removed = group
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
            .chain(removed.map(|key| (&key[..], None))),
        shared.durability,
    )?;
    Metrics::count(&shared.metrics.commits);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The limits of staged bytes bound the memory of everything staged, counters included.
        #[test]
        fn staged_bytes_cover_everything_that_a_group_holds(
            batches in proptest::collection::vec(
                proptest::collection::vec((0..4, 0..30usize, 0..200usize), 0..20), 0..10)
        ) {
            let mut group = Group::default();
            for (at, changes) in batches.into_iter().enumerate() {
                let mut batch = Batch::new();
                for (kind, key, length) in changes {
                    let key = vec![b'k'; 1 + key * 20];
                    match kind {
                        0 => batch.put([&b"v"[..], &key].concat(), vec![at as u8; length]),
                        1 => batch.remove([&b"v"[..], &key].concat()),
                        2 => batch.add(key, 1),
                        _ => batch.remove_counter(key),
                    }
                }
                group.add(batch);
                let values: usize = group
                    .changes
                    .iter()
                    .map(|(key, value)| key.len() + value.as_ref().map_or(0, Bytes::len))
                    .sum();
                let sums: usize = group.additions.keys().map(|key| key.len() + COUNTER_BYTES).sum();
                let resets: usize = group.reset.iter().map(Vec::len).sum();
                prop_assert!(
                    group.bytes >= values + sums + resets,
                    "{} of {values} + {sums} + {resets}",
                    group.bytes
                );
            }
        }
    }

    #[test]
    fn additions_to_one_counter_are_held_once() {
        let mut group = Group::default();
        for _ in 0..1_000 {
            let mut batch = Batch::new();
            batch.add(b"count".to_vec(), 1);
            group.add(batch);
        }
        assert_eq!(group.bytes, b"count".len() + COUNTER_BYTES);
    }
}
