//! The Lambda Runtime API, which a process of a function asks for calls and answers them through.
//!
//! A process has one call at a time, as in Lambda. One that asks again before it has answered gets the same
//! call again, with the same ID. Of requests that wait at once, one gets the next call, and another one the call
//! behind it, when the first is answered.

use super::queue::{Call, Queue};
use super::surroundings::{ANSWER_MAX, TOO_LONG, timed_out};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use keyfold_stream::mapping::Reply;
use serde_json::{Value as Json, json};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::net::TcpListener;
use tokio::sync::{Mutex as Turn, Notify, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Before the paths of the API.
const VERSION: &str = "/2018-06-01/runtime/";
/// The time in which a process must ask for its first call: that of Lambda. It is the least time for a next one,
/// too.
const INIT_TIMEOUT: Duration = Duration::from_secs(10);

/// The sentence about an answer whose connection is closed in its middle.
const CUT_OFF: &str = "the connection was closed in the middle of the answer";

/// The calls of one process.
pub(super) struct Session {
    queue: Arc<Queue>,
    arn: String,
    state: Mutex<State>,
    /// Something has begun or ended: the time that is watched is another one.
    changed: Notify,
    /// The request that gets the next call.
    turn: Turn<()>,
    /// A call is answered, or has failed.
    ended: Notify,
}

struct State {
    has_asked: bool,
    current: Option<Current>,
    /// The requests that wait for a call.
    waiting: usize,
    /// The moment since which the process neither has a call nor waits for one.
    idle_since: Instant,
    /// How long it may be so.
    idle_most: Duration,
}

/// A request that waits for a call, also until its connection is closed.
struct Waiting<'s>(&'s Session);

impl<'s> Waiting<'s> {
    fn on(session: &'s Session) -> Waiting<'s> {
        session.state().waiting += 1;
        session.changed.notify_one();
        Waiting(session)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.waiting -= 1;
        state.idle_since = Instant::now();
        drop(state);
        self.0.changed.notify_one();
    }
}

/// The call that the process is about.
struct Current {
    shown: Shown,
    reply: oneshot::Sender<Reply>,
    timeout: Duration,
    deadline: Instant,
}

/// A call as the process sees it, each time that it asks.
#[derive(Clone)]
struct Shown {
    id: String,
    event: Bytes,
    deadline_ms: String,
}

impl Session {
    pub(super) fn new(queue: Arc<Queue>, arn: String) -> Session {
        Session {
            queue,
            arn,
            state: Mutex::new(State {
                has_asked: false,
                current: None,
                waiting: 0,
                idle_since: Instant::now(),
                idle_most: INIT_TIMEOUT,
            }),
            changed: Notify::new(),
            turn: Turn::default(),
            ended: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the process has asked for a call.
    pub(super) fn has_asked(&self) -> bool {
        self.state().has_asked
    }

    /// Whether the process has a call that it has not answered.
    pub(super) fn has_call(&self) -> bool {
        self.state().current.is_some()
    }

    /// Lets the present call fail. Returns whether there was one.
    pub(super) fn fail(&self, why: &str) -> bool {
        let current = self.take(|_| true);
        let is_there = current.is_some();
        if let Some(current) = current {
            drop(
                current
                    .reply
                    .send(Reply::Failed("Unhandled", why.to_owned())),
            );
        }
        is_there
    }

    /// Takes the present call, if it is one that is meant: the process may get the next one.
    fn take(&self, is_meant: impl FnOnce(&mut Current) -> bool) -> Option<Current> {
        let mut state = self.state();
        let taken = state.current.take_if(is_meant);
        if let Some(taken) = &taken {
            state.idle_since = Instant::now();
            state.idle_most = taken.timeout.max(INIT_TIMEOUT);
        }
        drop(state);
        if taken.is_some() {
            self.changed.notify_one();
            self.ended.notify_one();
        }
        taken
    }

    /// Waits until a call has taken longer than it may, or the process has not asked for one in time. Returns the
    /// sentence about it.
    pub(super) async fn overdue(&self) -> String {
        loop {
            match self.deadline() {
                Some((deadline, why)) if deadline <= Instant::now() => return why,
                Some((deadline, _)) => tokio::select! {
                    () = tokio::time::sleep_until(deadline) => {}
                    () = self.changed.notified() => {}
                },
                None => self.changed.notified().await,
            }
        }
    }

    /// The moment at which the process is late, and the sentence about it; `None` while it waits for a call.
    fn deadline(&self) -> Option<(Instant, String)> {
        let state = self.state();
        if let Some(current) = &state.current {
            return Some((current.deadline, timed_out(current.timeout)));
        }
        let which = match state.has_asked {
            true => "the next",
            false => "a first",
        };
        let seconds = state.idle_most.as_secs();
        let why = format!("the runtime did not ask for {which} event within {seconds} seconds");
        (state.waiting == 0).then(|| (state.idle_since + state.idle_most, why))
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let path = request.uri().path().to_owned();
        let parts: Vec<&str> = path
            .strip_prefix(VERSION)
            .unwrap_or_default()
            .split('/')
            .collect();
        let is_post = request.method() == Method::POST;
        match parts.as_slice() {
            ["invocation", "next"] if request.method() == Method::GET => self.next().await,
            ["invocation", id, "response"] if is_post => self.answered(id, request, false).await,
            ["invocation", id, "error"] if is_post => self.answered(id, request, true).await,
            // The process ends after it, which lets the call fail.
            ["init", "error"] if is_post => status(StatusCode::ACCEPTED, &json!({"status": "OK"})),
            _ => refused(
                StatusCode::NOT_FOUND,
                "NotFound",
                "the Runtime API has no such path",
            ),
        }
    }

    async fn next(&self) -> Response<Full<Bytes>> {
        let Shown {
            id,
            event,
            deadline_ms,
        } = self.call().await;
        let answer = Response::builder()
            .header(CONTENT_TYPE, "application/json")
            .header("Lambda-Runtime-Aws-Request-Id", id)
            .header("Lambda-Runtime-Deadline-Ms", deadline_ms)
            .header("Lambda-Runtime-Invoked-Function-Arn", &self.arn)
            .body(Full::new(event));
        answer.unwrap_or_else(|error| {
            refused(
                StatusCode::INTERNAL_SERVER_ERROR,
                "InternalError",
                &error.to_string(),
            )
        })
    }

    /// The call that is not answered yet, or the next one, as soon as there is one.
    async fn call(&self) -> Shown {
        let present = {
            let mut state = self.state();
            state.has_asked = true;
            state.current.as_ref().map(|current| current.shown.clone())
        };
        if let Some(shown) = present {
            return shown;
        }
        // A connection that is closed meanwhile gives its turn back. Nothing is awaited behind the queue.
        let _waiting = Waiting::on(self);
        let _turn = self.turn.lock().await;
        while self.state().current.is_some() {
            self.ended.notified().await;
        }
        let Call {
            id,
            event,
            timeout,
            reply,
        } = self.queue.next().await;
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let shown = Shown {
            id,
            event: Bytes::from(event),
            deadline_ms: (now + timeout).as_millis().to_string(),
        };
        self.state().current = Some(Current {
            shown: shown.clone(),
            reply,
            timeout,
            deadline: Instant::now() + timeout,
        });
        self.changed.notify_one();
        shown
    }

    async fn answered(
        &self,
        id: &str,
        request: Request<Incoming>,
        is_error: bool,
    ) -> Response<Full<Bytes>> {
        let body = Limited::new(request.into_body(), ANSWER_MAX)
            .collect()
            .await;
        let Some(current) = self.take(|current| current.shown.id == id) else {
            let why = "there is no call with this ID that waits for an answer";
            return refused(StatusCode::BAD_REQUEST, "InvalidRequestID", why);
        };
        let body = match body {
            Ok(body) => body,
            Err(error) => {
                let (code, kind, why) = match error.is::<LengthLimitError>() {
                    true => (
                        StatusCode::PAYLOAD_TOO_LARGE,
                        "RequestEntityTooLarge",
                        TOO_LONG,
                    ),
                    false => (StatusCode::BAD_REQUEST, "TruncatedResponse", CUT_OFF),
                };
                drop(
                    current
                        .reply
                        .send(Reply::Failed("Unhandled", why.to_owned())),
                );
                return refused(code, kind, why);
            }
        };
        let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        let reply = match is_error {
            true => Reply::Failed("Unhandled", explained(&text)),
            false => Reply::Returned(text),
        };
        // A call that nobody awaits any more needs no answer.
        drop(current.reply.send(reply));
        status(StatusCode::ACCEPTED, &json!({"status": "OK"}))
    }
}

/// The error of a function, in one line.
fn explained(text: &str) -> String {
    let json: Json = serde_json::from_str(text).unwrap_or_default();
    let of = |name: &str| json.get(name).and_then(Json::as_str);
    match (of("errorType"), of("errorMessage")) {
        (Some(kind), Some(message)) => format!("{kind}: {message}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => text.to_owned(),
    }
}

fn status(status: StatusCode, body: &Json) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(Bytes::from(body.to_string())));
    *answer.status_mut() = status;
    answer
}

fn refused(code: StatusCode, kind: &str, message: &str) -> Response<Full<Bytes>> {
    status(code, &json!({"errorType": kind, "errorMessage": message}))
}

/// Answers the requests of a process. Its connections end with this future.
pub(super) async fn serve(listener: TcpListener, session: Arc<Session>) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let session = Arc::clone(&session);
        connections.spawn(async move {
            let answer = service_fn(|request| {
                let session = Arc::clone(&session);
                async move { Ok::<_, Infallible>(session.answer(request).await) }
            });
            // A runtime that closes its connection has ended, or opens another.
            drop(
                http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), answer)
                    .await,
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use tokio::sync::oneshot::Receiver;

    fn add(queue: &Queue, id: &str) -> Receiver<Reply> {
        let (reply, replied) = oneshot::channel();
        queue.add(Call {
            id: id.to_owned(),
            event: "{}".to_owned(),
            timeout: Duration::from_secs(600),
            reply,
        });
        replied
    }

    fn answer(session: &Session, id: &str) {
        let current = session.take(|current| current.shown.id == id).unwrap();
        current.reply.send(Reply::Returned(id.to_owned())).unwrap();
    }

    /// Runs the other tasks until each of them waits.
    async fn rest() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn requests_that_wait_at_once_get_one_call_after_the_other() {
        let queue = Arc::new(Queue::default());
        let session = Arc::new(Session::new(Arc::clone(&queue), String::new()));
        let asked = [(); 2].map(|()| {
            let session = Arc::clone(&session);
            tokio::spawn(async move { session.call().await.id })
        });
        rest().await;
        let mut replies = ["a", "b"].map(|id| add(&queue, id));
        rest().await;
        assert_eq!(
            asked.each_ref().map(|task| task.is_finished()),
            [true, false]
        );
        answer(&session, "a");
        let [first, second] = asked;
        assert_eq!(
            (first.await.unwrap(), second.await.unwrap()),
            ("a".into(), "b".into())
        );
        answer(&session, "b");
        for (reply, id) in replies.iter_mut().zip(["a", "b"]) {
            assert_eq!(reply.await.unwrap(), Reply::Returned(id.to_owned()));
        }
    }

    #[tokio::test]
    async fn a_process_that_asks_before_it_has_answered_gets_the_same_call_again() {
        let queue = Arc::new(Queue::default());
        let session = Session::new(Arc::clone(&queue), String::new());
        let [_first, _second] = ["a", "b"].map(|id| add(&queue, id));
        let first = session.call().await;
        let again = session.call().await;
        assert_eq!((first.id, first.deadline_ms), (again.id, again.deadline_ms));
        answer(&session, "a");
        assert_eq!(session.call().await.id, "b");
        assert!(session.fail("it ended"));
        assert!(!session.fail("it ended"));
    }

    #[tokio::test]
    async fn a_process_that_asks_for_no_call_is_late_and_one_that_waits_is_not() {
        let queue = Arc::new(Queue::default());
        let session = Arc::new(Session::new(Arc::clone(&queue), String::new()));
        // The whole minutes that are left until it is late, and the sentence then.
        let late = || {
            let (at, why) = session.deadline()?;
            let left = at.saturating_duration_since(Instant::now());
            Some(((left.as_secs_f64() / 60.0).round(), why))
        };
        let first = "the runtime did not ask for a first event within 10 seconds";
        assert_eq!(late(), Some((0.0, first.to_owned())));
        let waits = {
            let session = Arc::clone(&session);
            tokio::spawn(async move { session.call().await.id })
        };
        rest().await;
        assert_eq!(late(), None);
        let _reply = add(&queue, "a");
        waits.await.unwrap();
        let call = "Task timed out after 600.00 seconds";
        assert_eq!(late(), Some((10.0, call.to_owned())));
        answer(&session, "a");
        let next = "the runtime did not ask for the next event within 600 seconds";
        assert_eq!(late(), Some((10.0, next.to_owned())));
        // A request whose connection is closed waits no more.
        let closed = {
            let session = Arc::clone(&session);
            tokio::spawn(async move { session.call().await.id })
        };
        rest().await;
        assert_eq!(late(), None);
        closed.abort();
        rest().await;
        assert_eq!(late(), Some((10.0, next.to_owned())));
    }

    #[tokio::test]
    async fn an_answer_that_is_cut_off_is_said_to_be_so() {
        let queue = Arc::new(Queue::default());
        let session = Arc::new(Session::new(Arc::clone(&queue), String::new()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let served = tokio::spawn(serve(listener, Arc::clone(&session)));
        let reply = add(&queue, "a");
        session.call().await;
        let mut process = std::net::TcpStream::connect(address).unwrap();
        let part = b"POST /2018-06-01/runtime/invocation/a/response HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{";
        process.write_all(part).unwrap();
        drop(process);
        let failed = Reply::Failed("Unhandled", CUT_OFF.to_owned());
        assert_eq!(reply.await.unwrap(), failed);
        served.abort();
    }
}
