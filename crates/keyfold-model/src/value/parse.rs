//! Values from texts and JSON, checked by their type.

use super::display::display;
use super::error::ValueError;
use super::json;
use crate::period::{Precision, Unit};
use crate::types::{Record, Type};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use keyfold_types::{Number, Set, Value};
use std::collections::BTreeMap;

/// The stored value of an argument's text. Lists, maps, sets and records are written as JSON,
/// binary as base64.
///
/// # Errors
/// `Text` when the text is no value of the type.
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
        Type::Time(_) if is_finer(kind, text) => Err(ValueError::Finer {
            name: name.to_owned(),
            text: text.to_owned(),
            kind: kind.to_string(),
        }),
        Type::Time(precision) => canonical_time(text, *precision)
            .map(Value::S)
            .ok_or_else(|| {
                wrong("a time with its zone, like 2024-01-15T10:30:00Z (or a day: midnight UTC)")
            }),
        Type::Date => day(text)
            .map(|date| Value::S(date.to_string()))
            .ok_or_else(|| wrong("a day like 2024-01-15")),
        Type::Period(unit) if unit.is_period(text) => Ok(Value::from(text)),
        Type::Period(unit) => Err(wrong(match unit {
            Unit::Hour => "an hour like 2024-01-15T10",
            Unit::Day => "a day like 2024-01-15",
            Unit::Month => "a month like 2024-01",
            Unit::Year => "a year like 2024",
        })),
        Type::Binary => {
            let bytes = STANDARD.decode(text).map_err(|_| wrong("base64"))?;
            Ok(Value::B(bytes))
        }
        Type::Ulid => ulid(text)
            .map(Value::S)
            .ok_or_else(|| wrong("a ULID of 26 characters")),
        Type::Uuid => uuid(text)
            .map(Value::S)
            .ok_or_else(|| wrong("a UUID like 123e4567-e89b-12d3-a456-426614174000")),
        Type::Words(words) if words.iter().any(|word| word == text) => Ok(Value::from(text)),
        Type::Words(words) => Err(wrong(&format!("one of {}", words.join(", ")))),
        Type::List(_) | Type::Map(_) | Type::Set(_) | Type::Record(_) => {
            let value = json::read(text).ok_or_else(|| wrong(&format!("JSON of a {kind}")))?;
            typed(name, kind, &value)
        }
    }
}

/// The stored value of a value that a program gives: texts and numbers in the forms that [`parse`]
/// takes, lists, maps and sets with their elements, bytes also as a list of numbers. A number may
/// stand for a text.
///
/// # Errors
/// `Kind` or as [`parse`], with the path to the wrong value.
pub fn given(name: &str, kind: &Type, value: &Value) -> Result<Value, ValueError> {
    if let Value::N(number) = value
        && kind.is_text()
    {
        return parse(name, kind, &number.to_string());
    }
    typed(name, kind, value)
}

/// The stored value of an untyped value.
fn typed(name: &str, kind: &Type, value: &Value) -> Result<Value, ValueError> {
    let wrong = || wrong_kind(name, kind, value);
    match (kind, value) {
        (Type::List(of), Value::L(elements)) => Ok(Value::L(each(name, of, elements)?)),
        (Type::Set(of), Value::L(elements)) => {
            set(each(name, of, elements)?).ok_or_else(|| ValueError::Set(name.to_owned()))
        }
        (Type::Set(_), Value::Ss(_) | Value::Ns(_) | Value::Bs(_)) => {
            check(name, kind, value).map(|()| value.clone())
        }
        (Type::Map(of), Value::M(entries)) => {
            let each = entries
                .iter()
                .map(|(key, entry)| Ok((key.clone(), typed(&format!("{name}.{key}"), of, entry)?)));
            Ok(Value::M(each.collect::<Result<_, ValueError>>()?))
        }
        (Type::Record(record), Value::M(entries)) => {
            let is_known = |key: &String| record.fields.iter().any(|(field, ..)| field == key);
            if let Some(key) = entries.keys().find(|key| !is_known(key)) {
                let known = record.fields.iter().map(|(field, ..)| field.as_str());
                let known: Vec<&str> = known.collect();
                return Err(ValueError::Kind {
                    name: format!("{name}.{key}"),
                    wanted: format!("field of {}; it has {}", record.name, known.join(", ")),
                    found: key.clone(),
                });
            }
            fields(name, record, entries)
        }
        (Type::Bool, Value::Bool(truth)) => Ok(Value::Bool(*truth)),
        (Type::Int | Type::Number, Value::N(number)) => parse(name, kind, &number.to_string()),
        (Type::Binary, Value::B(bytes)) => Ok(Value::B(bytes.clone())),
        (Type::Binary, Value::L(elements)) => bytes(elements).map(Value::B).ok_or_else(wrong),
        (kind, Value::S(text)) if is_written_as_text(kind) => parse(name, kind, text),
        _ => Err(wrong()),
    }
}

/// Whether a text in a list, a map or a program may stand for a value of a type.
fn is_written_as_text(kind: &Type) -> bool {
    kind.is_text() || kind.is_number() || *kind == Type::Binary
}

/// The elements of a list or set.
fn each(name: &str, of: &Type, elements: &[Value]) -> Result<Vec<Value>, ValueError> {
    let each = elements.iter().enumerate();
    each.map(|(at, element)| typed(&format!("{name}[{at}]"), of, element))
        .collect()
}

/// The bytes of a list of numbers from 0 to 255, as serializers write bytes.
fn bytes(elements: &[Value]) -> Option<Vec<u8>> {
    let byte = |element: &Value| match element {
        Value::N(number) => u8::try_from(number.to_i64()?).ok(),
        Value::S(_)
        | Value::B(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => None,
    };
    elements.iter().map(byte).collect()
}

fn fields(
    name: &str,
    record: &Record,
    entries: &BTreeMap<String, Value>,
) -> Result<Value, ValueError> {
    let mut held = BTreeMap::new();
    for (field, kind, optional) in &record.fields {
        match entries.get(field) {
            Some(Value::Null) | None if *optional => {}
            None => return Err(ValueError::MissingField(format!("{name}.{field}"))),
            Some(entry) => {
                held.insert(
                    field.clone(),
                    typed(&format!("{name}.{field}"), kind, entry)?,
                );
            }
        }
    }
    Ok(Value::M(held))
}

/// A set of values of one kind; `None` when it is empty, mixed, or has a value twice.
fn set(values: Vec<Value>) -> Option<Value> {
    let (mut texts, mut numbers, mut binaries) = (Vec::new(), Vec::new(), Vec::new());
    for value in values {
        match value {
            Value::S(text) => texts.push(text),
            Value::N(number) => numbers.push(number),
            Value::B(bytes) => binaries.push(bytes),
            Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_) => return None,
        }
    }
    match (texts.is_empty(), numbers.is_empty(), binaries.is_empty()) {
        (false, true, true) => Set::new(texts).ok().map(Value::Ss),
        (true, false, true) => Set::new(numbers).ok().map(Value::Ns),
        (true, true, false) => Set::new(binaries).ok().map(Value::Bs),
        _ => None,
    }
}

/// Checks that a stored value is a value of the type.
///
/// # Errors
/// `Kind`, with the path to the wrong value.
pub fn check(name: &str, kind: &Type, value: &Value) -> Result<(), ValueError> {
    let fits = match (kind, value) {
        (Type::List(of), Value::L(values)) => {
            for (at, value) in values.iter().enumerate() {
                check(&format!("{name}[{at}]"), of, value)?;
            }
            true
        }
        (Type::Map(of), Value::M(map)) => {
            for (key, value) in map {
                check(&format!("{name}.{key}"), of, value)?;
            }
            true
        }
        (Type::Record(record), Value::M(map)) => {
            record
                .fields
                .iter()
                .try_fold(true, |_, (field, kind, optional)| match map.get(field) {
                    Some(value) => check(&format!("{name}.{field}"), kind, value).map(|()| true),
                    None if *optional => Ok(true),
                    None => Err(ValueError::MissingField(format!("{name}.{field}"))),
                })?
        }
        (Type::Set(of), Value::Ss(_)) => of.is_text(),
        (Type::Set(of), Value::Ns(_)) => of.is_number(),
        (Type::Set(of), Value::Bs(_)) => **of == Type::Binary,
        (Type::Int, Value::N(number)) => number.exponent() >= 0,
        (Type::Number, Value::N(_))
        | (Type::Bool, Value::Bool(_))
        | (Type::Binary, Value::B(_)) => true,
        (kind, Value::S(text)) if kind.is_text() => {
            // The stored text must be the canonical one.
            parse(name, kind, text)? == *value
        }
        _ => false,
    };
    if fits {
        Ok(())
    } else {
        Err(wrong_kind(name, kind, value))
    }
}

fn wrong_kind(name: &str, kind: &Type, value: &Value) -> ValueError {
    ValueError::Kind {
        name: name.to_owned(),
        wanted: kind.to_string(),
        found: display(value),
    }
}

/// The day that a text names. A time is refused: without a zone, it would become midnight.
fn day(text: &str) -> Option<Date> {
    let is_day = text.len() == "2024-01-15".len();
    is_day.then(|| text.parse::<Date>().ok()).flatten()
}

/// The last value of a type that is not after a text: a time is truncated to its precision. Other
/// texts are returned unchanged.
pub fn at_most(kind: &Type, text: &str) -> String {
    let cut = match kind {
        Type::Time(precision) => canonical_time(text, *precision),
        Type::String
        | Type::Int
        | Type::Number
        | Type::Bool
        | Type::Date
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => None,
    };
    cut.unwrap_or_else(|| text.to_owned())
}

/// Whether a text has a time with more digits than its type keeps.
fn is_finer(kind: &Type, text: &str) -> bool {
    let Type::Time(precision) = kind else {
        return false;
    };
    let exact = canonical_time(text, Precision::Nanos);
    exact.is_some_and(|exact| {
        let kept = precision.cut(exact.trim_end_matches('Z'));
        let rest = exact.get(kept.len() - 1..).unwrap_or_default();
        rest.chars().any(|c| c.is_ascii_digit() && c != '0')
    })
}

/// The time in UTC with a fixed number of digits, so that text order is time order.
fn canonical_time(text: &str, precision: Precision) -> Option<String> {
    // A time in UTC is valid to the end of the year 9999. Timestamps with zones end earlier.
    if let Some(utc) = text.strip_suffix(['Z', 'z'])
        && text.contains(['T', 't'])
        && let Ok(time) = utc.parse::<DateTime>()
    {
        return civil_text(time, precision);
    }
    if let Some(day) = day(text) {
        return civil_text(day.at(0, 0, 0, 0), precision);
    }
    let timestamp = if let Ok(timestamp) = text.parse::<Timestamp>() {
        timestamp
    } else if let Ok(zoned) = text.parse::<Zoned>() {
        zoned.timestamp()
    } else {
        return None;
    };
    time_text(timestamp, precision)
}

fn time_text(timestamp: Timestamp, precision: Precision) -> Option<String> {
    civil_text(TimeZone::UTC.to_datetime(timestamp), precision)
}

fn civil_text(time: DateTime, precision: Precision) -> Option<String> {
    (0..=9999).contains(&time.year()).then(|| {
        precision.cut(&format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}",
            time.year(),
            time.month(),
            time.day(),
            time.hour(),
            time.minute(),
            time.second(),
            time.subsec_nanosecond()
        ))
    })
}

/// The seconds from 1970 to a time or day; `None` for another value.
pub fn epoch_seconds(value: &Value) -> Option<i64> {
    let Value::S(text) = value else { return None };
    match text.parse::<Timestamp>() {
        Ok(timestamp) => Some(timestamp.as_second()),
        Err(_) => Some(
            day(text)?
                .to_zoned(TimeZone::UTC)
                .ok()?
                .timestamp()
                .as_second(),
        ),
    }
}

/// A time in milliseconds since 1970 as a value of a time or date type; `None` for another type, and
/// outside the years 0 to 9999.
pub fn time_of_epoch_ms(kind: &Type, epoch_ms: i64) -> Option<Value> {
    let timestamp = Timestamp::from_millisecond(epoch_ms).ok()?;
    match kind {
        Type::Time(precision) => time_text(timestamp, *precision).map(Value::S),
        Type::Date => {
            let text = time_text(timestamp, Precision::Millis)?;
            Some(Value::S(text.get(..10)?.to_owned()))
        }
        Type::String
        | Type::Int
        | Type::Number
        | Type::Bool
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => None,
    }
}

/// A ULID in upper case: Crockford's base 32, whose first character is at most 7.
fn ulid(text: &str) -> Option<String> {
    let upper = text.to_ascii_uppercase();
    let fits = upper.len() == 26
        && upper.starts_with(|first: char| ('0'..='7').contains(&first))
        && upper
            .chars()
            .all(|c| "0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains(c));
    fits.then_some(upper)
}

/// A UUID in lower case.
fn uuid(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let fits = lower.len() == 36
        && lower.chars().enumerate().all(|(at, c)| match at {
            8 | 13 | 18 | 23 => c == '-',
            _ => c.is_ascii_hexdigit(),
        });
    fits.then_some(lower)
}

/// The canonical text of a value: `1` for `1.0`.
///
/// # Errors
/// As [`parse`].
pub fn canonical(name: &str, kind: &Type, text: &str) -> Result<String, ValueError> {
    parse(name, kind, text).map(|value| display(&value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_one_width_and_one_zone() {
        let time = Type::Time(Precision::Millis);
        for (given, expected) in [
            ("2024-01-15T10:30:00Z", "2024-01-15T10:30:00.000Z"),
            ("2024-01-15T10:30:00.5+02:00", "2024-01-15T08:30:00.500Z"),
            ("2024-01-15", "2024-01-15T00:00:00.000Z"),
        ] {
            assert_eq!(
                parse("t", &time, given),
                Ok(Value::from(expected)),
                "{given}"
            );
        }
        for wrong in [
            "yesterday",
            "2024-01-01T13:45:59",
            "2024-01-01 13:45",
            "-002024-01-01",
        ] {
            assert!(parse("t", &time, wrong).is_err(), "{wrong}");
            assert!(parse("d", &Type::Date, wrong).is_err(), "{wrong}");
        }
        assert!(parse("d", &Type::Date, "2024-01-01T22:00:00-05:00").is_err());
        let given = "2024-01-15T10:30:00.123456789Z";
        for (precision, expected) in [
            (Precision::Seconds, "2024-01-15T10:30:00Z"),
            (Precision::Micros, "2024-01-15T10:30:00.123456Z"),
            (Precision::Nanos, given),
        ] {
            let kind = Type::Time(precision);
            assert_eq!(at_most(&kind, given), expected);
            // Two times must not become one.
            assert_eq!(parse("t", &kind, given).is_ok(), given == expected);
            assert_eq!(parse("t", &kind, expected), Ok(Value::from(expected)));
        }
        assert!(parse("t", &time, "2024-01-15T10:30:00.5000Z").is_ok());
        let message = parse("t", &time, "2024-01-15T10:30:00.1231Z")
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("is finer than a time keeps it"),
            "{message}"
        );
        let list = parse(
            "ts",
            &Type::List(Box::new(time)),
            r#"["2024-01-15T10:30:00.1231Z"]"#,
        );
        assert!(list.unwrap_err().to_string().starts_with("ts[0]"));
    }

    #[test]
    fn nested_values_are_checked_and_the_error_names_the_place() {
        let line = Record {
            name: "Line".to_owned(),
            fields: vec![
                ("sku".to_owned(), Type::String, false),
                ("note".to_owned(), Type::String, true),
            ],
        };
        let kind = Type::List(Box::new(Type::Record(line)));
        let value = parse(
            "lines",
            &kind,
            r#"[{"sku": "a"}, {"sku": "b", "note": "n"}]"#,
        )
        .unwrap();
        assert_eq!(check("lines", &kind, &value), Ok(()));
        for (text, place) in [
            (r#"[{"sku": 1}]"#, "lines[0].sku"),
            (r#"[{"sku": "a"}, {}]"#, "lines[1].sku"),
            (r#"[{"sku": "a", "more": 1}]"#, "lines[0].more"),
            (r#"{"sku": "a"}"#, "lines"),
        ] {
            let error = parse("lines", &kind, text).unwrap_err().to_string();
            assert!(error.starts_with(place), "{error}");
        }
        let exact = parse(
            "n",
            &Type::List(Box::new(Type::Number)),
            "[12345678901234567890.123456789]",
        );
        assert_eq!(display(&exact.unwrap()), "[12345678901234567890.123456789]");
    }

    #[test]
    fn identifiers_have_one_form() {
        assert_eq!(
            parse("u", &Type::Uuid, "123E4567-e89b-12d3-a456-426614174000"),
            Ok(Value::from("123e4567-e89b-12d3-a456-426614174000"))
        );
        assert!(parse("u", &Type::Ulid, "01arz3ndektsv4rrffq69g5fav").is_ok());
        assert!(parse("u", &Type::Ulid, "81arz3ndektsv4rrffq69g5fav").is_err());
        assert!(
            parse("b", &Type::Binary, "aGk=").is_ok() && parse("b", &Type::Binary, "hi!").is_err()
        );
    }
}
