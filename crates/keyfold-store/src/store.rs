//! The store's handle: opening, reading, locking keys, staging batches.

use crate::batch::{Batch, SEQUENCE_KEY, counter_value, sequence_value};
use crate::commit_queue::CommitQueue;
use crate::durability::Durability;
use crate::durable::{DurableStore, Entry};
use crate::error::StoreError;
use crate::folder::remove_copied;
use crate::memory::MemoryStore;
use crate::metrics::{MaintenanceCounts, Metrics, StoreCounts};
use crate::options::StoreOptions;
use crate::snapshot::{Direction, Snapshot, View};
use crate::ticket::Ticket;
use bytes::Bytes;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Locks that keys are hashed to.
const STRIPES: usize = 1024;
/// Keys that a copy writes in one batch.
const COPY_BATCH_KEYS: usize = 5000;

enum Backend {
    Memory(MemoryStore),
    Durable {
        // Dropped first: it writes the staged batches to the store.
        queue: CommitQueue,
        store: Arc<DurableStore>,
    },
}

/// An ordered byte store. Shared by reference between threads.
pub struct Store {
    backend: Backend,
    stripes: Vec<Mutex<()>>,
    metrics: Arc<Metrics>,
}

/// Locks of keys: no other writer evaluates or changes the keys until this is dropped.
#[must_use = "the keys are unlocked as soon as this is dropped"]
pub struct KeyLocks<'s> {
    _stripes: Vec<MutexGuard<'s, ()>>,
}

impl Store {
    /// Opens or creates a store.
    ///
    /// # Errors
    /// `Locked` when another process has the folder open; `Foreign` when it is no store, `OtherFormat`
    /// when it is one of another format; `Io` or
    /// `Corrupt` when it cannot be read.
    pub fn open(options: StoreOptions) -> Result<Store, StoreError> {
        let metrics = Arc::new(Metrics::default());
        let backend = match options {
            StoreOptions::Memory => Backend::Memory(MemoryStore::default()),
            StoreOptions::Folder(options) => {
                let store = Arc::new(DurableStore::open(&options)?);
                let queue = CommitQueue::start(
                    Arc::clone(&store),
                    Arc::clone(&metrics),
                    (options.durability, options.staged_bytes),
                )?;
                Backend::Durable { queue, store }
            }
        };
        let stripes = (0..STRIPES).map(|_| Mutex::new(())).collect();
        Ok(Store {
            backend,
            stripes,
            metrics,
        })
    }

    /// Locks keys against other writers, in an order that cannot deadlock. Readers do not wait.
    pub fn lock<'k>(&self, keys: impl IntoIterator<Item = &'k [u8]>) -> KeyLocks<'_> {
        let mut indexes: Vec<usize> = keys
            .into_iter()
            .map(|key| (xxhash_rust::xxh3::xxh3_64(key) as usize) % STRIPES)
            .collect();
        indexes.sort_unstable();
        indexes.dedup();
        let guards = indexes
            .into_iter()
            .filter_map(|index| self.stripes.get(index))
            .map(|stripe| stripe.lock().unwrap_or_else(PoisonError::into_inner));
        KeyLocks {
            _stripes: guards.collect(),
        }
    }

    /// The newest value of a key, staged writes included. Only for writers that hold the key's
    /// lock.
    ///
    /// # Errors
    /// When the storage engine cannot read.
    pub fn latest(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let store = match &self.backend {
            Backend::Memory(store) => {
                Metrics::count(&self.metrics.gets);
                return Ok(store.get(key));
            }
            Backend::Durable { queue, store } => {
                if let Some(staged) = queue.latest(key) {
                    return Ok(staged);
                }
                store
            }
        };
        Metrics::count(&self.metrics.gets);
        store.get(key)
    }

    /// Stages a batch. It is visible to [`Store::latest`] at once, and to snapshots when the ticket
    /// is done.
    ///
    /// # Errors
    /// `Full` after a write that found no room, `Poisoned` after any other failed write, `Closed` during
    /// shutdown.
    pub fn stage(&self, batch: Batch) -> Result<Ticket, StoreError> {
        if batch.is_empty() {
            return Ok(Ticket::done());
        }
        Metrics::count(&self.metrics.batches);
        match &self.backend {
            Backend::Durable { queue, .. } => queue.stage(batch),
            Backend::Memory(store) => {
                store.write(batch)?;
                Metrics::count(&self.metrics.commits);
                Ok(Ticket::done())
            }
        }
    }

    /// Whether a write failed: every later one is refused, until [`Store::take_writes_again`].
    pub fn has_failed(&self) -> bool {
        match &self.backend {
            Backend::Memory(_) => false,
            Backend::Durable { queue, .. } => queue.has_failed(),
        }
    }

    /// The failed writes so far. Whoever stages several batches, and waits for the last one, has all of
    /// them if none failed meanwhile.
    pub fn failures(&self) -> u64 {
        match &self.backend {
            Backend::Memory(_) => 0,
            Backend::Durable { queue, .. } => queue.failures(),
        }
    }

    /// The error with which writes are refused; `None` when they are taken.
    pub fn refusal(&self) -> Option<StoreError> {
        match &self.backend {
            Backend::Memory(_) => None,
            Backend::Durable { queue, .. } => queue.refusal(),
        }
    }

    /// Whether [`Store::take_writes_again`] may help: the last write failed some time ago since the device
    /// was full, and there is room now.
    pub fn may_take_writes_again(&self) -> bool {
        match &self.backend {
            Backend::Memory(_) => false,
            Backend::Durable { queue, store } => queue.may_take_again() && store.has_room(),
        }
    }

    /// Takes writes again after one that failed since the device was full. What the failed writes have left in
    /// the log is never read again. Keys are locked meanwhile; the caller keeps out all other writers
    /// that are between their reads and their staging.
    ///
    /// # Errors
    /// `Full` when there is still no room; the error of the failed write when it was another one.
    pub fn take_writes_again(&self) -> Result<(), StoreError> {
        let Backend::Durable { queue, .. } = &self.backend else {
            return Ok(());
        };
        let all = self.stripes.iter();
        let _all: Vec<_> = all
            .map(|stripe| stripe.lock().unwrap_or_else(PoisonError::into_inner))
            .collect();
        queue.take_again()
    }

    /// As [`Store::barrier`], for whoever has staged or read since so many failures: it fails if another
    /// write has failed since then.
    pub fn barrier_since(&self, failures: u64) -> Ticket {
        let barrier = self.barrier();
        match self.failures() == failures {
            true => barrier,
            false => Ticket::failed(StoreError::Full(
                "what was written meanwhile may not be kept".to_owned(),
            )),
        }
    }

    /// The ticket of everything staged so far: for answers that depend on staged writes and add
    /// none.
    pub fn barrier(&self) -> Ticket {
        match &self.backend {
            Backend::Memory(_) => Ticket::done(),
            Backend::Durable { queue, .. } => queue.barrier(),
        }
    }

    /// Back-pressure for callers that may block: blocks while staged bytes are above the hard limit
    /// (64 MB). [`Store::stage`] itself never blocks, so that it can be called with locks held; a
    /// caller waits here before it takes them.
    pub fn wait_below_hard_limit(&self) {
        if let Backend::Durable { queue, .. } = &self.backend {
            queue.wait_below_hard_limit();
        }
    }

    /// Back-pressure for async callers: the group in flight, to be awaited before more is staged,
    /// while staged bytes are above the soft limit (32 MB).
    pub fn back_pressure(&self) -> Option<Ticket> {
        match &self.backend {
            Backend::Memory(_) => None,
            Backend::Durable { queue, .. } => queue.back_pressure(),
        }
    }

    /// A consistent view of at least everything that was staged before the call. Waits until all of
    /// it is durable.
    ///
    /// Data derived from a snapshot (index entries, expiry notes, copies, exports) starts from one
    /// of these, taken after the definition of the derivation was staged. A write staged before the
    /// definition does not know it and is in the snapshot; a write staged after it applies it. A
    /// plain [`Store::snapshot`] may lack writes of the first kind for ever.
    ///
    /// # Errors
    /// `Full` or `Poisoned` when something staged could not be written.
    pub fn snapshot_of_staged(&self) -> Result<Snapshot, StoreError> {
        self.barrier().wait()?;
        Ok(self.snapshot())
    }

    /// A consistent view of everything committed.
    pub fn snapshot(&self) -> Snapshot {
        let view = match &self.backend {
            Backend::Memory(store) => View::Memory(store.snapshot()),
            Backend::Durable { store, .. } => View::Durable(store.snapshot()),
        };
        Snapshot {
            view,
            metrics: Arc::clone(&self.metrics),
        }
    }

    /// A counter's committed value; 0 when it was never added to.
    ///
    /// # Errors
    /// When the storage engine cannot read.
    pub fn counter(&self, key: &[u8]) -> Result<i64, StoreError> {
        counter_value(self.snapshot().get(key)?.as_deref())
    }

    /// A lower bound of the next appended entry's number: all entries below it are visible.
    ///
    /// # Errors
    /// When the storage engine cannot read.
    pub fn sequence(&self) -> Result<u64, StoreError> {
        sequence_value(self.snapshot().get(SEQUENCE_KEY)?.as_deref())
    }

    /// The number of the next appended entry; staged entries have lower ones. Only for callers that
    /// keep others from appending.
    ///
    /// # Errors
    /// When the storage engine cannot read.
    pub fn staged_sequence(&self) -> Result<u64, StoreError> {
        sequence_value(self.latest(SEQUENCE_KEY)?.as_deref())
    }

    /// Syncs everything written, whatever the durability.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sync(&self) -> Result<(), StoreError> {
        match &self.backend {
            Backend::Memory(_) => Ok(()),
            Backend::Durable { store, .. } => store.sync(),
        }
    }

    /// The flushes and compactions that are due and that were done.
    pub fn maintenance(&self) -> MaintenanceCounts {
        match &self.backend {
            Backend::Memory(_) => MaintenanceCounts::default(),
            Backend::Durable { store, .. } => store.maintenance(),
        }
    }

    /// Copies everything committed before the call into a new folder; returns the number of keys.
    ///
    /// # Errors
    /// `Foreign` when the folder lies in this store's, is not empty or cannot be made; `Io` when it
    /// cannot be written.
    pub fn copy_to(&self, folder: &Path) -> Result<u64, StoreError> {
        if let Backend::Durable { store, .. } = &self.backend {
            store.refuse_inside(folder)?;
        }
        let copied = self.copy_into(DurableStore::begin_copy(folder)?);
        if copied.is_err() {
            // Best effort: the caller gets the first error.
            drop(remove_copied(folder));
        }
        copied
    }

    fn copy_into(&self, copy: DurableStore) -> Result<u64, StoreError> {
        let snapshot;
        let mut entries: Box<dyn Iterator<Item = _> + '_> = match &self.backend {
            Backend::Durable { store, .. } => Box::new(
                store
                    .snapshot()
                    .into_range(Bound::Unbounded, Bound::Unbounded)
                    .map(Entry::into_pair),
            ),
            Backend::Memory(_) => {
                snapshot = self.snapshot();
                snapshot.range(Bound::Unbounded, Bound::Unbounded, Direction::Forward)
            }
        };
        let mut count = 0;
        loop {
            let batch: Vec<_> = entries
                .by_ref()
                .take(COPY_BATCH_KEYS)
                .collect::<Result<_, _>>()?;
            if batch.is_empty() {
                break;
            }
            count += batch.len() as u64;
            let changes = batch
                .iter()
                .map(|(key, value)| (&key[..], Some(&value[..])));
            // The end of the copy syncs.
            copy.apply(changes, Durability::Buffered)?;
        }
        copy.end_copy()?;
        Ok(count)
    }

    /// Counts of the store's work since it was opened.
    pub fn counts(&self) -> StoreCounts {
        self.metrics.counts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn both() -> (Vec<Store>, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions::folder(folder.path().join("db"), Durability::Synced);
        (
            vec![
                Store::open(StoreOptions::Memory).unwrap(),
                Store::open(options).unwrap(),
            ],
            folder,
        )
    }

    fn contents(store: &Store, direction: Direction) -> Vec<(Vec<u8>, Vec<u8>)> {
        let snapshot = store.snapshot();
        let entries = snapshot.range(Bound::Unbounded, Bound::Unbounded, direction);
        entries
            .map(|entry| {
                entry
                    .map(|(key, value)| (key.to_vec(), value.to_vec()))
                    .unwrap()
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn both_stores_agree_with_a_sorted_map(
            batches in proptest::collection::vec(
                proptest::collection::vec((0u8..12, proptest::option::of(any::<u8>())), 1..5), 1..20)
        ) {
            let (stores, _folder) = both();
            let mut expected = BTreeMap::new();
            for batch in &batches {
                for store in &stores {
                    let mut staged = Batch::new();
                    for (key, value) in batch {
                        match value {
                            Some(value) => staged.put(vec![*key], vec![*value]),
                            None => staged.remove(vec![*key]),
                        }
                    }
                    let ticket = store.stage(staged).unwrap();
                    // The next writer sees a staged write before it is durable.
                    let (key, value) = batch.last().unwrap();
                    prop_assert_eq!(store.latest(&[*key]).unwrap().map(|bytes| bytes.to_vec()), value.map(|v| vec![v]));
                    ticket.wait().unwrap();
                }
                for (key, value) in batch {
                    match value {
                        Some(value) => expected.insert(vec![*key], vec![*value]),
                        None => expected.remove(&vec![*key]),
                    };
                }
            }
            let forward: Vec<_> = expected.clone().into_iter().collect();
            let backward: Vec<_> = expected.into_iter().rev().collect();
            for store in &stores {
                prop_assert_eq!(contents(store, Direction::Forward), forward.clone());
                prop_assert_eq!(contents(store, Direction::Backward), backward.clone());
            }
        }
    }

    #[test]
    fn counters_add_up_and_survive_reopening() {
        let folder = tempfile::tempdir().unwrap();
        let open = || {
            let path = folder.path().join("db");
            Store::open(StoreOptions::folder(path, Durability::Synced)).unwrap()
        };
        for round in 1..=3 {
            let store = open();
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        for _ in 0..25 {
                            let mut batch = Batch::new();
                            batch.add(b"n".to_vec(), 1);
                            store.stage(batch).unwrap().wait().unwrap();
                        }
                    });
                }
            });
            assert_eq!(store.counter(b"n").unwrap(), round * 100);
        }
    }

    #[test]
    fn a_reset_counter_starts_at_0() {
        let (stores, _folder) = both();
        let change = |store: &Store, reset: bool, amount: i64| {
            let mut batch = Batch::new();
            if reset {
                batch.remove_counter(b"n".to_vec());
            }
            batch.add(b"n".to_vec(), amount);
            store.stage(batch).unwrap()
        };
        for store in &stores {
            change(store, false, 5).wait().unwrap();
            // Each in a group of its own, and then all in one.
            change(store, true, 0).wait().unwrap();
            assert_eq!(store.counter(b"n").unwrap(), 0);
            assert_eq!(contents(store, Direction::Forward), vec![]);
            change(store, false, 2).wait().unwrap();
            assert_eq!(store.counter(b"n").unwrap(), 2);
            let tickets = [
                change(store, false, 3),
                change(store, true, 0),
                change(store, false, 4),
            ];
            tickets
                .into_iter()
                .for_each(|ticket| ticket.wait().unwrap());
            assert_eq!(store.counter(b"n").unwrap(), 4);
            change(store, true, 1).wait().unwrap();
            assert_eq!(store.counter(b"n").unwrap(), 1);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// However the durable store groups the batches, also beyond the largest sum.
        #[test]
        fn both_stores_agree_on_counters(
            batches in proptest::collection::vec(
                (0u8..6, prop_oneof![Just(i64::MIN), Just(i64::MAX), -3..4i64], any::<bool>()), 1..30)
        ) {
            let (stores, _folder) = both();
            for store in &stores {
                let stage = |(reset, amount, is_twice): &(u8, i64, bool)| {
                    let mut batch = Batch::new();
                    if *reset == 0 {
                        batch.remove_counter(b"n".to_vec());
                    }
                    batch.add(b"n".to_vec(), *amount);
                    if *is_twice {
                        batch.add(b"n".to_vec(), *amount);
                    }
                    store.stage(batch).unwrap()
                };
                let tickets: Vec<Ticket> = batches.iter().map(stage).collect();
                tickets.into_iter().for_each(|ticket| ticket.wait().unwrap());
            }
            let counts: Vec<i64> = stores.iter().map(|store| store.counter(b"n").unwrap()).collect();
            prop_assert_eq!(counts[0], counts[1]);
        }
    }

    #[test]
    fn waiting_writers_share_a_sync() {
        let (stores, _folder) = both();
        let store = stores.last().unwrap();
        let tickets: Vec<_> = (0u32..500)
            .map(|n| {
                let mut batch = Batch::new();
                batch.put(n.to_be_bytes().to_vec(), vec![1]);
                store.stage(batch).unwrap()
            })
            .collect();
        for ticket in tickets {
            ticket.wait().unwrap();
        }
        assert!(store.counts().commits < 250, "{:?}", store.counts());
        assert_eq!(contents(store, Direction::Forward).len(), 500);
    }

    #[test]
    fn appended_entries_are_numbered_in_order_and_across_reopening() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db");
        for round in 0..2u64 {
            let store =
                Store::open(StoreOptions::folder(path.clone(), Durability::Synced)).unwrap();
            assert_eq!(store.sequence().unwrap(), round * 200);
            std::thread::scope(|scope| {
                for writer in 0..4u8 {
                    let store = &store;
                    scope.spawn(move || {
                        for n in 0..25u8 {
                            let mut batch = Batch::new();
                            batch.append(b"log".to_vec(), vec![writer, n, 0]);
                            batch.append(b"log".to_vec(), vec![writer, n, 1]);
                            store.stage(batch).unwrap().wait().unwrap();
                        }
                    });
                }
            });
            let entries: Vec<_> = contents(&store, Direction::Forward)
                .into_iter()
                .filter(|(key, _)| key.starts_with(b"log"))
                .collect();
            assert_eq!(entries.len() as u64, (round + 1) * 200);
            for (at, (key, _)) in entries.iter().enumerate() {
                assert_eq!(key[3..], (at as u64).to_be_bytes());
            }
            for pair in entries.chunks(2) {
                // Two entries of one batch have adjacent numbers.
                assert_eq!(
                    (pair[0].1[..2].to_vec(), pair[0].1[2], pair[1].1[2]),
                    (pair[1].1[..2].to_vec(), 0, 1)
                );
            }
        }
    }

    #[test]
    fn a_second_process_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions::folder(folder.path().join("db"), Durability::Synced);
        let _first = Store::open(options.clone()).unwrap();
        assert!(matches!(Store::open(options), Err(StoreError::Locked)));
    }

    #[test]
    fn a_snapshot_does_not_change() {
        let (stores, _folder) = both();
        for store in &stores {
            let before = store.snapshot();
            let mut batch = Batch::new();
            batch.put(b"k".to_vec(), b"v".to_vec());
            store.stage(batch).unwrap().wait().unwrap();
            assert_eq!(before.get(b"k").unwrap(), None);
            assert!(store.snapshot().get(b"k").unwrap().is_some());
        }
    }
}
