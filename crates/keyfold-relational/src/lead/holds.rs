//! Whether a column can hold a value, which the database is asked within a transaction that writes: only there, what it
//! says of a value differs from every other error.

use crate::back::forms;
use crate::cell::Cell;
use crate::dialect::Dialect;
use crate::mapping::base_of;
use crate::source::{Lead, Source, SourceError, Wrote};

/// What a switch needs of a database.
pub(super) fn lead(source: &mut dyn Source) -> Result<&mut dyn Lead, SourceError> {
    source
        .lead()
        .ok_or_else(|| SourceError::lasting("this database cannot follow the tables"))
}

/// The digits of a number of any length.
struct Digits {
    /// How many stand before the point, without zeros in front; `None` where an exponent moves the point.
    whole: Option<usize>,
}

impl Digits {
    /// The digits of a text; `None` if it is no number.
    fn of(text: &str) -> Option<Digits> {
        let text = text.trim();
        let text = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, Some(exponent)),
            None => (text, None),
        };
        let (whole, places) = number.split_once('.').unwrap_or((number, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = are_digits(whole) && are_digits(places) && whole.len() + places.len() > 0;
        let moves = exponent.is_none_or(|exponent| exponent.parse::<i32>().is_ok());
        (is_number && moves).then(|| Digits {
            whole: exponent
                .is_none()
                .then(|| whole.trim_start_matches('0').len()),
        })
    }
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
            && let Some(why) = self.is_no_number(text)
        {
            return Ok(Some(self.sentence(why)));
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
            (Cell::Text(text), Some(Cell::Text(held)))
                if self.is_text() && held.len() < text.len() =>
            {
                Some(match held == text.trim_end_matches(' ') {
                    true => "blanks at its end are not kept",
                    false => "it is too long",
                })
            }
            _ => None,
        };
        Ok(is_cut.map(|why| self.sentence(why)))
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

    /// Why a column of numbers of MariaDB cannot hold a text, as far as the text says it.
    fn is_no_number(&self, text: &str) -> Option<&'static str> {
        let Some(digits) = Digits::of(text) else {
            return Some("it is no number");
        };
        let inside = self
            .kind
            .split_once('(')
            .and_then(|(_, rest)| rest.split_once(')'));
        let (inside, behind) = inside.unwrap_or(("", self.kind));
        let mut sizes = inside.split(',').map(|size| size.trim().parse::<usize>());
        let mut size = || sizes.next().and_then(Result::ok);
        let base = base_of(self.kind);
        let bits = match base.split(' ').next().unwrap_or_default() {
            "decimal" => {
                let (all, places) = (size().unwrap_or(10), size().unwrap_or(0));
                let is_long = digits
                    .whole
                    .is_some_and(|count| count > all.saturating_sub(places));
                return is_long.then_some("it is out of range");
            }
            "bit" => size().unwrap_or(1),
            "bigint" if behind.contains("unsigned") => 64,
            _ => return None,
        };
        let most = u128::MAX.checked_shr(u32::try_from(128 - bits.min(128)).unwrap_or(0));
        let is_inside = match text.trim().trim_start_matches('+').parse::<u128>() {
            Ok(number) => most.is_some_and(|most| number <= most),
            // With a point or an exponent the database says it.
            Err(_) => !text.trim().starts_with('-') && digits.whole.is_none_or(|count| count < 39),
        };
        (!is_inside).then_some("it is out of range")
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

#[cfg(test)]
mod tests {
    use super::Holds;
    use crate::cell::Cell;

    #[test]
    fn numbers_of_any_length_are_numbers_and_may_be_out_of_range() {
        let said = |kind: &str, text: &str| {
            let holds = Holds {
                table: "t",
                column: "c",
                kind,
                cell: &Cell::Null,
            };
            holds.is_no_number(text).unwrap_or("")
        };
        let long = "12345678901234567890123456789012345.123456789012345678901234567890";
        let (none, out) = ("it is no number", "it is out of range");
        for (kind, text, due) in [
            ("decimal(65,30)", long, ""),
            (
                "decimal(65,30)",
                "-00000000000000000000000000000000000000000001.5",
                "",
            ),
            (
                "decimal(65,30)",
                "123456789012345678901234567890123456.5",
                out,
            ),
            ("decimal(10,2)", "1e3", ""),
            ("decimal(10,2)", "100000000", out),
            ("decimal(10,2)", "1.2.3", none),
            ("decimal(10,2)", "", none),
            ("decimal(10,2)", "-", none),
            ("int(11)", "abc", none),
            ("int(11)", "7", ""),
            ("double", "1e400", ""),
            ("double", "1e", none),
            ("bigint(20) unsigned", "18446744073709551615", ""),
            ("bigint(20) unsigned", "18446744073709551616", out),
            ("bigint(20) unsigned", "-1", out),
            ("bit(64)", "18446744073709551615", ""),
            ("bit(64)", "18446744073709551616", out),
            ("bit(3)", "8", out),
            ("bit(3)", "7", ""),
        ] {
            assert_eq!(said(kind, text), due, "{kind} {text}");
        }
    }
}
