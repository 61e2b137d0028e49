//! Which errors pass, and how long is waited before a request is sent again.

use crate::cancelled::may_pass;
use keyfold_api::ErrorKind;
use keyfold_client::ClientError;
use std::time::Duration;

/// The first pause after a request that failed; it doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How often a place that does not answer, or is at a limit, is asked before it is given up: about half a minute.
const TRIES: u32 = 12;

/// The pauses of a request that is sent again.
#[derive(Debug)]
pub struct Patience {
    tries: u32,
    pause: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience::new()
    }
}

impl Patience {
    /// The pauses of a request that was not sent yet.
    pub fn new() -> Patience {
        Patience {
            tries: 0,
            pause: FIRST_PAUSE,
        }
    }

    /// The pause after an error that may pass; `None` when it does not. Throttling and conflicts are
    /// waited out for any time; a place that does not answer, some time, and so a limit: that of changes of tables at
    /// once passes, and that of tables does not.
    pub fn after(&mut self, error: &ClientError, random: u64) -> Option<Duration> {
        let is_busy =
            error.is_passing() || error.is_conflict() || error.is_throttled() || may_pass(error);
        let is_limited = error.kind() == Some(ErrorKind::LimitExceeded);
        let is_away = matches!(
            error,
            ClientError::Transport(_)
                | ClientError::TimedOut(_)
                | ClientError::OutcomeUnknown { .. }
                | ClientError::Overtaken(_)
        );
        self.tries += u32::from(is_away || is_limited);
        if (!is_busy && !is_away) || self.tries > TRIES {
            return None;
        }
        let half = self.pause / 2;
        let span = u64::try_from(half.as_millis()).unwrap_or(1).max(1);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Some(half + Duration::from_millis(random % span))
    }
}
