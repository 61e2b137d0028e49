//! What the storage engine needs done beside writes: full memory tables become tables on the disk, and tables are merged.
//!
//! Two threads, since writing a memory table must not wait for a long merge. Writers wait only when both are far behind.

use super::marks::Marks;
use crate::error::StoreError;
use crate::log::LogFiles;
use lsm_tree::compaction::Leveled;
use lsm_tree::{AbstractTree, AnyTree};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Full memory tables above which writers wait: what a reopening after a crash has to replay at the most.
const SEALED_MAX: usize = 4;
/// Unmerged tables above which writers wait: a read may have to look into each.
const UNMERGED_MAX: usize = 24;
/// How long after a failure the same is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// Removals in tables below which it is not worth writing them anew.
const REMOVALS_MIN: u64 = 1_000;
/// The same while others write.
const REMOVALS_UNDER_LOAD: u64 = 10_000;
/// Tables of this size together are written anew in a second or two, which writers need not notice.
const REWRITTEN_UNDER_LOAD: u64 = 128 * 1024 * 1024;
/// How long nothing was written when nobody is said to write.
const QUIET: Duration = Duration::from_secs(5);
/// Bytes of a table that is written anew.
const TABLE_BYTES: u64 = 64 * 1024 * 1024;

#[derive(Default)]
struct State {
    /// Segments of the log whose changes are in full memory tables or on the disk.
    sealed: Vec<u64>,
    last_sealed: Option<Instant>,
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
        state.last_sealed = Some(Instant::now());
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
        let has_new = self.shared.tree.l0_run_count() > 0;
        let merges = u64::from(has_new || state.has_new_tables || state.is_merging);
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
    // The version of the tables that no quiet merge made better.
    let mut best = None;
    let mut state = shared.lock();
    while !state.is_closed {
        let is_quiet = state.last_sealed.is_none_or(|last| last.elapsed() >= QUIET);
        let is_best = best == Some(shared.tree.current_version().id());
        let due = Merge::due(&shared.tree, state.has_new_tables, is_quiet);
        let Some(work) = due.filter(|work| matches!(work, Merge::Behind) || !is_best) else {
            state = shared.changed.wait_timeout(state, QUIET).unwrap_or_else(PoisonError::into_inner).0;
            continue;
        };
        state.has_new_tables = false;
        state.is_merging = true;
        drop(state);
        let before = shared.tree.current_version().id();
        let result = work.carry_out(&shared.tree, shared.marks.oldest());
        let after = shared.tree.current_version().id();
        state = shared.lock();
        state.is_merging = false;
        match result {
            Ok(()) if after == before => best = Some(after),
            // One merge may make another due.
            Ok(()) => state.has_new_tables = true,
            Err(error) => {
                state.failed = Some(error);
                state.has_new_tables = true;
                state = pause(shared, state);
            }
        }
        shared.changed.notify_all();
    }
}

/// What the merging thread does next.
enum Merge {
    /// What the strategy chooses, which keeps up with the writes.
    Behind,
    /// New tables are merged into the sorted ones, so that a read looks into one place less for each.
    New,
    /// All tables are written anew.
    All,
}

impl Merge {
    fn due(tree: &AnyTree, has_new_tables: bool, is_quiet: bool) -> Option<Merge> {
        if has_new_tables {
            Some(Merge::Behind)
        } else if is_full_of_removals(tree, is_quiet) {
            Some(Merge::All)
        } else {
            (is_quiet && tree.l0_run_count() > 0).then_some(Merge::New)
        }
    }

    fn carry_out(self, tree: &AnyTree, oldest: u64) -> Result<(), StoreError> {
        match self {
            Merge::Behind => tree.compact(Arc::new(Leveled::default()), oldest)?,
            Merge::New => tree.compact(Arc::new(Leveled::default().with_l0_threshold(1)), oldest)?,
            Merge::All => tree.major_compact(TABLE_BYTES, oldest)?,
        }
        Ok(())
    }
}

/// Whether so much was removed that the tables are worth writing anew: removals are entries too, and what they remove stays on
/// the disk until both meet in a merge. A large store is written anew only when nobody writes to it.
fn is_full_of_removals(tree: &AnyTree, is_quiet: bool) -> bool {
    let removals = tree.tombstone_count();
    let is_time = is_quiet || (removals >= REMOVALS_UNDER_LOAD && tree.disk_space() <= REWRITTEN_UNDER_LOAD);
    is_time && removals >= REMOVALS_MIN && removals * 4 > tree.approximate_len() as u64
}

fn pause<'s>(shared: &Shared, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
    shared.changed.notify_all();
    if state.is_closed {
        return state;
    }
    shared.changed.wait_timeout(state, PAUSE).unwrap_or_else(PoisonError::into_inner).0
}
