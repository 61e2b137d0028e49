//! Whether a file is the one whose changes were carried. Each run, and each time that changes are forgotten, begins a
//! round, whose number stands in the file and beside the tables. An older copy of the file has an earlier round: what
//! was carried behind it would stay in the items, and no change would say so.

use super::Sqlite;
use super::triggers::MARK;
use crate::source::SourceError;
use crate::world;
use rusqlite::{Connection, TransactionBehavior};

/// What the round is noted as.
const ROUND: &str = "round";
/// The most rounds that mending an older copy begins in it, before its rows are right.
const ROUNDS_A_MEND: i64 = 2;

/// The round that a file stands at; 0 where none is noted.
fn stored(connection: &Connection) -> Result<i64, SourceError> {
    let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = ?1 AND type = 'table'";
    if !connection.prepare_cached(sql)?.exists([MARK])? {
        return Ok(0);
    }
    let sql = format!("SELECT CAST(id AS INTEGER) FROM main.{MARK} WHERE kind = '{ROUND}'");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    Ok(match rows.next()? {
        Some(row) => row.get(0)?,
        None => 0,
    })
}

/// Notes a round.
fn note(connection: &Connection, round: i64) -> Result<(), SourceError> {
    let delete = format!("DELETE FROM main.{MARK} WHERE kind = '{ROUND}'");
    connection.prepare_cached(&delete)?.execute([])?;
    let insert = format!("INSERT INTO main.{MARK} VALUES ('{ROUND}', ?1, '')");
    let mut statement = connection.prepare_cached(&insert)?;
    statement.execute([round.to_string()])?;
    Ok(())
}

impl Sqlite {
    /// Begins the next round, with what else happens in its transaction.
    pub(super) fn next_round(
        &mut self,
        does: impl FnOnce(&Connection) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        does(&transaction)?;
        let round = stored(&transaction)?.max(self.round.unwrap_or(0)) + 1;
        note(&transaction, round)?;
        transaction.commit()?;
        (self.round, self.is_begun) = (Some(round), true);
        Ok(())
    }

    /// Checks that the file is the one that was opened, and none from before the last round.
    pub(super) fn check_history(&mut self) -> Result<(), SourceError> {
        let shown = self.path.display();
        if world::identity(&self.path) != self.file {
            return Err(SourceError::lasting(format!(
                "{shown} was moved away or replaced while it was read: begin this command again, which looks whether \
                 the file is an older copy"
            )));
        }
        let Some(carried) = self.round else {
            return Ok(());
        };
        let stored = stored(&self.connection)?;
        if stored < carried {
            return Err(SourceError::lasting(format!(
                "{shown} is an older copy of the database whose changes were carried (it stands at round {stored}, and \
                 round {carried} was carried), so the items may have what its rows do not: give the migration up with \
                 `keyfold migrate abort`, begin again, and `keyfold migrate verify --mend` at the end; while the tables \
                 lead, `keyfold migrate verify --mend` at once writes its rows as the items say"
            )));
        }
        Ok(())
    }

    /// The round of a place.
    pub(super) fn round_of(place: &str) -> Result<i64, SourceError> {
        place.parse().map_err(|_| {
            SourceError::lasting("the tables note a place of another version of keyfold")
        })
    }

    /// The place behind one whose round is later than that of the file. A run begins one round in the file: so the
    /// place stays as far ahead of it as it is.
    pub(super) fn round_behind(&mut self, place: &str) -> Result<Option<String>, SourceError> {
        let round = Sqlite::round_of(place)?;
        let is_older = stored(&self.connection)? < round;
        Ok(is_older.then(|| round.saturating_add(ROUNDS_A_MEND).to_string()))
    }

    /// Begins the round of this run, where the file keeps changes.
    pub(super) fn begin_round(&mut self) -> Result<(), SourceError> {
        match self.is_begun || super::triggers::owner(&self.connection)?.is_none() {
            true => Ok(()),
            false => self.next_round(|_| Ok(())),
        }
    }
}
