//! Types of attributes, from the values that items have.

use super::names::{capital, distinct, identifier};
use keyfold_model::{Precision, Type, unwritable, value, written};
use keyfold_types::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Nested types with the names that they get, in the order in which they are found.
#[derive(Default)]
pub(super) struct Records {
    pub(super) text: String,
    names: Vec<String>,
}

/// The type of values as the language writes it; `None` when they have nothing in common.
pub(super) fn type_of(name: &str, values: &[&Value], records: &mut Records) -> Option<String> {
    let known: Vec<&Value> = values
        .iter()
        .filter(|value| !matches!(value, Value::Null))
        .copied()
        .collect();
    let first = known.first()?;
    if known.iter().any(|value| value.kind() != first.kind()) {
        return None;
    }
    Some(match first {
        Value::S(_) => text_type(&known).to_owned(),
        Value::N(_) => {
            let is_int =
                |value: &&Value| matches!(value, Value::N(number) if number.exponent() >= 0);
            if known.iter().all(is_int) {
                "int".to_owned()
            } else {
                "number".to_owned()
            }
        }
        Value::Bool(_) => "bool".to_owned(),
        Value::B(_) => "binary".to_owned(),
        Value::Ss(_) => "set of string".to_owned(),
        Value::Ns(_) => "set of number".to_owned(),
        Value::Bs(_) => "set of binary".to_owned(),
        Value::L(_) => {
            let mut elements: Vec<&Value> = Vec::new();
            for value in &known {
                if let Value::L(some) = value {
                    elements.extend(some);
                }
            }
            format!("list of {}", element_type(name, &elements, records)?)
        }
        Value::M(_) => map_type(name, &known, records)?,
        Value::Null => return None,
    })
}

/// The type of the elements of lists or maps; without elements, a text.
fn element_type(name: &str, elements: &[&Value], records: &mut Records) -> Option<String> {
    if elements.is_empty() {
        Some("string".to_owned())
    } else {
        type_of(name, elements, records)
    }
}

/// The narrowest type of texts that takes all values.
pub(super) fn text_type(values: &[&Value]) -> &'static str {
    let all = |kind: &Type| {
        values
            .iter()
            .all(|value| value::check("", kind, value).is_ok())
    };
    let types = [
        ("time", Type::Time(Precision::Millis)),
        ("time(s)", Type::Time(Precision::Seconds)),
        ("time(us)", Type::Time(Precision::Micros)),
        ("time(ns)", Type::Time(Precision::Nanos)),
        ("date", Type::Date),
        ("uuid", Type::Uuid),
        ("ulid", Type::Ulid),
    ];
    types
        .into_iter()
        .find(|(_, kind)| all(kind))
        .map_or("string", |(word, _)| word)
}

/// The type of maps: a record with the fields of all, or a map if the names of the fields look like
/// values.
fn map_type(name: &str, values: &[&Value], records: &mut Records) -> Option<String> {
    let mut fields: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for value in values {
        if let Value::M(map) = value {
            for (field, held) in map {
                fields.entry(field).or_default().push(held);
            }
        }
    }
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if fields.is_empty() || !fields.keys().all(|field| is_name(field)) {
        let all: Vec<&Value> = fields.values().flatten().copied().collect();
        match element_type(name, &all, records) {
            Some(kind) => return Some(format!("map of {kind}")),
            None if fields.keys().any(|field| unwritable(field).is_some()) => return None,
            // Values of several types have names in quotes.
            None => {}
        }
    }
    let mut lines = Vec::new();
    for (field, held) in &fields {
        let kind = type_of(field, held, records)?;
        let optional = if held.len() < values.len() || held.contains(&&Value::Null) {
            "?"
        } else {
            ""
        };
        lines.push(format!("{}: {kind}{optional}", written(field)));
    }
    let record = distinct(&identifier(&capital(name)), |name| {
        records.names.iter().any(|taken| taken == name)
    });
    records.names.push(record.clone());
    let _infallible = write!(records.text, "record {record}\n  {}\n\n", lines.join(", "));
    Some(record)
}
