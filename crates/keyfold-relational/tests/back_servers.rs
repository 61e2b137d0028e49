//! The way back to rows of PostgreSQL and MariaDB, by the types of their columns.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod mariadb_server;
mod support;
mod worlds;

use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::postgres::Postgres;
use keyfold_relational::{MapError, Mapping, Progress, Source, check_back};
use worlds::compiled;

const POSTGRES_SCHEMA: &str = "CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE every (id integer PRIMARY KEY, small smallint, large bigint, exact numeric(10,2), free numeric, single real, double \
double precision, yes boolean, words text, short char(5), mood mood, unique_id uuid, day date, at timestamp, zoned timestamptz, bytes \
bytea, doc json, docb jsonb, tags text[], numbers integer[], span interval, cents integer NOT NULL, kept text NOT NULL DEFAULT 'x');
INSERT INTO every VALUES (1, -5, 9007199254740993, 1.50, 12345678901234567890.123, 0.1, 1e-7, true, 'it''s \"A\" \\ ', 'ab', 'ok', \
'123e4567-e89b-12d3-a456-426614174000', '2026-01-02', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05+02', '\\x00ff', '{\"b\": 1, \"a\": 2}', \
'{\"a\": [1, 2]}', '{a,\"b c\"}', '{1,2}', '1 day', 1999, 'y');
INSERT INTO every (id, tags, cents) VALUES (2, '{}', 1);";

const POSTGRES_MODEL: &str = r#"model m 1
table Tab (PK)
entity Every in Tab
  id: int, small: int?, large: int?, exact: number?, free: number?, single: number?, double: number?, yes: bool?, words: string?
  short: string?, mood: sad | ok?, uniqueId: uuid?, day: date?, at: time(ms)?, zoned: time(s)?, bytes: binary?, doc: map of int?
  docb: map of list of int?, tags: list of string?, numbers: list of int?, span: string?, price: number, kept: string
  key "EVERY#{id}"
  from every e set price = "e.cents / 100.0" back cents = "price * 100"
"#;

const MARIADB_SCHEMA: &str = "CREATE TABLE every (id int PRIMARY KEY, small smallint, large bigint unsigned, exact decimal(10,2), single float, \
twice double, yes boolean, bits bit(8), words text, latin varchar(9) character set latin1, short char(5), mood enum('sad', 'ok'), \
day date, at datetime(3), zoned timestamp(3) NULL, bytes varbinary(9), doc json, span time, cents int NOT NULL, kept varchar(9) NOT \
NULL DEFAULT 'x', big mediumtext, huge longblob, place point, area geometry, wide bit(64));
INSERT INTO every VALUES (1, -5, 18446744073709551615, 1.50, 0.1, 1e-7, true, b'101', 'it''s \"A\" \\\\ ', '€é', 'ab', 'ok', '2026-01-02', \
'2026-01-02 03:04:05.678', '2026-01-02 03:04:05.678', x'00ff', '{\"b\": 1, \"a\": 2}', '-12:00:00', 1999, 'y', repeat('aé', 33000), repeat(x'00ff', 40000), POINT(1, 2), \
ST_GeomFromText('POLYGON((0 0, 0 9, 9 9, 0 0))'), 18446744073709551615);
INSERT INTO every (id, cents, wide) VALUES (2, 1, 9223372036854775808);
CREATE TABLE longs (id int PRIMARY KEY, big longtext);
INSERT INTO longs SELECT seq, repeat(char(65 + seq % 26), 66000 + seq) FROM seq_1_to_60;
INSERT INTO longs VALUES (1000, 'short');";

const MARIADB_MODEL: &str = r#"model m 1
table Tab (PK)
entity Every in Tab
  id: int, small: int?, large: int?, exact: number?, single: number?, twice: number?, yes: bool?, bits: int?, words: string?
  latin: string?, short: string?, mood: sad | ok?, day: date?, at: time(ms)?, zoned: time(ms)?, bytes: binary?, doc: map of int?
  span: string?, price: number, kept: string, big: string?, huge: binary?, place: binary?, area: binary?, wide: int?
  key "EVERY#{id}"
  from every e set price = "e.cents / 100" back cents = "price * 100"
entity Long in Tab
  id: int, big: string
  key "LONG#{id}"
  from longs
"#;

/// What has no way back, or the rows that would come back as others.
fn found(source: &mut dyn Source, model: &str) -> Vec<String> {
    let model = compiled(model);
    let mapping = match Mapping::of(&model, source) {
        Ok(mapping) => mapping,
        Err(error) => panic!("{error:?}"),
    };
    match check_back(&mapping, source, &Progress::default()) {
        Ok(checked) => checked.problems.iter().map(ToString::to_string).collect(),
        Err(MapError::Model(faults)) => faults.into_iter().map(|one| one.message).collect(),
        Err(MapError::Source(error)) => panic!("{error}"),
    }
}

/// Rows come back as they are, by a model that says their way back; by others they do not, or have none.
fn come_back(source: &mut dyn Source, model: &str) {
    assert_eq!(found(source, model), [""; 0]);
    let back = "back cents = \"price * 100\"";
    let odd = model.replace(back, "back cents = \"price * 100 + 1\"");
    let cents = found(source, &odd);
    assert_eq!(cents.len(), 2, "{cents:?}");
    for (said, due) in cents.iter().zip([(1, 1999, 2000), (2, 1, 2)]) {
        let (id, is, would) = due;
        // An expression of MariaDB has digits behind the point, and is a text.
        let said = said.replace('"', "");
        let due = format!("every (id = {id}): `cents` is {is}, and would come back as {would}");
        assert!(said.starts_with(&due), "{said}");
    }
    let none = model.replace(&format!(" {back}"), "");
    assert_eq!(
        found(source, &none),
        [
            "`price` is computed, and nothing says its way back to a column",
            "`cents` of `every` is never NULL, has no default, and no attribute of Every says it",
        ]
    );
}

#[test]
fn rows_of_every_type_of_postgres_come_back_as_they_are() {
    let server = support::Server::start();
    server.connect("postgres").must("CREATE DATABASE d");
    server.connect("d").must(POSTGRES_SCHEMA);
    let mut source = Postgres::open(&server.name("d")).unwrap();
    come_back(&mut source, POSTGRES_MODEL);
}

#[test]
fn rows_of_every_type_of_mariadb_come_back_as_they_are() {
    let server = mariadb_server::Server::start();
    let program = server.database("d");
    for statement in MARIADB_SCHEMA.split(";\n") {
        program.must(statement.trim_end_matches(';'));
    }
    let mut source = Mariadb::open(&server.name("d")).unwrap();
    come_back(&mut source, MARIADB_MODEL);
}
