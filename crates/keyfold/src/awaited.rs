//! Carries out the steps of a call on the task that awaits it.
//!
//! An engine in the program answers on the task itself, and no thread waits for its disk. A request to
//! an endpoint blocks a thread of the pool, and so does a pause.
//!
//! The database is leased for each request, not for the call: a call that nobody awaits any more must
//! not hold up its closing.

use crate::error::Error;
use crate::handle::Shared;
use blocking::unblock;
use keyfold_api::{Request, Response};
use keyfold_client::ClientError;
use keyfold_lower::{Lowering, Step, together};
use std::future::poll_fn;
use std::task::Poll;

/// The answer of a request.
type Answer = Result<Response, ClientError>;

/// Carries out all steps of a call.
///
/// # Errors
/// The call's; `Closed` when the database is closed in the meantime, and nothing more is sent.
pub(crate) async fn carried<T>(shared: &Shared, mut call: Lowering<'_, T>) -> Result<T, Error> {
    let mut answers = Vec::new();
    let mut is_first = true;
    loop {
        match call.next(std::mem::take(&mut answers)) {
            Step::Ask(requests) => {
                if !std::mem::take(&mut is_first) {
                    others_first().await;
                }
                answers = answered(shared, requests).await?;
            }
            Step::Pause(pause) => in_pool(shared, move || keyfold_client::wait(pause)).await?,
            Step::Done(result) => return Ok(result?),
        }
    }
}

/// The answers of requests, in their order. All of them are under way at the same time.
async fn answered(shared: &Shared, mut requests: Vec<Request>) -> Result<Vec<Answer>, Error> {
    if requests.len() == 1
        && let Some(only) = requests.pop()
    {
        return Ok(vec![answer(shared, only).await?]);
    }
    let parts = requests.into_iter().map(|one| answer(shared, one));
    together(parts).await.into_iter().collect()
}

/// The answer of a request.
///
/// # Errors
/// `Closed`.
pub(crate) async fn answer(shared: &Shared, request: Request) -> Result<Answer, Error> {
    let lease = shared.lease()?;
    let started = lease.start(request);
    // What is staged is written, although nobody may await it any more.
    drop(lease);
    match started {
        Ok(answer) => Ok(answer.await),
        Err(request) => {
            let own = shared.clone();
            let call = move || Ok(own.lease()?.call(*request));
            in_pool(shared, call).await?
        }
    }
}

/// Runs what blocks on a thread of the pool, when it is its turn.
///
/// # Errors
/// `Closed`.
pub(crate) async fn in_pool<T: Send + 'static>(
    shared: &Shared,
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let permit = shared.permits()?.acquire_arc().await;
    let result = unblock(move || {
        let result = call();
        drop(permit);
        result
    });
    Ok(result.await)
}

/// Lets the other tasks of the thread go first: an engine in memory answers at once, and a call of many
/// requests would keep them waiting.
async fn others_first() {
    let mut is_over = false;
    poll_fn(|context| {
        if std::mem::replace(&mut is_over, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
