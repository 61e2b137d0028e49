//! The trait of long work: bounded pieces, each of which can be tried again.

use super::turn::Work;
use crate::core::Core;
use keyfold_api::{ApiError, ErrorKind};

/// Work in bounded pieces.
pub(super) trait Job: Send {
    /// Does a piece: some hundred items, or some megabytes.
    ///
    /// # Errors
    /// When it could not be done now. The next piece goes on where this one began.
    fn step(&mut self, core: &Core) -> Result<Work, ApiError>;

    /// Its purpose, for the operator.
    fn what(&self) -> String;
}

/// Whether an error would come again however often the same is tried.
pub(super) fn is_final(error: &ApiError) -> bool {
    error.kind() != ErrorKind::Internal
}
