//! Types of attributes, from the values that items have.

use keyfold_model::{Type, value};
use keyfold_types::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Nested types that get a name, in the order they were found.
#[derive(Default)]
pub(crate) struct Records {
    pub(crate) text: String,
    names: Vec<String>,
}

/// The type of values as the language writes it; `None` when they have nothing in common.
pub(crate) fn type_of(name: &str, values: &[&Value], records: &mut Records) -> Option<String> {
    let known: Vec<&Value> = values
        .iter()
        .filter(|value| !matches!(value, Value::Null))
        .copied()
        .collect();
    let first = known.first()?;
    let same = known.iter().all(|value| value.kind() == first.kind());
    if !same {
        return None;
    }
    Some(match first {
        Value::S(_) => text_type(&known).to_owned(),
        Value::N(_) => {
            let whole = known
                .iter()
                .all(|value| matches!(value, Value::N(number) if number.exponent() >= 0));
            if whole {
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
            let elements: Vec<&Value> = known
                .iter()
                .flat_map(|value| match value {
                    Value::L(elements) => elements.iter().collect::<Vec<_>>(),
                    _ => Vec::new(),
                })
                .collect();
            let of = if elements.is_empty() {
                Some("string".to_owned())
            } else {
                type_of(name, &elements, records)
            };
            format!("list of {}", of?)
        }
        Value::M(_) => map_type(name, &known, records)?,
        Value::Null => return None,
    })
}

fn text_type(values: &[&Value]) -> &'static str {
    let all = |kind: Type| {
        values
            .iter()
            .all(|value| value::check("", &kind, value).is_ok())
    };
    let precisions = [
        ("time", keyfold_model::Precision::Millis),
        ("time(s)", keyfold_model::Precision::Seconds),
        ("time(us)", keyfold_model::Precision::Micros),
        ("time(ns)", keyfold_model::Precision::Nanos),
    ];
    if let Some((word, _)) = precisions
        .into_iter()
        .find(|(_, precision)| all(Type::Time(*precision)))
    {
        return word;
    }
    match () {
        () if all(Type::Date) => "date",
        () if all(Type::Uuid) => "uuid",
        () if all(Type::Ulid) => "ulid",
        () => "string",
    }
}

/// A record with the fields of all maps; a map where field names are no names.
fn map_type(name: &str, values: &[&Value], records: &mut Records) -> Option<String> {
    let mut fields: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for value in values {
        if let Value::M(map) = value {
            map.iter()
                .for_each(|(field, held)| fields.entry(field).or_default().push(held));
        }
    }
    let is_name = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if fields.is_empty() || !fields.keys().all(|field| is_name(field)) {
        let all: Vec<&Value> = fields.values().flatten().copied().collect();
        let of = if all.is_empty() {
            "string".to_owned()
        } else {
            type_of(name, &all, records)?
        };
        return Some(format!("map of {of}"));
    }
    let mut lines = Vec::new();
    for (field, held) in &fields {
        let kind = type_of(field, held, records)?;
        let optional = if held.len() < values.len() || held.contains(&&Value::Null) {
            "?"
        } else {
            ""
        };
        lines.push(format!("{field}: {kind}{optional}"));
    }
    let mut chars = name.chars();
    let capital: String = chars
        .next()
        .map(|c| c.to_ascii_uppercase())
        .into_iter()
        .chain(chars)
        .collect();
    let mut record = capital.clone();
    let mut number = 2;
    while records.names.contains(&record) {
        record = format!("{capital}{number}");
        number += 1;
    }
    records.names.push(record.clone());
    let _infallible = write!(records.text, "record {record}\n  {}\n\n", lines.join(", "));
    Some(record)
}
