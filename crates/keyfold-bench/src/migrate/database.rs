//! The database that is migrated, and a program that writes SQL to it.

use super::mariadb::{self, Mariadb};
use super::postgres::{self, Postgres};
use mysql::Conn;
use mysql::prelude::Queryable as _;
use rusqlite::Connection;
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use tokio::runtime::Runtime;
use tokio_postgres::Client;

/// What kind of database is migrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Kind {
    Sqlite,
    Postgres,
    Mariadb,
}

impl Kind {
    pub(super) fn title(self) -> &'static str {
        match self {
            Kind::Sqlite => "SQLite",
            Kind::Postgres => "PostgreSQL",
            Kind::Mariadb => "MariaDB",
        }
    }
}

/// A database.
pub(super) enum Database {
    Sqlite(PathBuf),
    Postgres(Postgres),
    Mariadb(Mariadb),
}

/// Who writes SQL to it.
pub(super) enum Program {
    Sqlite(Connection),
    Postgres(Runtime, Client),
    Mariadb(RefCell<Conn>),
}

/// The log of PostgreSQL tells whole rows, as items need more of them than their keys.
const WHOLE_ROWS: &str = "DO $$ DECLARE one record; BEGIN FOR one IN SELECT oid::regclass AS name FROM pg_class WHERE relkind = \
     'r' AND relnamespace = 'public'::regnamespace LOOP EXECUTE format('ALTER TABLE %s REPLICA IDENTITY FULL', one.name); END \
     LOOP; END $$";

fn failed(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

impl Database {
    /// An empty one.
    pub(super) fn make(kind: Kind, folder: &Path) -> io::Result<Database> {
        Ok(match kind {
            Kind::Sqlite => Database::Sqlite(folder.join("source.db")),
            Kind::Postgres => Database::Postgres(Postgres::start(&folder.join("postgres"))?),
            Kind::Mariadb => Database::Mariadb(Mariadb::start(&folder.join("mariadb"))?),
        })
    }

    /// As the command names it.
    pub(super) fn name(&self) -> String {
        match self {
            Database::Sqlite(path) => format!("sqlite:{}", path.display()),
            Database::Postgres(server) => server.name(),
            Database::Mariadb(server) => server.name(),
        }
    }

    pub(super) fn program(&self) -> io::Result<Program> {
        match self {
            Database::Sqlite(path) => {
                let connection = Connection::open(path).map_err(failed)?;
                let set = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 60000";
                connection.execute_batch(set).map_err(failed)?;
                Ok(Program::Sqlite(connection))
            }
            Database::Postgres(server) => {
                let (runtime, client) = server.connect()?;
                Ok(Program::Postgres(runtime, client))
            }
            Database::Mariadb(server) => {
                let conn = server.connect("source").map_err(failed)?;
                Ok(Program::Mariadb(RefCell::new(conn)))
            }
        }
    }
}

impl Program {
    /// Carries statements out; a single one is a transaction of its own.
    pub(super) fn execute(&self, sql: &str) -> io::Result<()> {
        match self {
            Program::Sqlite(connection) => connection.execute_batch(sql).map_err(failed),
            Program::Postgres(runtime, client) => {
                let done = runtime.block_on(client.batch_execute(sql));
                done.map_err(|error| postgres::said(&error))
            }
            Program::Mariadb(conn) => {
                for one in mariadb::statements(sql) {
                    conn.borrow_mut().query_drop(one).map_err(failed)?;
                }
                Ok(())
            }
        }
    }

    /// What a database does after many rows have come, so that its plans fit them, and what a migration asks for.
    pub(super) fn analyze(&self) -> io::Result<()> {
        match self {
            Program::Sqlite(_) => self.execute("ANALYZE"),
            Program::Postgres(..) => {
                self.execute(WHOLE_ROWS)?;
                self.execute("ANALYZE")
            }
            Program::Mariadb(conn) => {
                let mut conn = conn.borrow_mut();
                let tables: Vec<String> = conn.query("SHOW TABLES").map_err(failed)?;
                for table in tables {
                    let analyze = format!("ANALYZE TABLE {table}");
                    conn.query_drop(analyze).map_err(failed)?;
                }
                Ok(())
            }
        }
    }
}
