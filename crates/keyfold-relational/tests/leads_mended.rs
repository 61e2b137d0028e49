//! What no change carries while the tables lead: rows that the owner of the database deletes are written again, items
//! that no row is made of are named, and a command at another place does not let both sides take writes. An older copy
//! of an SQLite file is told.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
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

use keyfold_api::{DeleteItemInput, PutItemInput, Request};
use keyfold_client::{Backend, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_motion::Force;
use keyfold_relational::{
    Abort, Ended, Mapping, Mended, Migration, Progress, Rowless, Switch, Tables, Turned, abort,
    rowless,
};
use keyfold_types::{Item, Value};
use leading::bases::{Base, OfMariadb, OfPostgres, OfSqlite};
use leading::{MODEL, Op, Shop, Takes, values};
use std::sync::Arc;
use std::time::Duration;

const TABLES_LEAD: Takes = Takes {
    rows: false,
    items: true,
};

/// An entity that no `from` line makes.
const NOTES: &str = r#"
entity Note in Shop
  noteId: string, words: string
  key "NOTE#{noteId}" "NOTE"
"#;

/// A shop with two customers, a product and an order, whose tables lead.
fn led(base: Box<dyn Base>) -> Shop {
    let shop = Shop::of(&format!("{MODEL}{NOTES}"), base, StoreOptions::Memory);
    for op in [
        Op::Customer(1, Some("m".to_owned()), "Ann".to_owned()),
        Op::Customer(2, None, "Bob".to_owned()),
        Op::Product("ink".to_owned(), "Ink".to_owned()),
        Op::Order(1, "a".to_owned(), ("ink".to_owned(), 250, None)),
    ] {
        op.to_rows(&shop);
    }
    assert!(matches!(shop.run(), Ended::Caught));
    let turned = shop.switch(Switch::Forth);
    assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    shop
}

/// Lets statements pass the triggers, as those of whoever owns the database can.
fn as_owner(shop: &Shop, statements: &[&str]) {
    let noted = shop.source().lead().unwrap().noted();
    let id = noted.unwrap().unwrap().id;
    let name = shop.source().name();
    let (open, close) = match name.split(':').next() {
        Some("sqlite") => {
            let set =
                |value| format!("UPDATE keyfold_lead SET value = '{value}' WHERE part = 'carries'");
            (set('1'), set('0'))
        }
        Some("mariadb") => (
            format!("SET @keyfold_migration = '{id}'"),
            "SET @keyfold_migration = NULL".to_owned(),
        ),
        _ => (
            format!("SET keyfold.migration = '{id}'"),
            "RESET keyfold.migration".to_owned(),
        ),
    };
    shop.base.must(&open);
    statements.iter().for_each(|sql| drop(shop.base.must(sql)));
    shop.base.must(&close);
}

fn mended(shop: &Shop) -> Result<Mended, Ended> {
    shop.with(shop.source().as_mut(), |migration| migration.mend_rows())
}

fn rows_that_are_gone_are_written_again(shop: &Shop) {
    let due = shop.rows();
    as_owner(
        shop,
        &[
            "DELETE FROM orders",
            "DELETE FROM products",
            "UPDATE customers SET name = 'X' WHERE id = 2",
            "INSERT INTO customers VALUES (9, NULL, 'Eve')",
        ],
    );
    let found = shop.differences();
    assert_eq!(found.len(), 4, "{found:?}");
    // No change of an item brings them back.
    assert_eq!(shop.figures().put, 0);
    let done = mended(shop).unwrap();
    assert_eq!(
        (done.put, done.deleted, done.verified.count),
        (3, 1, 0),
        "{done:?}"
    );
    assert_eq!(shop.rows(), due);
    assert_eq!(shop.differences(), [""; 0]);
    assert_eq!(shop.takes(), TABLES_LEAD);
    assert_eq!(mended(shop).unwrap().put, 0);
    // A row that cannot be is named, and the others are written all the same.
    as_owner(shop, &["DELETE FROM orders", "DELETE FROM customers"]);
    let held = [
        ("customerId", Value::from(1_i64)),
        ("orderId", "b".into()),
        ("sku", "ink".into()),
        ("title", "Ink".into()),
        ("price", Value::from(0_i64)),
        ("placedAt", "2026-01-02T03:04:05Z".into()),
    ];
    shop.put("Order", &values(held)).unwrap();
    let done = mended(shop).unwrap();
    let said = done.verified.differences.iter();
    let said: Vec<String> = said
        .map(|one| format!("{}: {}", one.row, one.what))
        .collect();
    assert_eq!((done.put, done.verified.count), (3, 1), "{said:?}");
    assert!(
        said[0].starts_with("Order (customerId = 1, orderId = b): "),
        "{said:?}"
    );
    assert!(said[0].contains(shop.base.unchecked()), "{said:?}");
    shop.delete(
        "Order",
        &values([("customerId", Value::from(1_i64)), ("orderId", "b".into())]),
    );
    let turned = shop.switch(Switch::Back);
    assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    assert_eq!(shop.rows(), due);
    // Where the database leads, rows are right by themselves.
    let Err(Ended::Target(said)) = mended(shop) else {
        panic!("rows were written")
    };
    assert!(said.to_string().contains("do not lead"), "{said}");
    assert_eq!(shop.figures().changes, 0);
}

fn items_without_rows_are_named(shop: &Shop) {
    let odd = [("PK", "TT#n"), ("SK", "TT")];
    let put = PutItemInput {
        table_name: Some("Shop".to_owned()),
        item: Some(Ok(Item::from_iter(odd))),
        ..PutItemInput::default()
    };
    shop.backend.call(Request::from(put)).unwrap();
    for words in ["a", "b"] {
        let note = [("noteId", "n".into()), ("words", words.into())];
        shop.put("Note", &values(note)).unwrap();
    }
    let held = [("sku", "pen".into()), ("title", "Pen".into())];
    shop.put("Product", &values(held)).unwrap();
    let due = [
        "Shop (PK = TT#n, SK = TT), of no kind of the model",
        "Shop (PK = NOTE#n, SK = NOTE), of Note, which no `from` line makes",
    ];
    let mut source = shop.source();
    let mapping = Mapping::of(&shop.model, source.as_mut()).unwrap();
    let progress = Progress::default();
    let migration = Migration::new(&mapping, source.as_mut(), &shop.backend, &progress);
    let ended = migration.with_tables(&shop.tables).run(true);
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    let figures = progress.figures();
    assert_eq!((figures.put, figures.changes, figures.rowless), (1, 4, 3));
    let sorted = |found: Rowless| {
        let mut first = found.first;
        first.sort();
        first.reverse();
        (found.count, first)
    };
    let due = due.map(str::to_owned).to_vec();
    assert_eq!(sorted(progress.rowless()), (3, due.clone()));
    let found = rowless(&mapping, &shop.backend, &Progress::default());
    assert_eq!(sorted(found.unwrap()), (2, due));
    let delete = DeleteItemInput {
        table_name: Some("Shop".to_owned()),
        key: Some(Ok(Item::from_iter(odd))),
        ..DeleteItemInput::default()
    };
    shop.backend.call(Request::from(delete)).unwrap();
    let found = rowless(&mapping, &shop.backend, &Progress::default());
    assert_eq!(found.unwrap().count, 1);
}

/// The tables of another place, which know nothing of the migration.
fn elsewhere(shop: &Shop, connection: &str) -> (Arc<Backend>, Tables) {
    let engine = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    let backend = Arc::new(Backend::Embedded(Arc::new(engine)));
    tables::ensure(&backend, &shop.model).unwrap();
    let tables = tables_at(&backend, connection);
    (backend, tables)
}

fn tables_at(backend: &Arc<Backend>, connection: &str) -> Tables {
    let force = Force {
        steady: Duration::ZERO,
        most: Duration::from_secs(2),
    };
    Tables::new(backend, connection, force, Duration::ZERO)
}

fn another_place_lets_the_database_closed(shop: &Shop) {
    let at = |connection: &str, which: Abort| {
        let (backend, tables) = elsewhere(shop, connection);
        let of = (&shop.model, Some(&tables));
        match abort(shop.source().as_mut(), &backend, of, which) {
            Ok(()) => Ok(()),
            Err(Ended::Source(error)) => Err(error.message),
            Err(other) => panic!("{other:?}"),
        }
    };
    let left = shop.base.left();
    // A folder of the same relative name may be another one.
    for connection in ["http://127.0.0.1:1", "keyfold:./shop"] {
        for which in [Abort::Own, Abort::Foreign] {
            let said = at(connection, which).unwrap_err();
            assert!(
                said.contains("notes that tables at keyfold:./shop lead")
                    && said.contains("--at keyfold:./shop")
                    && said.contains("--lose-writes"),
                "{said}"
            );
            assert_eq!(shop.base.left(), left);
            assert_eq!(shop.takes(), TABLES_LEAD);
        }
    }
    // Nor does a run that begins there.
    let (backend, tables) = elsewhere(shop, "http://127.0.0.1:1");
    let mut source = shop.source();
    let mapping = Mapping::of(&shop.model, source.as_mut()).unwrap();
    let progress = Progress::default();
    let migration = Migration::new(&mapping, source.as_mut(), &backend, &progress);
    let mut migration = migration.with_tables(&tables);
    let ended = migration.run(true);
    assert!(!matches!(ended, Ended::Caught), "{ended:?}");
    assert!(migration.complete().is_err());
    drop(source);
    assert_eq!(shop.takes(), TABLES_LEAD);
    assert_eq!(at("http://127.0.0.1:1", Abort::LosingWrites), Ok(()));
    assert!(shop.base.left().is_empty(), "{:?}", shop.base.left());
    assert!(shop.takes().rows);
    // The tables that led do not close it again without a word.
    let Ended::Source(said) = shop.run() else {
        panic!("the database was closed again");
    };
    assert!(said.message.contains("notes nothing of it"), "{said:?}");
    assert!(shop.takes().rows);
    // Nothing is left that could be given up.
    let (backend, tables) = elsewhere(shop, "http://127.0.0.1:1");
    let of = (&shop.model, Some(&tables));
    let again = abort(shop.source().as_mut(), &backend, of, Abort::Foreign);
    let Err(Ended::Target(said)) = again else {
        panic!("{again:?}")
    };
    assert!(
        said.to_string().contains("there is no migration of shop"),
        "{said}"
    );
}

type Story = (&'static str, fn(&Shop));

const STORIES: [Story; 3] = [
    ("gone", rows_that_are_gone_are_written_again),
    ("rowless", items_without_rows_are_named),
    ("elsewhere", another_place_lets_the_database_closed),
];

fn tell(make: impl Fn(&str) -> Box<dyn Base>) {
    for (name, story) in STORIES {
        println!("{name}");
        story(&led(make(name)));
    }
}

#[test]
fn sqlite_is_mended() {
    tell(|_| OfSqlite::boxed());
}

#[test]
fn postgres_is_mended() {
    let server = support::Server::start();
    tell(|name| OfPostgres::boxed(&server, name));
}

#[test]
fn mariadb_is_mended() {
    let server = mariadb_server::Server::start();
    tell(|name| OfMariadb::boxed(&server, name));
}

/// A place of the name that the database notes may be another one: on another machine, or with other credentials.
#[test]
fn a_place_of_the_noted_name_may_be_another_one() {
    let mut shop = Shop::new(OfSqlite::boxed());
    shop.tables = tables_at(&shop.backend, "http://127.0.0.1:1/");
    Op::Product("ink".to_owned(), "Ink".to_owned()).to_rows(&shop);
    assert!(matches!(shop.run(), Ended::Caught));
    assert!(matches!(shop.switch(Switch::Forth), Ok(Turned::Done(_))));
    let (backend, tables) = elsewhere(&shop, "http://127.0.0.1:1");
    let of = (&shop.model, Some(&tables));
    for which in [Abort::Own, Abort::Foreign] {
        let Err(Ended::Source(said)) = abort(shop.source().as_mut(), &backend, of, which) else {
            panic!("both sides take writes")
        };
        assert!(said.message.contains("--lose-writes"), "{}", said.message);
        assert_eq!(shop.takes(), TABLES_LEAD);
    }
    abort(shop.source().as_mut(), &backend, of, Abort::LosingWrites).unwrap();
    assert!(shop.base.left().is_empty());
}

/// A row whose identity is no key of an item, and one that no item can be of, are named and stay.
#[test]
fn rows_of_no_item_are_named() {
    let shop = led(OfSqlite::boxed());
    as_owner(
        &shop,
        &[
            "INSERT INTO products VALUES (x'ff', 'None')",
            "INSERT INTO orders VALUES (1, 'b', 'ink', 5, 'never', NULL)",
            "DELETE FROM customers WHERE id = 2",
        ],
    );
    assert_eq!(shop.differences().len(), 3);
    let done = mended(&shop).unwrap();
    assert_eq!((done.put, done.deleted), (1, 0), "{done:?}");
    assert_eq!(done.verified.count, 2, "{done:?}");
    assert_eq!(shop.differences().len(), 2);
    as_owner(
        &shop,
        &[
            "DELETE FROM products WHERE sku = x'ff'",
            "DELETE FROM orders WHERE order_id = 'b'",
        ],
    );
    assert_eq!(mended(&shop).unwrap().verified.count, 0);
}

/// Items are not written as rows say while the tables lead, whoever has asked before.
#[test]
fn items_that_lead_stay() {
    let shop = led(OfSqlite::boxed());
    shop.spoil("PRODUCT#ink", "PRODUCT", "title", "Newer".into());
    let ended = shop.with(shop.source().as_mut(), |migration| migration.mend_items());
    let Err(Ended::Target(said)) = ended else {
        panic!("{ended:?}")
    };
    assert!(said.to_string().contains("the tables lead"), "{said}");
    assert!(!shop.differences().is_empty());
}
