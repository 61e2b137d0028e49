//! Kills `keyfold verify --state` at several moments of its work. The run that continues finds what
//! an undisturbed one finds, each once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use keyfold_api::{DeleteItemInput, PutItemInput, Response, ScanInput};
use keyfold_client::{Backend, arguments, tables, write};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_types::{Item, Value};
use serde_json::Value as Json;
use std::cell::Cell;
use std::fs::File;
use std::io::{Read as _, Seek as _};
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
const SEGMENTS: i64 = 3;
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

/// The items of a segment of so many, in their order.
fn segment(backend: &Backend, number: i64, of: i64) -> Vec<Item> {
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let input = ScanInput {
            table_name: name(),
            segment: Some(number),
            total_segments: Some(of),
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

fn opened(folder: &Path) -> Backend {
    let store = StoreOptions::folder(folder.to_owned(), Durability::Buffered);
    Backend::Embedded(Arc::new(Engine::open(EngineOptions::new(store)).unwrap()))
}

/// A table of several pages, in which every third item is damaged.
fn fill(folder: &Path) {
    let backend = opened(folder);
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
    for (at, item) in segment(&backend, 0, 1).into_iter().enumerate() {
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
    let words = format!("{words} --segments {SEGMENTS}");
    words.split(' ').map(str::to_owned).collect()
}

/// A saved state as it was seen: the open file, its text, and what the file of findings held then.
struct Seen {
    file: File,
    text: Vec<u8>,
    findings: Vec<u8>,
}

impl Seen {
    /// The state that lies in the folder now.
    fn now(place: &Path) -> Option<Seen> {
        let mut file = File::open(place.join("killed/verification.json")).ok()?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).unwrap();
        let findings = std::fs::read(place.join("f2")).unwrap();
        Some(Seen {
            file,
            text,
            findings,
        })
    }

    fn state(&self) -> Json {
        serde_json::from_slice(&self.text).unwrap()
    }

    /// How many bytes of findings are no part of the state.
    fn findings_behind(&self) -> usize {
        self.findings.len() - as_size(&self.state()["position"])
    }

    /// A state is one whole: it is not changed any more, its findings are in the file, and of each
    /// segment it counts the items up to the cursor.
    fn check(&mut self, backend: &Backend) {
        let mut text = Vec::new();
        self.file.rewind().unwrap();
        self.file.read_to_end(&mut text).unwrap();
        assert_eq!(text, self.text, "a state was written over");
        let state = self.state();
        let position = as_size(&state["position"]);
        let findings = std::str::from_utf8(&self.findings[..position]).unwrap();
        assert!(findings.is_empty() || findings.ends_with('\n'));
        let each = findings.lines().map(serde_json::from_str::<Json>);
        let written = each.inspect(|line| assert!(line.is_ok(), "{line:?}"));
        let groups = state["report"]["groups"].as_array().unwrap();
        let counted: usize = groups.iter().map(|group| as_size(&group["count"])).sum();
        assert_eq!(written.count(), counted, "the findings of the state");
        let cursors = state["cursors"].as_array().unwrap();
        let read = (0..).zip(cursors).map(|(number, cursor)| {
            let items = segment(backend, number, SEGMENTS);
            let Some(after) = cursor["after"].as_str() else {
                let is_done = as_size(&cursor["target"]) > 0;
                return if is_done { items.len() } else { 0 };
            };
            let after = keyfold_wire::client::decode_item(after.as_bytes()).unwrap();
            let is_last = |item: &Item| {
                after
                    .iter()
                    .all(|(name, held)| item.get(name) == Some(held))
            };
            items.iter().position(is_last).unwrap() + 1
        });
        let read: usize = read.sum();
        assert_eq!(read, as_size(&state["report"]["items"]), "{cursors:?}");
    }
}

fn as_size(number: &Json) -> usize {
    usize::try_from(number.as_u64().unwrap()).unwrap()
}

/// Begins or continues the verification at a rate, and kills it once `is_time` says so of the saved
/// state. Checks every state that was seen.
fn kill_when(place: &Workplace, rate: &str, is_time: impl Fn(Option<&Seen>) -> bool) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(arguments("killed", "f2"))
        .args(["--rate", rate])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let since = Instant::now();
    let mut seen: Vec<Seen> = Vec::new();
    loop {
        std::thread::sleep(Duration::from_millis(20));
        let now = Seen::now(place.folder.path());
        let is_it = is_time(now.as_ref());
        let is_new = |now: &Seen| seen.last().is_none_or(|last| last.text != now.text);
        seen.extend(now.filter(is_new));
        if is_it {
            break;
        }
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "it ended before it was killed"
        );
        assert!(since.elapsed() < PATIENCE, "{} states", seen.len());
    }
    // SIGKILL: nothing of the process runs any more.
    child.kill().unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), None, "it ended before it was killed");
    let backend = opened(&place.folder.path().join("d"));
    // The last one is read again: it may have come behind the last look.
    seen.extend(Seen::now(place.folder.path()));
    seen.iter_mut().for_each(|one| one.check(&backend));
}

/// The report without its examples and its cost: pages that were read after the last save are read again.
fn report(place: &Workplace, state: &str, findings: &str) -> (Json, Vec<String>) {
    let words = arguments(state, findings);
    let output = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let mut document: Json = serde_json::from_slice(&output.stdout).unwrap();
    let result = document["result"].as_object_mut().unwrap();
    result.remove("capacityUnits").unwrap();
    // Which findings are the first ones is up to the threads.
    for group in result["findings"].as_array_mut().unwrap() {
        let group = group.as_object_mut().unwrap();
        let examples = group.remove("examples").unwrap();
        assert!((1..=5).contains(&examples.as_array().unwrap().len()));
    }
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

    let items = |seen: &Seen| as_size(&seen.state()["report"]["items"]);
    let is_read = |seen: &Seen| {
        let cursors = seen.state()["cursors"].as_array().unwrap().clone();
        cursors.iter().all(|cursor| as_size(&cursor["target"]) > 0)
    };
    // Before the first save, at it, and with findings that the saved state does not have.
    let since = Instant::now();
    let soon = Duration::from_secs(1);
    kill_when(&place, "100", |_| since.elapsed() > soon);
    let reached = Cell::new(0);
    kill_when(&place, "100", |seen| {
        reached.set(seen.map_or(0, items));
        reached.get() > 0
    });
    assert!(reached.get() < as_size(&whole["items"]));
    kill_when(&place, "200", |seen| {
        seen.is_some_and(|seen| items(seen) > reached.get() && seen.findings_behind() > 0)
    });
    // In the confirming scan, which begins anew.
    let scanned = Cell::new(None);
    kill_when(&place, "500", |seen| {
        if seen.is_some_and(is_read) && scanned.get().is_none() {
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
