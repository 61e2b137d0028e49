//! The result of a turn of the background: whether there is more to do, and what failed.

use keyfold_api::ApiError;

/// Whether there is more of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    More,
    Done,
}

/// The result of one turn.
#[derive(Default)]
pub(crate) struct Turn {
    /// Something was done, and there is more of it.
    pub(crate) has_more: bool,
    /// Failures, with the work that failed.
    pub(crate) failures: Vec<(String, ApiError)>,
}

impl Turn {
    pub(crate) fn note(&mut self, what: &str, work: Result<Work, ApiError>) {
        match work {
            Ok(work) => self.has_more |= work == Work::More,
            Err(error) => self.failures.push((what.to_owned(), error)),
        }
    }
}
