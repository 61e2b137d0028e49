//! Records that expire before a worker has handled them: the view is built anew, and its rows are right.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod common;

use common::views::{Order, change, compare, make, model, put};
use common::{delete_leases, follow, switch_off, switch_on};
use keyfold_api::Request;
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions, StreamShards};
use keyfold_stream::views::{
    Looks, ViewOptions, ViewReport, ViewWorker, begin_rebuild, status, status_again,
};
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

/// A table has no stream for a time. What is changed then has no records: views are built anew, from a scan
/// that sees it, and take nothing that the stream before says for newer.
#[test]
fn views_of_a_table_that_had_no_stream_are_rebuilt() {
    let _turn = TURN.lock();
    for runs in [true, false] {
        let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
        let engine = Arc::new(engine);
        make(&engine);
        let (model, send) = (
            model(),
            sends(Arc::new(Backend::Embedded(Arc::clone(&engine)))),
        );
        let (seen, gaps) = (Arc::default(), Arc::default());
        let start =
            || ViewWorker::start(Arc::clone(&send), &model, &options(&seen, &gaps)).unwrap();
        let write = |from: u64| {
            for chance in from..from + 60 {
                let chance = chance.wrapping_mul(6_364_136_223_846_793_005) >> 8;
                change(&engine, &model, chance);
            }
        };
        let worker = start();
        write(0);
        rest(&engine, &send, (0, &seen));
        let mut worker = match runs {
            true => Some(worker),
            false => {
                worker.stop().unwrap();
                None
            }
        };
        write(60);
        switch_off(&engine);
        write(120);
        switch_on(&engine);
        write(180);
        let worker = worker.take().unwrap_or_else(start);
        rest(&engine, &send, (1, &seen));
        assert!(gaps.load(Ordering::SeqCst) > 0);
        worker.stop().unwrap();
    }
}

/// Records of a stream that another one has followed are not in the rows yet: the lag shows them.
#[test]
fn the_records_of_a_stream_before_the_latest_count() {
    let _turn = TURN.lock();
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let engine = Arc::new(engine);
    make(&engine);
    let (model, send) = (
        model(),
        sends(Arc::new(Backend::Embedded(Arc::clone(&engine)))),
    );
    let (seen, gaps) = (Arc::default(), Arc::default());
    let options = options(&seen, &gaps);
    let worker = ViewWorker::start(Arc::clone(&send), &model, &options).unwrap();
    rest(&engine, &send, (0, &seen));
    worker.stop().unwrap();
    let behind = || -> Vec<u64> {
        let all = status(&send, &model, &options.consumers).unwrap();
        all.iter().map(|one| one.behind).collect()
    };
    let order = |id| Order {
        id,
        product: 1,
        customer: 1,
        total: 1,
    };
    for id in 0..20 {
        put(&engine, &model, &order(id));
    }
    assert_eq!(behind(), [20; 3]);
    follow(&engine);
    assert_eq!(behind(), [20; 3], "another stream has followed");
    put(&engine, &model, &order(20));
    assert_eq!(behind(), [21; 3]);
}

/// Views that have come equally far share one look at the streams: a page that shows the state of all views
/// each second reads each shard once.
#[test]
fn one_look_at_a_stream_serves_all_views() {
    let _turn = TURN.lock();
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let engine = Arc::new(engine);
    make(&engine);
    let (model, send) = (
        model(),
        sends(Arc::new(Backend::Embedded(Arc::clone(&engine)))),
    );
    let (seen, gaps) = (Arc::default(), Arc::default());
    let options = options(&seen, &gaps);
    let worker = ViewWorker::start(Arc::clone(&send), &model, &options).unwrap();
    for chance in 0..200_u64 {
        let chance = chance.wrapping_mul(6_364_136_223_846_793_005) >> 8;
        change(&engine, &model, chance);
    }
    rest(&engine, &send, (0, &seen));
    worker.stop().unwrap();
    let pages = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&pages);
    let counts: Sends = Arc::new(move |request| {
        if let Request::GetRecords(_) = &request {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        send(request)
    });
    let all = status(&counts, &model, &options.consumers).unwrap();
    assert!(
        all.len() == 3 && all.iter().all(|one| one.behind == 0),
        "{all:?}"
    );
    // Ten pages of the shard of each of the two tables.
    assert_eq!(pages.load(Ordering::SeqCst), 20);
}

/// What was seen is not read again: of a shard whose records are all handled, a further look reads a page. It says
/// what one says that reads all.
#[test]
fn a_further_look_reads_what_has_come_since() {
    let _turn = TURN.lock();
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let engine = Arc::new(engine);
    make(&engine);
    let (model, send) = (
        model(),
        sends(Arc::new(Backend::Embedded(Arc::clone(&engine)))),
    );
    let (seen, gaps) = (Arc::default(), Arc::default());
    let options = options(&seen, &gaps);
    let pages = Arc::new(AtomicU64::new(0));
    let (counted, through) = (Arc::clone(&pages), Arc::clone(&send));
    let counts: Sends = Arc::new(move |request| {
        if let Request::GetRecords(_) = &request {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        through(request)
    });
    let mut looks = Looks::default();
    // The records behind each view, and the pages that the look has read.
    let mut look = || {
        let before = pages.load(Ordering::SeqCst);
        let all = status_again(&counts, &model, &options.consumers, &mut looks).unwrap();
        let read = pages.load(Ordering::SeqCst) - before;
        let fresh = status(&send, &model, &options.consumers).unwrap();
        let of = |all: &[keyfold_stream::views::ViewStatus]| -> Vec<(u64, bool)> {
            all.iter().map(|one| (one.behind, one.has_more)).collect()
        };
        assert_eq!(of(&all), of(&fresh));
        let behind: Vec<u64> = all.iter().map(|one| one.behind).collect();
        (behind, read)
    };
    let order = |id| Order {
        id,
        product: 1,
        customer: 1,
        total: 1,
    };
    let mut worker = ViewWorker::start(Arc::clone(&send), &model, &options).unwrap();
    for round in 0..3 {
        rest(&engine, &send, (0, &seen));
        worker.stop().unwrap();
        let (behind, read) = look();
        assert_eq!(behind, [0; 3], "round {round}");
        assert!(read <= 20, "round {round}: {read} pages");
        // A look after one that has seen ten empty pages of each shard reads one of each.
        look();
        assert_eq!(look(), (vec![0; 3], 2), "round {round}");
        put(&engine, &model, &order(round * 10));
        assert_eq!(look().0, [1; 3]);
        assert_eq!(look().0, [1; 3], "it was counted before");
        follow_once(&engine, round);
        put(&engine, &model, &order(round * 10 + 1));
        assert_eq!(look().0, [2; 3]);
        worker = ViewWorker::start(Arc::clone(&send), &model, &options).unwrap();
    }
    worker.stop().unwrap();
}

/// In one of the rounds, the table gets another stream.
fn follow_once(engine: &Engine, round: u64) {
    if round == 1 {
        follow(engine);
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
