//! Changes of MariaDB that reach other rows: by joins of columns of other types and collations, and many at once.

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
use keyfold_relational::{MapError, Mapping, Progress, verify};
use mariadb_server::{Program, Server, run};
use worlds::{backend, compiled};

const MODEL: &str = "model m 1

table Tab (PK, SK)

entity A in Tab
  id: int, v: string
  key \"A#{id}\" \"A\"
  from t join j on j.k = t.k set v = j.v

pattern one(id) -> A
";

const CUSTOMERS: &str = "model m 1

table Tab (PK, SK)

entity Customer in Tab
  customerId: int, mail: string, city: string
  key \"C#{customerId}\" \"C\"
  unique mail
  from customers c join cities t on t.id = c.city set customerId = c.id, city = t.name

pattern one(customerId) -> Customer
";

/// Tables anew: a row `j` of a value, and rows `t` of others.
fn fill(program: &Program, (own, value): (&str, &str), (other, others): (&str, &[&str])) {
    program.must(&format!(
        "DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS j; CREATE TABLE j (k {own}, v text); CREATE TABLE t (id int \
         AUTO_INCREMENT PRIMARY KEY, k {other}); INSERT INTO j VALUES ({value}, 'old')"
    ));
    for one in others {
        program.must(&format!("INSERT INTO t (k) VALUES ({one})"));
    }
}

/// Rows that a join reaches have the value of a row that changes, and none when it is gone.
fn joined(server: &Server, own: (&str, &str), other: (&str, &[&str]), due: u64) {
    let (model, name, program) = (compiled(MODEL), server.name("d"), server.connect("d"));
    fill(&program, own, other);
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()), "{own:?} {other:?}");
    for change in ["UPDATE j SET v = 'new'", "DELETE FROM j"] {
        let mut source = Mariadb::open(&name).unwrap();
        let mapping = Mapping::of(&model, &mut source).unwrap();
        let verified = verify(&mapping, &mut source, &backend, &Progress::default()).unwrap();
        assert_eq!(verified.rows[0].1, due, "{own:?} {other:?}");
        drop(source);
        program.must(change);
        let ended = run(&model, &name, &backend);
        assert_eq!(ended, Ok(()), "{own:?} {other:?} {change}");
    }
}

#[test]
fn a_changed_row_reaches_all_that_it_is_joined_to() {
    let server = Server::start();
    server.database("d");
    let texts = ["'a'", "'A'", "'a '", "'b'", "'É'"];
    let latin = "varchar(40) CHARACTER SET latin1";
    joined(&server, ("varchar(9)", "'a'"), ("varchar(9)", &texts), 3);
    joined(&server, (latin, "'é'"), (latin, &texts), 1);
    joined(
        &server,
        ("varchar(9) COLLATE utf8mb4_bin", "'a'"),
        ("varchar(9) COLLATE utf8mb4_bin", &texts),
        2,
    );
    // Bytes are compared with the bytes of the text's own character set.
    joined(
        &server,
        (latin, "'É'"),
        ("varbinary(9)", &["x'c9'", "x'c389'", "'É'"]),
        1,
    );
    joined(&server, ("varbinary(9)", "x'c9'"), (latin, &texts), 1);
    let numbers = ["'1'", "'01'", "'1.0'", "'2'"];
    joined(&server, ("int", "1"), ("varchar(9)", &numbers), 3);
    joined(&server, ("varchar(9)", "'01'"), ("int", &["1", "2"]), 1);
    joined(
        &server,
        ("decimal(30,2)", "1234567890123456789012345.25"),
        (
            "decimal(30,4)",
            &[
                "1234567890123456789012345.2500",
                "1234567890123456789012345.2501",
            ],
        ),
        1,
    );
    joined(
        &server,
        ("bigint unsigned", "18446744073709551615"),
        (
            "bigint unsigned",
            &["18446744073709551615", "18446744073709551614"],
        ),
        1,
    );
    joined(
        &server,
        ("date", "'2026-01-02'"),
        ("varchar(20)", &["'2026-1-2'", "'2026-01-03'"]),
        1,
    );
    joined(
        &server,
        ("varchar(20)", "'2026-1-2'"),
        ("date", &["'2026-01-02'", "'2026-01-03'"]),
        1,
    );
    let id = "'6CCD780C-BABA-1026-9564-5B8C656024DB'";
    let plain = "'6ccd780cbaba102695645b8c656024db'";
    joined(&server, ("uuid", id), (latin, &[id, plain]), 2);
    joined(&server, (latin, plain), ("uuid", &[id]), 1);
    joined(
        &server,
        ("enum('x', 'a')", "'a'"),
        ("enum('a', 'x')", &["'a'", "'x'"]),
        1,
    );
}

#[test]
fn words_are_not_joined_to_numbers_nor_texts_of_two_orders() {
    let server = Server::start();
    let program = server.database("d");
    let refused = [
        ("enum('x', 'a')", "int", "a word and a number"),
        ("decimal(9,2)", "enum('x', 'a')", "a word and a number"),
        (
            "varchar(9) COLLATE utf8mb4_bin",
            "varchar(9) COLLATE utf8mb4_unicode_ci",
            "by different rules",
        ),
    ];
    let model = compiled(MODEL);
    for (own, other, due) in refused {
        fill(&program, (own, "NULL"), (other, &[]));
        let mut source = Mariadb::open(&server.name("d")).unwrap();
        let faults = match Mapping::of(&model, &mut source) {
            Err(MapError::Model(faults)) => faults,
            other => panic!("{other:?}"),
        };
        assert!(faults[0].message.contains(due), "{}", faults[0].message);
    }
}

#[test]
fn many_rows_of_one_change_are_carried_in_windows() {
    let server = Server::start();
    let program = server.database("d");
    program.must(
        "CREATE TABLE cities (id int PRIMARY KEY, name text); CREATE TABLE customers (id int PRIMARY KEY, mail \
         varchar(20) UNIQUE, city int, KEY (city)); INSERT INTO cities VALUES (1, 'Rome'); INSERT INTO customers SELECT \
         seq, concat('m', seq), 1 FROM seq_1_to_3000",
    );
    let (model, name) = (compiled(CUSTOMERS), server.name("d"));
    let backend = backend(&model);
    assert_eq!(run(&model, &name, &backend), Ok(()));
    // Those that exchange their values stand in different windows.
    program.must(
        "BEGIN; UPDATE cities SET name = 'Roma'; UPDATE customers SET mail = 'x' WHERE id = 1; UPDATE customers SET mail \
         = 'm1' WHERE id = 3000; UPDATE customers SET mail = 'm3000' WHERE id = 1; COMMIT",
    );
    assert_eq!(run(&model, &name, &backend), Ok(()));
}
