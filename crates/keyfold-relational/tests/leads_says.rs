//! What stands in the way while the tables lead: keys of items that no column can hold, and rights that a role lacks.
//! Each is a sentence that says what to do, and nothing is half done.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::panic,
    clippy::print_stdout,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test fails by panicking, and its errors may be large"
)]

mod leading;
mod mariadb_server;
mod support;
mod worlds;

use keyfold_engine::StoreOptions;
use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::postgres::Postgres;
use keyfold_relational::{Ended, Phase, Source, Switch, Turned};
use leading::bases::{Base, OfMariadb, OfPostgres, Row};
use leading::{MODEL, Op, Shop, Takes, values};

const KEYS: &str = r#"
entity Number in Shop
  id: string, v: string?
  key "NUMBER#{id}" "N"
  from numbers

entity Short in Shop
  id: string, v: string?
  key "SHORT#{id}" "S"
  from short
"#;
const SCHEMA: [&str; 2] = [
    "CREATE TABLE numbers (id int PRIMARY KEY, v text)",
    "CREATE TABLE short (id varchar(5) PRIMARY KEY, v text)",
];
const BOTH: Takes = Takes {
    rows: true,
    items: true,
};

fn problem(ended: Ended) -> String {
    match ended {
        Ended::Problem(problem) => problem.to_string(),
        other => panic!("{other:?}"),
    }
}

/// A key that no column holds is named, as often as it is asked; when its item is gone, the run goes on.
fn odd_keys_are_named(base: Box<dyn Base>, keys: &[(&str, &str, Option<&str>, &str)]) {
    SCHEMA.iter().for_each(|sql| drop(base.must(sql)));
    let shop = Shop::of(&format!("{MODEL}{KEYS}"), base, StoreOptions::Memory);
    assert!(matches!(shop.run(), Ended::Caught));
    let turned = shop.switch(Switch::Forth);
    assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    for (number, (entity, key, text, due)) in keys.iter().enumerate() {
        let good = values([("id", number.to_string().into())]);
        let key = values([("id", (*key).into())]);
        let mut odd = key.clone();
        odd.extend(text.map(|text| ("v".to_owned(), text.into())));
        shop.put("Number", &good).unwrap();
        shop.put(entity, &odd).unwrap();
        for _ in 0..2 {
            assert_eq!(problem(shop.run()), *due);
            let found = format!("SELECT id FROM numbers WHERE id = {number}");
            assert_eq!(shop.base.must(&found), [[None; 0]; 0], "{key:?}");
        }
        shop.delete(entity, &key);
        let ended = shop.run();
        assert!(matches!(ended, Ended::Caught), "{key:?}: {ended:?}");
        assert_eq!(shop.differences(), [""; 0]);
    }
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
}

const ELSEWHERE: &str =
    "its row would be none of the `from` line: another key, a join or `where` leaves it out";

#[test]
fn keys_that_no_column_of_postgres_holds_are_named() {
    let server = support::Server::start();
    let help = "give the item another value, or the column another type";
    let whole = "`id` of `numbers` is integer and cannot hold";
    odd_keys_are_named(
        OfPostgres::boxed(&server, "keys"),
        &[
            (
                "Number",
                "abc",
                None,
                &format!(
                    "Number (id = abc): {whole} \"abc\" (PostgreSQL says: invalid input syntax for type integer: \
                     \"abc\"): {help}"
                ),
            ),
            (
                "Number",
                "99999999999",
                None,
                &format!(
                    "Number (id = 99999999999): {whole} \"99999999999\" (PostgreSQL says: value \"99999999999\" is out of \
                     range for type integer): {help}"
                ),
            ),
            (
                "Short",
                "abcdefgh",
                None,
                &format!(
                    "Short (id = abcdefgh): `id` of `short` is character varying(5) and cannot hold \"abcdefgh\" (it is too \
                     long): {help}"
                ),
            ),
            (
                "Short",
                "abc",
                Some("a\0b"),
                &format!(
                    "Short (id = abc): `v` of `short` is text and cannot hold \"a\\0b\" (a text of PostgreSQL has no NUL in \
                     it): {help}"
                ),
            ),
            (
                "Number",
                "07",
                None,
                &format!("Number (id = 07): {ELSEWHERE}"),
            ),
        ],
    );
}

#[test]
fn keys_that_no_column_of_mariadb_holds_are_named() {
    let server = mariadb_server::Server::start();
    odd_keys_are_named(
        OfMariadb::boxed(&server, "odd"),
        &[
            (
                "Number",
                "abc",
                None,
                "Number (id = abc): `id` of `numbers` is int(11) and cannot hold \"abc\" (it is no number): give the item \
                 another value, or the column another type",
            ),
            (
                "Number",
                "99999999999",
                None,
                "Number (id = 99999999999): the database refuses its row of `numbers`: MariaDB says: Out of range value \
                 for column 'id' at row 1",
            ),
            (
                "Short",
                "abcdefgh",
                None,
                "Short (id = abcdefgh): the database refuses its row of `short`: MariaDB says: Data too long for column \
                 'id' at row 1",
            ),
            (
                "Number",
                "07",
                None,
                &format!("Number (id = 07): {ELSEWHERE}"),
            ),
        ],
    );
}

/// Numbers of MariaDB that are wider than those of programs go back as they are, and a column is named that cannot hold
/// what it should, and no other.
#[test]
fn wide_numbers_of_mariadb_go_back() {
    let server = mariadb_server::Server::start();
    let base = OfMariadb::boxed(&server, "wide");
    base.must(
        "CREATE TABLE wide (id int PRIMARY KEY, de decimal(65,30), b64 bit(64), big bigint unsigned, other varchar(5))",
    );
    let long = "12345678901234567890123456789012345.123456789012345678901234567890";
    let most = "18446744073709551615";
    base.must(&format!(
        "INSERT INTO wide VALUES (1, {long}, {most}, {most}, 'a'), (2, 1, 9223372036854775808, 1, 'a')"
    ));
    let entity = "\nentity Wide in Shop\n  id: int, de: string?, b64: int?, big: int?, other: string?\n  key \"WIDE#{id}\" \"W\"\n  \
                  from wide\n";
    let shop = Shop::of(&format!("{MODEL}{entity}"), base, StoreOptions::Memory);
    assert!(matches!(shop.run(), Ended::Caught));
    assert!(matches!(shop.switch(Switch::Forth), Ok(Turned::Done(_))));
    let number = |text: &str| keyfold_types::Value::N(text.parse().unwrap());
    let item = |de: &str, bits: &str, other: &str| {
        values([
            ("id", 1.into()),
            ("de", de.into()),
            ("b64", number(bits)),
            ("big", number(most)),
            ("other", other.into()),
        ])
    };
    shop.put("Wide", &item(long, most, "b")).unwrap();
    let two = values([("id", 2.into()), ("b64", number("9223372036854775809"))]);
    shop.put("Wide", &two).unwrap();
    let ended = shop.run();
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    let rows = shop
        .base
        .must("SELECT concat_ws(' ', de, b64 + 0, big, other) FROM wide ORDER BY id");
    let rows: Vec<String> = rows.into_iter().flatten().flatten().collect();
    assert_eq!(
        rows,
        [
            format!("{long} {most} {most} b"),
            "9223372036854775809".to_owned()
        ]
    );
    let help = "give the item another value, or the column another type";
    let over = format!("1{long}");
    for (item, due) in [
        (
            item(long, most, "abcdef"),
            "the database refuses its row of `wide`: MariaDB says: Data too long for column 'other' at row 1".to_owned(),
        ),
        (
            item(&over, most, "b"),
            format!(
                "`de` of `wide` is decimal(65,30) and cannot hold \"{}\"... (it is out of range): {help}",
                &over[..40]
            ),
        ),
        (
            item("1.5.5", most, "b"),
            format!("`de` of `wide` is decimal(65,30) and cannot hold \"1.5.5\" (it is no number): {help}"),
        ),
        (
            item(long, "18446744073709551616", "b"),
            format!("`b64` of `wide` is bit(64) and cannot hold \"18446744073709551616\" (it is out of range): {help}"),
        ),
    ] {
        shop.put("Wide", &item).unwrap();
        assert_eq!(problem(shop.run()), format!("Wide (id = 1): {due}"));
    }
    shop.put("Wide", &item(long, most, "c")).unwrap();
    assert!(matches!(shop.run(), Ended::Caught));
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
}

/// A database that a role of few rights migrates, and that its owner writes to.
struct AsRole {
    owner: Box<dyn Base>,
    from: String,
}

impl Base for AsRole {
    fn open(&self) -> Box<dyn Source> {
        match self.from.starts_with("postgres") {
            true => Box::new(Postgres::open(&self.from).unwrap()),
            false => Box::new(Mariadb::open(&self.from).unwrap()),
        }
    }

    fn said(&self, sql: &str) -> Result<Vec<Row>, String> {
        self.owner.said(sql)
    }

    fn upsert(&self, table: &str, keys: usize, held: &[(&str, String)]) -> String {
        self.owner.upsert(table, keys, held)
    }

    fn unchecked(&self) -> &'static str {
        self.owner.unchecked()
    }

    fn left(&self) -> Vec<Row> {
        self.owner.left()
    }
}

fn refused(ended: Ended) -> Vec<String> {
    match ended {
        Ended::Source(error) => error.message.lines().map(str::to_owned).collect(),
        other => panic!("{other:?}"),
    }
}

/// A switch is refused with lines, and nothing is changed; with what they say, it is carried out to and fro.
fn switches_with_rights(shop: &Shop, due: &[&str], granted: &[&str]) {
    let left = shop.base.left();
    let said = shop.switch(Switch::Forth).map_err(refused);
    let due: Vec<String> = due.iter().map(|line| (*line).to_owned()).collect();
    assert_eq!(said.err(), Some(due));
    assert_eq!(shop.base.left(), left);
    assert_eq!(shop.takes(), BOTH);
    let state = shop.state().unwrap();
    assert_eq!((state.phase, state.turns), (Phase::Follow, 0));
    granted.iter().for_each(|sql| drop(shop.base.must(sql)));
    let turned = shop.switch(Switch::Forth);
    assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    let held = [("sku", "pen".into()), ("title", "Pen".into())];
    shop.put("Product", &values(held)).unwrap();
    let ended = shop.run();
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    assert_eq!(shop.rows().products["pen"], "Pen");
    assert_eq!(shop.differences(), [""; 0]);
}

#[test]
fn a_role_of_postgres_is_told_each_right_that_it_lacks() {
    let server = support::Server::start();
    let owner = OfPostgres::boxed(&server, "rights");
    owner.must("CREATE ROLE r LOGIN");
    let from = server.name("rights").replace("//me@", "//r@");
    let shop = Shop::new(Box::new(AsRole { owner, from }));
    Op::Product("ink".to_owned(), "Ink".to_owned()).to_rows(&shop);
    for table in ["customers", "products", "orders"] {
        shop.base.must(&format!("GRANT SELECT ON {table} TO r"));
    }
    shop.base.must("REVOKE SELECT ON products FROM r");
    shop.base.must("GRANT SELECT (sku, title) ON products TO r");
    let owned = |table: &str, what: &str| {
        format!(
            "\"public\".\"{table}\" belongs to \"me\", and only its owner may {what}: GRANT \"me\" TO \"r\", or ALTER TABLE \
             \"public\".\"{table}\" OWNER TO \"r\""
        )
    };
    let publish = |table| owned(table, "publish it");
    let said = refused(shop.run());
    assert_eq!(
        said,
        [
            "the role may not create a publication (CREATE on the database): GRANT CREATE ON DATABASE \"rights\" TO \"r\"",
            "the role may not make a replication slot (REPLICATION): ALTER ROLE \"r\" REPLICATION",
            &publish("customers"),
            &publish("products"),
            "the role lacks SELECT on \"public\".\"products\": GRANT SELECT ON \"public\".\"products\" TO \"r\"",
            &publish("orders"),
        ]
    );
    assert!(shop.base.left().is_empty(), "{:?}", shop.base.left());
    for sql in [
        "GRANT CREATE ON DATABASE rights TO r",
        "ALTER ROLE r REPLICATION",
        "ALTER TABLE customers OWNER TO r",
        "ALTER TABLE products OWNER TO r",
        "ALTER TABLE orders OWNER TO r",
        "GRANT SELECT ON products TO r",
        "ALTER ROLE r SET default_transaction_read_only = on",
    ] {
        shop.base.must(sql);
    }
    assert_eq!(
        refused(shop.run()),
        [
            "the transactions of the role only read (default_transaction_read_only is on): ALTER ROLE \"r\" SET \
             default_transaction_read_only = off"
        ]
    );
    shop.base
        .must("ALTER ROLE r SET default_transaction_read_only = off");
    let ended = shop.run();
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    shop.base
        .must("REVOKE TRIGGER, DELETE ON products FROM r; REVOKE CREATE ON DATABASE rights FROM r");
    let close = |table| owned(table, "let it refuse writes");
    switches_with_rights(
        &shop,
        &[
            "the role may not create a schema (CREATE on the database): GRANT CREATE ON DATABASE \"rights\" TO \"r\"",
            "the role lacks DELETE, TRIGGER on \"public\".\"products\": GRANT DELETE, TRIGGER ON \"public\".\"products\" TO \
             \"r\"",
            &close("orders_high"),
            &close("orders_low"),
        ],
        &[
            "GRANT CREATE ON DATABASE \"rights\" TO \"r\"",
            "GRANT DELETE, TRIGGER ON \"public\".\"products\" TO \"r\"",
            "ALTER TABLE orders_high OWNER TO r",
            "ALTER TABLE orders_low OWNER TO r",
        ],
    );
}

#[test]
fn a_role_of_mariadb_is_told_each_right_that_it_lacks() {
    let server = mariadb_server::Server::start();
    let owner = OfMariadb::boxed(&server, "rights");
    for sql in [
        "CREATE USER r@localhost",
        "GRANT SELECT ON rights.* TO r@localhost",
        "GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO r@localhost",
        "GRANT INSERT ON rights.customers TO r@localhost",
    ] {
        owner.must(sql);
    }
    let from = server.name_of("r", "rights");
    let shop = Shop::new(Box::new(AsRole { owner, from }));
    Op::Product("ink".to_owned(), "Ink".to_owned()).to_rows(&shop);
    let ended = shop.run();
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    let lacks = |rights: &str, table: &str| {
        let place = format!("`rights`.`{table}`");
        format!("the role lacks {rights} on {place}: GRANT {rights} ON {place} TO 'r'@'localhost'")
    };
    let all = [
        lacks("UPDATE, DELETE, TRIGGER", "customers"),
        lacks("INSERT, UPDATE, DELETE, TRIGGER", "products"),
        lacks("INSERT, UPDATE, DELETE, TRIGGER", "orders"),
        lacks("INSERT, UPDATE, DELETE, CREATE, DROP", "keyfold_lead"),
    ];
    let due: Vec<&str> = all.iter().map(String::as_str).collect();
    let trust = "the role may not make triggers in a database with a binary log: SET GLOBAL \
                 log_bin_trust_function_creators = 1, or GRANT SUPER ON *.* TO 'r'@'localhost'";
    let granted = all.iter().map(|line| line.split_once(": ").unwrap().1);
    let granted: Vec<&str> = granted
        .chain(["SET GLOBAL log_bin_trust_function_creators = 1"])
        .collect();
    switches_with_rights(&shop, &[&due[..], &[trust]].concat(), &granted);
}
