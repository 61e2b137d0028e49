//! The way back to rows of MariaDB, by the types of their columns.

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
mod worlds;

use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::{MapError, Mapping, Progress, check_back};
use mariadb_server::Server;
use worlds::compiled;

const SCHEMA: &str = "CREATE TABLE every (id int PRIMARY KEY, small smallint, large bigint unsigned, exact decimal(10,2), single float, \
twice double, yes boolean, bits bit(8), words text, latin varchar(9) character set latin1, short char(5), mood enum('sad', 'ok'), \
day date, at datetime(3), zoned timestamp(3) NULL, bytes varbinary(9), doc json, span time, cents int NOT NULL, kept varchar(9) NOT \
NULL DEFAULT 'x');
INSERT INTO every VALUES (1, -5, 18446744073709551615, 1.50, 0.1, 1e-7, true, b'101', 'it''s \"A\" \\\\ ', '€é', 'ab', 'ok', '2026-01-02', \
'2026-01-02 03:04:05.678', '2026-01-02 03:04:05.678', x'00ff', '{\"b\": 1, \"a\": 2}', '-12:00:00', 1999, 'y');
INSERT INTO every (id, cents) VALUES (2, 1);";

const MODEL: &str = r#"model m 1
table Tab (PK)
entity Every in Tab
  id: int, small: int?, large: int?, exact: number?, single: number?, twice: number?, yes: bool?, bits: int?, words: string?
  latin: string?, short: string?, mood: sad | ok?, day: date?, at: time(ms)?, zoned: time(ms)?, bytes: binary?, doc: map of int?
  span: string?, price: number, kept: string
  key "EVERY#{id}"
  from every e set price = "e.cents / 100" back cents = "price * 100"
"#;

/// What has no way back, or the rows that would come back as others.
fn found(name: &str, model: &str) -> Vec<String> {
    let model = compiled(model);
    let mut source = Mariadb::open(name).unwrap();
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
    let (program, name) = (server.database("d"), server.name("d"));
    for statement in SCHEMA.split(";\n") {
        program.must(statement.trim_end_matches(';'));
    }
    assert_eq!(found(&name, MODEL), [""; 0]);
    let odd = MODEL.replace(
        "back cents = \"price * 100\"",
        "back cents = \"price * 100 + 1\"",
    );
    let cents = found(&name, &odd);
    assert_eq!(cents.len(), 2, "{cents:?}");
    assert!(cents[0].starts_with("every (id = 1): `cents` is 1999, and would come back as"));
    let none = MODEL.replace(" back cents = \"price * 100\"", "");
    assert_eq!(
        found(&name, &none),
        [
            "`price` is computed, and nothing says its way back to a column",
            "`cents` of `every` is never NULL, has no default, and no attribute of Every says it",
        ]
    );
}
