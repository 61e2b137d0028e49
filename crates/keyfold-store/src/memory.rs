//! The store in memory, which is gone when it is dropped: an immutable ordered map whose copies share
//! their parts, so that a snapshot is a cheap copy.

use crate::batch::{Batch, SEQUENCE_KEY, counter_sum, counter_value, sequence_value};
use crate::error::StoreError;
use bytes::Bytes;
use imbl::OrdMap;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError, RwLock};

pub(crate) type MemoryMap = OrdMap<Vec<u8>, Bytes>;

#[derive(Default)]
pub(crate) struct MemoryStore {
    map: RwLock<MemoryMap>,
    /// Held by the one writer. Readers lock the map only.
    writer: Mutex<()>,
}

impl MemoryStore {
    pub(crate) fn snapshot(&self) -> MemoryMap {
        self.map
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<Bytes> {
        self.map
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned()
    }

    /// Writes a batch.
    ///
    /// # Errors
    /// `Corrupt` when a counter or the sequence is no number.
    pub(crate) fn write(&self, mut batch: Batch) -> Result<(), StoreError> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        batch.number(sequence_value(self.get(SEQUENCE_KEY).as_deref())?);
        let mut totals = BTreeMap::new();
        for (key, amount) in batch.additions {
            let before = if batch.reset.contains(&key) {
                0
            } else {
                counter_value(self.get(&key).as_deref())?
            };
            let total = totals.entry(key).or_insert(before);
            *total = counter_sum(*total, amount);
        }
        let totals = totals
            .into_iter()
            .map(|(key, total)| (key, Some(Bytes::copy_from_slice(&total.to_le_bytes()))));
        let reset = batch.reset.into_iter().map(|key| (key, None));
        self.apply(batch.changes.into_iter().chain(reset).chain(totals));
        Ok(())
    }

    fn apply(&self, changes: impl Iterator<Item = (Vec<u8>, Option<Bytes>)>) {
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in changes {
            match value {
                Some(value) => map.insert(key, value),
                None => map.remove(&key),
            };
        }
    }
}
