//! The database that is migrated, and a program that writes SQL to it.

use super::postgres::Postgres;
use rusqlite::Connection;
use std::io;
use std::path::{Path, PathBuf};
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

/// What kind of database is migrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    pub(super) fn title(self) -> &'static str {
        match self {
            Kind::Sqlite => "SQLite",
            Kind::Postgres => "PostgreSQL",
        }
    }
}

/// A database.
pub(super) enum Database {
    Sqlite(PathBuf),
    Postgres(Postgres),
}

/// Who writes SQL to it.
pub(super) enum Program {
    Sqlite(Connection),
    Postgres(Runtime, Client),
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
        })
    }

    /// As the command names it.
    pub(super) fn name(&self) -> String {
        match self {
            Database::Sqlite(path) => format!("sqlite:{}", path.display()),
            Database::Postgres(server) => server.name(),
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
        }
    }

    /// What a database does after many rows have come, so that its plans fit them.
    pub(super) fn analyze(&self) -> io::Result<()> {
        self.execute("ANALYZE")
    }
}
