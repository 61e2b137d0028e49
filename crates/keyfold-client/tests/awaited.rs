//! Requests to an endpoint that a task awaits: the same outcomes as those of blocking calls, on any
//! runtime, with connections that are kept, and never used again after a dropped call.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_api::{
    DeleteItemInput, GetItemInput, PutItemInput, Request, Response, TransactWriteItemsInput,
};
use keyfold_client::{Backend, ClientError, Endpoint, Observer, Terms};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

/// What a server does with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    /// 200 with an empty object.
    Done,
    /// As `Done`, and the server closes the connection a moment later.
    DoneAndClosed,
    /// 400 with an exception.
    Refused(&'static str),
    Failed,
    /// The connection is closed without an answer.
    Closed,
    /// Half of the answer, and the connection is closed.
    Half,
    /// 200 with something that is no JSON.
    Strange,
    /// A redirect to the same server.
    Moved,
    /// No answer.
    Silent,
    /// An answer whose body is not that of its checksum.
    Changed,
    /// An answer in chunks, with a right checksum.
    Chunked,
    /// An answer behind an interim one.
    Continued,
    /// An answer that comes byte by byte, and too late.
    Slow,
    /// No HTTP.
    Garbage,
    /// An answer without an end.
    Endless,
    /// As `Done`, when this many requests have come since the ones before.
    Together(usize),
}

/// The answers that are no plain ones.
fn odd(reply: Reply) -> &'static str {
    match reply {
        Reply::Changed => "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-amz-crc32: 1\r\n\r\n{}",
        Reply::Chunked => {
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx-amz-crc32: 2745614147\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
        }
        Reply::Continued => {
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
        }
        Reply::Slow => "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
        Reply::Garbage => "220 mail.example ESMTP\r\n\r\n",
        Reply::Endless => "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        Reply::Done
        | Reply::DoneAndClosed
        | Reply::Refused(_)
        | Reply::Failed
        | Reply::Closed
        | Reply::Half
        | Reply::Strange
        | Reply::Moved
        | Reply::Silent
        | Reply::Together(_) => "",
    }
}

/// Writes an answer that is no plain one. Returns whether the connection goes on.
fn write_odd(stream: &mut TcpStream, reply: Reply) -> bool {
    let text = odd(reply).as_bytes();
    if reply == Reply::Slow {
        return text.iter().all(|byte| {
            std::thread::sleep(Duration::from_millis(20));
            stream.write_all(&[*byte]).is_ok()
        });
    }
    stream.write_all(text).unwrap();
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(0x10_0000));
    while reply == Reply::Endless && stream.write_all(chunk.as_bytes()).is_ok() {}
    !matches!(reply, Reply::Endless | Reply::Garbage)
}

/// A server that answers requests by a script, and at its end as its last line says.
struct Scripted {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl Scripted {
    fn start(script: &[Reply]) -> Scripted {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Scripted {
            address: listener.local_addr().unwrap(),
            requests: Arc::default(),
            connections: Arc::default(),
        };
        let (requests, connections) = (server.requests.clone(), server.connections.clone());
        let script = script.to_vec();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                connections.fetch_add(1, Ordering::SeqCst);
                let (requests, script) = (requests.clone(), script.clone());
                std::thread::spawn(move || serve(stream.unwrap(), &requests, &script));
            }
        });
        server
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn backend(&self) -> Backend {
        self.backend_with(2)
    }

    fn backend_with(&self, retries: u32) -> Backend {
        let endpoint = Endpoint {
            retries,
            request_timeout: Duration::from_millis(400),
            ..Endpoint::new(&self.url())
        };
        Backend::at(endpoint).unwrap()
    }

    fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn serve(mut stream: TcpStream, requests: &Mutex<Vec<String>>, script: &[Reply]) {
    while let Some(request) = message(&mut stream) {
        let (number, reply) = {
            let mut all = requests.lock().unwrap();
            all.push(request);
            let reply = *script.get(all.len() - 1).or(script.last()).unwrap();
            (all.len(), reply)
        };
        let (status, body) = match reply {
            Reply::Done | Reply::DoneAndClosed | Reply::Half => ("200 OK", "{}".to_owned()),
            Reply::Refused(exception) => (
                "400 Bad Request",
                format!(
                    "{{\"__type\":\"com.amazonaws.dynamodb.v20120810#{exception}\",\"message\":\"m\"}}"
                ),
            ),
            Reply::Failed => ("500 Internal Server Error", String::new()),
            Reply::Strange => ("200 OK", "<html>".to_owned()),
            Reply::Moved => ("307 Temporary Redirect\r\nlocation: /there", String::new()),
            Reply::Closed => return,
            Reply::Together(count) => {
                while requests.lock().unwrap().len() < number.next_multiple_of(count) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                assert!(is_quiet(&stream), "a second request before the answer");
                ("200 OK", "{}".to_owned())
            }
            Reply::Silent => {
                std::thread::sleep(Duration::from_secs(3));
                return;
            }
            Reply::Changed
            | Reply::Chunked
            | Reply::Continued
            | Reply::Slow
            | Reply::Garbage
            | Reply::Endless => match write_odd(&mut stream, reply) {
                true => continue,
                false => return,
            },
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let length = answer.len() - usize::from(reply == Reply::Half);
        stream.write_all(&answer.as_bytes()[..length]).unwrap();
        if matches!(reply, Reply::Half | Reply::DoneAndClosed) {
            return;
        }
    }
}

/// Whether a client has sent nothing more.
fn is_quiet(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let more = stream.peek(&mut [0]);
    stream.set_nonblocking(false).unwrap();
    more.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// Reads a request: its head and body.
fn message(stream: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut byte) = (Vec::new(), [0]);
    while !bytes.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return None;
        }
        bytes.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|one| one.strip_prefix("content-length: "));
    let mut body = vec![0; length.unwrap_or("0").trim().parse().unwrap()];
    stream.read_exact(&mut body).ok()?;
    Some(head + &String::from_utf8_lossy(&body))
}

fn read() -> Request {
    GetItemInput::default().into()
}

fn put() -> Request {
    PutItemInput::default().into()
}

fn transaction() -> Request {
    TransactWriteItemsInput::default().into()
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

/// The kind of an outcome.
fn kind(result: &Result<Response, ClientError>) -> String {
    match result {
        Ok(_) => "done".to_owned(),
        Err(ClientError::Service { exception, .. }) => exception.clone(),
        Err(ClientError::Transport(_)) => "transport".to_owned(),
        Err(ClientError::OutcomeUnknown { .. }) => "unknown".to_owned(),
        Err(ClientError::TimedOut(_)) => "timed out".to_owned(),
        Err(other) => panic!("{other:?}"),
    }
}

/// Each script with each kind of request: the outcome and the number of attempts.
#[test]
fn outcomes_are_those_of_blocking_calls() {
    const THROTTLED: Reply = Reply::Refused("ThrottlingException");
    const INVALID: Reply = Reply::Refused("ValidationException");
    // The outcome of a read, of a write, and of a write with a token.
    for (script, read_is, put_is, transaction_is) in [
        (&[Reply::Done][..], "done 1", "done 1", "done 1"),
        (&[THROTTLED, Reply::Done], "done 2", "done 2", "done 2"),
        (
            &[THROTTLED],
            "ThrottlingException 3",
            "ThrottlingException 3",
            "ThrottlingException 3",
        ),
        (
            &[INVALID],
            "ValidationException 1",
            "ValidationException 1",
            "ValidationException 1",
        ),
        (
            &[Reply::Closed, Reply::Done],
            "done 2",
            "unknown 1",
            "done 2",
        ),
        (&[Reply::Half, Reply::Done], "done 2", "unknown 1", "done 2"),
        (
            &[Reply::Failed, Reply::Done],
            "done 2",
            "unknown 1",
            "done 2",
        ),
        (
            &[Reply::Silent, Reply::Done],
            "done 2",
            "unknown 1",
            "done 2",
        ),
        (&[Reply::Chunked], "done 1", "done 1", "done 1"),
        (&[Reply::Continued], "done 1", "done 1", "done 1"),
        (
            &[Reply::Changed, Reply::Done],
            "done 2",
            "unknown 1",
            "done 2",
        ),
        (&[Reply::Slow, Reply::Done], "done 2", "unknown 1", "done 2"),
        (
            &[Reply::Garbage, Reply::Done],
            "done 2",
            "unknown 1",
            "done 2",
        ),
        (
            &[Reply::Endless, Reply::Done],
            "done 2",
            "unknown 1",
            "done 2",
        ),
        (&[Reply::Strange], "transport 3", "unknown 1", "unknown 3"),
        (&[Reply::Moved], "transport 3", "unknown 1", "unknown 3"),
        (
            &[Reply::Closed, INVALID],
            "ValidationException 2",
            "unknown 1",
            "unknown 2",
        ),
        (
            &[Reply::Closed, THROTTLED],
            "ThrottlingException 3",
            "unknown 1",
            "unknown 3",
        ),
        (&[Reply::Failed], "transport 3", "unknown 1", "unknown 3"),
    ] {
        for (request, expected) in [
            (read(), read_is),
            (put(), put_is),
            (transaction(), transaction_is),
        ] {
            let server = Scripted::start(script);
            let blocking = server.backend().call(request.clone());
            let found = format!("{} {}", kind(&blocking), server.count());
            assert_eq!(found, expected, "blocking: {script:?} {request:?}");

            let server = Scripted::start(script);
            let backend = server.backend();
            let started = backend.start(request.clone(), &Terms::default());
            let awaited = runtime().block_on(started);
            let found = format!("{} {}", kind(&awaited), server.count());
            assert_eq!(found, expected, "awaited: {script:?} {request:?}");
            tokens_are_equal(&server.requests.lock().unwrap());
        }
    }
}

/// All attempts of a request have the same body, and so the same token.
fn tokens_are_equal(requests: &[String]) {
    let body = |request: &String| request.split("\r\n\r\n").nth(1).map(str::to_owned);
    assert!(requests.iter().all(|one| body(one) == body(&requests[0])));
}

#[test]
fn an_endpoint_that_is_not_there_was_asked_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let endpoint = Endpoint {
        retries: 1,
        ..Endpoint::new(&url)
    };
    let backend = Backend::at(endpoint).unwrap();
    let result = runtime().block_on(backend.start(put(), &Terms::default()));
    assert_eq!(kind(&result), "transport", "{result:?}");
    assert!(result.unwrap_err().to_string().contains(&url));
}

#[test]
fn a_server_without_tls_gets_nothing_over_https() {
    let server = Scripted::start(&[Reply::Done]);
    let endpoint = Endpoint {
        retries: 0,
        connect_timeout: Duration::from_millis(300),
        ..Endpoint::new(&format!("https://{}", server.address))
    };
    let backend = Backend::at(endpoint).unwrap();
    let result = runtime().block_on(backend.start(put(), &Terms::default()));
    assert_eq!(kind(&result), "transport", "{result:?}");
}

/// One connection carries many requests, one that the server has closed none, and one whose call was
/// dropped none.
#[test]
fn connections_are_kept_unless_they_are_half_used() {
    runtime().block_on(async {
        let server = Scripted::start(&[Reply::Done]);
        let backend = server.backend();
        let done = async || kind(&backend.start(put(), &Terms::default()).await);
        for _ in 0..20 {
            assert_eq!(done().await, "done");
        }
        assert_eq!((server.count(), server.connections()), (20, 1));
        let several = (0..5).map(|_| backend.start(read(), &Terms::default()));
        let several = keyfold_lower::together(several.map(Box::pin)).await;
        assert!(several.iter().all(Result::is_ok));
        let made = server.connections();
        assert!(made <= 5, "{made}");
        for _ in 0..20 {
            assert_eq!(done().await, "done");
        }
        assert_eq!(server.connections(), made);

        let server = Scripted::start(&[Reply::DoneAndClosed]);
        let backend = server.backend_with(0);
        for _ in 0..20 {
            let result = backend.start(put(), &Terms::default()).await;
            assert_eq!(kind(&result), "done", "{result:?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(server.connections(), 20);

        let server = Scripted::start(&[Reply::Done, Reply::Silent, Reply::Done]);
        let backend = server.backend();
        assert!(backend.start(put(), &Terms::default()).await.is_ok());
        let mut dropped = Box::pin(backend.start(put(), &Terms::default()));
        while server.count() < 2 {
            let mut context = Context::from_waker(Waker::noop());
            assert!(dropped.as_mut().poll(&mut context).is_pending());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        drop(dropped);
        assert!(backend.start(put(), &Terms::default()).await.is_ok());
        assert_eq!(server.connections(), 2);
    });
}

/// The same of calls that block.
#[test]
fn connections_of_blocking_calls_are_kept() {
    for (reply, connections) in [(Reply::Done, 1), (Reply::DoneAndClosed, 20)] {
        let server = Scripted::start(&[reply]);
        let backend = server.backend_with(0);
        for _ in 0..20 {
            let result = backend.call_on(put(), &Terms::default());
            assert_eq!(kind(&result), "done", "{result:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!((server.count(), server.connections()), (20, connections));
    }
}

/// Calls at the same time have a connection each, and the next ones use the same connections.
#[test]
fn no_connection_carries_two_calls_at_once() {
    const CALLS: usize = 8;
    let server = Scripted::start(&[Reply::Together(CALLS)]);
    let backend = server.backend_with(0);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(4).enable_all().build().unwrap();
    for round in 1..=20 {
        runtime.block_on(async {
            let calls = (0..CALLS).map(|_| tokio::spawn(backend.start(put(), &Terms::default())));
            for call in calls.collect::<Vec<_>>() {
                assert_eq!(kind(&call.await.unwrap()), "done");
            }
        });
        assert_eq!(
            (server.count(), server.connections()),
            (round * CALLS, CALLS)
        );
    }
}

/// A thread that sleeps until its task is woken.
struct Sleeper(std::thread::Thread);

impl Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Sleeper(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Tasks of no runtime, and of several of which one stands still, do not wait for each other's
/// connections.
#[test]
fn every_runtime_has_its_own_connections() {
    let server = Scripted::start(&[Reply::Done]);
    let backend = server.backend();
    let done = || async { kind(&backend.start(read(), &Terms::default()).await) };
    assert_eq!(block_on(done()), "done");
    let (one, other) = (runtime(), runtime());
    assert_eq!(one.block_on(done()), "done");
    assert_eq!(other.block_on(done()), "done");
    assert_eq!(server.connections(), 3);
    drop(one);
    for _ in 0..3 {
        assert_eq!(other.block_on(done()), "done");
        assert_eq!(block_on(done()), "done");
    }
    assert_eq!(server.connections(), 3);
}

/// The time of a call bounds its attempts, its delays and its turn; a write that was sent may have
/// been done.
#[test]
fn a_call_ends_when_its_time_is_over() {
    let time = Duration::from_millis(150);
    for (reply, read_is, put_is) in [
        (Reply::Silent, "timed out", "unknown"),
        (Reply::Closed, "transport", "unknown"),
        (
            Reply::Refused("ThrottlingException"),
            "ThrottlingException",
            "ThrottlingException",
        ),
    ] {
        for (request, expected) in [(read(), read_is), (put(), put_is)] {
            let server = Scripted::start(&[reply]);
            let backend = Backend::at(Endpoint {
                retries: 20,
                ..Endpoint::new(&server.url())
            })
            .unwrap();
            let began = Instant::now();
            let blocking = backend.call_on(request.clone(), &Terms::within(time));
            assert_eq!(kind(&blocking), expected, "blocking: {reply:?} {request:?}");
            let awaited = block_on(backend.start(request.clone(), &Terms::within(time)));
            assert_eq!(kind(&awaited), expected, "awaited: {reply:?} {request:?}");
            assert!(began.elapsed() < Duration::from_millis(900));
        }
    }
    let over = Terms::within(Duration::ZERO);
    let server = Scripted::start(&[Reply::Done]);
    let backend = server.backend();
    assert_eq!(kind(&backend.call_on(put(), &over)), "timed out");
    assert_eq!(kind(&block_on(backend.start(put(), &over))), "timed out");
    assert_eq!(server.count(), 0);
    let memory = keyfold_engine::EngineOptions::new(keyfold_engine::StoreOptions::Memory);
    let engine = keyfold_engine::Engine::open(memory).unwrap();
    let memory = Backend::Embedded(Arc::new(engine));
    let delete = || Request::from(DeleteItemInput::default());
    assert_eq!(kind(&memory.call_on(delete(), &over)), "timed out");
    assert_eq!(kind(&block_on(memory.start(delete(), &over))), "timed out");
    let never = block_on(Terms::within(time).bounding(std::future::pending::<()>()));
    assert!(matches!(never, Err(ClientError::TimedOut(_))));
}

/// An observer sees each request once, with the number of its attempts, however it was sent.
#[test]
fn an_observer_sees_how_often_a_request_was_sent() {
    let script = [
        Reply::Refused("ThrottlingException"),
        Reply::Failed,
        Reply::Done,
    ];
    let seen = Arc::new(Mutex::new(Vec::new()));
    let lines = seen.clone();
    let observer = Observer::new(move |sent| {
        let line = format!("{:?} {} {}", sent.call, sent.operation, sent.attempts);
        lines.lock().unwrap().push((line, sent.error.is_some()));
    });
    let terms = Terms::default().of_call("a").observed(Some(observer));
    for request in [read(), put()] {
        let server = Scripted::start(&script);
        let blocking = server.backend().call_on(request.clone(), &terms);
        let server = Scripted::start(&script);
        let awaited = block_on(server.backend().start(request, &terms));
        assert_eq!(kind(&blocking), kind(&awaited));
    }
    let read = ("Some(\"a\") GetItem 3".to_owned(), false);
    let put = ("Some(\"a\") PutItem 2".to_owned(), true);
    assert_eq!(
        *seen.lock().unwrap(),
        [read.clone(), read, put.clone(), put]
    );
}
