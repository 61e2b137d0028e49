//! What the functions of a server share.

use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::watch;

/// The most bytes of an answer.
pub(super) const ANSWER_MAX: usize = 6 * 1024 * 1024 + 100;
/// The sentence about a longer one.
pub(super) const TOO_LONG: &str = "the answer has more than 6 MB";

/// What functions know of the server.
#[derive(Debug, Clone, Default)]
pub(in crate::cmd) struct Served {
    pub(in crate::cmd) endpoint: String,
    pub(in crate::cmd) region: String,
}

/// What the functions of a server share.
#[derive(Clone)]
pub(super) struct Surroundings {
    pub(super) handle: Handle,
    /// Changes when the server stops.
    pub(super) stopped: watch::Receiver<bool>,
    pub(super) served: Served,
}

impl Surroundings {
    /// Carries out a call on the threads of functions; `None` when the server stops.
    pub(super) fn carried<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        let mut stopped = self.stopped.clone();
        self.handle.block_on(async {
            tokio::select! {
                done = call => Some(done),
                _stopped = stopped.wait_for(|stops| *stops) => None,
            }
        })
    }

    /// The ARN of a function.
    pub(super) fn arn(&self, name: &str) -> String {
        let region = &self.served.region;
        format!("arn:aws:lambda:{region}:000000000000:function:{name}")
    }
}

/// The sentence about a call that took too long, as Lambda has it.
pub(super) fn timed_out(timeout: Duration) -> String {
    format!("Task timed out after {:.2} seconds", timeout.as_secs_f64())
}
