//! Rows that may have some values, for questions about them: the database is asked for these alone where its
//! equality is that of the attribute, and more rows than those do no harm.

use crate::cell::Cell;
use crate::mapping::{Filled, Mapped, base_of};
use crate::pages::Cursor;
use crate::source::{Source, SourceError};
use crate::statement::PAGE;
use keyfold_lower::arguments::Values;
use keyfold_model::{DefaultValue, Type};
use keyfold_types::Value;

/// The most values that a query names.
const VALUES_MAX: usize = 500;

/// An attribute, and the values of which it has one.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The attribute.
    pub attribute: String,
    /// The values.
    pub values: Vec<Value>,
}

/// All rows of an entity, in turn.
#[derive(Debug, Default)]
pub struct Walk(Cursor);

impl Walk {
    /// The attributes of the next rows; `None` behind the last ones. Rows that are no items are left out.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn next(
        &mut self,
        mapped: &Mapped<'_>,
        source: &mut dyn Source,
    ) -> Result<Option<Vec<Values>>, SourceError> {
        let page = self.0.next(mapped, source, PAGE)?;
        Ok(page.map(|page| mapped.sound(&page.rows)))
    }
}

/// A value as a column is compared with it.
enum Compared {
    /// With a cell.
    Cell(Cell),
    /// The column never has it.
    Never,
}

/// How a column compares, where that is how its attribute does: the type that an argument is cast to, which
/// may be none, and the kind of its cells.
struct Form {
    cast: &'static str,
    cells: Cells,
}

#[derive(Clone, Copy)]
enum Cells {
    /// Whole numbers.
    Integers,
    /// Numbers of any digits, as texts.
    Numbers,
    /// Texts.
    Texts,
    /// Whole numbers, and others where somebody wrote some.
    IntegersAndOthers,
    /// Identifiers of 32 hexadecimal digits.
    Uuids,
    /// Days.
    Dates,
}

impl Mapped<'_> {
    /// Whether rows fill an attribute.
    pub fn fills(&self, attribute: &str) -> bool {
        self.filled
            .iter()
            .any(|one| one.attribute.name == attribute)
    }

    /// The number of the rows.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn count_rows(&self, source: &mut dyn Source) -> Result<u64, SourceError> {
        let rows = source.query(&self.statements.count(), &[])?;
        match rows.first().and_then(|row| row.first()) {
            Some(Cell::Integer(count)) => Ok(u64::try_from(*count).unwrap_or(0)),
            _ => Ok(0),
        }
    }

    /// The attributes of all rows that may have the values of some bounds, and perhaps of others; `None` where
    /// there are more than `most`. Rows that are no items are left out.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn rows_with(
        &self,
        source: &mut dyn Source,
        bounds: &[Bound],
        most: usize,
    ) -> Result<Option<Vec<Values>>, SourceError> {
        let (mut all, mut arguments) = (Vec::new(), Vec::new());
        for bound in bounds {
            let mut filled = self.filled.iter();
            let Some(one) = filled.find(|one| one.attribute.name == bound.attribute) else {
                continue;
            };
            let Some(form) = form_of(source, one).filter(|_| bound.values.len() <= VALUES_MAX)
            else {
                continue;
            };
            let cells = bound.values.iter().map(|value| form.compared(value));
            let mut places = Vec::new();
            for cell in cells {
                if let Compared::Cell(cell) = cell {
                    arguments.push(cell);
                    places.push(source.argument_of(arguments.len(), form.cast));
                }
            }
            let is_one = match places.is_empty() {
                true => "1 = 0".to_owned(),
                false => format!("{} IN ({})", one.sql, places.join(", ")),
            };
            // A column that is NULL says the default of its attribute.
            all.push(match &one.attribute.default {
                Some(DefaultValue::Value(_)) => format!("({is_one} OR {} IS NULL)", one.sql),
                Some(_) | None => is_one,
            });
        }
        let sql = self
            .statements
            .some(all.join(" AND "), most.saturating_add(1));
        let rows = source.query(&sql, &arguments)?;
        Ok((rows.len() <= most).then(|| self.sound(&rows)))
    }

    /// The attributes of the rows that are items.
    fn sound(&self, rows: &[Vec<Cell>]) -> Vec<Values> {
        let all = rows.iter();
        all.filter_map(|row| self.values(row).ok()).collect()
    }
}

/// How the column of an attribute compares, if that is how the attribute does.
fn form_of(source: &dyn Source, one: &Filled<'_>) -> Option<Form> {
    one.column.as_ref()?;
    let kind = one.kind.to_ascii_lowercase();
    let is_text = matches!(one.attribute.kind, Type::String | Type::Words(_));
    let is_number = matches!(one.attribute.kind, Type::Int | Type::Number);
    let form = |cast, cells| Some(Form { cast, cells });
    if !source.name().starts_with("postgres") {
        // The affinity of SQLite, and the names of MariaDB, whose words stand behind the name.
        let base = base_of(&kind);
        let has = |part: &str| base.contains(part);
        return match () {
            () if base == "enum" && is_text => form("", Cells::Texts),
            () if has("int") && (is_number || is_text) => form("", Cells::IntegersAndOthers),
            () if (has("char") || has("text") || has("clob")) && is_text => form("", Cells::Texts),
            () => None,
        };
    }
    match kind.split('(').next().unwrap_or_default().trim() {
        "smallint" | "integer" | "bigint" if is_number || is_text => {
            form("bigint", Cells::Integers)
        }
        "numeric" if is_number => form("numeric", Cells::Numbers),
        "text" | "character varying" if is_text => form("text", Cells::Texts),
        "uuid" if is_text || one.attribute.kind == Type::Uuid => form("uuid", Cells::Uuids),
        "date" if one.attribute.kind == Type::Date => form("date", Cells::Dates),
        _ => None,
    }
}

impl Form {
    fn compared(&self, value: &Value) -> Compared {
        let text = match value {
            Value::S(text) => text.clone(),
            Value::N(number) => number.to_string(),
            Value::B(_)
            | Value::Bool(_)
            | Value::Null
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_)
            | Value::L(_)
            | Value::M(_) => return Compared::Never,
        };
        let integer = || text.parse().ok().map(Cell::Integer);
        let is_uuid = || {
            let parts = text.split('-').map(str::len);
            let is_inside = |c: char| c.is_ascii_hexdigit() || c == '-';
            parts.eq([8, 4, 4, 4, 12]) && text.chars().all(is_inside)
        };
        let is_date = || {
            let parts = text.split('-').map(str::len);
            parts.eq([4, 2, 2]) && !text.starts_with("0000") && !text.starts_with('-')
        };
        let real = || text.parse().ok().map(Cell::Real);
        let cell = match self.cells {
            Cells::Integers => integer(),
            Cells::IntegersAndOthers if matches!(value, Value::N(_)) => integer().or_else(real),
            Cells::IntegersAndOthers => integer().or(Some(Cell::Text(text))),
            Cells::Numbers => Some(Cell::Text(text)),
            // No text of PostgreSQL holds a zero.
            Cells::Texts if !self.cast.is_empty() && text.contains('\0') => None,
            Cells::Texts => Some(Cell::Text(text)),
            Cells::Uuids => is_uuid().then_some(Cell::Text(text)),
            Cells::Dates => is_date().then_some(Cell::Text(text)),
        };
        cell.map_or(Compared::Never, Compared::Cell)
    }
}
