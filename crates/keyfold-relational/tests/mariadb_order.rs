//! The order in which rows of MariaDB are read: none is left out between two pages.

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

use keyfold_model::Model;
use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::{Cell, Ended, Mapping, Migration, Progress, Sizes, Source};
use mariadb_server::{MODEL, Server};
use worlds::{backend, compiled};

/// The rows that a copy has written, page by page.
fn put_in_pages_of(model: &Model, name: &str, rows: usize) -> u64 {
    let mut source = Mariadb::open(name).unwrap();
    let mapping = Mapping::of(model, &mut source).unwrap();
    let (backend, progress) = (backend(model), Progress::default());
    let migration = Migration::new(&mapping, &mut source, &backend, &progress);
    let sizes = Sizes { rows, changes: 500 };
    let ended = migration.with_sizes(sizes).run(true);
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    progress.figures().put
}

#[test]
fn words_are_read_in_the_order_by_which_they_are_compared() {
    let server = Server::start();
    let program = server.database("d");
    program.must(
        "CREATE TABLE t (id enum('d', 'a', 'c', 'b') PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'x'), ('b', 'x'), \
         ('c', 'x'), ('d', 'x')",
    );
    let model = compiled(MODEL);
    for rows in 1..5 {
        assert_eq!(
            put_in_pages_of(&model, &server.name("d"), rows),
            4,
            "{rows}"
        );
    }
}

/// Items that are identified by another column than those of the primary key.
const NUMBERED: &str = "model m 1

table Tab (PK, SK)

entity A in Tab
  id: int, v: string?
  key \"A#{id}\" \"A\"
  from t set id = t.n

pattern one(id) -> A
";

#[test]
fn keys_are_read_in_the_order_of_their_types_and_collations() {
    let server = Server::start();
    let program = server.database("d");
    let model = compiled(NUMBERED);
    let texts = [
        "'é'", "'e'", "'f'", "'Z'", "'z1'", "'ß'", "'t'", "'s'", "'a_'", "'a'", "'b'",
    ];
    let numbers = ["1", "2", "10", "-3", "0"];
    let bytes = ["'\\n'", "'a'", "'Z'", "'ab'"];
    let times = ["'-10:00:00'", "'09:00:00'", "'100:00:00'", "'00:00:00'"];
    let keys: [(&str, &[&str]); 12] = [
        ("varchar(9) COLLATE utf8mb4_unicode_ci", &texts),
        ("varchar(9) COLLATE utf8mb4_bin", &texts),
        (
            "varchar(9) CHARACTER SET latin1 COLLATE latin1_german2_ci",
            &texts,
        ),
        ("char(9) CHARACTER SET latin1", &texts),
        ("int", &numbers),
        ("decimal(30,9)", &numbers),
        ("double", &numbers),
        (
            "bigint unsigned",
            &["1", "18446744073709551614", "18446744073709551615", "9"],
        ),
        ("varbinary(9)", &bytes),
        (
            "datetime(3)",
            &[
                "'2026-01-02 03:04:05.100'",
                "'2026-01-02 03:04:05.1'",
                "'1999-01-01'",
            ],
        ),
        ("time", &times),
        ("enum('z', 'b', 'a')", &["'a'", "'b'", "'z'"]),
    ];
    for (kind, values) in keys {
        program.must(&format!(
            "DROP TABLE IF EXISTS t; CREATE TABLE t (n int AUTO_INCREMENT UNIQUE, a {kind}, b {kind}, v text, PRIMARY KEY (a, b))"
        ));
        for one in values {
            for other in values {
                program.execute(&format!(
                    "INSERT INTO t (a, b, v) VALUES ({one}, {other}, 'x')"
                ));
            }
        }
        let due: u64 = program
            .text("SELECT concat(count(*)) FROM t")
            .parse()
            .unwrap();
        for rows in [1, 3, 7] {
            let put = put_in_pages_of(&model, &server.name("d"), rows);
            assert_eq!(put, due, "{kind}, {rows}");
        }
    }
}

#[test]
fn pages_behind_others_are_looked_up_by_all_columns_of_the_key() {
    let server = Server::start();
    let program = server.database("d");
    program.must(
        "CREATE TABLE t (n int, a int, b varchar(20) CHARACTER SET latin1, v text, PRIMARY KEY (a, b)); INSERT INTO t \
         SELECT seq, 1, concat('k', seq), 'x' FROM seq_1_to_6000",
    );
    let model = compiled(NUMBERED);
    let mut source = Mariadb::open(&server.name("d")).unwrap();
    let mapping = Mapping::of(&model, &mut source).unwrap();
    let all = mapping.entities[0].all_values(&mut source).unwrap();
    assert_eq!(all.len(), 6_000);
    let read = source.query("SHOW SESSION STATUS LIKE 'Handler_read_next'", &[]);
    let read = read.unwrap();
    let Some(Cell::Text(read)) = read[0].get(1) else {
        panic!("{read:?}")
    };
    let read: u64 = read.parse().unwrap();
    assert!((6_000..7_000).contains(&read), "{read}");
}

/// Rows that are joined to one of few others.
const JOINED: &str = "model m 1

table Tab (PK, SK)

entity A in Tab
  id: int, v: string, w: string
  key \"A#{id}\" \"A\"
  from t join u on u.id = t.u join w on w.id = u.w set id = t.id, v = u.v, w = w.v

pattern one(id) -> A
";

#[test]
fn a_page_of_joined_rows_reads_no_more_than_its_rows() {
    let server = Server::start();
    let program = server.database("d");
    program.must(
        "CREATE TABLE w (id int PRIMARY KEY, v varchar(20)); INSERT INTO w SELECT seq, 'w' FROM seq_1_to_60; \
         CREATE TABLE u (id int PRIMARY KEY, w int NOT NULL, v varchar(20), KEY (w)); \
         INSERT INTO u SELECT seq, seq % 60 + 1, 'u' FROM seq_1_to_300; \
         CREATE TABLE t (id int PRIMARY KEY, u int NOT NULL, KEY (u)); \
         INSERT INTO t SELECT seq, seq % 300 + 1 FROM seq_1_to_12000; ANALYZE TABLE t, u, w",
    );
    let model = compiled(JOINED);
    let mut source = Mariadb::open(&server.name("d")).unwrap();
    let mapping = Mapping::of(&model, &mut source).unwrap();
    let all = mapping.entities[0].all_values(&mut source).unwrap();
    assert_eq!(all.len(), 12_000);
    let read = source.query("SHOW SESSION STATUS LIKE 'Handler_read%'", &[]);
    let read: u64 = read
        .unwrap()
        .iter()
        .map(|row| match row.get(1) {
            Some(Cell::Text(number)) => number.parse::<u64>().unwrap(),
            other => panic!("{other:?}"),
        })
        .sum();
    assert!(read < 45_000, "{read}");
}
