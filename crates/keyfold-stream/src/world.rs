//! What a consumer needs of its surroundings: requests, time, chance, and tasks beside it.
//!
//! The logic of this crate is written as `async` functions over a [`World`], or its requests ([`Io`]). Threads carry it out in a
//! program ([`crate::threads`]); a test plays the database, the clock and the scheduler, and so decides
//! in which order the requests of several workers arrive.

use keyfold_api::{Input, Request, Response};
use keyfold_lower::{ClientError, Lowering, Step};
use std::pin::Pin;
use std::time::Duration;

/// A future of this crate.
pub type Boxed<'f, T> = Pin<Box<dyn Future<Output = T> + Send + 'f>>;

/// Requests, pauses and chance: what a call of a model needs.
pub trait Io: Send + Sync {
    /// Sends a request, and returns its answer.
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>>;

    /// Waits. It may return earlier, when the worker is to stop.
    fn pause(&self, time: Duration) -> Boxed<'_, ()>;

    /// Random bits.
    fn random(&self) -> u64;
}

/// The surroundings of a worker.
pub trait World: Io + 'static {
    /// The time since some moment in the past, of a clock that nobody sets. Leases are timed with it,
    /// so that machines whose clocks differ agree about them.
    fn now(&self) -> Duration;

    /// The present moment of the wall clock, milliseconds since 1970. It is only shown to people.
    fn epoch_ms(&self) -> i64;

    /// Runs a task beside this one.
    fn spawn(&self, task: Boxed<'static, ()>);
}

/// Sends a request, and returns the answer of its operation.
///
/// # Errors
/// The backend's; `Transport` when the answer is one of another operation.
pub async fn ask<I: Input + Into<Request>>(
    io: &dyn Io,
    input: I,
) -> Result<I::Output, ClientError> {
    let response = io.ask(input.into()).await?;
    I::output(response).ok_or_else(|| {
        let why = "the endpoint answered with the answer of another operation";
        ClientError::Transport(why.to_owned())
    })
}

/// Carries out the steps of a call of a model.
///
/// # Errors
/// The call's.
pub async fn carry<T>(io: &dyn Io, mut call: Lowering<'_, T>) -> Result<T, ClientError> {
    let mut answers = Vec::new();
    loop {
        match call.next(std::mem::take(&mut answers)) {
            Step::Ask(requests) => {
                for request in requests {
                    answers.push(io.ask(request).await);
                }
            }
            Step::Pause(pause) => {
                let span = pause.most_ms.saturating_sub(pause.least_ms) + 1;
                let time = pause.least_ms + io.random() % span;
                io.pause(Duration::from_millis(time)).await;
            }
            Step::Done(result) => return result,
        }
    }
}
