//! The Lambda Runtime API, which a process of a function asks for calls and answers them through.

use super::queue::{Call, Queue};
use super::surroundings::{ANSWER_MAX, TOO_LONG, timed_out};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
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
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// Before the paths of the API.
const VERSION: &str = "/2018-06-01/runtime/";
/// The time in which a process must ask for its first call: that of Lambda.
const INIT_TIMEOUT: Duration = Duration::from_secs(10);

/// The calls of one process.
pub(super) struct Session {
    queue: Arc<Queue>,
    arn: String,
    state: Mutex<State>,
    began: Notify,
}

#[derive(Default)]
struct State {
    has_asked: bool,
    current: Option<Current>,
}

/// The call that the process is about.
struct Current {
    id: String,
    reply: oneshot::Sender<Reply>,
    timeout: Duration,
    deadline: Instant,
}

impl Session {
    pub(super) fn new(queue: Arc<Queue>, arn: String) -> Session {
        Session {
            queue,
            arn,
            state: Mutex::default(),
            began: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the process has asked for a call.
    pub(super) fn has_asked(&self) -> bool {
        self.state().has_asked
    }

    /// Waits until the time to ask for a first call is over. Returns the sentence about it, and never if the
    /// process has asked.
    pub(super) async fn silent(&self) -> String {
        tokio::time::sleep(INIT_TIMEOUT).await;
        if self.has_asked() {
            std::future::pending::<()>().await;
        }
        let seconds = INIT_TIMEOUT.as_secs();
        format!("the runtime did not ask for a first event within {seconds} seconds")
    }

    /// Lets the present call fail. Returns whether there was one.
    pub(super) fn fail(&self, why: &str) -> bool {
        let current = self.state().current.take();
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

    /// Waits until a call has taken longer than it may. Returns the sentence about it.
    pub(super) async fn overdue(&self) -> String {
        loop {
            let deadline = self
                .state()
                .current
                .as_ref()
                .map(|one| (one.deadline, one.timeout));
            match deadline {
                Some((deadline, timeout)) if deadline <= Instant::now() => {
                    return timed_out(timeout);
                }
                Some((deadline, _)) => tokio::select! {
                    () = tokio::time::sleep_until(deadline) => {}
                    () = self.began.notified() => {}
                },
                None => self.began.notified().await,
            }
        }
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
        self.state().has_asked = true;
        self.fail("the runtime asked for the next call before it answered the last");
        let Call {
            id,
            event,
            timeout,
            reply,
        } = self.queue.next().await;
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        let deadline_ms = (now + timeout).as_millis().to_string();
        self.state().current = Some(Current {
            id: id.clone(),
            reply,
            timeout,
            deadline: Instant::now() + timeout,
        });
        self.began.notify_one();
        let answer = Response::builder()
            .header(CONTENT_TYPE, "application/json")
            .header("Lambda-Runtime-Aws-Request-Id", &id)
            .header("Lambda-Runtime-Deadline-Ms", deadline_ms)
            .header("Lambda-Runtime-Invoked-Function-Arn", &self.arn)
            .body(Full::new(Bytes::from(event)));
        answer.unwrap_or_else(|error| {
            refused(
                StatusCode::INTERNAL_SERVER_ERROR,
                "InternalError",
                &error.to_string(),
            )
        })
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
        let mut state = self.state();
        let current = state.current.take_if(|current| current.id == id);
        drop(state);
        let Some(current) = current else {
            let why = "there is no call with this ID that waits for an answer";
            return refused(StatusCode::BAD_REQUEST, "InvalidRequestID", why);
        };
        self.began.notify_one();
        let Ok(body) = body else {
            let why = TOO_LONG.to_owned();
            drop(current.reply.send(Reply::Failed("Unhandled", why)));
            return refused(
                StatusCode::PAYLOAD_TOO_LARGE,
                "RequestEntityTooLarge",
                TOO_LONG,
            );
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
