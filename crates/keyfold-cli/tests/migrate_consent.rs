//! What changes who leads, deletes or ends something asks first: without `--yes` and a terminal it does nothing, and on a
//! terminal it does what the answer says.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use rusqlite::Connection;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::Value as Json;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use workplace::Workplace;

const SHOP: &str = "\
model shop 1

table Shop (PK, SK)

entity Customer in Shop
  customerId: int, name: string
  key \"C#{customerId}\" \"C\"
  from customers set customerId = customers.id

pattern customer(customerId) -> Customer
";
const PEOPLE: &str = r#"model people 1
table People (PK, SK)

entity User
  userId: string, town: string
  key "USER#{userId}" "PROFILE"

pattern user(userId) -> User?
"#;
const DATA: [&str; 2] = ["--at", "keyfold:./data"];

/// A command, what it says that it will do, and what it says when it has not done it.
struct Asking<'a> {
    command: Vec<&'a str>,
    will: &'a str,
    not_done: &'a str,
}

/// What a command says to a person at a terminal who answers so, and its exit code.
fn answered(place: &Workplace, answer: &str, command: &[&str]) -> (Option<i32>, String) {
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&screen).unwrap();
    unlockpt(&screen).unwrap();
    let path = ptsname(&screen, Vec::new()).unwrap();
    let mut options = OpenOptions::new();
    let end = options.read(true).write(true);
    let end = end.open(path.to_str().unwrap()).unwrap();
    let mut command = place.command(command);
    command
        .env_remove("COLUMNS")
        .stdin(end.try_clone().unwrap())
        .stdout(Stdio::null())
        .stderr(end);
    let mut child = command.spawn().unwrap();
    // The terminal ends with the last process that holds its other end.
    drop(command);
    let mut screen = File::from(screen);
    screen.write_all(answer.as_bytes()).unwrap();
    let (mut text, mut chunk) = (Vec::new(), [0; 4096]);
    // Linux ends it with an error, others with nothing to read.
    while let Ok(count @ 1..) = screen.read(&mut chunk) {
        text.extend_from_slice(&chunk[..count]);
    }
    let code = child.wait().unwrap().code();
    (code, String::from_utf8_lossy(&text).into_owned())
}

/// Asks without a terminal, with one where the answer is no, and where it is yes: only the last one changes what is there.
fn asks(place: &Workplace, asking: &Asking<'_>, there: impl Fn() -> Json) {
    let Asking {
        command,
        will,
        not_done,
    } = asking;
    let before = there();
    let mut unasked = place.command(command);
    let output = unasked.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{command:?}: {said}");
    let due = format!("{not_done}; --yes begins at once");
    assert!(said.contains(&due), "{command:?}: {said}");
    // Nobody is told what is not done.
    assert!(!said.contains(will), "{command:?}: {said}");
    assert_eq!(there(), before, "{command:?}");
    for answer in ["n\n", "\n"] {
        let (code, said) = answered(place, answer, command);
        assert_eq!(code, Some(1), "{command:?}: {said}");
        for due in [will, "Begin? [y/N]", not_done] {
            assert!(said.contains(due), "{command:?}, {due}: {said}");
        }
        assert_eq!(there(), before, "{command:?}");
    }
    let (code, said) = answered(place, "y\n", command);
    assert_eq!(code, Some(0), "{command:?}: {said}");
    assert!(said.contains(will), "{command:?}: {said}");
    assert_ne!(there(), before, "{command:?}");
}

/// What a migration is, and what both sides hold.
fn stand(place: &Workplace, both: &[&str]) -> Json {
    let status = place.json(0, &[&["migrate", "status"], both].concat());
    let (mut document, mut count) = (Json::Null, 0);
    for id in 1..=3 {
        let id = format!("customerId={id}");
        let get = ["run", "shop.keyfold", "customer", &id, "--data", "data"];
        let output = place.run(&[&get[..], &["--json"]].concat());
        let found: Json = serde_json::from_slice(&output.stdout).unwrap();
        count += u32::from(found["ok"] == true);
        document = serde_json::json!([document, found["result"]["items"]]);
    }
    let rows = Connection::open(place.folder.path().join("shop.db")).unwrap();
    let text = |sql: &str| rows.query_row(sql, [], |row| row.get::<_, Option<String>>(0));
    let names =
        "SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema ORDER BY name)";
    let customers = "SELECT group_concat(name, ' ') FROM (SELECT name FROM customers ORDER BY id)";
    let (names, customers) = (text(names).unwrap(), text(customers).unwrap());
    serde_json::json!([status["state"], document, count, names, customers])
}

#[test]
fn a_migration_asks_before_it_turns_or_ends() {
    let place = Workplace::new();
    place.write("shop.keyfold", SHOP);
    let program = Connection::open(place.folder.path().join("shop.db")).unwrap();
    let rows = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL); INSERT INTO customers VALUES (1, 'Ann')";
    program.execute_batch(rows).unwrap();
    drop(program);
    let from = ["shop.keyfold", "--from", "sqlite:shop.db"];
    let both = [&from[..], &DATA].concat();
    let of = |words: &[&'static str], will, not_done| Asking {
        command: [&["migrate", words[0]], &both[..], &words[1..]].concat(),
        will,
        not_done,
    };
    place.json(0, &[&["migrate", "run"], &both[..], &["--once"]].concat());
    let data = ["--data", "data"];
    let put = [
        "put",
        "shop.keyfold",
        "Customer",
        "customerId=2",
        "name=Bob",
    ];
    place.text(&[&put[..], &data].concat());
    let turned = "nothing was switched";
    let goes_on = "the migration goes on";
    for asking in [
        of(&["verify", "--mend"], "are deleted", "nothing was written"),
        of(&["switch"], "the database refuses writes", turned),
        of(&["switch", "--back"], "the tables refuse writes", turned),
        of(&["complete"], "is not carried any more", goes_on),
        of(
            &["abort"],
            "keeps no changes any more",
            "nothing was given up",
        ),
    ] {
        asks(&place, &asking, || stand(&place, &both));
    }
}

#[test]
fn an_evolution_asks_before_it_ends() {
    let place = Workplace::new();
    place.write("old.keyfold", PEOPLE);
    let copies = "  copy by_town \"TOWN#{town}\" \"USER#{userId}\"\n\npattern users_in(town) -> User.by_town[]\npattern";
    place.write("new.keyfold", &PEOPLE.replace("\npattern", copies));
    let put = ["put", "old.keyfold", "User", "userId=1", "town=Ulm"];
    place.text(&[&put[..], &["--data", "data"]].concat());
    let of = |word: &'static str, more: &[&'static str]| {
        let models = ["evolve", word, "old.keyfold", "new.keyfold"];
        [&models[..], &DATA, more].concat()
    };
    let stand = || place.json(0, &of("status", &[]))["state"].clone();
    place.json(7, &of("run", &[]));
    let abort = Asking {
        command: of("abort", &[]),
        will: "the evolution is given up",
        not_done: "nothing was given up",
    };
    asks(&place, &abort, stand);
    place.json(7, &of("run", &[]));
    place.json(7, &of("run", &["--done", "writers"]));
    place.json(0, &of("run", &["--done", "readers"]));
    let complete = Asking {
        command: of("complete", &[]),
        will: "Begin?",
        not_done: "nothing was deleted",
    };
    asks(&place, &complete, stand);
}
