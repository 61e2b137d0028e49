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

use fastrand::Rng;
use keyfold_api::{Request, Response, ScanInput};
use keyfold_client::{Backend, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_model::schema::origin::SqlTable;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{
    Cell, Change, Column, Ended, Mapping, Migration, Progress, Sizes, Source, SourceError, Watched,
    check, verify,
};
use keyfold_types::{Item, Value};
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;

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

fn model() -> Model {
    // The condition of a line stands in it.
    let text = MODEL.replace("gone = 0\"\n    set", "gone = 0\" set");
    let compiled = keyfold_model::compile(&text);
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

/// The items of the table, without what only writes count.
fn items(backend: &Backend) -> Vec<Item> {
    let scan = ScanInput {
        table_name: Some("Shop".to_owned()),
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

/// A program that writes to the database.
struct Program {
    connection: Connection,
    rng: Rng,
}

impl Program {
    fn open(path: &Path, seed: u64) -> Program {
        let connection = Connection::open(path).unwrap();
        Program {
            connection,
            rng: Rng::with_seed(seed),
        }
    }

    /// One transaction of one to three statements. One that the schema refuses changes nothing.
    fn write(&mut self) {
        let rng = &mut self.rng;
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
            format!(
                "INSERT OR REPLACE INTO orders VALUES ({two}, 'o{mail}', '{total}', '{at}', NULL)"
            ),
            format!("UPDATE orders SET total = '{total}' WHERE customer_id = {one}"),
            format!(
                "UPDATE OR REPLACE orders SET customer_id = {two} WHERE customer_id = {one} AND order_id = 'o{order}'"
            ),
            format!("DELETE FROM orders WHERE customer_id = {one} AND order_id > 'o{order}'"),
            "DELETE FROM countries".to_owned(),
        ];
        let count = rng.usize(1..4);
        self.connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        let mut is_right = true;
        for _ in 0..count {
            let statement = &statements[self.rng.usize(0..statements.len())];
            is_right &= self.connection.execute_batch(statement).is_ok();
        }
        let end = if is_right { "COMMIT" } else { "ROLLBACK" };
        self.connection.execute_batch(end).unwrap();
    }
}

/// A database in which a program writes before each call, and which dies at one of them.
struct Busy {
    inner: Sqlite,
    program: Program,
    writes: u32,
    calls_left: u32,
}

impl Busy {
    fn called(&mut self) -> Result<(), SourceError> {
        for _ in 0..self.program.rng.u8(0..3) {
            if self.writes > 0 {
                self.writes -= 1;
                self.program.write();
            }
        }
        self.calls_left = self.calls_left.saturating_sub(1);
        match self.calls_left {
            0 => Err(SourceError::lasting("killed")),
            _ => Ok(()),
        }
    }
}

impl Source for Busy {
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

/// What the tables hold if the rows are written once, into empty tables.
fn oracle(model: &Model, path: &Path) -> Vec<Item> {
    let mut source = Sqlite::open(path).unwrap();
    let mapping = Mapping::of(model, &mut source).unwrap();
    let backend = backend(model);
    for mapped in &mapping.entities {
        for values in mapped.all_values(&mut source).unwrap() {
            write::create(&backend, model, mapped.entity, &values.unwrap()).unwrap();
        }
    }
    items(&backend)
}

fn one_world(seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let mut program = Program::open(&path, seed);
    program.connection.execute_batch(SCHEMA).unwrap();
    for _ in 0..program.rng.u8(0..60) {
        program.write();
    }
    let model = model();
    let backend = backend(&model);
    let mut writes = 60;
    let mut seed_of_program = seed;
    loop {
        let inner = Sqlite::open(&path).unwrap();
        seed_of_program += 1_000_000;
        let calls_left = match writes {
            0 => u32::MAX,
            _ => program.rng.u32(1..60),
        };
        let mut source = Busy {
            inner,
            program: Program::open(&path, seed_of_program),
            writes,
            calls_left,
        };
        let mapping = Mapping::of(&model, &mut Sqlite::open(&path).unwrap()).unwrap();
        let progress = Progress::default();
        let sizes = Sizes {
            rows: program.rng.usize(1..5),
            changes: program.rng.usize(1..20),
        };
        let mut migration =
            Migration::new(&mapping, &mut source, &backend, &progress).with_sizes(sizes);
        let ended = migration.run(true);
        writes = source.writes;
        match ended {
            Ended::Caught => break,
            Ended::Source(error) if error.message == "killed" => {}
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    // What the program wrote at the very end.
    let mut source = Sqlite::open(&path).unwrap();
    let mapping = Mapping::of(&model, &mut source).unwrap();
    let progress = Progress::default();
    let ended = Migration::new(&mapping, &mut source, &backend, &progress).run(true);
    assert!(matches!(ended, Ended::Caught), "seed {seed}: {ended:?}");
    assert_eq!(items(&backend), oracle(&model, &path), "seed {seed}");
    let verified = verify(&mapping, &mut source, &backend, &progress).unwrap();
    assert_eq!(verified.differences, [], "seed {seed}");
    let checked = check(&mapping, &mut source, &progress).unwrap();
    assert_eq!(checked.problems, [], "seed {seed}");
    let ended = Migration::new(&mapping, &mut source, &backend, &progress).complete();
    assert!(ended.is_ok(), "{ended:?}");
    let left: u32 = program
        .connection
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
    let worlds = std::env::var("MIGRATION_WORLDS").map_or(60, |text| text.parse().unwrap());
    let first = std::env::var("MIGRATION_SEED").map_or(0, |text| text.parse().unwrap());
    for seed in first..first + worlds {
        one_world(seed);
    }
}
