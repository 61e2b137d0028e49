//! How far a run is, for those who watch it; and their wish that it ends.

use crate::meter::Units;
use crate::rows::Counts;
use crate::world::Place;
use keyfold_client::ClientError;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The counters of a run, which its tasks write and its watchers read.
#[derive(Debug, Default)]
pub struct Progress {
    is_stopping: AtomicBool,
    is_near: AtomicBool,
    /// One more than the milliseconds; 0 is none.
    even_to_ms: AtomicU64,
    past_ms: AtomicU64,
    goal_ms: AtomicU64,
    items: AtomicU64,
    kept: AtomicU64,
    bytes: AtomicU64,
    /// The read and the write halves of the source, and those of the target.
    halves: [[AtomicU64; 2]; 2],
    /// What earlier runs have copied.
    earlier: Mutex<Counts>,
    segments_done: AtomicU32,
    segments: AtomicU32,
    records: AtomicU64,
    changes: AtomicU64,
    read_ms: AtomicU64,
    compared: [AtomicU64; 2],
    troubles: AtomicU64,
    throttles: AtomicU64,
    trouble: Mutex<Option<String>>,
}

/// The counters at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// The items that this run has copied.
    pub items: u64,
    /// The scanned items that were not copied, since a change of them came first.
    pub kept: u64,
    /// The bytes of these items.
    pub bytes: u64,
    /// What earlier runs of the move have copied.
    pub earlier: Counts,
    /// The units that the source and the target have reported.
    pub units: [Units; 2],
    /// The segments that are copied.
    pub segments_done: u32,
    /// All segments.
    pub segments: u32,
    /// The records of the stream that are applied.
    pub records: u64,
    /// The writes that they came to: of several records of an item, the last one.
    pub changes: u64,
    /// The moment, milliseconds since 1970, up to which the stream is read: by the source's clock when the last
    /// record was made, or by ours when there was none. `None` while the table is copied, and before each shard has been read.
    pub read_ms: Option<u64>,
    /// The items that a comparison has read: of the source, and of the target.
    pub compared: [u64; 2],
    /// How many requests failed and were sent again.
    pub troubles: u64,
    /// How many of these requests were throttled.
    pub throttles: u64,
    /// The last of these failures.
    pub trouble: Option<String>,
    /// The moment, of the surroundings' clock, up to which all changes of the source are in the target;
    /// `None` while the table is copied, and while changes are read.
    pub even_to: Option<Duration>,
}

impl Figures {
    /// How far the run is behind the stream: the time since the oldest change that it has not applied, about.
    pub fn behind(&self, now_ms: i64) -> Option<Duration> {
        let now_ms = u64::try_from(now_ms).unwrap_or(0);
        let read_ms = self.read_ms?;
        Some(Duration::from_millis(now_ms.saturating_sub(read_ms)))
    }

    /// Whether the table is copied, and no change is left that the source had when it was looked.
    pub fn is_even(&self) -> bool {
        self.even_to.is_some()
    }
}

fn moment(stored: &AtomicU64) -> Option<Duration> {
    let ms = stored.load(Ordering::SeqCst).checked_sub(1)?;
    Some(Duration::from_millis(ms))
}

fn set(stored: &AtomicU64, moment: Option<Duration>) {
    let ms = moment.map_or(0, |moment| {
        u64::try_from(moment.as_millis())
            .unwrap_or(u64::MAX)
            .saturating_add(1)
    });
    stored.store(ms, Ordering::SeqCst);
}

impl Progress {
    /// Ends the run after the transactions that are under way. The same run goes on from there later.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
    }

    /// Whether the run is to end.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }

    /// The counters now.
    pub fn figures(&self) -> Figures {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Figures {
            items: get(&self.items),
            kept: get(&self.kept),
            bytes: get(&self.bytes),
            earlier: *self.earlier.lock().unwrap_or_else(PoisonError::into_inner),
            units: self.halves.each_ref().map(|[reads, writes]| Units {
                read_halves: get(reads),
                write_halves: get(writes),
            }),
            segments_done: self.segments_done.load(Ordering::SeqCst),
            segments: self.segments.load(Ordering::SeqCst),
            records: get(&self.records),
            changes: get(&self.changes),
            read_ms: self.read_ms.load(Ordering::SeqCst).checked_sub(1),
            compared: self.compared.each_ref().map(get),
            troubles: get(&self.troubles),
            throttles: get(&self.throttles),
            trouble: self
                .trouble
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone(),
            even_to: moment(&self.even_to_ms),
        }
    }

    /// Asks for a look whether all changes up to a moment, of the surroundings' clock, are in the target:
    /// [`Figures::even_to`] answers it.
    pub fn set_goal(&self, goal: Duration) {
        set(&self.goal_ms, Some(goal));
    }

    /// The moment that was asked for.
    pub fn goal(&self) -> Option<Duration> {
        moment(&self.goal_ms)
    }

    /// Whether all changes up to the moment that was asked for are in the target.
    pub fn is_at_goal(&self) -> bool {
        self.goal()
            .is_some_and(|goal| moment(&self.even_to_ms).is_some_and(|to| to >= goal))
    }

    /// Whether all changes of before the moment that was asked for are in the target, however steadily
    /// programs write.
    pub fn is_past_goal(&self) -> bool {
        let is_past = |goal| moment(&self.past_ms).is_some_and(|past| past >= goal);
        self.is_at_goal() || self.goal().is_some_and(is_past)
    }

    pub(crate) fn set_past(&self, goal: Duration) {
        set(&self.past_ms, Some(goal));
    }

    pub(crate) fn set_read(&self, ms: Option<u64>) {
        let stored = ms.map_or(0, |ms| ms.saturating_add(1));
        self.read_ms.store(stored, Ordering::SeqCst);
    }

    pub(crate) fn begun(&self, segments: u32, earlier: Counts) {
        *self.earlier.lock().unwrap_or_else(PoisonError::into_inner) = earlier;
        self.segments.store(segments, Ordering::SeqCst);
    }

    /// Counts the units that an answer of a place reports.
    pub(crate) fn used(&self, place: Place, units: Units) {
        let [source, target] = &self.halves;
        let [reads, writes] = match place {
            Place::Source => source,
            Place::Target => target,
        };
        reads.fetch_add(units.read_halves, Ordering::Relaxed);
        writes.fetch_add(units.write_halves, Ordering::Relaxed);
    }

    pub(crate) fn copied(&self, (items, kept): (usize, usize), bytes: u64) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.items.fetch_add(items as u64, Ordering::Relaxed);
        self.kept.fetch_add(kept as u64, Ordering::Relaxed);
    }

    pub(crate) fn segment_done(&self) {
        self.segments_done.fetch_add(1, Ordering::SeqCst);
    }

    /// Whether all segments are copied, of a run that has begun.
    pub fn is_copied(&self) -> bool {
        let segments = self.segments.load(Ordering::SeqCst);
        segments > 0 && self.segments_done.load(Ordering::SeqCst) >= segments
    }

    pub(crate) fn applied(&self, records: usize, changes: usize) {
        self.records.fetch_add(records as u64, Ordering::Relaxed);
        self.changes.fetch_add(changes as u64, Ordering::Relaxed);
    }

    /// Whether the last round over the stream found few records in each shard.
    pub fn is_near(&self) -> bool {
        self.is_near.load(Ordering::SeqCst)
    }

    pub(crate) fn set_near(&self, is_near: bool) {
        self.is_near.store(is_near, Ordering::SeqCst);
    }

    pub(crate) fn set_even(&self, to: Option<Duration>) {
        set(&self.even_to_ms, to);
    }

    pub(crate) fn compared(&self, place: Place, items: usize) {
        let [source, target] = &self.compared;
        let counter = match place {
            Place::Source => source,
            Place::Target => target,
        };
        counter.fetch_add(items as u64, Ordering::Relaxed);
    }

    pub(crate) fn troubled(&self, place: Place, error: &ClientError) {
        self.troubles.fetch_add(1, Ordering::Relaxed);
        let is_throttled = u64::from(error.is_throttled());
        self.throttles.fetch_add(is_throttled, Ordering::Relaxed);
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        // Of a place that does not answer, the sentence begins with it.
        let is_named = matches!(error, ClientError::Transport(_) | ClientError::TimedOut(_));
        *trouble = Some(match is_named {
            true => error.to_string(),
            false => format!("the {}: {error}", place.word()),
        });
    }
}
