//! Retries of optimistic reads and writes, when another writer was faster.

use crate::lowering::Pause;

/// The most attempts before an error.
pub const TRIES: u32 = 24;

/// The time between two questions for a table that is being made.
pub(crate) const HALF_A_SECOND: Pause = Pause {
    least_ms: 500,
    most_ms: 500,
};

/// A random time that grows with the attempts, so that writers of one item take turns.
pub fn back_off(tried: u32) -> Pause {
    Pause {
        least_ms: 1,
        most_ms: 4 * u64::from(tried + 1).min(16),
    }
}
