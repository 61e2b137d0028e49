//! A database that programs write to while it is migrated, and a migration that dies again and again: at the
//! end the tables hold what they would hold if the rows of today had been written once, and nothing else.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod worlds;

use fastrand::Rng;
use keyfold_relational::Source;
use keyfold_relational::sqlite::Sqlite;
use rusqlite::Connection;
use worlds::{World, compiled, of_seeds};

const SCHEMA: &str = r#"
PRAGMA journal_mode = WAL;
CREATE TABLE customers (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT NOT NULL, gone INTEGER NOT NULL DEFAULT 0);
CREATE TABLE addresses ("customer id" INTEGER PRIMARY KEY, city TEXT, country INTEGER);
CREATE TABLE countries (number INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE orders (customer_id INTEGER NOT NULL, order_id TEXT NOT NULL, total TEXT, placed_at TEXT NOT NULL, paid INTEGER,
  PRIMARY KEY (customer_id, order_id)) WITHOUT ROWID;
"#;

const MODEL: &str = r#"model shop 1

table Shop (PK, SK)
  gsi ByMail (mail)

entity Customer in Shop
  customerId: string, mail: string?, name: string, city: string?, country: string?, orders: int, spent: number, revision: int
  key "CUSTOMER#{customerId}" "PROFILE"
  unique mail
  count orders of Order
  sum spent of Order.total
  version revision
  from customers c left join addresses a on a."customer id" = c.id left join countries k on k.number = a.country where "c.gone = 0"
    set customerId = c.id, name = "c.name || '!'", city = a.city, country = k.name

entity Order in Shop
  customerId: Customer.customerId, orderId: string, total: number, placedAt: time(s), paid: bool?
  key "CUSTOMER#{customerId}" "ORDER#{orderId}"
  copy recent "RECENT" "{placedAt}#{customerId}#{orderId}" only total
  from orders o join customers owner on owner.id = o.customer_id where "owner.gone = 0"

pattern customer(customerId) -> Customer
pattern orders(customerId) -> Order[]
pattern recent() -> Order.recent[]
pattern by_mail(mail) -> Customer?
"#;

/// One transaction of one to three statements. One that the schema refuses changes nothing.
fn written(program: &Connection, rng: &mut Rng) {
    let (one, two) = (rng.u8(1..7), rng.u8(1..7));
    let (mail, order) = (rng.u8(0..4), rng.u8(0..4));
    let total = ["1.5", "20", "0.25", "7"][rng.usize(0..4)];
    let at = format!("2026-0{}-01 10:00:0{}", rng.u8(1..9), rng.u8(0..9));
    let statements = [
        format!("INSERT INTO customers VALUES ({one}, 'm{mail}', 'n{two}', 0)"),
        format!("INSERT OR REPLACE INTO customers VALUES ({one}, 'm{mail}', 'n{two}', 0)"),
        format!("UPDATE customers SET mail = NULL, name = 'n{order}' WHERE id = {one}"),
        format!("UPDATE OR REPLACE customers SET mail = 'm{mail}' WHERE id = {one}"),
        format!("UPDATE OR REPLACE customers SET id = {two} WHERE id = {one}"),
        format!("UPDATE customers SET gone = 1 - gone WHERE id = {one}"),
        format!("DELETE FROM customers WHERE id = {one}"),
        format!("INSERT OR REPLACE INTO addresses VALUES ({one}, 'c{two}', {mail})"),
        format!(
            "UPDATE OR IGNORE addresses SET \"customer id\" = {two} WHERE \"customer id\" = {one}"
        ),
        format!("DELETE FROM addresses WHERE \"customer id\" = {one}"),
        format!("INSERT OR REPLACE INTO countries VALUES ({mail}, 'k{two}')"),
        format!("DELETE FROM countries WHERE number = {mail}"),
        format!(
            "INSERT OR REPLACE INTO orders VALUES ({one}, 'o{order}', '{total}', '{at}', {})",
            mail % 2
        ),
        format!("INSERT OR REPLACE INTO orders VALUES ({two}, 'o{mail}', '{total}', '{at}', NULL)"),
        format!("UPDATE orders SET total = '{total}' WHERE customer_id = {one}"),
        format!(
            "UPDATE OR REPLACE orders SET customer_id = {two} WHERE customer_id = {one} AND order_id = 'o{order}'"
        ),
        format!("DELETE FROM orders WHERE customer_id = {one} AND order_id > 'o{order}'"),
        "DELETE FROM countries".to_owned(),
    ];
    let count = rng.usize(1..4);
    program.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut is_right = true;
    for _ in 0..count {
        let statement = &statements[rng.usize(0..statements.len())];
        is_right &= program.execute_batch(statement).is_ok();
    }
    let end = if is_right { "COMMIT" } else { "ROLLBACK" };
    program.execute_batch(end).unwrap();
}
fn one_world(seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let program = Connection::open(&path).unwrap();
    program.execute_batch(SCHEMA).unwrap();
    // The condition of a line stands in it.
    let text = MODEL.replace("gone = 0\"\n    set", "gone = 0\" set");
    let world = World {
        model: compiled(&text),
        open: &|| -> Box<dyn Source> { Box::new(Sqlite::open(&path).unwrap()) },
        program: &|rng| written(&program, rng),
    };
    world.is_migrated(seed);
    let left: u32 = program
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE name LIKE 'keyfold%'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(left, 0);
}

#[test]
fn whatever_is_written_meanwhile_arrives_once() {
    of_seeds(60, one_world);
}
