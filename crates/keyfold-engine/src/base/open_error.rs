//! The reasons for which an engine cannot be opened. A caller distinguishes them by variant; the
//! texts are for people.

use keyfold_api::ApiError;
use keyfold_store::StoreError;
use std::fmt;
use std::io;
use std::sync::Arc;

/// How a program goes on whose data folder is in use.
const FOR_SEVERAL: &str = "End that process, or let both use one server: start `keyfold serve --data FOLDER`, and \
                           open its URL in place of the folder";

/// The reason for which an engine cannot be opened. Nothing in the folder was changed, but for what
/// [`OpenError::Unwritten`] says.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum OpenError {
    /// The data folder is open already, in another process or in this one.
    InUse,
    /// The folder holds something else than Keyfold's data, or an interrupted copy of them.
    NotKeyfold(String),
    /// The data have another format: that of another version of Keyfold.
    OtherFormat(String),
    /// Stored bytes are not what was written, or missing.
    Corrupt(String),
    /// The operating system refused to make the folder, to read or write it, or to start a thread.
    Io(Arc<io::Error>),
    /// The folder was read, and a write that belongs to the opening failed.
    Unwritten(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::InUse => write!(f, "{}. {FOR_SEVERAL}", StoreError::Locked),
            OpenError::NotKeyfold(text) | OpenError::OtherFormat(text) => f.write_str(text),
            OpenError::Corrupt(text) => write!(f, "stored data is corrupt: {text}"),
            OpenError::Io(error) => write!(f, "the operating system refused: {error}"),
            OpenError::Unwritten(text) => write!(f, "the opening could not be completed: {text}"),
        }
    }
}

impl std::error::Error for OpenError {}

/// Two errors of the operating system are equal when their kinds and texts are.
impl PartialEq for OpenError {
    fn eq(&self, other: &OpenError) -> bool {
        let io = |error: &OpenError| match error {
            OpenError::Io(error) => Some(error.kind()),
            OpenError::InUse
            | OpenError::NotKeyfold(_)
            | OpenError::OtherFormat(_)
            | OpenError::Corrupt(_)
            | OpenError::Unwritten(_) => None,
        };
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && io(self) == io(other)
            && self.to_string() == other.to_string()
    }
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> OpenError {
        match error {
            StoreError::Locked => OpenError::InUse,
            StoreError::Foreign(text) => OpenError::NotKeyfold(text),
            StoreError::OtherFormat(text) => OpenError::OtherFormat(text),
            StoreError::Corrupt(text) => OpenError::Corrupt(text),
            StoreError::Io(error) => OpenError::Io(error),
            error @ (StoreError::Poisoned(_) | StoreError::Full(_) | StoreError::Closed) => {
                OpenError::Unwritten(error.to_string())
            }
        }
    }
}

impl OpenError {
    /// The error of work that an earlier process left and that could not be resumed.
    pub(crate) fn of_resumed(error: ApiError) -> OpenError {
        OpenError::Unwritten(if let ApiError::Internal(detail) = error {
            detail
        } else {
            error.to_string()
        })
    }
}
