//! Stale reads, where the options ask for them: global indexes that lag behind their table, and
//! eventually consistent reads that may miss the latest writes, as in the cloud.
//!
//! Writes are not delayed: a stale read gets an older snapshot. While writes go on, eight snapshots
//! are kept for each delay, so that a stale read sees a write after the delay and at most an eighth
//! of it more. A stale read sees one state of the complete store.

use crate::base::options::IndexLag;
use keyfold_store::{Snapshot, Store};
use keyfold_types::capacity::ReadRate;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Snapshots for each delay.
const STEPS: u64 = 8;

/// Older states of the store.
pub(crate) struct StaleReads {
    lag: IndexLag,
    state: Mutex<State>,
}

struct State {
    /// Oldest first.
    kept: VecDeque<Kept>,
    last_write_epoch_ms: u64,
    random: fastrand::Rng,
}

/// A state of the store, which is the newest from one write until the next.
struct Kept {
    since_epoch_ms: u64,
    taken_epoch_ms: u64,
    snapshot: Snapshot,
}

impl StaleReads {
    pub(crate) fn new(lag: IndexLag) -> StaleReads {
        let random = fastrand::Rng::with_seed(lag.seed);
        let state = State {
            kept: VecDeque::new(),
            last_write_epoch_ms: 0,
            random,
        };
        StaleReads {
            lag,
            state: Mutex::new(state),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn delay_ms(&self) -> u64 {
        u64::try_from(self.lag.delay.as_millis()).unwrap_or(u64::MAX)
    }

    /// Keeps the state of the store before a write.
    pub(crate) fn keep(&self, store: &Store, now_ms: u64) {
        let delay_ms = self.delay_ms();
        let mut state = self.lock();
        if now_ms.saturating_sub(state.last_write_epoch_ms) >= delay_ms {
            // Every read sees everything written so far.
            state.kept.clear();
        }
        let since_epoch_ms = std::mem::replace(&mut state.last_write_epoch_ms, now_ms);
        let newest = state.kept.back().map(|kept| kept.taken_epoch_ms);
        if newest.is_none_or(|taken| now_ms.saturating_sub(taken) >= delay_ms.div_ceil(STEPS)) {
            let snapshot = store.snapshot();
            state.kept.push_back(Kept {
                since_epoch_ms,
                taken_epoch_ms: now_ms,
                snapshot,
            });
        }
        state.forget(now_ms.saturating_sub(delay_ms));
    }

    /// Lets every read see the newest state until the next write: a table or index that has become
    /// ready is complete.
    pub(crate) fn catch_up(&self) {
        self.lock().kept.clear();
    }

    /// The state that a read sees: an older one for a global index, and for half of the eventually
    /// consistent reads of a table.
    pub(crate) fn view(
        &self,
        store: &Store,
        now_ms: u64,
        is_global: bool,
        rate: ReadRate,
    ) -> Snapshot {
        let mut state = self.lock();
        let is_stale = is_global || (rate == ReadRate::Eventual && state.random.bool());
        let delay_ms = self.delay_ms();
        if !is_stale || now_ms.saturating_sub(state.last_write_epoch_ms) >= delay_ms {
            return store.snapshot();
        }
        state.forget(now_ms.saturating_sub(delay_ms));
        state
            .kept
            .front()
            .map_or_else(|| store.snapshot(), |kept| kept.snapshot.clone())
    }
}

impl State {
    /// Drops states that are older than the state of a stale read now.
    fn forget(&mut self, seen_epoch_ms: u64) {
        while self
            .kept
            .get(1)
            .is_some_and(|kept| kept.since_epoch_ms <= seen_epoch_ms)
        {
            self.kept.pop_front();
        }
    }
}
