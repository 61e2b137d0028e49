//! The calls of a function that wait for one of its processes.

use keyfold_stream::mapping::Reply;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// A call that waits for a process.
pub(super) struct Call {
    pub(super) id: String,
    pub(super) event: String,
    pub(super) timeout: Duration,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// The calls that wait for a process.
#[derive(Default)]
pub(super) struct Queue {
    calls: Mutex<VecDeque<Call>>,
    added: Notify,
}

impl Queue {
    pub(super) fn add(&self, call: Call) {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push_back(call);
        self.added.notify_one();
    }

    /// The first call, if there is one. Calls that nobody awaits any more are left out.
    pub(super) fn first(&self) -> Option<Call> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.retain(|call| !call.reply.is_closed());
        let first = calls.pop_front();
        if !calls.is_empty() {
            self.added.notify_one();
        }
        first
    }

    /// The first call, as soon as there is one.
    pub(super) async fn next(&self) -> Call {
        loop {
            if let Some(call) = self.first() {
                return call;
            }
            self.added.notified().await;
        }
    }
}
