//! What `migrate status` says of how far a run is behind, and what a run says of a log that may soon be thrown away.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test fails by panicking, and takes what it needs of the servers of others"
)]

#[path = "../../keyfold-relational/tests/support/mod.rs"]
mod support;
mod workplace;
#[path = "../../keyfold-relational/tests/worlds/mod.rs"]
mod worlds;

use keyfold_relational::Source as _;
use keyfold_relational::postgres::Postgres;
use rusqlite::Connection;
use serde_json::Value as Json;
use workplace::Workplace;

const MODEL: &str = "\
model shop 1

table Shop (PK, SK)

entity Customer in Shop
  customerId: int, name: string
  key \"C#{customerId}\" \"C\"
  from customers set customerId = customers.id

pattern customer(customerId) -> Customer
";
const BOTH: [&str; 5] = [
    "shop.keyfold",
    "--from",
    "sqlite:shop.db",
    "--at",
    "keyfold:./data",
];

fn line(words: &[&'static str]) -> Vec<&'static str> {
    [&["migrate", words[0]], &BOTH[..], &words[1..]].concat()
}

/// The members that say how far a run is behind.
fn behind(document: &Json) -> [Option<u64>; 2] {
    ["secondsBehind", "notedSecondsAgo"].map(|name| document[name].as_u64())
}

#[test]
fn status_says_how_far_a_run_is_behind() {
    let place = Workplace::new();
    place.write("shop.keyfold", MODEL);
    let program = Connection::open(place.folder.path().join("shop.db")).unwrap();
    let rows = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO customers VALUES (1, NULL)";
    program.execute_batch(rows).unwrap();
    let status = || place.json(0, &line(&["status"]));
    let text = || place.text(&line(&["status"]));
    // A row stands in the way of the copy.
    place.json(1, &line(&["run", "--once"]));
    assert_eq!(status()["state"], "copy");
    assert_eq!(behind(&status()), [None, None]);
    assert!(!text().contains("behind"), "{}", text());
    program
        .execute_batch("UPDATE customers SET name = 'Ann'")
        .unwrap();
    let run = place.json(0, &line(&["run", "--once"]));
    let seconds = run["counted"]["secondsBehind"].as_u64();
    assert!(seconds.is_some_and(|seconds| seconds < 600), "{run}");
    for state in ["follow", "lead"] {
        let found = status();
        assert_eq!(found["state"], state);
        let all = behind(&found);
        assert!(
            all.iter().all(|one| one.is_some_and(|one| one < 600)),
            "{found}"
        );
        let text = text();
        assert!(
            text.contains(" behind (noted ") && text.contains(" ago)"),
            "{text}"
        );
        if state == "follow" {
            place.json(0, &line(&["switch", "--yes"]));
        }
    }
    place.json(0, &line(&["complete", "--yes"]));
    assert_eq!(behind(&status()), [None, None]);
}

#[test]
fn a_run_says_when_little_is_left_of_the_log() {
    let place = Workplace::new();
    place.write("shop.keyfold", MODEL);
    let server = support::Server::start();
    let program = server.connect("postgres");
    program.must("CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL)");
    program.must("ALTER TABLE customers ALTER name SET STORAGE EXTERNAL");
    program.must("ALTER SYSTEM SET max_slot_wal_keep_size = '64MB'");
    program.must("SELECT pg_reload_conf()");
    let name = server.name("postgres");
    let run = |more: &[&str]| {
        let line = ["migrate", "run", "shop.keyfold", "--from", &name, "--at"];
        let output = place.run(&[&line[..], &["keyfold:./data", "--once"], more].concat());
        let texts = [output.stdout, output.stderr].map(|one| String::from_utf8(one).unwrap());
        assert!(output.status.success(), "{texts:?}");
        texts
    };
    assert!(!run(&["--json"]).concat().contains("log"));
    // Fills the log, as values that are not compressed stand in it as they are.
    let fill = || {
        let put = "INSERT INTO customers VALUES (1, repeat('x', 300000)) ON CONFLICT (id) DO UPDATE SET name = excluded.name";
        loop {
            let log = Postgres::open(&name).unwrap().kept_log().unwrap().unwrap();
            if log.left.is_some_and(|left| left * 4 < log.bytes) {
                return;
            }
            program.must(put);
        }
    };
    let due = "raise max_slot_wal_keep_size";
    fill();
    let [out, _] = run(&["--json"]);
    let notes = out.lines().map(|one| serde_json::from_str(one).unwrap());
    let mut notes = notes.filter(|one: &Json| one["event"] == "note");
    let note = notes.next().unwrap_or_else(|| panic!("{out}"));
    assert!(note["message"].as_str().unwrap().contains(due), "{note}");
    assert!(notes.next().is_none(), "{out}");
    fill();
    let [_, err] = run(&[]);
    assert!(err.contains(due), "{err}");
}
