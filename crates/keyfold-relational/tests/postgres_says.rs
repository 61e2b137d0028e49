//! What PostgreSQL alone can do to a migration: a log that tells too little, a server that is killed, rows that
//! go without a word, and values of every type.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    dead_code,
    reason = "a test fails by panicking"
)]

mod support;
mod worlds;

use keyfold_client::{Backend, read};
use keyfold_model::Model;
use keyfold_relational::postgres::Postgres;
use keyfold_relational::{
    Abort, Ended, Mapping, Migration, Progress, Source as _, abort, check, verify,
};
use support::Server;
use worlds::{backend, carried, compiled, first_value};

const MODEL: &str = "model m 1

table Tab (PK, SK)

entity A in Tab
  id: string, v: string?
  key \"A#{id}\" \"A\"
  from t

pattern one(id) -> A
";

/// A run of a model until everything is carried, or an error's text.
fn run(model: &Model, name: &str, backend: &Backend) -> Result<(), String> {
    let mut source = Postgres::open(name).map_err(|error| error.message)?;
    carried(model, &mut source, backend)
}

#[test]
fn a_log_that_tells_too_little_is_refused_with_what_mends_it() {
    let mut server = Server::start();
    let model = compiled(MODEL);
    let program = server.connect("postgres");
    let name = server.name("postgres");
    let cases = [
        (
            "CREATE TABLE t (id text NOT NULL, v text)",
            "ALTER TABLE t REPLICA IDENTITY FULL",
        ),
        (
            "CREATE TABLE t (id text, v text, PRIMARY KEY (v))",
            "does not tell `id`",
        ),
        (
            "CREATE TABLE t (id text PRIMARY KEY, v text); ALTER TABLE t REPLICA IDENTITY NOTHING",
            "does not tell `id`",
        ),
        (
            "CREATE UNLOGGED TABLE t (id text PRIMARY KEY, v text)",
            "unlogged",
        ),
        (
            "CREATE TABLE t (n int, id text GENERATED ALWAYS AS ('x') STORED PRIMARY KEY, v text)",
            "generated column",
        ),
        (
            "CREATE VIEW t AS SELECT 'a'::text AS id, ''::text AS v",
            "is a view",
        ),
    ];
    for (schema, due) in cases {
        program.must(schema);
        let said = run(&model, &name, &backend(&model)).unwrap_err();
        assert!(said.contains(due), "{schema}: {said}");
        program.must(match schema.contains("VIEW") {
            true => "DROP VIEW t",
            false => "DROP TABLE t",
        });
    }
    for mended in ["REPLICA IDENTITY FULL", "REPLICA IDENTITY USING INDEX i"] {
        program.must("CREATE TABLE t (id text NOT NULL, v text); CREATE UNIQUE INDEX i ON t (id)");
        program.must(&format!(
            "ALTER TABLE t {mended}; INSERT INTO t VALUES ('a', 'b')"
        ));
        let backend = backend(&model);
        assert_eq!(run(&model, &name, &backend), Ok(()));
        program.must("UPDATE t SET id = 'c'; INSERT INTO t VALUES ('d', 'e')");
        assert_eq!(run(&model, &name, &backend), Ok(()));
        program.must("DROP TABLE t");
        let said = run(&model, &name, &backend).unwrap_err();
        assert!(said.contains("does not fit"), "{said}");
        program.must("DROP PUBLICATION keyfold_migrate");
        program.must("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
    }
    drop(program);
    server.kill();
    server.run(&["-c", "wal_level=replica"]);
    server
        .connect("postgres")
        .must("CREATE TABLE t (id text PRIMARY KEY, v text)");
    let said = run(&model, &name, &backend(&model)).unwrap_err();
    assert!(
        said.contains("ALTER SYSTEM SET wal_level = logical"),
        "{said}"
    );
}

#[test]
fn what_was_passed_over_ends_the_run_with_a_sentence() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.connect("postgres");
    let name = server.name("postgres");
    program.must("CREATE TABLE t (id text PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'b')");
    let ways = [
        ("TRUNCATE t", "TRUNCATE"),
        (
            "ALTER PUBLICATION keyfold_migrate DROP TABLE t",
            "is not in the publication",
        ),
        (
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots",
            "is gone",
        ),
    ];
    for (way, due) in ways {
        let backend = backend(&model);
        assert_eq!(run(&model, &name, &backend), Ok(()));
        program.must(way);
        program.must("INSERT INTO t VALUES ('n', 'n') ON CONFLICT DO NOTHING");
        let said = run(&model, &name, &backend).unwrap_err();
        assert!(
            said.contains(due) && said.contains("keyfold migrate abort"),
            "{way}: {said}"
        );
        let mut source = Postgres::open(&name).unwrap();
        let ended = abort(&mut source, &backend, (&model, None), Abort::Own);
        assert!(ended.is_ok(), "{ended:?}");
    }
}

/// One migration at a time has a database, and its right ends with it.
#[test]
fn two_runs_do_not_share_a_database() {
    let server = Server::start();
    let model = compiled(MODEL);
    server
        .connect("postgres")
        .must("CREATE TABLE t (id text PRIMARY KEY, v text)");
    let name = server.name("postgres");
    let mut first = Postgres::open(&name).unwrap();
    keyfold_relational::Source::claim(&mut first).unwrap();
    let said = run(&model, &name, &backend(&model)).unwrap_err();
    assert!(
        said.contains("another `keyfold migrate` is at work"),
        "{said}"
    );
    drop(first);
    assert_eq!(run(&model, &name, &backend(&model)), Ok(()));
}

/// A server that is killed while changes are followed is waited for, and nothing is passed over.
#[test]
fn a_server_that_is_killed_is_waited_for() {
    let mut server = Server::start();
    let model = compiled(MODEL);
    let program = server.connect("postgres");
    let name = server.name("postgres");
    program.must("CREATE TABLE t (id text PRIMARY KEY, v text)");
    let backend = backend(&model);
    let progress = Progress::default();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let mut source = Postgres::open(&name).unwrap();
            let mapping = Mapping::of(&model, &mut source).unwrap();
            let mut migration = Migration::new(&mapping, &mut source, &backend, &progress);
            migration.run(false)
        });
        let mut program = program;
        for round in 0..5 {
            for number in 0..20 {
                let value = format!(
                    "INSERT INTO t VALUES ('{number}', 'r{round}') ON CONFLICT (id) DO UPDATE SET v = \
                                     excluded.v"
                );
                program.must(&value);
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            server.kill();
            server.run(&["-c", "wal_level=logical"]);
            program = server.connect("postgres");
            if run.is_finished() {
                panic!("round {round}: {:?}", run.join());
            }
        }
        program.must("DELETE FROM t WHERE id = '7'");
        std::thread::sleep(std::time::Duration::from_secs(1));
        progress.stop();
        let ended = run.join().unwrap();
        assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    });
    assert_eq!(run(&model, &name, &backend), Ok(()));
}

/// A value of each type is stored as its text says, or refused with the reason.
#[test]
fn values_of_every_type_are_stored_or_refused() {
    let server = Server::start();
    let program = server.connect("postgres");
    let name = server.name("postgres");
    program.must("CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN small AS int");
    let kept = [
        ("smallint", "'-32768'", "number", "N(-32768)"),
        (
            "bigint",
            "'9223372036854775807'",
            "int",
            "N(9223372036854775807)",
        ),
        ("small", "'5'", "int", "N(5)"),
        ("real", "'0.1'", "number", "N(0.1)"),
        ("double precision", "'1e-7'", "number", "N(0.0000001)"),
        (
            "numeric",
            "'12345678901234567890123456789012345678'",
            "number",
            "N(12345678901234567890123456789012345678)",
        ),
        ("numeric(10,2)", "'1.50'", "number", "N(1.5)"),
        ("boolean", "'t'", "bool", "Bool(true)"),
        ("boolean", "'f'", "string", "S(\"false\")"),
        ("char(5)", "'ab'", "string", "S(\"ab\")"),
        ("varchar(9)", "'a''b'", "string", "S(\"a'b\")"),
        (
            "uuid",
            "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'",
            "uuid",
            "S(\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\")",
        ),
        ("date", "'2026-02-28'", "date", "S(\"2026-02-28\")"),
        (
            "timestamptz",
            "'2026-02-28 10:00:00.5+02'",
            "time(ms)",
            "S(\"2026-02-28T08:00:00.500Z\")",
        ),
        (
            "timestamp",
            "'2026-02-28 10:00:00'",
            "time(s)",
            "S(\"2026-02-28T10:00:00Z\")",
        ),
        ("time", "'10:00:00'", "string", "S(\"10:00:00\")"),
        ("interval", "'1 day 2 hours'", "string", "S(\"P1DT2H\")"),
        ("bytea", "'\\x00ff'", "binary", "B([0, 255])"),
        (
            "json",
            "'{\"a\": [1, null]}'",
            "string",
            "S(\"{\\\"a\\\": [1, null]}\")",
        ),
        (
            "json",
            "'{\"a\": 1, \"b\": 2.50}'",
            "map of number",
            "M({\"a\": N(1), \"b\": N(2.5)})",
        ),
        (
            "jsonb",
            "'{\"b\": [1, null], \"a\": \"x\"}'",
            "string",
            "S(\"{\\\"a\\\": \\\"x\\\", \\\"b\\\": [1, null]}\")",
        ),
        ("jsonb", "'{\"a\": 1}'", "map of int", "M({\"a\": N(1)})"),
        (
            "jsonb",
            "'[\"a\", \"b\"]'",
            "set of string",
            "Ss(Set { members: [\"a\", \"b\"] })",
        ),
        (
            "text[]",
            "ARRAY['a,b', 'c\"d']",
            "list of string",
            "L([S(\"a,b\"), S(\"c\\\"d\")])",
        ),
        ("int[]", "ARRAY[1, 2]", "list of int", "L([N(1), N(2)])"),
        ("mood", "'glad'", "sad | glad", "S(\"glad\")"),
        ("inet", "'10.0.0.1/8'", "string", "S(\"10.0.0.1/8\")"),
        ("int4range", "'[1,5)'", "string", "S(\"[1,5)\")"),
        ("bit(3)", "B'101'", "string", "S(\"101\")"),
        ("money", "'1234.5'::numeric", "string", "S(\"$1,234.50\")"),
        ("oid", "'7'", "number", "N(7)"),
        ("text", "NULL", "string", "absent"),
    ];
    for (kind, value, of, due) in kept {
        assert_eq!(
            stored(&program, &name, kind, value, of).as_deref(),
            Ok(due),
            "{kind} as {of}"
        );
    }
    let refused = [
        ("numeric", "'NaN'", "number"),
        (
            "numeric",
            "'1234567890123456789012345678901234567890'",
            "number",
        ),
        ("double precision", "'Infinity'", "number"),
        ("double precision", "'-Infinity'", "number"),
        ("real", "'-Infinity'", "number"),
        ("real", "'NaN'", "number"),
        ("timestamptz", "'infinity'", "time(ms)"),
        ("timestamptz", "'-infinity'", "time(ms)"),
        ("timestamp", "'-infinity'", "time(s)"),
        ("date", "'-infinity'", "date"),
        ("jsonb", "'[1]'", "map of int"),
        ("date", "'0044-03-15 BC'", "date"),
        ("bigint", "'5'", "time(s)"),
        ("money", "'1'::numeric", "number"),
        ("text", "'x'", "int"),
        ("bytea", "'\\x00'", "string"),
        ("mood", "'glad'", "sad | bad"),
    ];
    for (kind, value, of) in refused {
        let said = stored(&program, &name, kind, value, of);
        assert!(
            said.as_ref()
                .is_err_and(|said| said.starts_with("t (id = ")),
            "{kind} as {of}: {said:?}"
        );
    }
}

/// What a value of a column is in an attribute, or why it is none.
fn stored(
    program: &support::Program,
    name: &str,
    kind: &str,
    value: &str,
    of: &str,
) -> Result<String, String> {
    program.must("DROP TABLE IF EXISTS t");
    program.must(&format!(
        "CREATE TABLE t (id text PRIMARY KEY, v {kind}); INSERT INTO t VALUES ('a', {value})"
    ));
    let model = compiled(&MODEL.replace("v: string?", &format!("v: {of}?")));
    let mut source = Postgres::open(name).unwrap();
    first_value(&model, &mut source)
}

#[test]
fn a_read_of_a_migrated_row_is_an_ordinary_read() {
    let server = Server::start();
    let model = compiled(MODEL);
    let name = server.name("postgres");
    server
        .connect("postgres")
        .must("CREATE TABLE t (id text PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'b')");
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    let key = [("id".to_owned(), keyfold_types::Value::S("a".to_owned()))]
        .into_iter()
        .collect();
    let found = read::many(&backend, &model, &model.entities[0], &[key], true).unwrap();
    assert!(found.items[0].is_some());
}

/// What the rows of a table rest on changes without a word in the log: the run says so, and loses nothing
/// silently.
#[test]
fn changes_that_the_log_does_not_tell_end_the_run() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.connect("postgres");
    let name = server.name("postgres");
    let plain = "CREATE TABLE t (id text PRIMARY KEY, v text)";
    let parts = "CREATE TABLE t (id text PRIMARY KEY, v text) PARTITION BY LIST (id); CREATE TABLE t1 PARTITION OF t FOR \
                 VALUES IN ('a'); CREATE TABLE t2 PARTITION OF t FOR VALUES IN ('b'); CREATE TABLE t3 (id text PRIMARY \
                 KEY, v text); INSERT INTO t3 VALUES ('c', 'c')";
    let ways = [
        (parts, "ALTER TABLE t DETACH PARTITION t2"),
        (parts, "DROP TABLE t2"),
        (parts, "TRUNCATE t2"),
        (
            plain,
            "ALTER TABLE t ALTER COLUMN v TYPE varchar USING upper(v)",
        ),
        (
            plain,
            "BEGIN; ALTER TABLE t DROP v; ALTER TABLE t ADD v text DEFAULT 'new'; COMMIT",
        ),
        (
            plain,
            "ALTER PUBLICATION keyfold_migrate SET (publish = 'insert')",
        ),
        (
            plain,
            "BEGIN; CREATE TABLE n (id text PRIMARY KEY, v text); DROP TABLE t; ALTER TABLE n RENAME TO t; COMMIT",
        ),
    ];
    for (schema, way) in ways {
        program.must(schema);
        program.must("INSERT INTO t VALUES ('a', 'a'), ('b', 'b')");
        let backend = backend(&model);
        assert_eq!(run(&model, &name, &backend), Ok(()), "{way}");
        program.must(way);
        let said = run(&model, &name, &backend).unwrap_err();
        assert!(said.contains("keyfold migrate abort"), "{way}: {said}");
        let mut source = Postgres::open(&name).unwrap();
        let ended = abort(&mut source, &backend, (&model, None), Abort::Own);
        assert!(ended.is_ok(), "{ended:?}");
        program.must("DROP TABLE t; DROP TABLE IF EXISTS t2; DROP TABLE IF EXISTS t3");
    }
}

/// Partitions that come are taken in, with the rows that they bring.
#[test]
fn partitions_that_come_are_taken_in() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.connect("postgres");
    let name = server.name("postgres");
    program.must(
        "CREATE TABLE t (id text PRIMARY KEY, v text) PARTITION BY LIST (id); CREATE TABLE t1 PARTITION OF t FOR VALUES \
         IN ('a'); INSERT INTO t VALUES ('a', 'a'); CREATE TABLE t3 (id text PRIMARY KEY, v text); INSERT INTO t3 VALUES \
         ('c', 'c'), ('d', 'd'); CREATE TABLE t5 (id text PRIMARY KEY, v text) PARTITION BY LIST (id); CREATE TABLE t6 \
         PARTITION OF t5 FOR VALUES IN ('g'); INSERT INTO t5 VALUES ('g', 'g')",
    );
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    let ways = [
        "CREATE TABLE t2 PARTITION OF t FOR VALUES IN ('b')",
        "INSERT INTO t VALUES ('b', 'b')",
        "ALTER TABLE t ATTACH PARTITION t3 FOR VALUES IN ('c', 'd')",
        "UPDATE t SET v = 'x' WHERE id > 'a'; DELETE FROM t WHERE id = 'c'",
        "CREATE TABLE t4 PARTITION OF t FOR VALUES IN ('e'); INSERT INTO t VALUES ('e', 'e'); UPDATE t SET v = 'y'; DELETE \
         FROM t WHERE id = 'd'",
        "ALTER TABLE t ATTACH PARTITION t5 FOR VALUES IN ('g')",
        "DELETE FROM t",
    ];
    for way in ways {
        program.must(way);
        for _ in 0..2 {
            assert_eq!(run(&model, &name, &backend), Ok(()), "{way}");
        }
    }
    // What they are is kept: one that goes is noticed.
    program.must("DROP TABLE t3");
    let said = run(&model, &name, &backend).unwrap_err();
    assert!(said.contains("keyfold migrate abort"), "{said}");
}

/// What does no harm does not end it.
#[test]
fn harmless_changes_of_tables_are_followed() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.connect("postgres");
    let name = server.name("postgres");
    program.must("CREATE TABLE t (id text PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'a')");
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    let ways = [
        "ALTER TABLE t ADD w int DEFAULT 5",
        "CREATE INDEX ON t (v)",
        "VACUUM t",
        "BEGIN; ALTER TABLE t RENAME TO t9; INSERT INTO t9 VALUES ('n', 'n'); UPDATE t9 SET v = 'z'; ALTER TABLE t9 \
         RENAME TO t; COMMIT",
    ];
    for way in ways {
        program.must(way);
        program.must("INSERT INTO t VALUES (md5(random()::text), 'x')");
        assert_eq!(run(&model, &name, &backend), Ok(()), "{way}");
    }
}

/// A table under two names, identities of domains, and joins of other types.
#[test]
fn names_and_types_do_not_matter_to_what_is_carried() {
    let server = Server::start();
    let program = server.connect("postgres");
    let name = server.name("postgres");
    program.must(
        "CREATE DOMAIN five AS char(5); CREATE DOMAIN more AS five; CREATE TABLE t (id more PRIMARY KEY, v text, c int); \
         CREATE TABLE k (n numeric PRIMARY KEY, name text)",
    );
    let model = compiled(
        "model m 1\n\ntable Tab (PK, SK)\n\nentity A in Tab\n  id: string, v: string?\n  key \"A#{id}\" \"A\"\n  from t\n\n\
         entity B in Tab\n  id: string, v: string?, label: string?\n  key \"B#{id}\" \"B\"\n  from public.t x left join k \
         on k.n = x.c set label = k.name\n\npattern one(id) -> A\npattern other(id) -> B\n",
    );
    let backend = backend(&model);
    program.must("INSERT INTO t VALUES ('a', 'a', 1), ('b', 'b', 2)");
    assert_eq!(run(&model, &name, &backend), Ok(()));
    let ways = [
        "UPDATE t SET v = 'z'; INSERT INTO t VALUES ('c', 'c', 3)",
        "DELETE FROM t WHERE id = 'b'; INSERT INTO k VALUES (1, 'one'), (3000000000, 'large'), (7.5, 'half')",
        "UPDATE k SET n = 3 WHERE n = 1",
        "DELETE FROM k",
    ];
    for way in ways {
        program.must(way);
        assert_eq!(run(&model, &name, &backend), Ok(()), "{way}");
    }
}

/// What has the names of a migration and is somebody else's is neither used nor dropped.
#[test]
fn what_others_have_made_stays() {
    let server = Server::start();
    let model = compiled(MODEL);
    let program = server.connect("postgres");
    let name = server.name("postgres");
    program.must("CREATE TABLE t (id text PRIMARY KEY, v text)");
    let backend = backend(&model);
    program.must("CREATE PUBLICATION keyfold_migrate FOR TABLE t");
    let said = run(&model, &name, &backend).unwrap_err();
    assert!(said.contains("none that a migration has made"), "{said}");
    let mut source = Postgres::open(&name).unwrap();
    assert!(abort(&mut source, &backend, (&model, None), Abort::Foreign).is_err());
    drop(source);
    program.must("DROP PUBLICATION keyfold_migrate");
    let slot = "SELECT pg_create_logical_replication_slot('keyfold_migrate_' || oid, 'test_decoding') FROM pg_database \
                WHERE datname = current_database()";
    program.must(slot);
    let said = run(&model, &name, &backend).unwrap_err();
    assert!(said.contains("is somebody else's"), "{said}");
    assert_eq!(
        program.text("SELECT count(*)::text FROM pg_replication_slots"),
        "1"
    );
}

/// Writers who hand unique values over while a run follows: what is refused for a moment is read again.
#[test]
fn a_run_outlives_what_is_refused_for_a_moment() {
    let server = Server::start();
    let program = server.connect("postgres");
    let name = server.name("postgres");
    program.must("CREATE TABLE t (id text PRIMARY KEY, v text UNIQUE); INSERT INTO t SELECT 'i' || n, 'm' || n FROM \
                  generate_series(1, 6) n");
    let model = compiled(&MODEL.replace("  from t", "  unique v\n  from t"));
    let backend = backend(&model);
    let progress = Progress::default();
    std::thread::scope(|scope| {
        let run = scope.spawn(|| {
            let mut source = Postgres::open(&name).unwrap();
            let mapping = Mapping::of(&model, &mut source).unwrap();
            Migration::new(&mapping, &mut source, &backend, &progress).run(false)
        });
        let writers: Vec<_> = (0..2)
            .map(|seed| {
                let program = server.connect("postgres");
                scope.spawn(move || {
                    let mut rng = fastrand::Rng::with_seed(seed);
                    for _ in 0..400 {
                        let (one, two) = (rng.u8(1..7), rng.u8(1..7));
                        program.execute(&format!("UPDATE t SET v = NULL WHERE id = 'i{one}'"));
                        program.execute(&format!("UPDATE t SET v = 'm{two}' WHERE id = 'i{one}'"));
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        progress.stop();
        let ended = run.join().unwrap();
        assert!(matches!(ended, Ended::Stopped), "{ended:?}");
    });
    assert_eq!(run(&model, &name, &backend), Ok(()));
}

/// A value that a statement did not change is not in the log where it is long.
#[test]
fn long_values_that_did_not_change_stay() {
    let server = Server::start();
    let model = compiled(
        "model m 1\n\ntable Tab (PK, SK)\n\nentity A in Tab\n  id: string, short: string, long: string\n  key \"A#{id}\" \"A\"\n  from \
         t\n\npattern one(id) -> A\n",
    );
    let name = server.name("postgres");
    let program = server.connect("postgres");
    program.must("CREATE TABLE t (id text PRIMARY KEY, short text NOT NULL, long text NOT NULL)");
    program.must("ALTER TABLE t ALTER COLUMN long SET STORAGE EXTERNAL");
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    program.must("INSERT INTO t VALUES ('a', '1', repeat('x', 100000))");
    assert_eq!(run(&model, &name, &backend), Ok(()));
    for identity in ["FULL", "DEFAULT"] {
        program.must(&format!("ALTER TABLE t REPLICA IDENTITY {identity}"));
        program.must("UPDATE t SET short = short || '2'");
        assert_eq!(run(&model, &name, &backend), Ok(()));
        let mut source = Postgres::open(&name).unwrap();
        let mapping = Mapping::of(&model, &mut source).unwrap();
        let found = verify(&mapping, &mut source, &backend, &Progress::default());
        let found = found.unwrap();
        assert_eq!((found.rows, found.count), (vec![("A".to_owned(), 1)], 0));
    }
}

/// The server keeps the log of a migration that stands still, and says how much.
#[test]
fn the_log_of_a_migration_that_stands_still_is_said() {
    let server = Server::start();
    let (model, name) = (compiled(MODEL), server.name("postgres"));
    let program = server.connect("postgres");
    program.must("CREATE TABLE t (id text PRIMARY KEY, v text)");
    let kept = || Postgres::open(&name).unwrap().kept_log().unwrap();
    let notes = || {
        let mut source = Postgres::open(&name).unwrap();
        let mapping = Mapping::of(&model, &mut source).unwrap();
        check(&mapping, &mut source, &Progress::default())
            .unwrap()
            .notes
    };
    assert_eq!(kept(), None);
    assert!(
        notes()
            .iter()
            .any(|one| one.contains("max_slot_wal_keep_size"))
    );
    assert_eq!(run(&model, &name, &backend(&model)), Ok(()));
    program.must("INSERT INTO t SELECT n, repeat('x', 1000) FROM generate_series(1, 5000) n");
    let log = kept().unwrap();
    assert!(log.bytes > 5_000_000 && log.left.is_none(), "{log:?}");
    program.must("ALTER SYSTEM SET max_slot_wal_keep_size = '1GB'");
    program.must("SELECT pg_reload_conf()");
    until("the server does not heed it", || {
        kept().unwrap().left.is_some()
    });
    let log = kept().unwrap();
    assert!(log.left.unwrap() < 1_100_000_000, "{log:?}");
    assert!(notes().is_empty(), "{:?}", notes());
}

#[test]
fn a_run_says_when_little_is_left_of_the_log() {
    let server = Server::start();
    let (model, name) = (compiled(MODEL), server.name("postgres"));
    let program = server.connect("postgres");
    program.must("CREATE TABLE t (id text PRIMARY KEY, v text)");
    program.must("ALTER SYSTEM SET max_slot_wal_keep_size = '64MB'");
    program.must("SELECT pg_reload_conf()");
    let backend = backend(&model);
    let kept = || Postgres::open(&name).unwrap().kept_log().unwrap().unwrap();
    let run_says = || {
        let mut source = Postgres::open(&name).unwrap();
        let mapping = Mapping::of(&model, &mut source).unwrap();
        let progress = Progress::default();
        let ended = Migration::new(&mapping, &mut source, &backend, &progress).run(true);
        assert!(matches!(ended, Ended::Caught), "{ended:?}");
        progress.take_short_log()
    };
    assert_eq!(run_says(), None, "it has just begun");
    until("the server does not heed it", || kept().left.is_some());
    assert_eq!(run_says(), None, "much is left");
    // Values that are not compressed stand in the log as they are.
    program.must("ALTER TABLE t ALTER v SET STORAGE EXTERNAL");
    while kept().left.unwrap() * 4 >= kept().bytes {
        program.must(
            "INSERT INTO t VALUES ('a', repeat('x', 300000)) ON CONFLICT (id) DO UPDATE SET v = excluded.v",
        );
    }
    let log = run_says().expect("nothing is said of it");
    assert!(log.left.unwrap() * 4 < log.bytes, "{log:?}");
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while !is_so() {
        assert!(std::time::Instant::now() < until, "{what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
