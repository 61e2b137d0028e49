//! The result of a turn of the background: whether more work is due, and the failures.

use keyfold_api::ApiError;

/// Whether more of the same work is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    More,
    Done,
}

/// The result of one turn.
#[derive(Default)]
pub(crate) struct Turn {
    /// Whether more work is due.
    pub(crate) has_more: bool,
    /// Failures, with descriptions of the work.
    pub(crate) failures: Vec<(String, ApiError)>,
}

impl Turn {
    pub(crate) fn note(&mut self, description: &str, work: Result<Work, ApiError>) {
        match work {
            Ok(work) => self.has_more |= work == Work::More,
            Err(error) => self.failures.push((description.to_owned(), error)),
        }
    }
}
