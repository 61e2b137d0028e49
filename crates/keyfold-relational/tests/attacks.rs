//! What programs do to an SQLite database, and people to a migration, that once lost rows or stopped a run.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold_client::{Backend, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{Abort, Ended, Mapping, Migration, Progress, Source, abort, verify};
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

struct Place {
    _folder: TempDir,
    path: PathBuf,
    connection: Connection,
    model: Model,
    backend: Backend,
}

fn model(attributes: &str, from: &str, more: &str) -> Model {
    let key = attributes.split(':').next().unwrap().trim();
    let text = format!(
        "model m 1\n\ntable Tab (PK, SK)\n\nentity A in Tab\n  {attributes}\n  key \"A#{{{key}}}\" \"A\"\n{more}  from \
         {from}\n\npattern one({key}) -> A\n"
    );
    let compiled = keyfold_model::compile(&text);
    match compiled.model {
        Some(model) => model,
        None => panic!("{text}\n{:#?}", compiled.diagnostics),
    }
}

fn backend(model: &Model) -> Backend {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model).unwrap();
    backend
}

impl Place {
    fn new(schema: &str, attributes: &str, from: &str, more: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(schema).unwrap();
        let model = model(attributes, from, more);
        let backend = backend(&model);
        Place {
            _folder: folder,
            path,
            connection,
            model,
            backend,
        }
    }

    fn write(&self, sql: &str) {
        self.connection.execute_batch(sql).unwrap();
    }

    fn run_at(&self, backend: &Backend) -> Result<(), String> {
        let mut source = Sqlite::open(&self.path).unwrap();
        let mapping = Mapping::of(&self.model, &mut source).map_err(|error| error.to_string())?;
        let progress = Progress::default();
        match Migration::new(&mapping, &mut source, backend, &progress).run(true) {
            Ended::Caught => Ok(()),
            Ended::Source(error) => Err(error.message),
            Ended::Target(error) => Err(error.to_string()),
            Ended::Problem(problem) => Err(problem.to_string()),
            Ended::Stopped | Ended::Overtaken => Err("stopped".to_owned()),
        }
    }

    /// Runs until everything is carried, and compares.
    fn run(&self) -> Result<(), String> {
        self.run_at(&self.backend)?;
        let mut source = Sqlite::open(&self.path).unwrap();
        let mapping = Mapping::of(&self.model, &mut source).unwrap();
        let verified = verify(&mapping, &mut source, &self.backend, &Progress::default());
        match verified.unwrap().differences.first() {
            None => Ok(()),
            Some(one) => Err(format!("{}: {}", one.row, one.what)),
        }
    }

    fn abort(&self, which: Abort) -> Result<(), String> {
        let mut source = Sqlite::open(&self.path).unwrap();
        match abort(&mut source, &self.backend, (&self.model, None), which) {
            Ok(()) => Ok(()),
            Err(Ended::Source(error)) => Err(error.message),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn complete(&self) {
        let mut source = Sqlite::open(&self.path).unwrap();
        let mapping = Mapping::of(&self.model, &mut source).unwrap();
        let progress = Progress::default();
        Migration::new(&mapping, &mut source, &self.backend, &progress)
            .complete()
            .unwrap();
    }

    fn left(&self) -> u32 {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'keyfold%'";
        self.connection
            .query_row(sql, [], |row| row.get(0))
            .unwrap()
    }
}

#[test]
fn changes_of_one_key_in_two_spellings_lose_nothing() {
    let hundreds = "CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT); INSERT INTO t SELECT upper('00000000-0000-4000-8000-\
                    0000000a' || printf('%04x', value)), 'v' FROM generate_series(1, 150)";
    let place = Place::new(
        &hundreds.replace(
            "FROM generate_series(1, 150)",
            "FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 150) SELECT * \
             FROM n)",
        ),
        "id: uuid, v: string",
        "t",
        "",
    );
    assert_eq!(place.run(), Ok(()));
    place.write("INSERT INTO t VALUES ('00000000-0000-4000-8000-0000000b0000', 'n'); UPDATE t SET id = lower(id)");
    assert_eq!(place.run(), Ok(()));

    let schema = "CREATE TABLE t (id TEXT PRIMARY KEY COLLATE NOCASE, v TEXT); INSERT INTO t VALUES ('ABC', 'a')";
    let place = Place::new(schema, "id: string, v: string", "t", "");
    assert_eq!(place.run(), Ok(()));
    place.write("UPDATE t SET id = 'abc'");
    assert_eq!(place.run(), Ok(()));
}

#[test]
fn unique_values_change_hands_in_circles() {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, pos INT UNIQUE); WITH RECURSIVE n(value) AS (SELECT 1 UNION \
                  ALL SELECT value + 1 FROM n WHERE value < 60) INSERT INTO t SELECT value, value FROM n";
    let place = Place::new(schema, "id: int, pos: int", "t", "  unique pos\n");
    assert_eq!(place.run(), Ok(()));
    place.write("BEGIN; UPDATE t SET pos = -pos WHERE id < 3; UPDATE t SET pos = 3 + pos WHERE id < 3; COMMIT");
    assert_eq!(place.run(), Ok(()));
    // Thirty pairs, and then a circle of twenty.
    place.write("BEGIN; UPDATE t SET pos = -pos; UPDATE t SET pos = 61 + pos; COMMIT");
    assert_eq!(place.run(), Ok(()));
    place.write(
        "BEGIN; UPDATE t SET pos = -(1 + pos % 20) WHERE pos <= 20; UPDATE t SET pos = -pos WHERE pos < 0; COMMIT",
    );
    assert_eq!(place.run(), Ok(()));
}

/// A place whose rows `(id, pos)` have each its own number, from 0.
fn numbered(count: usize, attributes: &str, kind: &str) -> Place {
    let schema = format!(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, pos {kind} UNIQUE); WITH RECURSIVE n(value) AS (SELECT 0 UNION ALL \
         SELECT value + 1 FROM n WHERE value < {count} - 1) INSERT INTO t SELECT value, value FROM n"
    );
    let place = Place::new(&schema, attributes, "t", "  unique pos\n");
    assert_eq!(place.run(), Ok(()));
    place
}

/// A transaction after which rows have the numbers of others.
fn moved(to: &str) -> String {
    format!(
        "BEGIN; CREATE TEMP TABLE due AS SELECT id, {to} AS pos FROM t; UPDATE t SET pos = -1 - pos; UPDATE t SET pos = \
         (SELECT pos FROM due WHERE due.id = t.id); DROP TABLE due; COMMIT"
    )
}

#[test]
fn unique_values_change_hands_in_circles_of_any_length() {
    let kinds = [
        ("id: int, pos: int", "INT NOT NULL"),
        ("id: int, pos: number?", "INT"),
        ("id: int, pos: string", "TEXT"),
    ];
    for (attributes, kind) in kinds {
        for count in [51, 400, 2_300] {
            let place = numbered(count, attributes, kind);
            place.write(&moved(&format!("(id + 1) % {count}")).replace("-1 - pos", "'x' || pos"));
            assert_eq!(place.run(), Ok(()), "{attributes} {count}");
        }
    }
}

/// Words have no value that nobody has: an item goes for a moment.
#[test]
fn words_change_hands_in_circles() {
    let words = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"].join(" | ");
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL); WITH RECURSIVE n(value) AS (SELECT 0 \
                  UNION ALL SELECT value + 1 FROM n WHERE value < 63) INSERT INTO t SELECT value, 'w' || (value / 8), 'w' || \
                  (value % 8) FROM n";
    let attributes = format!("id: int, a: {words}\n  b: {words}");
    let place = Place::new(schema, &attributes, "t", "  unique (a, b)\n");
    assert_eq!(place.run(), Ok(()));
    place.write("UPDATE t SET a = 'w' || ((id + 1) % 64 / 8), b = 'w' || ((id + 1) % 8)");
    assert_eq!(place.run(), Ok(()));
}

/// Each takes the value of the next one in an order that nobody knows: a try of all after each that succeeds would take
/// minutes.
#[test]
fn unique_values_change_hands_along_a_line() {
    let place = numbered(3_000, "id: int, pos: int", "INT");
    place.write(&moved("(id * 7919) % 3001"));
    assert_eq!(place.run(), Ok(()));
    place.write(&moved("pos + 1"));
    assert_eq!(place.run(), Ok(()));
}

/// A run that ends while a circle is cut: every item is there, and the next run makes all of them right.
#[test]
fn a_circle_that_is_carried_in_part_is_carried_on() {
    for attributes in ["id: int, pos: int", "id: int, pos: int?"] {
        let place = numbered(1_500, attributes, "INT");
        place.write(&moved("(id + 1) % 1500"));
        for least in [1, 300, 600] {
            let progress = Progress::default();
            let mut source = Sqlite::open(&place.path).unwrap();
            let mapping = Mapping::of(&place.model, &mut source).unwrap();
            let ended = std::thread::scope(|scope| {
                let run = scope.spawn(|| {
                    Migration::new(&mapping, &mut source, &place.backend, &progress).run(true)
                });
                while progress.figures().put < least && !run.is_finished() {
                    std::thread::yield_now();
                }
                progress.stop();
                run.join().unwrap()
            });
            assert!(matches!(ended, Ended::Stopped), "{ended:?}");
            let found = verify(&mapping, &mut source, &place.backend, &Progress::default());
            for one in found.unwrap().differences {
                assert!(one.what.contains("pos of A differs"), "{}", one.what);
            }
        }
        assert_eq!(place.run(), Ok(()));
    }
}

/// One of the circle is no item that a table takes: no value is given up for it.
#[test]
fn a_circle_with_a_row_that_is_no_item_is_left_as_it_is() {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, pos INT UNIQUE, v TEXT); WITH RECURSIVE n(value) AS (SELECT 0 \
                  UNION ALL SELECT value + 1 FROM n WHERE value < 99) INSERT INTO t SELECT value, value, 'a' FROM n";
    let place = Place::new(
        schema,
        "id: int, pos: int, v: string",
        "t",
        "  unique pos\n",
    );
    assert_eq!(place.run(), Ok(()));
    place.write(&moved("(id + 1) % 100"));
    place.write("UPDATE t SET v = printf('%.*c', 410000, 'x') WHERE id = 57");
    let said = place.run().unwrap_err();
    assert!(said.contains("id = 57") && said.contains("bytes"), "{said}");
    let mut source = Sqlite::open(&place.path).unwrap();
    let mapping = Mapping::of(&place.model, &mut source).unwrap();
    let found = verify(&mapping, &mut source, &place.backend, &Progress::default()).unwrap();
    assert_eq!(found.count, 100);
    place.write("UPDATE t SET v = 'b' WHERE id = 57");
    assert_eq!(place.run(), Ok(()));
}

#[test]
fn rows_that_replace_takes_away_are_noticed() {
    let cases = [
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, m TEXT); CREATE UNIQUE INDEX u ON t (m COLLATE NOCASE)",
            "INSERT OR REPLACE INTO t VALUES (2, 'BOB')",
        ),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, m TEXT NOT NULL DEFAULT 'bob' UNIQUE)",
            "INSERT OR REPLACE INTO t VALUES (2, NULL)",
        ),
        (
            "CREATE TABLE t (id TEXT PRIMARY KEY, m TEXT)",
            "INSERT OR REPLACE INTO t (rowid, id, m) VALUES (1, '2', 'x')",
        ),
        (
            "CREATE TABLE t (id INTEGER PRIMARY KEY, m TEXT); CREATE UNIQUE INDEX u ON t (m) WHERE m > 'a'",
            "INSERT OR REPLACE INTO t VALUES (2, 'bob')",
        ),
        (
            "CREATE TABLE t (id TEXT PRIMARY KEY, m TEXT UNIQUE) WITHOUT ROWID",
            "UPDATE OR REPLACE t SET id = '2' WHERE id = '3'; INSERT OR REPLACE INTO t VALUES ('4', 'bob')",
        ),
    ];
    for (schema, change) in cases {
        let place = Place::new(schema, "id: string, m: string", "t", "");
        place.write("INSERT INTO t VALUES (1, 'bob')");
        assert_eq!(place.run(), Ok(()), "{schema}");
        place.write(change);
        assert_eq!(place.run(), Ok(()), "{schema}");
    }
}

/// A partial index tells few rows: a write of another row keeps itself alone.
#[test]
fn rows_outside_of_a_partial_index_are_not_kept() {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, main INT); CREATE UNIQUE INDEX one ON t (main) WHERE main = 1";
    let place = Place::new(schema, "id: int, main: int", "t", "");
    assert_eq!(place.run(), Ok(()));
    for id in 0..100 {
        place.write(&format!("INSERT INTO t VALUES ({id}, 0)"));
    }
    let sql = "SELECT count(*) FROM keyfold_changes_t";
    let kept: u32 = place
        .connection
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    assert_eq!(kept, 100);
}

#[test]
fn an_index_that_is_made_meanwhile_is_followed() {
    let place = Place::new(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, m TEXT); INSERT INTO t VALUES (1, 'bob')",
        "id: int, m: string",
        "t",
        "",
    );
    assert_eq!(place.run(), Ok(()));
    place.write("CREATE UNIQUE INDEX u ON t (m)");
    assert_eq!(place.run(), Ok(()));
    place.write("INSERT OR REPLACE INTO t VALUES (2, 'bob')");
    assert_eq!(place.run(), Ok(()));
    place.write("DROP TRIGGER keyfold_changes_t_after_delete");
    assert!(
        place
            .run()
            .unwrap_err()
            .contains("is gone from the database")
    );
}

#[test]
fn a_database_has_one_migration() {
    let place = Place::new(
        "CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES ('a', 'b')",
        "id: string, v: string",
        "t",
        "",
    );
    assert_eq!(place.run(), Ok(()));
    let other = backend(&place.model);
    let said = place.run_at(&other).unwrap_err();
    assert!(said.contains("is being migrated to other tables"), "{said}");
    place.write("UPDATE t SET v = 'c'");
    assert_eq!(place.run(), Ok(()));
    // Its name is the file's, and so is its lock.
    let link = place.path.with_file_name("l.db");
    std::os::unix::fs::symlink(&place.path, &link).unwrap();
    let (mut one, mut two) = (
        Sqlite::open(&place.path).unwrap(),
        Sqlite::open(&link).unwrap(),
    );
    assert_eq!(one.name(), two.name());
    one.claim().unwrap();
    assert!(two.claim().is_err());
}

#[test]
fn what_is_over_is_not_begun_anew_by_mistake() {
    let place = Place::new(
        "CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES ('a', 'b'); CREATE TABLE \
         keyfold_changes_log (a); CREATE TABLE other (a)",
        "id: string, v: string",
        "t",
        "",
    );
    assert_eq!(place.run(), Ok(()));
    place.complete();
    assert_eq!(place.left(), 1, "the user's own table");
    let said = place.run().unwrap_err();
    assert!(said.contains("is complete"), "{said}");
    assert_eq!(place.abort(Abort::Own), Ok(()));
    assert_eq!(place.run(), Ok(()));
    // A database that does not fit any more is given up as well.
    place.write("DROP TABLE t");
    assert_eq!(place.abort(Abort::Own), Ok(()));
    assert_eq!(place.left(), 1);
}

#[test]
fn a_migration_of_tables_that_are_gone_is_given_up_by_force_alone() {
    let place = Place::new(
        "CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT)",
        "id: string, v: string",
        "t",
        "",
    );
    let gone = backend(&place.model);
    assert_eq!(place.run_at(&gone), Ok(()));
    let said = place.abort(Abort::Own).unwrap_err();
    assert!(said.contains("--foreign"), "{said}");
    assert_eq!(place.run_at(&gone), Ok(()));
    assert_eq!(place.abort(Abort::Foreign), Ok(()));
    assert_eq!(place.run(), Ok(()));
}

#[test]
fn another_model_reads_no_changes_of_the_first() {
    let mut place = Place::new(
        "CREATE TABLE t (id TEXT PRIMARY KEY, v TEXT, w TEXT); INSERT INTO t VALUES ('a', 'b', 'c')",
        "id: string, v: string",
        "t",
        "",
    );
    assert_eq!(place.run(), Ok(()));
    for (attributes, from) in [
        ("id: string, v: string, w: string", "t"),
        ("id: string, v: string", "t where \"id > 'a'\""),
    ] {
        place.model = model(attributes, from, "");
        let said = place.run().unwrap_err();
        assert!(
            said.contains("are not those with which the migration began"),
            "{said}"
        );
    }
}

/// A table that refers to itself: a row may come long before the one that counts it.
#[test]
fn a_row_may_be_read_before_the_one_that_counts_it() {
    let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, parent INTEGER); WITH RECURSIVE n(value) AS (SELECT 1 UNION \
                  ALL SELECT value + 1 FROM n WHERE value < 1500) INSERT INTO t SELECT value, CASE WHEN value % 7 = 0 \
                  THEN NULL WHEN value < 1400 THEN value + 100 END FROM n";
    let attributes = "id: int, parent: A.id?, children: int";
    let place = Place::new(schema, attributes, "t", "  count children of A by parent\n");
    assert_eq!(place.run(), Ok(()));
}
