//! The way back to rows of PostgreSQL, by the types of their columns.

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

mod support;
mod worlds;

use keyfold_relational::postgres::Postgres;
use keyfold_relational::{MapError, Mapping, Progress, check_back};
use support::Server;
use worlds::compiled;

const SCHEMA: &str = "CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE every (id integer PRIMARY KEY, small smallint, large bigint, exact numeric(10,2), free numeric, single real, double \
double precision, yes boolean, words text, short char(5), mood mood, unique_id uuid, day date, at timestamp, zoned timestamptz, bytes \
bytea, doc json, docb jsonb, tags text[], numbers integer[], span interval, cents integer NOT NULL, kept text NOT NULL DEFAULT 'x');
INSERT INTO every VALUES (1, -5, 9007199254740993, 1.50, 12345678901234567890.123, 0.1, 1e-7, true, 'it''s \"A\" \\ ', 'ab', 'ok', \
'123e4567-e89b-12d3-a456-426614174000', '2026-01-02', '2026-01-02 03:04:05.678', '2026-01-02 03:04:05+02', '\\x00ff', '{\"b\": 1, \"a\": 2}', \
'{\"a\": [1, 2]}', '{a,\"b c\"}', '{1,2}', '1 day', 1999, 'y');
INSERT INTO every (id, tags, cents) VALUES (2, '{}', 1);";

const MODEL: &str = r#"model m 1
table Tab (PK)
entity Every in Tab
  id: int, small: int?, large: int?, exact: number?, free: number?, single: number?, double: number?, yes: bool?, words: string?
  short: string?, mood: sad | ok?, uniqueId: uuid?, day: date?, at: time(ms)?, zoned: time(s)?, bytes: binary?, doc: map of int?
  docb: map of list of int?, tags: list of string?, numbers: list of int?, span: string?, price: number, kept: string
  key "EVERY#{id}"
  from every e set price = "e.cents / 100.0" back cents = "price * 100"
"#;

/// What has no way back, or the rows that would come back as others.
fn found(name: &str, model: &str) -> Vec<String> {
    let model = compiled(model);
    let mut source = Postgres::open(name).unwrap();
    let mapping = Mapping::of(&model, &mut source);
    let mapping = match mapping {
        Ok(mapping) => mapping,
        Err(error) => panic!("{error:?}"),
    };
    match check_back(&mapping, &mut source, &Progress::default()) {
        Ok(checked) => checked.problems.iter().map(ToString::to_string).collect(),
        Err(MapError::Model(faults)) => faults.into_iter().map(|one| one.message).collect(),
        Err(MapError::Source(error)) => panic!("{error}"),
    }
}

#[test]
fn rows_of_every_type_come_back_as_they_are() {
    let server = Server::start();
    server.connect("postgres").must("CREATE DATABASE d");
    let (program, name) = (server.connect("d"), server.name("d"));
    program.must(SCHEMA);
    assert_eq!(found(&name, MODEL), [""; 0]);
    let odd = MODEL.replace(
        "back cents = \"price * 100\"",
        "back cents = \"price * 100 + 1\"",
    );
    assert_eq!(
        found(&name, &odd),
        [
            "every (id = 1): `cents` is 1999, and would come back as 2000",
            "every (id = 2): `cents` is 1, and would come back as 2",
        ]
    );
    let none = MODEL.replace(" back cents = \"price * 100\"", "");
    assert_eq!(
        found(&name, &none),
        [
            "`price` is computed, and nothing says its way back to a column",
            "`cents` of `every` is never NULL, has no default, and no attribute of Every says it",
        ]
    );
}
