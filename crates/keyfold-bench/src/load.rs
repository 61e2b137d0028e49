//! The load generator: connections that each send a request, wait for its answer, and send the
//! next.
//!
//! All connections share one thread, so that it takes no more than one core beside the server.

use crate::request::{self, Protocol};
use crate::workload::{Scratch, Workload};
use hdrhistogram::Histogram;
use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

/// What a run measured.
#[derive(Debug)]
pub(crate) struct Measured {
    /// Answers in the measured time.
    pub(crate) answers: u64,
    pub(crate) seconds: f64,
    /// Answers, the warm-up's included.
    pub(crate) all_answers: u64,
    /// Answers that were errors, the warm-up's included.
    pub(crate) errors: u64,
    /// The first error's text.
    pub(crate) error: Option<String>,
    /// Nanoseconds from sending to the whole answer.
    pub(crate) latency: Histogram<u64>,
}

impl Measured {
    /// Answers a second.
    pub(crate) fn rate(&self) -> f64 {
        self.answers as f64 / self.seconds
    }

    /// A quantile's latency in microseconds.
    pub(crate) fn micros(&self, quantile: f64) -> f64 {
        self.latency.value_at_quantile(quantile) as f64 / 1000.0
    }
}

/// How long the last answers may take: a server that never answers must not hold up the run for
/// ever.
const LATE_MAX: Duration = Duration::from_secs(60);

fn too_late(_: tokio::time::error::Elapsed) -> io::Error {
    io::Error::new(
        io::ErrorKind::TimedOut,
        "the server did not answer within a minute",
    )
}

struct Tally {
    answers: u64,
    all_answers: u64,
    errors: u64,
    error: Option<String>,
    latency: Histogram<u64>,
}

/// A connection that speaks to a server.
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

    /// Sends a request and waits for its answer: whether it is a good one. Its body is in `body`.
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

    /// The body of the last answer.
    pub(crate) fn body(&self) -> &[u8] {
        &self.received
    }
}

/// Runs a workload.
pub(crate) fn run(
    address: SocketAddr,
    workload: Workload,
    connections: u64,
    (warm_up, measured): (Duration, Duration),
) -> io::Result<Measured> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let latency = Histogram::new_with_bounds(1, 60_000_000_000, 3).map_err(io::Error::other)?;
    let tally = Rc::new(RefCell::new(Tally {
        answers: 0,
        all_answers: 0,
        errors: 0,
        error: None,
        latency,
    }));
    let from = Instant::now() + warm_up;
    let until = from + measured;
    let local = LocalSet::new();
    for lane in 0..connections {
        let tally = Rc::clone(&tally);
        local.spawn_local(async move {
            let mut connection = Connection::new(address, workload.protocol);
            let mut random = fastrand::Rng::with_seed(lane + 1);
            let (mut sent, mut scratch) = (Vec::with_capacity(4096), Scratch::default());
            loop {
                sent.clear();
                workload.next(&mut sent, &mut scratch, &mut random, (lane, connections));
                let begun = Instant::now();
                if begun >= until {
                    return;
                }
                let outcome = connection.exchange(&sent).await;
                let ended = Instant::now();
                let mut tally = tally.borrow_mut();
                let is_good = matches!(outcome, Ok(true));
                tally.all_answers += 1;
                if ended > from && ended <= until && is_good {
                    tally.answers += 1;
                    tally
                        .latency
                        .saturating_record((ended - begun).as_nanos() as u64);
                }
                if !is_good {
                    tally.errors += 1;
                    if tally.error.is_none() {
                        let body = String::from_utf8_lossy(connection.body()).into_owned();
                        tally.error =
                            Some(outcome.map_or_else(|error| error.to_string(), |_| body));
                    }
                    if tally.errors > 10_000 {
                        return;
                    }
                }
            }
        });
    }
    let time = warm_up + measured + LATE_MAX;
    runtime
        .block_on(async { tokio::time::timeout(time, local).await })
        .map_err(too_late)?;
    let tally = Rc::try_unwrap(tally)
        .map_err(|_| io::Error::other("a connection is still running"))?
        .into_inner();
    Ok(Measured {
        answers: tally.answers,
        all_answers: tally.all_answers,
        seconds: measured.as_secs_f64(),
        errors: tally.errors,
        error: tally.error,
        latency: tally.latency,
    })
}

/// Sends prepared requests over some connections; an error ends it.
pub(crate) fn send_all(
    address: SocketAddr,
    protocol: Protocol,
    requests: impl Iterator<Item = Vec<u8>> + 'static,
    progress: impl Fn(u64) + 'static,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let requests = Rc::new(RefCell::new((requests, 0u64)));
    let progress = Rc::new(progress);
    let local = LocalSet::new();
    let tasks: Vec<_> = (0..16)
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

/// Sends one request of the API.
pub(crate) fn ask(address: SocketAddr, operation: &str, body: &str) -> io::Result<(bool, String)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
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
