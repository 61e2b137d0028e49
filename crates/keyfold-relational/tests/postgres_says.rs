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

use keyfold_client::{Backend, read, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_relational::postgres::Postgres;
use keyfold_relational::{Ended, Mapping, Migration, Progress, abort, check, verify};
use std::sync::Arc;
use support::Server;

fn compiled(text: &str) -> Model {
    let compiled = keyfold_model::compile(text);
    match compiled.model {
        Some(model) => model,
        None => panic!("{:#?}", compiled.diagnostics),
    }
}

fn backend(model: &Model) -> Backend {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Backend::Embedded(Arc::new(engine));
    tables::ensure(&backend, model).unwrap();
    backend
}

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
    let mapping = Mapping::of(model, &mut source).map_err(|error| error.to_string())?;
    let progress = Progress::default();
    check(&mapping, &mut source, &progress).map_err(|error| error.message)?;
    match Migration::new(&mapping, &mut source, backend, &progress).run(true) {
        Ended::Caught => {}
        Ended::Source(error) => return Err(error.message),
        other => return Err(format!("{other:?}")),
    }
    let verified = verify(&mapping, &mut source, backend, &progress);
    let verified = verified.map_err(|error| error.to_string())?;
    match verified.differences.first() {
        None => Ok(()),
        Some(one) => Err(format!("{}: {}", one.row, one.what)),
    }
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
        ("TRUNCATE t", "emptied by TRUNCATE"),
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
        let ended = abort(&mut source, &backend, &model.name, false);
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
    assert!(said.contains("another migration"), "{said}");
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
        ("timestamptz", "'infinity'", "time(ms)"),
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
    let mapping = Mapping::of(&model, &mut source).unwrap();
    let mapped = &mapping.entities[0];
    let rows = mapped.all_values(&mut source).unwrap();
    match &rows[0] {
        Ok(values) => Ok(values
            .get("v")
            .map_or("absent".to_owned(), |value| format!("{value:?}"))),
        Err(problem) => Err(problem.to_string()),
    }
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
