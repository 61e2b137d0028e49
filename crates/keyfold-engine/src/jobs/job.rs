//! Long work in bounded pieces, each of which can be retried.

use super::turn::Work;
use crate::core::Core;
use keyfold_api::{ApiError, ErrorKind};

/// Work in bounded pieces.
pub(super) trait Job: Send {
    /// Does a piece: some hundred items, or some megabytes.
    ///
    /// # Errors
    /// When the piece failed. The next piece begins where this one began.
    fn step(&mut self, core: &Core) -> Result<Work, ApiError>;

    /// A description for the operator.
    fn description(&self) -> String;
}

/// Whether every retry would fail with the same error.
pub(super) fn is_final(error: &ApiError) -> bool {
    error.kind() != ErrorKind::Internal
}
