//! Moves of tables that programs write without a pause, and what the command says beside moves that are odd.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::{Operation, Request, Response};
use keyfold_client::Backend;
use serde_json::Value as Json;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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

fn put(backend: &Backend, id: &str, text: &str) {
    let body = format!(
        r#"{{"TableName":"Notes","Item":{{"id":{{"S":"{id}"}},"text":{{"S":"{text}"}}}}}}"#
    );
    backend.call(request(Operation::PutItem, &body)).unwrap();
}

/// The number of items of the table; they fit into a page.
fn items_of(backend: &Backend) -> u64 {
    let body = r#"{"TableName":"Notes","ConsistentRead":true,"Select":"COUNT"}"#;
    match backend.call(request(Operation::Scan, body)).unwrap() {
        Response::Scan(page) => {
            assert!(page.last_evaluated_key.is_none(), "more than a page");
            page.count
        }
        _ => panic!("another answer"),
    }
}

/// Waits for a command, and ends it when it takes too long.
fn ended(mut child: Child) -> Option<i32> {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(60) {
        if let Some(ended) = child.try_wait().unwrap() {
            return ended.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// Ends writers, also when a test panics beside them.
struct Ends<'e>(&'e AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// No pause of the writers is as long as the one that shows that nothing is left.
#[test]
fn a_run_until_all_is_even_ends_while_programs_write() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let source = from.backend();
    source.call(request(Operation::CreateTable, TABLE)).unwrap();
    let (ends, written) = (AtomicBool::new(false), AtomicU64::new(0));
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    let run = [&["move"][..], &both, &["--stop-when-even", "--yes"]].concat();
    let (before, carried) = std::thread::scope(|scope| {
        let _ends = Ends(&ends);
        for writer in 0..2 {
            let (source, ends, written) = (&source, &ends, &written);
            scope.spawn(move || {
                for number in 0.. {
                    if ends.load(Ordering::SeqCst) {
                        return;
                    }
                    put(source, &format!("w{writer} {number}"), "steadily");
                    written.fetch_add(1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
        }
        while written.load(Ordering::SeqCst) < 100 {
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = written.load(Ordering::SeqCst);
        let mut command = place.command(&run);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = child.spawn().unwrap();
        assert_eq!(ended(child), Some(0));
        (before, items_of(&to.backend()))
    });
    assert!(carried >= before, "{carried} of {before} items");
    assert!(written.load(Ordering::SeqCst) > before);
    let status = place.json(0, &[&["move", "status"][..], &both].concat());
    assert_eq!(status["tables"][0]["phase"], "following", "{status}");
    // What came later is left to the next run.
    let resumed = [&["move", "resume"][..], &both, &["--stop-when-even"]].concat();
    assert_eq!(place.json(0, &resumed)["isEven"], true);
    assert_eq!(items_of(&to.backend()), written.load(Ordering::SeqCst));
}

/// The command looks ten times at an item that changes, and names it as well as one that differs.
#[test]
fn an_item_that_changes_at_each_look_is_named() {
    let place = Workplace::new();
    let servers = [Server::start(&[]), Server::start(&[])];
    let backends = [servers[0].backend(), servers[1].backend()];
    for backend in &backends {
        backend
            .call(request(Operation::CreateTable, TABLE))
            .unwrap();
        for id in ["busy", "lasting", "quiet"] {
            put(backend, id, "text");
        }
    }
    let [source, target] = &backends;
    put(target, "lasting", "another");
    put(source, "busy", "0");
    let ends = AtomicBool::new(false);
    let verify = [
        "move",
        "verify",
        &servers[0].endpoint,
        &servers[1].endpoint,
        "--report",
        "verify.md",
    ];
    let (said, document) = std::thread::scope(|scope| {
        let _ends = Ends(&ends);
        scope.spawn(|| {
            for number in 1.. {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                put(source, "busy", &number.to_string());
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        // Both take twenty seconds, for the most part at rest.
        let text = scope.spawn(|| place.run(&verify));
        let document = place.json(1, &verify[..4]);
        (text.join().unwrap(), document)
    });
    assert_eq!(said.status.code(), Some(1));
    let text = String::from_utf8_lossy(&said.stdout);
    let error = String::from_utf8_lossy(&said.stderr);
    assert!(text.contains("id=busy  changed at each look"), "{text}");
    assert!(text.contains("id=lasting  differs: text"), "{text}");
    assert!(!text.contains("quiet") && !text.contains("equal"), "{text}");
    assert!(
        error.contains("1 difference; 1 item changed at each look"),
        "{error}"
    );
    let table = &document["result"]["tables"][0];
    let named = |list: &Json| list.as_array().unwrap().len();
    assert_eq!(table["undecided"][0]["id"]["S"], "busy", "{table}");
    assert_eq!(
        table["differences"][0]["key"]["id"]["S"], "lasting",
        "{table}"
    );
    let counts = [named(&table["undecided"]), named(&table["differences"])];
    assert_eq!(counts, [1, 1], "{table}");
    let report = std::fs::read_to_string(place.folder.path().join("verify.md")).unwrap();
    assert!(
        report.contains("id=busy") && report.contains("id=lasting"),
        "{report}"
    );
}

/// A row that another program has put among those of moves hides none of them.
#[test]
fn an_odd_row_is_said_beside_the_moves() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    let (source, target) = (from.backend(), to.backend());
    source.call(request(Operation::CreateTable, TABLE)).unwrap();
    put(&source, "a", "text");
    let both = [from.endpoint.as_str(), to.endpoint.as_str()];
    place.json(
        0,
        &[&["move"][..], &both, &["--stop-when-even", "--yes"]].concat(),
    );
    let odd = r#"{"TableName":"keyfold_motion","Item":{"part":{"S":"Odd run"},"move":{"S":"?"}}}"#;
    target.call(request(Operation::PutItem, odd)).unwrap();
    let status = [&["move", "status"][..], &both].concat();
    let document = place.json(1, &status);
    let said = document["error"]["message"].as_str().unwrap();
    assert!(said.ends_with("cannot be read: Odd"), "{said}");
    let tables = &document["result"]["tables"];
    assert_eq!(tables[0]["table"], "Notes", "{tables}");
    assert_eq!(tables[0]["phase"], "following", "{tables}");
    assert_eq!(tables[1]["table"], "Odd", "{tables}");
    let why = tables[1]["error"].as_str().unwrap();
    assert!(
        why.contains("a row of Odd run without a proper `move`"),
        "{why}"
    );
    let output = place.run(&[&status[..], &["--report", "status.md"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("Notes  4 of 4 segments copied"), "{text}");
    assert!(text.contains("Odd  the table keyfold_motion"), "{text}");
    let report = std::fs::read_to_string(place.folder.path().join("status.md")).unwrap();
    assert!(report.contains("without a proper"), "{report}");
    // Commands that change something go on with those that are named, and not with all.
    let named = ["--table", "Notes"];
    place.json(0, &[&status[..], &named].concat());
    let resume = [&["move", "resume"][..], &both, &["--stop-when-even"]].concat();
    let refused = place.json(1, &resume);
    let said = refused["error"]["message"].as_str().unwrap();
    assert!(said.contains("a row of Odd run"), "{said}");
    place.json(0, &[&resume[..], &named].concat());
}
