//! PostgreSQL while the tables lead: what a switch asks of it, and a run that carries items.

use super::closed::{self, LEAD, MADE, SCHEMA, is_noted, is_there, note};
use super::locks::{self, LOCK_WITHIN, Mode};
use super::quoting::literal;
use super::rights::{self, Use};
use super::session::Session;
use super::{Postgres, catalog};
use crate::cell::Cell;
use crate::noted::{self, FENCE, ID, PLACE};
use crate::source::{Lead, Noted, SourceError, Tip, Watched, Wrote};
use std::collections::BTreeSet;

impl Postgres {
    /// Moves the sequences behind what was carried, if this run has what is noted.
    fn moved(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        let session = &mut self.control;
        if !is_noted(session, of)? {
            return Ok(false);
        }
        for statement in closed::sequences(session)? {
            session.execute(&statement)?;
        }
        let done = session.commit("SELECT 1")?;
        done.map(|()| true).map_err(SourceError::lasting)
    }
}

impl Lead for Postgres {
    fn may_lead(&mut self, tables: &[Watched]) -> Result<(), SourceError> {
        let tables = catalog::tables(&mut self.control, tables)?;
        rights::check(&mut self.control, &tables, Use::Lead)
    }

    fn noted(&mut self) -> Result<Option<Noted>, SourceError> {
        let session = &mut self.control;
        if !is_there(session)? {
            return Ok(None);
        }
        let rows = session.simple(&format!("SELECT part, value FROM {LEAD} ORDER BY part"))?;
        let texts = rows.iter();
        let texts = texts.map(|row| {
            (
                row.get(0).unwrap_or_default(),
                row.get(1).unwrap_or_default(),
            )
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
        let session = &mut self.control;
        let rows = session.simple(&format!(
            "SELECT t.tgname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE p.pronamespace = \
             to_regnamespace('{SCHEMA}')"
        ))?;
        let made = rows.iter().filter_map(|row| row.get(0).map(str::to_owned));
        let made: BTreeSet<String> = made.collect();
        let number = fence.to_string();
        let parts = [(ID, id), (FENCE, &number), (PLACE, instead)];
        let parts = parts.map(|(part, value)| (part.to_owned(), value.to_owned()));
        let statements = [
            LOCK_WITHIN.to_owned(),
            format!("CREATE SCHEMA IF NOT EXISTS {SCHEMA}"),
            format!(
                "COMMENT ON SCHEMA {SCHEMA} IS {}",
                literal(&format!("{MADE}{id}"))
            ),
            format!(
                "CREATE TABLE IF NOT EXISTS {LEAD} (part text PRIMARY KEY, value text NOT NULL)"
            ),
            closed::function(id, instead),
            note(&parts),
        ];
        // All of them are one transaction.
        session.execute(&statements.join("; "))?;
        let mut tables = catalog::tables(session, tables)?;
        tables.sort_by_key(|one| one.number);
        tables.dedup();
        for table in &tables {
            let statements = closed::refusals(session, table, &made)?;
            let due = |session: &mut Session| is_noted(session, (id, fence));
            if !locks::change(session, (table, Mode::Making), due, &statements)? {
                return Err(SourceError::lasting(
                    "another run of this migration has begun, and this one closes no more tables",
                ));
            }
        }
        Ok(())
    }

    fn open(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        self.control.begin_writing()?;
        let moved = self.moved(of);
        if !matches!(moved, Ok(true)) {
            self.control.end()?;
            return moved;
        }
        closed::drop_while(&mut self.control, |session| is_noted(session, of))
    }

    fn take(&mut self, (id, fence): (&str, u64)) -> Result<(), SourceError> {
        let rows = self.control.simple(&format!(
            "UPDATE {LEAD} SET value = '{fence}' WHERE part = '{FENCE}' AND (SELECT value FROM {LEAD} WHERE part = '{ID}') = \
             {} RETURNING part",
            literal(id)
        ))?;
        match rows.is_empty() {
            true => Err(SourceError::lasting(
                "the database notes another migration, by which its tables lead",
            )),
            false => Ok(()),
        }
    }

    fn begin(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        self.reader.begin_writing()?;
        let begun = closed::begun(&mut self.reader, of);
        if !matches!(begun, Ok(true)) {
            self.reader.end()?;
        }
        begun
    }

    fn write(&mut self, sql: &str, arguments: &[Cell]) -> Result<Wrote, SourceError> {
        Ok(match self.reader.changed(sql, arguments)? {
            Ok(count) => Wrote::Rows(count),
            Err(why) => Wrote::Refused(why),
        })
    }

    fn commit(&mut self, tips: &[Tip]) -> Result<Wrote, SourceError> {
        let parts: Vec<(String, String)> = tips.iter().map(noted::of_tip).collect();
        let last = match parts.is_empty() {
            true => "SELECT 1".to_owned(),
            false => note(&parts),
        };
        Ok(match self.reader.commit(&last)? {
            Ok(()) => Wrote::Rows(0),
            Err(why) => Wrote::Refused(why),
        })
    }

    fn rollback(&mut self) -> Result<(), SourceError> {
        self.reader.end()
    }
}
