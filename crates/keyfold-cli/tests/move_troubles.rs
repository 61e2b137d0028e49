//! What goes wrong at the places of a move is said in a sentence: what, where, and how to go on. Afterwards
//! the same command goes on.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod kept;
mod workplace;

use kept::Kept;
use keyfold_api::{
    AttributeDefinition, BillingMode, CreateTableInput, KeySchemaElement, KeyType, Named,
    PutItemInput, ScalarAttributeType, StreamSpecification, StreamViewType,
};
use keyfold_client::Backend;
use keyfold_client::tables::names;
use keyfold_types::Item;
use serde_json::Value as Json;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use workplace::Workplace;
use workplace::server::Server;

const TABLE: &str = "Notes";

fn filled(backend: &Backend, items: u64, bytes: usize) {
    let input = CreateTableInput {
        table_name: Some(TABLE.to_owned()),
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
    for number in 0..items {
        put(backend, &format!("n{number}"), bytes);
    }
}

fn put(backend: &Backend, id: &str, bytes: usize) {
    let item = Item::from_iter([("id", id.to_owned()), ("text", "x".repeat(bytes))]);
    let input = PutItemInput {
        table_name: Some(TABLE.to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

/// The error of a document, which has all of these texts.
fn error_of(document: &Json, texts: &[&str]) {
    let message = document["error"]["message"].as_str().unwrap();
    for text in texts {
        assert!(message.contains(text), "{text}: {message}");
    }
}

#[test]
fn credentials_and_rights_that_are_missing_are_named() {
    let place = Workplace::new();
    let file = place.write(
        "credentials.json",
        r#"[{"accessKey": "reader", "secret": "s", "access": "read"}]"#,
    );
    let (from, to) = (Server::start(&[]), Server::start(&["--credentials", &file]));
    filled(&from.backend(), 3, 10);
    let target = format!("the target {}", to.endpoint);
    let target = target.trim_start_matches("the ");
    for (key, secret, why) in [
        ("nobody", "s", "does not take these credentials"),
        ("reader", "wrong", "does not take these credentials"),
        ("reader", "s", "does not allow CreateTable"),
    ] {
        let variables = [
            ("AWS_ACCESS_KEY_ID", key),
            ("AWS_SECRET_ACCESS_KEY", secret),
            ("AWS_REGION", "us-east-1"),
        ];
        let command = ["move", &from.endpoint, &to.endpoint, "--yes", "--json"];
        let output = place.run_with(&variables, &command);
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(5), "{out}");
        let document = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        error_of(&document, &[target, why, "the same command goes on"]);
    }
}

#[test]
fn a_source_that_goes_away_is_named_and_loses_nothing() {
    let place = Workplace::new();
    let folder = place.folder.path().join("source");
    let folder = folder.display().to_string();
    let start = |port: &str| {
        let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .args(["serve", "--data", &folder, "--port", port, "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Server::of(child)
    };
    let (from, to) = (start("0"), Server::start(&[]));
    let endpoint = from.endpoint.clone();
    let port = endpoint.rsplit(':').next().unwrap().to_owned();
    filled(&from.backend(), 300, 4_000);
    let run = [
        "move",
        &endpoint,
        &to.endpoint,
        "--stop-when-even",
        "--report",
        "move.md",
    ];
    let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(run)
        .args(["--rate", "200", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1_500));
    drop(from);
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(5), "{out}");
    let document = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    let source = format!("the source {endpoint} does not answer");
    error_of(&document, &[&source, "the same command goes on"]);
    let report = std::fs::read_to_string(place.folder.path().join("move.md")).unwrap();
    assert!(report.contains("The move cannot go on: "), "{report}");
    let _again = start(&port);
    let report = place.json(0, &run);
    assert_eq!(report["isEven"], true, "{report}");
    let verify = ["move", "verify", &endpoint, &to.endpoint];
    assert_eq!(place.json(0, &verify)["tables"][0]["targetItems"], 300);
}

/// The server of the target is killed, and comes again: the move waits for it, and nothing is lost. With `MOVE_AWAY=1` it
/// also stays away until the move ends, which takes half a minute more.
#[test]
fn a_target_that_goes_away_is_waited_for_or_named() {
    let place = Workplace::new();
    let from = Server::start(&[]);
    filled(&from.backend(), 300, 4_000);
    let mut to = Kept::start(&place.folder.path().join("target"), &[]);
    let at = to.endpoint.clone();
    let run = [
        "move",
        &from.endpoint,
        &at,
        "--stop-when-even",
        "--report",
        "move.md",
    ];
    let begun = || {
        let mut command = place.command(&[&run[..], &["--rate", "200", "--json"]].concat());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    let mut child = begun();
    // Copied items are in the target.
    let is_copying = |to: &Kept| {
        let began = Instant::now();
        let is_there =
            || names(&to.backend()).is_ok_and(|all| all.iter().any(|name| name == TABLE));
        while !is_there() {
            assert!(began.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(300));
    };
    for away in [1_000, 0, 500] {
        is_copying(&to);
        put(&from.backend(), &format!("late{away}"), 10);
        to.restart(Duration::from_millis(away));
    }
    if std::env::var_os("MOVE_AWAY").is_some() {
        to.kill();
        let output = child.wait_with_output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(5), "{out}");
        let document = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        let target = format!("the target {at} does not answer");
        error_of(&document, &[&target, "the same command goes on"]);
        let report = std::fs::read_to_string(place.folder.path().join("move.md")).unwrap();
        assert!(report.contains("The move cannot go on: "), "{report}");
        to.again();
        child = begun();
        is_copying(&to);
        to.restart(Duration::from_millis(300));
    }
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{out}");
    let verify = ["move", "verify", &from.endpoint, &at];
    assert_eq!(place.json(0, &verify)["tables"][0]["targetItems"], 303);
}

/// What a comparison reads is said before it begins.
#[test]
fn a_comparison_says_first_what_it_costs() {
    let place = Workplace::new();
    let (from, to) = (Server::start(&[]), Server::start(&[]));
    filled(&from.backend(), 20, 4_000);
    filled(&to.backend(), 20, 4_000);
    let verify = ["move", "verify", &from.endpoint, &to.endpoint];
    let said = place.text(&[&verify[..], &["--rate", "4"]].concat());
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].contains("read units of the source"), "{said}");
    // Eventually consistent: 8 KB a unit.
    let words: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(words[..2], ["Notes", "40"], "{said}");
    assert_eq!(words[3..], ["10", "10"], "{said}");
    let cost =
        "both are scanned once, at this rate in about 5 s; once more where something differs";
    assert!(lines[2].contains(cost), "{said}");
    assert!(lines.last().unwrap().contains("equal"), "{said}");
}

/// A source that keeps the records of its streams for some seconds, and a move that stands still for longer.
#[test]
fn changes_that_the_source_keeps_no_more_end_the_move() {
    let place = Workplace::new();
    let (from, to) = (
        Server::start(&["--stream-retention", "12s"]),
        Server::start(&[]),
    );
    filled(&from.backend(), 0, 0);
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(["move", &from.endpoint, &to.endpoint, "--yes", "--json"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // A change is followed, so that the move has a position in the stream.
    let applied = || {
        let status = place.run(&["move", "status", &from.endpoint, &to.endpoint, "--json"]);
        let document: Json = serde_json::from_slice(&status.stdout).unwrap_or_default();
        document["result"]["tables"][0]["applied"]["read"].as_u64()
    };
    let began = Instant::now();
    while applied().is_none_or(|records| records == 0) {
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "nothing is followed"
        );
        put(&from.backend(), "first", 10);
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    put(&from.backend(), "lost", 10);
    // The record of it is trimmed.
    std::thread::sleep(Duration::from_secs(20));
    let run = [
        "move",
        &from.endpoint,
        &to.endpoint,
        "--stop-when-even",
        "--yes",
    ];
    for _ in 0..2 {
        let document = place.json(1, &run);
        error_of(
            &document,
            &[
                "changes of Notes are lost",
                "abort the move and begin it again",
            ],
        );
    }
    place.json(0, &["move", "abort", &from.endpoint, &to.endpoint, "--yes"]);
    place.json(0, &run);
    let verify = ["move", "verify", &from.endpoint, &to.endpoint];
    assert_eq!(place.json(0, &verify)["tables"][0]["targetItems"], 2);
}

/// Moves into a folder on a disk that is too small, then on a larger one. The disk is a small file system in
/// memory, in a mount namespace of its own (Linux).
#[cfg(target_os = "linux")]
const FULL: &str = r#"
mount -t tmpfs -o size=24m tmpfs "$DISK" || exit 1
"$KEYFOLD" move "$FROM" "keyfold:$DISK/data" --stop-when-even --json > "$OUT/first"
echo $? >> "$OUT/first"
mount -o remount,size=400m "$DISK" || exit 1
"$KEYFOLD" move "$FROM" "keyfold:$DISK/data" --stop-when-even --json > "$OUT/second"
echo $? >> "$OUT/second"
"$KEYFOLD" move verify "$FROM" "keyfold:$DISK/data" --json > "$OUT/third"
echo $? >> "$OUT/third"
"#;

/// Runs a script where it may mount the disk, and returns what reads the documents and exit codes of its commands.
#[cfg(target_os = "linux")]
fn full_disk<'p>(
    place: &'p Workplace,
    disk: &std::path::Path,
    from: &str,
    script: &str,
) -> impl Fn(&str) -> (Json, String) + 'p {
    let status = Command::new("unshare")
        .args(["--user", "--mount", "--map-root-user", "sh", "-c", script])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .env("DISK", disk)
        .env("OUT", place.folder.path())
        .env("FROM", from)
        .env("KEYFOLD", env!("CARGO_BIN_EXE_keyfold"))
        .status()
        .expect("the test needs `unshare` and user namespaces");
    assert!(status.success());
    move |name: &str| {
        let text = std::fs::read_to_string(place.folder.path().join(name)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let [.., document, code] = lines.as_slice() else {
            panic!("{text}");
        };
        let document: Json = serde_json::from_str(document).unwrap();
        (document, (*code).to_owned())
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_target_that_is_full_is_named_and_goes_on_when_there_is_room() {
    let place = Workplace::new();
    let from = Server::start(&[]);
    filled(&from.backend(), 400, 100_000);
    let disk = place.folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let ended = full_disk(&place, &disk, &from.endpoint, FULL);
    let (document, code) = ended("first");
    assert_eq!(code, "5", "{document}");
    let target = format!("he target keyfold:{}", disk.join("data").display());
    error_of(&document, &[&target, "full", "the same command goes on"]);
    let (document, code) = ended("second");
    assert_eq!(code, "0", "{document}");
    let (document, code) = ended("third");
    assert_eq!(code, "0", "{document}");
    let tables = &document["result"]["tables"];
    assert_eq!(tables[0]["targetItems"], 400, "{document}");
}

/// A server whose disk is full answers so: the move says what it answers, and goes on with the same server.
#[cfg(target_os = "linux")]
const FULL_SERVER: &str = r#"
mount -t tmpfs -o size=24m tmpfs "$DISK" || exit 1
"$KEYFOLD" serve --port 0 --json --data "$DISK/data" > "$OUT/serve" 2> "$OUT/serve.log" &
server=$!
trap 'kill $server' EXIT
tries=0
until grep -q endpoint "$OUT/serve"; do
  tries=$((tries + 1))
  [ $tries -lt 1200 ] && kill -0 $server || { cat "$OUT/serve.log"; exit 1; }
  sleep 0.1
done
TO=$(sed -E 's/.*"endpoint": *"([^"]*)".*/\1/' "$OUT/serve" | head -n 1)
"$KEYFOLD" move "$FROM" "$TO" --stop-when-even --json > "$OUT/first"
echo $? >> "$OUT/first"
"$KEYFOLD" move abort "$FROM" "$TO" --yes --json > "$OUT/abort"
echo $? >> "$OUT/abort"
mount -o remount,size=400m "$DISK" || exit 1
for try in 1 2 3 4 5 6; do
  "$KEYFOLD" move "$FROM" "$TO" --stop-when-even --json > "$OUT/second"
  code=$?
  echo $code >> "$OUT/second"
  [ $code = 0 ] && break
  sleep 5
done
"$KEYFOLD" move verify "$FROM" "$TO" --json > "$OUT/third"
echo $? >> "$OUT/third"
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_is_full_is_heard_and_takes_writes_again() {
    let place = Workplace::new();
    let from = Server::start(&[]);
    filled(&from.backend(), 400, 100_000);
    let disk = place.folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let ended = full_disk(&place, &disk, &from.endpoint, FULL_SERVER);
    for name in ["first", "abort"] {
        let (document, code) = ended(name);
        assert_ne!(code, "0", "{name}: {document}");
        let full = "The disk under the data folder is full";
        error_of(
            &document,
            &["he target http://", full, "the same command goes on"],
        );
        let message = document["error"]["message"].as_str().unwrap();
        assert!(!message.contains("has not answered"), "{message}");
    }
    let log = std::fs::read_to_string(place.folder.path().join("serve.log")).unwrap();
    assert!(log.contains("the disk is full"), "{log}");
    for name in ["second", "third"] {
        let (document, code) = ended(name);
        assert_eq!(code, "0", "{name}: {document}");
    }
    let (document, _) = ended("third");
    assert_eq!(document["result"]["tables"][0]["targetItems"], 400);
}
