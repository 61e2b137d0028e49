//! Retries of optimistic reads and writes, when another writer was faster.

use std::time::Duration;

/// The most attempts before an error.
pub(crate) const TRIES: u32 = 24;

/// Waits a random time that grows with the attempts, so that writers of one item take turns.
pub(crate) fn back_off(tried: u32) {
    let most_ms = 4 * u64::from(tried + 1).min(16);
    std::thread::sleep(Duration::from_millis(fastrand::u64(1..=most_ms)));
}
