//! Values from texts and JSON, checked by their type.

use super::display::{display, quoted, shown_text};
use super::error::ValueError;
use super::json::{self, Fault};
use super::time;
use crate::period::Unit;
use crate::types::{Record, Type};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_types::{Number, NumberError, Set, Value};
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
        Type::Number => number(text, "a number").map(Value::N).map_err(wrong),
        Type::Int => match number(text, "a whole number") {
            Ok(number) if number.exponent() >= 0 => Ok(Value::N(number)),
            Ok(_) => Err(wrong("a whole number")),
            Err(wanted) => Err(wrong(wanted)),
        },
        Type::Bool => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err(wrong("true or false")),
        },
        Type::Time(precision) => time::time(name, *precision, text).map(Value::S),
        Type::Date => time::date(name, text).map(Value::S),
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
            let value = json::read(text).map_err(|fault| match fault {
                Fault::Form => wrong(&format!("JSON of {}{}", kind.with_article(), like(kind))),
                Fault::Twice(key) => ValueError::Twice {
                    name: name.to_owned(),
                    key,
                },
            })?;
            typed(name, kind, &value)
        }
    }
}

/// An example of the JSON of a list or a set.
fn like(kind: &Type) -> &'static str {
    let (Type::List(of) | Type::Set(of)) = kind else {
        return "";
    };
    if of.is_text() {
        ", like [\"a\", \"b\"]"
    } else if of.is_number() {
        ", like [1, 2]"
    } else {
        ""
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
        (Type::Set(of), Value::Ss(_) | Value::Ns(_) | Value::Bs(_)) => {
            let elements = each(name, of, &members(value))?;
            set(elements).ok_or_else(|| ValueError::Set(name.to_owned()))
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
                    found: shown_text(key),
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

/// The members of a stored set.
fn members(set: &Value) -> Vec<Value> {
    match set {
        Value::Ss(texts) => texts.members().iter().cloned().map(Value::S).collect(),
        Value::Ns(numbers) => numbers.members().iter().cloned().map(Value::N).collect(),
        Value::Bs(binaries) => binaries.members().iter().cloned().map(Value::B).collect(),
        Value::S(_)
        | Value::N(_)
        | Value::B(_)
        | Value::Bool(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_) => Vec::new(),
    }
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

/// Whether a stored value is a value of the type.
pub fn fits(kind: &Type, value: &Value) -> bool {
    match (kind, value) {
        (Type::List(of), Value::L(values)) => values.iter().all(|one| fits(of, one)),
        (Type::Map(of), Value::M(map)) => map.values().all(|one| fits(of, one)),
        (Type::Record(record), Value::M(map)) => {
            let mut fields = record.fields.iter();
            fields.all(|(field, kind, optional)| match map.get(field) {
                Some(held) => fits(kind, held),
                None => *optional,
            })
        }
        (Type::Set(of), Value::Ss(_) | Value::Ns(_) | Value::Bs(_)) => {
            members(value).iter().all(|one| fits(of, one))
        }
        (Type::Int, Value::N(number)) => number.exponent() >= 0,
        (Type::Number, Value::N(_))
        | (Type::Bool, Value::Bool(_))
        | (Type::Binary, Value::B(_)) => true,
        // The stored text must be the canonical one.
        (kind, Value::S(text)) if kind.is_text() => {
            is_stored_form(kind, text) || parse("", kind, text).is_ok_and(|held| held == *value)
        }
        _ => false,
    }
}

/// Checks that a stored value is a value of the type.
///
/// # Errors
/// `Kind`, with the path to the wrong value.
pub fn check(name: &str, kind: &Type, value: &Value) -> Result<(), ValueError> {
    // The names of what is inside are made only for an error.
    if fits(kind, value) {
        return Ok(());
    }
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
        (Type::Set(of), Value::Ss(_) | Value::Ns(_) | Value::Bs(_)) => {
            for (at, member) in members(value).iter().enumerate() {
                check(&format!("{name}[{at}]"), of, member)?;
            }
            true
        }
        (Type::Int, Value::N(number)) => number.exponent() >= 0,
        (Type::Number, Value::N(_))
        | (Type::Bool, Value::Bool(_))
        | (Type::Binary, Value::B(_)) => true,
        (kind, Value::S(text)) if kind.is_text() => {
            // The stored text must be the canonical one.
            is_stored_form(kind, text) || parse(name, kind, text)? == *value
        }
        _ => false,
    };
    if fits {
        Ok(())
    } else {
        Err(wrong_kind(name, kind, value))
    }
}

/// Whether a text is surely the stored form of a value: the quick test of whole tables. Where it
/// fails, [`parse`] decides.
pub fn is_stored_form(kind: &Type, text: &str) -> bool {
    match kind {
        Type::String => true,
        Type::Time(precision) => time::is_stored_time(text, *precision),
        Type::Date => time::is_stored_date(text),
        Type::Words(words) => words.iter().any(|word| word == text),
        Type::Ulid => is_ulid(text) && !text.bytes().any(|byte| byte.is_ascii_lowercase()),
        Type::Uuid => is_uuid(text) && !text.bytes().any(|byte| byte.is_ascii_uppercase()),
        Type::Int
        | Type::Number
        | Type::Bool
        | Type::Period(_)
        | Type::Binary
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => false,
    }
}

/// The number that a text writes, or the form of a number that it lacks.
fn number<'w>(text: &str, wanted: &'w str) -> Result<Number, &'w str> {
    text.parse().map_err(|error| match error {
        NumberError::Syntax => wanted,
        NumberError::Overflow => "a number that DynamoDB holds: the greatest is below 1e126",
        NumberError::Underflow => "a number that DynamoDB holds: the least above 0 is 1e-130",
        NumberError::Precision => "a number that DynamoDB holds: it has at most 38 digits",
    })
}

fn wrong_kind(name: &str, kind: &Type, value: &Value) -> ValueError {
    ValueError::Kind {
        name: name.to_owned(),
        wanted: kind.to_string(),
        found: quoted(value),
    }
}

/// A ULID in upper case.
fn ulid(text: &str) -> Option<String> {
    is_ulid(text).then(|| text.to_ascii_uppercase())
}

/// Whether a text is a ULID: Crockford's base 32, whose first character is at most 7.
fn is_ulid(text: &str) -> bool {
    let is_digit = |byte: u8| match byte.to_ascii_uppercase() {
        b'I' | b'L' | b'O' | b'U' => false,
        other => other.is_ascii_alphanumeric(),
    };
    text.len() == 26
        && text.starts_with(|first: char| ('0'..='7').contains(&first))
        && text.bytes().all(is_digit)
}

/// A UUID in lower case.
fn uuid(text: &str) -> Option<String> {
    is_uuid(text).then(|| text.to_ascii_lowercase())
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
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
    use super::super::time::at_most;
    use super::*;
    use crate::period::Precision;

    #[test]
    fn a_number_that_does_not_fit_is_refused_with_the_reason() {
        for kind in [Type::Number, Type::Int] {
            for (text, reason) in [
                ("1e126", "the greatest is below 1e126"),
                ("-1e-131", "the least above 0 is 1e-130"),
                (&"1".repeat(39), "at most 38 digits"),
            ] {
                let error = parse("n", &kind, text).unwrap_err().to_string();
                assert!(error.contains(reason), "{error}");
            }
            let error = parse("n", &kind, "x").unwrap_err().to_string();
            assert!(error.ends_with("number"), "{error}");
        }
    }

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
            refers: Vec::new(),
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
    fn a_time_that_there_is_not_says_why() {
        let time = Type::Time(Precision::Millis);
        for (text, why) in [
            ("2016-12-31T23:59:60Z", "a leap second"),
            ("2016-12-31T23:59:60.5Z", "a leap second"),
            ("2016-12-31T235960Z", "a leap second"),
            ("2017-01-01T00:59:60+01:00", "a leap second"),
            ("10000-01-01T00:00:00Z", "outside the years 0001 to 9999"),
            ("-000001-12-31T00:00:00Z", "outside the years 0001 to 9999"),
            (
                "9999-12-31T23:00:00-05:00",
                "outside the years 0001 to 9999",
            ),
            (
                "0000-01-01T00:00:00+05:00",
                "outside the years 0001 to 9999",
            ),
            ("0000-06-01T00:00:00Z", "outside the years 0001 to 9999"),
            ("0000-06-01", "outside the years 0001 to 9999"),
            ("2023-02-29T00:00:00Z", "the calendar has no such day"),
            ("2023-02-29", "the calendar has no such day"),
            ("2023-01-01T24:30:00Z", "the clock has no such hour"),
            ("2023-01-01T10:30:00", "is not a time with its zone"),
            ("10:30", "is not a time with its zone"),
        ] {
            let error = parse("t", &time, text).map_err(|error| error.to_string());
            assert!(
                error.as_ref().is_err_and(|error| error.contains(why)),
                "{text}: {error:?}"
            );
        }
        let error = parse("d", &Type::Date, "2023-02-29")
            .unwrap_err()
            .to_string();
        assert!(error.contains("the calendar has no such day"), "{error}");
        let list = parse(
            "ts",
            &Type::List(Box::new(time)),
            r#"["2016-12-31T23:59:60Z"]"#,
        );
        assert!(list.unwrap_err().to_string().starts_with("ts[0]"));
    }

    #[test]
    fn the_quick_test_knows_only_stored_forms() {
        let mut state = 3_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % below
        };
        let kinds = [
            Type::Time(Precision::Seconds),
            Type::Time(Precision::Millis),
            Type::Time(Precision::Nanos),
            Type::Date,
            Type::Ulid,
            Type::Uuid,
            Type::Words(vec!["a-b".to_owned(), "c".to_owned()]),
        ];
        let seeds = [
            "2024-02-29T10:30:00.123456789Z",
            "2024-02-29T10:30:00.123Z",
            "2024-02-29T23:59:59Z",
            "2024-02-29",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "123e4567-e89b-12d3-a456-426614174000",
            "a-b",
        ];
        let mut stored = 0;
        for _ in 0..20_000 {
            let mut text: Vec<char> = seeds[random(seeds.len())].chars().collect();
            for _ in 0..random(3) {
                let at = random(text.len());
                let all: Vec<char> = "0123456789-:.TZzabUuOo é".chars().collect();
                text[at] = all[random(all.len())];
            }
            let text: String = text.into_iter().collect();
            for kind in &kinds {
                if is_stored_form(kind, &text) {
                    stored += 1;
                    assert_eq!(parse("x", kind, &text), Ok(Value::from(text.as_str())));
                }
            }
        }
        assert!(stored > 5_000, "{stored}");
    }

    #[test]
    fn a_key_given_twice_is_refused_and_named() {
        let kind = Type::Map(Box::new(Type::Map(Box::new(Type::Int))));
        let error = parse("m", &kind, r#"{"a": {"b": 1, "c": 2, "b": 1}}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "m: the JSON has the key `b` twice; keep one of them"
        );
        assert_eq!(error.name(), "m");
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
