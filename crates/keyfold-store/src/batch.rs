//! A batch: changes that become visible and durable together or not at all.

use crate::error::StoreError;
use bytes::Bytes;

/// Puts, removals and counter changes, applied atomically. Later changes of a key win over earlier
/// ones.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub(crate) changes: Vec<(Vec<u8>, Option<Bytes>)>,
    pub(crate) additions: Vec<(Vec<u8>, i64)>,
    pub(crate) appended: Vec<(Vec<u8>, Bytes)>,
    pub(crate) reset: Vec<Vec<u8>>,
}

/// A state of a batch that it can be rolled back to: see [`Batch::savepoint`].
#[derive(Debug, Clone, Copy)]
pub struct Savepoint([usize; 4]);

/// Bytes of a counter's value.
pub(crate) const COUNTER_BYTES: usize = 8;

/// The key of the store's next sequence number: see [`Batch::append`].
pub const SEQUENCE_KEY: &[u8] = b"\0\0\0\0Q";

impl Batch {
    /// A batch without changes.
    pub fn new() -> Batch {
        Batch::default()
    }

    /// Sets the value of a key.
    pub fn put(&mut self, key: impl Into<Vec<u8>>, value: impl Into<Bytes>) {
        self.changes.push((key.into(), Some(value.into())));
    }

    /// Removes a key.
    pub fn remove(&mut self, key: impl Into<Vec<u8>>) {
        self.changes.push((key.into(), None));
    }

    /// Adds to a counter: a value of 8 little-endian bytes, 0 when absent. The additions of one
    /// group commit are summed and written once; a sum beyond 64 bits wraps around. A counter's key must not also be put or removed
    /// in the same batch.
    pub fn add(&mut self, key: impl Into<Vec<u8>>, amount: i64) {
        if amount != 0 {
            self.additions.push((key.into(), amount));
        }
    }

    /// Resets a counter to 0, before the additions of the same batch.
    pub fn remove_counter(&mut self, key: impl Into<Vec<u8>>) {
        self.reset.push(key.into());
    }

    /// Puts an entry under the key `prefix` and the store's next sequence number, in 8 big-endian
    /// bytes. Numbers ascend in the order in which batches become visible, so a reader that has seen
    /// one misses none below it.
    pub fn append(&mut self, prefix: impl Into<Vec<u8>>, value: impl Into<Bytes>) {
        self.appended.push((prefix.into(), value.into()));
    }

    /// The current state of the batch.
    pub fn savepoint(&self) -> Savepoint {
        Savepoint([
            self.changes.len(),
            self.additions.len(),
            self.appended.len(),
            self.reset.len(),
        ])
    }

    /// Drops the changes added after a savepoint.
    pub fn roll_back_to(&mut self, Savepoint([changes, additions, appended, reset]): Savepoint) {
        self.changes.truncate(changes);
        self.additions.truncate(additions);
        self.appended.truncate(appended);
        self.reset.truncate(reset);
    }

    /// Whether the batch changes nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.additions.is_empty() && self.appended.is_empty()
    }

    /// Numbers the appended entries from `sequence` on; returns the number after the last.
    pub(crate) fn number(&mut self, mut sequence: u64) -> u64 {
        if self.appended.is_empty() {
            return sequence;
        }
        for (mut key, value) in self.appended.drain(..) {
            key.extend_from_slice(&sequence.to_be_bytes());
            self.changes.push((key, Some(value)));
            sequence += 1;
        }
        let next = Bytes::copy_from_slice(&sequence.to_be_bytes());
        self.changes.push((SEQUENCE_KEY.to_vec(), Some(next)));
        sequence
    }

    /// The number of puts, removals and resets.
    pub fn len(&self) -> usize {
        self.changes.len() + self.reset.len()
    }
}

/// A counter's value from its stored bytes; absent is 0.
///
/// # Errors
/// `Corrupt` when the bytes are no number: 0 instead would lose the count.
pub(crate) fn counter_value(bytes: Option<&[u8]>) -> Result<i64, StoreError> {
    eight_bytes(bytes, "a counter").map(i64::from_le_bytes)
}

/// A counter after an addition. Sums wrap around, so that they do not depend on which batches were
/// committed together: a saturated sum would stay wrong when the excess is taken away again.
pub(crate) fn counter_sum(value: i64, amount: i64) -> i64 {
    value.wrapping_add(amount)
}

/// A sequence number from its stored bytes; absent is 0.
///
/// # Errors
/// `Corrupt` when the bytes are no number: 0 instead would give numbers twice.
pub(crate) fn sequence_value(bytes: Option<&[u8]>) -> Result<u64, StoreError> {
    eight_bytes(bytes, "the sequence").map(u64::from_be_bytes)
}

fn eight_bytes(bytes: Option<&[u8]>, what: &str) -> Result<[u8; 8], StoreError> {
    let Some(bytes) = bytes else {
        return Ok([0; 8]);
    };
    bytes
        .try_into()
        .map_err(|_| StoreError::Corrupt(format!("{what} has {} bytes instead of 8", bytes.len())))
}
