//! MariaDB while the tables lead: what a switch asks of it, and a run that carries items.

use super::closed::{self, LEAD, TRIGGER, VARIABLE, is_noted, is_there, note};
use super::quoting::literal;
use super::{Mariadb, catalog, rights};
use crate::cell::Cell;
use crate::noted::{self, FENCE, ID, PLACE};
use crate::source::{Lead, Noted, SourceError, Tip, Watched, Wrote};

impl Mariadb {
    /// Begins a transaction that writes to the tables, if the run has what is noted.
    fn begun(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        if !is_noted(&mut self.reader, of)? {
            return Ok(false);
        }
        self.reader
            .execute(&format!("SET {VARIABLE} = {}", literal(of.0)))?;
        Ok(true)
    }
}

impl Lead for Mariadb {
    fn may_lead(&mut self, tables: &[Watched]) -> Result<(), SourceError> {
        let tables = catalog::tables(&mut self.control, tables)?;
        rights::check(&mut self.control, &tables)
    }

    fn noted(&mut self) -> Result<Option<Noted>, SourceError> {
        let session = &mut self.control;
        if !is_there(session)? {
            return Ok(None);
        }
        let lead = closed::lead(session);
        let rows = session.texts(&format!("SELECT part, value FROM {lead} ORDER BY part"))?;
        let texts = rows.iter().filter_map(|row| match row.as_slice() {
            [part, value] => Some((part.as_str(), value.as_str())),
            _ => None,
        });
        match noted::noted(texts) {
            Some(noted) => Ok(Some(noted)),
            // It was made a moment ago, and nothing was noted: the run was killed, and no trigger is there.
            None if rows.is_empty() => Ok(None),
            None => Err(noted::damaged(LEAD)),
        }
    }

    fn close(
        &mut self,
        tables: &[Watched],
        (id, fence): (&str, u64),
        instead: &str,
    ) -> Result<(), SourceError> {
        let session = &mut self.control;
        let tables = catalog::tables(session, tables)?;
        let triggers = tables
            .iter()
            .flat_map(|one| closed::refusals(one, (id, instead)));
        let mut triggers: Vec<(String, String)> = triggers.collect();
        triggers.sort();
        triggers.dedup();
        let mut parts = vec![
            (ID.to_owned(), id.to_owned()),
            (FENCE.to_owned(), fence.to_string()),
            (PLACE.to_owned(), instead.to_owned()),
        ];
        let names = triggers.iter();
        parts.extend(names.map(|(name, _)| (format!("{TRIGGER}{name}"), String::new())));
        session.execute(&format!(
            "CREATE TABLE IF NOT EXISTS {} (part VARCHAR(500) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, value TEXT \
             CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL) ENGINE = InnoDB",
            closed::lead(session)
        ))?;
        let note = note(session, &parts);
        session.execute(&note)?;
        let statements: Vec<String> = triggers.into_iter().map(|(_, sql)| sql).collect();
        closed::waiting(session, &statements)
    }

    fn open(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        match is_noted(&mut self.control, of)? {
            true => closed::drop_all(&mut self.control).map(|()| true),
            false => Ok(false),
        }
    }

    fn take(&mut self, (id, fence): (&str, u64)) -> Result<(), SourceError> {
        let session = &mut self.control;
        let lead = closed::lead(session);
        let noted = session.text(&format!("SELECT value FROM {lead} WHERE part = '{ID}'"))?;
        if noted != id {
            return Err(SourceError::lasting(
                "the database notes another migration, by which its tables lead",
            ));
        }
        session.execute(&format!(
            "UPDATE {lead} SET value = '{fence}' WHERE part = '{FENCE}'"
        ))
    }

    fn begin(&mut self, of: (&str, u64)) -> Result<bool, SourceError> {
        self.reader.begin_writing()?;
        let begun = self.begun(of);
        if !matches!(begun, Ok(true)) {
            self.rollback()?;
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
        if !parts.is_empty() {
            let note = note(&self.reader, &parts);
            self.reader.execute(&note)?;
        }
        self.reader.commit()?;
        self.reader.execute(&format!("SET {VARIABLE} = NULL"))?;
        Ok(Wrote::Rows(0))
    }

    fn rollback(&mut self) -> Result<(), SourceError> {
        self.reader.end()?;
        match self.reader.is_connected() {
            true => self.reader.execute(&format!("SET {VARIABLE} = NULL")),
            false => Ok(()),
        }
    }
}
