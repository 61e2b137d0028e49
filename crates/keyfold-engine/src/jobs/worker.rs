//! The thread that does what is due without being asked for: removing what was deleted, filling new
//! indexes, deleting what has expired, trimming streams, and long work that requests have begun.
//!
//! It goes through everything that may be due, a piece at a time, and sleeps when nothing is. What
//! is unfinished is noted in the store, so that it goes on after a restart.

use super::progress::Progress;
use crate::core::Core;
use keyfold_api::ApiError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The progress of long work, shared by the background thread and by callers of `Engine::work`.
#[derive(Clone, Default)]
pub(crate) struct SharedProgress(Arc<Mutex<Progress>>);

impl SharedProgress {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread.
pub(crate) struct Background {
    core: Core,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    pub(crate) fn start(core: Core, progress: SharedProgress) -> Result<Background, ApiError> {
        let for_thread = core.clone();
        let thread = std::thread::Builder::new()
            .name("keyfold-background".to_owned())
            .spawn(move || run(&for_thread, &progress))
            .map_err(|error| ApiError::Internal(format!("cannot start a thread: {error}")))?;
        Ok(Background {
            core,
            thread: Some(thread),
        })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.core.signal().stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            // Nothing is lost: what is unfinished is noted, and the next start goes on.
        }
    }
}

fn run(core: &Core, progress: &SharedProgress) {
    loop {
        // A failing store refuses every write and says so itself. What failed is tried again after
        // a pause.
        while !core.signal().is_stopped() && progress.lock().work(core).has_more {}
        if !core.signal().sleep() {
            return;
        }
    }
}
