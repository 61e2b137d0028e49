//! Requests as observers see them.

use keyfold_lower::ClientError;
use std::fmt;
use std::sync::Arc;
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
    /// The error, if it failed.
    pub error: Option<&'s ClientError>,
}

/// Who is notified of each request.
#[derive(Clone)]
pub struct Observer(Arc<dyn Fn(&Sent<'_>) + Send + Sync>);

impl Observer {
    /// Calls a function after each request, on the thread or task that made it.
    pub fn new(observe: impl Fn(&Sent<'_>) + Send + Sync + 'static) -> Observer {
        Observer(Arc::new(observe))
    }
}

impl Observer {
    pub(crate) fn observe(&self, sent: &Sent<'_>) {
        (self.0)(sent);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}
