//! Kills `keyfold evolve run` and `complete` at seeded moments of their work: what is stored at the end is what
//! the new model stores, nothing is lost, and nothing is left over.
//!
//! There are 20 kills; `EVOLVE_KILLS=200` makes more of them. A second evolution is killed where so many of its items
//! are written, beside a program that goes on to write, in the version that may run.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod workplace;

use keyfold_api::{Response, ScanInput};
use keyfold_client::read::{self, Pages};
use keyfold_client::{Backend, PageRequest, arguments, tables, write};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use workplace::Workplace;
use workplace::server::Server;

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

const FOLDER: &str = "keyfold:d";
const USERS: usize = 60;
const ORDERS: usize = 3;
/// The longest time, in milliseconds, after which a run is killed.
const MOMENT_MAX: u64 = 500;

fn fill(folder: &Path) {
    let backend = opened(folder);
    fill_through(&backend, OLD);
    backend.sync().unwrap();
}

fn fill_through(backend: &Backend, text: &str) {
    let model = keyfold_model::compile(text).model.unwrap();
    tables::ensure(backend, &model).unwrap();
    let put = |entity: &str, given: &[(&str, &str)]| {
        let entity = model.entity(entity).unwrap();
        let given = given
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let values = arguments::of_entity(entity, &given.collect()).unwrap();
        write::put(backend, &model, entity, &values).unwrap();
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
}

/// The items of the table that have an attribute.
fn count(backend: &Backend, attribute: &str) -> usize {
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
        let items = page.items.unwrap();
        count += items
            .iter()
            .filter(|item| item.to_item().get(attribute).is_some())
            .count();
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

/// How a command that is killed when something holds ended: its exit code, where it ended before.
fn killed(
    (place, at): (&Workplace, &str),
    words: &[&str],
    is_due: &mut dyn FnMut() -> bool,
) -> Option<i32> {
    let both = ["old.keyfold", "new.keyfold", "--at", at, "--json"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyfold"))
        .current_dir(place.folder.path())
        .args(["evolve", words[0]])
        .args(both)
        .args(&words[1..])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && !is_due() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // SIGKILL: nothing of the process runs any more.
    drop(child.kill());
    child.wait().unwrap().code()
}

/// Whether a time has passed.
fn passed(after: Duration) -> impl FnMut() -> bool {
    let began = Instant::now();
    move || began.elapsed() >= after
}

fn status(place: &Workplace, at: &str) -> Json {
    let words = ["evolve", "status", "old.keyfold", "new.keyfold", "--at", at];
    place.json(0, &words)
}

/// The word of the gate that the evolution stands at.
fn gate(place: &Workplace, at: &str) -> Option<String> {
    let status = status(place, at);
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
        let done = gate(&place, FOLDER);
        let words = match &done {
            Some(word) => vec!["run", "--segments", "2", "--done", word],
            None => vec!["run", "--segments", "2"],
        };
        match killed((&place, FOLDER), &words, &mut passed(moment(kills))) {
            None => kills += 1,
            Some(7) => {}
            Some(0) => break,
            Some(code) => panic!("{words:?} ended with {code}"),
        }
    }
    loop {
        match killed(
            (&place, FOLDER),
            &["complete", "--yes"],
            &mut passed(moment(kills)),
        ) {
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
    let folder = opened(&place.folder.path().join("d"));
    assert_eq!(count(&folder, "PK"), USERS * (3 + ORDERS));
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

/// Two versions, of which the writers of the new one go on while the items are written.
const BEFORE: &str = "\
model m 1
table Tab (PK, SK) type kind

entity User
  userId: string, email: string, first: string, last: string
  key    \"USER#{userId}\" \"PROFILE\"
  copy   mail \"MAIL#{email}\" \"{userId}\" only userId, email

entity Order
  userId: User.userId, orderId: int, state: O | P
  key    \"USER#{userId}\" \"ORDER#{orderId:04}\"

pattern user(userId) -> User?
pattern orders(userId) -> Order[]
";

const AFTER: &str = "\
model m 2
table Tab (PK, SK) type kind
  gsi ByState (GPK, GSK)

entity User
  userId: string, email: string, first: string, last: string, name: string was \"{first} {last}\"
  key    \"USER#{userId}\" \"PROFILE\"
  copy   card \"CARD#{last}\" \"{userId}\" only userId, last, name
  unique email

entity Order
  userId: User.userId, orderId: int, state: O | P
  key      \"USER#{userId}\" \"ORDER#{orderId:04}\"
  ByState  \"STATE#{state}\" \"{orderId:04}#{userId}\"

pattern user(userId) -> User?
pattern orders(userId) -> Order[]
pattern orders_of(state) -> Order[]
";

/// The most units a second of the run that is killed, so that it is met where its items are written.
const RATE: &str = "250";

/// A program of the application, in the version that `status` says may run.
struct Application<'a> {
    place: &'a Workplace,
    at: &'a str,
    backend: Backend,
    models: [Model; 2],
    /// Where the evolution stood when it last looked: a gate, or how it is else.
    seen: Mutex<String>,
    stops: AtomicBool,
}

/// What an application was answered: the email and the last name that it wrote of each user, and its writes in each
/// version.
#[derive(Default)]
struct Acknowledged {
    users: BTreeMap<String, [String; 2]>,
    writes: [u32; 2],
}

impl Application<'_> {
    /// Writes and reads what it wrote, until it is to stop. Nothing that it does may fail.
    fn run(&self) -> Acknowledged {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut done = Acknowledged::default();
        let (mut writer, mut readers) = (0, vec![0]);
        while !self.stops.load(Ordering::SeqCst) {
            let status = status(self.place, self.at);
            // Before the evolution, and after it, there is nothing to follow.
            if let Some(may) = status["mayRun"].as_str() {
                writer = usize::from(may.contains("new writers"));
                assert!(writer == 1 || may.contains("old writers"), "{status}");
                let versions = ["old readers", "new readers"].into_iter().enumerate();
                let versions = versions.filter(|(_, one)| may.contains(one));
                readers = versions.map(|(version, _)| version).collect();
            }
            let stands = match status["state"].as_str().unwrap() {
                "gate" => status["step"].as_str().unwrap(),
                state => state,
            };
            stands.clone_into(&mut self.seen.lock().unwrap());
            for _ in 0..4 {
                let id = self.write(writer, &mut rng, &mut done);
                for reader in &readers {
                    let found = self.read(*reader, &id);
                    assert_eq!(found[..2], done.users[&id], "{id}, by {reader}: {status}");
                }
            }
        }
        done
    }

    /// Waits until it has seen where the evolution stands: what may not run behind it has stopped.
    fn has_seen(&self, stands: &str) {
        while *self.seen.lock().unwrap() != stands {
            assert!(
                !self.stops.load(Ordering::SeqCst),
                "the application has ended"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Writes a user, and returns which.
    fn write(&self, version: usize, rng: &mut fastrand::Rng, done: &mut Acknowledged) -> String {
        let model = &self.models[version];
        let entity = model.entity("User").unwrap();
        let id = format!("u{}", rng.usize(0..USERS + 10));
        let known = done.users.get(&id).cloned();
        let email = format!("{id}@{}.example.com", done.writes[0] + done.writes[1]);
        let last = format!("L{}", rng.u8(0..20));
        let is_update = known.is_some() && rng.bool();
        let mut given = BTreeMap::from([("userId", id.clone()), ("email", email.clone())]);
        let wanted = match known {
            Some([_, last]) if is_update => [email, last],
            _ => [email, last],
        };
        if !is_update {
            given.insert("first", "Eve".to_owned());
            given.insert("last", wanted[1].clone());
            if version == 1 {
                given.insert("name", format!("Eve {}", wanted[1]));
            }
        }
        let given = given
            .into_iter()
            .map(|(name, text)| (name.to_owned(), text));
        let given = given.collect();
        let wrote = match is_update {
            true => {
                let values = arguments::some_of_entity(entity, &given).unwrap();
                write::update(&self.backend, model, entity, &values, &[])
            }
            false => {
                let values = arguments::of_entity(entity, &given).unwrap();
                write::put(&self.backend, model, entity, &values)
            }
        };
        wrote.unwrap_or_else(|error| panic!("version {version} wrote {given:?}: {error}"));
        done.users.insert(id.clone(), wanted);
        done.writes[version] += 1;
        id
    }

    /// The email and the last name of a user, and its name, where the version has it.
    fn read(&self, version: usize, id: &str) -> Vec<String> {
        let model = &self.models[version];
        let pattern = model.pattern("user").unwrap();
        let given = BTreeMap::from([("userId".to_owned(), id.to_owned())]);
        let values = arguments::of_pattern(pattern, &given).unwrap();
        let first = PageRequest::default();
        let found = read::run(&self.backend, model, pattern, &values, &first, Pages::All).unwrap();
        let user = &found.items[0];
        let shown = |name: &&str| {
            let mut all = user.attributes.iter();
            let (_, held) = all.find(|(own, _)| own == name)?;
            Some(keyfold_model::value::display(held))
        };
        ["email", "last", "name"].iter().filter_map(shown).collect()
    }
}

/// Runs the evolution to its end beside an application, and kills it where so many orders are in the new form.
/// Returns the kills.
fn carried_beside(application: &Application<'_>, places: &[usize]) -> usize {
    let place = (application.place, application.at);
    let (mut kills, mut places) = (0, places.iter().copied());
    let mut due = places.next();
    loop {
        let done = gate(application.place, application.at);
        let mut words = vec!["run", "--rate", RATE, "--segments", "2"];
        if let Some(word) = &done {
            application.has_seen(word);
            words.extend(["--done", word]);
        }
        let mut is_due = || {
            std::thread::sleep(Duration::from_millis(10));
            due.is_some_and(|due| count(&application.backend, "GPK") >= due)
        };
        match killed(place, &words, &mut is_due) {
            None => {
                kills += 1;
                due = places.next();
            }
            Some(7) => {}
            Some(0) => break,
            Some(code) => panic!("{words:?} ended with {code}"),
        }
    }
    application.has_seen("ready");
    let complete = ["complete", "--yes"];
    let mut is_due = || count(&application.backend, "PK") < USERS * (4 + ORDERS) - 10;
    if killed(place, &complete, &mut is_due).is_none() {
        kills += 1;
        let code = killed(place, &complete, &mut || false);
        assert!(matches!(code, Some(0 | 4)), "complete ended with {code:?}");
    }
    kills
}

/// An application that runs in the version that `status` names writes and reads without an error, whatever is killed,
/// and nothing of what it was answered is lost.
#[test]
fn an_application_goes_on_beside_an_evolution_that_is_killed() {
    let place = Workplace::new();
    place.write("old.keyfold", BEFORE);
    place.write("new.keyfold", AFTER);
    let server = Server::start(&[]);
    fill_through(&server.backend(), BEFORE);
    let model = |text| keyfold_model::compile(text).model.unwrap();
    let application = Application {
        place: &place,
        at: &server.endpoint,
        backend: server.backend(),
        models: [model(BEFORE), model(AFTER)],
        seen: Mutex::default(),
        stops: AtomicBool::new(false),
    };
    let mut rng = fastrand::Rng::with_seed(8);
    let mut places: Vec<usize> = (0..5).map(|_| rng.usize(1..USERS * ORDERS)).collect();
    places.sort_unstable();
    let (kills, done) = std::thread::scope(|scope| {
        let running = scope.spawn(|| {
            let ended = Ends(&application.stops);
            let done = application.run();
            drop(ended);
            done
        });
        let ended = Ends(&application.stops);
        let kills = carried_beside(&application, &places);
        drop(ended);
        (kills, running.join().unwrap())
    });
    assert!(kills >= 3, "{kills} kills at {places:?}");
    let [old, new] = done.writes;
    assert!(old > 0 && new > 10, "{old} and {new} writes");
    place.json(
        0,
        &["verify", "new.keyfold", "--endpoint", &server.endpoint],
    );
    for (id, [email, last]) in &done.users {
        let name = format!("Eve {last}");
        assert_eq!(
            application.read(1, id),
            [email, last, &name].map(String::clone),
            "{id}"
        );
    }
    let untouched = (0..USERS).map(|user| (user, format!("u{user}")));
    for (user, id) in untouched.filter(|(_, id)| !done.users.contains_key(id)) {
        let (email, name) = (format!("{user}@example.com"), format!("Ada {id}"));
        assert_eq!(application.read(1, &id), [email, id.clone(), name], "{id}");
    }
    // Each has a card and a guard beside it, and the copies that only the old version had are gone.
    let users = (0..USERS).map(|user| format!("u{user}"));
    let users: BTreeSet<String> = users.chain(done.users.into_keys()).collect();
    let items = count(&application.backend, "PK");
    assert_eq!(items, users.len() * 3 + USERS * ORDERS);
}

/// Says that the application is to end, also where a test fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
