//! Tests `keyfold prove --endpoint`: a proof in tables of its own, which it deletes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::{ListTablesInput, Response};
use keyfold_client::{Backend, tables};
use keyfold_model::compile;
use workplace::Workplace;
use workplace::server::Server;

/// The tables at an endpoint.
fn tables_of(backend: &Backend) -> Vec<String> {
    let answer = backend.call(ListTablesInput::default().into());
    let Ok(Response::ListTables(output)) = answer else {
        panic!("{answer:?}");
    };
    output.table_names.unwrap()
}

/// Aggregates, periods, shards and transactions meet in these models.
#[test]
fn models_are_proved_at_an_endpoint_that_keeps_only_its_own_tables() {
    let (place, server) = (Workplace::new(), Server::start(&[]));
    let compiled =
        compile("model m 1\ntable Other (PK)\nentity E\n  id: string\n  key \"E#{id}\"\n");
    tables::ensure(&server.backend(), &compiled.model.unwrap()).unwrap();
    for name in ["shop.keyfold", "santa_spread.keyfold", "readings.keyfold"] {
        let model = Workplace::model(name);
        let size = ["--items", "12", "--asks", "3"];
        let report = place.json(
            0,
            &[
                &["prove", &model, "--endpoint", &server.endpoint],
                &size[..],
            ]
            .concat(),
        );
        assert!(report["rows"].as_u64().unwrap() > 0, "{report}");
        assert_eq!(tables_of(&server.backend()), ["Other"]);
    }
}

/// Whoever stops a proof finds none of its tables.
#[cfg(unix)]
#[test]
fn a_proof_that_is_stopped_deletes_its_tables() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let (place, server) = (Workplace::new(), Server::start(&[]));
    let (model, backend) = (Workplace::model("shop.keyfold"), server.backend());
    let prove = ["prove", &model, "--endpoint", &server.endpoint];
    let size = ["--items", "100000", "--asks", "100000"];
    let mut command = place.command(&[&prove[..], &size].concat());
    let mut run = command.stderr(Stdio::piped()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(120);
    while tables_of(&backend).is_empty() {
        let is_over = run.try_wait().unwrap().is_some() || Instant::now() > until;
        if is_over {
            drop(run.kill());
            let output = run.wait_with_output().unwrap();
            panic!(
                "no table was made: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&run);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = run.wait_with_output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("the proof was stopped"), "{message}");
    assert_eq!(tables_of(&backend), [""; 0]);
}

/// The estimate of units and its price, and that no terminal was there to answer.
#[test]
fn a_proof_beyond_this_machine_begins_after_a_question() {
    let place = Workplace::new();
    let model = Workplace::model("shop.keyfold");
    let prove = ["prove", &model, "--items", "5000", "--asks", "10"];
    let endpoint = ["--endpoint", "https://dynamodb.example.org"];
    let output = place.run(&[&prove[..], &endpoint].concat());
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    let estimate = "The proof at https://dynamodb.example.org takes about 360000 write units and \
        722160 read units: 0.32 $ at the prices on demand of us-east-1";
    assert!(message.contains(estimate), "{message}");
    assert!(message.contains("nothing was sent"), "{message}");
    assert!(!message.contains("Begin?"), "{message}");
}

/// Answers the question of a proof at an address that is not known to be this machine's, although it is.
/// Returns the exit code and the words on the terminal.
#[cfg(target_os = "linux")]
fn answered(place: &Workplace, port: u16, answer: &str) -> (Option<i32>, String) {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let model = Workplace::model("shop.keyfold");
    let keyfold = env!("CARGO_BIN_EXE_keyfold");
    let endpoint = format!("http://0.0.0.0:{port}");
    let prove = format!("'{keyfold}' prove '{model}' --items 5 --asks 1 --endpoint {endpoint}");
    // It gives the command a terminal.
    let mut script = Command::new("script");
    script
        .args(["--quiet", "--return", "--command", &prove, "/dev/null"])
        .current_dir(place.folder.path())
        .env("AWS_ACCESS_KEY_ID", "local")
        .env("AWS_SECRET_ACCESS_KEY", "local")
        .env("AWS_REGION", "us-east-1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut asked = script.spawn().unwrap();
    let mut keyboard = asked.stdin.take().unwrap();
    writeln!(keyboard, "{answer}").unwrap();
    let output = asked.wait_with_output().unwrap();
    drop(keyboard);
    let words = String::from_utf8_lossy(&output.stdout).replace("\r\n", " ");
    (output.status.code(), words)
}

#[cfg(target_os = "linux")]
#[test]
fn a_proof_begins_when_the_question_is_answered_by_yes() {
    let (place, server) = (Workplace::new(), Server::start(&[]));
    let (_, port) = server.endpoint.rsplit_once(':').unwrap();
    let (code, words) = answered(&place, port.parse().unwrap(), "y");
    assert_eq!(code, Some(0), "{words}");
    let (before, after) = words.split_once("Begin? [y/N]").unwrap();
    assert!(before.contains(" read units: 0.00 $ at"), "{before}");
    assert!(after.contains("proved by execution"), "{after}");
    assert!(tables_of(&server.backend()).is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_proof_sends_nothing_when_the_question_is_answered_by_no() {
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    // It hangs up on whoever calls.
    let called = Arc::new(AtomicUsize::new(0));
    let calls = called.clone();
    std::thread::spawn(move || {
        for _ in listener.incoming() {
            calls.fetch_add(1, Ordering::SeqCst);
        }
    });
    for answer in ["n", "", "yy"] {
        let (code, words) = answered(&Workplace::new(), port, answer);
        assert_eq!(code, Some(1), "{words}");
        let (_, after) = words.split_once("Begin? [y/N]").unwrap();
        assert!(after.contains("nothing was sent"), "{after}");
        assert_eq!(called.load(Ordering::SeqCst), 0);
    }
}
