//! The background thread: it removes deleted tables, fills new indexes, deletes expired items, trims
//! streams, and does the long work that requests have begun.
//!
//! It does a piece of all work that is due in turn, and sleeps when none is. Unfinished work has
//! records in the store, so that it continues after a restart.

use super::progress::Progress;
use crate::core::Core;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The progress of background work, shared by the thread and by callers of `Engine::work`.
#[derive(Clone, Default)]
pub(crate) struct SharedProgress(Arc<Mutex<Progress>>);

impl SharedProgress {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The thread.
pub(crate) struct Background {
    core: Core<'static>,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    pub(crate) fn start(core: Core<'static>, progress: SharedProgress) -> io::Result<Background> {
        let for_thread = core.clone();
        let thread = std::thread::Builder::new()
            .name("keyfold-background".to_owned())
            .spawn(move || run(&for_thread, &progress))
            .map_err(|error| {
                io::Error::new(error.kind(), format!("cannot start a thread: {error}"))
            })?;
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
            // Nothing is lost: the next start resumes unfinished work.
        }
    }
}

fn run(core: &Core, progress: &SharedProgress) {
    loop {
        // A failed store refuses every write with its reason. Failed work is retried after a pause.
        while !core.signal().is_stopped() && progress.lock().work(core).has_more {}
        if !core.signal().sleep() {
            return;
        }
    }
}
