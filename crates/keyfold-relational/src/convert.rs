//! Rows become attributes. A value that the model does not take is a problem with the row's identity and
//! the reason, never another value.

use crate::cell::Cell;
use crate::mapping::Mapped;
use crate::source::{Source, SourceError};
use crate::statement::PAGE;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_lower::arguments::{self, Values};
use keyfold_model::Type;
use std::collections::BTreeMap;
use std::fmt;

/// A row that is no item of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The entity.
    pub entity: String,
    /// The row: `orders (id = 5)`.
    pub row: String,
    /// Why it is no item.
    pub why: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.row, self.why)
    }
}

impl Mapped<'_> {
    /// The attributes of all rows, in order, or what is wrong with them.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn all_values(
        &self,
        source: &mut dyn Source,
    ) -> Result<Vec<Result<Values, Problem>>, SourceError> {
        let (mut all, mut after) = (Vec::new(), Vec::new());
        loop {
            let sql = self.statements.page(source, after.is_empty(), PAGE);
            let rows = source.query(&sql, &after)?;
            all.extend(rows.iter().map(|row| self.values(row)));
            match rows.last() {
                Some(last) if rows.len() == PAGE => after = self.identity_of(last),
                Some(_) | None => return Ok(all),
            }
        }
    }

    /// The cells of a row that identify its item.
    pub(crate) fn identity_of(&self, row: &[Cell]) -> Vec<Cell> {
        let cell = |at: &usize| row.get(*at).cloned().unwrap_or(Cell::Null);
        self.identity.iter().map(cell).collect()
    }

    /// A row by its identity, for people.
    pub(crate) fn named(&self, identity: &[Cell]) -> String {
        let pairs = self.identity.iter().zip(identity);
        let pairs = pairs.filter_map(|(at, cell)| {
            let one = self.filled.get(*at)?;
            Some(format!("{} = {}", one.attribute.name, cell.shown()))
        });
        let pairs: Vec<String> = pairs.collect();
        format!("{} ({})", self.origin.table.name, pairs.join(", "))
    }

    pub(crate) fn problem(&self, identity: &[Cell], why: impl Into<String>) -> Problem {
        Problem {
            entity: self.entity.name.clone(),
            row: self.named(identity),
            why: why.into(),
        }
    }

    /// The attributes of a row.
    pub(crate) fn values(&self, row: &[Cell]) -> Result<Values, Problem> {
        let problem = |why: String| self.problem(&self.identity_of(row), why);
        let mut texts = BTreeMap::new();
        for (one, cell) in self.filled.iter().zip(row) {
            let name = &one.attribute.name;
            let text = text(&one.attribute.kind, cell)
                .map_err(|why| problem(format!("{name} is {}, {why}", cell.shown())))?;
            texts.extend(text.map(|text| (name.clone(), text)));
        }
        arguments::of_entity(self.entity, &texts).map_err(|error| problem(error.to_string()))
    }

    /// The attributes that identify the item of a row.
    pub(crate) fn key(&self, identity: &[Cell]) -> Result<Values, Problem> {
        let problem = |why: String| self.problem(identity, why);
        let mut texts = BTreeMap::new();
        for (at, cell) in self.identity.iter().zip(identity) {
            let Some(one) = self.filled.get(*at) else {
                continue;
            };
            let name = &one.attribute.name;
            let text = text(&one.attribute.kind, cell)
                .map_err(|why| problem(format!("{name} is {}, {why}", cell.shown())))?;
            texts.extend(text.map(|text| (name.clone(), text)));
        }
        arguments::some_of_entity(self.entity, &texts).map_err(|error| problem(error.to_string()))
    }
}

/// A cell as the text of an argument; `None` for NULL, which is an absent attribute.
fn text(kind: &Type, cell: &Cell) -> Result<Option<String>, String> {
    let text = match (cell, kind) {
        (Cell::Null, _) => return Ok(None),
        (Cell::Integer(number @ (0 | 1)), Type::Bool) => (*number == 1).to_string(),
        (Cell::Integer(_), Type::Bool) => return Err("which is neither 0 nor 1".to_owned()),
        (Cell::Integer(number), Type::Int | Type::Number | Type::String | Type::Words(_)) => {
            number.to_string()
        }
        (Cell::Real(number), Type::Int | Type::Number) if number.is_finite() => number.to_string(),
        (Cell::Text(text), Type::Binary) => {
            return Err(format!(
                "a text of {} bytes, where bytes are due",
                text.len()
            ));
        }
        (Cell::Text(text), Type::Time(_)) => moment(text),
        (Cell::Text(text), Type::Bool) => match text.to_ascii_lowercase().as_str() {
            "t" | "true" => "true".to_owned(),
            "f" | "false" => "false".to_owned(),
            _ => return Err("which is neither true nor false".to_owned()),
        },
        (Cell::Text(text), _) => text.clone(),
        (Cell::Bytes(bytes), Type::Binary) => STANDARD.encode(bytes),
        (Cell::Integer(_) | Cell::Real(_) | Cell::Bytes(_), kind) => {
            return Err(format!("which is no {kind}"));
        }
    };
    Ok(Some(text))
}

/// A time as SQL writes it, `2024-01-15 10:00:00`, in the form of ISO 8601. One without a zone is taken for
/// UTC.
fn moment(text: &str) -> String {
    let (Some(day), Some(rest)) = (text.get(..10), text.get(11..)) else {
        return text.to_owned();
    };
    if !text.is_ascii() || text.as_bytes().get(10) != Some(&b' ') {
        return with_zone(text.to_owned(), text.get(11..).unwrap_or_default());
    }
    with_zone(format!("{day}T{rest}"), rest)
}

fn with_zone(text: String, time: &str) -> String {
    let has_zone = time.ends_with(['Z', 'z']) || time.contains(['+', '-']);
    match has_zone || time.is_empty() {
        true => text,
        false => format!("{text}Z"),
    }
}
