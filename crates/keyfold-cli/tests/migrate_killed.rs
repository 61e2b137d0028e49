//! Kills `keyfold migrate run`, `switch` and `switch --back`, and the server of the tables, at seeded moments, while a
//! program writes to the side that takes its writes: each write that was taken is on both sides at the end, once, and the
//! counts are right. A run waits for its server; a switch does so, too, or says in a sentence how it goes on.
//!
//! There are 8 kills with each database; `MIGRATE_KILLS=200` makes more of them, and `MIGRATE_SEED=7` others.
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
use keyfold_api::ErrorKind;
use keyfold_client::{Backend, ClientError, write};
use keyfold_model::Model;
use keyfold_types::Value;
use rows::Rows;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Stdio};
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
const SCHEMA: &str = "CREATE TABLE boxes (id INTEGER PRIMARY KEY); CREATE TABLE lines (box_id INTEGER NOT NULL REFERENCES boxes \
                      (id), number INTEGER NOT NULL, held INTEGER NOT NULL, PRIMARY KEY (box_id, number)); INSERT INTO boxes \
                      VALUES (1), (2), (3)";
/// The longest time, in milliseconds, after which a command is killed.
const MOMENT_MAX: u64 = 2_500;
/// A command ends within this time, also where its server is away.
const ENDS: Duration = Duration::from_secs(300);
/// The longest time, in milliseconds, for which a server is away.
const AWAY_MAX: u64 = 1_500;
/// The time between two writes of the program.
const PAUSE: Duration = Duration::from_millis(10);

/// A line, and what it holds; `None` where it was deleted.
type Written = BTreeMap<(i64, i64), Option<i64>>;

/// What a side says of a write.
enum Answer {
    Taken,
    /// It is refused, since programs write elsewhere, or has changed nothing.
    Elsewhere,
    /// It was not asked: somebody else writes for longer than is waited, or its server is away.
    Unasked,
    /// The answer is lost.
    Unknown,
}

/// A program that finds out who leads by being refused.
struct Program<'p> {
    model: &'p Model,
    rows: Box<dyn Rows>,
    items: Backend,
    written: Written,
    /// What lines may hold instead, since an answer was lost.
    unsure: BTreeMap<(i64, i64), BTreeSet<Option<i64>>>,
}

impl Program<'_> {
    /// Writes until it is to stop: how often each side took what it wrote.
    fn write(&mut self, stop: &AtomicBool) -> [u32; 2] {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut taken = [0, 0];
        let mut held = 0;
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
            held += 1;
            let line = (rng.i64(1..4), rng.i64(0..12));
            let due = (rng.u8(0..5) > 0).then_some(held);
            let (side, answer) = match self.to_rows(line, due) {
                Answer::Elsewhere => (1, self.to_items(line, due)),
                answer @ (Answer::Taken | Answer::Unasked | Answer::Unknown) => (0, answer),
            };
            match answer {
                Answer::Taken => {
                    taken[side] += 1;
                    self.written.insert(line, due);
                    self.unsure.remove(&line);
                }
                Answer::Unknown => drop(self.unsure.entry(line).or_default().insert(due)),
                Answer::Elsewhere | Answer::Unasked => {}
            }
        }
        taken
    }

    /// Checks that lines hold what was written last, or what was sent since and not answered.
    fn check(&self, held: &Written) {
        let none = BTreeSet::new();
        let mut lines: BTreeSet<_> = held.keys().chain(self.written.keys()).collect();
        lines.extend(self.unsure.keys());
        for line in lines {
            let held = held.get(line).copied().flatten();
            let last = self.written.get(line).copied().flatten();
            let unsure = self.unsure.get(line).unwrap_or(&none);
            assert!(
                held == last || unsure.contains(&held),
                "{line:?} holds {held:?}, and not {last:?} or one of {unsure:?}"
            );
        }
    }

    fn to_rows(&self, (of, number): (i64, i64), held: Option<i64>) -> Answer {
        let sql = match held {
            Some(held) => format!(
                "INSERT INTO lines VALUES ({of}, {number}, {held}) ON CONFLICT (box_id, number) DO UPDATE SET held = excluded.held"
            ),
            None => format!("DELETE FROM lines WHERE box_id = {of} AND number = {number}"),
        };
        match self.rows.execute(&sql) {
            // A statement that changes no row is refused by nobody: the line may be an item already, and no row yet.
            Ok(0) => Answer::Elsewhere,
            Ok(_) => Answer::Taken,
            Err(said) if said.contains("keyfold migrate has switched") => Answer::Elsewhere,
            Err(said) if said.contains("locked") => Answer::Unasked,
            Err(said) => panic!("{said}"),
        }
    }

    fn to_items(&self, (of, number): (i64, i64), held: Option<i64>) -> Answer {
        let line = self.model.entity("Line").unwrap();
        let mut values: BTreeMap<String, Value> = BTreeMap::new();
        values.insert("boxId".to_owned(), of.into());
        values.insert("number".to_owned(), number.into());
        let wrote = match held {
            Some(held) => {
                values.insert("held".to_owned(), held.into());
                write::put(&self.items, self.model, line, &values).map(drop)
            }
            None => {
                let known = self.written.get(&(of, number));
                if known.is_none_or(Option::is_none) {
                    return Answer::Elsewhere;
                }
                write::delete(&self.items, self.model, line, &values).map(drop)
            }
        };
        match wrote {
            Ok(()) => Answer::Taken,
            Err(ClientError::OutcomeUnknown { .. }) => Answer::Unknown,
            Err(ClientError::Transport(_) | ClientError::TimedOut(_)) => Answer::Unasked,
            Err(error) if error.kind() == Some(ErrorKind::AccessDenied) => Answer::Elsewhere,
            // A line is looked for before it is deleted: nobody has brought it yet, and its tables do not lead.
            Err(error) if error.to_string().starts_with("there is no Line") => Answer::Elsewhere,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Lets programs stop, also where the test fails.
struct Stops<'s>(&'s AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kill {
    Command,
    Server,
}

/// How a command ended.
struct Ended {
    /// None where it was killed.
    code: Option<i32>,
    said: String,
    was_away: bool,
}

/// The commands of a migration, which are killed, or their server.
struct Commands<'c> {
    place: &'c Workplace,
    server: Kept,
    from: String,
    rng: fastrand::Rng,
    kills: u32,
    most: u32,
}

impl Commands<'_> {
    fn line<'w>(&'w self, words: &[&'w str]) -> Vec<&'w str> {
        let both = ["boxes.keyfold", "--from", &self.from, "--at"];
        let command = ["migrate", words[0]];
        [
            &command[..],
            &both,
            &[self.server.endpoint.as_str()],
            &words[1..],
        ]
        .concat()
    }

    fn begun(&self, words: &[&str]) -> Child {
        let mut command = self.place.command(&self.line(words));
        let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// What is killed next, where something is to be.
    fn kill(&mut self) -> Option<Kill> {
        (self.kills < self.most).then(|| match self.rng.u8(0..5) {
            0 | 1 => Kill::Server,
            _ => Kill::Command,
        })
    }

    /// Runs a command that ends by itself. It, or its server, is killed after a time.
    fn run(&mut self, words: &[&str]) -> Ended {
        let kill = self.kill();
        let mut child = self.begun(words);
        if kill.is_some() {
            waits(&mut child, self.moment());
        }
        let is_over = child.try_wait().unwrap().is_some();
        let was_away = kill == Some(Kill::Server);
        match kill {
            // SIGKILL: nothing of the process runs any more.
            Some(Kill::Command) => drop(child.kill()),
            Some(Kill::Server) => self.restart(),
            None => {}
        }
        self.kills += u32::from(kill.is_some() && !is_over);
        assert!(waits(&mut child, ENDS), "{words:?} did not end");
        ended(child, was_away)
    }

    /// Begins a run, which is killed at last. It ends before where its server was away when it began, if at all.
    fn run_for_a_while(&mut self) {
        let kill = self.kill();
        let was_away = kill == Some(Kill::Server);
        let mut child = self.begun(&["run"]);
        let mut is_over = waits(&mut child, self.moment());
        assert!(!is_over, "a run ended by itself");
        if was_away {
            self.restart();
            is_over = waits(&mut child, self.moment());
        }
        self.kills += u32::from(kill.is_some());
        drop(child.kill());
        let ended = ended(child, was_away);
        if is_over {
            self.goes_on(&["run"], &ended);
        }
    }

    /// Checks what a command says that ended since its server was away.
    fn goes_on(&self, words: &[&str], ended: &Ended) {
        let Ended {
            code,
            said,
            was_away,
        } = ended;
        assert!(*code == Some(5) && *was_away, "{words:?}: {code:?}, {said}");
        let target = format!("the target {} ", self.server.endpoint);
        assert!(said.contains(&target), "{said}");
        assert!(said.contains("the same command goes on"), "{said}");
    }

    fn restart(&mut self) {
        let away = self.rng.u64(0..AWAY_MAX);
        self.server.restart(Duration::from_millis(away));
    }

    fn moment(&mut self) -> Duration {
        Duration::from_millis(self.rng.u64(1..MOMENT_MAX))
    }

    /// Calls a switch until it is done.
    fn switch(&mut self, words: &[&str]) {
        loop {
            let ended = self.run(words);
            match ended.code {
                None => {}
                Some(0) => return,
                Some(_) => self.goes_on(words, &ended),
            }
        }
    }

    fn done(&self, words: &[&str]) -> serde_json::Value {
        self.place.json(0, &self.line(words))
    }
}

/// Waits until a command ends, up to some time: whether it has.
fn waits(child: &mut Child, most: Duration) -> bool {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() >= most {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

/// How a command that is over has ended.
fn ended(child: Child, was_away: bool) -> Ended {
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code(),
        said: String::from_utf8_lossy(&output.stderr).into_owned(),
        was_away,
    }
}

/// Kills what carries a migration of a database with the tables of [`SCHEMA`], while a program writes.
fn is_killed(place: &Workplace, from: &str, rows: Box<dyn Rows>) {
    let said =
        |name: &str, usual: u32| std::env::var(name).map_or(usual, |text| text.parse().unwrap());
    let model_file = place.write("boxes.keyfold", MODEL);
    let server = Kept::start(&place.folder.path().join("data"), &[&model_file]);
    let model = keyfold_model::compile(MODEL).model.unwrap();
    let mut program = Program {
        model: &model,
        rows,
        items: server.backend(),
        written: Written::new(),
        unsure: BTreeMap::new(),
    };
    let mut commands = Commands {
        place,
        server,
        from: from.to_owned(),
        rng: fastrand::Rng::with_seed(said("MIGRATE_SEED", 47).into()),
        kills: 0,
        most: said("MIGRATE_KILLS", 8),
    };
    commands.done(&["run", "--once"]);
    let stop = AtomicBool::new(false);
    let taken = std::thread::scope(|scope| {
        let writing = scope.spawn(|| program.write(&stop));
        let stops = Stops(&stop);
        let mut turns = 0;
        while commands.kills < commands.most || turns < 2 {
            for words in [&["switch", "--yes"][..], &["switch", "--back", "--yes"]] {
                commands.run_for_a_while();
                commands.switch(words);
            }
            turns += 1;
        }
        commands.switch(&["switch", "--yes"]);
        // The tables take writes now, which a run carries at the end.
        std::thread::sleep(PAUSE * 20);
        drop(stops);
        writing.join().unwrap()
    });
    assert!(taken[0] > 0 && taken[1] > 0, "{taken:?}");
    commands.done(&["run", "--once"]);
    assert_eq!(commands.done(&["verify"])["differences"], 0);
    let compared = commands.done(&["compare", "--all"])["compared"].clone();
    assert_eq!(compared["different"], 0, "{compared}");
    let endpoint = &commands.server.endpoint;
    place.text(&["verify", "boxes.keyfold", "--endpoint", endpoint]);
    let lines = program
        .rows
        .numbers("SELECT box_id, number, held FROM lines");
    let lines = lines
        .into_iter()
        .map(|line| ((line[0], line[1]), Some(line[2])));
    program.check(&lines.collect());
}

#[test]
fn kills_lose_no_write_of_either_side() {
    let place = Workplace::new();
    let program = Connection::open(place.folder.path().join("boxes.db")).unwrap();
    program
        .execute_batch(&format!("PRAGMA journal_mode = WAL; {SCHEMA}"))
        .unwrap();
    program.busy_timeout(Duration::from_secs(5)).unwrap();
    is_killed(&place, "sqlite:boxes.db", Box::new(program));
}

#[test]
fn kills_lose_no_write_of_postgres_and_the_tables() {
    let database = support::Server::start();
    let program = database.connect("postgres");
    program.must(SCHEMA);
    let from = database.name("postgres");
    is_killed(&Workplace::new(), &from, Box::new(program));
}
