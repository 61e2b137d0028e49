//! The store in memory: a persistent ordered map, so that a snapshot is a cheap copy. Nothing
//! survives.

use bytes::Bytes;
use imbl::OrdMap;
use std::sync::{PoisonError, RwLock};

pub(crate) type MemoryMap = OrdMap<Vec<u8>, Bytes>;

#[derive(Default)]
pub(crate) struct MemoryStore {
    map: RwLock<MemoryMap>,
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

    pub(crate) fn apply(&self, changes: impl Iterator<Item = (Vec<u8>, Option<Bytes>)>) {
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        for (key, value) in changes {
            match value {
                Some(value) => map.insert(key, value),
                None => map.remove(&key),
            };
        }
    }
}
