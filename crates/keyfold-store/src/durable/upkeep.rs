//! Flushes and compactions: sealed memtables become table files, and table files are merged.
//!
//! Two threads, since writing a memtable must not wait for a long merge. Writers wait only when
//! both are far behind.

use super::Writing;
use super::manifest;
use super::read_points::ReadPoints;
use super::rewriting::Rewriting;
use crate::checkpoint::Checkpoints;
use crate::error::{StoreError, guarded};
use crate::log::LogFiles;
use lsm_tree::compaction::Leveled;
use lsm_tree::{AbstractTree, AnyTree};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Sealed memtables above which writers wait: what a reopening after a crash has to replay at the
/// most.
const SEALED_MAX: usize = 4;
/// Unmerged tables above which writers wait: a read may have to look into each.
pub(super) const UNMERGED_MAX: usize = 24;
/// Pause before a failed flush or compaction is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// The longest time between two attempts.
pub(super) const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Idle time after which no writer is considered active.
const QUIET: Duration = Duration::from_secs(1);
/// Idle time, for each megabyte, before a compaction that only helps readers: four times as long as
/// it may take, so that it takes little from those who write at a steady pace.
const REST_A_MEGABYTE: Duration = Duration::from_millis(40);
/// New tables are merged with what they overlap in the first level, which has less than a hundred
/// megabytes.
const REST_MAX: Duration = Duration::from_secs(3);
/// Bytes of a memtable that is worth a table of its own when nobody writes.
const SEALED_WHEN_QUIET: u64 = 256 * 1024;

#[derive(Default)]
struct State {
    /// Segments of the log whose changes are in sealed memtables or on the disk.
    sealed: Vec<u64>,
    last_sealed: Option<Instant>,
    has_new_tables: bool,
    is_flushing: bool,
    is_merging: bool,
    /// Why memtables are not written, until they are.
    flush_failed: Option<StoreError>,
    /// Why tables are not merged, until they are.
    merge_failed: Option<StoreError>,
    /// The manifest on the disk may be newer than the one in memory.
    is_unsettled: bool,
    /// Why it was not put back, until it is.
    put_back_failed: Option<StoreError>,
    /// From which number on tables of failed attempts may be left over.
    leftover: Option<u64>,
    /// Why nothing is done any more until the store is opened again.
    ended: Option<StoreError>,
    is_closed: bool,
}

impl State {
    fn has_ended(&self) -> bool {
        self.is_closed || self.ended.is_some()
    }

    /// Time since a memtable was sealed.
    fn rested(&self) -> Duration {
        self.last_sealed
            .map_or(Duration::MAX, |last| last.elapsed())
    }
}

struct Shared {
    tree: AnyTree,
    read_points: Arc<ReadPoints>,
    files: Arc<dyn LogFiles>,
    checkpoints: Arc<Checkpoints>,
    /// The folder of the storage engine's table files.
    tables: PathBuf,
    /// Size at which a table file ends and the next begins.
    table_bytes: u64,
    /// Locked before `state`, and never waited for here.
    writing: Arc<Mutex<Writing>>,
    state: Mutex<State>,
    /// Something changed: work came, or work was done.
    changed: Condvar,
    /// A test's hook at the end of a quiet compaction, before it is published; it receives how long
    /// no memtable was sealed when the merge began.
    #[cfg(test)]
    meanwhile: Mutex<Option<Meanwhile>>,
}

#[cfg(test)]
type Meanwhile = Box<dyn FnOnce(Duration) + Send>;

impl Shared {
    /// The memtable is full, and these segments hold its changes.
    fn seal(&self, segments: impl IntoIterator<Item = u64>) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        self.tree.rotate_memtable();
        state.sealed.extend(segments);
        state.last_sealed = Some(Instant::now());
        self.changed.notify_all();
        state
    }

    /// When nobody has written for some time, what is in memory only is written to a table, so that
    /// it can be merged: removals among it make room on the disk.
    fn seal_when_quiet(&self) {
        // Writers may wait for this thread.
        let Ok(mut writing) = self.writing.try_lock() else {
            return;
        };
        if writing.last_written.elapsed() < QUIET {
            return;
        }
        if self.tree.version_free_list_len() > 0 {
            // A version of the tables is let go when readers see past the next one, which without
            // writes they never would.
            self.read_points.publish(writing.sequence.get());
            let folder = &self.tree.tree_config().path;
            // Files that cannot be removed now are removed with the next version.
            drop(
                self.tree
                    .get_version_history_lock()
                    .maintenance(folder, self.read_points.oldest()),
            );
        }
        if writing.memtable_bytes < SEALED_WHEN_QUIET {
            return;
        }
        match writing.begin_segment() {
            Ok(segments) => drop(self.seal(segments)),
            // The next write meets the same, and tells.
            Err(error) => self.lock().flush_failed = Some(error),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The threads; they end when this is dropped.
pub(super) struct Upkeep {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Upkeep {
    /// The state that the threads share; [`Upkeep::start`] starts them.
    pub(super) fn new(
        tree: AnyTree,
        read_points: Arc<ReadPoints>,
        (files, checkpoints): (Arc<dyn LogFiles>, Arc<Checkpoints>),
        tables: PathBuf,
        table_bytes: u64,
        writing: Arc<Mutex<Writing>>,
    ) -> Upkeep {
        let state = State {
            has_new_tables: true,
            ..State::default()
        };
        let changed = Condvar::new();
        let state = Mutex::new(state);
        let shared = Arc::new(Shared {
            tree,
            read_points,
            files,
            checkpoints,
            tables,
            table_bytes,
            writing,
            state,
            changed,
            #[cfg(test)]
            meanwhile: Mutex::default(),
        });
        Upkeep {
            shared,
            threads: Vec::new(),
        }
    }

    /// Starts the threads.
    pub(super) fn start(&mut self) -> Result<(), StoreError> {
        self.spawn("keyfold-flush", flush_until_closed)?;
        self.spawn("keyfold-merge", merge_until_closed)
    }

    fn spawn(&mut self, name: &str, work: fn(&Shared)) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let done = || {
                    work(&shared);
                    Ok(())
                };
                if let Err(error) = guarded(done) {
                    // Nobody does this work any more; who waits for it is told.
                    shared.lock().ended = Some(error);
                    shared.changed.notify_all();
                }
            })?;
        self.threads.push(thread);
        Ok(())
    }

    /// Tells that the memtable is full and that these segments of the log hold its changes. Waits
    /// when too much is waiting already.
    ///
    /// # Errors
    /// When too much is waiting because it cannot be written.
    pub(super) fn sealed(&self, segments: impl IntoIterator<Item = u64>) -> Result<(), StoreError> {
        let mut state = self.shared.seal(segments);
        let tree = &self.shared.tree;
        loop {
            let waits_for = if tree.sealed_memtable_count() > SEALED_MAX {
                &state.flush_failed
            } else if tree.l0_run_count() > UNMERGED_MAX {
                &state.merge_failed
            } else {
                return Ok(());
            };
            if let Some(error) = [waits_for, &state.put_back_failed, &state.ended]
                .into_iter()
                .flatten()
                .next()
            {
                return Err(error.clone());
            }
            state = self.shared.wait(state);
            // A waiting writer is still active: restart the idle timer.
            state.last_sealed = Some(Instant::now());
        }
    }

    /// Whether something was tried and did not succeed yet.
    #[cfg(test)]
    pub(super) fn has_failed(&self) -> bool {
        let state = self.shared.lock();
        state.flush_failed.is_some() || state.merge_failed.is_some() || state.ended.is_some()
    }

    /// Does something in the next quiet merge.
    #[cfg(test)]
    pub(super) fn meanwhile(&self, act: impl FnOnce(Duration) + Send + 'static) {
        *self.shared.meanwhile.lock().unwrap() = Some(Box::new(act));
    }

    /// As if a memtable had been sealed: nobody rests.
    #[cfg(test)]
    pub(super) fn sealed_just_now(&self) {
        self.shared.lock().last_sealed = Some(Instant::now());
    }

    /// The number of flushes and compactions that are not done yet.
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
    let mut pause = PAUSE;
    let mut state = shared.lock();
    while !state.has_ended() {
        if state.sealed.is_empty() {
            state = shared.wait(state);
            continue;
        }
        if !shared.may_try(&mut state) {
            state = shared.pause(state, &mut pause);
            continue;
        }
        let segments = state.sealed.clone();
        state.is_flushing = true;
        drop(state);
        let first_table = shared.tree.next_table_id();
        let result = guarded(|| {
            let lock = shared.tree.get_flush_lock();
            Ok(shared
                .tree
                .flush(&lock, shared.read_points.oldest())
                .map(drop)?)
        });
        state = shared.lock();
        state.is_flushing = false;
        let outcome = result.and_then(|()| {
            state.has_new_tables = true;
            // Before the first is gone: what the checkpoint names must be there.
            let manifest = shared.tree.current_version().id();
            shared.checkpoints.update(|checkpoint| {
                checkpoint.manifest = checkpoint.manifest.max(manifest);
                let needed = segments.last().map_or(0, |last| last + 1);
                checkpoint.oldest_segment = checkpoint.oldest_segment.max(needed);
            })?;
            for id in segments {
                shared.files.retire(id)?;
                // Oldest first, and what is retired is not retired again.
                state.sealed.retain(|sealed| *sealed != id);
            }
            Ok(())
        });
        state.flush_failed = outcome.err();
        shared.changed.notify_all();
        if state.flush_failed.is_none() {
            pause = PAUSE;
        } else {
            shared.clean_up(&mut state, first_table);
            state = shared.pause(state, &mut pause);
        }
    }
}

/// Idle time required before table files of so many bytes are compacted for the readers' sake.
fn rest(bytes: u64) -> Duration {
    let megabytes = u32::try_from(bytes / (1024 * 1024)).unwrap_or(u32::MAX);
    REST_A_MEGABYTE
        .saturating_mul(megabytes.saturating_add(1))
        .min(REST_MAX)
}

fn merge_until_closed(shared: &Shared) {
    let mut pause = PAUSE;
    // The version of the tables that no quiet merge made better.
    let mut best = None;
    let mut rewriting = Rewriting::new();
    let mut state = shared.lock();
    while !state.has_ended() {
        if !shared.may_try(&mut state) {
            state = shared.pause(state, &mut pause);
            continue;
        }
        shared.remove_leftovers(&mut state);
        let left = rest(shared.tree.disk_space()).saturating_sub(state.rested());
        let is_best = best == Some(shared.tree.current_version().id());
        let rests = left.is_zero() && !state.has_new_tables;
        let due = if !is_best && rewriting.is_due(&shared.tree, shared.read_points.oldest(), rests)
        {
            Some(Merge::All)
        } else {
            Merge::due(
                &shared.tree,
                state.has_new_tables,
                left.is_zero() && !is_best,
            )
        };
        let Some(work) = due else {
            let time = if is_best || left.is_zero() {
                QUIET
            } else {
                left.min(QUIET)
            };
            drop(
                shared
                    .changed
                    .wait_timeout(state, time)
                    .unwrap_or_else(PoisonError::into_inner),
            );
            shared.seal_when_quiet();
            state = shared.lock();
            continue;
        };
        state.has_new_tables = false;
        state.is_merging = true;
        #[cfg(test)]
        let rested = state.rested();
        drop(state);
        let first_table = shared.tree.next_table_id();
        let before = shared.tree.current_version().id();
        let (began, version) = (Instant::now(), *shared.read_points.newest());
        let result = guarded(|| work.carry_out(shared, shared.read_points.oldest()));
        if matches!(work, Merge::All) {
            rewriting.ended(began.elapsed(), version, result.is_ok());
        }
        #[cfg(test)]
        if let Some(act) = shared
            .meanwhile
            .lock()
            .unwrap()
            .take_if(|_| matches!(work, Merge::New))
        {
            act(rested);
        }
        let after = shared.tree.current_version().id();
        state = shared.lock();
        state.is_merging = false;
        state.merge_failed = result.err();
        shared.changed.notify_all();
        if state.merge_failed.is_some() {
            state.has_new_tables = true;
            shared.clean_up(&mut state, first_table);
            state = shared.pause(state, &mut pause);
            continue;
        }
        pause = PAUSE;
        match work {
            // One merge may make another due, and new tables another quiet one.
            Merge::Behind => {
                state.has_new_tables |= after != before;
                best = None;
            }
            // The strategy may have done something else, or a table came meanwhile.
            Merge::New if after != before && shared.tree.l0_run_count() > 0 => {}
            // Remaining files are held by a reader. A table file that came meanwhile makes
            // `Merge::Behind` due.
            Merge::New | Merge::All => best = Some(after),
        }
    }
}

impl Shared {
    /// After a failed attempt.
    fn clean_up(&self, state: &mut State, first_table: u64) {
        state.is_unsettled = true;
        state.leftover = Some(
            state
                .leftover
                .map_or(first_table, |first| first.min(first_table)),
        );
        if self.may_try(state) {
            self.remove_leftovers(state);
        }
    }

    /// Whether the manifest on the disk is the one in memory; if an attempt failed, it is put back
    /// first: another attempt would write over it.
    fn may_try(&self, state: &mut State) -> bool {
        if state.is_unsettled {
            let done = manifest::settle(&self.tree);
            state.is_unsettled = done.is_err();
            state.put_back_failed = done.err().map(StoreError::from);
            self.changed.notify_all();
        }
        !state.is_unsettled
    }

    /// Removes the tables that failed attempts began, which the storage engine leaves until it is
    /// opened again. Numbers that are no table belong to them, unless a thread is making tables:
    /// then they stay for a later time.
    fn remove_leftovers(&self, state: &mut State) {
        if state.is_flushing || state.is_merging || state.is_unsettled {
            return;
        }
        let Some(first) = state.leftover.take() else {
            return;
        };
        let version = self.tree.current_version();
        let live: HashSet<u64> = version.iter_tables().map(lsm_tree::Table::id).collect();
        for id in (first..self.tree.next_table_id()).filter(|id| !live.contains(id)) {
            // One that was never made, or is held by a reader of an older version and goes with it,
            // is no fault.
            drop(std::fs::remove_file(self.tables.join(id.to_string())));
        }
    }

    /// Waits longer each time: what failed will fail again for some time.
    fn pause<'s>(
        &self,
        state: MutexGuard<'s, State>,
        pause: &mut Duration,
    ) -> MutexGuard<'s, State> {
        let until = Instant::now() + *pause;
        *pause = (*pause * 2).min(PAUSE_MAX);
        let mut state = state;
        while !state.has_ended() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state
    }
}

/// The next compaction.
#[derive(Clone, Copy)]
enum Merge {
    /// The choice of the strategy, which keeps up with the writes.
    Behind,
    /// New tables are merged into the sorted ones, so that a read looks into one place less for
    /// each.
    New,
    /// All tables are written anew.
    All,
}

impl Merge {
    fn due(tree: &AnyTree, has_new_tables: bool, may_help_readers: bool) -> Option<Merge> {
        if has_new_tables {
            return Some(Merge::Behind);
        }
        let new_tables = tree.l0_run_count();
        // When the strategy has something better to do, writers would wait for ever.
        let is_behind = new_tables > UNMERGED_MAX / 2;
        (is_behind || may_help_readers && new_tables > 0).then_some(Merge::New)
    }

    fn carry_out(self, shared: &Shared, oldest: u64) -> Result<(), StoreError> {
        let strategy = Leveled::default().with_table_target_size(shared.table_bytes);
        match self {
            Merge::Behind => shared.tree.compact(Arc::new(strategy), oldest)?,
            Merge::New => shared
                .tree
                .compact(Arc::new(strategy.with_l0_threshold(1)), oldest)?,
            Merge::All => shared.tree.major_compact(shared.table_bytes, oldest)?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quiet_merge_waits_the_longer_the_more_it_may_have_to_write() {
        const MEGABYTE: u64 = 1024 * 1024;
        let millis = Duration::from_millis;
        assert_eq!(
            [0, 1, 50].map(|size| rest(size * MEGABYTE)),
            [40, 80, 2040].map(millis)
        );
        assert_eq!([100 * MEGABYTE, u64::MAX].map(rest), [REST_MAX; 2]);
    }
}
