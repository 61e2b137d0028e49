//! Changes that happen together or not at all.

use bytes::Bytes;

/// Puts, removals and counter changes, applied atomically. Later entries win over earlier ones.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub(crate) changes: Vec<(Vec<u8>, Option<Bytes>)>,
    pub(crate) additions: Vec<(Vec<u8>, i64)>,
}

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

    /// Adds to a counter: a value of 8 little-endian bytes, 0 when absent. Counters of one group commit are
    /// summed and written once. A counter's key must not also be put or removed in the same batch.
    pub fn add(&mut self, key: impl Into<Vec<u8>>, amount: i64) {
        if amount != 0 {
            self.additions.push((key.into(), amount));
        }
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.additions.is_empty()
    }

    /// How many keys are put or removed.
    pub fn len(&self) -> usize {
        self.changes.len()
    }
}

/// A counter's value from its stored bytes; absent is 0.
pub(crate) fn counter_value(bytes: Option<&[u8]>) -> i64 {
    bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, i64::from_le_bytes)
}
