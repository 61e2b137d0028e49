//! The durable store over fjall, a log-structured merge tree. Nothing outside this file knows fjall.
//!
//! One fjall keyspace holds everything; the commit queue hands over one merged batch at a time, which is
//! logged, synced and then made visible. The journal is bounded, because reopening replays it.

use crate::error::StoreError;
use bytes::Bytes;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode, Readable};
use std::path::Path;
use std::sync::Arc;

/// Journal size above which fjall flushes: what a reopening after a crash has to replay.
const JOURNAL_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Small, so that little of the journal has to be inserted again after a crash.
const MEMTABLE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Blocks kept in memory, decompressed.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

pub(crate) struct DurableStore {
    database: Database,
    keyspace: Keyspace,
}

impl From<fjall::Error> for StoreError {
    fn from(error: fjall::Error) -> StoreError {
        match error {
            fjall::Error::Io(error) => StoreError::Io(Arc::new(error)),
            fjall::Error::Locked => StoreError::Locked,
            fjall::Error::Poisoned => StoreError::Poisoned("the log could not be written".to_owned()),
            other => StoreError::Corrupt(other.to_string()),
        }
    }
}

impl DurableStore {
    pub(crate) fn open(folder: &Path) -> Result<DurableStore, StoreError> {
        let database = Database::builder(folder)
            .cache_size(CACHE_BYTES)
            .max_journaling_size(JOURNAL_BYTES_MAX)
            .worker_threads(2)
            .open()?;
        let options = || KeyspaceCreateOptions::default().max_memtable_size(MEMTABLE_BYTES_MAX);
        let keyspace = database.keyspace("keyfold", options)?;
        Ok(DurableStore { database, keyspace })
    }

    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        Ok(self.keyspace.get(key)?.map(Bytes::from_owner))
    }

    pub(crate) fn snapshot(&self) -> DurableSnapshot {
        DurableSnapshot { snapshot: self.database.snapshot(), keyspace: self.keyspace.clone() }
    }

    /// Writes one batch; each key at most once.
    pub(crate) fn apply(
        &self,
        changes: impl Iterator<Item = (Vec<u8>, Option<Bytes>)>,
        sync: bool,
    ) -> Result<(), StoreError> {
        let mode = if sync { PersistMode::SyncData } else { PersistMode::Buffer };
        let mut batch = self.database.batch().durability(Some(mode));
        for (key, value) in changes {
            match value {
                Some(value) => batch.insert(&self.keyspace, key, value.as_ref()),
                None => batch.remove(&self.keyspace, key),
            }
        }
        Ok(batch.commit()?)
    }

    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        Ok(self.database.persist(PersistMode::SyncAll)?)
    }
}

#[derive(Clone)]
pub(crate) struct DurableSnapshot {
    snapshot: fjall::Snapshot,
    keyspace: Keyspace,
}

impl DurableSnapshot {
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        Ok(self.snapshot.get(&self.keyspace, key)?.map(Bytes::from_owner))
    }

    pub(crate) fn range(&self, low: std::ops::Bound<&[u8]>, high: std::ops::Bound<&[u8]>) -> fjall::Iter {
        self.snapshot.range::<&[u8], _>(&self.keyspace, (low, high))
    }
}

/// An entry of a range, not read yet.
pub(crate) type Entry = fjall::Guard;

/// A range entry's key and value.
pub(crate) fn entry(guard: Entry) -> Result<(Bytes, Bytes), StoreError> {
    let (key, value) = guard.into_inner()?;
    Ok((Bytes::from_owner(key), Bytes::from_owner(value)))
}

/// A range entry's value.
pub(crate) fn value(guard: Entry) -> Result<Bytes, StoreError> {
    Ok(Bytes::from_owner(guard.value()?))
}
