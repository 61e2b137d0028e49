//! Tests `keyfold serve --on-stream`: texts that are refused, and a function at a URL.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use workplace::Workplace;
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

/// Takes one request; returns its first line and its body, and answers with a status and a text.
fn take(listener: &TcpListener, status: &str, answer: &str) -> (String, Json) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let length = answer.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{answer}"
    )
    .unwrap();
    (first, serde_json::from_slice(&body).unwrap())
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
