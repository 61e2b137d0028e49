//! Moves tables between servers while programs write to the source, and kills the command meanwhile.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::{
    AttributeDefinition, BillingMode, CreateTableInput, DeleteItemInput, DeleteTableInput,
    DescribeTableInput, KeySchemaElement, KeyType, ListTablesInput, Named, PutItemInput, Response,
    ScalarAttributeType, ScanInput, StreamSpecification, StreamViewType, UpdateTableInput,
};
use keyfold_client::Backend;
use keyfold_types::Item;
use serde_json::Value as Json;
use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use workplace::Workplace;
use workplace::server::Server;

const TABLE: &str = "Notes";
const ITEMS: u64 = 600;

fn make_table(backend: &Backend) {
    make_table_named(backend, TABLE);
}

fn make_table_named(backend: &Backend, table: &str) {
    let input = CreateTableInput {
        table_name: Some(table.to_owned()),
        attribute_definitions: Some(vec![AttributeDefinition {
            attribute_name: Some("id".to_owned()),
            attribute_type: Some(Named::Known(ScalarAttributeType::S)),
        }]),
        key_schema: Some(vec![KeySchemaElement {
            attribute_name: Some("id".to_owned()),
            key_type: Some(Named::Known(KeyType::Hash)),
        }]),
        billing_mode: Some(Named::Known(BillingMode::PayPerRequest)),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(true),
            stream_view_type: Some(Named::Known(StreamViewType::NewAndOldImages)),
        }),
        ..CreateTableInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn put(backend: &Backend, number: u64, text: &str) {
    put_to(backend, TABLE, number, text);
}

fn put_to(backend: &Backend, table: &str, number: u64, text: &str) {
    let item = Item::from_iter([
        ("id", format!("n{number}")),
        ("text", format!("{text} {}", "x".repeat(4_000))),
    ]);
    let input = PutItemInput {
        table_name: Some(table.to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn delete(backend: &Backend, number: u64) {
    let input = DeleteItemInput {
        table_name: Some(TABLE.to_owned()),
        key: Some(Ok(Item::from_iter([("id", format!("n{number}"))]))),
        ..DeleteItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

/// Puts and deletes items until it is to end.
fn write_on(backend: &Backend, ends: &AtomicBool) {
    let mut number = 0;
    while !ends.load(Ordering::SeqCst) {
        number += 7;
        match number % 3 {
            0 => delete(backend, number % (ITEMS + 50)),
            _ => put(backend, number % (ITEMS + 50), "changed"),
        }
    }
}

/// The command and the run look at different moments whether the table is copied.
#[test]
fn a_table_whose_writers_are_stopped_is_noted_as_copied_when_the_command_says_so() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&["--latency", "300ms"]));
    make_table(&from.backend());
    put(&from.backend(), 1, "first");
    let (from, to) = (from.endpoint.as_str(), to.endpoint.as_str());
    place.text(&["move", from, to, "--writers-stopped", "--stop-when-even"]);
    place.text(&["move", "complete", from, to, "--yes"]);
}

#[test]
fn a_move_between_servers_survives_kills_while_writers_go_on() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let backend = from.backend();
    make_table(&backend);
    for number in 0..ITEMS {
        put(&backend, number, "first");
    }
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| write_on(&backend, &ends));
        for millis in [300, 600, 900] {
            let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
                .current_dir(place.folder.path())
                .args(["move", &from.endpoint, &to.endpoint, "--rate", "400"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(millis));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        ends.store(true, Ordering::SeqCst);
    });
    let run = ["move", &from.endpoint, &to.endpoint, "--stop-when-even"];
    let report = place.json(0, &run);
    assert_eq!(report["isEven"], true, "{report}");
    assert_eq!(report["tables"][0]["table"], TABLE);
    let both = ["move", "verify", &from.endpoint, &to.endpoint];
    let equal = place.json(0, &both);
    assert_eq!(equal["tables"][0]["differences"], serde_json::json!([]));
    assert!(equal["tables"][0]["sourceItems"].as_u64().unwrap() > 100);
    // A difference is named.
    delete(&to.backend(), 1);
    put(&to.backend(), 1, "other");
    put(&backend, 1, "one");
    let document = place.json(1, &both);
    let found = &document["result"]["tables"][0]["differences"];
    assert_eq!(found[0]["kind"], "attributes", "{document}");
    assert_eq!(found[0]["attributes"], serde_json::json!(["text"]));
    assert_eq!(found.as_array().unwrap().len(), 1);
    // The change is in the stream: the same command mends it.
    place.json(0, &run);
    place.json(0, &both);
    place.json(
        0,
        &["move", "complete", &from.endpoint, &to.endpoint, "--yes"],
    );
    place.json(1, &run);
}

#[test]
fn an_aborted_move_leaves_nothing_and_can_begin_again() {
    let place = Workplace::new();
    let shop = &Workplace::model("shop.keyfold");
    let product = ["productId=p", "name=n", "price=1", "stock=3"];
    let put = ["put", shop, "Product"];
    place.json(0, &[&put[..], &product, &["--data", "d"]].concat());
    let to = Server::start(&[]);
    let both = ["keyfold:d", to.endpoint.as_str()];
    let first = place.json(0, &[&["move"][..], &both].concat());
    assert_eq!(first["tables"][0]["follows"], false);
    assert_eq!(first["tables"][0]["items"], 1, "{first}");
    // What changes now would not be copied: the command does not say that both sides are even.
    let refused = place.json(1, &[&["move"][..], &both].concat());
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("changes since then are not followed"),
        "{message}"
    );
    let refused = place.json(1, &[&["move", "abort"][..], &both].concat());
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("--yes"), "{message}");
    place.json(0, &[&["move", "abort"][..], &both, &["--yes"]].concat());
    let again = place.json(0, &[&["move"][..], &both].concat());
    assert_eq!(again["tables"][0]["items"], first["tables"][0]["items"]);
    place.json(0, &[&["move", "verify"][..], &both].concat());
    place.json(0, &[&["move", "complete"][..], &both, &["--yes"]].concat());
    // The target's table is no part of a move any more.
    let refused = place.json(1, &[&["move"][..], &both].concat());
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("which no move has made"), "{message}");
}

#[test]
fn a_move_is_completed_when_nothing_is_left() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let backend = from.backend();
    make_table(&backend);
    put(&backend, 1, "first");
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let run = [&["move"][..], &both, &["--stop-when-even"]].concat();
    // A table that is named twice is moved once.
    let twice = [&run[..], &["--table", TABLE, "--table", TABLE]].concat();
    let report = place.json(0, &twice);
    assert_eq!(report["tables"].as_array().unwrap().len(), 1, "{report}");
    // As long as the source is written, the move goes on.
    let complete = [&["move", "complete"][..], &both, &["--yes"]].concat();
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| write_on(&backend, &ends));
        let refused = place.json(1, &[&complete[..], &["--wait", "3"]].concat());
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("still written"), "{message}");
        ends.store(true, Ordering::SeqCst);
    });
    // What was written since the last run is carried first.
    put(&backend, 7_000, "last");
    place.json(0, &complete);
    place.json(0, &[&["move", "verify"][..], &both].concat());
    let refused = place.json(4, &complete);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("knows of no move"), "{message}");
}

#[test]
fn an_abort_needs_no_source_and_leaves_tables_of_others() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    make_table(&from.backend());
    put(&from.backend(), 1, "first");
    let source = from.endpoint.clone();
    let both = [source.as_str(), to.endpoint.as_str()];
    place.json(0, &[&["move"][..], &both, &["--stop-when-even"]].concat());
    let input = DeleteTableInput {
        table_name: Some(TABLE.to_owned()),
    };
    to.backend().call(input.into()).unwrap();
    make_table(&to.backend());
    let refused = place.json(1, &[&["move"][..], &both].concat());
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("not the one that the move has made"),
        "{message}"
    );
    drop(from);
    place.json(0, &[&["move", "abort"][..], &both, &["--yes"]].concat());
    let input = DescribeTableInput {
        table_name: Some(TABLE.to_owned()),
    };
    to.backend().call(input.into()).unwrap();
}

#[test]
fn a_move_that_is_refused_makes_nothing() {
    let place = Workplace::new();
    let gone = Server::start(&[]).endpoint.clone();
    place.json(5, &["move", &gone, "keyfold:copy"]);
    assert!(!place.folder.path().join("copy").exists());
    let from = Server::start(&[]);
    place.json(
        4,
        &["move", &from.endpoint, "keyfold:copy", "--table", "None"],
    );
    assert!(!place.folder.path().join("copy").exists());
    // Nobody has agreed that its stream is switched on.
    let backend = from.backend();
    make_table(&backend);
    switch_stream_off(&backend);
    let to = Server::start(&[]);
    for target in ["keyfold:copy", to.endpoint.as_str()] {
        let refused = place.json(1, &["move", &from.endpoint, target]);
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("--yes switches it on"), "{message}");
    }
    assert!(!place.folder.path().join("copy").exists());
    assert_eq!(tables_of(&to.backend()), [""; 0]);
    // A table of somebody else is in the way.
    make_table(&to.backend());
    let refused = place.json(1, &["move", &from.endpoint, &to.endpoint, "--yes"]);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("nothing was written"), "{message}");
    assert_eq!(tables_of(&to.backend()), [TABLE]);
}

fn switch_stream_off(backend: &Backend) {
    let input = UpdateTableInput {
        table_name: Some(TABLE.to_owned()),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(false),
            stream_view_type: None,
        }),
        ..UpdateTableInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn tables_of(backend: &Backend) -> Vec<String> {
    match backend.call(ListTablesInput::default().into()).unwrap() {
        Response::ListTables(tables) => tables.table_names.unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

/// A move is paused by another process: its run ends and writes nothing, and the next one goes on.
#[test]
fn a_paused_move_stands_still_until_it_is_resumed() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let backend = from.backend();
    make_table(&backend);
    for number in 0..ITEMS {
        put(&backend, number, "first");
    }
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let refused = place.json(4, &[&["move", "resume"][..], &both].concat());
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("begins one"), "{message}");
    // It is paused while it copies, which takes some seconds at this rate.
    let run = [&["move"][..], &both, &["--rate", "1200"]].concat();
    let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(&run)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let status = [&["move", "status"][..], &both].concat();
    let began = Instant::now();
    while place.json(0, &status)["tables"][0].is_null() {
        assert!(began.elapsed() < Duration::from_secs(20));
    }
    std::thread::sleep(Duration::from_millis(700));
    let paused = place.json(0, &[&["move", "pause"][..], &both].concat());
    let at = Instant::now();
    assert_eq!(paused["tables"][0]["isPaused"], true, "{paused}");
    let left = paused["tables"][0]["secondsLeft"].as_u64().unwrap();
    assert!((22 * 3_600..24 * 3_600).contains(&left), "{left}");
    let there = items_of(&to.backend());
    let output = child.wait_with_output().unwrap();
    assert!(at.elapsed() < Duration::from_secs(5), "{:?}", at.elapsed());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("paused by another process: Notes"), "{said}");
    assert!(said.contains("`keyfold move resume`"), "{said}");
    put(&backend, 5_000, "later");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(items_of(&to.backend()), there);
    assert!(there < ITEMS, "the pause came too late");
    assert_eq!(place.json(0, &status)["tables"][0]["isPaused"], true);
    let text = place.text(&status);
    assert!(text.contains("go on within 23 h"), "{text}");
    let resumed = place.json(
        0,
        &[&["move", "resume"][..], &both, &["--stop-when-even"]].concat(),
    );
    assert_eq!(resumed["isEven"], true, "{resumed}");
    assert_eq!(place.json(0, &status)["tables"][0]["isPaused"], false);
    assert_eq!(items_of(&to.backend()), ITEMS + 1);
    place.json(0, &[&["move", "verify"][..], &both].concat());
}

/// The number of items of the table, as a scan counts them.
fn items_of(backend: &Backend) -> u64 {
    let (mut count, mut after) = (0, None);
    loop {
        let input = ScanInput {
            table_name: Some(TABLE.to_owned()),
            consistent_read: Some(true),
            exclusive_start_key: after.map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(page) = backend.call(input.into()).unwrap() else {
            panic!("no page");
        };
        count += page.items.unwrap_or_default().len() as u64;
        after = page.last_evaluated_key;
        if after.is_none() {
            return count;
        }
    }
}

/// What was done stands in the target: a report knows it after runs that were killed.
#[test]
fn a_report_outlives_killed_runs() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let backend = from.backend();
    make_table(&backend);
    for number in 0..ITEMS {
        put(&backend, number, "first");
    }
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    for millis in [900, 1_200, 1_500] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .current_dir(place.folder.path())
            .args([&["move"][..], &both, &["--rate", "900"]].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(items_of(&to.backend()) < ITEMS, "the runs were too fast");
    let run = [
        &["move"][..],
        &both,
        &["--stop-when-even", "--report", "move.md"],
    ];
    place.json(0, &run.concat());
    let read = |name: &str| std::fs::read_to_string(place.folder.path().join(name)).unwrap();
    let report = read("move.md");
    // The table is written once. What the stream has had before is applied again.
    for part in [
        "**The target is even with the source.**",
        "| State | copied, and even with the source |",
        "| Read | 600 items, 2,",
        "600 records read: 600 items put, 0 deleted",
        "Requests sent again",
        "Time to copy",
        "write units of the target",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let copied: u64 = value_of(&report, "Copied");
    let skipped: u64 = value_of(&report, "Skipped");
    assert_eq!(copied + skipped, ITEMS, "{report}");
    assert!(value_of(&report, "Runs") >= 2, "{report}");
    // A comparison that finds something names it.
    put(&to.backend(), 1, "<b>|other");
    let verify = [&["move", "verify"][..], &both, &["--report", "verify.html"]].concat();
    place.json(1, &verify);
    let page = read("verify.html");
    assert!(
        page.contains("<td>id=n1</td><td>differs: text</td>"),
        "{page}"
    );
    put(&to.backend(), 1, "first");
    place.json(0, &verify);
    assert!(read("verify.html").contains("<td>Verified</td><td>equal</td>"));
    let complete = [
        &["move", "complete"][..],
        &both,
        &["--yes", "--report", "done.html"],
    ];
    let status = [&["move", "status"][..], &both, &["--report", "status.md"]].concat();
    place.json(0, &status);
    assert!(read("status.md").contains("| Read | 600 items, 2,"));
    place.json(0, &complete.concat());
    let page = read("done.html");
    assert!(page.contains("<td>Read</td><td>600 items, 2,"), "{page}");
    assert!(page.contains("The source was quiet"), "{page}");
    // A report that cannot be written is refused before anything begins.
    let refused = place.json(2, &[&["move"][..], &both, &["--report", "a.txt"]].concat());
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains(".md nor with .html"), "{message}");
}

/// A comparison that is killed goes on where it was, and no state of other tables is taken.
#[test]
fn a_killed_comparison_goes_on() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    for backend in [from.backend(), to.backend()] {
        make_table(&backend);
        for number in 0..ITEMS {
            put(&backend, number, "first");
        }
    }
    let verify = [
        "move",
        "verify",
        &from.endpoint,
        &to.endpoint,
        "--state",
        "kept",
        "--report",
        "verify.md",
    ];
    let folder = place.folder.path().join("kept");
    let is_kept = || {
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut ends = files.map(|file| file.path().extension().map(OsStr::to_owned));
        ends.any(|end| end.is_some_and(|end| end == "comparison"))
    };
    // It is killed as soon as it has kept how far it is.
    let run = || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .current_dir(place.folder.path())
            .args(verify)
            .args(["--rate", "60"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while !is_kept() {
            assert!(began.elapsed() < Duration::from_secs(60), "nothing is kept");
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    };
    run();
    // A table that was made anew is another one.
    let input = DeleteTableInput {
        table_name: Some(TABLE.to_owned()),
    };
    to.backend().call(input.into()).unwrap();
    make_table(&to.backend());
    let refused = place.json(1, &verify);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("made anew since"), "{message}");
    assert!(
        message.contains("name another folder than kept"),
        "{message}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
    for number in 0..ITEMS {
        put(&to.backend(), number, "first");
    }
    run();
    let equal = place.json(0, &verify);
    assert_eq!(equal["tables"][0]["sourceItems"], ITEMS, "{equal}");
    assert_eq!(equal["tables"][0]["targetItems"], ITEMS, "{equal}");
    let report = std::fs::read_to_string(place.folder.path().join("verify.md")).unwrap();
    assert!(
        report.contains("items were read by an earlier call"),
        "{report}"
    );
    assert!(!folder.exists(), "the state is removed at the end");
}

/// The number at the beginning of a value of a report.
fn value_of(report: &str, name: &str) -> u64 {
    let start = format!("| {name} | ");
    let line = report.lines().find(|line| line.starts_with(&start));
    let digits: String = line.unwrap()[start.len()..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap_or(0)
}

/// Programs see how far a move is while it runs, and its units are those that the servers report.
#[test]
fn events_say_how_far_a_move_is() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let backend = from.backend();
    make_table(&backend);
    // One segment of two pages: between them the move knows how long the rest takes.
    for number in 0..500 {
        put(&backend, number, "first");
    }
    let output = place.run(&[
        "move",
        &from.endpoint,
        &to.endpoint,
        "--stop-when-even",
        "--segments",
        "1",
        "--rate",
        "800",
        "--json",
    ]);
    let out = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Json> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (document, events) = lines.split_last().unwrap();
    assert_eq!(document["ok"], true, "{document}");
    let (first, last) = (&events[0], &events[events.len() - 1]);
    assert_eq!(first["event"], "started");
    assert_eq!(first["tables"][0]["items"], 500, "{first}");
    assert_eq!(last["event"], "ended");
    assert_eq!(last["why"], "even", "{last}");
    assert!(events.iter().any(|event| event["event"] == "even"));
    let progress: Vec<&Json> = events
        .iter()
        .filter(|event| event["event"] == "progress")
        .map(|event| &event["tables"][0])
        .collect();
    assert!(progress.len() > 2, "{out}");
    assert!(
        progress
            .iter()
            .any(|one| one["secondsLeft"].as_u64() > Some(0)),
        "{out}"
    );
    let table = progress[progress.len() - 1];
    assert_eq!(table["items"], 500);
    assert_eq!(table["secondsLeft"], Json::Null);
    assert_eq!(table["dollars"], Json::Null);
    // A scan of 500 items of almost 4 KB takes almost a unit for each. An item is written for two units a
    // kilobyte, by the copy, by its change, or by both; a copied one takes two more to look up its tombstone.
    let units = |name: &str| table["units"][name].as_f64().unwrap();
    assert!((485.0..520.0).contains(&units("sourceRead")), "{table}");
    assert_eq!(units("sourceWrite"), 0.0);
    let written = units("targetWrite");
    assert!((4_000.0..12_000.0).contains(&written), "{table}");
}

/// The target knows which tables are moved, so that none of the others is compared.
#[test]
fn a_comparison_is_of_the_tables_that_are_moved() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let backend = from.backend();
    make_table(&backend);
    make_table_named(&backend, "Small");
    put(&backend, 1, "first");
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let small = ["--table", "Small", "--stop-when-even", "--yes"];
    place.json(0, &[&["move"][..], &both, &small].concat());
    let verify = [&["move", "verify"][..], &both].concat();
    let compared = place.json(0, &verify);
    assert_eq!(compared["tables"].as_array().unwrap().len(), 1);
    assert_eq!(compared["tables"][0]["table"], "Small", "{compared}");
    place.json(0, &[&["move", "complete"][..], &both, &["--yes"]].concat());
    // Without a move, all tables of the source are.
    let missing = place.json(4, &verify);
    let said = missing["error"]["message"].as_str().unwrap();
    assert!(said.contains("no table Notes"), "{said}");
}

#[test]
fn several_tables_are_followed_until_all_are_even() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let backend = from.backend();
    make_table(&backend);
    make_table_named(&backend, "Small");
    for number in 0..200 {
        put(&backend, number, "first");
    }
    let ends = AtomicBool::new(false);
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let report = std::thread::scope(|scope| {
        // The small table is even long before the other one is copied, and is written after that.
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(1_500));
            for number in 0..20 {
                put_to(&backend, "Small", number, "late");
            }
            ends.store(true, Ordering::SeqCst);
        });
        place.json(
            0,
            &[&["move"][..], &both, &["--stop-when-even", "--rate", "600"]].concat(),
        )
    });
    assert!(
        ends.load(Ordering::SeqCst),
        "the move was faster than the writer"
    );
    assert_eq!(report["isEven"], true, "{report}");
    place.json(0, &[&["move", "verify"][..], &both].concat());
}

/// What `status` says of a table that is followed, of one that is not, and of one that was deleted.
#[test]
fn status_says_how_far_a_table_is() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    make_table(&from.backend());
    put(&from.backend(), 1, "first");
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let status = || {
        let told = place.run(&[&["move", "status"][..], &both].concat());
        let text = String::from_utf8(told.stdout).unwrap();
        let document = place.json(0, &[&["move", "status"][..], &both].concat());
        (text, document["tables"][0].clone())
    };
    let moved = |options: &[&str]| {
        let all = [
            &["move"][..],
            &both,
            &["--yes", "--stop-when-even"],
            options,
        ];
        place.json(0, &all.concat())
    };
    moved(&[]);
    let (text, table) = status();
    assert!(
        text.contains(" s behind (noted ") && text.contains("following, "),
        "{text}"
    );
    assert!(
        table["secondsBehind"]
            .as_u64()
            .is_some_and(|seconds| seconds < 60),
        "{table}"
    );
    assert!(
        table["notedSecondsAgo"]
            .as_u64()
            .is_some_and(|seconds| seconds < 60),
        "{table}"
    );
    assert_eq!(
        (&table["phase"], &table["isThere"]),
        (&"following".into(), &true.into())
    );
    place.json(0, &[&["move", "abort"][..], &both, &["--yes"]].concat());
    moved(&["--writers-stopped"]);
    let (text, table) = status();
    assert!(
        text.contains("segments copied, changes are not followed"),
        "{text}"
    );
    assert_eq!(
        (&table["phase"], &table["follows"]),
        (&"copied".into(), &false.into())
    );
    assert_eq!(table["secondsBehind"], Json::Null);
    let input = DeleteTableInput {
        table_name: Some(TABLE.to_owned()),
    };
    to.backend().call(input.into()).unwrap();
    let (text, table) = status();
    assert!(
        text.contains("its table is not in the target any more"),
        "{text}"
    );
    assert_eq!(table["isThere"], false);
}
