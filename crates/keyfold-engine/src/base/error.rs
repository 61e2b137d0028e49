//! Failures of the store and of stored bytes as errors of the API.

use keyfold_api::{ApiError, ErrorKind};
use keyfold_codec::CodecError;
use keyfold_store::StoreError;

/// A failure of the store as an error of the API. The detail is for the operator; that the disk is full, a
/// client is told, too: it can wait for room.
pub(crate) fn internal(error: StoreError) -> ApiError {
    match error {
        StoreError::Full(_) => ApiError::Plain(ErrorKind::Internal, DISK_IS_FULL.to_owned()),
        StoreError::Io(_)
        | StoreError::Corrupt(_)
        | StoreError::Foreign(_)
        | StoreError::OtherFormat(_)
        | StoreError::Locked
        | StoreError::Poisoned(_)
        | StoreError::Closed => ApiError::Internal(error.to_string()),
    }
}

const DISK_IS_FULL: &str = "The disk under the data folder is full: writes are refused, and are taken again by \
    themselves once 8 MB of it are free. Reads go on.";

/// A stored item that does not decode.
pub(crate) fn corrupt(table: &str, error: &CodecError) -> ApiError {
    ApiError::Internal(format!("table {table}: {error}"))
}

/// The refusal to change a table that is being created.
pub(crate) fn being_created(table: &str) -> ApiError {
    ApiError::ResourceInUse(format!(
        "Attempt to change a resource which is still in use: Table is being created: {table}"
    ))
}
