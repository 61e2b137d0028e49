//! Who leads changes to and fro while programs write, by runs and switches that die again and again: each write
//! that a side took is on both sides at the end, and never do both sides take writes.

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

use fastrand::Rng;
use keyfold_relational::{Abort, Ended, Switch, Turned, Wrote, abort};
use keyfold_stream::Position;
use keyfold_types::Value;
use leading::bases::{Base, OfMariadb, OfPostgres, OfSqlite};
use leading::busy::{Programs, run, switched};
use leading::{Op, Shop, Takes, values};
use std::cell::RefCell;
use support::Server;

fn one_world(base: Box<dyn Base>, seed: u64) {
    let mut rng = Rng::with_seed(seed);
    let shop = Shop::new(base);
    let programs = Programs {
        shop: &shop,
        written: RefCell::default(),
        left: RefCell::new(60),
        is_turned: RefCell::new(false),
    };
    for _ in 0..rng.u8(0..60) {
        programs.write(&mut rng);
    }
    run(&programs, &mut rng);
    for _ in 0..3 {
        *programs.left.borrow_mut() = 120;
        switched(&programs, &mut rng, Switch::Forth);
        assert_eq!(
            shop.takes(),
            Takes {
                rows: false,
                items: true
            }
        );
        run(&programs, &mut rng);
        *programs.left.borrow_mut() += 60;
        switched(&programs, &mut rng, Switch::Back);
        assert_eq!(
            shop.takes(),
            Takes {
                rows: true,
                items: false
            }
        );
        run(&programs, &mut rng);
    }
    if rng.bool() {
        switched(&programs, &mut rng, Switch::Forth);
    }
    *programs.left.borrow_mut() = 0;
    run(&programs, &mut rng);
    assert_eq!(shop.differences(), [""; 0], "seed {seed}");
    assert_eq!(shop.rows(), *programs.written.borrow(), "seed {seed}");
    shop.with(shop.source().as_mut(), |migration| migration.complete())
        .unwrap();
    assert!(shop.base.left().is_empty(), "{:?}", shop.base.left());
    assert_eq!(
        shop.takes(),
        Takes {
            rows: true,
            items: true
        }
    );
}

/// Worlds of many seeds: so many, or as `MIGRATION_WORLDS` and `MIGRATION_SEED` say.
fn worlds(usual: u64, make: impl Fn(&str) -> Box<dyn Base>) {
    let said = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let worlds = said("MIGRATION_WORLDS").unwrap_or(usual);
    let first = said("MIGRATION_SEED").unwrap_or(0);
    for seed in first..first + worlds {
        one_world(make(&format!("world{seed}")), seed);
    }
}

/// A shop with a customer, a product and an order, whose tables lead.
fn led(base: Box<dyn Base>) -> Shop {
    let shop = Shop::new(base);
    for op in [
        Op::Customer(1, Some("m".to_owned()), "Ann".to_owned()),
        Op::Product("ink".to_owned(), "Ink".to_owned()),
        Op::Order(1, "a".to_owned(), ("ink".to_owned(), 250, None)),
    ] {
        op.to_rows(&shop);
    }
    let ended = shop.run();
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    let turned = shop.switch(Switch::Forth);
    assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    shop
}

fn order(price: &str) -> std::collections::BTreeMap<String, Value> {
    values([
        ("customerId", Value::from(1_i64)),
        ("orderId", "a".into()),
        ("sku", "ink".into()),
        ("title", "Ink".into()),
        ("price", Value::N(price.parse().unwrap())),
        ("placedAt", "2026-01-02T03:04:05Z".into()),
    ])
}

fn problem(ended: Ended) -> String {
    match ended {
        Ended::Problem(problem) => problem.to_string(),
        other => panic!("{other:?}"),
    }
}

fn programs_are_told_where_to_write(shop: &Shop) {
    for sql in [
        "DELETE FROM orders",
        "UPDATE orders SET paid = NULL",
        "INSERT INTO orders VALUES (1, 'b', 'ink', 5, '2026-01-02 03:04:05', NULL)",
        "DELETE FROM products",
        "UPDATE products SET title = title",
        "INSERT INTO products VALUES ('pen', 'Pen')",
        "DELETE FROM customers",
        "UPDATE customers SET name = name",
        "INSERT INTO customers VALUES (2, NULL, 'Bob')",
    ] {
        let due = "programs write to keyfold:./shop now: keyfold migrate has switched";
        assert_eq!(shop.base.said(sql), Err(due.to_owned()), "{sql}");
    }
    assert!(matches!(shop.switch(Switch::Forth), Ok(Turned::Already)));
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Already)));
}

fn what_sql_refuses_is_named_and_carried_when_it_is_mended(shop: &Shop) {
    shop.put("Order", &order("0")).unwrap();
    let is_refused = |shop: &Shop| {
        let said = problem(shop.run());
        let due = "Order (customerId = 1, orderId = a): the database refuses its row of `orders`: ";
        assert!(said.starts_with(due), "{said}");
        assert!(said.contains(shop.base.unchecked()), "{said}");
    };
    is_refused(shop);
    // Nothing of it is there, and the place of the stream did not move.
    assert_eq!(shop.rows().orders[&(1, "a".to_owned())].1, 250);
    is_refused(shop);
    shop.put("Order", &order("3.75")).unwrap();
    assert!(matches!(shop.run(), Ended::Caught));
    assert_eq!(shop.rows().orders[&(1, "a".to_owned())].1, 375);
}

fn what_a_row_cannot_hold_is_not_lost(shop: &Shop) {
    shop.put("Order", &order("3.755")).unwrap();
    assert_eq!(
        problem(shop.run()),
        "Order (customerId = 1, orderId = a): price of Order is 3.755, and its row makes it 3.76"
    );
    shop.put("Order", &order("3.75")).unwrap();
    let mut held = values([("customerId", Value::from(1_i64)), ("name", "Ann".into())]);
    held.insert("note".to_owned(), "hello".into());
    shop.put("Customer", &held).unwrap();
    assert_eq!(
        problem(shop.run()),
        "Customer (customerId = 1): note of Customer has a value, and no column takes it"
    );
    held.remove("note");
    shop.put("Customer", &held).unwrap();
    assert!(matches!(shop.run(), Ended::Caught));
    assert_eq!(shop.differences(), [""; 0]);
}

fn a_unique_value_changes_hands(shop: &Shop) {
    let customer = |id: i64, mail: Option<&str>| {
        let mut held = values([("customerId", Value::from(id)), ("name", "n".into())]);
        held.extend(mail.map(|mail| ("mail".to_owned(), Value::from(mail))));
        shop.put("Customer", &held).unwrap();
    };
    // In the order of their keys, the one that takes it comes first.
    customer(1, None);
    customer(0, Some("m"));
    assert!(matches!(shop.run(), Ended::Caught));
    assert_eq!(shop.differences(), [""; 0]);
}

fn a_migration_is_given_up_while_the_database_leads_alone(shop: &Shop) {
    let give_up = || {
        abort(
            shop.source().as_mut(),
            &shop.backend,
            (&shop.model, Some(&shop.tables)),
            Abort::Own,
        )
    };
    let Err(Ended::Target(said)) = give_up() else {
        panic!("it was given up")
    };
    assert!(said.to_string().contains("switch --back"), "{said}");
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    assert!(give_up().is_ok());
    assert_eq!(
        shop.takes(),
        Takes {
            rows: true,
            items: true
        }
    );
}

fn a_switch_of_sides_that_differ_changes_nothing(shop: &Shop) {
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    shop.put("Order", &order("9")).unwrap();
    let Ok(Turned::Differs(found)) = shop.switch(Switch::Forth) else {
        panic!("it was switched")
    };
    assert_eq!(found.count, 1);
    assert_eq!(
        shop.takes(),
        Takes {
            rows: true,
            items: false
        }
    );
}

fn a_switch_that_cannot_carry_an_item_changes_nothing(shop: &Shop) {
    shop.put("Order", &order("0")).unwrap();
    for _ in 0..2 {
        let Err(ended) = shop.switch(Switch::Back) else {
            panic!("it was switched")
        };
        let said = problem(ended);
        let due = "Order (customerId = 1, orderId = a): the database refuses its row of `orders`: ";
        assert!(said.starts_with(due), "{said}");
        // A program can mend it.
        assert_eq!(
            shop.takes(),
            Takes {
                rows: false,
                items: true
            }
        );
    }
    shop.put("Order", &order("3.75")).unwrap();
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    assert_eq!(shop.rows().orders[&(1, "a".to_owned())].1, 375);
}

fn a_run_that_was_overtaken_writes_nothing(shop: &Shop) {
    let mut source = shop.source();
    let lead = source.lead().unwrap();
    let noted = lead.noted().unwrap().unwrap();
    lead.take((&noted.id, noted.fence + 1)).unwrap();
    assert!(!lead.begin((&noted.id, noted.fence)).unwrap());
    assert!(!lead.open((&noted.id, noted.fence)).unwrap());
    assert!(lead.take(("another", noted.fence)).is_err());
    assert_eq!(
        shop.takes(),
        Takes {
            rows: false,
            items: true
        }
    );
}

fn what_was_carried_into_the_database_is_not_carried_back(shop: &Shop) {
    shop.put("Order", &order("3.75")).unwrap();
    assert!(matches!(shop.run(), Ended::Caught));
    shop.put("Order", &order("4.75")).unwrap();
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    assert_eq!(shop.figures().changes, 0);
    // And nothing behind it is passed over.
    let ops = [
        Op::Customer(2, None, "Bob".to_owned()),
        Op::Product("ink".to_owned(), "Black ink".to_owned()),
        Op::NoOrder(1, "a".to_owned()),
    ];
    for op in ops {
        op.to_rows(shop);
    }
    assert!(shop.figures().changes >= 3);
    assert_eq!(shop.differences(), [""; 0]);
}

fn programs_write_again_when_it_is_over(shop: &Shop) {
    shop.with(shop.source().as_mut(), |migration| migration.complete())
        .unwrap();
    assert!(shop.base.left().is_empty(), "{:?}", shop.base.left());
    let both = Takes {
        rows: true,
        items: true,
    };
    assert_eq!(shop.takes(), both);
}

type Story = (&'static str, fn(&Shop));

/// What is so with each database.
const STORIES: [Story; 10] = [
    ("told", programs_are_told_where_to_write),
    (
        "refused",
        what_sql_refuses_is_named_and_carried_when_it_is_mended,
    ),
    ("lost", what_a_row_cannot_hold_is_not_lost),
    ("hands", a_unique_value_changes_hands),
    (
        "given_up",
        a_migration_is_given_up_while_the_database_leads_alone,
    ),
    ("differ", a_switch_of_sides_that_differ_changes_nothing),
    ("stuck", a_switch_that_cannot_carry_an_item_changes_nothing),
    ("overtaken", a_run_that_was_overtaken_writes_nothing),
    (
        "own",
        what_was_carried_into_the_database_is_not_carried_back,
    ),
    ("ended", programs_write_again_when_it_is_over),
];

/// Tells stories, each to a database of its own. The name of the last one stands above what fails.
fn tell(stories: &[Story], make: impl Fn(&str) -> Box<dyn Base>) {
    for (name, story) in stories {
        println!("{name}");
        story(&led(make(name)));
    }
}

/// A program that looks for the side that leads may try the tables at any moment.
#[test]
fn tables_refuse_writes_from_the_first_switch_on_until_they_lead() {
    let shop = Shop::new(OfSqlite::boxed());
    Op::Product("ink".to_owned(), "Ink".to_owned()).to_rows(&shop);
    assert!(matches!(shop.run(), Ended::Caught));
    shop.put(
        "Product",
        &values([("sku", "pen".into()), ("title", "Pen".into())]),
    )
    .unwrap();
    let Ok(Turned::Differs(_)) = shop.switch(Switch::Forth) else {
        panic!("it was switched")
    };
    let due = |items| Takes { rows: true, items };
    assert_eq!(shop.takes(), due(false));
    let given_up = abort(
        shop.source().as_mut(),
        &shop.backend,
        (&shop.model, Some(&shop.tables)),
        Abort::Own,
    );
    given_up.unwrap();
    assert_eq!(shop.takes(), due(true));
}

/// An item that is none of the model can be mended, too.
#[test]
fn a_switch_that_cannot_read_an_item_changes_nothing() {
    let shop = led(OfSqlite::boxed());
    shop.spoil("CUSTOMER#1", "PROFILE", "name", Value::from(5_i64));
    for _ in 0..2 {
        let turned = shop.switch(Switch::Back);
        assert!(turned.is_err());
        assert_eq!(
            shop.takes(),
            Takes {
                rows: false,
                items: true
            },
            "{turned:?}"
        );
    }
    shop.spoil("CUSTOMER#1", "PROFILE", "name", "Ann".into());
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
}

#[test]
fn sqlite_follows_the_tables() {
    tell(&STORIES, |_| OfSqlite::boxed());
}

#[test]
fn whoever_leads_nothing_of_sqlite_is_lost_or_doubled() {
    worlds(6, |_| OfSqlite::boxed());
}

#[test]
fn postgres_follows_the_tables() {
    let server = Server::start();
    tell(&STORIES, |name| OfPostgres::boxed(&server, name));
    tell(&OF_POSTGRES, |name| OfPostgres::boxed(&server, name));
}

#[test]
fn whoever_leads_nothing_of_postgres_is_lost_or_doubled() {
    let server = Server::start();
    worlds(2, |name| OfPostgres::boxed(&server, name));
}

#[test]
fn mariadb_follows_the_tables() {
    let server = mariadb_server::Server::start();
    tell(&STORIES, |name| OfMariadb::boxed(&server, name));
    tell(&OF_MARIADB, |name| OfMariadb::boxed(&server, name));
}

#[test]
fn whoever_leads_nothing_of_mariadb_is_lost_or_doubled() {
    let server = mariadb_server::Server::start();
    worlds(2, |name| OfMariadb::boxed(&server, name));
}

fn places_are_kept_with_the_rows_or_not_at_all(shop: &Shop) {
    let mut source = shop.source();
    let lead = source.lead().unwrap();
    let noted = lead.noted().unwrap().unwrap();
    let tip = (noted.tips[0].0.clone(), Position::End);
    assert!(lead.begin((&noted.id, noted.fence)).unwrap());
    let sql = "UPDATE products SET title = 'none'";
    assert_eq!(lead.write(sql, &[]).unwrap(), Wrote::Rows(1));
    shop.base.cut();
    assert!(lead.commit(&[tip]).is_err());
    lead.rollback().unwrap();
    assert_eq!(lead.noted().unwrap(), Some(noted));
    assert_eq!(shop.rows().products["ink"], "Ink");
}

/// What is so with MariaDB alone.
const OF_MARIADB: [Story; 3] = [
    ("cut", places_are_kept_with_the_rows_or_not_at_all),
    ("ignored", no_way_of_writing_ignores_the_triggers),
    (
        "purged",
        a_log_that_is_gone_is_no_matter_while_the_tables_lead,
    ),
];

fn no_way_of_writing_ignores_the_triggers(shop: &Shop) {
    for sql in [
        "INSERT IGNORE INTO products VALUES ('pen', 'Pen')",
        "UPDATE IGNORE products SET title = 'Pen'",
        "DELETE IGNORE FROM orders",
        "REPLACE INTO products VALUES ('pen', 'Pen')",
        "INSERT INTO products VALUES ('ink', 'Pen') ON DUPLICATE KEY UPDATE title = 'Pen'",
    ] {
        let due = "programs write to keyfold:./shop now: keyfold migrate has switched";
        assert_eq!(shop.base.said(sql), Err(due.to_owned()), "{sql}");
    }
}

fn a_log_that_is_gone_is_no_matter_while_the_tables_lead(shop: &Shop) {
    for sql in [
        "FLUSH BINARY LOGS",
        "FLUSH BINARY LOGS",
        "PURGE BINARY LOGS BEFORE now() + INTERVAL 1 DAY",
    ] {
        shop.base.must(sql);
    }
    shop.put("Order", &order("3.75")).unwrap();
    assert!(matches!(shop.run(), Ended::Caught));
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    Op::NoOrder(1, "a".to_owned()).to_rows(shop);
    assert_eq!(shop.figures().changes, 1);
    assert_eq!(shop.differences(), [""; 0]);
}

/// What is so with PostgreSQL alone.
const OF_POSTGRES: [Story; 6] = [
    ("cut", places_are_kept_with_the_rows_or_not_at_all),
    ("late", what_is_refused_at_the_end_moves_no_place),
    ("emptied", no_way_around_the_triggers_is_open),
    (
        "numbers",
        numbers_of_new_rows_come_behind_those_that_were_carried,
    ),
    ("log", the_log_is_not_kept_while_nothing_happens),
    (
        "gone",
        a_slot_that_is_gone_is_no_matter_while_the_tables_lead,
    ),
];

fn no_way_around_the_triggers_is_open(shop: &Shop) {
    for sql in [
        "TRUNCATE orders",
        "TRUNCATE orders_low",
        "DELETE FROM orders_low",
        "TRUNCATE customers CASCADE",
        "SET LOCAL session_replication_role = replica; DELETE FROM orders",
        "SET LOCAL keyfold.migration = 'mine'; DELETE FROM orders",
        "CREATE TABLE orders_more PARTITION OF orders FOR VALUES FROM (100) TO (200); INSERT INTO orders_more VALUES (100, 'a', \
         'ink', 5, '2026-01-02 03:04:05', NULL)",
    ] {
        let due = "programs write to keyfold:./shop now: keyfold migrate has switched";
        assert_eq!(shop.base.said(sql), Err(due.to_owned()), "{sql}");
    }
}

fn numbers_of_new_rows_come_behind_those_that_were_carried(shop: &Shop) {
    let held = values([("customerId", Value::from(70_i64)), ("name", "n".into())]);
    shop.put("Customer", &held).unwrap();
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    let rows = shop
        .base
        .must("INSERT INTO customers (name) VALUES ('m') RETURNING id");
    assert_eq!(rows, [[Some("71".to_owned())]]);
}

/// How far the slot of the migration is from the end of the log, in bytes.
fn behind(shop: &Shop) -> u64 {
    let rows = shop.base.must(
        "SELECT (pg_current_wal_flush_lsn() - confirmed_flush_lsn)::bigint FROM pg_replication_slots WHERE database = \
         current_database()",
    );
    rows[0][0].as_ref().unwrap().parse().unwrap()
}

fn the_log_is_not_kept_while_nothing_happens(shop: &Shop) {
    shop.base.must(
        "CREATE TABLE other AS SELECT repeat('x', 1000) AS text FROM generate_series(1, 2000)",
    );
    assert!(behind(shop) > 1_000_000, "{}", behind(shop));
    assert!(matches!(shop.run(), Ended::Caught));
    assert!(behind(shop) < 1_000_000, "{}", behind(shop));
}

fn a_slot_that_is_gone_is_no_matter_while_the_tables_lead(shop: &Shop) {
    shop.base.must(
        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()",
    );
    shop.put("Order", &order("3.75")).unwrap();
    assert!(matches!(shop.run(), Ended::Caught));
    assert!(matches!(shop.switch(Switch::Back), Ok(Turned::Done(_))));
    Op::NoOrder(1, "a".to_owned()).to_rows(shop);
    assert_eq!(shop.figures().changes, 1);
    assert_eq!(shop.differences(), [""; 0]);
}

fn what_is_refused_at_the_end_moves_no_place(shop: &Shop) {
    let late =
        "ALTER TABLE customers ADD CONSTRAINT late UNIQUE (name) DEFERRABLE INITIALLY DEFERRED";
    shop.base.must(late);
    let put = |name: &str| {
        let held = values([("customerId", Value::from(2_i64)), ("name", name.into())]);
        shop.put("Customer", &held).unwrap();
    };
    put("Ann");
    for _ in 0..2 {
        let said = problem(shop.run());
        assert!(said.starts_with("Customer (customerId = 2): "), "{said}");
        assert!(said.contains("unique constraint \"late\""), "{said}");
    }
    put("Bob");
    assert!(matches!(shop.run(), Ended::Caught));
    assert_eq!(shop.differences(), [""; 0]);
}
