//! Exact counts of the store's work, for tests of complexity and for operators.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    pub(crate) gets: AtomicU64,
    pub(crate) range_opens: AtomicU64,
    pub(crate) range_steps: AtomicU64,
    pub(crate) batches: AtomicU64,
    pub(crate) commits: AtomicU64,
}

/// Counts since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreCounts {
    /// Point reads.
    pub gets: u64,
    /// Ranges opened.
    pub range_opens: u64,
    /// Entries read from ranges.
    pub range_steps: u64,
    /// Batches staged.
    pub batches: u64,
    /// Group commits, each with one sync when durable.
    pub commits: u64,
}

/// Flushes and compactions since the store was opened. A store in memory has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MaintenanceCounts {
    /// Flushes and compactions that are due.
    pub pending: u64,
    /// Flushes of memtables that have ended.
    pub flushes: Work,
    /// Compactions of table files that have ended.
    pub compactions: Work,
}

/// Work that was done, also in vain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// How often.
    pub count: u64,
    /// How long it took in all.
    pub time: Duration,
}

impl Work {
    pub(crate) fn add(&mut self, took: Duration) {
        self.count += 1;
        self.time += took;
    }
}

impl Metrics {
    pub(crate) fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Ordering::Relaxed);
    }

    pub(crate) fn counts(&self) -> StoreCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StoreCounts {
            gets: read(&self.gets),
            range_opens: read(&self.range_opens),
            range_steps: read(&self.range_steps),
            batches: read(&self.batches),
            commits: read(&self.commits),
        }
    }
}
