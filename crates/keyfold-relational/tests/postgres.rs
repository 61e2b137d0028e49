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

use fastrand::Rng;
use keyfold_api::{Request, Response, ScanInput};
use keyfold_client::{Backend, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_model::schema::origin::SqlTable;
use keyfold_relational::postgres::Postgres;
use keyfold_relational::{
    Cell, Change, Column, Ended, Mapping, Migration, Progress, Sizes, Source, SourceError, Watched,
    check, verify,
};
use keyfold_types::{Item, Value};
use std::cell::Cell as StdCell;
use std::sync::Arc;
use support::{Program, Server};

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

/// The items of a table, without what only writes count.
fn items(backend: &Backend, table: &str) -> Vec<Item> {
    let scan = ScanInput {
        table_name: Some(table.to_owned()),
        consistent_read: Some(true),
        ..ScanInput::default()
    };
    let Ok(Response::Scan(output)) = backend.call(Request::from(scan)) else {
        panic!("no scan")
    };
    let mut items: Vec<Item> = Vec::new();
    for item in output.items.unwrap_or_default() {
        let mut item = item.to_item();
        item.remove("revision");
        // The sum of no order is 0 whether there was one or not.
        if item.get("spent:items") == Some(&Value::N(0_u64.into())) {
            item.remove("spent:items");
        }
        items.push(item);
    }
    items.sort_by_key(|item| format!("{:?}{:?}", item.get("PK"), item.get("SK")));
    items
}

/// What the tables hold if the rows are written once, into empty tables.
fn oracle(model: &Model, name: &str) -> Vec<Item> {
    let mut source = Postgres::open(name).unwrap();
    let mapping = Mapping::of(model, &mut source).unwrap();
    let backend = backend(model);
    for mapped in &mapping.entities {
        for values in mapped.all_values(&mut source).unwrap() {
            write::create(&backend, model, mapped.entity, &values.unwrap()).unwrap();
        }
    }
    items(&backend, "Shop")
}

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

/// A database in which a program writes before each call, and which dies at one of them.
struct Busy<'p> {
    inner: Postgres,
    program: &'p Program,
    rng: Rng,
    writes: &'p StdCell<u32>,
    calls_left: u32,
}

impl Busy<'_> {
    fn called(&mut self) -> Result<(), SourceError> {
        for _ in 0..self.rng.u8(0..3) {
            if self.writes.get() > 0 {
                self.writes.set(self.writes.get() - 1);
                written(self.program, &mut self.rng);
            }
        }
        self.calls_left = self.calls_left.saturating_sub(1);
        match self.calls_left {
            0 => Err(SourceError::lasting("killed")),
            _ => Ok(()),
        }
    }
}

impl Source for Busy<'_> {
    fn name(&self) -> String {
        self.inner.name()
    }
    fn columns(&mut self, table: &SqlTable) -> Result<Option<Vec<Column>>, SourceError> {
        self.inner.columns(table)
    }
    fn key(&mut self, table: &SqlTable) -> Result<Vec<String>, SourceError> {
        self.inner.key(table)
    }
    fn quoted(&self, name: &str) -> String {
        self.inner.quoted(name)
    }
    fn argument(&self, number: usize) -> String {
        self.inner.argument(number)
    }
    fn read(&self, sql: String, kind: &str) -> String {
        self.inner.read(sql, kind)
    }
    fn ready(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.inner.ready(watched)
    }
    fn hold(&mut self) -> Result<(), SourceError> {
        self.called()?;
        self.inner.hold()
    }
    fn release(&mut self) -> Result<(), SourceError> {
        self.inner.release()
    }
    fn query(&mut self, sql: &str, arguments: &[Cell]) -> Result<Vec<Vec<Cell>>, SourceError> {
        self.called()?;
        self.inner.query(sql, arguments)
    }
    fn watched_by(&mut self) -> Result<Option<String>, SourceError> {
        self.inner.watched_by()
    }
    fn watch(&mut self, watched: &[Watched], id: &str) -> Result<(), SourceError> {
        self.called()?;
        self.inner.watch(watched, id)?;
        self.called()
    }
    fn check_watch(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.inner.check_watch(watched)
    }
    fn unwatch(&mut self) -> Result<(), SourceError> {
        self.inner.unwatch()
    }
    fn changes(&mut self, watched: &[Watched], most: usize) -> Result<Change, SourceError> {
        self.called()?;
        self.inner.changes(watched, most)
    }
    fn forget(&mut self, watched: &[Watched], change: &Change) -> Result<(), SourceError> {
        self.called()?;
        self.inner.forget(watched, change)?;
        self.called()
    }
    fn claim(&mut self) -> Result<(), SourceError> {
        self.inner.claim()
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
    let mut rng = Rng::with_seed(seed);
    for _ in 0..rng.u8(0..60) {
        written(&program, &mut rng);
    }
    let model = compiled(MODEL);
    let backend = backend(&model);
    let writes = StdCell::new(60);
    loop {
        let calls_left = match writes.get() {
            0 => u32::MAX,
            _ => rng.u32(1..60),
        };
        let mut source = Busy {
            inner: Postgres::open(&name).unwrap(),
            program: &program,
            rng: rng.fork(),
            writes: &writes,
            calls_left,
        };
        let mapping = Mapping::of(&model, &mut Postgres::open(&name).unwrap()).unwrap();
        let progress = Progress::default();
        let sizes = Sizes {
            rows: rng.usize(1..5),
            changes: rng.usize(1..20),
        };
        let mut migration =
            Migration::new(&mapping, &mut source, &backend, &progress).with_sizes(sizes);
        match migration.run(true) {
            Ended::Caught => break,
            Ended::Source(error) if error.message == "killed" => {}
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    let mut source = Postgres::open(&name).unwrap();
    let mapping = Mapping::of(&model, &mut source).unwrap();
    let progress = Progress::default();
    let ended = Migration::new(&mapping, &mut source, &backend, &progress).run(true);
    assert!(matches!(ended, Ended::Caught), "seed {seed}: {ended:?}");
    assert_eq!(
        items(&backend, "Shop"),
        oracle(&model, &name),
        "seed {seed}"
    );
    let verified = verify(&mapping, &mut source, &backend, &progress).unwrap();
    assert_eq!(verified.differences, [], "seed {seed}");
    let checked = check(&mapping, &mut source, &progress).unwrap();
    assert_eq!(checked.problems, [], "seed {seed}");
    let ended = Migration::new(&mapping, &mut source, &backend, &progress).complete();
    assert!(ended.is_ok(), "{ended:?}");
    let left = "SELECT (SELECT count(*) FROM pg_replication_slots WHERE database = current_database()) || ' ' || \
                (SELECT count(*) FROM pg_publication)";
    assert_eq!(program.text(left), "0 0");
}

#[test]
fn whatever_is_written_meanwhile_arrives_once() {
    let worlds = std::env::var("MIGRATION_WORLDS").map_or(10, |text| text.parse().unwrap());
    let first = std::env::var("MIGRATION_SEED").map_or(0, |text| text.parse().unwrap());
    let server = Server::start();
    for seed in first..first + worlds {
        one_world(&server, seed);
    }
}
