//! Rows that rest on rows which come a moment later: tables without a foreign key may get the child first. A run waits
//! for what it rests on, while rows are copied and while changes are carried.

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

use keyfold_engine::StoreOptions;
use keyfold_relational::{Ended, Mapping, Migration, Progress};
use leading::Shop;
use leading::bases::{Base, OfMariadb, OfPostgres, OfSqlite};
use leading::busy::{Busy, When};
use std::time::{Duration, Instant};

const MODEL: &str = r#"model late 1

table Shop (PK, SK)

entity Parent in Shop
  id: int, children: int
  key "PARENT#{id}" "P"
  count children of Child
  from parents

entity Child in Shop
  id: int, parentId: Parent.id
  key "PARENT#{parentId}" "CHILD#{id}"
  from children

pattern parent(id) -> Parent
"#;

/// A shop whose children name their parents by no foreign key.
fn shop(base: Box<dyn Base>) -> Shop {
    base.must("CREATE TABLE parents (id integer PRIMARY KEY)");
    base.must(
        "CREATE TABLE children (id integer, parent_id integer NOT NULL, PRIMARY KEY (id, parent_id))",
    );
    Shop::of(MODEL, base, StoreOptions::Memory)
}

/// A run beside which a program writes, so long after the run has read the first row.
fn run_beside(shop: &Shop, after: Duration, sql: &str) -> Ended {
    let progress = Progress::default();
    let (mut began, mut is_written) = (None, false);
    let mapping = Mapping::of(&shop.model, shop.source().as_mut()).unwrap();
    let mut source = Busy::new(shop.source(), |when| {
        if progress.figures().read > 0 && !is_written && when == When::Otherwise {
            let began = *began.get_or_insert_with(Instant::now);
            if began.elapsed() >= after {
                shop.base.must(sql);
                is_written = true;
            }
        }
        Ok(())
    });
    Migration::new(&mapping, &mut source, &shop.backend, &progress)
        .with_tables(&shop.tables)
        .run(true)
}

fn arrives_late(base: Box<dyn Base>) {
    let shop = shop(base);
    let late = Duration::from_millis(300);
    // While rows are copied.
    shop.base.must("INSERT INTO children VALUES (1, 1)");
    let ended = run_beside(&shop, late, "INSERT INTO parents VALUES (1)");
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    assert_eq!(shop.differences(), [""; 0]);
    // While changes are carried.
    shop.base.must("INSERT INTO children VALUES (2, 2)");
    let ended = run_beside(&shop, late, "INSERT INTO parents VALUES (2)");
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    assert_eq!(shop.differences(), [""; 0]);
    // One that does not come is named, and the next run goes on when it has come.
    shop.base.must("INSERT INTO children VALUES (3, 3)");
    let Ended::Problem(problem) = shop.run() else {
        panic!("it was carried")
    };
    let said = problem.to_string();
    let due = "children (parentId = 3, id = 3): ";
    assert!(said.starts_with(due), "{said}");
    shop.base.must("INSERT INTO parents VALUES (3)");
    assert!(matches!(shop.run(), Ended::Caught));
    assert_eq!(shop.differences(), [""; 0]);
}

#[test]
fn a_parent_of_sqlite_is_waited_for() {
    arrives_late(OfSqlite::boxed());
}

#[test]
fn a_parent_of_postgres_is_waited_for() {
    let server = support::Server::start();
    arrives_late(OfPostgres::boxed(&server, "late"));
}

#[test]
fn a_parent_of_mariadb_is_waited_for() {
    let server = mariadb_server::Server::start();
    arrives_late(OfMariadb::boxed(&server, "late"));
}
