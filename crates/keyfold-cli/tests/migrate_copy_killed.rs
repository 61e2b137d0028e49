//! Kills the first `keyfold migrate run`, and the server of the tables, at seeded moments of the copy, while a program
//! changes rows: every row is an item at the end, once and as it is, and little is read again.
//!
//! There are 6 kills with each database; `MIGRATE_KILLS=50` makes more of them, and `MIGRATE_SEED=7` others.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    reason = "a test fails by panicking, and takes what it needs of the servers of others"
)]

mod kept;
mod rows;
#[path = "../../keyfold-relational/tests/support/mod.rs"]
mod support;
mod workplace;

use kept::Kept;
use keyfold_api::{GetItemInput, Response, ScanInput};
use keyfold_client::Backend;
use keyfold_types::{Item, Value};
use rows::Rows;
use rusqlite::Connection;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use workplace::Workplace;

const MODEL: &str = "\
model boxes 1

table Boxes (PK, SK)

entity Box in Boxes
  boxId: int, lines: int
  key \"B#{boxId}\" \"BOX\"
  count lines of Line
  from boxes set boxId = boxes.id

entity Line in Boxes
  boxId: Box.boxId, number: int, held: int
  key \"B#{boxId}\" \"L#{number:04}\"
  from lines set boxId = lines.box_id

pattern lines(boxId) -> Box + Line[]
";
const BOXES: u64 = 200;
/// The lines of each box.
const LINES: u64 = 60;
const ROWS: u64 = BOXES * (1 + LINES);
/// The rows of a page of the copy.
const PAGE: u64 = 4_000;
/// The longest time, in milliseconds, behind the beginning of a run after which something is killed.
const MOMENT_MAX: u64 = 700;

/// What lines hold.
type Held = BTreeMap<(i64, i64), i64>;

/// Statements that make the tables, and fill them.
fn filled() -> String {
    let numbers = |most: u64| {
        format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {most}) SELECT"
        )
    };
    format!(
        "CREATE TABLE boxes (id INTEGER PRIMARY KEY); CREATE TABLE lines (box_id INTEGER NOT NULL REFERENCES boxes (id), number
         INTEGER NOT NULL, held INTEGER NOT NULL, PRIMARY KEY (box_id, number)); INSERT INTO boxes {} n FROM n; INSERT INTO
         lines {} id, n, 0 FROM boxes, n",
        numbers(BOXES),
        numbers(LINES)
    )
}

/// Changes and deletes rows until it is to stop.
fn change(rows: &dyn Rows, stop: &AtomicBool) {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut held = 0;
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(5));
        held += 1;
        let (of, number) = (rng.u64(1..=BOXES), rng.u64(1..=LINES));
        let line = format!("WHERE box_id = {of} AND number = {number}");
        let sql = match rng.u8(0..5) {
            0 => format!("DELETE FROM lines {line}"),
            _ => format!("UPDATE lines SET held = {held} {line}"),
        };
        rows.execute(&sql).unwrap();
    }
}

/// How far a migration is, as its row says: the number of its run, what it does, and the rows that are copied.
#[derive(Debug, Default)]
struct Stand {
    fence: u64,
    phase: String,
    copied: u64,
}

fn stand(backend: &Backend) -> Stand {
    let get = GetItemInput {
        table_name: Some("keyfold_migrations".to_owned()),
        key: Some(Ok(Item::from_iter([("part", "boxes")]))),
        consistent_read: Some(true),
        ..GetItemInput::default()
    };
    // Nothing is there before the first run.
    let Ok(Response::GetItem(output)) = backend.call(get.into()) else {
        return Stand::default();
    };
    let Some(item) = output.item else {
        return Stand::default();
    };
    let item = item.to_item();
    let number = |name: &str| match item.get(name) {
        Some(Value::N(number)) => number.to_string().parse().unwrap(),
        _ => 0,
    };
    Stand {
        fence: number("fence"),
        phase: match item.get("phase") {
            Some(Value::S(phase)) => phase.clone(),
            _ => String::new(),
        },
        copied: number("rows"),
    }
}

/// Lets a program stop, also where the test fails.
struct Stops<'s>(&'s AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A migration whose first run is killed, or its server.
struct World<'w> {
    place: &'w Workplace,
    from: &'w str,
    server: Kept,
    backend: Backend,
    rng: fastrand::Rng,
    /// How many runs were under way in the copy when something was killed.
    in_copy: u32,
}

impl World<'_> {
    fn line<'w>(&'w self, words: &[&'w str]) -> Vec<&'w str> {
        let both = ["boxes.keyfold", "--from", self.from, "--at"];
        let command = ["migrate", words[0]];
        [
            &command[..],
            &both,
            &[self.server.endpoint.as_str()],
            &words[1..],
        ]
        .concat()
    }

    /// Begins a run, and waits until it has the migration and some time longer.
    fn begun(&mut self) -> Child {
        let before = stand(&self.backend).fence;
        let mut command = self.place.command(&self.line(&["run", "--json"]));
        let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let began = Instant::now();
        while stand(&self.backend).fence == before {
            assert!(child.try_wait().unwrap().is_none(), "a run ended");
            assert!(began.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(5));
        }
        self.pause();
        self.in_copy += u32::from(stand(&self.backend).phase == "copy");
        child
    }

    fn pause(&mut self) {
        let most = self.rng.u64(1..MOMENT_MAX);
        std::thread::sleep(Duration::from_millis(most));
    }

    fn run_killed(&mut self) {
        let mut child = self.begun();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Kills the server of a run, which waits for it, and goes on. Then it is asked to end.
    fn server_killed(&mut self) {
        let before = stand(&self.backend).copied;
        let mut child = self.begun();
        let away = self.rng.u64(0..1_000);
        self.server.restart(Duration::from_millis(away));
        self.pause();
        assert!(child.try_wait().unwrap().is_none(), "a run ended by itself");
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{out}");
        let document: Json = serde_json::from_str(out.lines().last().unwrap()).unwrap();
        let result = &document["result"];
        assert_eq!(result["state"], "stopped", "{document}");
        let copied = stand(&self.backend).copied - before;
        // A page is read while the one before is written: both are read again by the next run, and no other one.
        self.reads_at_most(&result["counted"], copied + 2 * PAGE);
    }

    /// Checks how many rows a run has read, beside those that have changed.
    fn reads_at_most(&self, counted: &Json, most: u64) {
        let of = |name: &str| counted[name].as_u64().unwrap();
        let (rows, changes) = (of("rows"), of("changes"));
        assert!(rows <= most + changes, "{counted}, and not {most}");
    }
}

/// The lines of the rows, and of the items, whose boxes must count them.
fn both(rows: &dyn Rows, backend: &Backend) -> [Held; 2] {
    let lines = rows.numbers("SELECT box_id, number, held FROM lines");
    let lines = lines.into_iter().map(|line| ((line[0], line[1]), line[2]));
    let rows: Held = lines.collect();
    let (mut items, mut counted) = (Held::new(), BTreeMap::new());
    for item in scanned(backend) {
        let number = |name: &str| match item.get(name) {
            Some(Value::N(number)) => number.to_string().parse::<i64>().unwrap(),
            other => panic!("{name}: {other:?}"),
        };
        let of = number("boxId");
        match item.get("SK") {
            Some(Value::S(kind)) if kind == "BOX" => drop(counted.insert(of, number("lines"))),
            _ => drop(items.insert((of, number("number")), number("held"))),
        }
    }
    let mut due: BTreeMap<i64, i64> = (1..).take(BOXES as usize).map(|of| (of, 0)).collect();
    for (of, _) in items.keys() {
        *due.get_mut(of).unwrap() += 1;
    }
    assert_eq!(counted, due);
    [rows, items]
}

fn scanned(backend: &Backend) -> Vec<Item> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let scan = ScanInput {
            table_name: Some("Boxes".to_owned()),
            consistent_read: Some(true),
            exclusive_start_key: after.take().map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(output) = backend.call(scan.into()).unwrap() else {
            panic!("no scan")
        };
        let items = output.items.unwrap_or_default();
        all.extend(items.into_iter().map(|item| item.to_item()));
        match output.last_evaluated_key {
            Some(key) => after = Some(key),
            None => return all,
        }
    }
}

/// Kills the first run of a migration of a database that is filled, while a program changes rows.
fn is_killed(place: &Workplace, from: &str, program: &dyn Rows, writing: Box<dyn Rows>) {
    let said =
        |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let model = place.write("boxes.keyfold", MODEL);
    let server = Kept::start(&place.folder.path().join("data"), &[&model]);
    let mut world = World {
        backend: server.backend(),
        place,
        from,
        server,
        rng: fastrand::Rng::with_seed(said("MIGRATE_SEED", 1)),
        in_copy: 0,
    };
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || change(writing.as_ref(), stop));
        let stops = Stops(stop);
        for at in 0..said("MIGRATE_KILLS", 6) {
            match at % 2 {
                0 => world.run_killed(),
                _ => world.server_killed(),
            }
        }
        drop(stops);
    });
    assert!(world.in_copy > 0, "nothing was killed in the copy");
    let copied = stand(&world.backend).copied;
    assert!(copied <= ROWS, "{copied} rows are copied, of {ROWS}");
    let done = place.json(0, &world.line(&["run", "--once"]));
    world.reads_at_most(&done["counted"], ROWS - copied);
    assert_eq!(stand(&world.backend).phase, "follow");
    let verified = place.json(0, &world.line(&["verify"]));
    assert_eq!(verified["differences"], 0);
    let endpoint = &world.server.endpoint;
    place.text(&["verify", "boxes.keyfold", "--endpoint", endpoint]);
    let [rows, items] = both(program, &world.backend);
    assert_eq!(rows, items);
    assert!(rows.values().any(|held| *held > 0) && rows.len() < (BOXES * LINES) as usize);
}

#[test]
fn kills_in_the_copy_lose_and_double_nothing() {
    let place = Workplace::new();
    let open = || {
        let program = Connection::open(place.folder.path().join("boxes.db")).unwrap();
        program.busy_timeout(Duration::from_secs(30)).unwrap();
        program
    };
    let program = open();
    let sql = format!("PRAGMA journal_mode = WAL; {}", filled());
    program.execute_batch(&sql).unwrap();
    is_killed(&place, "sqlite:boxes.db", &program, Box::new(open()));
}

#[test]
fn kills_in_the_copy_of_postgres_lose_and_double_nothing() {
    let database = support::Server::start();
    let program = database.connect("postgres");
    program.must(&filled());
    let other = Box::new(database.connect("postgres"));
    let from = database.name("postgres");
    is_killed(&Workplace::new(), &from, &program, other);
}
