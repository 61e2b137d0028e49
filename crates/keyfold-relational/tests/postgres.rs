//! A PostgreSQL that programs write to while it is migrated: a migration that dies again and again, a server
//! that is killed, and what PostgreSQL alone can do to a log.

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

use fastrand::Rng;
use keyfold_relational::Source;
use keyfold_relational::postgres::Postgres;
use support::{Program, Server};
use worlds::{World, compiled, of_seeds};

const SCHEMA: &str = r#"
CREATE TABLE customers (id integer PRIMARY KEY, mail text UNIQUE, name text NOT NULL, gone boolean NOT NULL DEFAULT false, notes text);
CREATE TABLE addresses ("customer id" integer PRIMARY KEY, city text, country integer);
CREATE TABLE countries (number integer PRIMARY KEY, name text);
CREATE TABLE orders (customer_id integer NOT NULL, order_id text NOT NULL, total numeric, placed_at timestamptz NOT NULL, paid boolean,
  tags text[], PRIMARY KEY (customer_id, order_id)) PARTITION BY RANGE (customer_id);
CREATE TABLE orders_low PARTITION OF orders FOR VALUES FROM (0) TO (3);
CREATE TABLE orders_high PARTITION OF orders FOR VALUES FROM (3) TO (100);
CREATE TABLE others (id serial PRIMARY KEY, text text);
ALTER TABLE addresses REPLICA IDENTITY FULL;
"#;

const MODEL: &str = r#"model shop 1

table Shop (PK, SK)
  gsi ByMail (mail)

entity Customer in Shop
  customerId: string, mail: string?, name: string, city: string?, country: string?, notes: string?, orders: int, spent: number, revision: int
  key "CUSTOMER#{customerId}" "PROFILE"
  unique mail
  count orders of Order
  sum spent of Order.total
  version revision
  from customers c left join addresses a on a."customer id" = c.id left join countries k on k.number = a.country where "not c.gone" set customerId = c.id, name = "c.name || '!'", city = a.city, country = k.name

entity Order in Shop
  customerId: Customer.customerId, orderId: string, total: number, placedAt: time(s), paid: bool?, tags: list of string?
  key "CUSTOMER#{customerId}" "ORDER#{orderId}"
  copy recent "RECENT" "{placedAt}#{customerId}#{orderId}" only total
  from orders o join customers owner on owner.id = o.customer_id where "not owner.gone"

pattern customer(customerId) -> Customer
pattern orders(customerId) -> Order[]
pattern recent() -> Order.recent[]
pattern by_mail(mail) -> Customer?
"#;

/// One transaction of one to three statements. One that the schema refuses changes nothing.
fn written(program: &Program, rng: &mut Rng) {
    let (one, two) = (rng.u8(1..7), rng.u8(1..7));
    let (mail, order) = (rng.u8(0..4), rng.u8(0..4));
    let total = ["1.5", "20.00", "0.25", "7"][rng.usize(0..4)];
    let at = format!("2026-0{}-01 10:00:0{}+02", rng.u8(1..9), rng.u8(0..9));
    let long = "x".repeat(9_000) + &rng.u64(..).to_string();
    let statements = [
        format!("INSERT INTO customers VALUES ({one}, 'm{mail}', 'n{two}', false, '{long}')"),
        format!(
            "INSERT INTO customers VALUES ({one}, 'm{mail}', 'n{two}') ON CONFLICT (id) DO UPDATE SET name = 'u{mail}'"
        ),
        format!("UPDATE customers SET mail = NULL, name = 'n{order}' WHERE id = {one}"),
        format!("UPDATE customers SET id = {two} WHERE id = {one}"),
        format!("UPDATE customers SET gone = NOT gone WHERE id = {one}"),
        format!("DELETE FROM customers WHERE id = {one}"),
        format!(
            "INSERT INTO addresses VALUES ({one}, 'c{two}', {mail}) ON CONFLICT (\"customer id\") DO UPDATE SET country = {order}"
        ),
        format!("UPDATE addresses SET \"customer id\" = {two} WHERE \"customer id\" = {one}"),
        format!("DELETE FROM addresses WHERE \"customer id\" = {one}"),
        format!(
            "INSERT INTO countries VALUES ({mail}, 'k{two}') ON CONFLICT (number) DO UPDATE SET name = 'k{one}'"
        ),
        format!("DELETE FROM countries WHERE number = {mail}"),
        format!(
            "INSERT INTO orders VALUES ({one}, 'o{order}', {total}, '{at}', true, ARRAY['a', 'b \"{one}\"'])"
        ),
        format!("INSERT INTO orders VALUES ({two}, 'o{mail}', {total}, '{at}')"),
        format!("UPDATE orders SET total = {total} WHERE customer_id = {one}"),
        format!(
            "UPDATE orders SET customer_id = {two} WHERE customer_id = {one} AND order_id = 'o{order}'"
        ),
        format!("DELETE FROM orders WHERE customer_id = {one} AND order_id > 'o{order}'"),
        "INSERT INTO others (text) SELECT 'x' FROM generate_series(1, 30)".to_owned(),
    ];
    let mut all = String::from("BEGIN;");
    for _ in 0..rng.usize(1..4) {
        all.push_str(&statements[rng.usize(0..statements.len())]);
        all.push(';');
    }
    let end = if rng.u8(0..8) == 0 {
        "ROLLBACK"
    } else {
        "COMMIT"
    };
    if !program.execute(&format!("{all}{end}")) {
        program.must("ROLLBACK");
    }
}

fn one_world(server: &Server, seed: u64) {
    let database = format!("world{seed}");
    server
        .connect("postgres")
        .must(&format!("CREATE DATABASE {database}"));
    let name = server.name(&database);
    let program = server.connect(&database);
    program.must(SCHEMA);
    let world = World {
        model: compiled(MODEL),
        open: &|| -> Box<dyn Source> { Box::new(Postgres::open(&name).unwrap()) },
        program: &|rng| written(&program, rng),
    };
    world.is_migrated(seed);
    let left = "SELECT (SELECT count(*) FROM pg_replication_slots WHERE database = current_database()) || ' ' || \
                (SELECT count(*) FROM pg_publication)";
    assert_eq!(program.text(left), "0 0");
}

#[test]
fn whatever_is_written_meanwhile_arrives_once() {
    let server = Server::start();
    of_seeds(10, |seed| one_world(&server, seed));
}

#[test]
fn what_nobody_has_committed_is_no_reason_to_wait() {
    let server = Server::start();
    let program = server.connect("postgres");
    program.must("CREATE TABLE notes (id integer PRIMARY KEY)");
    let mut source = Postgres::open(&server.name("postgres")).unwrap();
    // The server writes the log of an open transaction each fifteen seconds: three times are over thirty.
    let began = std::time::Instant::now();
    program.must("BEGIN");
    for id in 0..3 {
        program.must(&format!("INSERT INTO notes VALUES ({id})"));
        source.settle().unwrap();
    }
    program.must("COMMIT");
    let took = began.elapsed();
    assert!(took.as_secs() < 20, "it took {took:?}");
}
