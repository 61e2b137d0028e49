//! Maintenance of the tables: two threads flush sealed memtables and compact table files. They are
//! two because a flush must not wait for a long compaction. Writers wait only when both are far
//! behind.

use super::shared::{LEVEL_ZERO_RUNS_MAX, SEALED_MEMTABLES_MAX, Shared};
use super::{compaction, flush};
use crate::error::{StoreError, guarded};
use crate::metrics::MaintenanceCounts;
use std::sync::Arc;
use std::thread::JoinHandle;

/// The threads; they end when this is dropped.
pub(super) struct Maintenance {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Maintenance {
    /// Maintenance without threads; [`Maintenance::start`] starts them.
    pub(super) fn new(shared: Shared) -> Maintenance {
        Maintenance {
            shared: Arc::new(shared),
            threads: Vec::new(),
        }
    }

    /// Starts the threads.
    pub(super) fn start(&mut self) -> Result<(), StoreError> {
        self.spawn("keyfold-flush", flush::run)?;
        self.spawn("keyfold-compact", compaction::run)
    }

    fn spawn(&mut self, name: &str, run: fn(&Shared)) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let ended = guarded(|| {
                    run(&shared);
                    Ok(())
                });
                if let Err(error) = ended {
                    // This work stops until the store is reopened; waiting writers get the error.
                    shared.lock().thread_error = Some(error);
                    shared.changed.notify_all();
                }
            })?;
        self.threads.push(thread);
        Ok(())
    }

    /// Seals the memtable, whose changes are in these segments of the log. Waits while too many
    /// memtables or tables are due.
    ///
    /// # Errors
    /// When too many are due because flushes or compactions keep failing. A failure that passes
    /// only makes the writer wait.
    pub(super) fn seal(&self, segments: impl IntoIterator<Item = u64>) -> Result<(), StoreError> {
        let mut state = self.shared.seal(segments);
        let tree = &self.shared.tree;
        loop {
            let are_too_many = tree.sealed_memtables() > SEALED_MEMTABLES_MAX;
            // One batch may make a memtable of several times its size.
            let are_too_large = tree.sealed_bytes() > self.shared.sealed_bytes_max();
            let awaited = if are_too_many || are_too_large {
                &state.flush_failures
            } else if tree.level_zero_runs() > LEVEL_ZERO_RUNS_MAX {
                &state.compaction_failures
            } else {
                return Ok(());
            };
            let lasting = awaited.lasting().or(state.manifest_failures.lasting());
            if let Some(error) = lasting.or(state.thread_error.as_ref()) {
                return Err(error.clone());
            }
            state = self.shared.wait(state);
            // A waiting writer is still active.
            state.restart_idle_time();
        }
    }

    /// As [`Maintenance::seal`], without waiting.
    pub(super) fn seal_at_once(&self, segments: impl IntoIterator<Item = u64>) {
        drop(self.shared.seal(segments));
    }

    /// What is due and what was done.
    pub(super) fn counts(&self) -> MaintenanceCounts {
        let state = self.shared.lock();
        let tree = &self.shared.tree;
        let is_compaction_due =
            tree.level_zero_runs() > 0 || state.has_new_tables || state.is_compacting;
        MaintenanceCounts {
            pending: tree.sealed_memtables() as u64 + u64::from(is_compaction_due),
            flushes: state.flushes,
            compactions: state.compactions,
        }
    }
}

impl Drop for Maintenance {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                // It panicked. Its changes are still in the log.
            }
        }
    }
}

#[cfg(test)]
use std::time::Duration;

#[cfg(test)]
impl Maintenance {
    /// Whether the last flush or the last compaction failed.
    pub(super) fn has_failed(&self) -> bool {
        let state = self.shared.lock();
        state.flush_failures.has_failed()
            || state.compaction_failures.has_failed()
            || state.thread_error.is_some()
    }

    /// The pause after each compaction that has failed.
    pub(super) fn compaction_pauses(&self) -> Vec<Duration> {
        self.shared.lock().compaction_pauses.clone()
    }

    /// Calls `check` while no thread writes tables; `None` when one does.
    pub(super) fn between_attempts<T>(&self, check: impl FnOnce() -> T) -> Option<T> {
        let state = self.shared.lock();
        (!state.is_flushing && !state.is_compacting).then(check)
    }

    /// Calls `hook` after the next idle compaction, before the thread records its end. It receives
    /// how long writers had been idle when the compaction began.
    pub(super) fn after_idle_compaction(&self, hook: impl FnOnce(Duration) + Send + 'static) {
        *self.shared.after_idle_compaction.lock().unwrap() = Some(Box::new(hook));
    }

    /// Acts as a writer that has just sealed a memtable.
    pub(super) fn restart_idle_time(&self) {
        self.shared.lock().restart_idle_time();
    }
}
