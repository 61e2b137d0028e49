//! A shop whose rows and items are written by programs, one side at a time, while who leads changes.

#![allow(dead_code, reason = "each test takes what it needs")]

use keyfold_api::{DeleteItemInput, ErrorKind, Request};
use keyfold_client::{Backend, ClientError, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_motion::{Force, MOVING_AGENT};
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{
    Ended, Mapping, Migration, Progress, Source, State, Switch, Tables, Turned, verify,
};
use keyfold_types::{Item, Value};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const SCHEMA: &str = "PRAGMA journal_mode = WAL;
CREATE TABLE customers (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT NOT NULL);
CREATE TABLE products (sku TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL);
CREATE TABLE orders (customer_id INTEGER NOT NULL REFERENCES customers (id), order_id TEXT NOT NULL,
  sku TEXT NOT NULL REFERENCES products (sku), cents INTEGER NOT NULL CHECK (cents > 0), placed_at TEXT NOT NULL, paid INTEGER,
  PRIMARY KEY (customer_id, order_id)) WITHOUT ROWID;";

const MODEL: &str = r#"model shop 1

table Shop (PK, SK)

entity Customer in Shop
  customerId: int, mail: string?, name: string, note: string?, orders: int
  key "CUSTOMER#{customerId}" "PROFILE"
  unique mail
  count orders of Order
  from customers set customerId = customers.id

entity Product in Shop
  sku: string, title: string
  key "PRODUCT#{sku}" "PRODUCT"
  from products

entity Order in Shop
  customerId: Customer.customerId, orderId: string, sku: string, title: string, price: number, placedAt: time(s), paid: bool?
  key "CUSTOMER#{customerId}" "ORDER#{orderId}"
  copy recent "RECENT" "{placedAt}#{customerId}#{orderId}" only price
  from orders o join products p on p.sku = o.sku set title = p.title, price = "o.cents / 100.0" back cents = "round(price * 100)"

pattern customer(customerId) -> Customer
pattern orders(customerId) -> Order[]
pattern recent() -> Order.recent[]
"#;

/// An order: its product, its cents and whether it is paid.
pub(crate) type Ordered = (String, i64, Option<bool>);

/// What programs have written, whatever side has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) customers: BTreeMap<i64, (Option<String>, String)>,
    pub(crate) products: BTreeMap<String, String>,
    pub(crate) orders: BTreeMap<(i64, String), Ordered>,
}

/// Which sides take writes of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Takes {
    pub(crate) rows: bool,
    pub(crate) items: bool,
}

/// The shop.
pub(crate) struct Shop {
    pub(crate) program: Connection,
    pub(crate) model: Model,
    pub(crate) backend: Arc<Backend>,
    pub(crate) tables: Tables,
    folder: TempDir,
}

pub(crate) fn values<'n>(
    pairs: impl IntoIterator<Item = (&'n str, Value)>,
) -> BTreeMap<String, Value> {
    let pairs = pairs.into_iter();
    pairs.map(|(name, held)| (name.to_owned(), held)).collect()
}

impl Shop {
    pub(crate) fn new() -> Shop {
        let folder = tempfile::tempdir().unwrap();
        let program = Connection::open(folder.path().join("shop.db")).unwrap();
        program.execute_batch(SCHEMA).unwrap();
        program.busy_timeout(Duration::ZERO).unwrap();
        let compiled = keyfold_model::compile(MODEL);
        let Some(model) = compiled.model else {
            panic!("{:#?}", compiled.diagnostics)
        };
        let mut options = EngineOptions::new(StoreOptions::Memory);
        options.agent = MOVING_AGENT.to_owned();
        let engine = Engine::open(options).unwrap();
        let backend = Arc::new(Backend::Embedded(Arc::new(engine)));
        tables::ensure(&backend, &model).unwrap();
        let force = Force {
            steady: Duration::ZERO,
            most: Duration::from_secs(2),
        };
        Shop {
            tables: Tables::new(&backend, "keyfold:./shop", force, Duration::ZERO),
            program,
            model,
            backend,
            folder,
        }
    }

    pub(crate) fn source(&self) -> Sqlite {
        Sqlite::open(&self.folder.path().join("shop.db")).unwrap()
    }

    /// A migration of a database that may be another form of the shop's.
    pub(crate) fn with<T>(
        &self,
        source: &mut dyn Source,
        does: impl FnOnce(&mut Migration<'_, '_>) -> T,
    ) -> T {
        let mapping = Mapping::of(&self.model, &mut self.source()).unwrap();
        let progress = Progress::default();
        let migration = Migration::new(&mapping, source, &self.backend, &progress);
        does(&mut migration.with_tables(&self.tables))
    }

    pub(crate) fn run(&self) -> Ended {
        self.with(&mut self.source(), |migration| migration.run(true))
    }

    pub(crate) fn switch(&self, way: Switch) -> Result<Turned, Ended> {
        self.with(&mut self.source(), |migration| migration.switch(way, false))
    }

    pub(crate) fn state(&self) -> Option<State> {
        self.with(&mut self.source(), |migration| migration.state().unwrap())
    }

    /// What differs between rows and items.
    pub(crate) fn differences(&self) -> Vec<String> {
        let mut source = self.source();
        let mapping = Mapping::of(&self.model, &mut source).unwrap();
        let found = verify(&mapping, &mut source, &self.backend, &Progress::default());
        let found = found.unwrap().differences;
        let lines = found.iter().map(|one| format!("{}: {}", one.row, one.what));
        lines.collect()
    }

    /// Which sides take a write of a program, which changes nothing.
    pub(crate) fn takes(&self) -> Takes {
        let tried = "BEGIN IMMEDIATE; INSERT INTO products VALUES ('probe', 'probe')";
        let rows = self.program.execute_batch(tried).is_ok();
        if !self.program.is_autocommit() {
            self.program.execute_batch("ROLLBACK").unwrap();
        }
        let probe = DeleteItemInput {
            table_name: Some("Shop".to_owned()),
            key: Some(Ok(Item::from_iter([("PK", "probe"), ("SK", "probe")]))),
            ..DeleteItemInput::default()
        };
        let items = match self.backend.call_as("program/1", Request::from(probe)) {
            Ok(_) => true,
            Err(error) if error.kind() == Some(ErrorKind::AccessDenied) => false,
            Err(error) => panic!("{error}"),
        };
        Takes { rows, items }
    }

    /// Writes an entity as a program does that knows the tables.
    pub(crate) fn put(
        &self,
        entity: &str,
        held: &BTreeMap<String, Value>,
    ) -> Result<(), ClientError> {
        let entity = self.model.entities.iter().find(|one| one.name == entity);
        write::put(&self.backend, &self.model, entity.unwrap(), held).map(drop)
    }

    pub(crate) fn delete(&self, entity: &str, key: &BTreeMap<String, Value>) {
        let entity = self.model.entities.iter().find(|one| one.name == entity);
        write::delete(&self.backend, &self.model, entity.unwrap(), key).unwrap();
    }

    /// What the rows hold.
    pub(crate) fn rows(&self) -> Written {
        let mut written = Written::default();
        let mut read = self.program.prepare("SELECT * FROM customers").unwrap();
        let mut rows = read.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let held = (row.get(1).unwrap(), row.get(2).unwrap());
            written.customers.insert(row.get(0).unwrap(), held);
        }
        let mut read = self.program.prepare("SELECT * FROM products").unwrap();
        let mut rows = read.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let sku: String = row.get(0).unwrap();
            written.products.insert(sku, row.get(1).unwrap());
        }
        let mut read = self.program.prepare("SELECT * FROM orders").unwrap();
        let mut rows = read.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let key = (row.get(0).unwrap(), row.get(1).unwrap());
            let held = (
                row.get(2).unwrap(),
                row.get(3).unwrap(),
                row.get(5).unwrap(),
            );
            assert_eq!(row.get::<_, String>(4).unwrap(), PLACED);
            written.orders.insert(key, held);
        }
        written
    }
}

const PLACED: &str = "2026-01-02 03:04:05";

/// A write of a program.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Customer(i64, Option<String>, String),
    NoCustomer(i64),
    Product(String, String),
    Order(i64, String, Ordered),
    NoOrder(i64, String),
}

impl Op {
    /// One of chance.
    pub(crate) fn of(rng: &mut fastrand::Rng) -> Op {
        let (id, order) = (rng.i64(1..5), format!("o{}", rng.u8(0..3)));
        let sku = format!("s{}", rng.u8(0..3));
        let mail = rng.bool().then(|| format!("m{}", rng.u8(0..3)));
        match rng.u8(0..8) {
            0..=2 => Op::Customer(id, mail, format!("n{}", rng.u8(0..9))),
            3 => Op::NoCustomer(id),
            4 => Op::Product(sku, format!("t{}", rng.u8(0..9))),
            5 | 6 => {
                let paid = [None, Some(true), Some(false)][rng.usize(0..3)];
                Op::Order(id, order, (sku, rng.i64(1..5_000), paid))
            }
            _ => Op::NoOrder(id, order),
        }
    }

    /// Whether programs write it: what it refers to is there, and nobody else has what is unique.
    pub(crate) fn is_due(&self, written: &Written) -> bool {
        match self {
            Op::Customer(id, mail, _) => {
                let mut others = written.customers.iter();
                mail.is_none() || !others.any(|(other, (held, _))| other != id && held == mail)
            }
            Op::NoCustomer(id) => {
                let has_orders = written.orders.keys().any(|(of, _)| of == id);
                written.customers.contains_key(id) && !has_orders
            }
            Op::Product(..) => true,
            Op::Order(id, _, (sku, ..)) => {
                written.customers.contains_key(id) && written.products.contains_key(sku)
            }
            Op::NoOrder(id, order) => written.orders.contains_key(&(*id, order.clone())),
        }
    }

    /// Writes it to the rows.
    pub(crate) fn to_rows(&self, shop: &Shop) {
        let program = &shop.program;
        let done = match self {
            Op::Customer(id, mail, name) => program.execute(
                "INSERT INTO customers VALUES (?1, ?2, ?3) ON CONFLICT (id) DO UPDATE SET mail = ?2, name = ?3",
                (id, mail, name),
            ),
            Op::NoCustomer(id) => program.execute("DELETE FROM customers WHERE id = ?1", [id]),
            Op::Product(sku, title) => program.execute(
                "INSERT INTO products VALUES (?1, ?2) ON CONFLICT (sku) DO UPDATE SET title = ?2",
                (sku, title),
            ),
            Op::Order(id, order, (sku, cents, paid)) => program.execute(
                "INSERT INTO orders VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (customer_id, order_id) DO UPDATE SET sku = \
                 ?3, cents = ?4, paid = ?6",
                (id, order, sku, cents, PLACED, paid),
            ),
            Op::NoOrder(id, order) => program.execute(
                "DELETE FROM orders WHERE customer_id = ?1 AND order_id = ?2",
                (id, order),
            ),
        };
        assert_eq!(done.unwrap(), 1, "{self:?}");
    }

    /// Writes it to the items: the title of a product stands in its orders, too.
    pub(crate) fn to_items(&self, shop: &Shop, written: &Written) {
        match self {
            Op::Customer(id, mail, name) => {
                let mut held = values([
                    ("customerId", Value::from(*id)),
                    ("name", name.as_str().into()),
                ]);
                held.extend(
                    mail.iter()
                        .map(|mail| ("mail".to_owned(), mail.as_str().into())),
                );
                shop.put("Customer", &held).unwrap();
            }
            Op::NoCustomer(id) => {
                shop.delete("Customer", &values([("customerId", Value::from(*id))]));
            }
            Op::Product(sku, title) => {
                let held = [
                    ("sku", sku.as_str().into()),
                    ("title", title.as_str().into()),
                ];
                shop.put("Product", &values(held)).unwrap();
                let orders = written.orders.iter().filter(|(_, (of, ..))| of == sku);
                for ((id, order), held) in orders {
                    put_order(shop, (*id, order), held, title);
                }
            }
            Op::Order(id, order, held) => {
                put_order(shop, (*id, order), held, &written.products[&held.0]);
            }
            Op::NoOrder(id, order) => {
                let key = [
                    ("customerId", Value::from(*id)),
                    ("orderId", order.as_str().into()),
                ];
                shop.delete("Order", &values(key));
            }
        }
    }

    /// Notes that it is written.
    pub(crate) fn note(self, written: &mut Written) {
        match self {
            Op::Customer(id, mail, name) => drop(written.customers.insert(id, (mail, name))),
            Op::NoCustomer(id) => drop(written.customers.remove(&id)),
            Op::Product(sku, title) => drop(written.products.insert(sku, title)),
            Op::Order(id, order, held) => drop(written.orders.insert((id, order), held)),
            Op::NoOrder(id, order) => drop(written.orders.remove(&(id, order))),
        }
    }
}

fn put_order(shop: &Shop, (id, order): (i64, &str), (sku, cents, paid): &Ordered, title: &str) {
    let price = format!("{}.{:02}", cents / 100, cents % 100);
    let mut held = values([
        ("customerId", Value::from(id)),
        ("orderId", order.into()),
        ("sku", sku.as_str().into()),
        ("title", title.into()),
        ("price", Value::N(price.parse().unwrap())),
        ("placedAt", "2026-01-02T03:04:05Z".into()),
    ]);
    held.extend(paid.map(|paid| ("paid".to_owned(), Value::Bool(paid))));
    shop.put("Order", &held).unwrap();
}
