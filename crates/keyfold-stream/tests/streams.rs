//! A table whose stream is switched off and on again: each of its streams is read, one behind another, and
//! one that is gone before it was read is a gap.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::simulation::{Faults, Simulation};
use common::{SOURCE, VIEW, answer, compare, follow, put_order, request, sales, scan, switch_on};
use keyfold_api::Response;
use keyfold_engine::StreamShards;
use keyfold_stream::{AtGap, Handler, Options, Report, Start};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);
const RETENTION: Duration = Duration::from_secs(120);

type Reports = Arc<Mutex<Vec<Report>>>;

fn shards() -> StreamShards {
    StreamShards {
        open_min: 2,
        open_max: 6,
        lifetime: Some(Duration::from_secs(20)),
        ..StreamShards::default()
    }
}

/// Workers over a table, and what they report.
fn simulation(seed: u64, shards: StreamShards, base: Options) -> (Simulation, Reports) {
    let reports: Reports = Arc::default();
    let into = Arc::clone(&reports);
    let simulation = Simulation::new(seed, shards, move |_| {
        let into = Arc::clone(&into);
        let options = base
            .clone()
            .on_report(move |report| into.lock().unwrap().push(report.clone()));
        (options, Arc::new(sales) as Arc<dyn Handler>)
    });
    (simulation, reports)
}

fn options(start: Start) -> Options {
    Options {
        start,
        lease_time: LEASE,
        batch: 30,
        ..Options::new("sales", SOURCE)
    }
}

fn run_for(simulation: &mut Simulation, time: Duration) {
    let end = simulation.now() + time;
    while simulation.now() < end {
        simulation.step();
    }
}

/// Starts a worker, and kills it as soon as it has stored where the consumer begins.
fn begin(simulation: &mut Simulation) {
    let worker = simulation.start();
    let body =
        json!({"TableName": "keyfold_leases", "FilterExpression": "attribute_exists(began)"});
    let has_begun =
        |simulation: &Simulation| match answer(&simulation.engine, request("Scan", &body)) {
            Ok(Response::Scan(page)) => page.count > 0,
            _ => false,
        };
    while !has_begun(simulation) {
        simulation.step();
    }
    simulation.kill(worker);
}

/// Writes orders, of which there are few: each changes again and again.
fn write(simulation: &Simulation, versions: std::ops::RangeInclusive<u64>) {
    for version in versions {
        put_order(
            &simulation.engine,
            &(version % 5).to_string(),
            "1",
            1,
            version,
        );
    }
}

fn gaps(reports: &Reports) -> Vec<String> {
    let reports = reports.lock().unwrap();
    let is_gap = |one: &&Report| matches!(one, Report::Gap(_));
    reports
        .iter()
        .filter(is_gap)
        .map(Report::to_string)
        .collect()
}

/// Records that came before those of an earlier stream: the handler refuses them.
fn refused(reports: &Reports) -> Vec<Report> {
    let reports = reports.lock().unwrap();
    let is_refused =
        |one: &&Report| matches!(one, Report::Failed { why, .. } if !why.contains("lost"));
    reports.iter().filter(is_refused).cloned().collect()
}

/// The table gets streams while no worker runs: all of them are read.
#[test]
fn streams_between_two_looks_are_read() {
    for start in [Start::Oldest, Start::Latest] {
        let (mut simulation, reports) = simulation(1, shards(), options(start));
        begin(&mut simulation);
        for stream in 0..4 {
            write(&simulation, stream * 10 + 1..=stream * 10 + 10);
            follow(&simulation.engine);
        }
        write(&simulation, 41..=50);
        simulation.start();
        run_for(&mut simulation, LEASE * 8);
        assert_eq!(compare(&simulation.engine), Ok(50), "{start:?}");
        assert_eq!(refused(&reports), []);
        assert_eq!(gaps(&reports), [] as [String; 0]);
    }
}

/// Streams that were there before a consumer began with the table's present one are none of its own.
#[test]
fn streams_before_the_first_are_not_read() {
    let (mut simulation, _) = simulation(2, shards(), options(Start::Oldest));
    write(&simulation, 1..=10);
    follow(&simulation.engine);
    begin(&mut simulation);
    write(&simulation, 11..=20);
    follow(&simulation.engine);
    write(&simulation, 21..=30);
    simulation.start();
    run_for(&mut simulation, LEASE * 6);
    let marks = scan(&simulation.engine, VIEW);
    let marks = marks.keys().filter(|id| id.starts_with("mark"));
    assert_eq!(marks.count(), 20);
}

/// Workers that come to a table with several streams, whose items change in each of them, handle the
/// changes of an item in order, whatever happens to them.
#[test]
fn a_stream_waits_for_the_end_of_the_one_before() {
    for seed in 0..8 {
        let (mut simulation, reports) = simulation(seed, shards(), options(Start::Oldest));
        begin(&mut simulation);
        if seed % 2 == 1 {
            simulation.set_faults(Faults {
                throttled: 40,
                lost: 25,
                twice: 30,
                sparse: 2,
                still: 1_500,
                killed: 1_500,
                ..Faults::default()
            });
        }
        write(&simulation, 1..=100);
        run_for(&mut simulation, Duration::from_secs(30));
        write(&simulation, 101..=200);
        follow(&simulation.engine);
        write(&simulation, 201..=220);
        for _ in 0..3 {
            simulation.start();
        }
        run_for(&mut simulation, Duration::from_secs(5));
        follow(&simulation.engine);
        write(&simulation, 221..=240);
        run_for(&mut simulation, LEASE * 10);
        simulation.set_faults(Faults::default());
        run_for(&mut simulation, LEASE * 10);
        assert_eq!(compare(&simulation.engine), Ok(240), "seed {seed}");
        let refused = refused(&reports);
        let of_order = |one: &&Report| {
            let text = one.to_string();
            text.contains("order") || text.contains("ConditionalCheckFailed")
        };
        let of_order: Vec<&Report> = refused.iter().filter(of_order).collect();
        assert!(of_order.is_empty(), "seed {seed}: {of_order:?}");
    }
}

/// A worker has stored where its consumer begins, and was killed before it had read anything. Its stream
/// is gone when another one comes: the program decides.
#[test]
fn a_stream_that_is_gone_before_it_was_read_is_a_gap() {
    for start in [Start::Oldest, Start::Latest] {
        for at_gap in [AtGap::Stop, AtGap::GoOn] {
            let shards = StreamShards {
                retention: RETENTION,
                ..StreamShards::default()
            };
            let options = options(start).on_gap(move |_| at_gap);
            let (mut simulation, reports) = simulation(3, shards, options);
            begin(&mut simulation);
            write(&simulation, 1..=5);
            follow(&simulation.engine);
            run_for(&mut simulation, RETENTION * 2);
            write(&simulation, 6..=10);
            simulation.start();
            run_for(&mut simulation, LEASE * 2);
            let found = gaps(&reports);
            assert_eq!(found.len(), 1, "{start:?}: {found:?}");
            assert!(found[0].contains("it was gone before"), "{found:?}");
            let handled = scan(&simulation.engine, VIEW).len();
            match at_gap {
                AtGap::Stop => assert_eq!(handled, 0, "it has stopped"),
                AtGap::GoOn => assert!(handled > 0, "it goes on"),
            }
            // It was decided on.
            simulation.start();
            run_for(&mut simulation, LEASE * 2);
            let again = usize::from(at_gap == AtGap::Stop);
            assert_eq!(gaps(&reports).len(), 1 + again, "{start:?}");
        }
    }
}

/// A stream that was handled to its end before it went is no gap, and neither is one that was gone before
/// a consumer of the latest records began.
#[test]
fn a_stream_that_is_gone_behind_its_end_is_no_gap() {
    for (start, begins_late) in [
        (Start::Oldest, false),
        (Start::Latest, false),
        (Start::Latest, true),
    ] {
        let shards = StreamShards {
            retention: RETENTION,
            ..StreamShards::default()
        };
        let (mut simulation, reports) = simulation(4, shards, options(start));
        let first = match begins_late {
            true => None,
            false => Some(simulation.start()),
        };
        run_for(&mut simulation, LEASE * 2);
        write(&simulation, 1..=5);
        run_for(&mut simulation, LEASE);
        common::switch_off(&simulation.engine);
        run_for(&mut simulation, LEASE * 2);
        if let Some(first) = first {
            simulation.kill(first);
        }
        run_for(&mut simulation, RETENTION * 2);
        simulation.start();
        run_for(&mut simulation, LEASE * 3);
        switch_on(&simulation.engine);
        write(&simulation, 6..=10);
        run_for(&mut simulation, LEASE * 3);
        assert_eq!(gaps(&reports), [] as [String; 0], "{start:?}");
        let marks = scan(&simulation.engine, VIEW);
        let marks = marks.keys().filter(|id| id.starts_with("mark"));
        let handled = if begins_late { 5 } else { 10 };
        assert_eq!(marks.count(), handled, "{start:?} {begins_late}");
    }
}
