//! Reads of the past, when they are asked for: global indexes that follow their table after a
//! while, and eventually consistent reads that may miss what was just written, as in the cloud.
//!
//! Nothing is written later than otherwise: a late reader is given an older snapshot. Snapshots are
//! kept for as long as writes go on, eight for each delay, so that a write is seen by late readers
//! after the delay and at most an eighth of it more. What they see is always one moment of the
//! whole store.

use crate::base::options::IndexLag;
use keyfold_store::{Snapshot, Store};
use keyfold_types::capacity::ReadRate;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Snapshots for each delay.
const STEPS: u64 = 8;

/// Older states of the store.
pub(crate) struct Past {
    lag: IndexLag,
    state: Mutex<State>,
}

struct State {
    /// Oldest first.
    kept: VecDeque<Kept>,
    last_write_epoch_ms: u64,
    random: fastrand::Rng,
}

/// A state of the store: from the write before it was taken, until the write that it was taken for.
struct Kept {
    since_epoch_ms: u64,
    taken_epoch_ms: u64,
    snapshot: Snapshot,
}

impl Past {
    pub(crate) fn new(lag: IndexLag) -> Past {
        let random = fastrand::Rng::with_seed(lag.seed);
        let state = State {
            kept: VecDeque::new(),
            last_write_epoch_ms: 0,
            random,
        };
        Past {
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

    /// Keeps how the store is, before something is written.
    pub(crate) fn keep(&self, store: &Store, now_ms: u64) {
        let delay_ms = self.delay_ms();
        let mut state = self.lock();
        if now_ms.saturating_sub(state.last_write_epoch_ms) >= delay_ms {
            // Everything written so far is seen by everyone.
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

    /// Lets everyone see the newest until something is written: a table or index that has become
    /// ready is whole.
    pub(crate) fn catch_up(&self) {
        self.lock().kept.clear();
    }

    /// The state that a read sees: of a global index an older one, of a table sometimes, if it may.
    pub(crate) fn view(
        &self,
        store: &Store,
        now_ms: u64,
        is_global: bool,
        rate: ReadRate,
    ) -> Snapshot {
        let mut state = self.lock();
        let is_late = is_global || (rate == ReadRate::Eventual && state.random.bool());
        let delay_ms = self.delay_ms();
        if !is_late || now_ms.saturating_sub(state.last_write_epoch_ms) >= delay_ms {
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
    /// Forgets what is older than what a late reader sees now.
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
