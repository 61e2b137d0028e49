//! The order in which rows of MariaDB are read: none is left out between two pages.

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

mod mariadb_server;
mod worlds;

use keyfold_model::Model;
use keyfold_relational::mariadb::Mariadb;
use keyfold_relational::{Ended, Mapping, Migration, Progress, Sizes};
use mariadb_server::{MODEL, Server};
use worlds::{backend, compiled};

/// The rows that a copy has written, page by page.
fn put_in_pages_of(model: &Model, name: &str, rows: usize) -> u64 {
    let mut source = Mariadb::open(name).unwrap();
    let mapping = Mapping::of(model, &mut source).unwrap();
    let (backend, progress) = (backend(model), Progress::default());
    let migration = Migration::new(&mapping, &mut source, &backend, &progress);
    let sizes = Sizes { rows, changes: 500 };
    let ended = migration.with_sizes(sizes).run(true);
    assert!(matches!(ended, Ended::Caught), "{ended:?}");
    progress.figures().put
}

#[test]
fn words_are_read_in_the_order_by_which_they_are_compared() {
    let server = Server::start();
    let program = server.database("d");
    program.must(
        "CREATE TABLE t (id enum('d', 'a', 'c', 'b') PRIMARY KEY, v text); INSERT INTO t VALUES ('a', 'x'), ('b', 'x'), \
         ('c', 'x'), ('d', 'x')",
    );
    let model = compiled(MODEL);
    for rows in 1..5 {
        assert_eq!(
            put_in_pages_of(&model, &server.name("d"), rows),
            4,
            "{rows}"
        );
    }
}
