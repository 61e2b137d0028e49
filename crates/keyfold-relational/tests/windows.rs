//! Changes of many rows: what they hold is read in windows, and what waits for a row of another window is carried.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

mod world;

use keyfold_model::schema::origin::SqlTable;
use keyfold_relational::sqlite::Sqlite;
use keyfold_relational::{
    Cell, Change, Column, Mapping, Migration, Progress, Source, SourceError, TableColumn, Watched,
};
use world::{World, is_caught};

/// A database that counts the rows which are read in one snapshot.
struct Counting {
    inner: Sqlite,
    held: usize,
    most: usize,
}

impl Source for Counting {
    fn name(&self) -> String {
        self.inner.name()
    }
    fn columns(&mut self, table: &SqlTable) -> Result<Option<Vec<Column>>, SourceError> {
        self.inner.columns(table)
    }
    fn described(&mut self, table: &SqlTable) -> Result<Vec<TableColumn>, SourceError> {
        self.inner.described(table)
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
        self.held = 0;
        self.inner.hold()
    }
    fn release(&mut self) -> Result<(), SourceError> {
        self.most = self.most.max(self.held);
        self.inner.release()
    }
    fn query(&mut self, sql: &str, arguments: &[Cell]) -> Result<Vec<Vec<Cell>>, SourceError> {
        let rows = self.inner.query(sql, arguments)?;
        // A name has one value.
        self.held += rows.iter().filter(|row| row.len() > 1).count();
        Ok(rows)
    }
    fn watched_by(&mut self) -> Result<Option<String>, SourceError> {
        self.inner.watched_by()
    }
    fn watch(&mut self, watched: &[Watched], id: &str) -> Result<(), SourceError> {
        self.inner.watch(watched, id)
    }
    fn check_watch(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.inner.check_watch(watched)
    }
    fn unwatch(&mut self) -> Result<(), SourceError> {
        self.inner.unwatch()
    }
    fn changes(&mut self, watched: &[Watched], most: usize) -> Result<Change, SourceError> {
        self.inner.changes(watched, most)
    }
    fn forget(&mut self, watched: &[Watched], change: &Change) -> Result<(), SourceError> {
        self.inner.forget(watched, change)
    }
    fn claim(&mut self) -> Result<(), SourceError> {
        self.inner.claim()
    }
}

#[test]
fn many_rows_of_one_change_are_read_in_windows() {
    let world = World::new(
        "CREATE TABLE cities(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO cities VALUES (1, 'Rome');
         CREATE TABLE customers(id INTEGER PRIMARY KEY, mail TEXT UNIQUE, city INTEGER);
         WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM s WHERE i<5000)
         INSERT INTO customers SELECT i, 'm' || i, 1 FROM s;",
        "entity Customer\n  customerId: int, mail: string, city: string\n  key \"C#{customerId}\" \"P\"\n  unique mail\n  \
         from customers c join cities t on t.id = c.city set customerId = c.id, city = t.name\n",
    );
    assert!(is_caught(&world.run(1000)));
    // Those that exchange their values stand in different windows.
    world.sql(
        "BEGIN; UPDATE cities SET name = 'Roma'; UPDATE customers SET mail = 'x' WHERE id = 1;
         UPDATE customers SET mail = 'm1' WHERE id = 5000; UPDATE customers SET mail = 'm5000' WHERE id = 1; COMMIT",
    );
    let mut source = Counting {
        inner: world.source(),
        held: 0,
        most: 0,
    };
    let mapping = Mapping::of(&world.model, &mut source).unwrap();
    let progress = Progress::default();
    let ended = Migration::new(&mapping, &mut source, &world.backend, &progress).run(true);
    assert!(is_caught(&ended), "{ended:?}");
    assert!(source.most <= 2_000, "{}", source.most);
    assert!(world.differences().is_empty());
}
