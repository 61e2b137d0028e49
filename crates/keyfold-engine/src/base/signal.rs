//! The signal that wakes and ends the background thread.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest sleep of the thread, which bounds how late an expired item is deleted.
const PAUSE: Duration = Duration::from_millis(500);

/// Wakes and ends the background thread.
#[derive(Default)]
pub(crate) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_due: bool,
    stop: bool,
}

impl Signal {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the thread, because work may be due.
    pub(crate) fn wake(&self) {
        self.lock().is_due = true;
        self.changed.notify_one();
    }

    pub(crate) fn stop(&self) {
        self.lock().stop = true;
        self.changed.notify_one();
    }

    /// Sleeps until work may be due. Returns false when the thread must end.
    pub(crate) fn sleep(&self) -> bool {
        let mut state = self.lock();
        if !state.stop && !state.is_due {
            state = self
                .changed
                .wait_timeout(state, PAUSE)
                .map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
        }
        state.is_due = false;
        !state.stop
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.lock().stop
    }
}
