//! Event source mappings, with a clock that the test moves: one test for each behaviour that AWS
//! documents (the table in `docs/streams.md`).
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::play::{Run, ids, mapping, number};
use common::{
    Ahead, ITERATOR_IS_OLD, SOURCE, answer, delete_leases, follow, make_source, put_order, request,
    switch_off,
};
use keyfold_engine::{Clock, EngineOptions, StreamShards};
use keyfold_stream::mapping::{Reply, status};
use keyfold_stream::{Position, Sends, Trouble};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn done(_: &[String]) -> Reply {
    Reply::Returned("null".to_owned())
}

fn failed() -> Reply {
    Reply::Failed("Unhandled", "no".to_owned())
}

/// Fails when an event has one of these orders.
fn fails_at(bad: &'static [&'static str]) -> impl Fn(&[String]) -> Reply + Send + Sync {
    move |ids| match ids.iter().any(|id| bad.contains(&id.as_str())) {
        true => failed(),
        false => done(ids),
    }
}

#[test]
fn an_event_has_the_documented_shape() {
    let mut run = Run::new("", done);
    run.put(&["1"]);
    run.work(1);
    let event = run.play.events.lock().unwrap()[0].1.clone();
    let record = &event["Records"][0];
    let names: Vec<&str> = record
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let wanted = [
        "awsRegion",
        "dynamodb",
        "eventID",
        "eventName",
        "eventSource",
        "eventSourceARN",
        "eventVersion",
    ];
    assert_eq!(
        names.iter().filter(|name| wanted.contains(name)).count(),
        wanted.len()
    );
    assert_eq!(names.len(), wanted.len(), "{names:?}");
    assert_eq!(record["eventSource"], "aws:dynamodb");
    assert_eq!(record["eventName"], "INSERT");
    assert!(
        record["eventSourceARN"]
            .as_str()
            .unwrap()
            .contains("table/Orders/stream/")
    );
    let change = &record["dynamodb"];
    assert_eq!(change["Keys"], json!({"id": {"S": "1"}}));
    assert_eq!(change["NewImage"]["total"], json!({"N": "1"}));
    assert_eq!(change["StreamViewType"], "NEW_AND_OLD_IMAGES");
    assert!(change["ApproximateCreationDateTime"].is_number() && change["SizeBytes"].is_u64());
}

#[test]
fn a_batch_has_at_most_batch_size_records() {
    let mut run = Run::new("batch=2", done);
    run.put(&["1", "2", "3", "4", "5"]);
    run.work(1);
    assert_eq!(run.events(), [vec!["1", "2"], vec!["3", "4"], vec!["5"]]);
}

#[test]
fn a_batch_waits_for_its_window() {
    let mut run = Run::new("batch=3&window=5", done);
    run.put(&["1"]);
    run.work(2);
    run.put(&["2"]);
    run.work(2);
    assert!(run.events().is_empty());
    run.work(2);
    assert_eq!(run.events(), [["1", "2"]]);
    run.put(&["3", "4", "5"]);
    run.work(1);
    assert_eq!(run.events().len(), 2, "a full batch does not wait");
}

#[test]
fn an_event_has_at_most_six_megabytes() {
    let mut run = Run::new("window=1", done);
    let long = "x".repeat(380_000);
    for id in 0..20 {
        put_order(&run.play.engine, &id.to_string(), &long, 1, 1);
    }
    run.work(4);
    let events = run.play.events.lock().unwrap();
    assert_eq!(events.len(), 2);
    assert!(
        events
            .iter()
            .all(|(_, event)| event.to_string().len() <= 6 * 1024 * 1024)
    );
    assert_eq!(ids(&events[0].1).len() + ids(&events[1].1).len(), 20);
}

/// Behind a batch that fails, as many records are read as the next one may have, by number and by bytes.
#[test]
fn a_failing_function_does_not_fill_the_memory() {
    let mut run = Run::new("batch=10000", |_| failed());
    let long = "x".repeat(380_000);
    for id in 0..90 {
        put_order(&run.play.engine, &id.to_string(), &long, 1, 1);
    }
    run.work(20);
    let read = run.play.read.load(Ordering::Relaxed);
    // A batch, the next one, and a page of a megabyte for each.
    assert!((17..=40).contains(&read), "{read}");
}

/// A function may answer anything: it is a failure, and a short line of the log.
#[test]
fn an_answer_of_garbage_is_a_short_line() {
    let garbage = "\u{1b}[2J\r\n\u{7}".repeat(300_000);
    let numbers = format!(
        "{{\"batchItemFailures\":[{{\"itemIdentifier\":{}}}]}}",
        json!(garbage)
    );
    for answer in [garbage.clone(), numbers] {
        let text = answer.clone();
        let mut run = Run::new("report-failures&retries=1", move |_| {
            Reply::Returned(text.clone())
        });
        run.put(&["1"]);
        run.work(2);
        assert_eq!(run.events().concat(), ["1", "1"]);
        assert_eq!(run.discarded().len(), 1);
    }
    let mut run = Run::new("retries=1", move |_| {
        Reply::Failed("Unhandled", garbage.clone())
    });
    run.put(&["1"]);
    run.work(2);
    assert_eq!(run.discarded().len(), 1);
    let reports = run.play.reports.lock().unwrap();
    let is_short = |one: &String| one.len() < 4_100 && !one.contains(char::is_control);
    assert!(
        reports.len() >= 3 && reports.iter().all(is_short),
        "{}",
        reports.len()
    );
}

#[test]
fn a_failed_batch_is_tried_again_until_its_retries_are_used_up() {
    let mut run = Run::new("batch=2&retries=2", fails_at(&["1"]));
    run.put(&["1", "2", "3"]);
    run.work(10);
    assert_eq!(
        run.events(),
        [vec!["1", "2"], vec!["1", "2"], vec!["1", "2"], vec!["3"]]
    );
    let discarded = run.discarded();
    assert_eq!(discarded.len(), 1);
    let [context, info] = [
        &discarded[0]["requestContext"],
        &discarded[0]["DDBStreamBatchInfo"],
    ];
    assert_eq!(context["condition"], "RetryAttemptsExhausted");
    assert_eq!(context["approximateInvokeCount"], 3);
    assert_eq!(
        discarded[0]["responseContext"]["functionError"],
        "Unhandled"
    );
    assert_eq!(info["batchSize"], 2);
    assert_eq!(info["startSequenceNumber"], number(&run.play, "1"));
    assert_eq!(info["endSequenceNumber"], number(&run.play, "2"));
    assert!(info["shardId"].as_str().unwrap().starts_with("shardId-"));
    assert!(info["streamArn"].as_str().unwrap().contains("/stream/"));
    assert!(
        info["approximateArrivalOfFirstRecord"]
            .as_str()
            .unwrap()
            .ends_with('Z')
    );
}

/// What the function answered last stands in the line: that it has failed, or that it has returned, and left records.
/// There is nothing where it was never called.
#[test]
fn a_line_has_the_last_answer() {
    let reply: Arc<Mutex<String>> = Arc::default();
    let used = Arc::clone(&reply);
    let mut run = Run::new("report-failures&retries=1", move |_| {
        Reply::Returned(used.lock().unwrap().clone())
    });
    run.put(&["1", "2", "3"]);
    // The numbers are those that another mapping of the table sees.
    let mut other = mapping(&run.play, "name=other");
    for mut shard in other.look().unwrap() {
        shard.step();
    }
    let second = number(&run.play, "2");
    run.play.events.lock().unwrap().clear();
    *reply.lock().unwrap() = failures(&[&second]);
    run.work(4);
    assert_eq!(run.events(), [vec!["1", "2", "3"], vec!["2", "3"]]);
    let discarded = run.discarded();
    let wanted = json!({"statusCode": 200, "executedVersion": "$LATEST", "functionError": null});
    assert_eq!(discarded.len(), 1);
    assert_eq!(discarded[0]["responseContext"], wanted);
    let mut run = Run::new("max-age=60", |_| Reply::Unreachable("nobody".to_owned()));
    run.put(&["1"]);
    run.work(100);
    let discarded = run.discarded();
    assert_eq!(discarded.len(), 1);
    assert_eq!(discarded[0].get("responseContext"), None);
}

#[test]
fn a_discarded_batch_that_is_not_stored_keeps_the_position() {
    let mut run = Run::new("batch=1&retries=0", fails_at(&["1"]));
    run.play.is_full.store(true, Ordering::Relaxed);
    run.put(&["1", "2"]);
    run.work(60);
    assert_eq!(run.events(), [["1"]]);
    assert_eq!(run.shards[0].position(), &Position::Horizon);
    let number = number(&run.play, "1");
    let why =
        format!("records {number} to {number}, is not stored, which is tried again: no space");
    let reports = run.play.reports.lock().unwrap().clone();
    let said = reports.iter().filter(|one| one.contains(&why)).count();
    assert!((6..=13).contains(&said), "{reports:?}");
    assert!(trouble(&run).unwrap().why.contains(&why));

    run.play.is_full.store(false, Ordering::Relaxed);
    run.work(10);
    assert_eq!(run.events(), [["1"], ["2"]]);
    assert_eq!(run.discarded().len(), 1);
    assert_eq!(trouble(&run), None);
}

/// Why the records of the only shard are not handled, as the state of the mapping has it.
fn trouble(run: &Run) -> Option<Trouble> {
    let play = Arc::clone(&run.play);
    let sends: Sends = Arc::new(move |request| answer(&play.engine, request));
    status(&sends).unwrap()[0].shards[0].error.clone()
}

#[test]
fn an_error_is_since_the_first_failure_of_its_batch_and_ends_with_it() {
    let (count, works) = (AtomicU64::new(0), Arc::new(AtomicBool::new(false)));
    let does = Arc::clone(&works);
    let mut run = Run::new("batch=1", move |_| match does.load(Ordering::Relaxed) {
        true => done(&[]),
        false => {
            let count = count.fetch_add(1, Ordering::Relaxed);
            Reply::Failed("Unhandled", format!("request {count} failed"))
        }
    });
    run.put(&["1"]);
    run.work(1);
    let first = trouble(&run).unwrap();
    run.work(60);
    let later = trouble(&run).unwrap();
    assert_ne!(first.why, later.why);
    assert_eq!(first.since_epoch_ms, later.since_epoch_ms);
    // Another server goes on with it.
    run.shards.clear();
    run.mapping = mapping(&run.play, "batch=1");
    run.work(30);
    let again = trouble(&run).unwrap();
    assert_eq!(first.since_epoch_ms, again.since_epoch_ms);
    works.store(true, Ordering::Relaxed);
    run.work(30);
    assert_eq!(trouble(&run), None);

    let mut run = Run::new("batch=1&retries=0", fails_at(&["1"]));
    run.put(&["1"]);
    run.work(10);
    assert_eq!((run.discarded().len(), trouble(&run)), (1, None));
}

#[test]
fn without_a_limit_a_failed_batch_blocks_its_shard() {
    let mut run = Run::new("batch=1", fails_at(&["1"]));
    run.put(&["1", "2"]);
    run.work(600);
    assert!(run.events().len() > 50 && run.discarded().is_empty());
    assert!(run.events().iter().all(|event| event == &["1"]));
}

#[test]
fn a_function_that_is_not_reached_uses_up_no_retry() {
    let mut run = Run::new("retries=0", |_| Reply::Unreachable("down".to_owned()));
    run.put(&["1"]);
    run.work(60);
    assert!(run.events().len() > 5 && run.discarded().is_empty());
}

#[test]
fn a_record_beyond_the_maximum_age_is_discarded() {
    let mut run = Run::new("max-age=60", fails_at(&["1"]));
    run.put(&["1"]);
    run.work(100);
    let discarded = run.discarded();
    assert_eq!(discarded.len(), 1);
    assert_eq!(
        discarded[0]["requestContext"]["condition"],
        "RecordAgeExceeded"
    );
    let tries = run.events().len();
    run.put(&["2"]);
    run.work(1);
    // The record's time is the wall clock's, which the play's clock has left behind.
    assert_eq!((run.events().len(), run.discarded().len()), (tries, 2));
}

#[test]
fn a_batch_that_fails_is_bisected() {
    let mut run = Run::new("retries=1&bisect", fails_at(&["3"]));
    run.put(&["1", "2", "3", "4"]);
    run.work(5);
    let wanted = [
        vec!["1", "2", "3", "4"],
        vec!["1", "2"],
        vec!["3", "4"],
        vec!["3"],
        vec!["3"],
        vec!["4"],
    ];
    assert_eq!(run.events(), wanted);
    let info = &run.discarded()[0]["DDBStreamBatchInfo"];
    assert_eq!((&info["batchSize"], run.discarded().len()), (&json!(1), 1));
    let reports = run.play.reports.lock().unwrap().join("; ");
    assert!(reports.contains("a batch of 1 record is"), "{reports}");
}

/// Runs a mapping over orders 1 to 4 whose first answer is a text, made with the numbers of the records.
fn answered_once(settings: &str, text: impl Fn(&[String]) -> String) -> Vec<Vec<String>> {
    let reply: Arc<Mutex<Option<String>>> = Arc::default();
    let used = Arc::clone(&reply);
    let mut run = Run::new(settings, move |ids| match used.lock().unwrap().take() {
        Some(text) => Reply::Returned(text),
        None => done(ids),
    });
    run.put(&["1", "2", "3", "4"]);
    // The numbers are those that another mapping of the table sees.
    let mut other = mapping(&run.play, "name=other");
    for mut shard in other.look().unwrap() {
        shard.step();
    }
    let numbers: Vec<String> = ["1", "2", "3", "4"]
        .map(|id| number(&run.play, id))
        .to_vec();
    run.play.events.lock().unwrap().clear();
    *reply.lock().unwrap() = Some(text(&numbers));
    run.work(5);
    run.events()
}

fn failures(numbers: &[&String]) -> String {
    let failures = numbers.iter().map(|one| json!({"itemIdentifier": one}));
    json!({"batchItemFailures": failures.collect::<Vec<_>>()}).to_string()
}

#[test]
fn the_lowest_reported_number_is_the_checkpoint() {
    let all = ["1", "2", "3", "4"].to_vec();
    for settings in ["report-failures", "report-failures&bisect"] {
        let events = answered_once(settings, |all| failures(&[&all[3], &all[1]]));
        assert_eq!(events, [all.clone(), vec!["2", "3", "4"]], "{settings}");
    }
}

#[test]
fn a_partial_answer_counts_only_with_the_setting() {
    let events = answered_once("", |all| failures(&[&all[1]]));
    assert_eq!(events.len(), 1);
}

#[test]
fn an_empty_answer_is_a_success() {
    for text in [
        "",
        "null",
        "{}",
        r#"{"batchItemFailures":[]}"#,
        r#"{"batchItemFailures":null}"#,
    ] {
        let events = answered_once("report-failures", |_| text.to_owned());
        assert_eq!(events.len(), 1, "{text}");
    }
}

#[test]
fn a_wrong_identifier_is_a_failure_of_the_batch() {
    for text in [
        r#"{"batchItemFailures":[{"itemIdentifier":""}]}"#,
        r#"{"batchItemFailures":[{"itemIdentifier":null}]}"#,
        r#"{"batchItemFailures":[{"id":"1"}]}"#,
        r#"{"batchItemFailures":[{"itemIdentifier":"17"}]}"#,
        "[1]",
    ] {
        let events = answered_once("report-failures", |_| text.to_owned());
        assert_eq!(events, [["1", "2", "3", "4"]; 2], "{text}");
    }
}

#[test]
fn only_records_that_a_filter_matches_are_handled() {
    let filter =
        |id: &str| format!("filter={{\"dynamodb\":{{\"Keys\":{{\"id\":{{\"S\":[\"{id}\"]}}}}}}}}");
    let mut run = Run::new(&format!("{}&{}", filter("2"), filter("4")), done);
    run.put(&["1", "2", "3", "4", "5"]);
    run.work(1);
    assert_eq!(run.events().concat(), ["2", "4"]);
    // Records that no filter matches are behind the position, too.
    let last = run.shards[0].position().to_string();
    let mut other = mapping(&run.play, "name=other");
    let mut shards = other.look().unwrap();
    shards[0].step();
    assert_eq!(last, number(&run.play, "5"));
}

#[test]
fn lanes_keep_the_order_of_an_item_and_one_that_fails_does_not_hold_the_others() {
    let mut run = Run::new("batch=1&parallel=4", fails_at(&["1"]));
    let names: Vec<String> = (0..40).map(|id| id.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run.put(&names);
    for version in 2..5 {
        put_order(&run.play.engine, "2", "a", 1, version);
    }
    run.work(20);
    let events = run.play.events.lock().unwrap();
    let of_two = events.iter().filter(|(_, event)| ids(event) == ["2"]);
    let versions: Vec<&str> = of_two
        .map(|(_, event)| &event["Records"][0]["dynamodb"]["NewImage"]["version"]["N"])
        .map(|version| version.as_str().unwrap())
        .collect();
    assert_eq!(versions, ["1", "2", "3", "4"]);
    let seen: std::collections::BTreeSet<Vec<String>> =
        events.iter().map(|(_, one)| ids(one)).collect();
    assert!(seen.len() > 20, "{}", seen.len());
    // The position stays before the record that fails.
    assert!(seen.contains(&vec!["1".to_owned()]));
}

#[test]
fn a_mapping_begins_where_starting_position_says() {
    for (start, wanted) in [("trim_horizon", vec!["1", "2"]), ("latest", vec!["2"])] {
        let mut run = Run::new(&format!("start={start}"), done);
        run.put(&["1"]);
        run.work(1);
        run.put(&["2"]);
        run.work(1);
        assert_eq!(run.events().concat(), wanted, "{start}");
    }
}

#[test]
fn a_mapping_goes_on_where_it_stopped() {
    let mut run = Run::new("batch=1", done);
    run.put(&["1", "2"]);
    run.work(1);
    run.mapping = mapping(&run.play, "batch=1");
    run.shards.clear();
    run.put(&["3"]);
    run.work(1);
    assert_eq!(run.events().concat(), ["1", "2", "3"]);
}

/// A mapping that begins with the latest record, and has read none: nothing is lost when its server is
/// started again, or its iterator expires.
#[test]
fn a_mapping_begins_once() {
    let clock = Arc::new(Ahead::default());
    let mut run = Run::over("start=latest", clock.engine(), done);
    run.put(&["1"]);
    run.work(1);
    run.mapping = mapping(&run.play, "start=latest");
    run.shards.clear();
    run.put(&["2"]);
    run.work(1);
    assert_eq!(run.events().concat(), ["2"]);

    let mut run = Run::over("start=latest", clock.engine(), done);
    run.put(&["1"]);
    run.work(1);
    clock.put_forward(ITERATOR_IS_OLD);
    run.put(&["2"]);
    run.work(2);
    assert_eq!(run.events().concat(), ["2"]);
}

/// A mapping that has waited for its table has begun before the first record.
#[test]
fn a_mapping_that_waits_for_its_table_leaves_nothing_out() {
    let mut run = Run::new("start=latest", done);
    let body = json!({"TableName": SOURCE});
    answer(&run.play.engine, request("DeleteTable", &body)).unwrap();
    run.work(1);
    make_source(&run.play.engine);
    run.put(&["1"]);
    run.work(1);
    assert_eq!(run.events().concat(), ["1"]);
}

/// While no server is there, shards of a stream end, and the table gets another stream.
#[test]
fn a_stream_that_is_followed_by_another_is_handled_to_its_end() {
    let shards = StreamShards {
        open_min: 1,
        open_max: 1,
        lifetime: Some(Duration::from_millis(30)),
        ..StreamShards::default()
    };
    let mut run = Run::with("", shards, done);
    run.put(&["10"]);
    run.work(1);
    run.shards.clear();
    for id in 11..30 {
        run.put(&[&id.to_string()]);
        if id % 5 == 0 {
            std::thread::sleep(Duration::from_millis(40));
            run.play.engine.work().unwrap();
        }
    }
    follow(&run.play.engine);
    run.put(&["30"]);
    run.mapping = mapping(&run.play, "");
    run.work(20);
    let mut handled = run.events().concat();
    handled.sort();
    let all: Vec<String> = (10..=30).map(|id| id.to_string()).collect();
    assert_eq!(handled, all);
}

/// While no server is there, the table gets two other streams: the one between is not passed over, and no
/// record is handled before those of the streams before its own.
#[test]
fn a_stream_between_two_others_is_handled_in_its_turn() {
    let mut run = Run::new("batch=2", done);
    run.put(&["1"]);
    run.work(1);
    run.shards.clear();
    for ids in [["2", "3", "4"], ["5", "6", "7"], ["8", "9", "10"]] {
        run.put(&ids);
        follow(&run.play.engine);
    }
    run.put(&["11"]);
    run.mapping = mapping(&run.play, "batch=2");
    run.work(20);
    let all: Vec<String> = (1..=11).map(|id| id.to_string()).collect();
    assert_eq!(run.events().concat(), all);
    // What was changed between them has no records.
    let reports = run.play.reports.lock().unwrap();
    let gaps = reports.iter().filter(|one| one.contains("had no stream"));
    assert_eq!(gaps.count(), 3, "{reports:?}");
}

/// Somebody deletes the positions of a mapping that runs: it begins anew, and does not stand still.
#[test]
fn a_mapping_whose_positions_are_deleted_begins_anew() {
    for with_table in [false, true] {
        let mut run = Run::new("", done);
        run.put(&["1"]);
        run.work(1);
        delete_leases(&run.play.engine, with_table);
        for _ in 0..5 {
            // Behind the error of a look, the next one goes on.
            run.shards.extend(run.mapping.look().unwrap_or_default());
        }
        run.put(&["2"]);
        run.work(2);
        run.put(&["3"]);
        run.work(2);
        let events = run.events().concat();
        assert!(events.ends_with(&["3".to_owned()]), "{events:?}");
        assert!(
            events.iter().filter(|one| *one == "1").count() == 2,
            "{events:?}"
        );
    }
}

/// A stream is switched off while no server is there: what it has is handled, also where the table names
/// no stream any more.
#[test]
fn a_stream_that_is_switched_off_is_handled_to_its_end() {
    for hides in [false, true] {
        let mut run = Run::new("", done);
        run.put(&["1"]);
        run.work(1);
        run.shards.clear();
        run.put(&["2"]);
        switch_off(&run.play.engine);
        run.play.hides.store(hides, Ordering::Relaxed);
        run.mapping = mapping(&run.play, "");
        run.work(2);
        assert_eq!(run.events().concat(), ["1", "2"], "{hides}");
    }
}

#[test]
fn an_iterator_expires_while_the_mapping_is_idle() {
    let clock = Arc::new(Ahead::default());
    let mut run = Run::over("batch=1", clock.engine(), done);
    run.put(&["1"]);
    run.work(1);
    for id in ["2", "3"] {
        clock.put_forward(ITERATOR_IS_OLD);
        run.put(&[id]);
        run.work(1);
    }
    assert_eq!(run.events().concat(), ["1", "2", "3"]);
    assert_eq!(*run.play.expired.lock().unwrap(), 2);
}

/// The records of a table whose shards are split again and again, read behind all of that or meanwhile: those of a
/// child come behind all those of its parent, and those of an order as they were written.
#[test]
fn parents_come_before_their_children() {
    for is_meanwhile in [false, true] {
        let clock = Arc::new(Ahead::default());
        let lifetime = Duration::from_secs(60);
        let shards = StreamShards {
            open_min: 1,
            open_max: 8,
            lifetime: Some(lifetime),
            ..StreamShards::default()
        };
        let options = EngineOptions {
            shards,
            ..clock.engine()
        };
        let mut run = Run::over("batch=3", options, done);
        for version in 1..=200 {
            let order = (version % 12).to_string();
            put_order(&run.play.engine, &order, "a", 1, version);
            if version % 40 == 0 {
                clock.put_forward(lifetime);
                run.play.engine.work().unwrap();
            }
            if is_meanwhile && version % 7 == 0 {
                run.work(1);
            }
        }
        run.work(60);
        let handled = run.handled();
        let all = handled.values().map(Vec::len).sum::<usize>();
        assert_eq!(all, 200);
        for (order, versions) in handled {
            let written = (1..=200).filter(|version| (version % 12).to_string() == order);
            assert_eq!(versions, written.collect::<Vec<u64>>(), "{order}");
        }
        // 2, 4 and 8 shards, and 8 that follow these, of which some have no records.
        assert!(run.assert_behind_parents() > 12);
    }
}

/// An item that expires is removed by the service, which its record says.
#[test]
fn an_item_that_expires_is_removed_by_the_service() {
    let clock = Arc::new(Ahead::default());
    let mut run = Run::over("", clock.engine(), done);
    let engine = &run.play.engine;
    let ask = |operation: &str, body: &serde_json::Value| {
        answer(engine, request(operation, body)).unwrap();
    };
    let setting = json!({"Enabled": true, "AttributeName": "until"});
    let setting = json!({"TableName": SOURCE, "TimeToLiveSpecification": setting});
    ask("UpdateTimeToLive", &setting);
    let until = clock.now_ms() / 1_000 + 3_600;
    for (id, until) in [("1", until), ("2", until + 7_200), ("3", until + 7_200)] {
        let item = json!({"id": {"S": id}, "until": {"N": until.to_string()}});
        ask("PutItem", &json!({"TableName": SOURCE, "Item": item}));
    }
    clock.put_forward(Duration::from_secs(2 * 3_600));
    engine.work().unwrap();
    let key = json!({"id": {"S": "2"}});
    ask("DeleteItem", &json!({"TableName": SOURCE, "Key": key}));
    run.work(2);
    let events = run.play.events.lock().unwrap();
    let records = events.iter().map(|(_, event)| &event["Records"]);
    let records: Vec<&serde_json::Value> =
        records.flat_map(|one| one.as_array().unwrap()).collect();
    let removed: Vec<_> = records
        .iter()
        .filter(|one| one["eventName"] == "REMOVE")
        .collect();
    assert_eq!((records.len(), removed.len()), (5, 2));
    let [expired, deleted] = [removed[0], removed[1]];
    assert_eq!(expired["dynamodb"]["Keys"], json!({"id": {"S": "1"}}));
    let image = &expired["dynamodb"]["OldImage"];
    assert_eq!(image["until"], json!({"N": until.to_string()}));
    assert_eq!(expired["dynamodb"].get("NewImage"), None);
    let identity = json!({"type": "Service", "principalId": "dynamodb.amazonaws.com"});
    assert_eq!(expired["userIdentity"], identity);
    // What a client removes has no identity.
    assert_eq!(deleted["dynamodb"]["Keys"], key);
    let named = records
        .iter()
        .filter(|one| one.get("userIdentity").is_some());
    assert_eq!(named.count(), 1);
}
