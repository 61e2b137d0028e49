//! The database that is migrated, and a program that writes SQL to it.

use super::mariadb::{self, Mariadb};
use super::postgres::Postgres;
use mysql::Conn;
use mysql::prelude::Queryable as _;
use rusqlite::Connection;
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

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
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?;
                let name = server.name();
                let connecting = tokio_postgres::connect(&name, NoTls);
                let (client, connection) = runtime.block_on(connecting).map_err(failed)?;
                runtime.spawn(async move { connection.await.unwrap_or_default() });
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
                runtime.block_on(client.batch_execute(sql)).map_err(failed)
            }
            Program::Mariadb(conn) => {
                for one in mariadb::statements(sql) {
                    conn.borrow_mut().query_drop(one).map_err(failed)?;
                }
                Ok(())
            }
        }
    }

    /// What a database does after many rows have come, so that its plans fit them.
    pub(super) fn analyze(&self) -> io::Result<()> {
        let Program::Mariadb(conn) = self else {
            return self.execute("ANALYZE");
        };
        let mut conn = conn.borrow_mut();
        let tables: Vec<String> = conn.query("SHOW TABLES").map_err(failed)?;
        for table in tables {
            conn.query_drop(format!("ANALYZE TABLE {table}"))
                .map_err(failed)?;
        }
        Ok(())
    }
}
