//! SQLite while the tables lead: triggers refuse writes, but in a transaction that notes of itself that it carries
//! items. Nobody else sees that note, since a database has one writer at a time.

use super::triggers::{MARK, note, quoted};
use super::{Sqlite, sql_value};
use crate::cell::Cell;
use crate::noted::{self, FENCE, ID, PLACE};
use crate::source::{Lead, Noted, Source, SourceError, Tip, Watched, Wrote};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

/// The table of what is noted: parts and their values.
const LEAD: &str = "keyfold_lead";
/// What the names of the triggers begin with.
const PREFIX: &str = "keyfold_closed_";

fn value(connection: &Connection, part: &str) -> Result<Option<String>, SourceError> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT value FROM main.{LEAD} WHERE part = ?1"))?;
    let mut rows = statement.query([part])?;
    Ok(match rows.next()? {
        Some(row) => row.get(0)?,
        None => None,
    })
}

fn set(connection: &Connection, part: &str, value: &str) -> Result<(), SourceError> {
    let mut statement = connection.prepare_cached(&format!(
        "INSERT OR REPLACE INTO main.{LEAD} (part, value) VALUES (?1, ?2)"
    ))?;
    statement.execute([part, value])?;
    Ok(())
}

fn is_there(connection: &Connection) -> Result<bool, SourceError> {
    let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = ?1 AND type = 'table'";
    Ok(connection.prepare_cached(sql)?.exists([LEAD])?)
}

fn is_noted(connection: &Connection, (id, fence): (&str, u64)) -> Result<bool, SourceError> {
    if !is_there(connection)? {
        return Ok(false);
    }
    let is_own = value(connection, ID)?.as_deref() == Some(id);
    Ok(is_own && value(connection, FENCE)? == Some(fence.to_string()))
}

/// The triggers that refuse writes of a table, by their names.
fn refusals(watched: &Watched, instead: &str) -> Vec<(String, String)> {
    let sentence = format!("programs write to {instead} now: keyfold migrate has switched");
    let sentence = sentence.replace('\'', "''");
    let of = |when: &str| {
        let name = format!("{PREFIX}{}_{}", watched.table, when.to_lowercase());
        let sql = format!(
            "CREATE TRIGGER main.{} BEFORE {when} ON {} WHEN (SELECT value FROM {LEAD} WHERE part = 'carries') IS NOT '1' \
             BEGIN SELECT RAISE(ABORT, '{sentence}'); END",
            quoted(&name),
            quoted(&watched.table)
        );
        (name, sql)
    };
    ["INSERT", "UPDATE", "DELETE"].map(of).to_vec()
}

/// What a constraint says; other errors are errors.
fn refusal(error: rusqlite::Error) -> Result<Wrote, SourceError> {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch) => {
            Ok(Wrote::Refused(error.to_string()))
        }
        Some(_) | None => Err(error.into()),
    }
}

impl Lead for Sqlite {
    fn noted(&mut self) -> Result<Option<Noted>, SourceError> {
        if !is_there(&self.connection)? {
            return Ok(None);
        }
        let sql = format!("SELECT part, value FROM main.{LEAD} ORDER BY part");
        let rows = self.query(&sql, &[])?;
        let texts = rows.iter().filter_map(|row| match row.as_slice() {
            [Cell::Text(part), Cell::Text(value)] => Some((part.as_str(), value.as_str())),
            _ => None,
        });
        let noted = noted::noted(texts);
        noted.map(Some).ok_or_else(|| noted::damaged(LEAD))
    }

    fn close(
        &mut self,
        tables: &[Watched],
        (id, fence): (&str, u64),
        instead: &str,
    ) -> Result<(), SourceError> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        if !is_there(&transaction)? {
            transaction.execute_batch(&format!(
                "CREATE TABLE main.{LEAD} (part TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL)"
            ))?;
            note(&transaction, "TABLE", id, &format!("\"main\".\"{LEAD}\""))?;
        }
        let fence = fence.to_string();
        let parts = [
            (ID, id),
            (FENCE, fence.as_str()),
            (PLACE, instead),
            ("carries", "0"),
        ];
        for (part, value) in parts {
            set(&transaction, part, value)?;
        }
        for one in tables {
            if one.schema.as_deref().is_some_and(|schema| schema != "main") {
                return Err(SourceError::lasting(format!(
                    "`{}` is a table of another database file, which cannot be closed",
                    one.table
                )));
            }
            for (name, sql) in refusals(one, instead) {
                let place = format!("\"main\".{}", quoted(&name));
                transaction.execute_batch(&format!("DROP TRIGGER IF EXISTS {place}; {sql}"))?;
                let known = format!("DELETE FROM main.{MARK} WHERE place = ?1");
                transaction.execute(&known, [&place])?;
                note(&transaction, "TRIGGER", id, &place)?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    fn open(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        if !is_noted(&transaction, of)? {
            return Ok(false);
        }
        let made: Vec<String> = {
            let mut statement = transaction.prepare(
                "SELECT name FROM main.sqlite_schema WHERE type = 'trigger' AND name GLOB ?1 || '*'",
            )?;
            let names = statement.query_map([PREFIX], |row| row.get(0))?;
            names.collect::<Result<_, _>>()?
        };
        for name in made {
            let place = format!("\"main\".{}", quoted(&name));
            transaction.execute_batch(&format!("DROP TRIGGER {place}"))?;
            transaction.execute(
                &format!("DELETE FROM main.{MARK} WHERE place = ?1"),
                [&place],
            )?;
        }
        transaction.execute_batch(&format!("DROP TABLE main.{LEAD}"))?;
        let place = format!("\"main\".\"{LEAD}\"");
        transaction.execute(
            &format!("DELETE FROM main.{MARK} WHERE place = ?1"),
            [&place],
        )?;
        transaction.commit()?;
        Ok(true)
    }

    fn take(&mut self, (id, fence): (&str, u64)) -> Result<(), SourceError> {
        let changed = self.connection.execute(
            &format!(
                "UPDATE main.{LEAD} SET value = ?1 WHERE part = 'fence' AND (SELECT value FROM main.{LEAD} WHERE part = 'id') \
                 = ?2"
            ),
            [fence.to_string().as_str(), id],
        )?;
        match changed {
            0 => Err(SourceError::lasting(
                "the database notes another migration, by which its tables lead",
            )),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        self.connection
            .execute_batch("PRAGMA foreign_keys = ON; BEGIN IMMEDIATE")?;
        if !is_noted(&self.connection, of)? {
            self.rollback()?;
            return Ok(false);
        }
        set(&self.connection, "carries", "1")?;
        Ok(true)
    }

    fn write(&mut self, sql: &str, arguments: &[Cell]) -> Result<Wrote, SourceError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let arguments = rusqlite::params_from_iter(arguments.iter().map(sql_value));
        match statement.execute(arguments) {
            Ok(count) => Ok(Wrote::Rows(count as u64)),
            Err(error) => refusal(error),
        }
    }

    fn commit(&mut self, tips: &[Tip]) -> Result<Wrote, SourceError> {
        for tip in tips {
            let (part, value) = noted::of_tip(tip);
            set(&self.connection, &part, &value)?;
        }
        set(&self.connection, "carries", "0")?;
        match self.connection.execute_batch("COMMIT") {
            Ok(()) => Ok(Wrote::Rows(0)),
            Err(error) => refusal(error),
        }
    }

    fn rollback(&mut self) -> Result<(), SourceError> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        Ok(())
    }
}
