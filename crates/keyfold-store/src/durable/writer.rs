//! The writer's state: the log, and the memtable that its segments belong to.

use super::lsm::Tree;
use crate::error::StoreError;
use crate::log::{Change, Log};
use std::time::Instant;

/// State that one writer at a time changes.
pub(super) struct Writer {
    pub(super) log: Log,
    /// Segments whose changes are in the memtable, besides the segment being written: they were replayed, or
    /// ended when the device was full.
    pub(super) replayed: Vec<u64>,
    pub(super) memtable_bytes: u64,
    pub(super) last_write: Instant,
}

impl Writer {
    /// Begins a new segment of the log, for a new memtable; returns the segments of the old one.
    pub(super) fn begin_segment(&mut self) -> Result<Vec<u64>, StoreError> {
        let ended = self.log.rotate()?;
        self.memtable_bytes = 0;
        let mut segments = std::mem::take(&mut self.replayed);
        segments.push(ended);
        Ok(segments)
    }

    /// Begins a new memtable behind what was replayed, of which the log is in segments before the present one;
    /// returns these. Nothing was appended since.
    pub(super) fn seal_replayed(&mut self) -> Vec<u64> {
        self.memtable_bytes = 0;
        std::mem::take(&mut self.replayed)
    }
}

/// Puts a batch into the memtable; returns the memtable's size in bytes after it.
pub(super) fn insert<'c>(
    tree: &Tree,
    sequence: u64,
    changes: impl Iterator<Item = Change<'c>>,
) -> u64 {
    changes.fold(0, |_, (key, value)| tree.insert(key, value, sequence))
}
