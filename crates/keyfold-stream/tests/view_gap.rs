//! Records that expire before a worker has handled them: the view is built anew, and its rows are right.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod common;

use common::delete_leases;
use common::views::{change, compare, make, model};
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions, StreamShards};
use keyfold_stream::views::{ViewOptions, ViewReport, ViewWorker, begin_rebuild, status};
use keyfold_stream::{Options, Report, Sends, sends};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long the stream keeps a record.
const RETENTION: Duration = Duration::from_secs(4);

fn options(seen: &Arc<Mutex<Vec<String>>>, gaps: &Arc<AtomicU64>) -> ViewOptions {
    let (seen, gaps) = (Arc::clone(seen), Arc::clone(gaps));
    ViewOptions {
        consumers: Options {
            poll_time: Duration::from_millis(5),
            discovery_time: Duration::from_millis(100),
            lease_time: Duration::from_millis(900),
            ..Options::new("views", "views")
        },
        on_report: Arc::new(move |view, report| {
            if let ViewReport::Consumer(Report::Gap(_)) = report {
                gaps.fetch_add(1, Ordering::SeqCst);
            }
            seen.lock().unwrap().push(format!("{view}: {report}"));
        }),
        ..ViewOptions::default()
    }
}

/// Waits until the views have generations that are greater than these, and no record is left.
fn rest(engine: &Engine, send: &Sends, (above, seen): (u64, &Mutex<Vec<String>>)) -> Vec<u64> {
    let known = Options::new("views", "views");
    let began = Instant::now();
    loop {
        engine.work().unwrap();
        // While the table of the leases is gone, nobody knows.
        let all = status(send, &model(), &known).unwrap_or_default();
        let is_done = !all.is_empty()
            && all
                .iter()
                .all(|one| one.live > Some(above) && one.next.is_none() && one.behind == 0);
        if is_done && compare(engine).is_ok() {
            return all.iter().filter_map(|one| one.live).collect();
        }
        let reports = || seen.lock().unwrap().join("\n");
        assert!(
            began.elapsed() < Duration::from_secs(40),
            "{all:?} {:?}\n{}",
            compare(engine),
            reports()
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Records expire while no worker runs. With `rebuilds`, the next generation was begun before, so that
/// both have a gap.
fn gap(lifetime: Option<Duration>, rebuilds: bool) {
    let engine = Arc::new(
        Engine::open(EngineOptions {
            shards: StreamShards {
                retention: RETENTION,
                lifetime,
                ..StreamShards::default()
            },
            ..EngineOptions::new(StoreOptions::Memory)
        })
        .unwrap(),
    );
    make(&engine);
    let (model, send) = (
        model(),
        sends(Arc::new(Backend::Embedded(Arc::clone(&engine)))),
    );
    let (seen, gaps) = (Arc::default(), Arc::default());
    let options = options(&seen, &gaps);
    let mut chance = 7_u64;
    let mut write = |times: u64| {
        for _ in 0..times {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005) + 1;
            change(&engine, &model, chance >> 8);
        }
    };
    write(80);
    let worker = ViewWorker::start(Arc::clone(&send), &model, &options).unwrap();
    write(80);
    let first = rest(&engine, &send, (0, &seen));
    worker.stop().unwrap();
    if rebuilds {
        begin_rebuild(&send, &model, &options.consumers, None).unwrap();
    }
    write(80);
    let expires = Instant::now() + RETENTION * 2;
    while Instant::now() < expires {
        engine.work().unwrap();
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(compare(&engine).is_err(), "nobody has kept the rows");
    if rebuilds {
        // Up to these, no consumer comes.
        write(20);
    }
    let worker = ViewWorker::start(Arc::clone(&send), &model, &options).unwrap();
    rest(&engine, &send, (1, &seen));
    write(80);
    let last = rest(&engine, &send, (1, &seen));
    assert!(gaps.load(Ordering::SeqCst) > 0);
    let all: u64 = last
        .iter()
        .zip(&first)
        .map(|(last, first)| last - first)
        .sum();
    assert!(all <= 9, "{first:?} became {last:?}: it goes on and on");
    worker.stop().unwrap();
}

/// Somebody deletes the leases of views that are kept: nobody knows which records are in their rows, and
/// they are built anew.
#[test]
fn views_whose_leases_are_deleted_are_rebuilt() {
    let _turn = TURN.lock();
    for with_table in [false, true] {
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let engine = Arc::new(engine);
        make(&engine);
        let (model, send) = (
            model(),
            sends(Arc::new(Backend::Embedded(Arc::clone(&engine)))),
        );
        let (seen, gaps) = (Arc::default(), Arc::default());
        let worker = ViewWorker::start(Arc::clone(&send), &model, &options(&seen, &gaps)).unwrap();
        let write = |from: u64| {
            for chance in from..from + 40 {
                let chance = chance.wrapping_mul(6_364_136_223_846_793_005) >> 8;
                change(&engine, &model, chance);
            }
        };
        write(0);
        rest(&engine, &send, (0, &seen));
        delete_leases(&engine, with_table);
        write(40);
        rest(&engine, &send, (1, &seen));
        write(80);
        rest(&engine, &send, (1, &seen));
        worker.stop().unwrap();
    }
}

/// One test after the other: a worker that lags behind the retention has gaps again.
static TURN: Mutex<()> = Mutex::new(());

#[test]
fn a_view_whose_records_have_expired_is_rebuilt() {
    let _turn = TURN.lock();
    gap(None, false);
    // The shards have gone with their records.
    gap(Some(Duration::from_secs(2)), false);
}

/// A generation that is built may have the gap, too: neither of them is waited for.
#[test]
fn a_gap_in_both_generations_is_repaired() {
    let _turn = TURN.lock();
    gap(None, true);
    gap(Some(Duration::from_secs(2)), true);
}
