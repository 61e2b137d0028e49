//! The slot that keeps the log, the publication that names the tables, and the changes in between.
//!
//! A look at changes takes nothing away: the slot is moved forward when they are carried. One that is not moved
//! makes the server keep its log, so it is also moved over what is about other tables.

use super::catalog::{self, Come, Table};
use super::quoting::literal;
use super::reading::{Reading, Told};
use super::session::Session;
use super::value;
use crate::source::{KeptLog, SourceError, Touched, Watched};
use crate::world::Moment;
use std::collections::BTreeMap;
use std::time::Duration;

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
    domains: BTreeMap<u32, u32>,
    /// The end of the log at the last look that found nothing: as long as it stands, there is nothing.
    quiet: Option<String>,
    looked: Option<Moment>,
    /// The end of the log at the last look at whether the changes are kept.
    checked: Option<String>,
    moved: Option<Moment>,
    /// What has come and is not carried yet.
    come: Option<Arrived>,
}

/// Partitions that have come, and the structure of the tables with them.
struct Arrived {
    partitions: Vec<Come>,
    structure: Vec<String>,
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

/// What the comment of a publication begins with that a migration has made.
const MADE: &str = "keyfold migration ";

/// The comment of the publication, if there is one: the migration that it is of, and the structure of its tables.
fn comment(session: &mut Session) -> Result<Option<String>, SourceError> {
    let rows = session.simple(&format!(
        "SELECT coalesce(obj_description(oid, 'pg_publication'), '') FROM pg_publication WHERE pubname = \
         '{PUBLICATION}'"
    ))?;
    let first = rows.first();
    Ok(first.map(|row| row.get(0).unwrap_or_default().to_owned()))
}

/// The migration that the publication is of.
///
/// # Errors
/// When there is a publication of this name that no migration has made.
pub(super) fn owner(session: &mut Session) -> Result<Option<String>, SourceError> {
    let Some(comment) = comment(session)? else {
        return Ok(None);
    };
    let first = comment
        .lines()
        .next()
        .and_then(|line| line.strip_prefix(MADE));
    match first {
        Some(id) => Ok(Some(id.to_owned())),
        None => Err(SourceError::lasting(format!(
            "the publication `{PUBLICATION}` is none that a migration has made: rename or drop it"
        ))),
    }
}

/// What is said of a server that keeps its log without end for a slot of which nothing is read.
pub(super) fn unbounded(session: &mut Session) -> Result<Option<String>, SourceError> {
    let bound = session.text("SHOW max_slot_wal_keep_size")?;
    Ok((bound == "-1").then(|| {
        "the server keeps all of its log while a migration stands still, until its disk is full: `ALTER SYSTEM SET \
         max_slot_wal_keep_size = '20GB'` and `SELECT pg_reload_conf()` bound it, and `keyfold migrate status` says how much \
         it is"
            .to_owned()
    }))
}

impl Slot {
    /// The slot of the database that a session is connected to; it need not be there.
    pub(super) fn of(session: &mut Session) -> Result<Slot, SourceError> {
        let number =
            session.text("SELECT oid FROM pg_database WHERE datname = current_database()")?;
        Ok(Slot {
            name: format!("{PUBLICATION}_{number}"),
            tables: Vec::new(),
            domains: BTreeMap::new(),
            quiet: None,
            looked: None,
            checked: None,
            moved: None,
            come: None,
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

    /// The log that the server keeps for the slot; `None` when there is no slot, or it has lost its log.
    pub(super) fn kept(&self, session: &mut Session) -> Result<Option<KeptLog>, SourceError> {
        let rows = session.simple(&format!(
            "SELECT greatest(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), restart_lsn), 0)::bigint, safe_wal_size FROM \
             pg_replication_slots WHERE slot_name = {} AND restart_lsn IS NOT NULL",
            literal(&self.name)
        ))?;
        let number = |row: &tokio_postgres::SimpleQueryRow, at: usize| {
            let text = row.get(at)?;
            // The server is about to throw it away.
            Some(text.parse::<i64>().unwrap_or(0).max(0).cast_unsigned())
        };
        let first = rows.first();
        Ok(first.and_then(|row| {
            Some(KeptLog {
                bytes: number(row, 0)?,
                left: number(row, 1),
            })
        }))
    }

    /// What the slot's state is; `None` when there is no slot.
    fn state(&self, session: &mut Session) -> Result<Option<String>, SourceError> {
        let rows = session.simple(&format!(
            "SELECT coalesce(wal_status, ''), plugin = 'pgoutput' AND database = current_database() FROM \
             pg_replication_slots WHERE slot_name = {}",
            literal(&self.name)
        ))?;
        match rows.first() {
            None => Ok(None),
            Some(row) if row.get(1) == Some("t") => {
                Ok(Some(row.get(0).unwrap_or_default().to_owned()))
            }
            Some(_) => Err(SourceError::lasting(format!(
                "the replication slot `{}` is somebody else's: drop it, or migrate after it is gone",
                self.name
            ))),
        }
    }

    /// Makes the publication, and the slot behind it.
    pub(super) fn make(
        &mut self,
        session: &mut Session,
        tables: &[Table],
        id: &str,
    ) -> Result<(), SourceError> {
        let mut names: Vec<String> = tables.iter().map(Table::quoted).collect();
        names.sort();
        names.dedup();
        let names = names.join(", ");
        let structure = catalog::structure(session, tables)?.join("\n");
        let comment = literal(&format!("{MADE}{id}\n{structure}"));
        let tables = match owner(session)? {
            Some(other) if other != id => {
                return Err(SourceError::lasting(
                    "the database is being migrated to other tables",
                ));
            }
            Some(_) => format!("ALTER PUBLICATION {PUBLICATION} SET TABLE {names}"),
            None => {
                // A slot that is older than its publication cannot be read by it.
                if self.state(session)?.is_some() {
                    self.drop_slot(session)?;
                }
                format!(
                    "CREATE PUBLICATION {PUBLICATION} FOR TABLE {names} WITH (publish_via_partition_root = true)"
                )
            }
        };
        // Both statements are one transaction.
        session.execute(&format!(
            "{tables}; COMMENT ON PUBLICATION {PUBLICATION} IS {comment}"
        ))?;
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
    /// tables. They are looked at once a second, as long as something is written.
    pub(super) fn check(
        &mut self,
        session: &mut Session,
        watched: &[Watched],
    ) -> Result<(), SourceError> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return Ok(());
        }
        // Whatever changes a table writes to the log.
        let end = session.text("SELECT pg_current_wal_insert_lsn()")?;
        if self.checked.as_ref() == Some(&end) && self.come.is_none() {
            self.looked = Some(Moment::now());
            return Ok(());
        }
        let gone = |what: String| {
            SourceError::lasting(format!(
                "{what}, so changes were not kept: give the migration up with `keyfold migrate abort`, begin \
                 again, and `keyfold migrate verify --mend` at the end"
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
        self.come = self.check_publication(session, &tables, &gone)?;
        self.domains = catalog::domains(session)?;
        self.tables = tables;
        self.checked = Some(end);
        self.looked = Some(Moment::now());
        Ok(())
    }

    /// Checks that the publication tells everything of its tables, and that they are as they were; partitions may
    /// have come.
    fn check_publication(
        &self,
        session: &mut Session,
        tables: &[Table],
        gone: &dyn Fn(String) -> SourceError,
    ) -> Result<Option<Arrived>, SourceError> {
        let rows = session.simple(&format!(
            "SELECT pubinsert AND pubupdate AND pubdelete AND pubtruncate AND pubviaroot AND NOT EXISTS (SELECT FROM \
             pg_publication_rel r WHERE r.prpubid = p.oid AND (to_jsonb(r) ->> 'prqual' IS NOT NULL OR to_jsonb(r) \
             ->> 'prattrs' IS NOT NULL)), (SELECT coalesce(string_agg(r.prrelid::text, ' '), '') FROM \
             pg_publication_rel r WHERE r.prpubid = p.oid) FROM pg_publication p WHERE pubname = '{PUBLICATION}'"
        ))?;
        let Some(row) = rows.first() else {
            return Err(gone(format!("the publication `{PUBLICATION}` is gone")));
        };
        if row.get(0) != Some("t") {
            return Err(gone(format!(
                "somebody has changed what the publication `{PUBLICATION}` tells"
            )));
        }
        let told: Vec<&str> = row.get(1).unwrap_or_default().split(' ').collect();
        for table in tables {
            if !told.contains(&table.number.to_string().as_str()) {
                return Err(gone(format!(
                    "`{}` is not in the publication `{PUBLICATION}`: somebody took it out, or made the table anew",
                    table.name
                )));
            }
        }
        let comment = comment(session)?.unwrap_or_default();
        let then: Vec<String> = comment.lines().skip(1).map(str::to_owned).collect();
        let now = catalog::structure(session, tables)?;
        match catalog::come(&then, &now) {
            Some(partitions) if partitions.is_empty() => Ok(None),
            Some(partitions) => Ok(Some(Arrived {
                partitions,
                structure: now,
            })),
            None => Err(gone(
                "the tables were changed in a way that the log does not tell (a column with another type or taken away, \
                 a table written anew as by TRUNCATE or VACUUM FULL, a partition that went)"
                    .to_owned(),
            )),
        }
    }

    fn drop_slot(&self, session: &mut Session) -> Result<(), SourceError> {
        session.execute(&format!(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = {}",
            literal(&self.name)
        ))
    }

    /// Drops the slot and the publication.
    pub(super) fn drop_all(&mut self, session: &mut Session) -> Result<(), SourceError> {
        (self.looked, self.checked) = (None, None);
        // What somebody else has made stays.
        let is_made = owner(session)?.is_some();
        if self.state(session)?.is_some() {
            self.drop_slot(session)?;
        }
        match is_made {
            true => session.execute(&format!("DROP PUBLICATION IF EXISTS {PUBLICATION}")),
            false => Ok(()),
        }
    }

    /// Forgets what was carried: the log up to a place, and which partitions have come.
    pub(super) fn forget(&mut self, session: &mut Session, place: i64) -> Result<(), SourceError> {
        self.keep(session)?;
        match place {
            // Nothing was in the log.
            0 => Ok(()),
            _ => self.advance(session, place),
        }
    }

    /// Passes over everything that is in the log.
    pub(super) fn skip(&mut self, session: &mut Session) -> Result<(), SourceError> {
        let end = session.text("SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn")?;
        let end = end.parse::<u64>().map_or(0, u64::cast_signed);
        self.forget(session, end)
    }

    /// Takes partitions that have come, and are carried, for part of their tables.
    fn keep(&mut self, session: &mut Session) -> Result<(), SourceError> {
        if let Some(Arrived { structure, .. }) = &self.come
            && let Some(id) = owner(session)?
        {
            let comment = literal(&format!("{MADE}{id}\n{}", structure.join("\n")));
            session.execute(&format!(
                "COMMENT ON PUBLICATION {PUBLICATION} IS {comment}"
            ))?;
        }
        self.come = None;
        Ok(())
    }

    /// The rows of partitions that have come: the log does not tell those that were there before.
    fn come(
        &self,
        session: &mut Session,
        watched: &[Watched],
    ) -> Result<Vec<Touched>, SourceError> {
        let mut touched = Vec::new();
        for one in self.come.iter().flat_map(|one| &one.partitions) {
            for (table, own) in watched.iter().enumerate() {
                let number = self.tables.get(table).map(|table| table.number);
                if number == Some(one.table) {
                    let rows = catalog::rows_of(session, one.number, own)?;
                    touched.extend(rows.into_iter().map(|cells| Touched { table, cells }));
                }
            }
        }
        Ok(touched)
    }

    /// Moves the slot to a place of the log: what is before it is kept no more.
    fn advance(&mut self, session: &mut Session, place: i64) -> Result<(), SourceError> {
        let place = place.cast_unsigned();
        self.moved = Some(Moment::now());
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
        let come = self.come(session, watched)?;
        if come.is_empty() {
            self.keep(session)?;
        }
        loop {
            let end = session.text("SELECT pg_current_wal_flush_lsn() - '0/0'::pg_lsn")?;
            if self.quiet.as_ref() == Some(&end) && self.come.is_none() {
                return Ok(Reading::of(watched, &self.tables, &self.domains).told(false));
            }
            let mut reading = Reading::of(watched, &self.tables, &self.domains);
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
            if !reading.touched.is_empty() || self.come.is_some() {
                reading.touched.extend(come);
                return Ok(reading.told(has_more));
            }
            // What was there is about other tables. It is moved over, at once if more is behind it.
            let told = reading.told(false);
            self.quiet = (!has_more).then(|| end.clone());
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
