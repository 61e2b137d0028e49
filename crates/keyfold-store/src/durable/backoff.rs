//! Pauses between failed attempts.

use std::time::Duration;

/// A pause that doubles with each failure, up to a longest one.
#[derive(Debug)]
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Backoff {
    pub(super) fn new(first: Duration, longest: Duration) -> Backoff {
        Backoff {
            first,
            longest,
            next: first,
        }
    }

    /// Returns the pause after a failure, and doubles the next one.
    pub(super) fn failed(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause
    }

    /// Begins with the first pause again.
    pub(super) fn succeeded(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_up_to_the_longest_until_an_attempt_succeeds() {
        let mut backoff = Backoff::new(Duration::from_secs(60), Duration::from_secs(200));
        let mut pauses = || backoff.failed().as_secs();
        assert_eq!(
            [pauses(), pauses(), pauses(), pauses()],
            [60, 120, 200, 200]
        );
        backoff.succeeded();
        assert_eq!(backoff.failed().as_secs(), 60);
    }
}
