//! SQLite as a source. Its log tells no rows, so triggers keep the changes in tables of their own beside
//! the program's: `triggers` makes them. `joins` says how SQLite compares columns, `lead` how it follows the tables, `history` whether the file
//! is an older copy. One migration at a time has the
//! database: it holds a lock on a file beside it, which the system takes back when the process ends.

mod catalog;
mod history;
mod joins;
mod lead;
mod triggers;

use crate::cell::Cell;
use crate::source::Lead;
use crate::source::TableColumn;
use crate::source::{Change, Column, End, Source, SourceError, Touched, Watched};
use crate::statement;
use crate::world::{self, Lock};
use keyfold_model::schema::origin::SqlTable;
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a database that another connection writes to is waited for.
const BUSY: Duration = Duration::from_secs(5);

/// A database file.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    path: PathBuf,
    /// What the system knew the file by when it was opened.
    file: Option<(u64, u64)>,
    /// The last round that is known.
    round: Option<i64>,
    /// Whether it is of this run.
    is_begun: bool,
    /// The file whose lock says that a migration is under way.
    claimed: Option<Lock>,
}

impl From<rusqlite::Error> for SourceError {
    fn from(error: rusqlite::Error) -> SourceError {
        let code = error.sqlite_error_code();
        let may_pass = matches!(
            code,
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
        );
        SourceError {
            message: error.to_string(),
            may_pass,
        }
    }
}

impl Sqlite {
    /// Opens a database that is there.
    ///
    /// # Errors
    /// When there is no such file, or it is no SQLite database.
    pub fn open(path: &Path) -> Result<Sqlite, SourceError> {
        if path.as_os_str().is_empty() {
            return Err(SourceError::lasting(
                "a database of SQLite is named sqlite:FILE",
            ));
        }
        // One file has one name, and one lock, however it is reached.
        let path = path.canonicalize().map_err(|error| {
            SourceError::lasting(format!("cannot open {}: {error}", path.display()))
        })?;
        let path = path.as_path();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(path, flags);
        let connection = opened.map_err(|error| {
            SourceError::lasting(format!("cannot open {}: {error}", path.display()))
        })?;
        connection.busy_timeout(BUSY)?;
        // The first look at the file finds whether it is a database.
        connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
            .map_err(|error| {
                SourceError::lasting(format!("cannot read {}: {error}", path.display()))
            })?;
        Ok(Sqlite {
            connection,
            path: path.to_owned(),
            file: world::identity(path),
            round: None,
            is_begun: false,
            claimed: None,
        })
    }

    /// The schema of a table, `main` if none is said.
    fn schema(table: Option<&String>) -> &str {
        table.map_or("main", String::as_str)
    }

    /// What kind of thing has a name: `table`, `view` or nothing.
    fn kind_of(&self, schema: &str, name: &str) -> Result<Option<String>, SourceError> {
        let sql = format!(
            "SELECT type FROM {}.sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type IN ('table', 'view')",
            triggers::quoted(schema)
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([name])?;
        Ok(match rows.next()? {
            Some(row) => Some(row.get(0)?),
            None => None,
        })
    }

    /// The file whose lock is held.
    fn lock_path(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push("-keyfold");
        PathBuf::from(name)
    }
}

fn cell(value: ValueRef<'_>) -> Result<Cell, SourceError> {
    Ok(match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Cell::Text(text.to_owned()),
            Err(_) => Cell::Bytes(text.to_vec()),
        },
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
    })
}

fn sql_value(cell: &Cell) -> SqlValue {
    match cell {
        Cell::Null => SqlValue::Null,
        Cell::Integer(number) => SqlValue::Integer(*number),
        Cell::Real(number) => SqlValue::Real(*number),
        Cell::Text(text) => SqlValue::Text(text.clone()),
        Cell::Bytes(bytes) => SqlValue::Blob(bytes.clone()),
    }
}

impl Source for Sqlite {
    fn name(&self) -> String {
        format!("sqlite:{}", self.path.display())
    }

    fn columns(&mut self, table: &SqlTable) -> Result<Option<Vec<Column>>, SourceError> {
        let schema = Sqlite::schema(table.schema.as_ref());
        match self.kind_of(schema, &table.name)?.as_deref() {
            None => return Ok(None),
            Some("view") => {
                return Err(SourceError::lasting(format!(
                    "`{}` is a view: nothing says when its rows change; map its tables instead",
                    table.name
                )));
            }
            Some(_) => {}
        }
        let mut statement = self.connection.prepare(
            "SELECT name, type FROM pragma_table_xinfo(?1, ?2) WHERE hidden <> 1 ORDER BY cid",
        )?;
        let columns = statement.query_map([table.name.as_str(), schema], |row| {
            Ok(Column {
                name: row.get(0)?,
                kind: row.get(1)?,
            })
        })?;
        Ok(Some(columns.collect::<Result<_, _>>()?))
    }

    fn described(&mut self, table: &SqlTable) -> Result<Vec<TableColumn>, SourceError> {
        let schema = Sqlite::schema(table.schema.as_ref());
        // The one INTEGER of a primary key gets a number of its own.
        let mut statement = self.connection.prepare(
            "SELECT name, type, \"notnull\", CASE WHEN pk = 1 AND type = 'INTEGER' COLLATE NOCASE AND (SELECT count(*) FROM \
             pragma_table_xinfo(?1, ?2) WHERE pk > 0) = 1 THEN 'rowid' ELSE dflt_value END, hidden FROM \
             pragma_table_xinfo(?1, ?2) WHERE hidden <> 1 ORDER BY cid",
        )?;
        let columns = statement.query_map([table.name.as_str(), schema], |row| {
            Ok(TableColumn {
                name: row.get(0)?,
                kind: row.get(1)?,
                is_required: row.get::<_, i64>(2)? != 0,
                default: row.get(3)?,
                is_generated: row.get::<_, i64>(4)? > 1,
                words: None,
                is_folded: false,
            })
        })?;
        Ok(columns.collect::<Result<_, _>>()?)
    }

    fn key(&mut self, table: &SqlTable) -> Result<Vec<String>, SourceError> {
        let schema = Sqlite::schema(table.schema.as_ref());
        // A primary key that is no INTEGER takes NULL, unless the column or the table says otherwise.
        let mut statement = self.connection.prepare(
            "SELECT name, \"notnull\" OR (type = 'INTEGER' COLLATE NOCASE AND (SELECT count(*) FROM \
             pragma_table_xinfo(?1, ?2) WHERE pk > 0) = 1) FROM pragma_table_xinfo(?1, ?2) WHERE pk > 0 ORDER BY pk",
        )?;
        let columns = statement.query_map([table.name.as_str(), schema], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, bool>(1)?))
        })?;
        let columns: Vec<(String, bool)> = columns.collect::<Result<_, _>>()?;
        let is_key = columns.iter().all(|(_, is_there)| *is_there);
        let names = columns.into_iter().map(|(name, _)| name);
        Ok(names.filter(|_| is_key).collect())
    }

    fn quoted(&self, name: &str) -> String {
        triggers::quoted(name)
    }

    fn argument(&self, number: usize) -> String {
        format!("?{number}")
    }

    fn joined(
        &mut self,
        (own, other): (&End<'_>, &End<'_>),
        is_own_first: bool,
        number: usize,
    ) -> Result<String, SourceError> {
        let compared = |end: &End<'_>| {
            let schema = Sqlite::schema(end.table.schema.as_ref());
            joins::Compared::of(&self.connection, schema, &end.table.name, end.column)
        };
        let ends = (compared(own)?, compared(other)?);
        let (column, argument) = (
            statement::column(self, &other.table.alias, other.column),
            self.argument(number),
        );
        Ok(joins::condition(
            (&ends.0, &ends.1),
            is_own_first,
            (&column, &argument),
        ))
    }

    fn ready(&mut self, _watched: &[Watched]) -> Result<(), SourceError> {
        // Triggers can be made for every table that has columns.
        Ok(())
    }

    fn hold(&mut self) -> Result<(), SourceError> {
        if self.connection.is_autocommit() {
            self.connection.execute_batch("BEGIN")?;
        }
        Ok(())
    }

    fn release(&mut self) -> Result<(), SourceError> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("COMMIT")?;
        }
        Ok(())
    }

    fn query(&mut self, sql: &str, arguments: &[Cell]) -> Result<Vec<Vec<Cell>>, SourceError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let width = statement.column_count();
        let arguments = rusqlite::params_from_iter(arguments.iter().map(sql_value));
        let mut rows = statement.query(arguments)?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let cells = (0..width).map(|at| cell(row.get_ref(at)?));
            all.push(cells.collect::<Result<_, _>>()?);
        }
        Ok(all)
    }

    fn watched_by(&mut self) -> Result<Option<String>, SourceError> {
        triggers::owner(&self.connection)
    }

    fn watch(&mut self, watched: &[Watched], id: &str) -> Result<(), SourceError> {
        triggers::create(&mut self.connection, watched, id)?;
        self.next_round(|_| Ok(()))
    }

    fn check_same(&mut self) -> Result<(), SourceError> {
        self.check_history()
    }

    fn place(&self) -> Option<String> {
        self.round.map(|round| round.to_string())
    }

    fn resume(&mut self, place: &str) -> Result<(), SourceError> {
        let round = Sqlite::round_of(place)?;
        self.round = Some(self.round.unwrap_or(0).max(round));
        Ok(())
    }

    fn behind(&mut self, place: &str) -> Result<Option<String>, SourceError> {
        self.round_behind(place)
    }

    fn check_watch(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        triggers::check(&mut self.connection, watched)?;
        self.begin_round()
    }

    fn unwatch(&mut self) -> Result<(), SourceError> {
        triggers::drop_all(&mut self.connection)?;
        (self.round, self.is_begun) = (None, false);
        // Nothing is left beside the database either; whoever has it open still has its lock.
        if self.claimed.is_some() {
            Lock::remove(&self.lock_path()).map_err(|error| {
                SourceError::lasting(format!(
                    "cannot remove {}: {error}",
                    self.lock_path().display()
                ))
            })?;
        }
        Ok(())
    }

    fn changes(&mut self, watched: &[Watched], most: usize) -> Result<Change, SourceError> {
        let mut change = Change {
            touched: Vec::new(),
            mark: Vec::new(),
            has_more: false,
        };
        for (table, one) in watched.iter().enumerate() {
            let rows = self.query(&triggers::kept(one, most), &[])?;
            change.has_more |= rows.len() == most;
            let mut last = 0;
            for mut cells in rows {
                if let Some(Cell::Integer(number)) = cells.first() {
                    last = *number;
                }
                cells.remove(0);
                change.touched.push(Touched { table, cells });
            }
            change.mark.push(last);
        }
        Ok(change)
    }

    fn forget(&mut self, watched: &[Watched], change: &Change) -> Result<(), SourceError> {
        self.next_round(|connection| {
            for (one, last) in watched.iter().zip(&change.mark) {
                if *last > 0 {
                    let sql = triggers::forgotten(one);
                    connection.prepare_cached(&sql)?.execute([last])?;
                }
            }
            Ok(())
        })
    }

    fn lead(&mut self) -> Option<&mut dyn Lead> {
        Some(self)
    }

    fn claim(&mut self) -> Result<(), SourceError> {
        if self.claimed.is_some() {
            return Ok(());
        }
        let path = self.lock_path();
        let failed = |error: std::io::Error| {
            SourceError::lasting(format!("cannot lock {}: {error}", path.display()))
        };
        match Lock::take(&path).map_err(failed)? {
            Some(lock) => {
                self.claimed = Some(lock);
                Ok(())
            }
            None => Err(SourceError::lasting(format!(
                "another `keyfold migrate` is at work on {}, and one at a time reads its changes: stop that run with \
                 Ctrl-C first",
                self.path.display()
            ))),
        }
    }
}
