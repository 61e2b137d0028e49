//! Rows become attributes. A value that the model does not take is a problem with the row's identity and
//! the reason, never another value.

use crate::cell::Cell;
use crate::mapping::{Filled, Mapped};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_client::ClientError;
use keyfold_lower::arguments::{self, Values};
use keyfold_lower::derive::{self, Place};
use keyfold_model::{DefaultValue, Type};
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::fmt;

/// The greatest number that is taken for seconds since 1970, and not for milliseconds: the year 5138.
const SECONDS_MAX: u64 = 100_000_000_000;

/// A row that is no item of the model. It is small enough to be an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The entity.
    pub entity: String,
    /// The row: `orders (id = 5)`.
    pub row: String,
    /// Why it is no item.
    pub why: String,
    /// The reason without what the row holds: problems that are alike have one.
    pub form: Box<str>,
    /// What helps, where that is known.
    pub help: Option<Box<str>>,
    /// The attribute whose value it is about, if it is about one.
    pub attribute: Option<Box<str>>,
}

impl Problem {
    /// The problem, with the reason that others like it have, too.
    pub(crate) fn alike(mut self, form: impl Into<Box<str>>) -> Problem {
        self.form = form.into();
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.row, self.why)
    }
}

/// The reason of an error without the value that it speaks of.
fn form_of(error: &ClientError) -> String {
    if let ClientError::Value(error) = error {
        return format!("{}: {:?}", error.name(), std::mem::discriminant(error));
    }
    error.to_string()
}

impl Mapped<'_> {
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

    /// What is wrong with rows that make one item.
    pub(crate) fn doubled(&self, identity: &[Cell]) -> Problem {
        self.problem(
            identity,
            format!("several rows make the same {}", self.entity.name),
        )
    }

    pub(crate) fn problem(&self, identity: &[Cell], why: impl Into<String>) -> Problem {
        let why = why.into();
        Problem {
            entity: self.entity.name.clone(),
            row: self.named(identity),
            form: why.as_str().into(),
            why,
            help: None,
            attribute: None,
        }
    }

    /// The problem of a row that the model refuses.
    pub(crate) fn refused(&self, identity: &[Cell], error: &ClientError) -> Problem {
        let mut problem = self.problem(identity, error.to_string());
        if let ClientError::Value(error) = error {
            problem.attribute = Some(error.name().into());
        }
        problem.alike(form_of(error))
    }

    /// The attributes of a row. Where a column is NULL, it says the default of its attribute, if that is always
    /// the same.
    pub(crate) fn values(&self, row: &[Cell]) -> Result<Values, Problem> {
        let identity = || self.identity_of(row);
        let mut texts = BTreeMap::new();
        for (one, cell) in self.filled.iter().zip(row) {
            let text = self.text(one, cell, &identity)?;
            texts.extend(text.map(|text| (one.attribute.name.clone(), text)));
        }
        let values = arguments::of_entity(self.entity, &texts);
        let mut values = values.map_err(|error| self.refused(&identity(), &error))?;
        for Filled { attribute, .. } in &self.filled {
            if let Some(DefaultValue::Value(value)) = &attribute.default
                && !values.contains_key(&attribute.name)
            {
                values.insert(attribute.name.clone(), value.clone());
            }
        }
        Ok(values)
    }

    /// The attributes that identify the item of a row, if an item can have them as its key.
    pub(crate) fn key(&self, identity: &[Cell]) -> Result<Values, Problem> {
        let mut texts = BTreeMap::new();
        for (at, cell) in self.identity.iter().zip(identity) {
            let Some(one) = self.filled.get(*at) else {
                continue;
            };
            let text = self.text(one, cell, &|| identity.to_vec())?;
            texts.extend(text.map(|text| (one.attribute.name.clone(), text)));
        }
        let key = arguments::some_of_entity(self.entity, &texts);
        let made = key.and_then(|key| self.place(&key).map(|_| key));
        made.map_err(|error| self.refused(identity, &error))
    }

    /// The table and the key by which an item is told from others, made of the attributes that identify it.
    pub(crate) fn place(&self, key: &Values) -> Result<(String, Item), ClientError> {
        let (model, entity) = (self.model, self.entity);
        let Some(id) = entity.id_guard() else {
            let place = Place::of(model, entity, key)?;
            return Ok((place.table_name, place.key));
        };
        let table = derive::table(model, entity)?;
        let guard = derive::guard_key(table, entity, id, key)?;
        Ok((derive::table_name(table, entity, key)?, guard))
    }

    fn text(
        &self,
        one: &Filled<'_>,
        cell: &Cell,
        identity: &dyn Fn() -> Vec<Cell>,
    ) -> Result<Option<String>, Problem> {
        let name = &one.attribute.name;
        text(&one.attribute.kind, cell).map_err(|why| {
            let form = format!("{name}: {why}");
            let why = format!("{name} is {}, {why}", cell.shown());
            let mut problem = self.problem(&identity(), why).alike(form);
            problem.help = self.help(one, cell).map(String::into_boxed_str);
            problem.attribute = Some(name.as_str().into());
            problem
        })
    }

    /// What helps with a value that its attribute does not take.
    fn help(&self, one: &Filled<'_>, cell: &Cell) -> Option<String> {
        let number = match cell {
            Cell::Integer(number) => Some(number.unsigned_abs()),
            Cell::Real(_) => Some(0),
            Cell::Null | Cell::Text(_) | Cell::Bytes(_) => None,
        };
        let (column, number) = (one.column.as_ref()?, number?);
        let Type::Time(_) = &one.attribute.kind else {
            return None;
        };
        let seconds = match number > SECONDS_MAX {
            true => format!("{column} / 1000"),
            false => column.clone(),
        };
        let sql = self.dialect.moment(&seconds);
        Some(format!(
            "if they are seconds since 1970: `set {} = \"{sql}\"`",
            one.attribute.name
        ))
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
