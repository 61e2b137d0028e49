//! Kills `keyfold migrate run`, `switch` and `switch --back` at seeded moments, while a program writes to the side that
//! takes its writes: each write that was taken is on both sides at the end, once, and the counts are right.
//!
//! There are 10 kills; `MIGRATE_KILLS=200` makes more of them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_api::ErrorKind;
use keyfold_client::{Backend, write};
use keyfold_model::Model;
use keyfold_types::Value;
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use workplace::Workplace;
use workplace::server::Server;

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
const SCHEMA: &str = "PRAGMA journal_mode = WAL; CREATE TABLE boxes (id INTEGER PRIMARY KEY); CREATE TABLE lines (box_id INTEGER \
                      NOT NULL REFERENCES boxes (id), number INTEGER NOT NULL, held INTEGER NOT NULL, PRIMARY KEY (box_id, \
                      number)); INSERT INTO boxes VALUES (1), (2), (3)";
/// The longest time, in milliseconds, after which a command is killed.
const MOMENT_MAX: u64 = 2_500;
/// The time between two writes of the program.
const PAUSE: Duration = Duration::from_millis(10);

/// A line, and what it holds; `None` where it was deleted.
type Written = BTreeMap<(i64, i64), Option<i64>>;

/// What the database says of a write.
enum Answer {
    Taken,
    /// It is refused, since programs write elsewhere, or has changed nothing.
    Elsewhere,
    /// Somebody else writes for longer than is waited: nothing is known of who leads.
    Locked,
}

/// A program that finds out who leads by being refused.
struct Program<'p> {
    model: &'p Model,
    rows: Connection,
    items: Backend,
    written: Written,
}

impl Program<'_> {
    /// Writes until it is to stop: what was taken, and how often each side took it.
    fn write(mut self, stop: &AtomicBool) -> (Written, [u32; 2]) {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut taken = [0, 0];
        let mut held = 0;
        while !stop.load(Ordering::Relaxed) {
            std::thread::sleep(PAUSE);
            held += 1;
            let line = (rng.i64(1..4), rng.i64(0..12));
            let due = (rng.u8(0..5) > 0).then_some(held);
            match self.to_rows(line, due) {
                Answer::Taken => taken[0] += 1,
                Answer::Elsewhere if self.to_items(line, due) => taken[1] += 1,
                Answer::Elsewhere | Answer::Locked => continue,
            }
            self.written.insert(line, due);
        }
        (self.written, taken)
    }

    fn to_rows(&self, (of, number): (i64, i64), held: Option<i64>) -> Answer {
        let sql = match held {
            Some(held) => format!(
                "INSERT INTO lines VALUES ({of}, {number}, {held}) ON CONFLICT DO UPDATE SET held = excluded.held"
            ),
            None => format!("DELETE FROM lines WHERE box_id = {of} AND number = {number}"),
        };
        match self.rows.execute(&sql, []) {
            // A statement that changes no row is refused by nobody: the line may be an item already, and no row yet.
            Ok(0) => Answer::Elsewhere,
            Ok(_) => Answer::Taken,
            Err(error) => {
                let said = error.to_string();
                match said.contains("programs write to") {
                    true => Answer::Elsewhere,
                    false if said.contains("locked") => Answer::Locked,
                    false => panic!("{said}"),
                }
            }
        }
    }

    fn to_items(&self, (of, number): (i64, i64), held: Option<i64>) -> bool {
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
                    return false;
                }
                write::delete(&self.items, self.model, line, &values).map(drop)
            }
        };
        match wrote {
            Ok(()) => true,
            Err(error) if error.kind() == Some(ErrorKind::AccessDenied) => false,
            // A line is looked for before it is deleted: nobody has brought it yet, and its tables do not lead.
            Err(error) if error.to_string().starts_with("there is no Line") => false,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The commands of a migration, which are killed.
struct Commands<'c> {
    place: &'c Workplace,
    both: Vec<&'c str>,
    rng: fastrand::Rng,
    kills: u32,
    most: u32,
}

impl Commands<'_> {
    /// Runs a command, and kills it after a time: its exit code, where it ended before.
    fn killed(&mut self, words: &[&str], after: Duration) -> Option<i32> {
        let line = [&["migrate", words[0]], &self.both[..], &words[1..]].concat();
        let mut command = self.place.command(&line);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let began = Instant::now();
        while began.elapsed() < after && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // SIGKILL: nothing of the process runs any more.
        drop(child.kill());
        let code = child.wait().unwrap().code();
        self.kills += u32::from(code.is_none());
        code
    }

    fn moment(&mut self) -> Duration {
        Duration::from_millis(self.rng.u64(1..MOMENT_MAX))
    }

    /// Calls a switch until it is done.
    fn switch(&mut self, words: &[&str]) {
        loop {
            let after = match self.kills < self.most {
                true => self.moment(),
                false => Duration::from_secs(300),
            };
            match self.killed(words, after) {
                None => assert!(after < Duration::from_secs(300), "{words:?} did not end"),
                Some(0) => return,
                Some(code) => panic!("{words:?} ended with {code}"),
            }
        }
    }

    fn done(&self, words: &[&str]) -> serde_json::Value {
        let line = [&["migrate", words[0]], &self.both[..], &words[1..]].concat();
        self.place.json(0, &line)
    }
}

/// What the rows hold.
fn rows(path: &Path) -> Written {
    let rows = Connection::open(path).unwrap();
    let mut all = rows
        .prepare("SELECT box_id, number, held FROM lines")
        .unwrap();
    let all = all.query_map([], |row| {
        Ok(((row.get(0)?, row.get(1)?), Some(row.get(2)?)))
    });
    all.unwrap().map(Result::unwrap).collect()
}

#[test]
fn kills_lose_no_write_of_either_side() {
    let said = std::env::var("MIGRATE_KILLS").ok();
    let most = said.map_or(10, |text| text.parse().unwrap());
    let place = Workplace::new();
    let path = place.folder.path().join("boxes.db");
    let rows_of_program = Connection::open(&path).unwrap();
    rows_of_program.execute_batch(SCHEMA).unwrap();
    rows_of_program
        .busy_timeout(Duration::from_secs(5))
        .unwrap();
    let model_file = place.write("boxes.keyfold", MODEL);
    let server = Server::start(&[&model_file]);
    let both = [
        "boxes.keyfold",
        "--from",
        "sqlite:boxes.db",
        "--at",
        &server.endpoint,
    ];
    let mut commands = Commands {
        place: &place,
        both: both.to_vec(),
        rng: fastrand::Rng::with_seed(47),
        kills: 0,
        most,
    };
    commands.done(&["run", "--once"]);
    let model = keyfold_model::compile(MODEL).model.unwrap();
    let program = Program {
        model: &model,
        rows: rows_of_program,
        items: server.backend(),
        written: Written::new(),
    };
    let stop = AtomicBool::new(false);
    let (written, taken) = std::thread::scope(|scope| {
        let program = scope.spawn(|| program.write(&stop));
        let mut turns = 0;
        while commands.kills < most || turns < 2 {
            for words in [&["switch", "--yes"][..], &["switch", "--back", "--yes"]] {
                let after = commands.moment();
                assert_eq!(
                    commands.killed(&["run"], after),
                    None,
                    "a run ended by itself"
                );
                commands.switch(words);
            }
            turns += 1;
        }
        commands.switch(&["switch", "--yes"]);
        // The tables take writes now, which a run carries at the end.
        std::thread::sleep(PAUSE * 20);
        stop.store(true, Ordering::Relaxed);
        program.join().unwrap()
    });
    assert!(taken[0] > 0 && taken[1] > 0, "{taken:?}");
    commands.done(&["run", "--once"]);
    assert_eq!(commands.done(&["verify"])["differences"], 0);
    let compared = commands.done(&["compare", "--all"])["compared"].clone();
    assert_eq!(compared["different"], 0, "{compared}");
    place.text(&["verify", "boxes.keyfold", "--endpoint", &server.endpoint]);
    let mut due = written;
    due.retain(|_, held| held.is_some());
    assert_eq!(rows(&path), due, "{} kills", commands.kills);
}
