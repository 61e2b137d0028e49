//! A shop whose rows and items are written by programs, one side at a time, while who leads changes. Its rows are in
//! one of the databases.
//!
//! - `bases`: the databases; `busy`: programs that write beside the calls of a database, which dies at one of them.

#![allow(dead_code, reason = "each test takes what it needs")]

pub(crate) mod bases;
pub(crate) mod busy;

use bases::{Base, Row};
use keyfold_api::{DeleteItemInput, ErrorKind, GetItemInput, PutItemInput, Request, Response};
use keyfold_client::{Backend, ClientError, tables, write};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_motion::{Force, MOVING_AGENT};
use keyfold_relational::{
    Ended, Figures, Mapping, Migration, Progress, Source, State, Switch, Tables, Turned, verify,
};
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const MODEL: &str = r#"model shop 1

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
    pub(crate) base: Box<dyn Base>,
    pub(crate) model: Model,
    pub(crate) backend: Arc<Backend>,
    pub(crate) tables: Tables,
}

pub(crate) fn values<'n>(
    pairs: impl IntoIterator<Item = (&'n str, Value)>,
) -> BTreeMap<String, Value> {
    let pairs = pairs.into_iter();
    pairs.map(|(name, held)| (name.to_owned(), held)).collect()
}

impl Shop {
    pub(crate) fn new(base: Box<dyn Base>) -> Shop {
        Shop::at(base, StoreOptions::Memory)
    }

    /// A shop whose items are in a store.
    pub(crate) fn at(base: Box<dyn Base>, store: StoreOptions) -> Shop {
        Shop::of(MODEL, base, store)
    }

    /// A shop of a model.
    pub(crate) fn of(model: &str, base: Box<dyn Base>, store: StoreOptions) -> Shop {
        let compiled = keyfold_model::compile(model);
        let Some(model) = compiled.model else {
            panic!("{:#?}", compiled.diagnostics)
        };
        let mut options = EngineOptions::new(store);
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
            base,
            model,
            backend,
        }
    }

    pub(crate) fn source(&self) -> Box<dyn Source> {
        self.base.open()
    }

    /// A migration of a database that may be another form of the shop's.
    pub(crate) fn with<T>(
        &self,
        source: &mut dyn Source,
        does: impl FnOnce(&mut Migration<'_, '_>) -> T,
    ) -> T {
        let mapping = Mapping::of(&self.model, self.source().as_mut()).unwrap();
        let progress = Progress::default();
        let migration = Migration::new(&mapping, source, &self.backend, &progress);
        does(&mut migration.with_tables(&self.tables))
    }

    pub(crate) fn run(&self) -> Ended {
        self.with(self.source().as_mut(), |migration| migration.run(true))
    }

    /// What a run does until everything is carried.
    pub(crate) fn figures(&self) -> Figures {
        let mut source = self.source();
        let mapping = Mapping::of(&self.model, source.as_mut()).unwrap();
        let progress = Progress::default();
        let migration = Migration::new(&mapping, source.as_mut(), &self.backend, &progress);
        let ended = migration.with_tables(&self.tables).run(true);
        assert!(matches!(ended, Ended::Caught), "{ended:?}");
        progress.figures()
    }

    pub(crate) fn switch(&self, way: Switch) -> Result<Turned, Ended> {
        self.with(self.source().as_mut(), |migration| {
            migration.switch(way, false)
        })
    }

    pub(crate) fn state(&self) -> Option<State> {
        self.with(self.source().as_mut(), |migration| {
            migration.state().unwrap()
        })
    }

    /// What differs between rows and items.
    pub(crate) fn differences(&self) -> Vec<String> {
        let mut source = self.source();
        let mapping = Mapping::of(&self.model, source.as_mut()).unwrap();
        let found = verify(
            &mapping,
            source.as_mut(),
            &self.backend,
            &Progress::default(),
        );
        let found = found.unwrap().differences;
        let lines = found.iter().map(|one| format!("{}: {}", one.row, one.what));
        lines.collect()
    }

    /// Which sides take a write of a program, which changes nothing.
    pub(crate) fn takes(&self) -> Takes {
        let (begin, tried) = (
            self.base.begin(),
            "INSERT INTO products VALUES ('probe', 'probe')",
        );
        let rows = self.base.said(begin).is_ok() && self.base.said(tried).is_ok();
        // A transaction that was not begun does not end.
        drop(self.base.said("ROLLBACK"));
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

    /// Writes what differs on the side that follows, while a switch goes a way.
    pub(crate) fn mended(&self, way: Switch) {
        let mended = self.with(self.source().as_mut(), |migration| match way {
            Switch::Forth => migration.mend_items(),
            Switch::Back => migration.mend_rows(),
        });
        assert_eq!(mended.unwrap().verified.count, 0);
    }

    /// An attribute of a stored item.
    pub(crate) fn held(&self, partition: &str, sort: &str, name: &str) -> Option<Value> {
        let get = GetItemInput {
            table_name: Some("Shop".to_owned()),
            key: Some(Ok(Item::from_iter([("PK", partition), ("SK", sort)]))),
            ..GetItemInput::default()
        };
        match self.backend.call(Request::from(get)) {
            Ok(Response::GetItem(found)) => found.item?.to_item().get(name).cloned(),
            other => panic!("{other:?}"),
        }
    }

    /// Gives an attribute of a stored item another value, whatever the model says.
    pub(crate) fn spoil(&self, partition: &str, sort: &str, name: &str, value: Value) {
        let key = Item::from_iter([("PK", partition), ("SK", sort)]);
        let get = GetItemInput {
            table_name: Some("Shop".to_owned()),
            key: Some(Ok(key)),
            ..GetItemInput::default()
        };
        let Ok(Response::GetItem(found)) = self.backend.call(Request::from(get)) else {
            panic!("it cannot be read")
        };
        let mut item = found.item.unwrap().to_item();
        item.insert(name, value);
        let put = PutItemInput {
            table_name: Some("Shop".to_owned()),
            item: Some(Ok(item)),
            ..PutItemInput::default()
        };
        self.backend.call(Request::from(put)).unwrap();
    }

    pub(crate) fn delete(&self, entity: &str, key: &BTreeMap<String, Value>) {
        let entity = self.model.entities.iter().find(|one| one.name == entity);
        write::delete(&self.backend, &self.model, entity.unwrap(), key).unwrap();
    }

    /// What the rows hold.
    pub(crate) fn rows(&self) -> Written {
        let all =
            |columns: &str, table: &str| self.base.must(&format!("SELECT {columns} FROM {table}"));
        let text = |row: &Row, at: usize| row[at].clone().unwrap();
        let mut written = Written::default();
        for row in all("id, mail, name", "customers") {
            let held = (row[1].clone(), text(&row, 2));
            written
                .customers
                .insert(text(&row, 0).parse().unwrap(), held);
        }
        for row in all("sku, title", "products") {
            written.products.insert(text(&row, 0), text(&row, 1));
        }
        for row in all(
            "customer_id, order_id, sku, cents, placed_at, paid",
            "orders",
        ) {
            let key = (text(&row, 0).parse().unwrap(), text(&row, 1));
            let paid = row[5].as_deref().map(|paid| ["1", "t"].contains(&paid));
            let held = (text(&row, 2), text(&row, 3).parse().unwrap(), paid);
            assert_eq!(text(&row, 4), PLACED);
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
        let text = |text: &str| format!("'{text}'");
        let sql = match self {
            Op::Customer(id, mail, name) => {
                let mail = mail.as_deref().map_or("NULL".to_owned(), text);
                let held = [("id", id.to_string()), ("mail", mail), ("name", text(name))];
                shop.base.upsert("customers", 1, &held)
            }
            Op::NoCustomer(id) => format!("DELETE FROM customers WHERE id = {id}"),
            Op::Product(sku, title) => {
                let held = [("sku", text(sku)), ("title", text(title))];
                shop.base.upsert("products", 1, &held)
            }
            Op::Order(id, order, (sku, cents, paid)) => {
                let paid = paid.map_or("NULL".to_owned(), |paid| paid.to_string());
                let held = [
                    ("customer_id", id.to_string()),
                    ("order_id", text(order)),
                    ("sku", text(sku)),
                    ("cents", cents.to_string()),
                    ("placed_at", text(PLACED)),
                    ("paid", paid),
                ];
                shop.base.upsert("orders", 2, &held)
            }
            Op::NoOrder(id, order) => {
                format!("DELETE FROM orders WHERE customer_id = {id} AND order_id = '{order}'")
            }
        };
        shop.base.must(&sql);
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
