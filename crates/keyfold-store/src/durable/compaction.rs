//! The compaction thread: it keeps level 0 short while writers are active, and merges further while
//! they are idle.

use super::backoff::Backoff;
use super::lsm::Compaction;
use super::major_compaction::MajorCompactions;
use super::shared::{LEVEL_ZERO_RUNS_MAX, Shared, State, backoff};
use crate::error::guarded;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

/// Idle time after which no writer is considered active.
const IDLE: Duration = Duration::from_secs(1);
/// Idle time, for each megabyte of tables, before a compaction that only helps readers: four times
/// as long as it may take, so that it takes little from writers at a steady pace.
const IDLE_PER_MEGABYTE: Duration = Duration::from_millis(40);
/// The longest idle time before a compaction that only helps readers. It merges level 0 with what
/// it overlaps in the first sorted level, which has less than a hundred megabytes.
const IDLE_MAX: Duration = Duration::from_secs(3);
/// Bytes of a memtable that is worth a table of its own when writers are idle.
const IDLE_MEMTABLE_BYTES_MIN: u64 = 256 * 1024;

/// Compacts until the store is closed.
pub(super) fn run(shared: &Shared) {
    let mut compactor = Compactor {
        shared,
        backoff: backoff(),
        failed: None,
        merged: None,
        major: MajorCompactions::new(),
    };
    let mut state = shared.lock();
    while !state.has_ended() {
        if !shared.restore_manifest(&mut state) {
            state = shared.pause(state, compactor.backoff.failed());
            continue;
        }
        shared.remove_leftovers(&mut state);
        let seen = Seen::of(&state);
        // A look at the tree waits for the end of a flush, and with views files are removed: a writer that
        // seals its memtable must not wait for either.
        drop(state);
        shared.tree.release_views();
        let due = compactor.due(&seen);
        state = shared.lock();
        if !seen.is_still_so(&state) {
            continue;
        }
        state = match due {
            Due::Now(compaction) => compactor.compact(state, compaction),
            Due::Later(time) => {
                drop(shared.wait_for(state, time));
                shared.seal_when_idle();
                shared.lock()
            }
        };
    }
}

/// What the choice of a compaction depends on beside the tree.
struct Seen {
    idle_time: Duration,
    has_new_tables: bool,
}

impl Seen {
    fn of(state: &State) -> Seen {
        Seen {
            idle_time: state.idle_time(),
            has_new_tables: state.has_new_tables,
        }
    }

    /// Whether neither a flush has ended nor a writer sealed a memtable since, and the store is open.
    fn is_still_so(&self, state: &State) -> bool {
        !state.has_ended()
            && state.has_new_tables == self.has_new_tables
            && state.idle_time() >= self.idle_time
    }
}

/// The next compaction, or the time until one may be due.
enum Due {
    Now(Compaction),
    /// None is due within this time.
    Later(Duration),
}

/// The state of the compaction thread alone.
struct Compactor<'s> {
    shared: &'s Shared,
    backoff: Backoff,
    /// The last compaction that failed, until the failure is overcome.
    failed: Option<Compaction>,
    /// The manifest after which an idle compaction had nothing left to merge.
    merged: Option<u64>,
    major: MajorCompactions,
}

impl<'s> Compactor<'s> {
    fn due(&self, seen: &Seen) -> Due {
        let tree = &self.shared.tree;
        let left = idle_time_required(tree.table_bytes()).saturating_sub(seen.idle_time);
        let is_merged = self.merged == Some(tree.manifest());
        let is_idle = left.is_zero() && !seen.has_new_tables;
        let oldest = || self.shared.read_points.oldest();
        if !is_merged && self.major.is_due(tree, oldest(), is_idle) {
            return Due::Now(Compaction::Major);
        }
        if seen.has_new_tables {
            return Due::Now(Compaction::Leveled);
        }
        let runs = tree.level_zero_runs();
        // The strategy may keep choosing other levels, and writers would wait for ever.
        let is_behind = runs > LEVEL_ZERO_RUNS_MAX / 2;
        let helps_readers = left.is_zero() && !is_merged && runs > 0;
        if is_behind || helps_readers {
            return Due::Now(Compaction::LevelZero);
        }
        Due::Later(if is_merged || left.is_zero() {
            IDLE
        } else {
            left.min(IDLE)
        })
    }

    /// Runs a compaction and records its end.
    fn compact(
        &mut self,
        mut state: MutexGuard<'s, State>,
        compaction: Compaction,
    ) -> MutexGuard<'s, State> {
        let shared = self.shared;
        let (tree, read_points) = (&shared.tree, &shared.read_points);
        let had_new_tables = std::mem::take(&mut state.has_new_tables);
        state.is_compacting = true;
        #[cfg(test)]
        let idle_time = state.idle_time();
        drop(state);
        let (first_table, before) = (tree.next_table_id(), tree.manifest());
        let (began, newest) = (Instant::now(), *read_points.newest());
        let compacted =
            guarded(|| tree.compact(compaction, shared.table_bytes, read_points.oldest()));
        if compaction == Compaction::Major {
            self.major.ended(began.elapsed(), newest, compacted.is_ok());
        }
        #[cfg(test)]
        shared.call_idle_compaction_hook(compaction, idle_time);
        let after = tree.manifest();
        let mut state = shared.lock();
        state.is_compacting = false;
        state.compactions.add(began.elapsed());
        if let Err(error) = compacted {
            self.failed = Some(compaction);
            state.compaction_failures.failed(error);
            shared.changed.notify_all();
            // The same compaction is due again, not another one that has nothing to do.
            state.has_new_tables |= had_new_tables;
            shared.clean_up(&mut state, first_table);
            let pause = self.backoff.failed();
            #[cfg(test)]
            state.compaction_pauses.push(pause);
            return shared.pause(state, pause);
        }
        if self.is_overcome(compaction, after != before) {
            self.failed = None;
            state.compaction_failures.succeeded();
            self.backoff.succeeded();
        }
        shared.changed.notify_all();
        match compaction {
            // One compaction may make another due, and new tables an idle one.
            Compaction::Leveled => {
                state.has_new_tables |= after != before;
                self.merged = None;
            }
            // The strategy may have merged other levels, or a flush added a run meanwhile.
            Compaction::LevelZero if after != before && tree.level_zero_runs() > 0 => {}
            // A flush from now on sets `has_new_tables`, which makes `Compaction::Leveled` due.
            Compaction::LevelZero | Compaction::Major => self.merged = Some(after),
        }
        state
    }

    /// Whether a success overcomes the last failure. One of another compaction that had nothing to
    /// do proves nothing: the block that could not be read is still there.
    fn is_overcome(&self, compaction: Compaction, has_changed: bool) -> bool {
        let is_another = self.failed.is_some_and(|failed| failed != compaction);
        !is_another || has_changed || self.shared.tree.level_zero_runs() == 0
    }
}

impl Shared {
    /// Seals the memtable when no writer has been active for some time, so that it can be merged:
    /// tombstones in it free space on the disk. Also releases older manifests.
    fn seal_when_idle(&self) {
        // Try only: a writer that holds the lock may wait for this thread.
        let Ok(mut writer) = self.writer.try_lock() else {
            return;
        };
        if writer.last_write.elapsed() < IDLE {
            return;
        }
        if self.tree.old_manifests() > 0 {
            // A manifest is released when all readers see past the next one. Without writes the
            // read points would never get there.
            self.read_points.publish(self.tree.sequence());
            self.tree.release_old_manifests(self.read_points.oldest());
        }
        // A log that has failed begins a segment when writes are taken again.
        if writer.memtable_bytes < IDLE_MEMTABLE_BYTES_MIN || !writer.log.is_sound() {
            return;
        }
        match writer.begin_segment() {
            Ok(segments) => drop(self.seal(segments)),
            // The next write meets the same error and reports it.
            Err(error) => self.lock().flush_failures.failed(error),
        }
    }

    #[cfg(test)]
    fn call_idle_compaction_hook(&self, compaction: Compaction, idle_time: Duration) {
        let is_idle = |_: &mut _| compaction == Compaction::LevelZero;
        let hook = self.after_idle_compaction.lock().unwrap().take_if(is_idle);
        if let Some(hook) = hook {
            hook(idle_time);
        }
    }
}

/// The idle time required before table files of so many bytes are compacted for the readers' sake.
fn idle_time_required(bytes: u64) -> Duration {
    let megabytes = u32::try_from(bytes / (1024 * 1024)).unwrap_or(u32::MAX);
    IDLE_PER_MEGABYTE
        .saturating_mul(megabytes.saturating_add(1))
        .min(IDLE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_compaction_waits_the_longer_the_more_it_may_have_to_write() {
        const MEGABYTE: u64 = 1024 * 1024;
        let millis = Duration::from_millis;
        assert_eq!(
            [0, 1, 50].map(|size| idle_time_required(size * MEGABYTE)),
            [40, 80, 2040].map(millis)
        );
        assert_eq!(
            [100 * MEGABYTE, u64::MAX].map(idle_time_required),
            [IDLE_MAX; 2]
        );
    }
}
