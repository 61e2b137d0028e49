//! Whether a column can hold a value, which the database is asked within a transaction that writes: only there, what it
//! says of a value differs from every other error.

use crate::back::forms;
use crate::cell::Cell;
use crate::dialect::Dialect;
use crate::mapping::base_of;
use crate::source::{Lead, Source, SourceError, Wrote};
use keyfold_types::Number;

/// What a switch needs of a database.
pub(super) fn lead(source: &mut dyn Source) -> Result<&mut dyn Lead, SourceError> {
    source
        .lead()
        .ok_or_else(|| SourceError::lasting("this database cannot follow the tables"))
}

/// A column that is to hold a value.
pub(super) struct Holds<'h> {
    pub(super) table: &'h str,
    pub(super) column: &'h str,
    /// Its type, as the database writes it.
    pub(super) kind: &'h str,
    pub(super) cell: &'h Cell,
}

impl Holds<'_> {
    /// Why the column cannot hold the value; `None` if it can.
    ///
    /// # Errors
    /// When the database does not answer.
    pub(super) fn refused(&self, source: &mut dyn Source) -> Result<Option<String>, SourceError> {
        if Dialect::of(source) == Dialect::Sqlite {
            return Ok(None);
        }
        // MariaDB takes a text for the number at its beginning, and says so only where it writes it.
        if let Cell::Text(text) = self.cell
            && Dialect::of(source) == Dialect::Mariadb
            && self.is_numeric()
            && text.parse::<Number>().is_err()
        {
            return Ok(Some(self.sentence("it is no number")));
        }
        let place = forms::placed(source, 1, self.kind);
        let sql = format!("SELECT {}", source.read(place, self.kind));
        let arguments = std::slice::from_ref(self.cell);
        if let Wrote::Refused(why) = lead(source)?.write(&sql, arguments)? {
            return Ok(Some(self.sentence(&why)));
        }
        let rows = source.query(&sql, arguments)?;
        let is_cut = match (self.cell, rows.first().and_then(|row| row.first())) {
            // Other types have one form of a value, which may be shorter.
            (Cell::Text(text), Some(Cell::Text(held))) if self.is_text() => held.len() < text.len(),
            _ => false,
        };
        Ok(is_cut.then(|| self.sentence("it is too long")))
    }

    fn is_text(&self) -> bool {
        let base = base_of(self.kind);
        base.contains("char") || base.contains("text")
    }

    fn is_numeric(&self) -> bool {
        const NUMBERS: [&str; 6] = ["int", "decimal", "float", "double", "bit", "year"];
        let base = base_of(self.kind);
        !base.contains("point") && NUMBERS.iter().any(|one| base.contains(one))
    }

    fn sentence(&self, why: &str) -> String {
        format!(
            "`{}` of `{}` is {} and cannot hold {} ({why}): give the item another value, or the column another type",
            self.column,
            self.table,
            self.kind,
            self.cell.shown()
        )
    }
}
