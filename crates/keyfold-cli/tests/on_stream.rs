//! Tests `keyfold serve --on-stream`: texts that are refused, and a function at a URL.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use serde_json::{Value as Json, json};
use std::io::Write as _;
use std::net::TcpListener;
#[cfg(unix)]
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use workplace::Workplace;
use workplace::function::{line, take, taken};
use workplace::server::Server;

const MODEL: &str = "model notes 1\ntable Notes (PK, SK)\n  stream new and old images\nentity Note\n  id: string\n  \
                     key \"NOTE#{id}\" \"N\"\n";

#[test]
fn wrong_mappings_are_refused_before_the_server_is_ready() {
    let place = Workplace::new();
    for (texts, why) in [
        (&["Notes"][..], "write TABLE=TARGET"),
        (&["Notes=http://localhost:1?batch=0"], "from 1 to 10000"),
        (&["Notes=https://localhost:1"], "http://HOST:PORT/PATH"),
        (&["Notes=http://127.0.0.1:99999/x"], "from 1 to 65535"),
        (&["Notes=http://127.0.0.1:0/x"], "from 1 to 65535"),
        (&["Notes=http://u:p@127.0.0.1/x"], "has a user"),
        (&["No=http://localhost:1"], "3 to 255 characters"),
        (&["Notes=no-such-program-x"], "there is no program"),
        (&["Notes='x"], "not closed"),
        (&["Notes=http://localhost:1?filter={\"a\":1}"], "write [1]"),
        (
            &["Notes=http://localhost:1?on-failure=no/such/x"],
            "on-failure=no/such/x",
        ),
        (&["Notes=http://localhost:1"; 2], "name=NAME"),
    ] {
        let options = texts.iter().flat_map(|text| ["--on-stream", text]);
        let serve = ["serve", "--memory", "--port", "0"].into_iter();
        let output = place.run(&serve.chain(options).collect::<Vec<_>>());
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{texts:?}: {message}");
        assert!(message.contains(why), "{texts:?}: {message}");
    }
}

#[test]
fn a_function_at_a_url_gets_events_and_its_errors_are_tried_again() {
    let place = Workplace::new();
    let model = place.write("notes.keyfold", MODEL);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let path = "/2015-03-31/functions/function/invocations";
    let failed = place
        .folder
        .path()
        .join("failed.jsonl")
        .display()
        .to_string();
    let mapping = format!(
        "Notes=http://{}{path}?batch=1&retries=2&on-failure={failed}",
        listener.local_addr().unwrap()
    );
    let server = Server::start(&[&model, "--on-stream", &mapping]);
    for id in ["id=1", "id=2"] {
        let output = place.run(&["put", &model, "Note", id, "--endpoint", &server.endpoint]);
        assert_eq!(output.status.code(), Some(0));
    }
    let error = r#"{"errorType":"Error","errorMessage":"no"}"#;
    let answers = [
        ("500 x", "no"),
        ("200 OK", error),
        ("200 OK", error),
        ("200 OK", "null"),
    ];
    let events = answers.map(|(status, text)| take(&listener, status, text));
    let numbers = events.each_ref().map(|(first, event)| {
        assert!(first.starts_with(&format!("POST {path} ")), "{first}");
        event["Records"][0]["dynamodb"]["Keys"]["PK"]["S"].clone()
    });
    assert_eq!(numbers, ["NOTE#1", "NOTE#1", "NOTE#1", "NOTE#2"]);
    let stored = std::fs::read_to_string(&failed).unwrap();
    let record: Json = serde_json::from_str(stored.trim()).unwrap();
    assert_eq!(
        record["requestContext"]["condition"],
        "RetryAttemptsExhausted"
    );
}

#[test]
fn a_function_that_has_the_event_and_does_not_answer_has_failed() {
    let place = Workplace::new();
    let model = place.write("notes.keyfold", MODEL);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let failed = place.folder.path().join("failed.jsonl");
    let mapping = format!(
        "Notes=http://{}?batch=1&retries=1&on-failure={}",
        listener.local_addr().unwrap(),
        failed.display()
    );
    let server = Server::start(&[&model, "--on-stream", &mapping]);
    for id in ["id=1", "id=2"] {
        let output = place.run(&["put", &model, "Note", id, "--endpoint", &server.endpoint]);
        assert_eq!(output.status.code(), Some(0));
    }
    // It cuts the connection, then answers with more than Lambda takes.
    drop(taken(&listener));
    take(&listener, "200 OK", &"x".repeat(7 * 1024 * 1024));
    let (_, event) = take(&listener, "200 OK", "null");
    assert_eq!(event["Records"][0]["dynamodb"]["Keys"]["PK"]["S"], "NOTE#2");
    let record: Json = serde_json::from_str(&line(&failed)).unwrap();
    assert_eq!(record["requestContext"]["approximateInvokeCount"], 2);
}

/// What a function answers that is no HTTP is said to be none: it has not closed the connection.
#[test]
fn an_answer_that_is_no_http_is_said_to_be_none() {
    let ok = "HTTP/1.1 200 OK\r\n";
    let large = format!("{ok}X: {}\r\n\r\n", "y".repeat(700_000));
    let answers = [
        (format!("{ok}Content-Length: -1\r\n\r\nnull"), true),
        (
            format!("{ok}Content-Length: 4\r\nContent-Length: 5\r\n\r\nnull"),
            true,
        ),
        (
            format!("{ok}Content-Length: 99999999999999999999\r\n\r\nnull"),
            true,
        ),
        (
            format!("{ok}Transfer-Encoding: chunked\r\n\r\nzz\r\nnull\r\n0\r\n\r\n"),
            true,
        ),
        (large, true),
        ("hello world\r\n\r\n".to_owned(), true),
        (String::new(), false),
        (format!("{ok}Content-Length: 10\r\n\r\nnull"), false),
        (
            format!("{ok}Transfer-Encoding: chunked\r\n\r\n4\r\nnull\r\n"),
            false,
        ),
    ];
    let place = Workplace::new();
    let model = place.write("notes.keyfold", MODEL);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mappings: Vec<String> = (0..answers.len())
        .map(|at| format!("Notes={url}/{at}"))
        .collect();
    let options = mappings.iter().flat_map(|one| ["--on-stream", one]);
    let server = Server::start(
        &[model.as_str()]
            .into_iter()
            .chain(options)
            .collect::<Vec<_>>(),
    );
    let at = ["--endpoint", server.endpoint.as_str()];
    place.json(0, &[&["put", &model, "Note", "id=1"], &at[..]].concat());
    let texts: Vec<String> = answers.iter().map(|(text, _)| text.clone()).collect();
    // It answers until the test has ended.
    std::thread::spawn(move || {
        loop {
            let (mut stream, first, _) = taken(&listener);
            let path = first.split(' ').nth(1).unwrap().trim_start_matches('/');
            let text = &texts[path.parse::<usize>().unwrap()];
            // A server that has read enough may be gone.
            let _written = stream.write_all(text.as_bytes());
        }
    });
    let until = Instant::now() + Duration::from_secs(60);
    for (at_answer, (answer, is_no_http)) in answers.iter().enumerate() {
        let why = match is_no_http {
            true => "the function failed: its answer is no valid HTTP: ",
            false => "the function failed: the function closed the connection before it answered",
        };
        let path = format!("/{at_answer}");
        let error = loop {
            let state = place.json(0, &[&["events", "status", "Notes"], &at[..]].concat());
            let mut all = state["mappings"].as_array().unwrap().iter();
            let own = all.find(|one| one["name"].as_str().unwrap().ends_with(&path));
            let error = own.map_or(Json::Null, |own| own["shards"][0]["error"].clone());
            if error.is_string() {
                break error;
            }
            assert!(Instant::now() < until, "{answer:.80}: {state}");
        };
        let error = error.as_str().unwrap();
        assert!(error.starts_with(why), "{answer:.80}: {error}");
    }
}

/// A mapping with another name and a filter on the number that `on-failure` has.
#[cfg(unix)]
#[test]
fn a_discarded_record_is_sent_again_by_its_number() {
    let place = Workplace::new();
    let model = place.write("notes.keyfold", MODEL);
    let (data, failed) = (
        place.folder.path().join("data"),
        place.folder.path().join("failed.jsonl"),
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serve = |mapping: &str| {
        let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .args(["serve", &model, "--json", "--port", "0", "--data"])
            .arg(&data)
            .args(["--on-stream", mapping])
            .stdout(Stdio::piped())
            .spawn();
        Server::of(child.unwrap())
    };
    let first = format!(
        "Notes={url}?batch=1&retries=0&on-failure={}",
        failed.display()
    );
    let mut server = serve(&first);
    for id in ["id=1", "id=2", "id=3"] {
        let output = place.run(&["put", &model, "Note", id, "--endpoint", &server.endpoint]);
        assert_eq!(output.status.code(), Some(0));
    }
    for status in ["200 OK", "500 x", "200 OK"] {
        take(&listener, status, "null");
    }
    let record: Json = serde_json::from_str(&line(&failed)).unwrap();
    server.stop();
    let number = record["DDBStreamBatchInfo"]["startSequenceNumber"]
        .as_str()
        .unwrap();
    let filter = format!(r#"{{"dynamodb":{{"SequenceNumber":["{number}"]}}}}"#);
    let mut server = serve(&format!("Notes={url}?name=again&retries=0&filter={filter}"));
    let (_, event) = take(&listener, "200 OK", "null");
    let records = event["Records"].as_array().unwrap();
    let keys: Vec<&Json> = records
        .iter()
        .map(|record| &record["dynamodb"]["Keys"]["PK"]["S"])
        .collect();
    assert_eq!(keys, ["NOTE#2"]);
    server.stop();
}

#[test]
fn the_state_of_a_mapping_has_what_is_behind_and_the_last_error() {
    let place = Workplace::new();
    let model = place.write("notes.keyfold", MODEL);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mapping = format!("Notes=http://{}?batch=1", listener.local_addr().unwrap());
    let server = Server::start(&[&model, "--on-stream", &mapping]);
    let at = ["--endpoint", server.endpoint.as_str()];
    for id in ["id=1", "id=2", "id=3"] {
        place.json(0, &[&["put", &model, "Note", id], &at[..]].concat());
    }
    let state = || place.json(0, &[&["events", "status", "Notes"], &at[..]].concat());
    // It moves behind a record that was handled, and says why the next one is not.
    let numbers = ["200 OK", "500 x"].map(|status| {
        let (_, event) = take(&listener, status, "null");
        event["Records"][0]["dynamodb"]["SequenceNumber"].clone()
    });
    let until = Instant::now() + Duration::from_secs(60);
    let shard = loop {
        let shard = state()["mappings"][0]["shards"][0].clone();
        if shard["error"].is_string() {
            break shard;
        }
        assert!(Instant::now() < until, "{shard}");
    };
    assert_eq!(
        (&shard["table"], &shard["behind"]),
        (&json!("Notes"), &json!(2))
    );
    assert_eq!(shard["position"], numbers[0], "{shard}");
    assert!(shard["movedMs"].is_u64(), "{shard}");
    let why = "the function failed: 500 Internal Server Error: null";
    assert_eq!(shard["error"], why);
    let shown = place.text(&[&["events", "status"], &at[..]].concat());
    let name = mapping.split_once('?').unwrap().0;
    for part in [name, "Notes: 2 records behind (", " s ago", why, "shardId-"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    // The error goes when the records are handled.
    for _ in 0..2 {
        take(&listener, "200 OK", "null");
    }
    loop {
        let shard = state()["mappings"][0]["shards"][0].clone();
        if shard["behind"] == 0 && shard["error"].is_null() {
            break;
        }
        assert!(Instant::now() < until, "{shard}");
    }
    let other = [&["events", "status", "notes"], &at[..]].concat();
    let error = place.json(4, &other)["error"].to_string();
    assert!(error.contains("did you mean `Notes`?"), "{error}");
    let none = [&["events", "status", "keyfold_leases"], &at[..]].concat();
    assert_eq!(place.json(0, &none)["mappings"], json!([]));
}

#[cfg(unix)]
#[test]
fn a_command_that_asks_for_no_event_is_ended_with_all_that_it_started() {
    let place = Workplace::new();
    let model = place.write("notes.keyfold", MODEL);
    let (failed, started) = (
        place.folder.path().join("failed.jsonl"),
        place.folder.path().join("started"),
    );
    let text = format!("sleep 600 &\necho $! >> {}\nwait\n", started.display());
    let script = place.write("hang.sh", &text);
    let mapping = format!(
        "Notes=sh {script}?timeout=2&retries=0&on-failure={}",
        failed.display()
    );
    let mut server = Server::start(&[&model, "--on-stream", &mapping]);
    let first = line(&started);
    let output = place.run(&[
        "put",
        &model,
        "Note",
        "id=1",
        "--endpoint",
        &server.endpoint,
    ]);
    assert_eq!(output.status.code(), Some(0));
    let record: Json = serde_json::from_str(&line(&failed)).unwrap();
    assert_eq!(record["requestContext"]["approximateInvokeCount"], 1);
    assert!(!runs(&first));
    let second = loop {
        let text = line(&started);
        if let Some((_, second)) = text.split_once('\n') {
            break second.to_owned();
        }
    };
    assert!(runs(&second));
    server.stop();
    assert!(!runs(&second));
}

/// Whether a process runs, or ends to do so within a moment.
#[cfg(unix)]
fn runs(id: &str) -> bool {
    let until = Instant::now() + Duration::from_millis(500);
    loop {
        let listed = std::process::Command::new("ps")
            .args(["-o", "stat=", "-p", id])
            .output()
            .unwrap();
        // One that has ended may wait for who reaps it.
        let state = String::from_utf8(listed.stdout).unwrap();
        if state.is_empty() || state.starts_with('Z') {
            return false;
        }
        if Instant::now() > until {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
