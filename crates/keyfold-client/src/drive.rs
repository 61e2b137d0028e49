//! Carries out the steps of a call, and blocks while it waits.

use crate::backend::Backend;
use crate::span::Span;
use crate::terms::Terms;
use keyfold_api::{Request, Response};
use keyfold_lower::ClientError;
use keyfold_lower::{Lowering, Origin, Pause, Step};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most requests of one step that are under way at an endpoint at the same time.
pub const TOGETHER_MAX: usize = 8;

/// The origin of a call that begins now: the moment of this machine's clock, and its chance.
pub fn origin() -> Origin {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Origin {
        now_epoch_ms: i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        seed: fastrand::u128(..),
    }
}

/// The time of a pause: any within its bounds, by chance.
pub fn time_of(pause: Pause) -> Duration {
    Duration::from_millis(fastrand::u64(pause.least_ms..=pause.most_ms))
}

/// Blocks the thread for a time.
pub fn wait(time: Duration) {
    std::thread::sleep(time);
}

/// The result of a call that is written as a future, and whose steps all block until they are done.
///
/// # Panics
/// When a step does not block.
pub fn blocked<T>(call: impl Future<Output = T>) -> T {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("each step of the call blocks until it is done"),
    }
}

/// Carries out all steps of a call.
///
/// # Errors
/// The call's.
pub fn drive<T>(backend: &Backend, call: Lowering<'_, T>) -> Result<T, ClientError> {
    drive_on(backend, &Terms::default(), call)
}

/// Carries out all steps of a call with terms.
///
/// # Errors
/// The call's; `TimedOut` when its time is over, and nothing was written. A call whose time is over
/// between two requests asks no more: its requests are answered with that, and it says what it has
/// done.
pub fn drive_on<T>(
    backend: &Backend,
    terms: &Terms,
    call: Lowering<'_, T>,
) -> Result<T, ClientError> {
    drive_by(terms, call, |requests| answered(backend, terms, requests))
}

/// Carries out all steps of a call, of which `ask` sends the requests.
///
/// # Errors
/// Those of [`drive_on`].
pub(crate) fn drive_by<T>(
    terms: &Terms,
    mut call: Lowering<'_, T>,
    ask: impl Fn(Vec<Request>) -> Vec<Result<Response, ClientError>>,
) -> Result<T, ClientError> {
    let mut answers = Vec::new();
    let mut late = None;
    loop {
        match call.next(std::mem::take(&mut answers)) {
            Step::Ask(requests) => {
                answers = match &late {
                    Some(error) => unasked(&requests, error),
                    None => ask(requests),
                };
            }
            Step::Pause(pause) => {
                let time = time_of(pause);
                match terms.check(time) {
                    Ok(()) => wait(time),
                    Err(error) => late = Some(error),
                }
            }
            Step::Done(result) => return result,
        }
    }
}

/// The answers of requests that are not sent any more.
pub fn unasked(requests: &[Request], error: &ClientError) -> Vec<Result<Response, ClientError>> {
    requests.iter().map(|_| Err(error.clone())).collect()
}

/// The answers of requests, in their order. An endpoint is asked several at the same time.
pub(crate) fn answered(
    backend: &Backend,
    terms: &Terms,
    requests: Vec<Request>,
) -> Vec<Result<Response, ClientError>> {
    let span = Span::current();
    let call = |one| span.within(|| backend.call_on(one, terms));
    if requests.len() < 2 || backend.is_embedded() {
        return requests.into_iter().map(call).collect();
    }
    let mut answers = Vec::with_capacity(requests.len());
    let mut left = requests.into_iter().peekable();
    while left.peek().is_some() {
        let some: Vec<Request> = left.by_ref().take(TOGETHER_MAX).collect();
        std::thread::scope(|scope| {
            let calls: Vec<_> = some
                .into_iter()
                .map(|one| scope.spawn(move || call(one)))
                .collect();
            let of = |call: std::thread::ScopedJoinHandle<'_, _>| match call.join() {
                Ok(answer) => answer,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            answers.extend(calls.into_iter().map(of));
        });
    }
    answers
}
