//! What the storage engine needs done beside writes: full memory tables become tables on the disk, and tables are merged.
//!
//! Two threads, since writing a memory table must not wait for a long merge. Writers wait only when both are far behind.

use super::marks::Marks;
use crate::error::StoreError;
use crate::log::LogFiles;
use lsm_tree::compaction::{CompactionStrategy, Leveled};
use lsm_tree::{AbstractTree, AnyTree};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Full memory tables above which writers wait: what a reopening after a crash has to replay at the most.
const SEALED_MAX: usize = 4;
/// Unmerged tables above which writers wait: a read may have to look into each.
const UNMERGED_MAX: usize = 24;
/// How long after a failure the same is tried again.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(Default)]
struct State {
    /// Segments of the log whose changes are in full memory tables or on the disk.
    sealed: Vec<u64>,
    has_new_tables: bool,
    is_merging: bool,
    /// What went wrong, until it goes well.
    failed: Option<StoreError>,
    is_closed: bool,
}

struct Shared {
    tree: AnyTree,
    marks: Arc<Marks>,
    files: Arc<dyn LogFiles>,
    state: Mutex<State>,
    /// Something changed: work came, or work was done.
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads; they end when this is dropped.
pub(super) struct Upkeep {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Upkeep {
    /// Starts the threads.
    pub(super) fn start(
        tree: AnyTree,
        marks: Arc<Marks>,
        files: Arc<dyn LogFiles>,
    ) -> Result<Upkeep, StoreError> {
        let state = State { has_new_tables: true, ..State::default() };
        let changed = Condvar::new();
        let shared = Arc::new(Shared { tree, marks, files, state: Mutex::new(state), changed });
        let mut upkeep = Upkeep { shared, threads: Vec::new() };
        upkeep.spawn("keyfold-flush", flush_until_closed)?;
        upkeep.spawn("keyfold-merge", merge_until_closed)?;
        Ok(upkeep)
    }

    fn spawn(&mut self, name: &str, work: fn(&Shared)) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&shared))?;
        self.threads.push(thread);
        Ok(())
    }

    /// Tells that the memory table is full and that these segments of the log hold its changes. Waits when too much is waiting
    /// already.
    ///
    /// # Errors
    /// When too much is waiting because it cannot be written.
    pub(super) fn sealed(&self, segments: impl IntoIterator<Item = u64>) -> Result<(), StoreError> {
        let mut state = self.shared.lock();
        self.shared.tree.rotate_memtable();
        state.sealed.extend(segments);
        self.shared.changed.notify_all();
        let tree = &self.shared.tree;
        while tree.sealed_memtable_count() > SEALED_MAX || tree.l0_run_count() > UNMERGED_MAX {
            if let Some(error) = &state.failed {
                return Err(error.clone());
            }
            state = self.shared.wait(state);
        }
        Ok(())
    }

    /// How many memory tables and merges are not done yet.
    pub(super) fn pending(&self) -> u64 {
        let state = self.shared.lock();
        let merges = u64::from(state.has_new_tables || state.is_merging);
        self.shared.tree.sealed_memtable_count() as u64 + merges
    }
}

impl Drop for Upkeep {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                // It panicked; the log still has what it was writing.
            }
        }
    }
}

fn flush_until_closed(shared: &Shared) {
    let mut state = shared.lock();
    while !state.is_closed {
        if state.sealed.is_empty() {
            state = shared.wait(state);
            continue;
        }
        let segments = state.sealed.clone();
        drop(state);
        let result = flush(shared);
        state = shared.lock();
        match result {
            Ok(()) => {
                state.failed = None;
                state.has_new_tables = true;
                let retired = segments.iter().take_while(|id| shared.files.retire(**id).is_ok()).count();
                // One that could not be retired comes again with the next.
                state.sealed.drain(..retired);
                if retired < segments.len() {
                    state = pause(shared, state);
                }
            }
            Err(error) => {
                state.failed = Some(error);
                state = pause(shared, state);
            }
        }
        shared.changed.notify_all();
    }
}

fn flush(shared: &Shared) -> Result<(), StoreError> {
    let lock = shared.tree.get_flush_lock();
    shared.tree.flush(&lock, shared.marks.oldest()).map(drop).map_err(StoreError::from)
}

fn merge_until_closed(shared: &Shared) {
    let strategy: Arc<dyn CompactionStrategy> = Arc::new(Leveled::default());
    let mut state = shared.lock();
    while !state.is_closed {
        if !state.has_new_tables {
            state = shared.wait(state);
            continue;
        }
        state.has_new_tables = false;
        state.is_merging = true;
        drop(state);
        let before = shared.tree.current_version().id();
        let result = shared.tree.compact(Arc::clone(&strategy), shared.marks.oldest());
        let has_merged = shared.tree.current_version().id() != before;
        state = shared.lock();
        state.is_merging = false;
        match result {
            // One merge may make another due.
            Ok(()) => state.has_new_tables |= has_merged,
            Err(error) => {
                state.failed = Some(error.into());
                state.has_new_tables = true;
                state = pause(shared, state);
            }
        }
        shared.changed.notify_all();
    }
}

fn pause<'s>(shared: &Shared, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
    shared.changed.notify_all();
    if state.is_closed {
        return state;
    }
    shared.changed.wait_timeout(state, PAUSE).unwrap_or_else(PoisonError::into_inner).0
}
