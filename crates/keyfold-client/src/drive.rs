//! Carries out the steps of a call, and blocks while it waits.

use crate::backend::Backend;
use keyfold_api::{Request, Response};
use keyfold_lower::ClientError;
use keyfold_lower::{Lowering, Origin, Pause, Step};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most requests of one step that are under way at an endpoint at the same time.
const TOGETHER_MAX: usize = 8;

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

/// Makes a pause: sleeps for a time within its bounds, by chance.
pub fn wait(pause: Pause) {
    let time = fastrand::u64(pause.least_ms..=pause.most_ms);
    std::thread::sleep(Duration::from_millis(time));
}

/// Carries out all steps of a call.
///
/// # Errors
/// The call's.
pub fn drive<T>(backend: &Backend, mut call: Lowering<'_, T>) -> Result<T, ClientError> {
    let mut answers = Vec::new();
    loop {
        match call.next(std::mem::take(&mut answers)) {
            Step::Ask(requests) => answers = answered(backend, requests),
            Step::Pause(pause) => wait(pause),
            Step::Done(result) => return result,
        }
    }
}

/// The answers of requests, in their order. An endpoint is asked several at the same time.
fn answered(backend: &Backend, requests: Vec<Request>) -> Vec<Result<Response, ClientError>> {
    if requests.len() < 2 || matches!(backend, Backend::Embedded(_)) {
        return requests.into_iter().map(|one| backend.call(one)).collect();
    }
    let mut answers = Vec::with_capacity(requests.len());
    let mut left = requests.into_iter().peekable();
    while left.peek().is_some() {
        let some: Vec<Request> = left.by_ref().take(TOGETHER_MAX).collect();
        std::thread::scope(|scope| {
            let calls: Vec<_> = some
                .into_iter()
                .map(|one| scope.spawn(move || backend.call(one)))
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
