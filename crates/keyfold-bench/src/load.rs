//! The load generator: connections that each send a request, wait for its answer, and send the
//! next.
//!
//! All connections share one thread, so that the generator takes at most one core from the server.

use hdrhistogram::Histogram;
use keyfold_workload::request::{self, Protocol};
use keyfold_workload::workload::{Lane, Scratch, Workload};
use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// The measurements of a run.
#[derive(Debug)]
pub(crate) struct Measured {
    /// Good answers in the measured time.
    pub(crate) answers: u64,
    pub(crate) seconds: f64,
    /// All answers, including those of the warm-up.
    pub(crate) all_answers: u64,
    /// Errors, including those of the warm-up.
    pub(crate) errors: u64,
    /// The text of the first error.
    pub(crate) error: Option<String>,
    /// Nanoseconds from sending a request to the end of its answer.
    pub(crate) latency: Histogram<u64>,
}

impl Measured {
    /// Good answers a second.
    pub(crate) fn rate(&self) -> f64 {
        self.answers as f64 / self.seconds
    }

    /// Counts an answer. `took` is its latency, if it ended in the measured time.
    fn record(&mut self, took: Option<Duration>, failed: Option<String>) {
        self.all_answers += 1;
        match (failed, took) {
            (Some(error), _) => {
                self.errors += 1;
                self.error.get_or_insert(error);
            }
            (None, Some(took)) => {
                self.answers += 1;
                self.latency.saturating_record(took.as_nanos() as u64);
            }
            (None, None) => {}
        }
    }

    /// The latency at a quantile, in microseconds.
    pub(crate) fn micros(&self, quantile: f64) -> f64 {
        self.latency.value_at_quantile(quantile) as f64 / 1000.0
    }
}

/// The longest time for the last answers: a server that stops answering must not block the run.
pub(crate) const LATE_MAX: Duration = Duration::from_secs(60);
/// The number of errors after which a connection stops.
const ERRORS_MAX: u64 = 10_000;
/// The connections that load data.
const LOADERS: usize = 16;

fn too_late(_: tokio::time::error::Elapsed) -> io::Error {
    io::Error::new(
        io::ErrorKind::TimedOut,
        "the server did not answer within a minute",
    )
}

/// A connection to a server, which is opened when it is needed.
pub(crate) struct Connection {
    address: SocketAddr,
    protocol: Protocol,
    stream: Option<TcpStream>,
    received: Vec<u8>,
}

impl Connection {
    pub(crate) fn new(address: SocketAddr, protocol: Protocol) -> Connection {
        Connection {
            address,
            protocol,
            stream: None,
            received: Vec::with_capacity(64 * 1024),
        }
    }

    /// Sends a request and waits for its answer; returns whether it is a success.
    /// [`Connection::body`] is its body.
    pub(crate) async fn exchange(&mut self, sent: &[u8]) -> io::Result<bool> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(self.address).await?;
                stream.set_nodelay(true)?;
                stream
            }
        };
        stream.write_all(sent).await?;
        self.received.clear();
        loop {
            if stream.read_buf(&mut self.received).await? == 0 {
                return Err(io::Error::new(
                    io::ErrorKind::UnexpectedEof,
                    "the server closed the connection",
                ));
            }
            if let Some(answer) = request::answer(self.protocol, &self.received) {
                self.received.truncate(answer.length);
                self.received.drain(..answer.body_at);
                if !answer.closes {
                    self.stream = Some(stream);
                }
                return Ok(answer.is_ok);
            }
        }
    }

    /// Sends a request and waits for its answer; returns the text of an error.
    pub(crate) async fn exchange_or_error(&mut self, sent: &[u8]) -> Option<String> {
        match self.exchange(sent).await {
            Ok(true) => None,
            Ok(false) => Some(String::from_utf8_lossy(&self.received).into_owned()),
            Err(error) => Some(error.to_string()),
        }
    }

    /// The body of the last answer.
    pub(crate) fn body(&self) -> &[u8] {
        &self.received
    }
}

/// The measured time of a run, after a time to warm up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) warm_up: Duration,
    pub(crate) measured: Duration,
}

/// Runs a workload over some connections.
pub(crate) fn run(
    address: SocketAddr,
    workload: Workload,
    connections: u64,
    window: Window,
) -> io::Result<Measured> {
    let latency = histogram()?;
    let measured = Rc::new(RefCell::new(Measured {
        answers: 0,
        seconds: window.measured.as_secs_f64(),
        all_answers: 0,
        errors: 0,
        error: None,
        latency,
    }));
    let from = Instant::now() + window.warm_up;
    let until = from + window.measured;
    let local = LocalSet::new();
    for number in 0..connections {
        let lane = Lane {
            number,
            lanes: connections,
        };
        let measured = Rc::clone(&measured);
        local.spawn_local(async move {
            let mut connection = Connection::new(address, workload.protocol);
            let mut random = fastrand::Rng::with_seed(number + 1);
            let (mut sent, mut scratch) = (Vec::with_capacity(4096), Scratch::default());
            loop {
                sent.clear();
                workload.next(&mut sent, &mut scratch, &mut random, lane);
                let begun = Instant::now();
                if begun >= until {
                    return;
                }
                let failed = connection.exchange_or_error(&sent).await;
                let ended = Instant::now();
                let is_measured = ended > from && ended <= until;
                let took = is_measured.then(|| ended - begun);
                let mut measured = measured.borrow_mut();
                measured.record(took, failed);
                if measured.errors > ERRORS_MAX {
                    return;
                }
            }
        });
    }
    let time = window.warm_up + window.measured + LATE_MAX;
    finish(local, time)?;
    Rc::try_unwrap(measured)
        .map(RefCell::into_inner)
        .map_err(|_| io::Error::other("a connection is still running"))
}

/// Runs all tasks to their end, on this thread.
///
/// # Errors
/// `TimedOut` after `time`.
pub(crate) fn finish(tasks: LocalSet, time: Duration) -> io::Result<()> {
    runtime()?
        .block_on(async { tokio::time::timeout(time, tasks).await })
        .map_err(too_late)
}

/// An empty histogram of latencies: nanoseconds up to a minute, of three digits.
pub(crate) fn histogram() -> io::Result<Histogram<u64>> {
    Histogram::new_with_bounds(1, 60_000_000_000, 3).map_err(io::Error::other)
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

/// Sends prepared requests over some connections. `progress` gets the number of each request. The
/// first error ends the run.
pub(crate) fn send_all(
    address: SocketAddr,
    protocol: Protocol,
    requests: impl Iterator<Item = Vec<u8>> + 'static,
    progress: impl Fn(u64) + 'static,
) -> io::Result<()> {
    let runtime = runtime()?;
    let requests = Rc::new(RefCell::new((requests, 0u64)));
    let progress = Rc::new(progress);
    let local = LocalSet::new();
    let tasks: Vec<_> = (0..LOADERS)
        .map(|_| {
            let (requests, progress) = (Rc::clone(&requests), Rc::clone(&progress));
            local.spawn_local(async move {
                let mut connection = Connection::new(address, protocol);
                loop {
                    let next = {
                        let (requests, count) = &mut *requests.borrow_mut();
                        *count += 1;
                        progress(*count);
                        requests.next()
                    };
                    let Some(request) = next else { return Ok(()) };
                    let answered =
                        tokio::time::timeout(LATE_MAX, connection.exchange(&request)).await;
                    if !answered.map_err(too_late)?? {
                        let body = String::from_utf8_lossy(connection.body()).into_owned();
                        return Err(io::Error::other(format!(
                            "a request to load data failed: {body}"
                        )));
                    }
                }
            })
        })
        .collect();
    runtime.block_on(local.run_until(async {
        for task in tasks {
            task.await.map_err(io::Error::other)??;
        }
        Ok(())
    }))
}

/// Sends one request of the API; returns whether the answer is a success, and its body.
pub(crate) fn ask(address: SocketAddr, operation: &str, body: &str) -> io::Result<(bool, String)> {
    let runtime = runtime()?;
    let mut connection = Connection::new(address, Protocol::Http);
    let mut sent = Vec::new();
    request::http(&mut sent, operation, body.as_bytes());
    let answer = async { tokio::time::timeout(LATE_MAX, connection.exchange(&sent)).await };
    let is_ok = runtime.block_on(answer).map_err(too_late)??;
    Ok((
        is_ok,
        String::from_utf8_lossy(connection.body()).into_owned(),
    ))
}
