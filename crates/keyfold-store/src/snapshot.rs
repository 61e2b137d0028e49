//! A consistent view: what was committed when it was taken, whatever is written since.

use crate::durable::{self, DurableSnapshot};
use crate::error::StoreError;
use crate::memory::MemoryMap;
use crate::metrics::Metrics;
use bytes::Bytes;
use std::ops::Bound;
use std::sync::Arc;

/// Which way a range is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Ascending keys.
    Forward,
    /// Descending keys.
    Backward,
}

/// A consistent view of the store.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) view: View,
    pub(crate) metrics: Arc<Metrics>,
}

#[derive(Clone)]
pub(crate) enum View {
    Memory(MemoryMap),
    Durable(DurableSnapshot),
}

impl Snapshot {
    /// The value of a key.
    ///
    /// # Errors
    /// When the storage engine cannot read.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        Metrics::count(&self.metrics.gets);
        match &self.view {
            View::Memory(map) => Ok(map.get(key).cloned()),
            View::Durable(snapshot) => snapshot.get(key),
        }
    }

    /// Keys and values between the bounds, one at a time: what is not asked for is not read.
    pub fn range<'s>(
        &'s self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        direction: Direction,
    ) -> Box<dyn Iterator<Item = Result<(Bytes, Bytes), StoreError>> + 's> {
        Metrics::count(&self.metrics.range_opens);
        if is_empty(low, high) {
            return Box::new(std::iter::empty());
        }
        let counted = |entry| {
            Metrics::count(&self.metrics.range_steps);
            entry
        };
        match &self.view {
            View::Memory(map) => {
                let entries = map.range::<_, [u8]>((low, high));
                let owned =
                    |(key, value): (&Vec<u8>, &Bytes)| Ok((Bytes::copy_from_slice(key), value.clone()));
                match direction {
                    Direction::Forward => Box::new(entries.map(owned).map(counted)),
                    Direction::Backward => Box::new(entries.rev().map(owned).map(counted)),
                }
            }
            View::Durable(snapshot) => {
                let entries = snapshot.range(low, high);
                match direction {
                    Direction::Forward => Box::new(entries.map(durable::entry).map(counted)),
                    Direction::Backward => Box::new(entries.rev().map(durable::entry).map(counted)),
                }
            }
        }
    }
}

/// Whether no key can be between the bounds (maps refuse such ranges).
fn is_empty(low: Bound<&[u8]>, high: Bound<&[u8]>) -> bool {
    match (low, high) {
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Excluded(high))
        | (Bound::Excluded(low), Bound::Included(high)) => low >= high,
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
    }
}
