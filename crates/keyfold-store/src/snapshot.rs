//! A consistent view: the batches committed when it was taken, and no later ones.

use crate::durable::{DurableSnapshot, Entry};
use crate::error::StoreError;
use crate::memory::MemoryMap;
use crate::metrics::Metrics;
use bytes::Bytes;
use std::ops::Bound;
use std::sync::Arc;

/// The order in which a range is read.
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

    /// Keys and values between the bounds. Entries are read lazily, one at a time.
    pub fn range<'s>(
        &'s self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        direction: Direction,
    ) -> Box<dyn Iterator<Item = Result<(Bytes, Bytes), StoreError>> + 's> {
        let owned =
            |(key, value): (&Vec<u8>, &Bytes)| Ok((Bytes::copy_from_slice(key), value.clone()));
        self.entries(low, high, direction, owned, Entry::into_pair)
    }

    /// The values between the bounds, which cost less to read than keys and values.
    pub fn values<'s>(
        &'s self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        direction: Direction,
    ) -> Box<dyn Iterator<Item = Result<Bytes, StoreError>> + 's> {
        self.entries(
            low,
            high,
            direction,
            |(_, value)| Ok(value.clone()),
            Entry::into_value,
        )
    }

    fn entries<'s, T: 's>(
        &'s self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        direction: Direction,
        of_memory: impl Fn((&Vec<u8>, &Bytes)) -> Result<T, StoreError> + 's,
        of_durable: impl Fn(Entry) -> Result<T, StoreError> + 's,
    ) -> Box<dyn Iterator<Item = Result<T, StoreError>> + 's> {
        Metrics::count(&self.metrics.range_opens);
        if is_empty(low, high) {
            return Box::new(std::iter::empty());
        }
        fn counted<I>(metrics: &Metrics, entries: I) -> Counted<'_, I> {
            Counted {
                entries,
                count: 0,
                metrics,
            }
        }
        let metrics = &*self.metrics;
        match (&self.view, direction) {
            (View::Memory(map), Direction::Forward) => Box::new(counted(
                metrics,
                map.range::<_, [u8]>((low, high)).map(of_memory),
            )),
            (View::Memory(map), Direction::Backward) => Box::new(counted(
                metrics,
                map.range::<_, [u8]>((low, high)).rev().map(of_memory),
            )),
            (View::Durable(snapshot), Direction::Forward) => {
                Box::new(counted(metrics, snapshot.range(low, high).map(of_durable)))
            }
            (View::Durable(snapshot), Direction::Backward) => Box::new(counted(
                metrics,
                snapshot.range(low, high).rev().map(of_durable),
            )),
        }
    }
}

/// Counts the entries read from a range, and adds them to the metrics when it is dropped: the shared
/// counter is touched once.
struct Counted<'m, I> {
    entries: I,
    count: u64,
    metrics: &'m Metrics,
}

impl<I: Iterator> Iterator for Counted<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let entry = self.entries.next()?;
        self.count += 1;
        Some(entry)
    }
}

impl<I> Drop for Counted<'_, I> {
    fn drop(&mut self) {
        Metrics::add(&self.metrics.range_steps, self.count);
    }
}

/// Whether no key can be between the bounds. Ordered maps panic on such ranges.
fn is_empty(low: Bound<&[u8]>, high: Bound<&[u8]>) -> bool {
    match (low, high) {
        (Bound::Included(low), Bound::Included(high)) => low > high,
        (Bound::Included(low) | Bound::Excluded(low), Bound::Excluded(high))
        | (Bound::Excluded(low), Bound::Included(high)) => low >= high,
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
    }
}
