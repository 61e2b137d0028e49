//! What goes wrong at the place of an evolution is said in a sentence: what, where, and how to go on. Afterwards the same
//! command goes on, also with the gate that it has passed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use keyfold_api::{ExpressionAttributes, QueryInput, Response};
use keyfold_client::{Backend, arguments, tables, write};
use keyfold_engine::{Engine, EngineOptions, FolderOptions, StoreOptions};
use keyfold_types::Value;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use workplace::Workplace;
use workplace::server::Server;

const OLD: &str = r#"model people 1
table People (PK, SK)

entity User
  userId: string, town: string, note: string
  key "USER#{userId}" "PROFILE"

pattern user(userId) -> User?
"#;

/// A folder with two models: the second one has a copy of each user.
fn place() -> Workplace {
    let place = Workplace::new();
    place.write("old.keyfold", OLD);
    let copies = "  copy by_town \"TOWN#{town}\" \"USER#{userId}\"\n\npattern users_in(town) -> User.by_town[] page 20\npattern";
    place.write("new.keyfold", &OLD.replace("\npattern", copies));
    place
}

fn filled(backend: &Backend, users: usize, bytes: usize) {
    let model = keyfold_model::compile(OLD).model.unwrap();
    tables::ensure(backend, &model).unwrap();
    let entity = model.entity("User").unwrap();
    for number in 0..users {
        let row = BTreeMap::from(
            [
                ("userId", format!("u{number}")),
                ("town", "Ulm".to_owned()),
                ("note", "x".repeat(bytes)),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        let values = arguments::of_entity(entity, &row).unwrap();
        write::put(backend, &model, entity, &values).unwrap();
    }
}

/// How many copies there are, of those that a page of a query takes.
fn copies(backend: &Backend) -> usize {
    let attributes = ExpressionAttributes::default()
        .name("#key", "PK")
        .value(":town", Value::from("TOWN#Ulm"));
    let query = QueryInput {
        table_name: Some("People".to_owned()),
        key_condition_expression: Some("#key = :town".to_owned()),
        expression_attributes: attributes,
        ..QueryInput::default()
    };
    let Response::Query(page) = backend.call(query.into()).unwrap() else {
        panic!("another answer");
    };
    page.items.unwrap_or_default().len()
}

/// The error of a document, which has all of these texts.
fn error_of(document: &Json, texts: &[&str]) {
    let message = document["error"]["message"].as_str().unwrap();
    for text in texts {
        assert!(message.contains(text), "{text}: {message}");
    }
}

fn last(out: &[u8]) -> Json {
    let out = String::from_utf8(out.to_vec()).unwrap();
    let line = out.lines().last().unwrap_or_else(|| panic!("no output"));
    serde_json::from_str(line).unwrap()
}

#[test]
fn credentials_and_rights_that_are_missing_are_named() {
    let place = place();
    let file = place.write(
        "credentials.json",
        r#"[{"accessKey": "reader", "secret": "s", "access": "read"},
            {"accessKey": "someone", "secret": "s", "access": "read-write", "tables": {"People": "read"}},
            {"accessKey": "local", "secret": "local"}]"#,
    );
    let server = Server::start(&["--credentials", &file]);
    filled(&server.backend(), 3, 10);
    let named = format!("place {}", server.endpoint);
    let run = |key: &str, secret: &str, more: &[&str]| {
        let variables = [
            ("AWS_ACCESS_KEY_ID", key),
            ("AWS_SECRET_ACCESS_KEY", secret),
            ("AWS_REGION", "us-east-1"),
        ];
        let command = [
            &[
                "evolve",
                "run",
                "old.keyfold",
                "new.keyfold",
                "--at",
                &server.endpoint,
                "--json",
            ],
            more,
        ];
        let output = place.run_with(&variables, &command.concat());
        (output.status.code(), last(&output.stdout))
    };
    for (key, secret, why) in [
        ("nobody", "s", "does not take these credentials"),
        ("reader", "wrong", "does not take these credentials"),
        ("reader", "s", "does not allow CreateTable"),
    ] {
        let (code, document) = run(key, secret, &[]);
        assert_eq!(code, Some(5), "{document}");
        error_of(&document, &[&named, why, "the same command goes on"]);
    }
    // One who may write how far it is, and not the items.
    let (code, document) = run("someone", "s", &[]);
    assert_eq!(code, Some(7), "{document}");
    let (code, document) = run("someone", "s", &["--done", "writers"]);
    assert_eq!(code, Some(5), "{document}");
    let why = "does not allow TransactWriteItems";
    error_of(&document, &[&named, why, "the same command goes on"]);
    let (code, document) = run("local", "local", &["--done", "writers"]);
    assert_eq!(code, Some(7), "{document}");
    assert_eq!(document["result"]["gate"]["step"], "readers", "{document}");
    let (code, document) = run("local", "local", &["--done", "readers"]);
    assert_eq!(code, Some(0), "{document}");
}

#[test]
fn an_endpoint_that_goes_away_is_named_and_loses_nothing() {
    let place = place();
    let folder = place.folder.path().join("data").display().to_string();
    let start = |port: &str| {
        let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
            .args(["serve", "--data", &folder, "--port", port, "--json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Server::of(child)
    };
    let server = start("0");
    let endpoint = server.endpoint.clone();
    let port = endpoint.rsplit(':').next().unwrap().to_owned();
    let backend = server.backend();
    filled(&backend, 300, 4_000);
    let evolve = |word: &'static str| {
        [
            "evolve",
            word,
            "old.keyfold",
            "new.keyfold",
            "--at",
            &endpoint,
        ]
        .map(str::to_owned)
    };
    let texts = |all: &[String], more: &[&'static str]| {
        let own = all.iter().map(String::as_str);
        own.chain(more.iter().copied())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let run = evolve("run");
    let json = |code, more: &[&'static str], all: &[String]| {
        let all = texts(all, more);
        place.json(code, &all.iter().map(String::as_str).collect::<Vec<_>>())
    };
    json(7, &[], &run);
    let done = ["--done", "writers", "--rate", "400"];
    let child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(texts(&run, &done))
        .arg("--json")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // It goes away when the first copies are there.
    let began = Instant::now();
    while copies(&backend) < 20 {
        assert!(
            began.elapsed() < Duration::from_secs(120),
            "nothing is written"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(server);
    let output = child.wait_with_output().unwrap();
    let document = last(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{document}");
    let said = format!("the place {endpoint} does not answer");
    error_of(&document, &[&said, "the same command goes on"]);
    let _again = start(&port);
    let gate = json(7, &done[..2], &run);
    assert_eq!(gate["result"]["gate"]["step"], "readers", "{gate}");
    json(0, &["--done", "readers"], &run);
    json(0, &["--yes"], &evolve("complete"));
    place.json(0, &["verify", "new.keyfold", "--endpoint", &endpoint]);
}

/// Carries an evolution out in a folder on a disk that is too small, then on a larger one. The disk is a small file
/// system in memory, in a mount namespace of its own (Linux).
#[cfg(target_os = "linux")]
const FULL: &str = r#"
mount -t tmpfs -o size=400m tmpfs "$DISK" || exit 1
cp -r "$DATA" "$DISK/data"
used=$(du -sm "$DISK" | cut -f1)
mount -o remount,size=$((used + 3))m "$DISK" || exit 1
run() {
    name="$1"
    shift
    "$KEYFOLD" "$@" --json > "$OUT/$name"
    echo $? >> "$OUT/$name"
}
evolve() {
    name="$1"
    word="$2"
    shift 2
    run "$name" evolve "$word" old.keyfold new.keyfold --at "keyfold:$DISK/data" "$@"
}
evolve first run --done writers
mount -o remount,size=400m "$DISK" || exit 1
evolve second run --done writers
evolve third run --done readers
evolve fourth complete --yes
run fifth verify new.keyfold --data "$DISK/data"
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_and_it_goes_on_when_there_is_room() {
    let place = place();
    let data = place.folder.path().join("data");
    {
        let folder = FolderOptions::new(&data);
        let options = EngineOptions {
            background: false,
            ..EngineOptions::new(StoreOptions::Folder(folder))
        };
        let engine = Engine::open(options).unwrap();
        filled(&Backend::Embedded(Arc::new(engine)), 200, 50_000);
    }
    let disk = place.folder.path().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let status = Command::new("unshare")
        .args(["--user", "--mount", "--map-root-user", "sh", "-c", FULL])
        .current_dir(place.folder.path())
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .env("DISK", &disk)
        .env("DATA", &data)
        .env("OUT", place.folder.path())
        .env("KEYFOLD", env!("CARGO_BIN_EXE_keyfold"))
        .status()
        .expect("the test needs `unshare` and user namespaces");
    assert!(status.success());
    let ended = |name: &str, code: &str| {
        let text = std::fs::read_to_string(place.folder.path().join(name)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let [.., document, ended] = lines.as_slice() else {
            panic!("{text}");
        };
        assert_eq!(*ended, code, "{name}: {document}");
        serde_json::from_str::<Json>(document).unwrap()
    };
    let document = ended("first", "5");
    let target = format!("place keyfold:{}", disk.join("data").display());
    error_of(&document, &[&target, "full", "the same command goes on"]);
    let gate = ended("second", "7");
    assert_eq!(gate["result"]["gate"]["step"], "readers", "{gate}");
    for name in ["third", "fourth", "fifth"] {
        ended(name, "0");
    }
}
