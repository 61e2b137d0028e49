//! What goes wrong with a migration, as the command says it: what differs, who leads, and what helps then.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod workplace;

use keyfold_client::tables::names;
use rusqlite::Connection;
use serde_json::Value as Json;
use workplace::Workplace;
use workplace::server::Server;

const MODEL: &str = "\
model shop 1

table Shop (PK, SK)

entity Customer in Shop
  customerId: int, name: string, note: string?
  key \"C#{customerId}\" \"C\"
  from customers set customerId = customers.id

pattern customer(customerId) -> Customer
";
const BOTH: [&str; 5] = [
    "shop.keyfold",
    "--from",
    "sqlite:shop.db",
    "--at",
    "keyfold:./data",
];

/// A folder with the model and a database of two customers.
fn shop() -> (Workplace, Connection) {
    let place = Workplace::new();
    place.write("shop.keyfold", MODEL);
    let program = Connection::open(place.folder.path().join("shop.db")).unwrap();
    let rows = "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, note TEXT); INSERT INTO customers \
                VALUES (1, 'Ann', 'a'), (2, 'Bob', NULL)";
    program.execute_batch(rows).unwrap();
    (place, program)
}

fn migrate(place: &Workplace, code: i32, words: &[&str]) -> Json {
    let line = [&["migrate", words[0]], &BOTH[..], &words[1..]].concat();
    place.json(code, &line)
}

fn message(place: &Workplace, code: i32, words: &[&str]) -> String {
    let said = migrate(place, code, words);
    said["error"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_over_or_was_never_begun_is_said() {
    let (place, _program) = shop();
    // The place is there, and holds nothing.
    place.text(&["tables", "shop.keyfold", "--data", "data"]);
    let none = "there is no migration";
    for words in [["complete", "--yes"], ["abort", "--yes"]] {
        let said = message(&place, 1, &words);
        assert!(said.contains(none), "{said}");
    }
    migrate(&place, 0, &["run", "--once"]);
    migrate(&place, 0, &["complete", "--yes"]);
    let said = message(&place, 1, &["complete", "--yes"]);
    assert!(said.contains("is complete already"), "{said}");
    assert_eq!(migrate(&place, 0, &["status"])["state"], "complete");
    migrate(&place, 0, &["abort", "--yes"]);
    let said = message(&place, 1, &["abort", "--yes"]);
    assert!(said.contains(none), "{said}");
}

#[test]
fn rows_that_are_gone_are_written_as_the_advice_says() {
    let (place, program) = shop();
    migrate(&place, 0, &["run", "--once"]);
    migrate(&place, 0, &["switch", "--yes"]);
    let delete = "UPDATE keyfold_lead SET value = '1' WHERE part = 'carries'; DELETE FROM customers; UPDATE keyfold_lead \
                  SET value = '0' WHERE part = 'carries'";
    program.execute_batch(delete).unwrap();
    for words in [&["verify"][..], &["switch", "--back", "--yes"]] {
        let said = message(&place, 1, words);
        assert!(
            said.contains("`keyfold migrate verify --mend` writes the rows as their items say"),
            "{said}"
        );
    }
    let done = migrate(&place, 0, &["verify", "--mend", "--yes"]);
    assert_eq!((&done["put"], &done["differences"]), (&2.into(), &0.into()));
    let put = ["Customer", "customerId=3", "name=Eve"];
    place.text(&[&["put", "shop.keyfold"], &put[..], &["--data", "data"]].concat());
    migrate(&place, 0, &["switch", "--back", "--yes"]);
    let names = "SELECT group_concat(name, ' ') FROM (SELECT name FROM customers ORDER BY id)";
    let names: String = program.query_row(names, [], |row| row.get(0)).unwrap();
    assert_eq!(names, "Ann Bob Eve");
}

#[test]
fn items_without_rows_are_said_before_the_database_leads() {
    let (place, _program) = shop();
    let notes = "\nentity Note in Shop\n  noteId: string\n  key \"N#{noteId}\" \"N\"\n";
    place.write("shop.keyfold", &format!("{MODEL}{notes}"));
    migrate(&place, 0, &["run", "--once"]);
    migrate(&place, 0, &["switch", "--yes"]);
    let put = ["put", "shop.keyfold", "Note", "noteId=n"];
    place.text(&[&put[..], &["--data", "data"]].concat());
    let due = "Shop (PK = N#n, SK = N), of Note, which no `from` line makes";
    let run = migrate(&place, 0, &["run", "--once", "--report", "r.md"]);
    assert_eq!(run["counted"]["rowless"], 1);
    assert_eq!(run["rowless"]["examples"][0], due);
    let report = std::fs::read_to_string(place.folder.path().join("r.md")).unwrap();
    assert!(report.contains("of Note, which no"), "{report}");
    let line = [&["migrate", "switch"], &BOTH[..], &["--back", "--yes"]].concat();
    let output = place.run(&line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("1 item of the tables"), "{said}");
    assert!(said.contains(due), "{said}");
    migrate(&place, 0, &["switch", "--yes"]);
    let back = migrate(&place, 0, &["switch", "--back", "--yes"]);
    assert_eq!(back["rowless"]["count"], 1);
}

#[test]
fn a_column_that_is_gone_is_told_with_its_line() {
    let (place, program) = shop();
    migrate(&place, 0, &["run", "--once"]);
    program
        .execute_batch("ALTER TABLE customers RENAME COLUMN note TO remark")
        .unwrap();
    for words in [&["run", "--once"][..], &["complete", "--yes"]] {
        let line = [&["migrate", words[0]], &BOTH[..], &words[1..]].concat();
        let output = place.run(&line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(
            said.contains("`customers.note` filled `note` of Customer"),
            "{said}"
        );
        assert!(said.contains("shop.keyfold:8"), "{said}");
    }
    program
        .execute_batch("ALTER TABLE customers RENAME COLUMN remark TO note")
        .unwrap();
    migrate(&place, 0, &["run", "--once"]);
}

#[test]
fn a_wrong_place_does_not_let_both_sides_write() {
    let (place, program) = shop();
    migrate(&place, 0, &["run", "--once"]);
    migrate(&place, 0, &["switch", "--yes"]);
    place.text(&["tables", "shop.keyfold", "--data", "other"]);
    let abort = [
        "migrate",
        "abort",
        "shop.keyfold",
        "--from",
        "sqlite:shop.db",
    ];
    let at = [&abort[..], &["--at", "keyfold:./other", "--yes"]].concat();
    let write = "UPDATE customers SET note = 'both'";
    let foreign = [&at[..], &["--foreign"]].concat();
    let said = place.json(5, &foreign);
    let said = said["error"]["message"].as_str().unwrap();
    assert!(said.contains("tables at keyfold:./data lead"), "{said}");
    assert!(said.contains("--lose-writes"), "{said}");
    assert!(program.execute_batch(write).is_err());
    place.json(2, &[&at[..], &["--lose-writes"]].concat());
    place.json(0, &[&foreign[..], &["--lose-writes"]].concat());
    program.execute_batch(write).unwrap();
}

/// Before and after the tables lead, another place is refused, and nothing is made there.
#[test]
fn a_place_that_is_refused_gets_no_tables() {
    let (place, _program) = shop();
    let other = Server::start(&[]);
    let run = ["migrate", "run", "shop.keyfold", "--once"];
    let at = ["--from", "sqlite:shop.db", "--at", &other.endpoint];
    migrate(&place, 0, &["run", "--once"]);
    for _ in 0..2 {
        let said = place.json(1, &[&run[..], &at].concat());
        assert_ne!(said["error"]["message"], "", "{said}");
        assert_eq!(names(&other.backend()).unwrap(), [""; 0], "{said}");
        migrate(&place, 0, &["switch", "--yes"]);
    }
}

/// A copy of the database is put in its place while a run is open, and while none is.
#[test]
fn an_older_copy_is_told() {
    let (place, program) = shop();
    let path = |name: &str| place.folder.path().join(name);
    let put_back = |name: &str| {
        std::fs::copy(path(name), path("new.db")).unwrap();
        std::fs::rename(path("new.db"), path("shop.db")).unwrap();
    };
    migrate(&place, 0, &["run", "--once"]);
    drop(program);
    std::fs::copy(path("shop.db"), path("old.db")).unwrap();
    let write = |sql: &str| {
        let program = Connection::open(path("shop.db")).unwrap();
        program.execute_batch(sql).unwrap();
    };
    write("UPDATE customers SET note = 'undone'");
    migrate(&place, 0, &["run", "--once"]);
    put_back("old.db");
    // As many changes again: their numbers go on behind those that were carried.
    write("UPDATE customers SET name = name || '!' WHERE id = 2; UPDATE customers SET name = name || '!' WHERE id = 2;
           UPDATE customers SET name = name || '!' WHERE id = 2; UPDATE customers SET name = name || '!' WHERE id = 2");
    for words in [&["run", "--once"][..], &["switch", "--yes"]] {
        let said = message(&place, 5, words);
        assert!(said.contains("is an older copy of the database"), "{said}");
        assert!(said.contains("`keyfold migrate abort`"), "{said}");
    }
    migrate(&place, 0, &["abort", "--yes"]);
    migrate(&place, 0, &["run", "--once"]);
    migrate(&place, 0, &["verify", "--mend", "--yes"]);
    let line = [
        "run",
        "shop.keyfold",
        "customer",
        "customerId=1",
        "--data",
        "data",
    ];
    let found = place.json(0, &line).to_string();
    assert!(found.contains("\"note\":\"a\""), "{found}");
    // While the tables lead, the rows are written as the items say, also into a copy of before the switch.
    std::fs::copy(path("shop.db"), path("old.db")).unwrap();
    migrate(&place, 0, &["switch", "--yes"]);
    let update = [
        "update",
        "shop.keyfold",
        "Customer",
        "customerId=1",
        "note=led",
    ];
    place.text(&[&update[..], &["--data", "data"]].concat());
    migrate(&place, 0, &["run", "--once"]);
    put_back("old.db");
    let said = message(&place, 5, &["run", "--once"]);
    assert!(said.contains("is an older copy of the database"), "{said}");
    // As long as a row differs, it stays one, also where one round is all that it lacks.
    let carried = said.split("and round ").nth(1).unwrap().split(' ').next();
    let carried: i64 = carried.unwrap().parse().unwrap();
    let round = format!(
        "UPDATE keyfold_migration SET id = {} WHERE kind = 'round'",
        carried - 1
    );
    write(&round);
    write("INSERT INTO customers VALUES (9, x'ff', NULL)");
    migrate(&place, 1, &["verify", "--mend", "--yes"]);
    let said = message(&place, 5, &["run", "--once"]);
    assert!(said.contains("is an older copy of the database"), "{said}");
    let carries =
        |value: u8| format!("UPDATE keyfold_lead SET value = '{value}' WHERE part = 'carries'");
    write(&format!(
        "{}; DELETE FROM customers WHERE id = 9; {}",
        carries(1),
        carries(0)
    ));
    let done = migrate(&place, 0, &["verify", "--mend", "--yes"]);
    assert_eq!((&done["put"], &done["differences"]), (&0.into(), &0.into()));
    let program = Connection::open(path("shop.db")).unwrap();
    let refused = program.execute_batch("UPDATE customers SET name = 'x'");
    assert!(refused.is_err());
    migrate(&place, 0, &["run", "--once"]);
    migrate(&place, 0, &["switch", "--back", "--yes"]);
    let note = "SELECT note FROM customers WHERE id = 1";
    let note: String = program.query_row(note, [], |row| row.get(0)).unwrap();
    assert_eq!(note, "led");
}

#[test]
fn a_file_that_is_replaced_beside_a_run_ends_it() {
    let (place, program) = shop();
    let path = |name: &str| place.folder.path().join(name);
    migrate(&place, 0, &["run", "--once"]);
    drop(program);
    std::fs::copy(path("shop.db"), path("new.db")).unwrap();
    let round = || {
        let program = Connection::open(path("shop.db")).unwrap();
        let sql = "SELECT CAST(id AS INTEGER) FROM keyfold_migration WHERE kind = 'round'";
        program
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let first = round();
    let line = [&["migrate", "run"], &BOTH[..]].concat();
    let mut run = place.command(&line);
    let mut run = run.stderr(std::process::Stdio::piped()).spawn().unwrap();
    // The run follows when it has begun a round of its own.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while round() == first && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::fs::rename(path("new.db"), path("shop.db")).unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while run.try_wait().unwrap().is_none() && std::time::Instant::now() < until {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(run.kill());
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains("moved away or replaced"), "{said}");
}
