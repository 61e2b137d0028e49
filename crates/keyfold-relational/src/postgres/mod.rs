//! PostgreSQL as a source. Its log tells which rows change, by logical replication: a slot keeps the log, and a
//! publication names the tables. Both are read by SQL functions, so an ordinary connection is enough.
//!
//! - `session`: a connection that is made again when it is lost; `tls`: that it is encrypted; `value`: texts of
//!   PostgreSQL as cells.
//! - `catalog`: tables and columns, and what stands in the way; `described`: all of them, and the queries that were run;
//!   `slot`: the slot, the publication, changes; `closed`, `lead`: how it follows the tables;
//!   `locks`: changes of tables beside their programs.
//! - `log`: the messages of the log; `reading`: which rows they touch; `rights`: what a role may do; `quoting`: names and
//!   texts in SQL.
//!
//! Two connections are used. Changes are looked at by the first; rows are read by the second, in a snapshot
//! that is taken afterwards and that is made sure to hold every one of them: a transaction is in the log a
//! moment before others see it.

mod catalog;
mod closed;
mod described;
mod lead;
mod locks;
mod log;
mod quoting;
mod reading;
mod rights;
mod session;
mod slot;
mod tls;
mod value;

use crate::cell::Cell;
use crate::source::TableColumn;
use crate::source::{Change, Column, KeptLog, Lead, Source, SourceError, Watched};
use crate::world;
use keyfold_model::schema::origin::SqlTable;
use quoting::quoted;
use rights::Use;
use session::Session;
use slot::Slot;
use std::time::Duration;

/// How long a snapshot is waited for that holds what the log has told.
const SEEN_WITHIN: Duration = Duration::from_secs(5);

/// How long the log is waited for to be on disk; PostgreSQL writes it after three times `wal_writer_delay`.
const SETTLED_WITHIN: Duration = Duration::from_secs(60);
const SETTLE_PAUSE: Duration = Duration::from_millis(20);
/// A transaction of two statements that writes nothing but an empty message, which nobody reads: its end has the log
/// written to disk.
const FLUSH: &str =
    "SET LOCAL synchronous_commit = local; SELECT pg_logical_emit_message(true, 'keyfold', '')";

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
pub struct Postgres {
    /// Changes, and what keeps them.
    control: Session,
    /// Rows.
    reader: Session,
    slot: Slot,
    snapshot: Snapshot,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Postgres")
            .field(&self.control.name())
            .finish()
    }
}

impl Postgres {
    /// Connects to a database: `postgres://USER@HOST/DATABASE`. A password that the text does not hold is taken
    /// from `PGPASSWORD`.
    ///
    /// # Errors
    /// When the text names no database, or the server refuses the connection or does not answer.
    pub fn open(text: &str) -> Result<Postgres, SourceError> {
        let mut control = Session::open(text)?;
        let slot = Slot::of(&mut control)?;
        Ok(Postgres {
            control,
            reader: Session::open(text)?,
            slot,
            snapshot: Snapshot::None,
        })
    }

    /// Begins the snapshot of the reader. It holds all transactions of a list.
    fn begin(&mut self, transactions: &[u32]) -> Result<(), SourceError> {
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_millis(1);
        loop {
            self.reader.begin()?;
            let snapshot = self.reader.text("SELECT pg_current_snapshot()::text")?;
            if transactions
                .iter()
                .all(|one| slot::is_seen(&snapshot, *one))
            {
                self.snapshot = Snapshot::Held;
                return Ok(());
            }
            self.reader.end()?;
            if waited > SEEN_WITHIN {
                return Err(SourceError {
                    message: "a transaction is in the log of PostgreSQL and not visible yet: it may wait for a \
                              synchronous standby"
                        .to_owned(),
                    may_pass: true,
                });
            }
            world::pause(pause);
            waited += pause;
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }
}

impl Source for Postgres {
    fn name(&self) -> String {
        self.control.name().to_owned()
    }

    fn columns(&mut self, table: &SqlTable) -> Result<Option<Vec<Column>>, SourceError> {
        catalog::columns(&mut self.control, table)
    }

    fn described(&mut self, table: &SqlTable) -> Result<Vec<TableColumn>, SourceError> {
        catalog::described(&mut self.control, table)
    }

    fn key(&mut self, table: &SqlTable) -> Result<Vec<String>, SourceError> {
        catalog::key(&mut self.control, table)
    }

    fn quoted(&self, name: &str) -> String {
        quoted(name)
    }

    fn argument(&self, number: usize) -> String {
        format!("${number}")
    }

    fn argument_of(&self, number: usize, kind: &str) -> String {
        match kind.is_empty() {
            true => self.argument(number),
            false => format!("${number}::{kind}"),
        }
    }

    fn settle(&mut self) -> Result<(), SourceError> {
        let written = self.control.text("SELECT pg_current_wal_insert_lsn()")?;
        let sql = format!("SELECT pg_current_wal_flush_lsn() >= '{written}'::pg_lsn");
        let mut waited = Duration::ZERO;
        while self.control.text(&sql)? != "t" {
            if waited.is_zero() {
                // What no transaction has ended with (pages that were tidied, a transaction that is open) is not
                // written by itself for fifteen seconds. A role without the right to this waits for it.
                drop(self.control.execute(FLUSH));
            } else {
                world::pause(SETTLE_PAUSE);
            }
            if waited > SETTLED_WITHIN {
                return Err(SourceError {
                    message: "PostgreSQL does not write its log to disk".to_owned(),
                    may_pass: true,
                });
            }
            waited += SETTLE_PAUSE;
        }
        Ok(())
    }

    fn read(&self, sql: String, kind: &str) -> String {
        match kind.ends_with("[]") {
            true => format!("to_jsonb({sql})"),
            false => sql,
        }
    }

    fn ready(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.slot.check_server(&mut self.control)?;
        let tables = catalog::tables(&mut self.control, watched)?;
        rights::check(&mut self.control, &tables, Use::Follow)
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
            self.begin(&[])?;
        }
        self.reader.rows(sql, arguments)
    }

    fn advice(&mut self) -> Result<Vec<String>, SourceError> {
        Ok(slot::unbounded(&mut self.control)?.into_iter().collect())
    }

    fn kept_log(&mut self) -> Result<Option<KeptLog>, SourceError> {
        self.slot.kept(&mut self.control)
    }

    fn watched_by(&mut self) -> Result<Option<String>, SourceError> {
        slot::owner(&mut self.control)
    }

    fn watch(&mut self, watched: &[Watched], id: &str) -> Result<(), SourceError> {
        self.slot.check_server(&mut self.control)?;
        let tables = catalog::tables(&mut self.control, watched)?;
        rights::check(&mut self.control, &tables, Use::Follow)?;
        self.slot.make(&mut self.control, &tables, id)
    }

    fn check_watch(&mut self, watched: &[Watched]) -> Result<(), SourceError> {
        self.slot.check(&mut self.control, watched)
    }

    fn unwatch(&mut self) -> Result<(), SourceError> {
        self.slot.drop_all(&mut self.control)?;
        closed::drop_all(&mut self.control)
    }

    fn changes(&mut self, watched: &[Watched], most: usize) -> Result<Change, SourceError> {
        if self.snapshot == Snapshot::Held {
            return Err(SourceError::lasting(
                "changes are read before the rows of their snapshot",
            ));
        }
        let told = self.slot.peek(&mut self.control, watched, most)?;
        if self.snapshot == Snapshot::Asked {
            self.begin(&told.transactions)?;
        }
        Ok(told.change)
    }

    fn forget(&mut self, _watched: &[Watched], change: &Change) -> Result<(), SourceError> {
        match change.mark.first() {
            Some(mark) => self.slot.forget(&mut self.control, *mark),
            None => Ok(()),
        }
    }

    fn skip(&mut self) -> Result<bool, SourceError> {
        // What is not on disk yet comes again: its rows are as their items then.
        self.slot.skip(&mut self.control)?;
        Ok(true)
    }

    fn lead(&mut self) -> Option<&mut dyn Lead> {
        Some(self)
    }

    fn claim(&mut self) -> Result<(), SourceError> {
        self.control.claim()
    }
}
