//! What a mapping needs of a program: the function, and a listener.

use crate::mapping::part::Reply;
use serde_json::Value as Json;
use std::time::Duration;

/// A call of a function.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'i> {
    /// Its ID, which no other has.
    pub id: &'i str,
    /// The event, in JSON.
    pub event: &'i str,
    /// How long it may take.
    pub timeout: Duration,
}

/// A function that handles events.
pub trait Function: Send + Sync + 'static {
    /// Calls the function, and blocks the thread until it has answered. Batches of different shards, and
    /// of the lanes of one, may be handled at the same time.
    fn invoke(&self, invocation: Invocation<'_>) -> Reply;

    /// The function's ARN.
    fn arn(&self) -> String;
}

/// Is called with what a mapping does.
pub trait Listener: Send + Sync + 'static {
    /// A batch is discarded. `record` is what AWS sends to the destination.
    ///
    /// # Errors
    /// The reason why it was not stored. It is reported; the mapping goes on.
    fn discarded(&self, record: &Json) -> Result<(), String>;

    /// A sentence for the log.
    fn report(&self, what: &str);
}
