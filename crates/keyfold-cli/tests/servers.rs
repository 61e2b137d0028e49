//! Tests `keyfold serve`: its options, its limits and its log.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use workplace::Workplace;

/// Starts a server; returns it and its report once it listens.
fn serving(command: &mut Command) -> (Child, Json) {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let mut document: Json = serde_json::from_str(&line).unwrap();
    (child, document["result"].take())
}

/// The server refuses ambiguous and unusable options before it opens anything.
#[test]
fn a_server_refuses_impossible_credentials_and_host_names() {
    let place = Workplace::new();
    let serve = |arguments: &[&str]| {
        let output = place.run(&[&["serve", "--memory", "--port", "0"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let message = serve(&["--credential", "A:one", "--credential", "A:other"]);
    assert!(
        message.contains("the access key A is given twice"),
        "{message}"
    );
    let file = place.write("credentials.json", r#"{"accessKey":"A","secret":"s"}"#);
    assert!(
        serve(&["--credentials", &file]).contains(r#"as [{"accessKey": "..", "secret": ".."}]"#)
    );
    for name in ["http://x.example", "x.example:8000", ""] {
        let message = serve(&["--allow-host", name]);
        assert!(
            message.contains("takes a name without scheme and port"),
            "{message}"
        );
    }
}

/// A program that is killed closes the pipe to its server, whatever it could not do.
#[test]
fn a_server_stops_when_its_standard_input_ends() {
    let place = Workplace::new();
    let serve = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_keyfold"));
        command
            .current_dir(place.folder.path())
            .args(["serve", "--memory", "--port", "0", "--json"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null());
        command
    };
    let (mut child, _) = serving(serve().arg("--until-stdin-closes"));
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"a line\n").unwrap();
    assert!(child.try_wait().unwrap().is_none());
    drop(input);
    assert!(child.wait().unwrap().success());
    let (mut child, report) = serving(&mut serve());
    drop(child.stdin.take());
    let address = report["endpoint"].as_str().unwrap().replace("http://", "");
    std::thread::sleep(Duration::from_millis(200));
    drop(TcpStream::connect(address).unwrap());
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A program that starts a server has a model of its own: what the project's says, and whether it can be
/// read, is nothing to it.
#[test]
fn a_server_that_reads_no_project_makes_no_tables_of_it() {
    let place = Workplace::new();
    place.write(
        "keyfold.toml",
        "model = \"shop.keyfold\"\nconnection = \"own\"\n[connections]\nown = \"keyfold:own\"\n",
    );
    let shop = std::fs::read_to_string(Workplace::model("shop.keyfold")).unwrap();
    for (text, settings) in [
        (shop.as_str(), None),
        ("model shop 1\nentty User\n", None),
        (&shop, Some("model =\n")),
    ] {
        place.write("shop.keyfold", text);
        if let Some(settings) = settings {
            place.write("keyfold.toml", settings);
        }
        for words in [&["--memory"][..], &["--data", "data"], &[]] {
            let (mut child, report) = serving(
                Command::new(env!("CARGO_BIN_EXE_keyfold"))
                    .current_dir(place.folder.path())
                    .args(["serve", "--no-project", "--port", "0", "--json"])
                    .args(words),
            );
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(report["tables"], serde_json::json!([]), "{words:?} {text}");
            assert_eq!(report["data"] == ".keyfold/data", words.is_empty());
        }
    }
    // Named models are served.
    let (mut child, report) = serving(
        Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .current_dir(place.folder.path())
            .args(["serve", "--no-project", "--memory", "--port", "0", "--json"])
            .arg("shop.keyfold"),
    );
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(report["tables"], serde_json::json!(["Shop"]));
}

#[test]
fn a_server_in_memory_leaves_nothing_behind() {
    let place = Workplace::new();
    let (mut child, report) = serving(
        Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .current_dir(place.folder.path())
            .args([
                "serve",
                &Workplace::model("shop.keyfold"),
                "--memory",
                "--port",
                "0",
                "--json",
            ]),
    );
    assert_eq!(
        (report["data"].as_str(), report["tables"][0].as_str()),
        (Some("memory"), Some("Shop"))
    );
    let endpoint = report["endpoint"].as_str().unwrap();
    let product = [
        "put",
        &Workplace::model("shop.keyfold"),
        "Product",
        "productId=p",
        "name=n",
        "price=1",
        "stock=1",
    ];
    let product = [&product, &["--endpoint", endpoint][..]].concat();
    place.json(0, &product);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(place.folder.path()).unwrap().count(), 0);
}

#[test]
fn a_server_accepts_no_more_connections_than_its_limit() {
    let (mut child, report) = serving(Command::new(env!("CARGO_BIN_EXE_keyfold")).args([
        "serve",
        "--memory",
        "--port",
        "0",
        "--json",
        "--connections",
        "1",
    ]));
    let address = report["endpoint"]
        .as_str()
        .unwrap()
        .strip_prefix("http://")
        .unwrap()
        .to_owned();
    let ask = || {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream
            .write_all(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            .unwrap();
        stream
    };
    let is_answered = |stream: &mut TcpStream, millis: u64| {
        stream
            .set_read_timeout(Some(Duration::from_millis(millis)))
            .unwrap();
        stream.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0)
    };
    let mut first = ask();
    let first_is = is_answered(&mut first, 20_000);
    let mut second = ask();
    let second_is = is_answered(&mut second, 300);
    drop(first);
    let second_is_then = is_answered(&mut second, 20_000);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((first_is, second_is, second_is_then), (true, false, true));
}

#[test]
fn the_log_has_a_line_for_each_request_with_its_id() {
    let place = Workplace::new();
    let shop = Workplace::model("shop.keyfold");
    let (mut child, report) = serving(
        Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .args([
                "serve", &shop, "--memory", "--port", "0", "--json", "--log", "json",
            ])
            .stderr(Stdio::piped()),
    );
    let endpoint = report["endpoint"].as_str().unwrap();
    place.json(
        0,
        &[
            "put",
            &shop,
            "Product",
            "productId=p",
            "name=n",
            "price=1",
            "stock=1",
            "--endpoint",
            endpoint,
        ],
    );
    child.kill().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<Json> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let put = lines.iter().find(|line| line["operation"] == "PutItem");
    let put = put.unwrap_or_else(|| panic!("{text}"));
    assert_eq!(put["request"].as_str().map(str::len), Some(52), "{put}");
    assert_eq!(put["outcome"], "ok", "{put}");
    assert!(put["micros"].is_u64(), "{put}");
}

/// Sends the signal that ends a process.
#[cfg(unix)]
fn end(child: &Child) {
    let sent = Command::new("kill").arg(child.id().to_string()).status();
    assert!(sent.unwrap().success());
}

/// The first signal waits for a request that is under way, and says so; the second does not.
#[cfg(unix)]
#[test]
fn a_second_signal_ends_a_server_at_once() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyfold"));
    command.args(["serve", "--memory", "--port", "0", "--json"]);
    command.stderr(Stdio::piped());
    let (mut child, report) = serving(&mut command);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let address = report["endpoint"].as_str().unwrap().replace("http://", "");
    let mut stalled = TcpStream::connect(&address).unwrap();
    stalled
        .write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{")
        .unwrap();
    // The server has accepted the stalled client once it answers another one.
    let mut other = TcpStream::connect(&address).unwrap();
    other
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    other.read_exact(&mut [0]).unwrap();
    end(&child);
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    assert!(
        line.contains("requests under way are answered first"),
        "{line}"
    );
    end(&child);
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(130));
}

/// A migration whose target stands still is not waited for without end after Ctrl-C. That of a database, and a
/// second Ctrl-C: `migrate_hangs.rs`.
#[test]
#[cfg(unix)]
fn a_migration_ends_while_its_target_does_not_answer() {
    let place = Workplace::new();
    let database = place.folder.path().join("s.db");
    let program = rusqlite::Connection::open(&database).unwrap();
    let sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a')";
    program.execute_batch(sql).unwrap();
    let text = "model m 1\n\ntable Tab (PK, SK)\n\nentity A in Tab\n  id: int, v: string\n  key \"A#{id}\" \"P\"\n  from t\n";
    let model = place.write("m.keyfold", text);
    let server = workplace::server::Server::start(&[]);
    let from = format!("sqlite:{}", database.display());
    let mut run = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .args(["migrate", "run", &model, "--from", &from, "--json"])
        .args(["--at", &server.endpoint])
        .env("AWS_ACCESS_KEY_ID", "local")
        .env("AWS_SECRET_ACCESS_KEY", "local")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let signal = |name: &str, id: u32| {
        let sent = Command::new("kill").args([name, &id.to_string()]).status();
        assert!(sent.unwrap().success());
    };
    // It follows once it has carried a change.
    let kept = || {
        let count = "SELECT count(*) FROM keyfold_changes_t";
        program.query_row(count, [], |row| row.get::<_, i64>(0))
    };
    let until = std::time::Instant::now() + Duration::from_secs(60);
    while kept().is_err() {
        assert!(std::time::Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    }
    program.execute_batch("UPDATE t SET v = 'b'").unwrap();
    while kept() != Ok(0) {
        assert!(std::time::Instant::now() < until);
        std::thread::sleep(Duration::from_millis(50));
    }
    signal("-STOP", server.id());
    program.execute_batch("UPDATE t SET v = 'c'").unwrap();
    std::thread::sleep(Duration::from_secs(1));
    let began = std::time::Instant::now();
    signal("-INT", run.id());
    while run.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_secs(40) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let took = began.elapsed();
    signal("-CONT", server.id());
    run.kill().unwrap();
    let mut said = String::new();
    run.stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert!(took < Duration::from_secs(40), "{took:?}: {said}");
    assert!(said.contains("is not waited for any more"), "{said}");
}
