//! Failures of the store and of stored bytes as errors of the API.

use keyfold_api::ApiError;
use keyfold_codec::CodecError;
use keyfold_store::StoreError;

/// A failure of the store as an error of the API. The detail is for the operator.
pub(crate) fn internal(error: StoreError) -> ApiError {
    ApiError::Internal(error.to_string())
}

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
