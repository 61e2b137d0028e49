//! The database of a migration, as a program sees it: SQLite or PostgreSQL.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    missing_docs,
    reason = "shared by test files"
)]

use crate::support;

pub trait Rows: Send {
    /// How many rows a statement has written, or what the database says.
    fn execute(&self, sql: &str) -> Result<usize, String>;
    /// The numbers that a query finds.
    fn numbers(&self, sql: &str) -> Vec<Vec<i64>>;
}

impl Rows for rusqlite::Connection {
    fn execute(&self, sql: &str) -> Result<usize, String> {
        rusqlite::Connection::execute(self, sql, []).map_err(|error| error.to_string())
    }

    fn numbers(&self, sql: &str) -> Vec<Vec<i64>> {
        let mut query = self.prepare(sql).unwrap();
        let width = query.column_count();
        let rows = query.query_map([], |row| (0..width).map(|at| row.get(at)).collect());
        rows.unwrap().map(Result::unwrap).collect()
    }
}

impl Rows for support::Program {
    fn execute(&self, sql: &str) -> Result<usize, String> {
        let written = self.said(&format!("{sql} RETURNING 1"))?;
        Ok(written.len())
    }

    fn numbers(&self, sql: &str) -> Vec<Vec<i64>> {
        let number = |cell: Option<String>| cell.unwrap().parse().unwrap();
        let rows = self.said(sql).unwrap().into_iter();
        rows.map(|row| row.into_iter().map(number).collect())
            .collect()
    }
}
