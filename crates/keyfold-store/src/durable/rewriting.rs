//! When all tables are written anew, for the space of what was removed. How they are is the merging
//! thread's.

use super::device;
use super::upkeep::{PAUSE_MAX, UNMERGED_MAX};
use lsm_tree::{AbstractTree, AnyTree};
use std::time::{Duration, Instant};

/// Removals in tables below which it is not worth writing them anew.
const REMOVALS_MIN: u64 = 1_000;
/// One removal among so many entries is worth it: what it removes is an entry, too, so a quarter of
/// the space is of no use.
const REMOVALS_SHARE: u64 = 8;
/// Bytes of tables above which they are not written anew at once: nothing is flushed or stopped as
/// quickly meanwhile. In a larger store removals and what they remove meet in the merges that go on
/// anyway.
const BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// The same beside writers who do not rest, for each new table that may come before they have to
/// wait: half a GiB when there are none.
const BYTES_A_TABLE: u64 = 22 * 1024 * 1024;
/// The longest time between two attempts of which the first failed; it begins with [`PAUSE_MAX`],
/// the longest of other merges.
const FAILED_PAUSE_MAX: Duration = Duration::from_secs(60 * 60);
/// Beside writers who never rest, all tables are written anew in one part of so many of the time.
const TIME_SHARE: u32 = 20;

/// When it may be done again.
pub(super) struct Rewriting {
    /// Beside writers who do not rest.
    when_busy: Instant,
    /// At all.
    at_all: Instant,
    /// Pause after a failure.
    pause: Duration,
    /// The newest version when it was done last: as long as somebody reads an older one, what was
    /// removed since stays, and all the rest would be written again for nothing, beside the tables
    /// that are read.
    version: u64,
}

impl Rewriting {
    pub(super) fn new() -> Rewriting {
        let now = Instant::now();
        Rewriting {
            when_busy: now,
            at_all: now,
            pause: PAUSE_MAX,
            version: 0,
        }
    }

    /// Whether it is time and worth it. `oldest`: the oldest version that is read.
    pub(super) fn is_due(&self, tree: &AnyTree, oldest: u64, rests: bool) -> bool {
        let now = Instant::now();
        self.may_be_done(now, oldest)
            && is_worth_it(
                tree,
                bytes_max(rests, now >= self.when_busy, tree.l0_run_count()),
            )
    }

    fn may_be_done(&self, now: Instant, oldest: u64) -> bool {
        now >= self.at_all && oldest >= self.version
    }

    /// It was done, or failed. `version`: the newest when it began.
    pub(super) fn ended(&mut self, took: Duration, version: u64, is_done: bool) {
        let now = Instant::now();
        self.when_busy = now + took * TIME_SHARE;
        if is_done {
            (self.pause, self.version) = (PAUSE_MAX, version);
        } else {
            // Other merges, which writers may wait for, are not kept waiting by a table that cannot
            // be read.
            self.at_all = now + self.pause;
            self.pause = (self.pause * 2).min(FAILED_PAUSE_MAX);
        }
    }
}

/// Bytes of tables that may be written anew at once: as many as when nobody writes, as many as new
/// tables leave time for, or none.
fn bytes_max(rests: bool, is_time: bool, new_tables: usize) -> u64 {
    let may_come = UNMERGED_MAX.saturating_sub(new_tables) as u64;
    match (rests && new_tables <= UNMERGED_MAX / 2, is_time) {
        (true, _) => BYTES_MAX,
        (false, true) => BYTES_A_TABLE * may_come,
        (false, false) => 0,
    }
}

/// Whether so much was removed that the tables are worth writing anew: removals are entries too,
/// and what they remove stays on the disk until both meet in a merge. A device that is nearly full
/// is not filled up for it: who writes would find no room.
fn is_worth_it(tree: &AnyTree, bytes_max: u64) -> bool {
    let (removals, entries, bytes) = (
        tree.tombstone_count(),
        tree.approximate_len() as u64,
        tree.disk_space(),
    );
    removals >= REMOVALS_MIN
        && removals * REMOVALS_SHARE > entries
        && bytes <= bytes_max
        && device::has_room_for(
            &tree.tree_config().path,
            bytes_left(removals, entries, bytes),
        )
}

/// Bytes of tables that are written anew, as a rule: a removal and what it removes are gone. Some
/// more, since sizes differ.
fn bytes_left(removals: u64, entries: u64, bytes: u64) -> u64 {
    let kept = entries.saturating_sub(removals.saturating_mul(2));
    bytes / entries.max(1) * kept + bytes / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_writers_the_less_is_written_anew_the_sooner_they_would_wait_for_it() {
        const MEGABYTE: u64 = 1024 * 1024;
        let busy = |is_time, new_tables| bytes_max(false, is_time, new_tables) / MEGABYTE;
        assert_eq!(
            [0, 4, 23, 24, 30].map(|new_tables| busy(true, new_tables)),
            [528, 440, 22, 0, 0]
        );
        assert_eq!(busy(false, 0), 0, "it was done a moment ago");
        assert_eq!(
            [(0, 8), (4, 8), (7, 8)].map(|(removals, entries)| bytes_left(removals, entries, 80)),
            [90, 10, 10]
        );
        assert_eq!(
            [0, 12, 13].map(|new| bytes_max(true, false, new) / MEGABYTE),
            [1024, 1024, 0]
        );
    }

    #[test]
    fn what_fails_again_and_again_is_tried_ever_less_often() {
        let mut rewriting = Rewriting::new();
        let mut pauses = Vec::new();
        for is_done in [false, false, true, false] {
            pauses.push(rewriting.pause.as_secs());
            rewriting.ended(Duration::ZERO, 0, is_done);
        }
        assert_eq!(pauses, [60, 120, 240, 60]);
        (0..20).for_each(|_| rewriting.ended(Duration::ZERO, 0, false));
        assert_eq!(rewriting.pause, FAILED_PAUSE_MAX);
    }

    #[test]
    fn what_somebody_still_reads_is_not_written_anew_again() {
        let mut rewriting = Rewriting::new();
        assert!(
            rewriting.may_be_done(Instant::now(), 5),
            "for what was removed before"
        );
        rewriting.ended(Duration::ZERO, 10, true);
        assert!(!rewriting.may_be_done(Instant::now(), 5), "5 is still read");
        assert!(rewriting.may_be_done(Instant::now(), 10));
    }
}
