//! Requests as a program's logs and metrics see them.

use crate::error::Error;
use keyfold_client::Observer;
use std::time::Duration;

/// A request that was sent, with its outcome.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sent<'s> {
    /// The pattern, write or entity of the call; `None` outside a model's calls.
    pub call: Option<&'s str>,
    /// The operation: `GetItem`.
    pub operation: &'static str,
    /// The tables that the request names.
    pub tables: &'s [String],
    /// How often it was sent.
    pub attempts: u32,
    /// The time from the first attempt to the outcome, with the delays between attempts.
    pub time: Duration,
    /// The capacity units that the answer reports; `None` when it reports none.
    pub units: Option<f64>,
    /// The error, if it failed. A call may still succeed: a write whose condition failed because
    /// another writer was faster reads again.
    pub error: Option<Error>,
}

/// The observer that calls a program's function.
pub(crate) fn observer(hook: impl Fn(&Sent<'_>) + Send + Sync + 'static) -> Observer {
    Observer::new(move |sent| {
        hook(&Sent {
            call: sent.call,
            operation: sent.operation,
            tables: sent.tables,
            attempts: sent.attempts,
            time: sent.time,
            units: sent.units,
            error: sent.error.map(|error| Error::from(error.clone())),
        });
    })
}
