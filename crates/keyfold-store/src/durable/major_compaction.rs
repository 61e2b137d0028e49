//! The schedule of major compactions. A major compaction merges all tables, which frees the space of
//! tombstones and of the values that they remove.

use super::backoff::Backoff;
use super::free_space;
use super::lsm::Tree;
use super::shared::{LEVEL_ZERO_RUNS_MAX, PAUSE_MAX};
use std::time::{Duration, Instant};

/// Tombstones below which a major compaction is not worth it.
const TOMBSTONES_MIN: u64 = 1_000;
/// A major compaction is worth it with one tombstone among so many entries. The value that it
/// removes is an entry, too, so a quarter of the space is reclaimable.
const ENTRIES_PER_TOMBSTONE: u64 = 8;
/// Bytes of tables above which there is no major compaction: flushes are slower during it, and the
/// store cannot stop quickly. In a larger store tombstones and their values meet in the other
/// compactions.
const BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Bytes of tables above which there is no major compaction beside active writers, for each run that
/// level 0 may still grow by before writers wait: half a GiB when level 0 is empty.
const BYTES_PER_RUN: u64 = 22 * 1024 * 1024;
/// The longest pause between two failed attempts; the first is [`PAUSE_MAX`], the longest of other
/// compactions.
const FAILED_PAUSE_MAX: Duration = Duration::from_secs(60 * 60);
/// Beside active writers, the pause after a major compaction is so many times its duration.
const BUSY_PAUSE_FACTOR: u32 = 20;

/// The times and conditions of the next major compaction.
pub(super) struct MajorCompactions {
    /// The earliest next one beside active writers.
    next_when_busy: Instant,
    /// The earliest next one.
    next: Instant,
    backoff: Backoff,
    /// The newest version when the last one began. While an older read point is held, the space of
    /// later tombstones cannot be freed, and another one would write everything again for nothing.
    newest_version: u64,
}

impl MajorCompactions {
    pub(super) fn new() -> MajorCompactions {
        let now = Instant::now();
        MajorCompactions {
            next_when_busy: now,
            next: now,
            backoff: Backoff::new(PAUSE_MAX, FAILED_PAUSE_MAX),
            newest_version: 0,
        }
    }

    /// Whether one is due. `oldest`: the oldest read point. `is_idle`: whether no writer is active.
    pub(super) fn is_due(&self, tree: &Tree, oldest: u64, is_idle: bool) -> bool {
        let now = Instant::now();
        let may_compete = now >= self.next_when_busy;
        self.is_allowed(now, oldest)
            && is_worth_it(
                tree,
                bytes_max(is_idle, may_compete, tree.level_zero_runs()),
            )
    }

    fn is_allowed(&self, now: Instant, oldest: u64) -> bool {
        now >= self.next && oldest >= self.newest_version
    }

    /// Records the end of one. `newest_version`: the newest version when it began.
    pub(super) fn ended(&mut self, duration: Duration, newest_version: u64, has_succeeded: bool) {
        let now = Instant::now();
        self.next_when_busy = now + duration * BUSY_PAUSE_FACTOR;
        if has_succeeded {
            self.backoff.succeeded();
            self.newest_version = newest_version;
        } else {
            // A table that cannot be read must not delay other compactions, which writers may wait
            // for.
            self.next = now + self.backoff.failed();
        }
    }
}

/// Bytes of tables that a major compaction may write. `may_compete`: whether one may run beside
/// active writers. `runs`: the number of runs in level 0.
fn bytes_max(is_idle: bool, may_compete: bool, runs: usize) -> u64 {
    let free_runs = LEVEL_ZERO_RUNS_MAX.saturating_sub(runs) as u64;
    match (is_idle && runs <= LEVEL_ZERO_RUNS_MAX / 2, may_compete) {
        (true, _) => BYTES_MAX,
        (false, true) => BYTES_PER_RUN * free_runs,
        (false, false) => 0,
    }
}

/// Whether a major compaction would free enough space. It is not begun when it might fill the
/// device and writers would fail.
fn is_worth_it(tree: &Tree, bytes_max: u64) -> bool {
    let (tombstones, entries, bytes) = (tree.tombstones(), tree.entries(), tree.table_bytes());
    tombstones >= TOMBSTONES_MIN
        && tombstones * ENTRIES_PER_TOMBSTONE > entries
        && bytes <= bytes_max
        && free_space::is_enough(tree.folder(), bytes_after(tombstones, entries, bytes))
}

/// An estimate of the bytes of tables after a major compaction: without tombstones and the values
/// that they remove, and an eighth more, since sizes differ.
fn bytes_after(tombstones: u64, entries: u64, bytes: u64) -> u64 {
    let kept = entries.saturating_sub(tombstones.saturating_mul(2));
    bytes / entries.max(1) * kept + bytes / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_writers_fewer_bytes_are_compacted_the_sooner_they_would_wait() {
        const MEGABYTE: u64 = 1024 * 1024;
        let busy = |may_compete, runs| bytes_max(false, may_compete, runs) / MEGABYTE;
        assert_eq!(
            [0, 4, 23, 24, 30].map(|runs| busy(true, runs)),
            [528, 440, 22, 0, 0]
        );
        assert_eq!(busy(false, 0), 0, "the last one was a moment ago");
        assert_eq!(
            [(0, 8), (4, 8), (7, 8)]
                .map(|(tombstones, entries)| bytes_after(tombstones, entries, 80)),
            [90, 10, 10]
        );
        assert_eq!(
            [0, 12, 13].map(|runs| bytes_max(true, false, runs) / MEGABYTE),
            [1024, 1024, 0]
        );
    }

    #[test]
    fn the_pause_grows_with_each_failure() {
        let mut major = MajorCompactions::new();
        let mut pauses = Vec::new();
        for has_succeeded in [false, false, true, false] {
            major.next = Instant::now();
            major.ended(Duration::ZERO, 0, has_succeeded);
            let pause = major.next.saturating_duration_since(Instant::now());
            pauses.push(pause.as_secs_f64().round() as u64);
        }
        assert_eq!(pauses, [60, 120, 0, 60]);
        (0..20).for_each(|_| major.ended(Duration::ZERO, 0, false));
        assert_eq!(major.backoff.failed(), FAILED_PAUSE_MAX);
    }

    #[test]
    fn tables_are_not_compacted_again_while_an_older_snapshot_is_live() {
        let mut major = MajorCompactions::new();
        let is_allowed =
            |major: &MajorCompactions, oldest| major.is_allowed(Instant::now(), oldest);
        assert!(is_allowed(&major, 5), "for tombstones that came before");
        major.ended(Duration::ZERO, 10, true);
        assert!(!is_allowed(&major, 5), "version 5 is still read");
        assert!(is_allowed(&major, 10));
    }
}
