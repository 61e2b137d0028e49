//! A table whose stream is switched off and on again: each of its streams is read, one behind another. The
//! time between two of them is a gap, and so is one that is gone before it was read.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::simulation::{Faults, Simulation};
use common::{
    SOURCE, VIEW, answer, compare, follow, put_order, request, sales, scan, switch_off, switch_on,
};
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
        let options = options(start).on_gap(|_| AtGap::GoOn);
        let (mut simulation, reports) = simulation(1, shards(), options);
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
        let found = gaps(&reports);
        let is_between = |one: &String| one.ends_with("the table had no stream");
        assert!(
            found.len() == 4 && found.iter().all(is_between),
            "{found:?}"
        );
    }
}

/// What is changed while the table has no stream has no record. The program decides on that when all records
/// before it are handled, and once.
#[test]
fn the_time_between_two_streams_is_a_gap() {
    for at_gap in [AtGap::Stop, AtGap::GoOn] {
        let options = options(Start::Oldest).on_gap(move |_| at_gap);
        let (mut simulation, reports) = simulation(5, shards(), options);
        let first = simulation.start();
        write(&simulation, 1..=5);
        run_for(&mut simulation, LEASE * 2);
        simulation.kill(first);
        write(&simulation, 6..=10);
        switch_off(&simulation.engine);
        write(&simulation, 11..=15);
        switch_on(&simulation.engine);
        write(&simulation, 16..=20);
        for start in 1..=2 {
            simulation.start();
            run_for(&mut simulation, LEASE * 4);
            let marks = scan(&simulation.engine, VIEW);
            let marks = marks.keys().filter(|id| id.starts_with("mark")).count();
            // A worker that has stopped asks again when it starts.
            let wanted = match at_gap {
                AtGap::Stop => (10, start),
                AtGap::GoOn => (15, 1),
            };
            let found = gaps(&reports);
            assert_eq!((marks, found.len()), wanted, "{at_gap:?}: {found:?}");
            assert!(
                found[0].contains("are missing, if there were any"),
                "{found:?}"
            );
        }
    }
}

/// Streams that were there before a consumer began with the table's present one are none of its own.
#[test]
fn streams_before_the_first_are_not_read() {
    let options = options(Start::Oldest).on_gap(|_| AtGap::GoOn);
    let (mut simulation, _) = simulation(2, shards(), options);
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
        let options = options(Start::Oldest).on_gap(|_| AtGap::GoOn);
        let (mut simulation, reports) = simulation(seed, shards(), options);
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
            // Behind it, the time without a stream is another one.
            let wanted = match at_gap {
                AtGap::Stop => 1,
                AtGap::GoOn => 2,
            };
            assert_eq!(found.len(), wanted, "{start:?}: {found:?}");
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
            assert_eq!(gaps(&reports).len(), wanted + again, "{start:?}");
        }
    }
}

/// A stream that was handled to its end before it went is no gap, and neither is one that was gone before
/// a consumer of the latest records began. The time until the next one is.
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
        let options = options(start).on_gap(|_| AtGap::GoOn);
        let (mut simulation, reports) = simulation(4, shards, options);
        let first = match begins_late {
            true => None,
            false => Some(simulation.start()),
        };
        run_for(&mut simulation, LEASE * 2);
        write(&simulation, 1..=5);
        run_for(&mut simulation, LEASE);
        switch_off(&simulation.engine);
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
        let found = gaps(&reports);
        assert!(
            found.len() == 1 && found[0].contains("had no stream"),
            "{found:?}"
        );
        let marks = scan(&simulation.engine, VIEW);
        let marks = marks.keys().filter(|id| id.starts_with("mark"));
        let handled = if begins_late { 5 } else { 10 };
        assert_eq!(marks.count(), handled, "{start:?} {begins_late}");
    }
}

/// A worker is stopped when it has handled all shards that it knew, and nobody has seen their children. They come and
/// go: the program decides on that, once. Where they are there still, or the consumer begins, nothing is missing.
#[test]
fn shards_that_came_and_went_between_two_looks_are_a_gap() {
    for (at_gap, is_late) in [
        (AtGap::Stop, true),
        (AtGap::GoOn, true),
        (AtGap::GoOn, false),
    ] {
        let shards = StreamShards {
            retention: RETENTION,
            ..shards()
        };
        let options = options(Start::Oldest).on_gap(move |_| at_gap);
        let (mut simulation, reports) = simulation(6, shards, options);
        // Shards that nobody was there to see before the beginning are no gap.
        write(&simulation, 1..=10);
        run_for(&mut simulation, RETENTION * 2);
        let first = simulation.start();
        write(&simulation, 11..=20);
        run_for(&mut simulation, Duration::from_secs(50));
        simulation.kill(first);
        assert_eq!(gaps(&reports), Vec::<String>::new());
        assert!(forget_open(&simulation) > 0);
        write(&simulation, 21..=30);
        if is_late {
            run_for(&mut simulation, RETENTION * 2);
        }
        write(&simulation, 31..=40);
        let mut found = Vec::new();
        for _ in 0..2 {
            simulation.start();
            run_for(&mut simulation, LEASE * 6);
            found.push(gaps(&reports).len());
        }
        let all = gaps(&reports);
        match (at_gap, is_late) {
            (_, false) => assert_eq!(all, Vec::<String>::new()),
            (AtGap::Stop, true) => assert!(found[0] > 0 && found[1] > found[0], "{all:?}"),
            (AtGap::GoOn, true) => assert!(found[0] > 0 && found[1] == found[0], "{all:?}"),
        }
        let is_whole = |one: &String| one.ends_with("behind TRIM_HORIZON are missing");
        assert!(all.iter().all(is_whole), "{all:?}");
        let marks = scan(&simulation.engine, VIEW);
        let marks = marks.keys().filter(|id| id.starts_with("mark")).count();
        let handled = match (at_gap, is_late) {
            (AtGap::Stop, _) => 10,
            (AtGap::GoOn, true) => 20,
            (AtGap::GoOn, false) => 30,
        };
        assert_eq!(marks, handled, "{all:?}");
    }
}

/// Deletes the leases of shards that are not handled to their end, as if nobody had seen them: how many.
fn forget_open(simulation: &Simulation) -> usize {
    let scan = json!({"TableName": "keyfold_leases", "FilterExpression": "attribute_exists(#p) AND #p <> :end",
        "ExpressionAttributeNames": {"#p": "position"}, "ExpressionAttributeValues": {":end": {"S": "SHARD_END"}}});
    let Ok(Response::Scan(page)) = answer(&simulation.engine, request("Scan", &scan)) else {
        panic!("no leases")
    };
    let items = page.items.unwrap_or_default();
    for item in &items {
        let item = item.to_item();
        let text = |name: &str| match item.get(name) {
            Some(keyfold_types::Value::S(text)) => text.clone(),
            other => panic!("{other:?}"),
        };
        let key = json!({"consumer": {"S": text("consumer")}, "lease": {"S": text("lease")}});
        let delete = json!({"TableName": "keyfold_leases", "Key": key});
        answer(&simulation.engine, request("DeleteItem", &delete)).unwrap();
    }
    items.len()
}
