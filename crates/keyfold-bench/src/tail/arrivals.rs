//! Requests in closed and in open loop, and how long each took.

use crate::load::{self, Connection, LATE_MAX, Window};
use crate::report::rounded;
use keyfold_threads::ask_for_slice;
use keyfold_workload::workload::{Lane, Scratch, Workload};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};
use tokio::task::LocalSet;

/// When requests are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Arrivals {
    /// Each connection sends the next one when it has the answer.
    Closed,
    /// At fixed times, so many a second.
    Open { rate: f64 },
}

impl Arrivals {
    /// The load of so many connections, in words.
    pub(super) fn words(self, connections: u64) -> String {
        match self {
            Arrivals::Closed => format!("closed, {connections}"),
            Arrivals::Open { rate } => format!("open, {}/s", rounded(rate)),
        }
    }
}

/// The time between two moments at which requests of the open loop are due: a millisecond's requests are due
/// together, since finer sleeps would take processor time from the server.
const TICK: Duration = Duration::from_millis(1);

/// The time slice of the generator.
const SLICE: Duration = Duration::from_micros(200);

/// An answer in the measured time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// From the start of the measured time to the end of the answer.
    pub(super) at: Duration,
    /// From the time at which the request was sent, or was due.
    pub(super) took: Duration,
}

/// The answers of one measurement.
pub(super) struct Answers {
    /// The start of the measured time.
    pub(super) began: Instant,
    pub(super) measured: Duration,
    /// In the order in which they came.
    pub(super) good: Vec<Answer>,
    /// Good answers, those of the warm-up too.
    pub(super) all: u64,
    pub(super) errors: u64,
    pub(super) error: Option<String>,
    /// How late the generator itself was with requests that were due.
    pub(super) late: Vec<Duration>,
}

impl Answers {
    /// Good answers a second.
    pub(super) fn rate(&self) -> f64 {
        self.good.len() as f64 / self.measured.as_secs_f64()
    }

    /// Latencies at these quantiles.
    pub(super) fn quantiles<const N: usize>(&self, quantiles: [f64; N]) -> [Duration; N] {
        let mut took: Vec<Duration> = self.good.iter().map(|answer| answer.took).collect();
        at(&mut took, quantiles)
    }

    /// How late the generator was at the 99th percentile.
    pub(super) fn late(&self) -> Duration {
        let [late] = at(&mut self.late.clone(), [0.99]);
        late
    }

    fn record(&mut self, due: Instant, failed: Option<String>) {
        let ended = Instant::now();
        if let Some(error) = failed {
            self.errors += 1;
            self.error.get_or_insert(error);
            return;
        }
        self.all += 1;
        if due >= self.began && due < self.began + self.measured {
            self.good.push(Answer {
                at: ended - self.began,
                took: ended - due,
            });
        }
    }
}

/// The values at these quantiles; zero where there is none.
pub(super) fn at<const N: usize>(values: &mut [Duration], quantiles: [f64; N]) -> [Duration; N] {
    values.sort_unstable();
    quantiles.map(|quantile| {
        let place = (values.len() as f64 * quantile) as usize;
        let last = values.len().saturating_sub(1);
        values.get(place.min(last)).copied().unwrap_or_default()
    })
}

/// What the connections share.
struct Shared {
    workload: Workload,
    /// No request is sent from here on.
    until: Instant,
    answers: RefCell<Answers>,
    /// Requests of the open loop that are due and not yet sent.
    due: RefCell<VecDeque<Instant>>,
    is_over: Cell<bool>,
    changed: Notify,
}

/// Sends requests, and waits for the answers to all of them, on a thread of its own: a short time slice keeps the
/// generator from being late itself, and servers that are started later must not inherit it.
///
/// # Errors
/// `TimedOut` when answers come more than a minute after the end.
pub(super) fn run(
    address: SocketAddr,
    workload: Workload,
    connections: u64,
    arrivals: Arrivals,
    window: Window,
) -> io::Result<Answers> {
    let generator = std::thread::spawn(move || {
        ask_for_slice(SLICE);
        generate(address, workload, connections, arrivals, window)
    });
    let failed = |_| io::Error::other("the generator has panicked");
    generator.join().map_err(failed)?
}

/// Sends requests, and waits for the answers to all of them.
///
/// # Errors
/// `TimedOut` when answers come more than a minute after the end.
fn generate(
    address: SocketAddr,
    workload: Workload,
    connections: u64,
    arrivals: Arrivals,
    window: Window,
) -> io::Result<Answers> {
    let start = Instant::now();
    let began = start + window.warm_up;
    let shared = Rc::new(Shared {
        workload,
        until: began + window.measured,
        answers: RefCell::new(Answers {
            began,
            measured: window.measured,
            good: Vec::new(),
            all: 0,
            errors: 0,
            error: None,
            late: Vec::new(),
        }),
        due: RefCell::default(),
        is_over: Cell::new(false),
        changed: Notify::new(),
    });
    let local = LocalSet::new();
    if let Arrivals::Open { rate } = arrivals {
        local.spawn_local(dispatch(Rc::clone(&shared), rate, start));
    }
    for number in 0..connections {
        let lane = Lane {
            number,
            lanes: connections,
        };
        local.spawn_local(converse(Rc::clone(&shared), address, lane, arrivals));
    }
    load::finish(local, window.warm_up + window.measured + LATE_MAX)?;
    Rc::try_unwrap(shared)
        .map(|shared| shared.answers.into_inner())
        .map_err(|_| io::Error::other("a connection is still running"))
}

/// One connection: sends requests until the end.
async fn converse(shared: Rc<Shared>, address: SocketAddr, lane: Lane, arrivals: Arrivals) {
    let mut connection = Connection::new(address, shared.workload.protocol);
    let mut random = fastrand::Rng::with_seed(lane.number + 1);
    let (mut sent, mut scratch) = (Vec::with_capacity(4096), Scratch::default());
    loop {
        let due = match arrivals {
            Arrivals::Closed => Some(Instant::now()).filter(|now| *now < shared.until),
            Arrivals::Open { .. } => next_due(&shared).await,
        };
        let Some(due) = due else { return };
        sent.clear();
        shared
            .workload
            .next(&mut sent, &mut scratch, &mut random, lane);
        let failed = connection.exchange_or_error(&sent).await;
        shared.answers.borrow_mut().record(due, failed);
    }
}

/// The next request of the open loop that is due; none at the end.
async fn next_due(shared: &Shared) -> Option<Instant> {
    loop {
        if let Some(due) = shared.due.borrow_mut().pop_front() {
            return Some(due);
        }
        if shared.is_over.get() {
            return None;
        }
        shared.changed.notified().await;
    }
}

/// Makes requests due, in each tick those of a tick.
async fn dispatch(shared: Rc<Shared>, rate: f64, start: Instant) {
    let (sender, mut ticks) = mpsc::unbounded_channel();
    let until = shared.until;
    // A thread that sleeps wakes more exactly than the runtime's timers, which count milliseconds.
    let clock = std::thread::spawn(move || {
        let mut next = start;
        while next < until {
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
            if sender.send(next).is_err() {
                return;
            }
            next += TICK;
        }
    });
    let mut made = 0_u64;
    while let Some(tick) = ticks.recv().await {
        let wanted = ((tick + TICK - start).as_secs_f64() * rate) as u64;
        for _ in made..wanted {
            shared.due.borrow_mut().push_back(tick);
            shared.changed.notify_one();
        }
        made = made.max(wanted);
        if tick >= shared.answers.borrow().began {
            shared.answers.borrow_mut().late.push(tick.elapsed());
        }
    }
    shared.is_over.set(true);
    shared.changed.notify_waiters();
    // The thread has sent its last tick.
    drop(clock.join());
}
