//! Proofs through other clients: calls are written down, and a client that differs is found.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

use keyfold_model::{Model, compile};
use keyfold_prove::{Options, Record, Report, Subject, Through, prove_through};
use serde_json::Value as Json;
use std::io::Write;
use std::sync::{Arc, Mutex};

const NOTES: &str = "model notes 1\ntable Notes (PK, SK)\nentity Note\n  author: string\n  at: time = now\n  text: string\n  key \"NOTE#{author}\" \"{at}\"\npattern notes_of(author) -> Note[] newest\n";

fn model() -> Model {
    compile(NOTES).model.expect("it compiles")
}

fn options(items: usize) -> Options {
    Options {
        seed: 1,
        items,
        asks: 4,
        deep: false,
        now_epoch_ms: 1_705_312_800_000,
    }
}

fn proved(subject: &Subject) -> Report {
    prove_through(&model(), options(60), subject, |_| ()).unwrap()
}

/// A buffer that is read after the proof.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The calls of a proof of these rows of each entity.
fn recorded(model: &Model, items: usize) -> String {
    let buffer = Buffer::default();
    let record = Record::new(model, buffer.clone()).unwrap();
    let subject = Subject::Recorded(record);
    let report = prove_through(model, options(items), &subject, |_| ()).unwrap();
    assert!(report.is_proved());
    let bytes = buffer.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

/// Also where a model has more of them than a proof makes changes.
#[test]
fn each_named_write_is_made() {
    let writes = (0..40).map(|at| format!("write add_{at} (author, text)\n  create Note\n"));
    let text = NOTES.to_owned() + &writes.collect::<String>();
    let model = compile(&text).model.expect("it compiles");
    let calls = recorded(&model, 3);
    for write in &model.writes {
        let made = format!("\"write\":\"{}\"", write.name);
        assert!(calls.contains(&made), "{}", write.name);
    }
}

#[test]
fn calls_are_written_down_with_requests_answers_and_results() {
    let text = recorded(&model(), 60);
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap());
    assert_eq!(lines.next().unwrap()["plan"]["model"]["name"], "notes");
    let (mut kinds, mut requests) = (Vec::new(), 0);
    for line in lines {
        let kind = line["call"]["kind"].as_str().unwrap().to_owned();
        assert!(
            line.get("done").is_some() != line.get("failed").is_some(),
            "{line}"
        );
        for step in line["steps"].as_array().unwrap() {
            let asked = step["ask"].as_array().unwrap();
            assert_eq!(asked.len(), step["answers"].as_array().unwrap().len());
            requests += asked.len();
        }
        kinds.push(kind);
    }
    for kind in ["create", "put", "update", "delete", "all"] {
        assert!(
            kinds.iter().any(|one| one == kind),
            "no {kind} in {kinds:?}"
        );
    }
    assert!(requests > 50, "{requests}");
}

/// The proof of a client that is a script for `sh`.
fn of_script(script: &str) -> Report {
    let command = ["sh".to_owned(), "-c".to_owned(), script.to_owned()];
    proved(&Subject::Through(Through::new(command)))
}

#[test]
fn a_client_that_invents_results_is_found() {
    let report = of_script(
        r#"read plan; echo '{"ready": true}'; while read call; do echo '{"done": {"operation": "PutItem", "changes": ["create Note"], "made": []}}'; done"#,
    );
    let failure = report.all_failures().next().expect("it differs");
    assert!(failure.found.contains("does not ask"), "{failure:?}");
}

#[test]
fn a_client_that_asks_something_else_is_found() {
    let report = of_script(
        r#"read plan; echo '{"ready": true}'; while read call; do echo '{"ask": [{"operation": "Scan", "input": {}}]}'; read answers; done"#,
    );
    let failure = report.all_failures().next().expect("it differs");
    assert!(failure.found.contains("it asks"), "{failure:?}");
}

#[test]
fn a_client_that_ends_is_found() {
    let report = of_script(r#"read plan; echo '{"ready": true}'; read call"#);
    let failure = report.all_failures().next().expect("it differs");
    assert!(failure.found.contains("it has ended"), "{failure:?}");
}
