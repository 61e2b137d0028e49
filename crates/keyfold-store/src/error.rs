//! What can go wrong below the engine.

use std::sync::Arc;

/// A storage failure.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused a read, write or sync.
    #[error("the storage device failed: {0}")]
    Io(Arc<std::io::Error>),
    /// Stored bytes are not what was written.
    #[error("stored data is corrupt: {0}")]
    Corrupt(String),
    /// The folder is not a store of ours, or of another format.
    #[error("{0}")]
    Foreign(String),
    /// Another process has the data folder open.
    #[error("the data folder is in use by another process")]
    Locked,
    /// An earlier write or sync failed; writes are refused until the store is opened again.
    #[error("an earlier write failed, so the store is read-only until it is reopened: {0}")]
    Poisoned(String),
    /// The store is shutting down.
    #[error("the store is closed")]
    Closed,
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> StoreError {
        StoreError::Io(Arc::new(error))
    }
}

/// Work of the storage engine whose panics are errors: somebody waits for it.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(StoreError::Poisoned("the storage engine panicked".to_owned())))
}
