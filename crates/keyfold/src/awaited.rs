//! Carries out the steps of a call. Every call is written once, as a future: a task awaits it, and a
//! blocking call takes its result at once ([`blocked`]), since each of its steps blocks.
//!
//! For a task, an engine in the program answers on the task itself, and no thread waits for its disk;
//! nor does one for the answer of an endpoint. A pause blocks a thread of the pool. The database is
//! leased for each request, not for the call: a call that nobody awaits any more must not hold up its
//! closing. A blocking call holds it to its end.

use crate::error::Error;
use crate::handle::Shared;
use async_lock::Semaphore;
use blocking::unblock;
use keyfold_api::{Request, Response};
pub(crate) use keyfold_client::blocked;
use keyfold_client::{ClientError, TOGETHER_MAX, Terms, drive_on, unasked};
use keyfold_lower::{Lowering, Step, together};
use std::future::poll_fn;
use std::task::Poll;

/// The answer of a request.
type Answer = Result<Response, ClientError>;

/// Carries out all steps of a call.
///
/// # Errors
/// The call's; `Closed` when the database is closed in the meantime, and nothing more is sent.
pub(crate) async fn carried<T>(
    shared: &Shared,
    terms: &Terms,
    mut call: Lowering<'_, T>,
) -> Result<T, Error> {
    if shared.blocks() {
        return Ok(drive_on(&*shared.lease()?, terms, call)?);
    }
    let mut answers = Vec::new();
    let mut ended = Ended::default();
    let mut is_first = true;
    loop {
        match call.next(std::mem::take(&mut answers)) {
            Step::Ask(requests) => {
                if !std::mem::take(&mut is_first) {
                    others_first().await;
                }
                answers = match &ended.why {
                    Some(why) => unasked(&requests, why),
                    None => answered(shared, terms, requests, &mut ended).await,
                };
            }
            Step::Pause(pause) => {
                let time = keyfold_client::time_of(pause);
                if let Err(why) = terms.check(time) {
                    ended.why = Some(why);
                } else if in_pool(shared, move || keyfold_client::wait(time))
                    .await
                    .is_err()
                {
                    ended.closed();
                }
            }
            Step::Done(result) => return ended.result(result),
        }
    }
}

/// The end of a call before its result: its further requests are answered with the reason, so that a
/// batch says what it has written.
#[derive(Default)]
struct Ended {
    why: Option<ClientError>,
    is_closed: bool,
}

impl Ended {
    /// The database has been closed.
    fn closed(&mut self) -> ClientError {
        let why = ClientError::Transport(Error::Closed.to_string());
        self.is_closed = true;
        self.why = Some(why.clone());
        why
    }

    /// The result of the call. Where the database has been closed, and the call has nothing else to
    /// say, that is its error.
    fn result<T>(self, result: Result<T, ClientError>) -> Result<T, Error> {
        match result {
            Err(ClientError::Transport(_)) if self.is_closed => Err(Error::Closed),
            other => Ok(other?),
        }
    }
}

/// The answers of requests, in their order. They are under way at the same time; at an endpoint, as
/// many of them as blocking calls send.
async fn answered(
    shared: &Shared,
    terms: &Terms,
    mut requests: Vec<Request>,
    ended: &mut Ended,
) -> Vec<Answer> {
    let answers = if requests.len() == 1
        && let Some(only) = requests.pop()
    {
        vec![answer(shared, terms, only).await]
    } else {
        let is_embedded = shared.lease().is_ok_and(|lease| lease.is_embedded());
        let window = if is_embedded {
            requests.len()
        } else {
            TOGETHER_MAX
        };
        let window = &Semaphore::new(window);
        let part = async |request| {
            let _turn = window.acquire().await;
            answer(shared, terms, request).await
        };
        together(requests.into_iter().map(part)).await
    };
    let answers = answers.into_iter();
    answers
        .map(|answer| answer.unwrap_or_else(|_| Err(ended.closed())))
        .collect()
}

/// The answer of a request.
///
/// # Errors
/// `Closed`. The answer is `TimedOut` when the call's time is over before it is its turn.
pub(crate) async fn answer(
    shared: &Shared,
    terms: &Terms,
    request: Request,
) -> Result<Answer, Error> {
    let lease = shared.lease()?;
    if lease.is_embedded() {
        let started = lease.start(request, terms);
        // What is staged is written, although nobody may await it any more.
        drop(lease);
        return Ok(started.await);
    }
    drop(lease);
    let _permit = match terms.bounding(shared.permits()?.acquire_arc()).await {
        Ok(permit) => permit,
        Err(late) => return Ok(Err(late)),
    };
    let started = shared.lease()?.start(request, terms);
    Ok(started.await)
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
