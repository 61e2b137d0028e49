//! The state that the flush thread, the compaction thread and the writers share.

use super::backoff::Backoff;
use super::failures::Failures;
use super::lsm::Tree;
use super::manifest;
use super::read_points::ReadPoints;
use super::writer::Writer;
use crate::checkpoint::Checkpoints;
use crate::error::StoreError;
use crate::log::LogFiles;
use crate::metrics::Work;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Runs of level 0 above which writers wait: a read may look into each.
pub(super) const LEVEL_ZERO_RUNS_MAX: usize = 24;
/// Sealed memtables above which writers wait: the most, of the usual size, that a reopening after a crash replays.
pub(super) const SEALED_MEMTABLES_MAX: usize = 4;
/// Bytes of sealed memtables for which no writer waits, however small memtables are.
const SEALED_BYTES_MIN: u64 = 8 * 1024 * 1024;
/// Pauses between failed flushes, and between failed compactions.
const PAUSE_MIN: Duration = Duration::from_millis(500);
pub(super) const PAUSE_MAX: Duration = Duration::from_secs(60);

/// Pauses between failed flushes or compactions.
pub(super) fn backoff() -> Backoff {
    Backoff::new(PAUSE_MIN, PAUSE_MAX)
}

pub(super) struct Shared {
    pub(super) tree: Tree,
    pub(super) read_points: Arc<ReadPoints>,
    pub(super) files: Arc<dyn LogFiles>,
    pub(super) checkpoints: Arc<Checkpoints>,
    /// Size in bytes at which a table file ends and the next begins.
    pub(super) table_bytes: u64,
    /// Size in bytes above which a memtable is sealed.
    pub(super) memtable_bytes: u64,
    /// Locked before `state`. The threads here only try to lock it, since a writer that holds it
    /// may wait for them.
    pub(super) writer: Arc<Mutex<Writer>>,
    pub(super) state: Mutex<State>,
    /// Signaled when work is added and when work is done.
    pub(super) changed: Condvar,
    /// A test's hook after a level-0 compaction, before the thread records its end. It receives how
    /// long writers had been idle when the compaction began.
    #[cfg(test)]
    pub(super) after_idle_compaction: Mutex<Option<IdleCompactionHook>>,
}

#[cfg(test)]
pub(super) type IdleCompactionHook = Box<dyn FnOnce(Duration) + Send>;

pub(super) struct State {
    /// Segments of the log to retire: their changes are in sealed memtables or in table files.
    pub(super) sealed_segments: Vec<u64>,
    last_sealed: Option<Instant>,
    /// Whether the leveled strategy has not yet been asked about the newest tables.
    pub(super) has_new_tables: bool,
    pub(super) is_flushing: bool,
    pub(super) is_compacting: bool,
    /// Flushes that have ended.
    pub(super) flushes: Work,
    /// Compactions that have ended.
    pub(super) compactions: Work,
    pub(super) flush_failures: Failures,
    pub(super) compaction_failures: Failures,
    /// Whether the manifest on the disk may be newer than the one in memory.
    is_manifest_uncertain: bool,
    /// Failures to restore the manifest on the disk.
    pub(super) manifest_failures: Failures,
    /// The lowest id of a table file that a failed attempt may have left.
    first_leftover: Option<u64>,
    /// The panic that ended a thread, which starts again with the next opening of the store.
    pub(super) thread_error: Option<StoreError>,
    pub(super) is_closed: bool,
    /// The pause after each failed compaction since the store was opened.
    #[cfg(test)]
    pub(super) compaction_pauses: Vec<Duration>,
}

impl State {
    /// The state of a store that was just opened.
    pub(super) fn new() -> State {
        State {
            sealed_segments: Vec::new(),
            last_sealed: None,
            has_new_tables: true,
            is_flushing: false,
            is_compacting: false,
            flushes: Work::default(),
            compactions: Work::default(),
            flush_failures: Failures::default(),
            compaction_failures: Failures::default(),
            is_manifest_uncertain: false,
            manifest_failures: Failures::default(),
            first_leftover: None,
            thread_error: None,
            is_closed: false,
            #[cfg(test)]
            compaction_pauses: Vec::new(),
        }
    }

    /// Whether the threads stop.
    pub(super) fn has_ended(&self) -> bool {
        self.is_closed || self.thread_error.is_some()
    }

    /// The time since a memtable was sealed.
    pub(super) fn idle_time(&self) -> Duration {
        self.last_sealed
            .map_or(Duration::MAX, |last| last.elapsed())
    }

    /// Restarts the idle time: a writer is active.
    pub(super) fn restart_idle_time(&mut self) {
        self.last_sealed = Some(Instant::now());
    }
}

impl Shared {
    /// Bytes of sealed memtables above which writers wait.
    pub(super) fn sealed_bytes_max(&self) -> u64 {
        self.memtable_bytes
            .saturating_mul(SEALED_MEMTABLES_MAX as u64)
            .max(SEALED_BYTES_MIN)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a change, for at most this time.
    pub(super) fn wait_for<'s>(
        &self,
        state: MutexGuard<'s, State>,
        time: Duration,
    ) -> MutexGuard<'s, State> {
        let waited = self.changed.wait_timeout(state, time);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits for this time, or until the threads stop.
    pub(super) fn pause<'s>(
        &self,
        mut state: MutexGuard<'s, State>,
        time: Duration,
    ) -> MutexGuard<'s, State> {
        let until = Instant::now() + time;
        while !state.has_ended() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.wait_for(state, left);
        }
        state
    }

    /// Seals the memtable, whose changes are in these segments of the log.
    pub(super) fn seal(&self, segments: impl IntoIterator<Item = u64>) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        self.tree.seal_memtable();
        state.sealed_segments.extend(segments);
        state.restart_idle_time();
        self.changed.notify_all();
        state
    }

    /// Restores the manifest on the disk after a failed attempt and removes the table files that
    /// the attempt left. `first_table`: the lowest id that it may have used.
    pub(super) fn clean_up(&self, state: &mut State, first_table: u64) {
        state.is_manifest_uncertain = true;
        let first = state
            .first_leftover
            .map_or(first_table, |first| first.min(first_table));
        state.first_leftover = Some(first);
        if self.restore_manifest(state) {
            self.remove_leftovers(state);
        }
    }

    /// Makes the manifest on the disk the one in memory, if an attempt failed: another attempt
    /// would write over it. Returns whether it is.
    pub(super) fn restore_manifest(&self, state: &mut State) -> bool {
        if state.is_manifest_uncertain {
            let restored = manifest::restore_current(&self.tree);
            state.is_manifest_uncertain = restored.is_err();
            state
                .manifest_failures
                .ended(restored.map_err(StoreError::from));
            self.changed.notify_all();
        }
        !state.is_manifest_uncertain
    }

    /// Removes the table files of failed attempts. The storage engine would leave them until it is
    /// opened again. A file that the manifest does not name is one of them, unless a thread is
    /// writing tables; then the removal is left to a later call.
    pub(super) fn remove_leftovers(&self, state: &mut State) {
        if state.is_flushing || state.is_compacting || state.is_manifest_uncertain {
            return;
        }
        let Some(first) = state.first_leftover.take() else {
            return;
        };
        let (current, folder) = (self.tree.table_ids(), self.tree.tables_folder());
        for id in (first..self.tree.next_table_id()).filter(|id| !current.contains(id)) {
            // The file may never have been created, or belong to an older manifest that a reader
            // keeps; then it is removed with that.
            drop(std::fs::remove_file(folder.join(id.to_string())));
        }
    }
}
