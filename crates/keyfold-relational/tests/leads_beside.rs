//! A switch beside transactions of programs that use several tables, in another order than the migration does: none
//! of them is ended by a deadlock, which they never had without it, and those who read do not notice. A switch beside
//! a program that never rests ends as well.

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

use keyfold_relational::{Ended, Switch, Turned};
use leading::Shop;
use leading::bases::{Base, OfMariadb, OfPostgres, OfSqlite};
use leading::busy::{Busy, When};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longer than PostgreSQL waits before it looks for a deadlock.
const LONG: Duration = Duration::from_millis(1500);
/// How long the sides wait for each other, until the test fails.
const MOST: Duration = Duration::from_secs(120);

/// The tables in the order in which they were made, and the other way round.
const ORDERS: [[&str; 3]; 2] = [
    ["customers", "products", "orders"],
    ["orders", "products", "customers"],
];

fn until(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + MOST;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A transaction that uses the tables in an order, and goes on to each of the others when the migration waits for it.
fn transaction(
    base: &dyn Base,
    waiting: &str,
    uses: &[String],
    is_begun: &AtomicBool,
) -> Result<(), String> {
    base.must("BEGIN");
    let mut uses = uses.iter();
    let first = uses.next().unwrap();
    base.must(first);
    is_begun.store(true, Ordering::SeqCst);
    until("the migration does not wait", || {
        let found = base.must(waiting)[0][0].clone();
        found.unwrap().parse::<u64>().unwrap() >= 1
    });
    std::thread::sleep(LONG);
    for sql in uses {
        if let Err(said) = base.said(sql) {
            base.must("ROLLBACK");
            return Err(said);
        }
    }
    base.must("COMMIT");
    Ok(())
}

/// Switches to and fro while a program's transaction holds one table and asks for the others.
fn nobody_is_ended(shop: &Shop, beside: &(dyn Fn() -> Box<dyn Base> + Sync), waiting: &str) {
    assert!(matches!(shop.run(), Ended::Caught));
    for order in ORDERS {
        for (way, uses) in [
            (Switch::Forth, writes as fn(&str) -> String),
            (Switch::Back, reads),
        ] {
            let is_begun = AtomicBool::new(false);
            std::thread::scope(|scope| {
                let said = scope.spawn(|| {
                    let base = beside();
                    let uses: Vec<String> = order.iter().map(|table| uses(table)).collect();
                    transaction(&*base, waiting, &uses, &is_begun)
                });
                until("the transaction does not begin", || {
                    is_begun.load(Ordering::SeqCst)
                });
                let turned = shop.switch(way);
                assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
                let said = said.join().unwrap();
                match way {
                    // What was still open takes writes, and the other tables say who does. When the transaction has
                    // the table that is closed last, the two others are closed.
                    Switch::Forth => {
                        let is_last = order == ORDERS[1];
                        let is_right = match &said {
                            Ok(()) => !is_last,
                            Err(said) => said.contains("programs write to"),
                        };
                        assert!(is_right, "{order:?}: {said:?}");
                    }
                    Switch::Back => assert_eq!(said, Ok(()), "{order:?}"),
                }
            });
            assert!(matches!(shop.run(), Ended::Caught));
            assert_eq!(shop.differences(), [""; 0]);
        }
    }
}

fn reads(table: &str) -> String {
    format!("SELECT count(*) FROM {table}")
}

#[test]
fn beside_programs_of_postgres() {
    let server = support::Server::start();
    let base = OfPostgres::boxed(&server, "beside");
    rows(&*base);
    let shop = Shop::new(base);
    let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'relation'";
    let beside = || OfPostgres::again(&server, "beside");
    nobody_is_ended(&shop, &beside, waiting);
}

#[test]
fn beside_programs_of_mariadb() {
    let server = mariadb_server::Server::start();
    let base = OfMariadb::boxed(&server, "beside");
    rows(&*base);
    let shop = Shop::new(base);
    let waiting = "SELECT count(*) FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table metadata%'";
    let beside = || OfMariadb::again(&server, "beside");
    nobody_is_ended(&shop, &beside, waiting);
}

/// A program writes beside each call of a switch for as long as the database takes it: there is always a change that
/// is not carried yet, and nobody waits for the last one before the database is closed.
#[test]
fn a_program_that_never_rests_does_not_hold_a_switch_up() {
    // Far more than the calls of a switch.
    const MOST: u32 = 2_000;
    let shop = Shop::new(OfSqlite::boxed());
    shop.base.must("INSERT INTO products VALUES ('s', '0')");
    assert!(matches!(shop.run(), Ended::Caught));
    let (mut taken, mut refused) = (0, 0);
    let mut source = Busy::new(shop.source(), |when| {
        if when == When::Within {
            return Ok(());
        }
        let next = taken + 1;
        let write = format!("UPDATE products SET title = '{next}' WHERE sku = 's'");
        match shop.base.said(&write) {
            Ok(_) => taken = next,
            Err(said) if said.contains("programs write to") => refused += 1,
            Err(said) => panic!("{said}"),
        }
        assert!(taken < MOST, "the switch waits for the program");
        Ok(())
    });
    let turned = shop.with(&mut source, |migration| {
        migration.switch(Switch::Forth, false)
    });
    drop(source);
    assert!(matches!(turned, Ok(Turned::Done(_))), "{turned:?}");
    assert!(taken > 0 && refused > 0, "{taken} taken, {refused} refused");
    assert_eq!(shop.rows().products["s"], taken.to_string());
    assert_eq!(shop.differences(), [""; 0]);
}

fn rows(base: &dyn Base) {
    base.must("INSERT INTO customers (id, name) VALUES (1, 'n'), (5, 'n')");
    base.must("INSERT INTO products (sku, title) VALUES ('s', 't')");
    base.must(
        "INSERT INTO orders (customer_id, order_id, sku, cents, placed_at) VALUES (1, 'o', 's', 5, '2026-01-01'), (5, 'o', 's', \
         5, '2026-01-01')",
    );
}

fn writes(table: &str) -> String {
    match table {
        "customers" => "UPDATE customers SET name = 'x' WHERE id = 5",
        "products" => "UPDATE products SET title = 'x' WHERE sku = 's'",
        _ => "UPDATE orders SET cents = 6 WHERE customer_id = 5",
    }
    .to_owned()
}
