//! Consumers that begin with the latest record: what is written after their first start is handled, also
//! where none of them reads meanwhile, and nothing of before is.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod common;

use common::simulation::{Faults, Simulation};
use common::{
    Ahead, ITERATOR_IS_OLD, SOURCE, answer, compare, follow, make_tables, put_order, request, sales,
};
use keyfold_api::{ErrorKind, Request, Response};
use keyfold_client::Backend;
use keyfold_engine::{Engine, StreamShards};
use keyfold_lower::ClientError;
use keyfold_stream::{AtGap, Handler, Options, Report, Sends, Start, Worker, sends};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const LEASE: Duration = Duration::from_secs(10);

fn options() -> Options {
    Options {
        start: Start::Latest,
        poll_time: Duration::from_millis(5),
        discovery_time: Duration::from_millis(100),
        ..Options::new("sales", SOURCE)
    }
    .on_gap(|_| AtGap::GoOn)
}

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Writes an order and takes it back: records that are of before, and leave nothing.
fn put_and_delete(engine: &Engine) {
    put_order(engine, "0", "old", 7, 1);
    let body = json!({"TableName": SOURCE, "Key": {"id": {"S": "0"}}});
    answer(engine, request("DeleteItem", &body)).unwrap();
}

fn engine(clock: &Arc<Ahead>) -> (Arc<Engine>, Sends) {
    let engine = Arc::new(Engine::open(clock.engine()).unwrap());
    make_tables(&engine);
    put_and_delete(&engine);
    let backend = sends(Arc::new(Backend::Embedded(Arc::clone(&engine))));
    (engine, backend)
}

/// A consumer has begun when its worker was started: what is written then is handled.
#[test]
fn a_record_behind_the_start_is_handled() {
    let (engine, backend) = engine(&Arc::default());
    let worker = Worker::start(backend, options(), sales).unwrap();
    put_order(&engine, "1", "cup", 1, 1);
    until("the record", || compare(&engine) == Ok(1));
    worker.stop().unwrap();
}

/// A record is written after the iterator of a consumer that has read nothing is refused, and before it
/// asks for another.
#[test]
fn an_iterator_that_expires_loses_nothing() {
    let clock = Arc::new(Ahead::default());
    let (engine, send) = engine(&clock);
    let (asked, expired) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (ask, expire) = (Arc::clone(&asked), Arc::clone(&expired));
    let of = Arc::clone(&engine);
    let backend: Sends = Arc::new(move |request| {
        let is_read = matches!(request, Request::GetRecords(_));
        let answer = send(request);
        if is_read {
            ask.fetch_add(1, Ordering::SeqCst);
        }
        if let Err(error) = &answer
            && error.kind() == Some(ErrorKind::ExpiredIterator)
            && expire.fetch_add(1, Ordering::SeqCst) == 0
        {
            put_order(&of, "1", "cup", 1, 1);
        }
        answer
    });
    let worker = Worker::start(backend, options(), sales).unwrap();
    let mut so_far = asked.load(Ordering::SeqCst);
    until("an iterator has expired", || {
        // The answer to a read under way may have an iterator of the later time already.
        if expired.load(Ordering::SeqCst) == 0 && asked.load(Ordering::SeqCst) > so_far + 2 {
            so_far = asked.load(Ordering::SeqCst);
            clock.put_forward(ITERATOR_IS_OLD);
        }
        expired.load(Ordering::SeqCst) > 0
    });
    until("the record", || compare(&engine) == Ok(1));
    worker.stop().unwrap();
}

/// A process ends before it has read anything; another goes on where it began.
#[test]
fn a_restart_loses_nothing() {
    let (engine, backend) = engine(&Arc::default());
    for round in 1..=2 {
        let reports: Arc<Mutex<Vec<Report>>> = Arc::default();
        let into = Arc::clone(&reports);
        let settings = options().on_report(move |one| into.lock().unwrap().push(one.clone()));
        let worker = Worker::start(Arc::clone(&backend), settings, sales).unwrap();
        let is_taken = |one: &Report| matches!(one, Report::Taken(_));
        until("a shard is taken", || {
            reports.lock().unwrap().iter().any(is_taken)
        });
        // It reads, and there is nothing.
        std::thread::sleep(Duration::from_millis(100));
        worker.stop().unwrap();
        put_order(&engine, &round.to_string(), "cup", 1, round);
    }
    let worker = Worker::start(backend, options(), sales).unwrap();
    until("both records", || compare(&engine) == Ok(2));
    worker.stop().unwrap();
}

/// The table has a stream that is not found yet when its consumer starts.
#[test]
fn a_stream_that_is_found_later_loses_nothing() {
    let (engine, send) = engine(&Arc::default());
    let is_missing = AtomicBool::new(true);
    let backend: Sends = Arc::new(move |request| {
        if matches!(request, Request::DescribeStream(_)) && is_missing.swap(false, Ordering::SeqCst)
        {
            return Err(service(ErrorKind::ResourceNotFound));
        }
        send(request)
    });
    let worker = Worker::start(backend, options(), sales).unwrap();
    put_order(&engine, "1", "cup", 1, 1);
    until("the record", || compare(&engine) == Ok(1));
    worker.stop().unwrap();
}

/// The first two workers of a consumer see different streams of the table. What is written when one of them has
/// started is handled, also when the other one looks for its place yet.
#[test]
fn two_first_workers_that_see_different_streams_begin_once() {
    let (engine, send) = engine(&Arc::default());
    let is_query = |request: &Request| matches!(request, Request::Query(_));
    let is_put = |request: &Request| matches!(request, Request::PutItem(_));

    // One of them has found its place in the first stream, and stores it later. Then it is cut off.
    let ((found, has_found), (store, may_store)) = (channel(), channel());
    let (may_store, puts, sends) = (
        Mutex::new(may_store),
        AtomicUsize::new(0),
        Arc::clone(&send),
    );
    let backend: Sends = Arc::new(move |request| {
        if is_put(&request) && puts.fetch_add(1, Ordering::SeqCst) == 0 {
            found.send(()).unwrap();
            may_store.lock().unwrap().recv().unwrap();
            return sends(request);
        }
        match puts.load(Ordering::SeqCst) {
            0 => sends(request),
            _ => Err(ClientError::Transport("cut off".to_owned())),
        }
    });
    let one = std::thread::spawn(move || Worker::start(backend, options(), sales).unwrap());
    has_found.recv().unwrap();
    follow(&engine);

    // The other one sees the second stream, and no beginning.
    let ((saw, has_seen), (go, may_go)) = (channel(), channel());
    let (may_go, queries, sends) = (Mutex::new(may_go), AtomicUsize::new(0), send);
    let backend: Sends = Arc::new(move |request| {
        let is_first = is_query(&request) && queries.fetch_add(1, Ordering::SeqCst) == 0;
        let answer = sends(request);
        if is_first {
            saw.send(()).unwrap();
            may_go.lock().unwrap().recv().unwrap();
        }
        answer
    });
    let other = std::thread::spawn(move || Worker::start(backend, options(), sales).unwrap());
    has_seen.recv().unwrap();
    store.send(()).unwrap();
    let one = one.join().unwrap();
    put_order(&engine, "1", "cup", 1, 1);
    go.send(()).unwrap();
    let other = other.join().unwrap();
    until("the record", || compare(&engine) == Ok(1));
    drop(one);
    other.stop().unwrap();
}

fn service(kind: ErrorKind) -> ClientError {
    ClientError::Service {
        kind: Some(kind),
        exception: kind.exception().to_owned(),
        message: String::new(),
        reasons: Vec::new(),
        found: Vec::new(),
    }
}

/// Workers over shards that are split every twenty seconds, in a world that a seed decides.
fn simulation(seed: u64) -> Simulation {
    let shards = StreamShards {
        open_min: 2,
        open_max: 6,
        lifetime: Some(Duration::from_secs(20)),
        ..StreamShards::default()
    };
    let simulation = Simulation::new(seed, shards, |_| {
        let options = Options {
            lease_time: LEASE,
            batch: 30,
            start: Start::Latest,
            ..Options::new("sales", SOURCE)
        };
        let options = options.on_gap(|_| AtGap::GoOn);
        (options, Arc::new(sales) as Arc<dyn Handler>)
    });
    put_and_delete(&simulation.engine);
    simulation
}

fn run_for(simulation: &mut Simulation, time: Duration) {
    let end = simulation.now() + time;
    while simulation.now() < end {
        simulation.step();
    }
}

/// Whether a consumer has begun: it has stored where.
fn has_begun(engine: &Engine) -> bool {
    let body =
        json!({"TableName": "keyfold_leases", "FilterExpression": "attribute_exists(began)"});
    let Ok(Response::Scan(page)) = answer(engine, request("Scan", &body)) else {
        return false;
    };
    page.count > 0
}

fn begin(simulation: &mut Simulation) -> u64 {
    let worker = simulation.start();
    while !has_begun(&simulation.engine) {
        simulation.step();
    }
    worker
}

/// Writes an order a second.
fn write(simulation: &mut Simulation, versions: std::ops::RangeInclusive<u64>) {
    for version in versions {
        let order = (version % 40).to_string();
        put_order(&simulation.engine, &order, "1", 1, version);
        run_for(simulation, Duration::from_secs(1));
    }
}

/// A worker is killed at any moment after the consumer has begun, also before it has leases or has read
/// anything. Its shards get records, end and have children before another worker is there.
#[test]
fn a_lease_that_moves_loses_nothing() {
    let mut lost = Vec::new();
    for seed in 0..24 {
        let mut simulation = simulation(seed);
        let worker = begin(&mut simulation);
        for _ in 0..seed * 3 {
            simulation.step();
        }
        simulation.kill(worker);
        write(&mut simulation, 1..=50);
        simulation.start();
        run_for(&mut simulation, LEASE * 4);
        let found = compare(&simulation.engine);
        if found != Ok(50) {
            lost.push((seed, found));
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}

/// A worker is killed between any two requests after the consumer has begun. The table gets another stream before
/// another worker is there.
#[test]
fn a_stream_that_is_followed_by_another_loses_nothing() {
    let mut lost = Vec::new();
    for steps in (0..40).step_by(4) {
        let mut simulation = simulation(steps);
        let worker = begin(&mut simulation);
        for _ in 0..steps {
            simulation.step();
        }
        simulation.kill(worker);
        write(&mut simulation, 1..=10);
        follow(&simulation.engine);
        write(&mut simulation, 11..=20);
        simulation.start();
        run_for(&mut simulation, LEASE * 4);
        let found = compare(&simulation.engine);
        if found != Ok(20) {
            lost.push((steps, found));
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}

/// Shards that split while a consumer reads, and while it does not: their children are read from their
/// oldest record.
#[test]
fn children_are_read_from_their_beginning() {
    let mut simulation = simulation(3);
    let worker = begin(&mut simulation);
    write(&mut simulation, 1..=60);
    run_for(&mut simulation, LEASE);
    assert_eq!(compare(&simulation.engine), Ok(60));
    simulation.kill(worker);
    write(&mut simulation, 61..=120);
    simulation.start();
    run_for(&mut simulation, LEASE * 4);
    assert_eq!(compare(&simulation.engine), Ok(120));
}

/// Several workers begin at once, while requests fail, answers are lost, and workers are killed.
#[test]
fn records_behind_the_start_are_handled_once_whatever_happens() {
    for seed in 0..6 {
        let mut simulation = simulation(seed);
        simulation.set_faults(Faults {
            throttled: 40,
            unsent: 60,
            lost: 25,
            late: 25,
            twice: 30,
            sparse: 2,
            still: 1_500,
            killed: 1_500,
        });
        for _ in 0..3 {
            simulation.start();
        }
        while !has_begun(&simulation.engine) {
            simulation.step();
        }
        write(&mut simulation, 1..=100);
        simulation.set_faults(Faults::default());
        run_for(&mut simulation, LEASE * 20);
        assert_eq!(compare(&simulation.engine), Ok(100), "seed {seed}");
    }
}
