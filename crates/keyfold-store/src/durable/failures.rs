//! Failures of work that is tried again: what distinguishes one that passes from one that lasts.

use crate::error::StoreError;

/// Attempts that fail one after the other before writers that wait for the work are refused: with
/// the pauses between them, a few seconds.
const LASTING: u32 = 4;

/// The failures since the last success.
#[derive(Debug, Default)]
pub(super) struct Failures {
    count: u32,
    last: Option<StoreError>,
}

impl Failures {
    pub(super) fn failed(&mut self, error: StoreError) {
        self.count = self.count.saturating_add(1);
        self.last = Some(error);
    }

    pub(super) fn succeeded(&mut self) {
        *self = Failures::default();
    }

    /// Records the end of an attempt.
    pub(super) fn ended(&mut self, result: Result<(), StoreError>) {
        match result {
            Ok(()) => self.succeeded(),
            Err(error) => self.failed(error),
        }
    }

    /// Whether the last attempt failed.
    pub(super) fn has_failed(&self) -> bool {
        self.last.is_some()
    }

    /// The last error, if so many attempts failed that the next one is likely to fail, too.
    pub(super) fn lasting(&self) -> Option<&StoreError> {
        self.last.as_ref().filter(|_| self.count >= LASTING)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_last_when_attempts_fail_one_after_the_other() {
        let mut failures = Failures::default();
        for _ in 1..LASTING {
            failures.ended(Err(StoreError::Closed));
            assert!(failures.has_failed() && failures.lasting().is_none());
        }
        failures.ended(Err(StoreError::Closed));
        assert!(failures.lasting().is_some());
        failures.ended(Ok(()));
        assert!(!failures.has_failed() && failures.lasting().is_none());
    }
}
