//! A worker stands still for longer than a lease, between its handler and its transaction or before them, and another
//! one takes its shard: what the first one sends when it wakes changes nothing, also where both have the same name.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod common;

use common::play::{Run, mapping};
use common::simulation::Simulation;
use common::{
    SOURCE, VIEW, add, answer, compare, make_tables, put_order, request, sales, scan, whole,
};
use keyfold_api::{ErrorKind, Request, Response};
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions, StreamShards};
use keyfold_lower::ClientError;
use keyfold_stream::mapping::{Reply, Step};
use keyfold_stream::world::{Boxed, Io, World};
use keyfold_stream::{Effects, Handler, Options, Record, Report, Sends, Worker, sends};
use keyfold_types::Item;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

const LEASE: Duration = Duration::from_secs(10);
/// How long a test on threads waits for something.
const PATIENCE: Duration = Duration::from_secs(60);
const RECORDS: u64 = 3;
/// The worker that stands still, and the one that takes its shard.
const SLEEPER: u64 = 1;
const OTHER: u64 = 2;

/// What workers have done, in a simulation.
#[derive(Default)]
struct Seen {
    /// The workers whose handlers were called.
    called: Mutex<Vec<u64>>,
    reports: Mutex<Vec<(u64, Report)>>,
    /// The answers to transactions, by worker: none, or the error.
    answers: Mutex<Vec<(u64, Option<ErrorKind>)>>,
    /// How often the next renewals and takes of a lease meet a transaction.
    conflicts: AtomicU64,
}

/// What one that meets a transaction is answered with.
fn conflict() -> ClientError {
    ClientError::Service {
        kind: Some(ErrorKind::TransactionConflict),
        exception: ErrorKind::TransactionConflict.exception().to_owned(),
        message: "Transaction is ongoing for the item".to_owned(),
        reasons: Vec::new(),
        found: Vec::new(),
    }
}

/// The surroundings of a worker that notes the answers to its transactions, and may have the name of another one.
struct Noted {
    inner: Arc<dyn World>,
    worker: u64,
    seen: Arc<Seen>,
    /// How many random numbers are the same for all workers: their names are made of the first two.
    same: AtomicU64,
}

impl Io for Noted {
    fn ask(&self, request: Request) -> Boxed<'_, Result<Response, ClientError>> {
        let is_noted = matches!(request, Request::TransactWriteItems(_));
        let meets = matches!(&request, Request::UpdateItem(update)
            if update.table_name.as_deref() == Some("keyfold_leases")
                && update.update_expression.as_deref().is_some_and(|set| set.contains("#n")));
        Box::pin(async move {
            if meets && self.seen.meets() {
                return Err(conflict());
            }
            let answer = self.inner.ask(request).await;
            if is_noted {
                let kind = answer.as_ref().err().map(|error| error.kind().unwrap());
                self.seen.answers.lock().unwrap().push((self.worker, kind));
            }
            answer
        })
    }

    fn pause(&self, time: Duration) -> Boxed<'_, ()> {
        self.inner.pause(time)
    }

    fn random(&self) -> u64 {
        let left = |left: u64| left.checked_sub(1);
        match self
            .same
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, left)
        {
            Ok(left) => left,
            Err(_) => self.inner.random(),
        }
    }
}

impl World for Noted {
    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn epoch_ms(&self) -> i64 {
        self.inner.epoch_ms()
    }

    fn spawn(&self, task: Boxed<'static, ()>) {
        self.inner.spawn(task);
    }
}

/// Workers over one shard. The mark of a record says which of them has handled it.
fn simulation(seed: u64, have_one_name: bool) -> (Simulation, Arc<Seen>) {
    let seen: Arc<Seen> = Arc::default();
    let [noted, told] = [Arc::clone(&seen), Arc::clone(&seen)];
    let surround = move |worker: u64, inner: Arc<dyn World>| {
        Arc::new(Noted {
            inner,
            worker,
            seen: Arc::clone(&noted),
            same: AtomicU64::new(if have_one_name { 2 } else { 0 }),
        }) as Arc<dyn World>
    };
    let simulation = Simulation::within(seed, StreamShards::default(), surround, move |worker| {
        let [seen, reported] = [Arc::clone(&told), Arc::clone(&told)];
        let handler = move |records: &[Record]| {
            seen.called.lock().unwrap().push(worker);
            let by = i64::try_from(worker).unwrap();
            let marks = records.iter();
            let marks = marks.map(|record| add(&format!("mark {}", record.number()), by, 1));
            Ok(Effects::of(marks.collect()))
        };
        let report = move |report: &Report| {
            let mut reports = reported.reports.lock().unwrap();
            reports.push((worker, report.clone()));
        };
        let options = Options {
            lease_time: LEASE,
            ..Options::new("marks", SOURCE)
        };
        (
            options.on_report(report),
            Arc::new(handler) as Arc<dyn Handler>,
        )
    });
    (simulation, seen)
}

impl Seen {
    fn meets(&self) -> bool {
        let left = |left: u64| left.checked_sub(1);
        let order = Ordering::SeqCst;
        self.conflicts.fetch_update(order, order, left).is_ok()
    }

    fn has_called(&self, worker: u64) -> bool {
        self.called.lock().unwrap().contains(&worker)
    }

    fn has_reported(&self, worker: u64, is_it: fn(&Report) -> bool) -> bool {
        let reports = self.reports.lock().unwrap();
        reports.iter().any(|(of, one)| *of == worker && is_it(one))
    }

    fn has_taken(&self, worker: u64) -> bool {
        self.has_reported(worker, |one| matches!(one, Report::Taken(_)))
    }

    fn answers(&self, worker: u64) -> Vec<Option<ErrorKind>> {
        let answers = self.answers.lock().unwrap();
        let own = answers.iter().filter(|(of, _)| *of == worker);
        own.map(|(_, answer)| *answer).collect()
    }
}

/// Goes on until something is so.
fn until(simulation: &mut Simulation, what: &str, mut is_so: impl FnMut(&Simulation) -> bool) {
    let end = simulation.now() + LEASE * 10;
    while !is_so(simulation) {
        assert!(simulation.now() < end, "{what} did not happen");
        simulation.step();
    }
}

fn run_for(simulation: &mut Simulation, time: Duration) {
    let end = simulation.now() + time;
    while simulation.now() < end {
        simulation.step();
    }
}

fn write(simulation: &Simulation) {
    for version in 1..=RECORDS {
        put_order(&simulation.engine, &version.to_string(), "cup", 1, version);
    }
}

/// The worker that has marked each record, which nobody has marked twice.
fn marks(engine: &Engine) -> Vec<i64> {
    let rows = scan(engine, VIEW).into_values();
    let marks = rows.map(|row| {
        assert_eq!(whole(&row, "count"), 1, "{row:?}");
        whole(&row, "total")
    });
    marks.collect()
}

/// The stored lease without its counter.
fn lease(engine: &Engine) -> Item {
    let body = json!({"TableName": "keyfold_leases", "ConsistentRead": true,
        "FilterExpression": "attribute_exists(#p)", "ExpressionAttributeNames": {"#p": "position"}});
    let Ok(Response::Scan(page)) = answer(engine, request("Scan", &body)) else {
        panic!("no leases")
    };
    let mut leases = page.items.unwrap();
    assert_eq!(leases.len(), 1);
    let mut lease = leases.remove(0).to_item();
    lease.remove("counter");
    lease
}

fn is_lost(report: &Report) -> bool {
    matches!(report, Report::Lost(_))
}

/// How far the other worker has come when the first one wakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Other {
    Taken,
    Called,
    Handled,
}

/// The first worker wakes, and the other one stands still meanwhile: nothing has changed.
fn wake(simulation: &mut Simulation, seen: &Seen) {
    simulation.stand_still(OTHER, Duration::MAX);
    run_for(simulation, LEASE * 3);
    let rows = scan(&simulation.engine, VIEW);
    let before = lease(&simulation.engine);
    let now = simulation.now();
    simulation.stand_still(SLEEPER, now);
    run_for(simulation, LEASE / 2);
    assert_eq!(scan(&simulation.engine, VIEW), rows);
    assert_eq!(lease(&simulation.engine), before);
    assert!(seen.has_reported(SLEEPER, is_lost));
    let now = simulation.now();
    simulation.stand_still(OTHER, now);
}

/// The other one handles what is left, and nothing has happened twice.
fn end(simulation: &mut Simulation, seen: &Seen) {
    until(simulation, "all records are handled", |simulation| {
        marks(&simulation.engine).len() >= 3
    });
    run_for(simulation, LEASE * 3);
    let by = i64::try_from(OTHER).unwrap();
    assert_eq!(marks(&simulation.engine), [by; 3]);
    let is_wrong = |one: &Report| matches!(one, Report::Failed { .. } | Report::SetAside { .. });
    assert!(!seen.has_reported(SLEEPER, is_wrong) && !seen.has_reported(OTHER, is_wrong));
}

/// A transaction that is sent by a worker which has lost its lease meanwhile is refused.
#[test]
fn a_transaction_of_a_worker_that_has_lost_its_lease_is_refused() {
    for have_one_name in [false, true] {
        for other in [Other::Taken, Other::Called, Other::Handled] {
            for seed in 0..8 {
                let (mut simulation, seen) = simulation(seed, have_one_name);
                write(&simulation);
                simulation.start();
                until(&mut simulation, "the first one handles", |_| {
                    seen.has_called(SLEEPER)
                });
                simulation.stand_still(SLEEPER, Duration::MAX);
                let slept = simulation.now();
                simulation.start();
                until(
                    &mut simulation,
                    "the other one takes over",
                    |simulation| match other {
                        Other::Taken => seen.has_taken(OTHER),
                        Other::Called => seen.has_called(OTHER),
                        Other::Handled => marks(&simulation.engine).len() == 3,
                    },
                );
                assert!(simulation.now() >= slept + LEASE, "it was too early");
                assert_eq!(seen.answers(SLEEPER), []);
                wake(&mut simulation, &seen);
                let refused = [Some(ErrorKind::TransactionCanceled)];
                let why = format!("{other:?}, one name: {have_one_name}, seed {seed}");
                assert_eq!(seen.answers(SLEEPER), refused, "{why}");
                end(&mut simulation, &seen);
            }
        }
    }
}

/// A transaction is about the item of a lease, whose position it moves, when the lease is renewed or taken: this is
/// tried again. Nobody hears of it, and nobody loses the lease.
#[test]
fn a_lease_that_meets_a_transaction_is_renewed_and_taken_a_moment_later() {
    for seed in 0..20 {
        let (mut simulation, seen) = simulation(seed, false);
        seen.conflicts.store(1, Ordering::SeqCst);
        simulation.start();
        until(&mut simulation, "the shard is taken", |_| {
            seen.has_taken(SLEEPER)
        });
        write(&simulation);
        for _ in 0..5 {
            seen.conflicts.store(2, Ordering::SeqCst);
            run_for(&mut simulation, LEASE);
            let left = seen.conflicts.load(Ordering::SeqCst);
            assert_eq!(left, 0, "it was not renewed");
        }
        let is_wrong = |one: &Report| {
            matches!(one, Report::Trouble(why) if why.contains("TransactionConflict"))
                || is_lost(one)
        };
        let reports = seen.reports.lock().unwrap();
        let wrong: Vec<_> = reports.iter().filter(|(_, one)| is_wrong(one)).collect();
        assert!(wrong.is_empty(), "seed {seed}: {wrong:?}");
        assert_eq!(marks(&simulation.engine), [1; 3]);
    }
}

/// A worker that wakes with records, and has lost its lease, does not handle them: what a handler does elsewhere does
/// not happen twice.
#[test]
fn a_worker_that_has_lost_its_lease_does_not_call_its_handler() {
    for have_one_name in [false, true] {
        for seed in 0..20 {
            let (mut simulation, seen) = simulation(seed, have_one_name);
            simulation.start();
            until(&mut simulation, "the shard is taken", |_| {
                seen.has_taken(SLEEPER)
            });
            run_for(&mut simulation, Duration::from_secs(seed % 3));
            simulation.stand_still(SLEEPER, Duration::MAX);
            write(&simulation);
            simulation.start();
            until(&mut simulation, "the other one takes over", |_| {
                seen.has_taken(OTHER)
            });
            wake(&mut simulation, &seen);
            end(&mut simulation, &seen);
            assert!(!seen.has_called(SLEEPER), "seed {seed}");
            assert_eq!(seen.answers(SLEEPER), []);
        }
    }
}

/// A door for the requests of a worker: they wait while it is closed, and a test that has failed opens it at last.
#[derive(Default)]
struct Door {
    is_closed: Mutex<bool>,
    opened: Condvar,
}

impl Door {
    fn set(&self, is_closed: bool) {
        *self.is_closed.lock().unwrap() = is_closed;
        self.opened.notify_all();
    }

    fn pass(&self) {
        let is_closed = self.is_closed.lock().unwrap();
        let waited = self
            .opened
            .wait_timeout_while(is_closed, PATIENCE * 2, |is_closed| *is_closed);
        *waited.unwrap().0 = false;
    }
}

/// A worker on threads, of which no request leaves after its handler was called the first time.
fn sleeper(
    send: &Sends,
    options: Options,
    door: &Arc<Door>,
) -> (Worker, Arc<AtomicUsize>, Arc<Mutex<Vec<Report>>>) {
    let (through, send) = (Arc::clone(door), Arc::clone(send));
    let sends: Sends = Arc::new(move |request| {
        through.pass();
        send(request)
    });
    let (calls, reports) = (Arc::<AtomicUsize>::default(), Arc::default());
    let (call, into, closes) = (
        Arc::clone(&calls),
        Arc::clone(&reports) as Arc<Mutex<Vec<Report>>>,
        Arc::clone(door),
    );
    let options = options.on_report(move |report| into.lock().unwrap().push(report.clone()));
    let handler = move |records: &[Record]| {
        if call.fetch_add(1, Ordering::SeqCst) == 0 {
            closes.set(true);
        }
        sales(records)
    };
    let worker = Worker::start(sends, options, handler).unwrap();
    (worker, calls, reports)
}

/// Waits until something is so.
fn wait(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// So it is on threads, where the renewals wait like the transaction. The other worker has the lease, and is about to
/// handle the same record.
#[test]
fn a_worker_on_threads_that_slept_changes_nothing() {
    let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
    make_tables(&engine);
    let send = sends(Arc::new(Backend::Embedded(Arc::clone(&engine))));
    let options = Options {
        lease_time: Duration::from_millis(600),
        poll_time: Duration::from_millis(5),
        discovery_time: Duration::from_millis(100),
        ..Options::new("sales", SOURCE)
    };
    let door = Arc::<Door>::default();
    let (first, calls, reports) = sleeper(&send, options.clone(), &door);
    let has = |is_it: fn(&Report) -> bool| reports.lock().unwrap().iter().any(is_it);
    wait("it takes the shard", || {
        has(|one| matches!(one, Report::Taken(_)))
    });
    put_order(&engine, "1", "cup", 2, 1);
    wait("it handles the record", || {
        calls.load(Ordering::SeqCst) == 1
    });
    let (hall, others) = (Arc::<Door>::default(), Arc::<AtomicUsize>::default());
    hall.set(true);
    let (waits, call) = (Arc::clone(&hall), Arc::clone(&others));
    let second = Worker::start(
        Arc::clone(&send),
        options.clone(),
        move |records: &[Record]| {
            call.fetch_add(1, Ordering::SeqCst);
            waits.pass();
            sales(records)
        },
    );
    wait("the other one takes over", || {
        others.load(Ordering::SeqCst) == 1
    });
    // The one that sleeps has slept for more than three lease times then.
    std::thread::sleep(options.lease_time * 3);
    assert!(!has(is_lost));
    door.set(false);
    wait("it has lost its lease", || has(is_lost));
    assert_eq!(scan(&engine, VIEW), BTreeMap::new());
    assert!(!has(|one| matches!(one, Report::Handled { .. })));
    hall.set(false);
    wait("the record", || compare(&engine) == Ok(1));
    put_order(&engine, "1", "pot", 3, 2);
    wait("the next record", || compare(&engine) == Ok(2));
    first.stop().unwrap();
    second.unwrap().stop().unwrap();
    assert_eq!(compare(&engine), Ok(2));
}

/// Two servers run the same mapping, whose leases have one owner. The one that another has followed moves no position.
#[test]
fn a_server_whose_mapping_another_one_has_taken_over_moves_no_position() {
    let mut run = Run::new("batch=1", |_| Reply::Returned("null".to_owned()));
    run.put(&["1"]);
    run.work(1);
    let mut before = std::mem::take(&mut run.shards);
    assert_eq!(before.len(), 1);
    run.mapping = mapping(&run.play, "batch=1");
    run.shards = run.mapping.look().unwrap();
    assert_eq!(run.shards.len(), 1);
    run.put(&["2"]);
    let stored = lease(&run.play.engine);
    let ended = (0..100).find(|_| {
        drop(run.play.pause(Duration::from_millis(100)));
        before[0].step() == Step::Ended
    });
    assert!(ended.is_some(), "it goes on");
    assert_eq!(lease(&run.play.engine), stored);
    run.work(1);
    let events = run.events().concat();
    // At least once.
    assert_eq!(events, ["1", "2", "2"]);
    assert_ne!(lease(&run.play.engine), stored);
}
