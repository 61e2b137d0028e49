//! Rows that go in great numbers: their items are deleted by as few transactions as they were put, and a run that is
//! stopped says what it has done.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod worlds;

use keyfold_api::{GetItemInput, Request, Response};
use keyfold_client::Backend;
use keyfold_model::Model;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{Ended, Figures, Mapping, Migration, Progress, verify};
use keyfold_types::{Item, Value};
use rusqlite::Connection;
use std::time::Duration;
use tempfile::TempDir;
use worlds::{backend, compiled};

const MODEL: &str = r#"model shop 1

table Shop (PK, SK)

entity Customer in Shop
  customerId: int, orders: int
  key "CUSTOMER#{customerId}" "PROFILE"
  count orders of Order
  from customers set customerId = customers.id

entity Order in Shop
  customerId: Customer.customerId, orderId: int, cents: int
  key ORDER
  from orders set orderId = orders.id

entity Note in Shop
  noteId: int
  key "NOTE#{noteId}" "NOTE"
  from notes set noteId = notes.id

pattern customer(customerId) -> Customer
"#;

/// Orders whose key has their customer in it, or has not.
const KEYS: [&str; 2] = [
    "\"CUSTOMER#{customerId}\" \"ORDER#{orderId:06}\"",
    "\"ORDER#{orderId}\" \"ORDER\"",
];

struct World {
    model: Model,
    backend: Backend,
    program: Connection,
    source: Sqlite,
    _folder: TempDir,
}

impl World {
    fn of(key: &str) -> World {
        let model = compiled(&MODEL.replace("ORDER\n", &format!("{key}\n")));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shop.db");
        let program = Connection::open(&path).unwrap();
        let schema = "PRAGMA journal_mode = WAL; CREATE TABLE customers (id INTEGER PRIMARY KEY); CREATE TABLE orders (id INTEGER \
                      PRIMARY KEY, customer_id INTEGER NOT NULL, cents INTEGER NOT NULL); CREATE TABLE notes (id INTEGER PRIMARY \
                      KEY); INSERT INTO customers VALUES (1), (2)";
        program.execute_batch(schema).unwrap();
        let mut world = World {
            backend: backend(&model),
            model,
            program,
            source: Sqlite::open(&path).unwrap(),
            _folder: folder,
        };
        world.run();
        world
    }

    fn run(&mut self) -> Figures {
        let progress = Progress::default();
        assert!(matches!(self.run_with(&progress), Ended::Caught));
        progress.figures()
    }

    fn run_with(&mut self, progress: &Progress) -> Ended {
        let mapping = Mapping::of(&self.model, &mut self.source).unwrap();
        Migration::new(&mapping, &mut self.source, &self.backend, progress).run(true)
    }

    /// How many batches the store takes while the changes of a statement are carried.
    fn batches_of(&mut self, sql: &str) -> u64 {
        self.program.execute_batch(sql).unwrap();
        let batches = |world: &World| match &world.backend {
            Backend::Embedded(engine) => engine.store_counts().batches,
            _ => panic!("it is none of this process"),
        };
        let before = batches(self);
        self.run();
        batches(self) - before
    }

    fn orders_of_first(&self) -> u64 {
        let get = GetItemInput {
            table_name: Some("Shop".to_owned()),
            key: Some(Ok(Item::from_iter([
                ("PK", "CUSTOMER#1"),
                ("SK", "PROFILE"),
            ]))),
            ..GetItemInput::default()
        };
        let Ok(Response::GetItem(found)) = self.backend.call(Request::from(get)) else {
            panic!("it cannot be read")
        };
        match found.item.unwrap().to_item().get("orders") {
            Some(Value::N(count)) => count.to_string().parse().unwrap(),
            other => panic!("{other:?}"),
        }
    }
}

fn many(count: u64, into: &str) -> String {
    format!(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count}) {into}"
    )
}

#[test]
fn items_are_deleted_by_as_few_transactions_as_they_are_put() {
    for key in KEYS {
        let mut world = World::of(key);
        let put = many(600, "INSERT INTO orders SELECT n, 1 + n % 2, n FROM n");
        let put = world.batches_of(&put);
        assert_eq!(world.orders_of_first(), 300);
        let deleted = world.batches_of("DELETE FROM orders WHERE id > 2");
        assert_eq!(world.orders_of_first(), 1);
        assert!(put < 60, "{put}");
        assert!(deleted <= put + 5, "{deleted} for what {put} have put");
        let put = many(600, "INSERT INTO notes SELECT n FROM n");
        let put = world.batches_of(&put);
        let deleted = world.batches_of("DELETE FROM notes");
        assert!(deleted <= put + 5, "{deleted} for what {put} have put");
        let mapping = Mapping::of(&world.model, &mut world.source).unwrap();
        let progress = Progress::default();
        let found = verify(&mapping, &mut world.source, &world.backend, &progress);
        assert_eq!(found.unwrap().differences, []);
    }
}

#[test]
fn a_run_that_is_stopped_counts_what_it_has_done() {
    const ORDERS: u64 = 3_000;
    let mut world = World::of(KEYS[0]);
    let put = many(ORDERS, "INSERT INTO orders SELECT n, 1, n FROM n");
    world.program.execute_batch(&put).unwrap();
    world.run();
    world.program.execute_batch("DELETE FROM orders").unwrap();
    let progress = Progress::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while progress.figures().deleted == 0 && !progress.is_stopping() {
                std::thread::sleep(Duration::from_millis(1));
            }
            progress.stop();
        });
        let ended = world.run_with(&progress);
        // However it ended: the other thread does not wait for ever.
        progress.stop();
        assert!(matches!(ended, Ended::Stopped | Ended::Caught), "{ended:?}");
    });
    let (done, left) = (progress.figures().deleted, world.orders_of_first());
    assert_eq!(done + left, ORDERS);
    assert_eq!(world.run().deleted, left);
}
