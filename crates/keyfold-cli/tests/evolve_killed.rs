//! Kills `keyfold evolve run` and `complete` at seeded moments of their work: what is stored at the end is what
//! the new model stores, nothing is lost, and nothing is left over.
//!
//! There are 20 kills; `EVOLVE_KILLS=200` makes more of them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use keyfold_api::{Response, ScanInput};
use keyfold_client::{Backend, arguments, tables, write};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use workplace::Workplace;

const OLD: &str = "\
model m 1
table Tab (PK, SK) type kind

entity User
  userId: string, email: string, first: string, last: string
  key    \"USER#{userId}\" \"PROFILE\"

entity Order
  userId: User.userId, orderId: int, state: O | P
  key    \"USER#{userId}\" \"ORDER#{orderId:04}\"

pattern user(userId) -> User?
pattern orders(userId) -> Order[]
";

const NEW: &str = "\
model m 2
table Tab (PK, SK) type kind
  gsi ByState (GPK, GSK)

entity Person was User
  userId: string, email: string, name: string was \"{first} {last}\"
  key    \"P#{userId}\" \"PROFILE\"
  copy   card \"CARD#{name}\" \"{userId}\" only userId, name
  unique email
  count  open of Order where state = open

entity Order
  userId: Person.userId, orderId: int, state: open | paid was state (O = open, P = paid)
  key      \"P#{userId}\" \"ORDER#{orderId:04}\"
  ByState  \"STATE#{state}\" \"{orderId:04}#{userId}\"

pattern person(userId) -> Person?
pattern orders(userId) -> Order[]
pattern orders_of(state) -> Order[]
";

const USERS: usize = 60;
const ORDERS: usize = 3;
/// The longest time, in milliseconds, after which a run is killed.
const MOMENT_MAX: u64 = 500;

fn fill(folder: &Path) {
    let backend = opened(folder);
    let model = keyfold_model::compile(OLD).model.unwrap();
    tables::ensure(&backend, &model).unwrap();
    let put = |entity: &str, given: &[(&str, &str)]| {
        let entity = model.entity(entity).unwrap();
        let given = given
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let values = arguments::of_entity(entity, &given.collect()).unwrap();
        write::put(&backend, &model, entity, &values).unwrap();
    };
    for user in 0..USERS {
        let (id, email) = (format!("u{user}"), format!("{user}@example.com"));
        let user = [
            ("userId", &*id),
            ("email", &*email),
            ("first", "Ada"),
            ("last", &*id),
        ];
        put("User", &user);
        for order in 0..ORDERS {
            let (number, state) = (order.to_string(), ["O", "P"][order % 2]);
            put(
                "Order",
                &[("userId", &*id), ("orderId", &*number), ("state", state)],
            );
        }
    }
    backend.sync().unwrap();
}

/// The items of the table.
fn count(folder: &Path) -> usize {
    let backend = opened(folder);
    let (mut count, mut after) = (0, None);
    loop {
        let input = ScanInput {
            table_name: Some("Tab".to_owned()),
            exclusive_start_key: after.map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(page) = backend.call(input.into()).unwrap() else {
            panic!("no page")
        };
        count += page.items.unwrap().len();
        after = page.last_evaluated_key;
        if after.is_none() {
            return count;
        }
    }
}

fn opened(folder: &Path) -> Backend {
    let store = StoreOptions::folder(folder.to_owned(), Durability::Buffered);
    Backend::Embedded(Arc::new(Engine::open(EngineOptions::new(store)).unwrap()))
}

/// How a command that may be killed ended: its exit code, where it ended before.
fn killed(place: &Workplace, words: &[&str], after: Duration) -> Option<i32> {
    let both = ["old.keyfold", "new.keyfold", "--at", "keyfold:d", "--json"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(["evolve", words[0]])
        .args(both)
        .args(&words[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let began = Instant::now();
    while began.elapsed() < after && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // SIGKILL: nothing of the process runs any more.
    drop(child.kill());
    child.wait().unwrap().code()
}

/// The word of the gate that the evolution stands at.
fn gate(place: &Workplace) -> Option<String> {
    let words = [
        "evolve",
        "status",
        "old.keyfold",
        "new.keyfold",
        "--at",
        "keyfold:d",
    ];
    let status = place.json(0, &words);
    let is_gate = status["state"] == "gate";
    is_gate.then(|| status["step"].as_str().unwrap().to_owned())
}

/// Carries an evolution to its end, with kills. Returns how many there were.
fn carried(rng: &mut fastrand::Rng, most: u32) -> u32 {
    let place = Workplace::new();
    place.write("old.keyfold", OLD);
    place.write("new.keyfold", NEW);
    fill(&place.folder.path().join("d"));
    let mut kills = 0;
    let mut moment = |kills: u32| match kills < most {
        true => Duration::from_millis(rng.u64(1..MOMENT_MAX)),
        // It is to end at last.
        false => Duration::from_secs(600),
    };
    loop {
        let done = gate(&place);
        let words = match &done {
            Some(word) => vec!["run", "--segments", "2", "--done", word],
            None => vec!["run", "--segments", "2"],
        };
        match killed(&place, &words, moment(kills)) {
            None => kills += 1,
            Some(7) => {}
            Some(0) => break,
            Some(code) => panic!("{words:?} ended with {code}"),
        }
    }
    loop {
        match killed(&place, &["complete", "--yes"], moment(kills)) {
            None => kills += 1,
            // It was complete when the process was killed.
            Some(0 | 4) => break,
            Some(code) => panic!("complete ended with {code}"),
        }
    }
    let verified = place.run(&["verify", "new.keyfold", "--data", "d", "--json"]);
    assert_eq!(verified.status.code(), Some(0), "{verified:?}");
    for (id, open) in [("u0", 2), ("u59", 2)] {
        let id = format!("userId={id}");
        let words = ["run", "new.keyfold", "person", &id, "--data", "d"];
        let found = place.json(0, &words).to_string();
        assert!(found.contains(&format!("\"open\":{open}")), "{found}");
    }
    // The name of each, a card and a guard beside it, and its orders.
    assert_eq!(count(&place.folder.path().join("d")), USERS * (3 + ORDERS));
    kills
}

#[test]
fn a_killed_evolution_goes_on_to_the_right_end() {
    let wanted = std::env::var("EVOLVE_KILLS").ok();
    let wanted: u32 = wanted.map_or(20, |text| text.parse().unwrap());
    let mut rng = fastrand::Rng::with_seed(20);
    let mut kills = 0;
    while kills < wanted {
        kills += carried(&mut rng, (wanted - kills).min(10));
    }
}
