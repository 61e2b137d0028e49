//! Arguments as text, values as stored, values inside keys.

use crate::schema::Type;
use crate::template::{Format, KeyTemplate, Part};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// Why a text is no value of a type, or a value cannot be part of a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The text is none of the type's.
    #[error("{name}: `{text}` is not {wanted}")]
    Text {
        /// The attribute or parameter.
        name: String,
        /// The text.
        text: String,
        /// What is wanted.
        wanted: String,
    },
    /// A value that a key needs is missing.
    #[error("{0} is missing, and a key is made of it")]
    Missing(String),
    /// A value of another type.
    #[error("{0} has another type than the model says")]
    Kind(String),
    /// A text with a character that separates key parts.
    #[error("{name}: `{text}` contains `{delimiter}`, which separates the parts of the key")]
    Delimiter {
        /// The attribute.
        name: String,
        /// The text.
        text: String,
        /// The character.
        delimiter: char,
    },
    /// An empty text inside a key.
    #[error("{0} is empty, and a key is made of it")]
    Empty(String),
    /// A number that does not fit its padding.
    #[error("{name}: {number} does not fit {width} digits; a padded number runs from 0 to {width} nines")]
    Width {
        /// The attribute.
        name: String,
        /// The number.
        number: String,
        /// The digits there are.
        width: usize,
    },
}

/// The stored value of an argument's text.
///
/// # Errors
/// `Text` when the text is none of the type's.
pub fn parse(name: &str, kind: &Type, text: &str) -> Result<Value, ValueError> {
    let wrong = |wanted: &str| ValueError::Text {
        name: name.to_owned(),
        text: text.to_owned(),
        wanted: wanted.to_owned(),
    };
    match kind {
        Type::String => Ok(Value::from(text)),
        Type::Number => text.parse().map(Value::N).map_err(|_| wrong("a number")),
        Type::Int => match text.parse::<Number>() {
            Ok(number) if number.exponent() >= 0 => Ok(Value::N(number)),
            _ => Err(wrong("a whole number")),
        },
        Type::Bool => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(wrong("true or false")),
        },
        Type::Time => canonical_time(text)
            .map(Value::S)
            .ok_or_else(|| wrong("a time with its zone, like 2024-01-15T10:30:00Z (or a day: midnight UTC)")),
        Type::Date => {
            day(text).map(|date| Value::S(date.to_string())).ok_or_else(|| wrong("a day like 2024-01-15"))
        }
        Type::Words(words) if words.iter().any(|word| word == text) => Ok(Value::from(text)),
        Type::Words(words) => Err(wrong(&format!("one of {}", words.join(", ")))),
    }
}

/// A day and nothing else: a time without a zone would silently become midnight.
fn day(text: &str) -> Option<Date> {
    if text.len() == "2024-01-15".len() { text.parse::<Date>().ok() } else { None }
}

/// UTC with milliseconds: always 24 characters, so that text order is time order.
fn canonical_time(text: &str) -> Option<String> {
    let timestamp = if let Ok(timestamp) = text.parse::<Timestamp>() {
        timestamp
    } else if let Ok(zoned) = text.parse::<Zoned>() {
        zoned.timestamp()
    } else {
        day(text)?.to_zoned(TimeZone::UTC).ok()?.timestamp()
    };
    let time = TimeZone::UTC.to_datetime(timestamp);
    (0..=9999).contains(&time.year()).then(|| {
        format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            time.year(),
            time.month(),
            time.day(),
            time.hour(),
            time.minute(),
            time.second(),
            time.millisecond()
        )
    })
}

/// The text of a value in one form, whatever form it was written in: `1.0` is `1`.
///
/// # Errors
/// As [`parse`].
pub fn canonical(name: &str, kind: &Type, text: &str) -> Result<String, ValueError> {
    parse(name, kind, text).map(|value| display(&value))
}

/// A value as a person reads and types it.
pub fn display(value: &Value) -> String {
    match value {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null => "null".to_owned(),
        Value::B(bytes) => format!("{} bytes", bytes.len()),
        Value::L(values) => format!("[{}]", values.iter().map(display).collect::<Vec<_>>().join(", ")),
        Value::M(map) => {
            let entries = map.iter().map(|(name, value)| format!("{name}: {}", display(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Ss(set) => format!("<{}>", set.members().join(", ")),
        Value::Ns(set) => {
            format!("<{}>", set.members().iter().map(Number::to_string).collect::<Vec<_>>().join(", "))
        }
        Value::Bs(set) => format!("<{} binary values>", set.members().len()),
    }
}

/// The key that a template makes of values.
///
/// # Errors
/// When a value is missing, of another type, empty, or contains a delimiter.
pub fn key(
    template: &KeyTemplate,
    values: &BTreeMap<String, Value>,
    delimiters: &[char],
) -> Result<Value, ValueError> {
    if let (true, [Part::Field { name, .. }]) = (template.bare, template.parts.as_slice()) {
        return values.get(name).cloned().ok_or_else(|| ValueError::Missing(name.clone()));
    }
    text(&template.parts, values, delimiters).map(Value::S)
}

/// The text that parts make of values.
///
/// # Errors
/// As [`key`].
pub fn text(
    parts: &[Part],
    values: &BTreeMap<String, Value>,
    delimiters: &[char],
) -> Result<String, ValueError> {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Field { name, kind, format } => {
                let value = values.get(name).ok_or_else(|| ValueError::Missing(name.clone()))?;
                out.push_str(&field(name, kind, *format, value, delimiters)?);
            }
        }
    }
    Ok(out)
}

fn field(
    name: &str,
    kind: &Type,
    format: Format,
    value: &Value,
    delimiters: &[char],
) -> Result<String, ValueError> {
    match (kind, format, value) {
        (Type::String, _, Value::S(text)) => {
            if text.is_empty() {
                return Err(ValueError::Empty(name.to_owned()));
            }
            match text.chars().find(|c| delimiters.contains(c)) {
                Some(delimiter) => {
                    Err(ValueError::Delimiter { name: name.to_owned(), text: text.clone(), delimiter })
                }
                None => Ok(text.clone()),
            }
        }
        (Type::Time, Format::Day, Value::S(text)) => Ok(text.get(..10).unwrap_or(text).to_owned()),
        (Type::Time | Type::Date | Type::Words(_), _, Value::S(text)) => Ok(text.clone()),
        (Type::Int, Format::Padded(width), Value::N(number)) => {
            let digits = number.to_string();
            if number.is_negative() || digits.len() > width || number.exponent() < 0 {
                return Err(ValueError::Width { name: name.to_owned(), number: digits, width });
            }
            Ok(format!("{digits:0>width$}"))
        }
        (Type::Int | Type::Number, _, Value::N(number)) => Ok(number.to_string()),
        (Type::Bool, _, Value::Bool(truth)) => Ok(truth.to_string()),
        _ => Err(ValueError::Kind(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_width_and_one_zone() {
        for (given, expected) in [
            ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00.000Z"),
            ("2024-01-15T10:30:00.5+02:00", "2024-01-15T08:30:00.500Z"),
            ("2024-01-15", "2024-01-15T00:00:00.000Z"),
        ] {
            assert_eq!(parse("t", &Type::Time, given), Ok(Value::from(expected)), "{given}");
        }
        for wrong in ["yesterday", "2024-01-01T13:45:59", "2024-01-01 13:45", "-002024-01-01"] {
            assert!(parse("t", &Type::Time, wrong).is_err(), "{wrong}");
            assert!(parse("d", &Type::Date, wrong).is_err(), "{wrong}");
        }
        assert!(parse("d", &Type::Date, "2024-01-01T22:00:00-05:00").is_err());
    }

    #[test]
    fn a_delimiter_inside_a_value_is_refused() {
        let parts = [Part::Field { name: "id".into(), kind: Type::String, format: Format::Plain }];
        let values = BTreeMap::from([("id".to_owned(), Value::from("a#b"))]);
        assert!(matches!(text(&parts, &values, &['#']), Err(ValueError::Delimiter { delimiter: '#', .. })));
        assert_eq!(text(&parts, &values, &[':']).as_deref(), Ok("a#b"));
    }

    #[test]
    fn padding_keeps_order_or_refuses() {
        let parts = [Part::Field { name: "n".into(), kind: Type::Int, format: Format::Padded(4) }];
        let key = |n: i64| text(&parts, &BTreeMap::from([("n".to_owned(), Value::from(n))]), &[]);
        assert_eq!(key(42).as_deref(), Ok("0042"));
        assert!(key(-1).is_err() && key(10_000).is_err());
    }
}
