//! A snapshot of the durable store.

use super::read_points::ReadPoint;
use super::view::{Entry, View};
use crate::error::StoreError;
use crate::folder::Claim;
use bytes::Bytes;
use std::ops::Bound;
use std::sync::Arc;

/// A consistent view at a read point. While it lives, no version that it reads is removed and no
/// other process opens the folder.
#[derive(Clone)]
pub(crate) struct DurableSnapshot {
    pub(super) read_point: ReadPoint,
    pub(super) view: Arc<View>,
    pub(super) claim: Arc<Claim>,
}

impl DurableSnapshot {
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let found = self.view.get(key, *self.read_point)?;
        Ok(found.map(|entry| Bytes::from(entry.value)))
    }

    pub(crate) fn range(
        &self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
    ) -> impl DoubleEndedIterator<Item = Entry> + Send + use<> {
        self.view.range(low, high, *self.read_point)
    }

    /// Like [`DurableSnapshot::range`], and releases the read point: the range keeps the memtables
    /// and tables that it reads, and does not keep versions that are written later. For long scans.
    pub(crate) fn into_range(
        self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
    ) -> impl DoubleEndedIterator<Item = Entry> + Send + use<> {
        let entries = self.range(low, high);
        let claim = self.claim;
        entries.inspect(move |_| {
            // The closure owns the claim, so it lives as long as the range.
            let _owned = &claim;
        })
    }
}
