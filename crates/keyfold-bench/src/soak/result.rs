//! The measurements of a soak.

use super::traffic::{Load, Minute};

/// The measurements of one minute.
pub(super) struct Sample {
    pub(super) traffic: Minute,
    /// Bytes of memory that the server holds.
    pub(super) memory: u64,
    /// Bytes of the server's files.
    pub(super) disk: u64,
}

/// The measurements of a soak.
pub(super) struct Soak {
    pub(super) load: Load,
    pub(super) samples: Vec<Sample>,
    /// The number of stream records that the follower read.
    pub(super) followed: u64,
    /// The number of backups.
    pub(super) backups: u64,
    /// Bytes of files after the tables were deleted.
    pub(super) disk_after_deletion: u64,
    /// Seconds from the deletion until the files had shrunk.
    pub(super) shrinking_s: f64,
}

impl Soak {
    /// The most bytes of files that may remain without tables: the log with its spare segments, and
    /// the stream's records.
    pub(super) fn disk_without_tables_max(&self) -> u64 {
        20 * 1024 * 1024 + self.followed * 300
    }
}
