//! The slot that keeps the log, the publication that names the tables, and the changes in between.
//!
//! A look at changes takes nothing away: the slot is moved forward when they are carried. One that is not moved
//! makes the server keep its log, so it is also moved over what is about other tables.

use super::catalog::{self, Table};
use super::log::{self, Field, Message, Named, Row};
use super::quoting::literal;
use super::session::Session;
use super::value;
use crate::cell::Cell;
use crate::source::{Change, SourceError, Touched, Watched};
use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

const PUBLICATION: &str = "keyfold_migrate";
/// The earliest version that publishes partitions as their table.
const VERSION_MIN: u32 = 130_000;
/// How long the slot is waited for, which needs that every transaction of before has ended.
const MAKE_WITHIN: Duration = Duration::from_secs(60);
/// The time between two looks at whether the changes are still kept, and two moves over foreign changes.
const LOOK: Duration = Duration::from_secs(1);

/// The slot of a database.
pub(super) struct Slot {
    name: String,
    tables: Vec<Table>,
    looked: Option<Instant>,
    moved: Option<Instant>,
}

/// Changes, and the transactions that made them.
pub(super) struct Told {
    pub(super) change: Change,
    pub(super) transactions: Vec<u32>,
}

/// Whether a transaction that has ended is visible in a snapshot, `xmin:xmax:running,running`. Of the
/// snapshot's 64 bits the log tells the lower 32.
pub(super) fn is_seen(snapshot: &str, transaction: u32) -> bool {
    let mut parts = snapshot.split(':').skip(1);
    let low = |text: &str| {
        text.parse::<u64>()
            .map(|number| number & u64::from(u32::MAX))
    };
    let Some(Ok(next)) = parts.next().map(low) else {
        return false;
    };
    let mut running = parts.next().unwrap_or_default().split(',');
    let before = u64::from(transaction).wrapping_sub(next) & u64::from(u32::MAX);
    before > u64::from(u32::MAX / 2)
        && !running.any(|one| low(one).is_ok_and(|one| one == u64::from(transaction)))
}

/// The migration that the publication is of.
pub(super) fn owner(session: &mut Session) -> Result<Option<String>, SourceError> {
    let rows = session.simple(&format!(
        "SELECT coalesce(obj_description(oid, 'pg_publication'), '') FROM pg_publication WHERE pubname = \
         '{PUBLICATION}'"
    ))?;
    let first = rows.first();
    Ok(first.map(|row| row.get(0).unwrap_or_default().to_owned()))
}

impl Slot {
    /// The slot of the database that a session is connected to; it need not be there.
    pub(super) fn of(session: &mut Session) -> Result<Slot, SourceError> {
        let number =
            session.text("SELECT oid FROM pg_database WHERE datname = current_database()")?;
        Ok(Slot {
            name: format!("{PUBLICATION}_{number}"),
            tables: Vec::new(),
            looked: None,
            moved: None,
        })
    }

    /// Checks that the server can keep changes.
    pub(super) fn check_server(&self, session: &mut Session) -> Result<(), SourceError> {
        let version = session.text("SHOW server_version_num")?;
        if version
            .parse::<u32>()
            .is_ok_and(|version| version < VERSION_MIN)
        {
            return Err(SourceError::lasting(
                "this PostgreSQL is older than version 13, which is the first whose log tells enough",
            ));
        }
        let level = session.text("SHOW wal_level")?;
        match level == "logical" {
            true => Ok(()),
            false => Err(SourceError::lasting(format!(
                "the log of this PostgreSQL does not tell rows (wal_level is {level}): ALTER SYSTEM SET wal_level = \
                 logical, and start the server anew"
            ))),
        }
    }

    /// What the slot's state is; `None` when there is no slot.
    fn state(&self, session: &mut Session) -> Result<Option<String>, SourceError> {
        let rows = session.simple(&format!(
            "SELECT coalesce(wal_status, '') FROM pg_replication_slots WHERE slot_name = {}",
            literal(&self.name)
        ))?;
        let first = rows.first();
        Ok(first.map(|row| row.get(0).unwrap_or_default().to_owned()))
    }

    /// Makes the publication, and the slot behind it.
    pub(super) fn make(
        &mut self,
        session: &mut Session,
        tables: &[Table],
        id: &str,
    ) -> Result<(), SourceError> {
        let names: Vec<String> = tables.iter().map(Table::quoted).collect();
        let names = names.join(", ");
        let made = match owner(session)? {
            Some(other) if other != id => {
                return Err(SourceError::lasting(
                    "the database is being migrated to other tables",
                ));
            }
            Some(_) => format!("ALTER PUBLICATION {PUBLICATION} SET TABLE {names}"),
            None => format!(
                "CREATE PUBLICATION {PUBLICATION} FOR TABLE {names} WITH (publish_via_partition_root = true); \
                 COMMENT ON PUBLICATION {PUBLICATION} IS {}",
                literal(id)
            ),
        };
        // Both statements are one transaction.
        session.execute(&made)?;
        // A slot that has lost its log is of a run that never began: nothing rests on it.
        match self.state(session)? {
            Some(state) if state == "lost" => self.drop_slot(session)?,
            Some(_) => return Ok(()),
            None => {}
        }
        session.execute(&format!(
            "SET statement_timeout = {}",
            MAKE_WITHIN.as_millis()
        ))?;
        let made = session.execute(&format!(
            "SELECT pg_create_logical_replication_slot({}, 'pgoutput')",
            literal(&self.name)
        ));
        session.execute("SET statement_timeout = 0")?;
        made.map_err(|error| SourceError {
            message: format!(
                "no slot can be made that keeps changes (it waits {} seconds for transactions that are open): {}",
                MAKE_WITHIN.as_secs(),
                error.message
            ),
            may_pass: false,
        })
    }

    /// Checks that nothing was passed over: the slot is there with its log, and the publication with its
    /// tables. They are looked at once a second.
    pub(super) fn check(
        &mut self,
        session: &mut Session,
        watched: &[Watched],
    ) -> Result<(), SourceError> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return Ok(());
        }
        let gone = |what: String| {
            SourceError::lasting(format!(
                "{what}, so changes were not kept: give the migration up with `keyfold migrate abort`, and begin \
                 again"
            ))
        };
        match self.state(session)?.as_deref() {
            None => {
                return Err(gone(format!(
                    "the replication slot `{}` is gone",
                    self.name
                )));
            }
            Some("lost") => {
                return Err(gone(format!(
                    "the server has thrown away the log of the replication slot `{}` (max_slot_wal_keep_size)",
                    self.name
                )));
            }
            Some(_) => {}
        }
        let tables = catalog::tables(session, watched)?;
        let rows = session.simple(&format!(
            "SELECT schemaname, tablename FROM pg_publication_tables WHERE pubname = '{PUBLICATION}'"
        ))?;
        for table in &tables {
            let is_it = |row: &&tokio_postgres::SimpleQueryRow| {
                row.get(0) == Some(&table.schema) && row.get(1) == Some(&table.name)
            };
            if !rows.iter().any(|row| is_it(&row)) {
                return Err(gone(format!(
                    "`{}` is not in the publication `{PUBLICATION}`: somebody took it out, or made the table anew",
                    table.name
                )));
            }
        }
        self.tables = tables;
        self.looked = Some(Instant::now());
        Ok(())
    }

    fn drop_slot(&self, session: &mut Session) -> Result<(), SourceError> {
        session.execute(&format!(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = {}",
            literal(&self.name)
        ))
    }

    /// Drops the slot and the publication.
    pub(super) fn drop_all(&mut self, session: &mut Session) -> Result<(), SourceError> {
        self.looked = None;
        self.drop_slot(session)?;
        session.execute(&format!("DROP PUBLICATION IF EXISTS {PUBLICATION}"))
    }

    /// Moves the slot to a place of the log: what is before it is kept no more.
    pub(super) fn advance(&mut self, session: &mut Session, place: i64) -> Result<(), SourceError> {
        let place = place.cast_unsigned();
        self.moved = Some(Instant::now());
        session.execute(&format!(
            "SELECT pg_replication_slot_advance({}, '{:X}/{:X}')",
            literal(&self.name),
            place >> 32,
            place & u64::from(u32::MAX)
        ))
    }

    /// Changes of whole transactions, about so many, without taking them away.
    pub(super) fn peek(
        &mut self,
        session: &mut Session,
        watched: &[Watched],
        most: usize,
    ) -> Result<Told, SourceError> {
        loop {
            let end = session.text("SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn")?;
            let mut reading = Reading::of(watched, &self.tables);
            session.each(
                &format!(
                    "SELECT data FROM pg_logical_slot_peek_binary_changes({}, NULL, {most}, 'proto_version', '1', \
                     'publication_names', '{PUBLICATION}')",
                    literal(&self.name)
                ),
                |row| {
                    let bytes = row.get(0).and_then(value::bytes).unwrap_or_default();
                    reading.message(&bytes)
                },
            )?;
            let has_more = reading.messages >= most;
            if !reading.touched.is_empty() {
                return Ok(reading.told(has_more));
            }
            // What was there is about other tables. It is moved over, at once if more is behind it.
            let told = reading.told(false);
            if has_more {
                let behind = told.change.mark.first().copied().unwrap_or(0);
                self.advance(session, behind)?;
                continue;
            }
            if self.moved.is_none_or(|moved| moved.elapsed() > LOOK) {
                let end = end.parse::<u64>().map_or(0, u64::cast_signed);
                self.advance(session, end)?;
            }
            return Ok(told);
        }
    }
}

/// A table as the log describes it.
struct Described {
    /// Its position among those that are watched.
    table: usize,
    /// The places and types of the watched columns in a row.
    columns: Vec<(usize, u32)>,
}

/// Messages that are being read.
struct Reading<'w> {
    watched: &'w [Watched],
    tables: &'w [Table],
    described: HashMap<u32, Described>,
    touched: Vec<Touched>,
    seen: HashSet<String>,
    transactions: Vec<u32>,
    end: i64,
    messages: usize,
}

impl<'w> Reading<'w> {
    fn of(watched: &'w [Watched], tables: &'w [Table]) -> Reading<'w> {
        Reading {
            watched,
            tables,
            described: HashMap::new(),
            touched: Vec::new(),
            seen: HashSet::new(),
            transactions: Vec::new(),
            end: 0,
            messages: 0,
        }
    }

    fn told(self, has_more: bool) -> Told {
        Told {
            change: Change {
                touched: self.touched,
                mark: vec![self.end],
                has_more,
            },
            transactions: self.transactions,
        }
    }

    fn message(&mut self, bytes: &[u8]) -> Result<(), SourceError> {
        self.messages += 1;
        match log::message(bytes)? {
            Message::Begin { transaction } => self.transactions.push(transaction),
            Message::Commit { end } => self.end = end.cast_signed(),
            Message::Relation {
                number,
                schema,
                table,
                columns,
            } => {
                let table = Table {
                    schema,
                    name: table,
                };
                self.describe(number, &table, &columns)?;
            }
            Message::Rows { number, old, new } => self.rows(number, old.as_ref(), new.as_ref())?,
            Message::Truncate { numbers } => {
                for number in numbers {
                    if let Some(described) = self.described.get(&number) {
                        return Err(self.truncated(described.table));
                    }
                }
            }
            Message::Other => {}
        }
        Ok(())
    }

    fn truncated(&self, table: usize) -> SourceError {
        let name = self.watched.get(table).map_or("", |one| one.table.as_str());
        SourceError::lasting(format!(
            "`{name}` was emptied by TRUNCATE, and the log does not tell which rows it had: give the migration up \
             with `keyfold migrate abort`, and begin again with empty tables"
        ))
    }

    fn describe(
        &mut self,
        number: u32,
        table: &Table,
        columns: &[Named],
    ) -> Result<(), SourceError> {
        let at = self.tables.iter().position(|one| one == table);
        let Some((at, watched)) = at.and_then(|at| Some((at, self.watched.get(at)?))) else {
            self.described.remove(&number);
            return Ok(());
        };
        let mut places = Vec::new();
        for name in &watched.columns {
            let place = columns
                .iter()
                .position(|one| one.name == *name && one.is_told);
            let kind = place
                .and_then(|place| columns.get(place))
                .map(|one| one.kind);
            let (Some(place), Some(kind)) = (place, kind) else {
                return Err(SourceError::lasting(format!(
                    "the log did not tell `{name}` of `{}` for a while (its replica identity or the column was \
                     changed), so changes were passed over: give the migration up with `keyfold migrate abort`, and \
                     begin again",
                    watched.table
                )));
            };
            places.push((place, kind));
        }
        let described = Described {
            table: at,
            columns: places,
        };
        self.described.insert(number, described);
        Ok(())
    }

    fn rows(
        &mut self,
        number: u32,
        old: Option<&Row<'_>>,
        new: Option<&Row<'_>>,
    ) -> Result<(), SourceError> {
        let Some(described) = self.described.get(&number) else {
            return Ok(());
        };
        for row in [old, new].into_iter().flatten() {
            let cell = |(place, kind): &(usize, u32)| {
                let field = row.get(*place).copied().unwrap_or(Field::Null);
                let before = old.and_then(|old| old.get(*place)).copied();
                match (field, before) {
                    (Field::Text(text), _) | (Field::Unchanged, Some(Field::Text(text))) => {
                        Ok(value::cell(*kind, Some(text)))
                    }
                    (Field::Null, _) => Ok(Cell::Null),
                    (Field::Unchanged, _) => Err(SourceError::lasting(
                        "the log does not tell a long value by which rows are told",
                    )),
                }
            };
            let cells = described.columns.iter().map(cell);
            let cells: Vec<Cell> = cells.collect::<Result<_, _>>()?;
            let table = described.table;
            if self.seen.insert(format!("{table} {cells:?}")) {
                self.touched.push(Touched { table, cells });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::is_seen;

    #[test]
    fn a_transaction_is_seen_when_it_had_ended() {
        assert!(is_seen("10:20:", 9));
        assert!(is_seen("10:20:12,15", 14));
        assert!(!is_seen("10:20:12,15", 15));
        assert!(!is_seen("10:20:12,15", 20));
        assert!(!is_seen("10:20:", 21));
        assert!(!is_seen("", 1));
    }

    #[test]
    fn numbers_of_transactions_begin_anew() {
        // The second epoch has begun: 4_294_967_300 is 4 there.
        assert!(is_seen("4294967290:4294967300:", 4_294_967_295));
        assert!(is_seen("4294967290:4294967300:4294967299", 2));
        assert!(!is_seen("4294967290:4294967300:4294967299", 3));
        assert!(!is_seen("4294967290:4294967300:", 5));
    }
}
