//! The bound on the retries of a transfer.
//!
//! Backups and restores are retried until they succeed: nothing else would complete them. An export
//! or import can be asked for again, so it ends as failed when the failure lasts.

use super::job::is_final;
use crate::core::Core;
use keyfold_api::ApiError;

/// Retries of a piece. The pauses between them double, from one turn of the background: all of them
/// together take about two minutes.
const RETRIES_MAX: u32 = 8;

/// The failures of the present piece.
#[derive(Default)]
pub(super) struct Retries {
    failures: u32,
}

impl Retries {
    /// Counts a failure of the piece. Returns whether the piece is tried again. A disk that is full is waited for.
    pub(super) fn is_retried(&mut self, core: &Core, error: &ApiError) -> bool {
        self.failures += u32::from(!core.store().has_failed());
        !is_final(error) && self.failures <= RETRIES_MAX
    }

    /// The piece is done.
    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }
}
