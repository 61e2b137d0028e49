//! Tests `keyfold events failures` and `replay`: batches that a mapping has discarded.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use workplace::Workplace;
use workplace::function::{line, take};
use workplace::server::Server;

const MODEL: &str = "model notes 1\ntable Notes (PK, SK)\n  stream new and old images\nentity Note\n  id: string\n  \
                     key \"NOTE#{id}\" \"N\"\n";

/// The file of the discarded batches.
fn failed_file(place: &Workplace) -> PathBuf {
    place.folder.path().join("failed.jsonl")
}

/// A server whose mapping has discarded the second of three records: with the numbers of all three.
fn with_a_discard(place: &Workplace, listener: &TcpListener, failed: &str) -> (Server, Vec<Json>) {
    let model = place.write("notes.keyfold", MODEL);
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mapping = format!("Notes={url}?batch=1&retries=0&on-failure={failed}");
    let server = Server::start(&[&model, "--on-stream", &mapping]);
    for id in ["id=1", "id=2", "id=3"] {
        let output = place.run(&["put", &model, "Note", id, "--endpoint", &server.endpoint]);
        assert_eq!(output.status.code(), Some(0));
    }
    let numbers = ["200 OK", "500 x", "200 OK"].map(|status| {
        let (_, event) = take(listener, status, "null");
        event["Records"][0]["dynamodb"]["SequenceNumber"].clone()
    });
    line(Path::new(failed));
    (server, numbers.into())
}

#[test]
fn discarded_records_are_listed_and_replayed_as_one_event() {
    let place = Workplace::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let failed = &failed_file(&place).display().to_string();
    let (server, numbers) = with_a_discard(&place, &listener, failed);
    let at = ["--endpoint", server.endpoint.as_str()];
    let listed = |code| place.json(code, &[&["events", "failures", failed], &at[..]].concat());
    let batch = listed(0)["batches"][0].clone();
    let record = json!({ "number": numbers[1], "key": {"PK": {"S": "NOTE#2"}, "SK": {"S": "N"}} });
    assert_eq!(batch["records"], json!([record]), "{batch}");
    assert_eq!(
        (&batch["table"], &batch["calls"]),
        (&json!("Notes"), &json!(1))
    );
    let shown = place.text(&[&["events", "failures", failed], &at[..]].concat());
    for part in [
        "1 record of Notes",
        "used up after 1 call",
        "PK=NOTE#2",
        "shardId-",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }

    let to = format!("Notes=http://{}", listener.local_addr().unwrap());
    let again = |code: i32, status: &str| {
        let line = [&["events", "replay", failed, "--to", &to], &at[..]].concat();
        std::thread::scope(|scope| {
            let sent = scope.spawn(|| place.json(code, &line));
            let (_, event) = take(&listener, status, "null");
            let records = event["Records"].as_array().unwrap();
            assert_eq!(records.len(), 1);
            assert_eq!(records[0]["dynamodb"]["SequenceNumber"], numbers[1]);
            sent.join().unwrap()
        })
    };
    let left = again(1, "500 x");
    let why = left["result"]["batches"][0]["failsBy"].as_str().unwrap();
    assert!(why.contains("500"), "{why}");
    assert_eq!(again(0, "200 OK")["batches"][0]["handled"], true);
    // It is not sent again.
    let left = listed(0);
    assert_eq!(
        (&left["batches"], &left["replayed"]),
        (&json!([]), &json!(1))
    );
    let line = [&["events", "replay", failed, "--to", &to], &at[..]].concat();
    assert_eq!(place.json(0, &line)["batches"], json!([]));
    let line = [&line[..], &["--batch", "1"]].concat();
    place.json(2, &line);
}

#[test]
fn a_discarded_record_that_the_stream_does_not_hold_is_said() {
    let place = Workplace::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let failed = &failed_file(&place).display().to_string();
    let (server, numbers) = with_a_discard(&place, &listener, failed);
    let stored: Json = serde_json::from_str(&line(Path::new(failed))).unwrap();
    let changed = |name: &str, count: u64, stream: &str| {
        let mut one = stored.clone();
        let batch = &mut one["DDBStreamBatchInfo"];
        batch["endSequenceNumber"] = numbers[2].clone();
        batch["batchSize"] = json!(count);
        let arn = batch["streamArn"].as_str().unwrap();
        batch["streamArn"] = json!(format!("{arn}{stream}"));
        place.write(name, &format!("{one}\n"))
    };
    let to = format!("Notes=http://{}", listener.local_addr().unwrap());
    for (name, count, stream, why) in [
        ("gone.jsonl", 2, "x", "there is no stream arn:"),
        ("part.jsonl", 5, "", "holds 2 of its 5 records only"),
        (
            "more.jsonl",
            1,
            "",
            "2 records lie between its numbers, of which the batch had 1",
        ),
    ] {
        let file = changed(name, count, stream);
        let at = ["--endpoint", &server.endpoint];
        let shown = place.text(&[&["events", "failures", &file], &at[..]].concat());
        assert!(shown.contains(why), "{shown}");
        // Nothing is sent: nobody takes the connection.
        let line = [&["events", "replay", &file, "--to", &to], &at[..]].concat();
        let left = place.json(1, &line)["result"]["batches"][0].clone();
        assert!(left["failsBy"].as_str().unwrap().contains(why), "{left}");
    }
    let wrong = place.write("wrong.jsonl", "{}\n");
    let line = ["events", "failures", &wrong, "--endpoint", &server.endpoint];
    let error = place.json(2, &line)["error"].clone();
    assert!(
        error.to_string().contains("requestContext.condition"),
        "{error}"
    );
    let line = [
        "events", "replay", failed, "--to", "Notes=sh", "--data", "d",
    ];
    place.json(2, &line);
}

/// A place with a server that has discarded a record, and the line of it.
struct Play {
    place: Workplace,
    listener: TcpListener,
    server: Server,
    numbers: Vec<Json>,
    stored: Json,
}

impl Play {
    fn new() -> Play {
        let place = Workplace::new();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let failed = failed_file(&place);
        let (server, numbers) = with_a_discard(&place, &listener, &failed.display().to_string());
        let stored = serde_json::from_str(&line(&failed)).unwrap();
        Play {
            place,
            listener,
            server,
            numbers,
            stored,
        }
    }

    /// The batch of one record, by its place, with other members.
    fn batch(&self, record: usize, changes: &[(&str, &str)]) -> Json {
        let mut one = self.stored.clone();
        for (name, value) in changes {
            *one.pointer_mut(name).unwrap() = json!(value);
        }
        for name in ["startSequenceNumber", "endSequenceNumber"] {
            one["DDBStreamBatchInfo"][name] = self.numbers[record].clone();
        }
        one
    }

    fn write(&self, lines: &[Json]) -> String {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.place.write("made.jsonl", &text)
    }

    fn to(&self) -> String {
        format!("Notes=http://{}", self.listener.local_addr().unwrap())
    }

    /// The arguments of a replay.
    fn replay<'a>(&'a self, file: &'a str, to: &'a str) -> Vec<&'a str> {
        let endpoint = self.server.endpoint.as_str();
        vec!["events", "replay", file, "--to", to, "--endpoint", endpoint]
    }

    fn failures(&self, code: i32, file: &str) -> Json {
        let line = [
            "events",
            "failures",
            file,
            "--endpoint",
            &self.server.endpoint,
        ];
        self.place.json(code, &line)
    }
}

const SHARD: &str = "/DDBStreamBatchInfo/shardId";

#[test]
fn a_batch_that_cannot_be_read_is_left_and_each_is_said_at_once() {
    let play = Play::new();
    let wrong = play.batch(1, &[(SHARD, "nope")]);
    let file = play.write(&[play.batch(0, &[]), wrong, play.batch(2, &[])]);
    let listed = play.failures(0, &file);
    assert_eq!(listed["batches"].as_array().unwrap().len(), 3);
    let why = listed["batches"][1]["whyNot"].as_str().unwrap();
    assert!(why.contains("cannot be read"), "{why}");

    let to = play.to();
    let mut command = play.place.command(&play.replay(&file, &to));
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = || lines.next().unwrap().unwrap();
    let keys = ["NOTE#1", "NOTE#3"].map(|key| json!(key));
    let key = |event: &Json| event["Records"][0]["dynamodb"]["Keys"]["PK"]["S"].clone();
    let (_, event) = take(&play.listener, "200 OK", "null");
    assert_eq!(key(&event), keys[0]);
    // The function has not got the last one yet.
    assert!(said().contains("handled batch 1: 1 record"));
    assert!(said().contains("batch 2: its records cannot be read"));
    let (_, event) = take(&play.listener, "200 OK", "null");
    assert_eq!(key(&event), keys[1]);
    assert!(said().contains("handled batch 3: 1 record"));
    assert_eq!(child.wait().unwrap().code(), Some(1));

    let left = play.failures(0, &file);
    assert_eq!(
        (&left["batches"][0]["batch"], &left["replayed"]),
        (&json!(2), &json!(2))
    );
}

#[test]
fn a_torn_line_is_named_and_the_others_are_used() {
    let place = Workplace::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let failed = &place.write("failed.jsonl", "{\"requestContext\":{\"cond");
    let model = place.write("notes.keyfold", MODEL);
    let to = &format!("Notes=http://{}", listener.local_addr().unwrap());
    let mapping = format!("{to}?retries=0&on-failure={failed}");
    let server = Server::start(&[&model, "--on-stream", &mapping]);
    let at = ["--endpoint", server.endpoint.as_str()];
    place.json(0, &[&["put", &model, "Note", "id=1"], &at[..]].concat());
    take(&listener, "500 x", "no");
    let text = line(Path::new(failed));
    assert_eq!(text.lines().count(), 2, "{text}");

    let list = [&["events", "failures", failed], &at[..]].concat();
    let document = place.json(1, &list);
    let (result, error) = (&document["result"], &document["error"]);
    assert_eq!(result["batches"][0]["batch"], 2, "{document}");
    assert_eq!(result["unreadable"][0]["line"], 1, "{document}");
    let named = json!({ "file": failed, "line": 1 });
    assert_eq!(error["where"], named, "{document}");
    let shown = String::from_utf8(place.run(&list).stderr).unwrap();
    for part in [failed, "line 1", "it is no JSON"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }

    // The note is written behind the torn one.
    place.write("failed.jsonl.replayed", "arn:aws:dynamodb:us-ea");
    let replay = [&["events", "replay", failed, "--to", to], &at[..]].concat();
    let document = std::thread::scope(|scope| {
        let sent = scope.spawn(|| place.json(1, &replay));
        take(&listener, "200 OK", "null");
        sent.join().unwrap()
    });
    assert_eq!(
        document["result"]["batches"][0]["handled"], true,
        "{document}"
    );
    let left = place.json(1, &list)["result"].clone();
    assert_eq!(
        (&left["batches"], &left["replayed"]),
        (&json!([]), &json!(1))
    );
}

#[test]
fn a_table_of_which_the_file_has_no_batch_is_refused() {
    let play = Play::new();
    let file = play.write(&[play.batch(0, &[])]);
    let to = play.to().replace("Notes", "Note");
    let error = play.place.json(2, &play.replay(&file, &to))["error"].to_string();
    for part in ["no batch of Note, but of `Notes`", "did you mean `Notes`?"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn records_that_are_not_there_have_a_reason() {
    let play = Play::new();
    let file = play.write(&[play.batch(0, &[])]);
    let filter = format!("{}?filter={{\"eventName\":[\"REMOVE\"]}}", play.to());
    let left = play.place.json(1, &play.replay(&file, &filter));
    let why = left["result"]["batches"][0]["failsBy"].as_str().unwrap();
    assert!(why.contains("choose 0"), "{why}");

    let no_shard = "shardId-00000001795874062818-00000000";
    let file = play.write(&[play.batch(0, &[(SHARD, no_shard)])]);
    let listed = play.failures(0, &file);
    let why = listed["batches"][0]["whyNot"].as_str().unwrap();
    assert!(why.contains("its stream has no shard"), "{why}");
}

#[test]
fn batches_of_several_mappings_are_not_mixed() {
    let place = Workplace::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let failed = &place.folder.path().join("both").display().to_string();
    let model = place.write("notes.keyfold", MODEL);
    let to = &format!("Notes=http://{}", listener.local_addr().unwrap());
    let mapping = |name: &str| format!("{to}?retries=0&name={name}&on-failure={failed}");
    let [one, other] = ["mails", "sums"].map(mapping);
    let server = Server::start(&[&model, "--on-stream", &one, "--on-stream", &other]);
    let at = ["--endpoint", server.endpoint.as_str()];
    place.json(0, &[&["put", &model, "Note", "id=1"], &at[..]].concat());
    for _ in 0..2 {
        take(&listener, "500 x", "no");
    }
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while line(Path::new(failed)).lines().count() < 2 {
        assert!(std::time::Instant::now() < until);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let shown = place.text(&[&["events", "failures", failed], &at[..]].concat());
    for name in ["discarded by mails", "discarded by sums"] {
        assert!(shown.contains(name), "{shown}");
    }

    let replay = [&["events", "replay", failed, "--to", to], &at[..]].concat();
    let error = place.json(2, &replay)["error"].to_string();
    assert!(error.contains("--of NAME`: `mails`, `sums`"), "{error}");
    let error = place.json(2, &[&replay[..], &["--of", "mail"]].concat())["error"].to_string();
    assert!(error.contains("did you mean `mails`?"), "{error}");
    let of = [&replay[..], &["--of", "sums"]].concat();
    let sent = std::thread::scope(|scope| {
        let sent = scope.spawn(|| place.json(0, &of));
        take(&listener, "200 OK", "null");
        sent.join().unwrap()
    });
    assert_eq!(sent["batches"].as_array().unwrap().len(), 1);
    assert_eq!(sent["batches"][0]["mapping"], "sums", "{sent}");
    let left = place.json(0, &[&["events", "failures", failed], &at[..]].concat());
    assert_eq!(left["batches"][0]["mapping"], "mails", "{left}");
}

#[test]
fn texts_of_the_file_do_not_reach_the_terminal_as_they_are() {
    let play = Play::new();
    let evil = "\u{1b}[31mEVIL\n\u{1b}[2J";
    let changes = [("/requestContext/condition", evil), (SHARD, evil)];
    let file = play.write(&[play.batch(0, &changes)]);
    let at = ["--endpoint", &play.server.endpoint];
    let output = play.place.run_with(
        &[("CLICOLOR_FORCE", "1")],
        &[&["events", "failures", &file], &at[..]].concat(),
    );
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("\\u{1b}[31mEVIL\\n"), "{shown}");
    assert!(!shown.contains("\u{1b}[31mEVIL") && !shown.contains("\u{1b}[2J"));
}

#[test]
fn one_replay_of_a_file_runs_at_a_time() {
    let play = Play::new();
    let file = play.write(&[play.batch(0, &[])]);
    let held = File::create(format!("{file}.replayed")).unwrap();
    held.lock().unwrap();
    let to = play.to();
    let error = play.place.json(1, &play.replay(&file, &to))["error"].to_string();
    assert!(error.contains("another `keyfold events replay`"), "{error}");
    drop(held);
    std::thread::scope(|scope| {
        let sent = scope.spawn(|| play.place.json(0, &play.replay(&file, &to)));
        take(&play.listener, "200 OK", "null");
        sent.join().unwrap()
    });
}
