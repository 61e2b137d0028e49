//! Failures of the store and of stored bytes as errors of the API.

use keyfold_api::ApiError;
use keyfold_codec::CodecError;
use keyfold_store::StoreError;

/// A storage failure as the API shows it; the detail is for the operator.
pub(crate) fn internal(error: StoreError) -> ApiError {
    ApiError::Internal(error.to_string())
}

/// A stored item that cannot be read.
pub(crate) fn corrupt(table: &str, error: &CodecError) -> ApiError {
    ApiError::Internal(format!("table {table}: {error}"))
}
