//! An answer that may still wait for a sync.

use super::error::internal;
use keyfold_api::ApiError;
use keyfold_store::Ticket;
use std::future::{Future, IntoFuture};
use std::pin::Pin;

/// An operation's result and the write it depends on. The result is available when the write is
/// durable: by [`Pending::wait`], or by awaiting it.
#[derive(Debug)]
#[must_use = "an operation is acknowledged only when its write is durable"]
pub struct Pending<T> {
    result: Result<T, ApiError>,
    ticket: Ticket,
}

impl<T> Pending<T> {
    pub(crate) fn ready(result: Result<T, ApiError>) -> Pending<T> {
        Pending {
            result,
            ticket: Ticket::done(),
        }
    }

    pub(crate) fn after(ticket: Ticket, result: Result<T, ApiError>) -> Pending<T> {
        Pending { result, ticket }
    }

    /// Changes the value of a successful result.
    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Pending<U> {
        Pending {
            result: self.result.map(change),
            ticket: self.ticket,
        }
    }

    /// The result, which is not acknowledged yet, and the ticket of its write.
    pub(crate) fn into_parts(self) -> (Result<T, ApiError>, Ticket) {
        (self.result, self.ticket)
    }

    /// Blocks until the write is durable, and returns the result.
    ///
    /// # Errors
    /// The operation's error, or `Internal` when its write could not be made durable.
    pub fn wait(self) -> Result<T, ApiError> {
        self.ticket.wait().map_err(internal)?;
        self.result
    }
}

impl<T: Send + 'static> IntoFuture for Pending<T> {
    type Output = Result<T, ApiError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            self.ticket.await.map_err(internal)?;
            self.result
        })
    }
}
