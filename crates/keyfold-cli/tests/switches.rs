//! Switches moves to and fro on the command line: between servers, and from a data folder.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::{Operation, Request, ScanInput};
use keyfold_client::Backend;
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_types::Value;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use workplace::Workplace;
use workplace::server::Server;

const TABLE: &str = r#"{"TableName":"Notes","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"id","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"id","KeyType":"HASH"}],
    "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}}"#;

fn request(operation: Operation, body: &str) -> Request {
    keyfold_wire::decode(operation, body.as_bytes()).unwrap()
}

/// Puts an item. Returns the message of its refusal.
fn put(backend: &Backend, id: &str) -> Option<String> {
    let body = format!(r#"{{"TableName":"Notes","Item":{{"id":{{"S":"{id}"}}}}}}"#);
    let answer = backend.call(request(Operation::PutItem, &body));
    answer.err().map(|error| error.to_string())
}

fn has(backend: &Backend, id: &str) -> bool {
    let body = format!(r#"{{"TableName":"Notes","Key":{{"id":{{"S":"{id}"}}}}}}"#);
    match backend.call(request(Operation::GetItem, &body)).unwrap() {
        keyfold_api::Response::GetItem(found) => found.item.is_some(),
        _ => panic!("another answer"),
    }
}

fn with<'a>(action: &[&'a str], both: &[&'a str; 2], more: &[&'a str]) -> Vec<&'a str> {
    [&["move"][..], action, both, more].concat()
}

const AT_ONCE: [&str; 2] = ["--yes", "--stop-when-switched"];

#[test]
fn a_move_between_servers_is_switched_to_and_fro() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let (source, target) = (from.backend(), to.backend());
    source.call(request(Operation::CreateTable, TABLE)).unwrap();
    assert_eq!(put(&source, "a"), None);
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let missing = place.json(4, &with(&["switch"], &both, &AT_ONCE));
    let said = missing["error"]["message"].as_str().unwrap();
    assert!(said.contains("no move"), "{said}");
    place.json(0, &with(&[], &both, &["--stop-when-even", "--yes"]));
    let unasked = place.json(1, &with(&["switch"], &both, &[]));
    let said = unasked["error"]["message"].as_str().unwrap();
    assert!(said.contains("--yes"), "{said}");
    // What would happen is said to nobody who cannot agree, and `--yes` is wanted before anything is opened.
    for action in ["switch", "reverse", "abort", "complete"] {
        for both in [both, ["keyfold:absent", "keyfold:absent2"]] {
            let unasked = place.run(&with(&[action], &both, &[]));
            assert_eq!(unasked.status.code(), Some(1), "{action}");
            let said = String::from_utf8_lossy(&unasked.stderr);
            assert!(said.contains("; --yes begins at once"), "{said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
    }
    assert_eq!(put(&source, "b"), None);
    let done = place.json(0, &with(&["switch"], &both, &AT_ONCE));
    assert_eq!(done["tables"][0]["leads"], "target", "{done}");
    assert_eq!(done["tables"][0]["connection"], both[1], "{done}");
    assert!(
        done["tables"][0]["pausedMs"].as_u64().unwrap() < 1_000,
        "{done}"
    );
    assert!(has(&target, "b"));
    let refused = put(&source, "c").unwrap();
    assert!(
        refused.contains(&format!("The table has moved to {}", both[1])),
        "{refused}"
    );
    assert_eq!(put(&target, "d"), None);
    let again = place.json(1, &with(&["switch"], &both, &AT_ONCE));
    let said = again["error"]["message"].as_str().unwrap();
    assert!(
        said.contains("programs write to the target already"),
        "{said}"
    );
    let aborted = place.json(1, &with(&["abort"], &both, &["--yes"]));
    let said = aborted["error"]["message"].as_str().unwrap();
    assert!(said.contains("keyfold move reverse"), "{said}");
    place.json(0, &with(&["reverse"], &both, &AT_ONCE));
    assert!(has(&source, "d"));
    assert_eq!(put(&source, "e"), None);
    assert!(put(&target, "f").is_some());
    place.json(0, &with(&["switch"], &both, &AT_ONCE));
    assert!(has(&target, "e"));
    let status = place.json(0, &with(&["status"], &both, &[]));
    let one = &status["tables"][0];
    assert_eq!(
        (&one["leads"], &one["turns"]),
        (&Json::from("target"), &Json::from(3))
    );
    assert_eq!(one["appliedBack"]["written"], 1, "{one}");
    assert_eq!(one["applied"]["written"], 3, "{one}");
    let text = place.text(&with(&["status"], &both, &[]));
    assert!(text.contains("programs write to the target"), "{text}");
    place.json(0, &with(&["complete"], &both, &["--yes"]));
    assert_eq!(put(&source, "g"), None);
    assert_eq!(put(&target, "h"), None);
}

/// A move that was switched is named in the order in which it began.
#[test]
fn places_in_the_other_order_are_refused_with_the_right_one() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let source = from.backend();
    source.call(request(Operation::CreateTable, TABLE)).unwrap();
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let turned = [both[1], both[0]];
    place.json(0, &with(&[], &both, &["--stop-when-even", "--yes"]));
    let report = ["--report", "r.md"];
    place.json(
        0,
        &with(&["switch"], &both, &[&AT_ONCE[..], &report].concat()),
    );
    let written = std::fs::read_to_string(place.folder.path().join("r.md")).unwrap();
    assert!(
        written.contains(&format!("Programs write to {}", both[1])),
        "{written}"
    );
    for action in ["abort", "complete", "switch", "reverse"] {
        let refused = place.json(1, &with(&[action], &turned, &["--yes"]));
        let said = refused["error"]["message"].as_str().unwrap();
        assert!(
            said.ends_with(&format!("in that order: {} {}", both[0], both[1])),
            "{said}"
        );
    }
    assert_eq!(put(&to.backend(), "b"), None);
    assert!(put(&source, "c").is_some());
}

/// A direction that passes over records ends the command, too, when it cannot go on.
#[test]
fn a_stream_that_is_switched_off_at_the_old_side_ends_the_command() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let source = from.backend();
    source.call(request(Operation::CreateTable, TABLE)).unwrap();
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    place.json(0, &with(&[], &both, &["--stop-when-even", "--yes"]));
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(with(&["switch"], &both, &["--yes"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let is_late = || began.elapsed() > Duration::from_secs(60);
    let target = to.backend();
    // Before the source refuses writes, the target takes them of anybody, and they are not carried back.
    while put(&source, "x").is_none() || put(&target, "a").is_some() || !has(&source, "a") {
        assert!(!is_late(), "it does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
    let off = r#"{"TableName":"Notes","StreamSpecification":{"StreamEnabled":false}}"#;
    source.call(request(Operation::UpdateTable, off)).unwrap();
    let ended = loop {
        if let Some(ended) = child.try_wait().unwrap() {
            break Some(ended);
        }
        if is_late() {
            break None;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    child.kill().ok();
    child.wait().unwrap();
    assert_eq!(ended.and_then(|ended| ended.code()), Some(1));
}

/// The command goes on after the switch, and carries what changes to the old side.
#[test]
fn what_changes_after_a_switch_is_carried_back() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let (source, target) = (from.backend(), to.backend());
    source.call(request(Operation::CreateTable, TABLE)).unwrap();
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    place.json(0, &with(&[], &both, &["--stop-when-even", "--yes"]));
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(with(&["switch"], &both, &["--yes"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    let wait = |is_so: &dyn Fn() -> bool| {
        while !is_so() {
            assert!(
                began.elapsed() < Duration::from_secs(30),
                "it does not come"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait(&|| put(&source, "a").is_some());
    wait(&|| put(&target, "b").is_none());
    wait(&|| has(&source, "b"));
    child.kill().unwrap();
    child.wait().unwrap();
    // Another run goes on from there.
    assert_eq!(put(&target, "c"), None);
    place.json(0, &with(&["resume"], &both, &["--stop-when-even"]));
    assert!(has(&source, "c"));
}

#[test]
fn a_folder_that_was_switched_refuses_writes_and_says_where_the_table_is() {
    let place = Workplace::new();
    let folder = place.folder.path().join("d");
    let open = || {
        let store = StoreOptions::folder(&folder, Durability::Synced);
        Backend::Embedded(Arc::new(Engine::open(EngineOptions::new(store)).unwrap()))
    };
    {
        let engine = open();
        engine.call(request(Operation::CreateTable, TABLE)).unwrap();
        assert_eq!(put(&engine, "a"), None);
        engine.sync().unwrap();
    }
    let to = Server::start(&[]);
    let both = ["keyfold:d", to.endpoint.as_str()];
    place.json(
        0,
        &with(&[], &both, &["--follow", "--stop-when-even", "--yes"]),
    );
    place.json(0, &with(&["switch"], &both, &AT_ONCE));
    assert_eq!(put(&to.backend(), "b"), None);
    {
        let engine = open();
        let refused = put(&engine, "c").unwrap();
        assert!(
            refused.contains(&format!("The table has moved to {}", both[1])),
            "{refused}"
        );
    }
    place.json(0, &with(&["reverse"], &both, &AT_ONCE));
    let engine = open();
    assert!(has(&engine, "b"));
    assert_eq!(put(&engine, "c"), None);
}

/// The items that are there before, and the programs that write others meanwhile.
const ITEMS: u64 = 20_000;
const WRITERS: u64 = 4;
/// The most that a writer may wait on a busy machine; between Keyfold servers it is far below a second.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Fills the table with as many items as a request takes at once.
fn fill(backend: &Backend) {
    let all: Vec<u64> = (0..ITEMS).collect();
    for some in all.chunks(25) {
        let put = |number: &u64| {
            format!(r#"{{"PutRequest":{{"Item":{{"id":{{"S":"before {number}"}}}}}}}}"#)
        };
        let puts: Vec<String> = some.iter().map(put).collect();
        let body = format!(r#"{{"RequestItems":{{"Notes":[{}]}}}}"#, puts.join(","));
        let answer = backend.call(request(Operation::BatchWriteItem, &body));
        match answer.unwrap() {
            keyfold_api::Response::BatchWriteItem(left) => {
                assert!(left.unprocessed_items.is_empty());
            }
            _ => panic!("another answer"),
        }
    }
}

/// What a writer has seen.
#[derive(Debug, Default)]
struct Written {
    /// The writes that were acknowledged.
    ids: Vec<String>,
    /// The longest time between two of them.
    longest: Duration,
    /// How often it was sent to another connection.
    moved: u32,
}

/// Writes to a connection, and to the one that a refusal names, until it is to end.
fn write_on(writer: u64, first: &str, ends: &AtomicBool) -> Written {
    let connected = |endpoint: &str| Backend::endpoint(endpoint, "us-east-1", "local", "local");
    let (mut backend, mut written) = (connected(first).unwrap(), Written::default());
    let mut last = Instant::now();
    for number in 0.. {
        let id = format!("writer {writer} {number}");
        while let Some(refused) = put(&backend, &id) {
            let (_, rest) = refused.split_once("The table has moved to ").unwrap();
            let to = rest.split_whitespace().next().unwrap();
            backend = connected(to.trim_end_matches(['.', ','])).unwrap();
            written.moved += 1;
            // While both sides refuse, each of them names the other one.
            std::thread::sleep(Duration::from_millis(2));
        }
        written.longest = written.longest.max(last.elapsed());
        last = Instant::now();
        written.ids.push(id);
        if ends.load(Ordering::SeqCst) {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    written
}

/// The keys of all items.
fn ids_of(backend: &Backend) -> BTreeSet<String> {
    let (mut ids, mut after) = (BTreeSet::new(), None);
    loop {
        let input = ScanInput {
            table_name: Some("Notes".to_owned()),
            consistent_read: Some(true),
            exclusive_start_key: after.map(Ok),
            ..ScanInput::default()
        };
        let keyfold_api::Response::Scan(page) = backend.call(input.into()).unwrap() else {
            panic!("no page");
        };
        for item in page.items.unwrap_or_default() {
            match item.to_item().get("id") {
                Some(Value::S(id)) => ids.insert(id.clone()),
                other => panic!("{other:?}"),
            };
        }
        after = page.last_evaluated_key;
        if after.is_none() {
            return ids;
        }
    }
}

/// Programs follow the connection that a refusal names, and wait for a moment at each turn.
#[test]
fn writers_follow_three_turns_of_a_table_with_many_items() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let source = from.backend();
    source.call(request(Operation::CreateTable, TABLE)).unwrap();
    fill(&source);
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let (ends, all) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    let pauses = std::thread::scope(|scope| {
        let _ends = Ends(&ends);
        place.json(0, &with(&[], &both, &["--stop-when-even", "--yes"]));
        for writer in 0..WRITERS {
            let (ends, all) = (&ends, &all);
            scope.spawn(move || {
                let written = write_on(writer, both[0], ends);
                all.lock().unwrap().push(written);
            });
        }
        ["switch", "reverse", "switch"].map(|action| {
            std::thread::sleep(Duration::from_millis(300));
            let done = place.json(0, &with(&[action], &both, &AT_ONCE));
            done["tables"][0]["pausedMs"].as_u64().unwrap()
        })
    });
    let all = all.into_inner().unwrap();
    let longest: Vec<Duration> = all.iter().map(|one| one.longest).collect();
    let ids: Vec<&String> = all.iter().flat_map(|one| &one.ids).collect();
    println!(
        "{} writes; no side took any for {pauses:?} ms; the writers waited {longest:?} at most",
        ids.len()
    );
    assert_eq!(all.len(), 4);
    for one in &all {
        assert!(one.longest < WAIT_MAX, "{longest:?}");
        assert!(one.moved >= 3, "{} times", one.moved);
    }
    // The target leads. What it has is carried back before both are compared.
    let leads = ids_of(&to.backend());
    let lost: Vec<&&String> = ids.iter().filter(|id| !leads.contains(**id)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert_eq!(leads.len() as u64, ITEMS + ids.len() as u64);
    place.json(0, &with(&["resume"], &both, &["--stop-when-even"]));
    assert_eq!(ids_of(&source), leads);
}

/// Ends writers, also when a test panics beside them.
struct Ends<'e>(&'e AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
