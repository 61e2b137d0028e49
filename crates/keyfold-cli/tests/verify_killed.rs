//! Kills `keyfold verify --state` at several moments of its work. The run that continues finds what
//! an undisturbed one finds, each once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use keyfold_api::{DeleteItemInput, PutItemInput, Response, ScanInput};
use keyfold_client::{Backend, arguments, tables, write};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_types::{Item, Value};
use serde_json::Value as Json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use workplace::Workplace;

const MODEL: &str = "\
model m 1
table Tab (PK, SK) type kind

entity User
  userId: string, email: string, name: string, note: string
  key    \"USER#{userId}\" \"PROFILE\"
  copy   card \"CARD#{userId}\" \"CARD\" only userId, name
  unique email
  count  orders of Order

entity Order
  userId: User.userId, orderId: int, tags: list of string
  key    \"USER#{userId}\" \"ORDER#{orderId:04}\"
  split  tags by 2

pattern user(userId) -> User?
pattern orders(userId) -> Order[]
";
const USERS: usize = 60;
/// A user's note: 12 MB in all are 12 pages of a scan.
const NOTE_BYTES: usize = 200_000;
/// The longest wait for a moment at which the process is killed.
const PATIENCE: Duration = Duration::from_secs(120);

fn name() -> Option<String> {
    Some("Tab".to_owned())
}

fn put(backend: &Backend, item: Item) {
    let input = PutItemInput {
        table_name: name(),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn delete(backend: &Backend, item: &Item) {
    let key = item
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "PK" | "SK"));
    let key = key.map(|(name, value)| (name.to_owned(), value.clone()));
    let input = DeleteItemInput {
        table_name: name(),
        key: Some(Ok(key.collect())),
        ..DeleteItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn stored(backend: &Backend) -> Vec<Item> {
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let input = ScanInput {
            table_name: name(),
            exclusive_start_key: after.map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(page) = backend.call(input.into()).unwrap() else {
            panic!("no page")
        };
        items.extend(page.items.unwrap().iter().map(|raw| raw.to_item()));
        after = page.last_evaluated_key;
        if after.is_none() {
            return items;
        }
    }
}

/// A table of several pages, in which every third item is damaged.
fn fill(folder: &Path) {
    let store = StoreOptions::folder(folder.to_owned(), Durability::Buffered);
    let engine = Engine::open(EngineOptions::new(store)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    let model = keyfold_model::compile(MODEL).model.unwrap();
    tables::ensure(&backend, &model).unwrap();
    let note = "n".repeat(NOTE_BYTES);
    let put_entity = |entity: &str, given: &[(&str, &str)]| {
        let entity = model.entity(entity).unwrap();
        let given = given
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let values = arguments::of_entity(entity, &given.collect()).unwrap();
        write::put(&backend, &model, entity, &values).unwrap();
    };
    for user in 0..USERS {
        let (id, email) = (format!("u{user}"), format!("{user}@example.com"));
        let given = [
            ("userId", &*id),
            ("email", &email),
            ("name", "Ada"),
            ("note", &note),
        ];
        put_entity("User", &given);
        for order in ["1", "2"] {
            let given = [
                ("userId", &*id),
                ("orderId", order),
                ("tags", r#"["a","b","c"]"#),
            ];
            put_entity("Order", &given);
        }
    }
    for (at, item) in stored(&backend).into_iter().enumerate() {
        let mut changed = item.clone();
        match at % 12 {
            0 => delete(&backend, &item),
            3 => put(&backend, {
                changed.insert("name", "Eve");
                changed.insert("orders", 7);
                changed
            }),
            6 => put(&backend, {
                changed.insert("PK", Value::from(format!("X#{at}")));
                changed
            }),
            9 => put(&backend, {
                changed.insert("kind", "Other");
                changed
            }),
            _ => {}
        }
    }
}

fn arguments(state: &str, findings: &str) -> Vec<String> {
    let words = format!("verify m.keyfold --data d --json --state {state} --findings {findings}");
    words.split(' ').map(str::to_owned).collect()
}

/// Begins or continues the verification at a rate, and kills it once `is_time` says so of the saved
/// state.
fn kill_when(place: &Workplace, rate: &str, is_time: impl Fn(Option<&Json>) -> bool) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(arguments("killed", "f2"))
        .args(["--rate", rate])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let since = Instant::now();
    let file = place.folder.path().join("killed/verification.json");
    loop {
        std::thread::sleep(Duration::from_millis(20));
        let state = std::fs::read(&file).ok();
        let state = state.and_then(|text| serde_json::from_slice(&text).ok());
        if is_time(state.as_ref()) {
            break;
        }
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "it ended before it was killed"
        );
        assert!(since.elapsed() < PATIENCE, "{state:?}");
    }
    // SIGKILL: nothing of the process runs any more.
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), None, "it ended before it was killed");
}

/// The report without its cost: pages that were read after the last save are read again.
fn report(place: &Workplace, state: &str, findings: &str) -> (Json, Vec<String>) {
    let words = arguments(state, findings);
    let output = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let mut document: Json = serde_json::from_slice(&output.stdout).unwrap();
    let result = document["result"].as_object_mut().unwrap();
    result.remove("capacityUnits").unwrap();
    let file = std::fs::read_to_string(place.folder.path().join(findings)).unwrap();
    let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
    lines.sort();
    assert!(!place.folder.path().join(state).exists());
    (document["result"].take(), lines)
}

#[test]
fn a_killed_verification_continues_and_finds_the_same() {
    let place = Workplace::new();
    place.write("m.keyfold", MODEL);
    fill(&place.folder.path().join("d"));
    let (whole, lines) = report(&place, "whole", "f1");
    assert!(lines.len() > 100, "{}", lines.len());
    assert!(whole["scans"].as_u64() > Some(1), "{whole}");

    let items = |state: &Json| state["report"]["items"].as_u64().unwrap();
    let target = |state: &Json| state["cursors"][0]["target"].as_u64().unwrap();
    // Before the first save, at it, and at the next one.
    let since = Instant::now();
    let soon = Duration::from_secs(1);
    kill_when(&place, "100", |_| since.elapsed() > soon);
    let reached = std::cell::Cell::new(0);
    for _ in 0..2 {
        let before = reached.get();
        kill_when(&place, "100", |state| {
            let Some(state) = state.filter(|state| items(state) > before) else {
                return false;
            };
            reached.set(items(state));
            true
        });
        assert!(reached.get() < whole["items"].as_u64().unwrap());
    }
    // In the confirming scan, which begins anew.
    let scanned = std::cell::Cell::new(None);
    kill_when(&place, "500", |state| {
        if state.is_some_and(|state| target(state) > 0) && scanned.get().is_none() {
            scanned.set(Some(Instant::now()));
        }
        scanned
            .get()
            .is_some_and(|at| at.elapsed() > Duration::from_millis(700))
    });
    let (again, found) = report(&place, "killed", "f2");
    assert_eq!(found, lines);
    assert_eq!(again, whole);
}
