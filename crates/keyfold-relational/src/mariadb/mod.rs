//! MariaDB as a source. Its binary log tells which rows change, as it is sent to replicas. The place in
//! the log is kept beside the tables, and nothing is made in the database unless the tables lead.
//!
//! - `session`: a connection that is made again when it is lost; `kind`, `value`: types and values as cells.
//! - `catalog`, `table`: tables and columns, `described`: all of them, and the queries that were run; `server`: settings
//!   and rights, and what stands in the way.
//! - `place`: places of the log; `log`: the log; `reading`: which rows it tells; `ddl`: what changes tables.
//! - `closed`, `lead`: how it follows the tables. `rights`: what a role may do; `quoting`: names and texts in SQL.
//!
//! Three connections are used: for the catalog and the right to migrate, for rows, and for the log. A snapshot of
//! MariaDB says which place of the log it holds (`binlog_snapshot_position`), and the log is read up to there.

#![allow(
    clippy::wildcard_enum_match_arm,
    clippy::match_wildcard_for_single_variants,
    reason = "the log and its values have more forms than a migration reads"
)]

mod catalog;
mod closed;
mod ddl;
mod described;
mod kind;
mod lead;
mod log;
mod place;
mod quoting;
mod reading;
mod rights;
mod server;
mod session;
mod table;
mod value;

use crate::cell::Cell;
use crate::source::TableColumn;
use crate::source::{
    Change, Column, End, Lead, Side, Sorted, Source, SourceError, Touched, Watched,
};
use crate::statement;
use crate::world::Moment;
use keyfold_model::schema::origin::SqlTable;
use kind::Kind;
use log::Log;
use place::{Place, Transactions};
use quoting::quoted;
use session::Session;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use table::Table;
use value::Told;

/// The time between two looks at whether the changes are still told.
const LOOK: Duration = Duration::from_secs(1);

/// Whether all that is read is of one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Snapshot {
    /// It is not.
    None,
    /// It is to be, from the first read on.
    Asked,
    /// It is.
    Held,
}

/// A database.
pub struct Mariadb {
    /// The catalog, and the right to migrate.
    control: Session,
    /// Rows.
    reader: Session,
    log: Option<Log>,
    tables: Vec<Table>,
    snapshot: Snapshot,
    looked: Option<Moment>,
}

impl std::fmt::Debug for Mariadb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Mariadb")
            .field(&self.control.name())
            .finish()
    }
}

impl Mariadb {
    /// Connects to a database: `mysql://USER@HOST/DATABASE`. A password that the text does not hold is taken from
    /// `MYSQL_PWD`.
    ///
    /// # Errors
    /// When the text names no database, or the server refuses the connection or does not answer.
    pub fn open(text: &str) -> Result<Mariadb, SourceError> {
        Ok(Mariadb {
            control: Session::open(text)?,
            reader: Session::open(text)?,
            log: None,
            tables: Vec::new(),
            snapshot: Snapshot::None,
            looked: None,
        })
    }

    /// Begins the snapshot of the reader: the place of the log up to which it holds everything.
    fn begin(&mut self) -> Result<Place, SourceError> {
        let place = held(&mut self.reader)?;
        self.snapshot = Snapshot::Held;
        Ok(place)
    }

    /// Checks the server, and the tables that are watched.
    fn check(&mut self, watched: &[Watched]) -> Result<Vec<Table>, SourceError> {
        let control = &mut self.control;
        server::check(control)?;
        let tables = catalog::tables(control, watched)?;
        let schemas: Vec<&str> = tables.iter().map(|one| one.schema.as_str()).collect();
        server::check_filters(control, &schemas)?;
        let mut columns = tables.iter().flat_map(|one| &one.columns);
        let has_uuid = columns.any(|(_, kind)| kind.base == "uuid");
        match has_uuid && !server::has_one_uuid(control)? {
            true => Err(SourceError::lasting(
                "items are told apart or joined by a column of the type UUID, which this version of MariaDB stores in \
                 another form than later ones: make it a BINARY(16) or CHAR(36), or take version 10.11.5 or later",
            )),
            false => Ok(tables),
        }
    }

    /// The place where the log is now, with everything before it in view.
    fn now(&mut self) -> Result<Place, SourceError> {
        let place = held(&mut self.control)?;
        self.control.end()?;
        let before = log::gtids(&mut self.control, &place.file, place.position)?;
        let before = before.ok_or_else(|| SourceError {
            message: "MariaDB's log was begun anew at this moment".to_owned(),
            may_pass: true,
        })?;
        Ok(Place { before, ..place })
    }

    /// Cells of values that the log told. Texts that only the server can read are read by it.
    fn cells(&mut self, rows: Vec<reading::Row>) -> Result<Vec<Touched>, SourceError> {
        let mut known: HashMap<(String, Vec<u8>), Cell> = HashMap::new();
        let mut seen = HashSet::new();
        let mut touched = Vec::new();
        for row in rows {
            let mut cells = Vec::new();
            for told in row.told {
                cells.push(match told {
                    Told::Cell(cell) => cell,
                    Told::Odd => Cell::Null,
                    Told::Foreign { charset, bytes } => {
                        let text = (charset, bytes);
                        match known.get(&text) {
                            Some(cell) => cell.clone(),
                            None => {
                                let cell = self.foreign(&text)?;
                                known.insert(text, cell.clone());
                                cell
                            }
                        }
                    }
                });
            }
            if seen.insert(format!("{} {cells:?}", row.table)) {
                touched.push(Touched {
                    table: row.table,
                    cells,
                });
            }
        }
        Ok(touched)
    }

    fn foreign(&mut self, (charset, bytes): &(String, Vec<u8>)) -> Result<Cell, SourceError> {
        let hex = quoting::hex(bytes);
        let text = self
            .control
            .text(&format!("SELECT CONVERT(_{charset} {hex} USING utf8mb4)"))?;
        Ok(Cell::Text(text))
    }
}

/// Begins a snapshot: the place of the log up to which it holds everything.
fn held(session: &mut Session) -> Result<Place, SourceError> {
    session.begin()?;
    let mut place = Place {
        file: String::new(),
        position: 0,
        before: Transactions::new(),
    };
    for row in session.texts("SHOW STATUS LIKE 'binlog_snapshot_%'")? {
        match row.as_slice() {
            [name, value] if name.eq_ignore_ascii_case("binlog_snapshot_file") => {
                place.file.clone_from(value);
            }
            [name, value] if name.eq_ignore_ascii_case("binlog_snapshot_position") => {
                place.position = value.parse().unwrap_or(0);
            }
            _ => {}
        }
    }
    match place.file.is_empty() {
        true => Err(SourceError::lasting(
            "this MariaDB does not say which changes of its log a snapshot holds",
        )),
        false => Ok(place),
    }
}

impl Source for Mariadb {
    fn name(&self) -> String {
        self.control.name().to_owned()
    }

    fn columns(&mut self, table: &SqlTable) -> Result<Option<Vec<Column>>, SourceError> {
        catalog::columns(&mut self.control, table)
    }

    fn quoted(&self, name: &str) -> String {
        quoted(name)
    }

    fn argument(&self, number: usize) -> String {
        format!(":{}", session::argument_name(number))
    }

    fn argument_of(&self, number: usize, kind: &str) -> String {
        let (place, kind) = (self.argument(number), Kind::of(kind));
        match kind.base.as_str() {
            "decimal" => format!("CAST({place} AS DECIMAL({}))", kind.inside),
            "bigint" if kind.is_unsigned => format!("CAST({place} AS UNSIGNED)"),
            // A text by itself is the bits of its letters.
            "bit" => format!("CAST({place} AS UNSIGNED)"),
            "date" => format!("CAST({place} AS DATE)"),
            "datetime" | "timestamp" => format!("CAST({place} AS DATETIME(6))"),
            "time" => format!("CAST({place} AS TIME(6))"),
            _ => place,
        }
    }

    fn described(&mut self, table: &SqlTable) -> Result<Vec<TableColumn>, SourceError> {
        catalog::described(&mut self.control, table)
    }

    fn key(&mut self, table: &SqlTable) -> Result<Vec<String>, SourceError> {
        catalog::key(&mut self.control, table)
    }

    fn joined(
        &mut self,
        (own, other): (&End<'_>, &End<'_>),
        _is_own_first: bool,
        number: usize,
    ) -> Result<String, SourceError> {
        let column = statement::column(self, &other.table.alias, other.column);
        let place = self.argument_of(number, own.kind);
        let (own, other) = (Kind::of(own.kind), Kind::of(other.kind));
        // A value by itself is a text of the session, whatever the column was that it comes from.
        let value = match (own.is_text(), own.is_binary()) {
            (true, _) if other.is_binary() => {
                format!("CAST(CONVERT({place} USING {}) AS BINARY)", own.charset)
            }
            (_, true) if other.is_text() => format!("CAST({place} AS BINARY)"),
            _ if own.base == "uuid" && other.is_text() => format!("CAST({place} AS UUID)"),
            _ => place,
        };
        Ok(format!("{column} = {value}"))
    }

    fn comparable(&self, kind: &str, other: &str) -> Result<(), String> {
        let kinds = [Kind::of(kind), Kind::of(other)];
        match &kinds {
            [one, other]
                if (one.is_sorted_by_number() && other.is_number())
                    || (one.is_number() && other.is_sorted_by_number()) =>
            {
                Err(
                    "are a word and a number, which are compared by the number of the word"
                        .to_owned(),
                )
            }
            [one, other] if !one.collation.is_empty() && !other.collation.is_empty() => {
                match one.collation == other.collation {
                    true => Ok(()),
                    false => Err(format!(
                        "are compared by different rules ({} and {}): give them one collation",
                        one.collation, other.collation
                    )),
                }
            }
            _ => Ok(()),
        }
    }

    fn sorted(&self, column: String, kind: &str) -> String {
        match Kind::of(kind).is_sorted_by_number() {
            true => format!("CAST({column} AS CHAR)"),
            false => column,
        }
    }

    fn beside(&self, columns: &[Sorted], side: Side, first: usize) -> String {
        // MariaDB does not look for rows of several columns in an index, but for each column behind those that are
        // equal.
        let (sign, last) = match side {
            Side::Behind => (">", ">="),
            Side::Before => ("<", "<="),
        };
        let mut condition = String::new();
        for (at, column) in columns.iter().enumerate().rev() {
            let (sql, place) = (&column.sql, self.argument_of(first + at, &column.kind));
            condition = match condition.is_empty() {
                true => format!("{sql} {last} {place}"),
                false => format!("({sql} {sign} {place} OR ({sql} = {place} AND {condition}))"),
            };
        }
        condition
    }

    /// Its planner does not see that few rows are asked for: it joins all of them for each page, and sorts them.
    fn joined_in_order(&self) -> &'static str {
        "STRAIGHT_JOIN "
    }

    fn is_null(&self, column: &str) -> String {
        // For MariaDB, the date 0000-00-00 IS NULL.
        format!("{column} <=> NULL")
    }

    fn ready(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.check(watched)?;
        let now = self.now()?;
        Log::from(now).check(&mut self.control)
    }

    fn place(&self) -> Option<String> {
        self.log.as_ref().map(|log| log.kept().kept())
    }

    fn resume(&mut self, place: &str) -> Result<(), SourceError> {
        let is_there = self.log.is_some();
        let place = Place::of(place)?;
        if !is_there {
            self.log = Some(Log::from(place));
        }
        Ok(())
    }

    fn hold(&mut self) -> Result<(), SourceError> {
        if self.snapshot == Snapshot::None {
            self.snapshot = Snapshot::Asked;
        }
        Ok(())
    }

    fn release(&mut self) -> Result<(), SourceError> {
        match std::mem::replace(&mut self.snapshot, Snapshot::None) {
            Snapshot::Held => self.reader.end(),
            Snapshot::None | Snapshot::Asked => Ok(()),
        }
    }

    fn query(&mut self, sql: &str, arguments: &[Cell]) -> Result<Vec<Vec<Cell>>, SourceError> {
        if self.snapshot == Snapshot::Asked {
            self.begin()?;
        }
        self.reader.rows(sql, arguments)
    }

    fn watched_by(&mut self) -> Result<Option<String>, SourceError> {
        // Nothing stands in the database.
        Ok(None)
    }

    fn watch(&mut self, watched: &[Watched], _id: &str) -> Result<(), SourceError> {
        self.tables = self.check(watched)?;
        if !self.control.texts("XA RECOVER")?.is_empty() {
            return Err(SourceError::lasting(
                "a transaction of several databases (XA) is prepared and has not ended, so its changes are behind the \
                 log that would be read: end it first (XA RECOVER lists it)",
            ));
        }
        let mut log = Log::from(self.now()?);
        log.check(&mut self.control)?;
        self.log = Some(log);
        Ok(())
    }

    fn check_watch(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return Ok(());
        }
        self.tables = self.check(watched)?;
        self.looked = Some(Moment::now());
        Ok(())
    }

    fn unwatch(&mut self) -> Result<(), SourceError> {
        self.log = None;
        self.looked = None;
        closed::drop_all(&mut self.control)
    }

    fn changes(&mut self, _watched: &[Watched], most: usize) -> Result<Change, SourceError> {
        if self.snapshot == Snapshot::Held {
            return Err(SourceError::lasting(
                "changes are read before the rows of their snapshot",
            ));
        }
        let until = self.begin()?;
        let Some(log) = &mut self.log else {
            return Err(SourceError::lasting(
                "the tables do not say from where the log is read: give the migration up with `keyfold migrate abort`, \
                 begin again, and `keyfold migrate verify --mend` at the end",
            ));
        };
        let read = log.read(&mut self.control, &self.tables, &until, most)?;
        Ok(Change {
            touched: self.cells(read.rows)?,
            mark: read.mark,
            has_more: read.has_more,
        })
    }

    fn forget(&mut self, _watched: &[Watched], change: &Change) -> Result<(), SourceError> {
        if let Some(log) = &mut self.log {
            log.forget(&change.mark);
        }
        Ok(())
    }

    fn skip(&mut self) -> Result<bool, SourceError> {
        self.log = Some(Log::from(self.now()?));
        Ok(true)
    }

    fn lead(&mut self) -> Option<&mut dyn Lead> {
        Some(self)
    }

    fn claim(&mut self) -> Result<(), SourceError> {
        self.control.claim()
    }
}
