//! The terms of a call: how long it may take, its name, and who observes its requests.

use crate::observer::Observer;
use crate::runtime::on_tokio;
use keyfold_lower::ClientError;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

/// The terms of a call. The default sets no bound.
#[derive(Debug, Clone, Default)]
pub struct Terms {
    /// The moment at which the call ends, and the time that it was given.
    deadline: Option<(Instant, Duration)>,
    call: Option<Arc<str>>,
    observer: Option<Observer>,
}

impl Terms {
    /// The terms of a call that begins now and takes at most a time, with all its requests, attempts
    /// and pauses.
    pub fn within(time: Duration) -> Terms {
        Terms {
            // A time that no clock reaches is no bound.
            deadline: Instant::now().checked_add(time).map(|end| (end, time)),
            ..Terms::default()
        }
    }

    /// The same, with the name of the call: a pattern, a write or an entity.
    pub fn of_call(mut self, name: &str) -> Terms {
        self.call = Some(Arc::from(name));
        self
    }

    /// The same, with an observer of the call's requests. One whose future is dropped before its
    /// answer is there is not observed.
    pub fn observed(mut self, observer: Option<Observer>) -> Terms {
        self.observer = observer;
        self
    }

    pub(crate) fn call(&self) -> Option<&str> {
        self.call.as_deref()
    }

    pub(crate) fn observer(&self) -> Option<&Observer> {
        self.observer.as_ref()
    }

    /// The time that is left; `None` without a bound.
    pub(crate) fn left(&self) -> Option<Duration> {
        let (end, _) = self.deadline?;
        Some(end.saturating_duration_since(Instant::now()))
    }

    /// The time of an attempt that takes at most `time` by itself.
    ///
    /// # Errors
    /// A sentence when no time is left.
    pub(crate) fn at_most(&self, time: Duration) -> Result<Duration, String> {
        match self.left() {
            None => Ok(time),
            Some(Duration::ZERO) => Err(self.late()),
            Some(left) => Ok(time.min(left)),
        }
    }

    /// Whether there is time for a pause, or for a request after no pause.
    ///
    /// # Errors
    /// `TimedOut` when there is not.
    pub fn check(&self, pause: Duration) -> Result<(), ClientError> {
        match self.left() {
            Some(left) if left <= pause => Err(self.timed_out()),
            Some(_) | None => Ok(()),
        }
    }

    /// Awaits something that is no request, such as the call's turn, as long as there is time.
    ///
    /// # Errors
    /// `TimedOut` when there is none left; nothing was written.
    pub async fn bounding<F: Future>(&self, future: F) -> Result<F::Output, ClientError> {
        let Some(left) = self.left() else {
            return Ok(future.await);
        };
        let (mut future, mut end) = (
            pin!(future),
            pin!(on_tokio(async move { tokio::time::sleep(left).await })),
        );
        poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Ok(output)),
            Poll::Pending => match end.as_mut().poll(context) {
                Poll::Ready(Ok(())) => Poll::Ready(Err(self.timed_out())),
                Poll::Ready(Err(why)) => Poll::Ready(Err(ClientError::Transport(why))),
                Poll::Pending => Poll::Pending,
            },
        })
        .await
    }

    fn timed_out(&self) -> ClientError {
        ClientError::TimedOut(self.late())
    }

    fn late(&self) -> String {
        let time = self.deadline.map(|(_, time)| time).unwrap_or_default();
        format!("the call was not done within {time:?}")
    }
}
