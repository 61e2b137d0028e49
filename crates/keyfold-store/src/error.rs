//! Errors of the store.

use std::io;
use std::path::Path;
use std::sync::Arc;

/// A storage failure.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused a read, write or sync.
    #[error("the storage device failed: {0}")]
    Io(Arc<io::Error>),
    /// Stored bytes are not what was written, or missing.
    #[error("stored data is corrupt: {0}")]
    Corrupt(String),
    /// The folder holds no store, or a copy cannot be made there.
    #[error("{0}")]
    Foreign(String),
    /// The folder holds a store of another format.
    #[error("{0}")]
    OtherFormat(String),
    /// Another process has the data folder open.
    #[error("the data folder is in use: another process, or this one, has it open")]
    Locked,
    /// An earlier write or sync failed; writes are refused until the store is opened again.
    #[error("an earlier write failed, so the store is read-only until it is reopened: {0}")]
    Poisoned(String),
    /// The device has no room: writes are refused until there is some, see
    /// [`Store::take_writes_again`](crate::Store::take_writes_again).
    #[error("the disk is full, so writes are refused until 8 MB of it are free: {0}")]
    Full(String),
    /// The store is shutting down.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether only room is missing on the device.
    pub(crate) fn is_full(&self) -> bool {
        match self {
            StoreError::Io(error) => matches!(
                error.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            ),
            StoreError::Full(_) => true,
            StoreError::Corrupt(_)
            | StoreError::Foreign(_)
            | StoreError::OtherFormat(_)
            | StoreError::Locked
            | StoreError::Poisoned(_)
            | StoreError::Closed => false,
        }
    }

    /// `Full` of an error that says so of the device; another one as it is.
    pub(crate) fn or_full(self) -> StoreError {
        match &self {
            StoreError::Io(error) if self.is_full() => StoreError::Full(error.to_string()),
            StoreError::Io(_)
            | StoreError::Corrupt(_)
            | StoreError::Foreign(_)
            | StoreError::OtherFormat(_)
            | StoreError::Locked
            | StoreError::Poisoned(_)
            | StoreError::Full(_)
            | StoreError::Closed => self,
        }
    }

    /// Puts a path in front of an error of the operating system.
    pub(crate) fn about(self, path: &Path) -> StoreError {
        let StoreError::Io(error) = &self else {
            return self;
        };
        io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
    }

    /// Adds how much room the device has to an error that says of too little.
    pub(crate) fn with_room(self, room: &str) -> StoreError {
        match self {
            StoreError::Io(error) if StoreError::Io(Arc::clone(&error)).is_full() => {
                io::Error::new(error.kind(), format!("{error}; {room}")).into()
            }
            StoreError::Full(text) => StoreError::Full(format!("{text}; {room}")),
            StoreError::Io(_)
            | StoreError::Corrupt(_)
            | StoreError::Foreign(_)
            | StoreError::OtherFormat(_)
            | StoreError::Locked
            | StoreError::Poisoned(_)
            | StoreError::Closed => self,
        }
    }

    /// The error of writes behind one that has failed so.
    pub(crate) fn of_later(&self) -> StoreError {
        match self {
            StoreError::Full(_) => self.clone(),
            StoreError::Io(_)
            | StoreError::Corrupt(_)
            | StoreError::Foreign(_)
            | StoreError::OtherFormat(_)
            | StoreError::Locked
            | StoreError::Poisoned(_)
            | StoreError::Closed => StoreError::Poisoned(self.to_string()),
        }
    }

    /// `Corrupt` about a file of the data folder: `what` says what is wrong with it.
    pub(crate) fn file(path: &Path, what: &str) -> StoreError {
        StoreError::Corrupt(format!(
            "{} {what}. Nothing in the data folder was changed. Put the file back, or restore the whole folder from a copy \
             (`keyfold backup` makes copies)",
            path.display()
        ))
    }

    /// The same error, with the path `from` replaced in its text.
    pub(crate) fn with_path(self, from: &Path, to: &Path) -> StoreError {
        let replaced = |text: &str| text.replace(&*from.to_string_lossy(), &to.to_string_lossy());
        match self {
            StoreError::Corrupt(text) => StoreError::Corrupt(replaced(&text)),
            StoreError::Foreign(text) => StoreError::Foreign(replaced(&text)),
            StoreError::OtherFormat(text) => StoreError::OtherFormat(replaced(&text)),
            StoreError::Io(error) => {
                io::Error::new(error.kind(), replaced(&error.to_string())).into()
            }
            StoreError::Full(text) => StoreError::Full(replaced(&text)),
            StoreError::Locked | StoreError::Poisoned(_) | StoreError::Closed => self,
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> StoreError {
        StoreError::Io(Arc::new(error))
    }
}

/// Adds the file to an error about it.
pub(crate) trait At<T> {
    /// Puts the path in front of the error's text; its kind stays.
    fn at(self, path: &Path) -> io::Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> io::Result<T> {
        self.map_err(|error| named(path, error))
    }
}

/// An error about a file, with its path in front.
pub(crate) fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Runs work of the storage engine and turns a panic into `Poisoned`: a caller waits for the result.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(StoreError::Poisoned(
            "the storage engine panicked".to_owned(),
        ))
    })
}
