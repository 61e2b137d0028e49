//! Keys: the texts and numbers that templates make of values.

use super::attributes::Attributes;
use super::display::{display, quoted};
use super::error::ValueError;
use super::small::lower;
use crate::period::{PERIODS_MAX, Unit};
use crate::schema::Unique;
use crate::template::{BREAK, CHUNK_DIGITS, Format, HASH_DIGITS, KeyTemplate, Part, shard_digits};
use crate::types::Type;
use crate::words::Compared;
use keyfold_types::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The key that a template makes of values.
///
/// # Errors
/// When a value is missing, of another type, empty, or contains a delimiter.
pub fn key(template: &KeyTemplate, values: &BTreeMap<String, Value>) -> Result<Value, ValueError> {
    column(&template.parts, values)
}

/// The value that parts make for one attribute of a key.
///
/// # Errors
/// As [`key`].
pub fn column(parts: &[Part], values: &BTreeMap<String, Value>) -> Result<Value, ValueError> {
    if let Some(name) = bare(parts) {
        let value = values
            .get(name)
            .ok_or_else(|| ValueError::Missing(name.to_owned()))?;
        if matches!(value, Value::S(text) if text.is_empty()) {
            return Err(ValueError::Empty(name.to_owned()));
        }
        return Ok(value.clone());
    }
    text(parts, values).map(Value::S)
}

/// Whether [`column()`] makes this value. Most keys are compared without being made.
pub fn is_made(parts: &[Part], values: &impl Attributes, made: &Value) -> bool {
    if let Value::S(made) = made {
        return is_text_made(parts, values, made);
    }
    let held = bare(parts).and_then(|name| values.value(name));
    held.is_some_and(|held| *held == *made)
}

/// Whether [`column()`] makes this text.
pub fn is_text_made(parts: &[Part], values: &impl Attributes, made: &str) -> bool {
    if let Some(name) = bare(parts) {
        return !made.is_empty() && values.text(name) == Some(made);
    }
    let mut rest = made;
    parts.iter().all(|part| {
        let behind = behind(part, values, rest);
        rest = behind.unwrap_or_default();
        behind.is_some()
    }) && rest.is_empty()
}

/// The attribute that is the key itself; `None` where a template makes a text.
fn bare(parts: &[Part]) -> Option<&str> {
    match parts {
        [
            Part::Field {
                name,
                format: Format::Bare,
                ..
            },
        ] => Some(name),
        _ => None,
    }
}

/// The text behind what a part makes; `None` when it makes another text, or none.
fn behind<'t>(part: &Part, values: &impl Attributes, text: &'t str) -> Option<&'t str> {
    match part {
        Part::Text(fixed) => text.strip_prefix(fixed.as_str()),
        Part::Break => text.strip_prefix(BREAK),
        Part::Field {
            name,
            kind,
            format,
            excluded,
        } => {
            if *format == Format::Plain && kind.is_text() {
                let held = values.text(name)?;
                let is_fit = !held.is_empty() && reserved(kind, held, excluded).is_none();
                return text.strip_prefix(held).filter(|_| is_fit);
            }
            let held = values.value(name)?;
            text.strip_prefix(written(part, &held).ok()?.as_str())
        }
        Part::Shard { .. } | Part::Chunk => {
            let made = self::text(std::slice::from_ref(part), values).ok()?;
            text.strip_prefix(made.as_str())
        }
    }
}

/// The name of the value that selects a shard, instead of the shard that follows from the item.
pub const SHARD: &str = "#shard";
/// The name of the value that selects a part of a split item; without it, the first part.
pub const CHUNK: &str = "#part";

/// The text that parts make of values.
///
/// # Errors
/// As [`key`].
pub fn text(parts: &[Part], values: &impl Attributes) -> Result<String, ValueError> {
    let mut out = String::new();
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Break => out.push(BREAK),
            Part::Field { name, .. } => {
                let value = values
                    .value(name)
                    .ok_or_else(|| ValueError::Missing(name.clone()))?;
                out.push_str(&written(part, &value)?);
            }
            Part::Shard { count, of } => {
                let number = match values.value(SHARD) {
                    Some(number) => display(&number),
                    None => shard_of(*count, &text(of, values)?).to_string(),
                };
                let width = shard_digits(*count);
                let _infallible = write!(out, "{number:0>width$}");
            }
            Part::Chunk => {
                let number = values.value(CHUNK);
                let number = number.map_or_else(|| "0".to_owned(), |number| display(&number));
                let _infallible = write!(out, "{number:0>CHUNK_DIGITS$}");
            }
        }
    }
    Ok(out)
}

/// The text that a range of keys starts with. A last field with an empty text is left out.
///
/// # Errors
/// As [`key`].
pub fn prefix(parts: &[Part], values: &BTreeMap<String, Value>) -> Result<String, ValueError> {
    let is_empty = |name: &str| matches!(values.get(name), Some(Value::S(text)) if text.is_empty());
    match parts.split_last() {
        Some((Part::Field { name, .. }, before)) if is_empty(name) => text(before, values),
        Some(_) | None => text(parts, values),
    }
}

/// The shard of a key: the first four bytes of its SHA-256 modulo the number of shards. Programs in
/// any language can compute it.
pub(crate) fn shard_of(count: u32, key: &str) -> u32 {
    let digest = Sha256::digest(key.as_bytes());
    let first = digest
        .iter()
        .take(4)
        .fold(0u32, |number, byte| (number << 8) | u32::from(*byte));
    first % count.max(1)
}

/// The first 32 hexadecimal digits of a text's SHA-256.
pub fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let mut out = String::with_capacity(HASH_DIGITS);
    for byte in digest.iter().take(HASH_DIGITS / 2) {
        let _infallible = write!(out, "{byte:02x}");
    }
    out
}

/// The periods of a range of times, in order.
///
/// # Errors
/// `Periods` when there are too many.
pub fn bucket(
    name: &str,
    unit: Unit,
    low: &Value,
    high: &Value,
) -> Result<Vec<String>, ValueError> {
    let (low, high) = (display(low), display(high));
    unit.between(&low, &high)
        .ok_or_else(|| ValueError::Periods {
            name: name.to_owned(),
            low,
            high,
            unit: unit.word(),
            most: PERIODS_MAX,
        })
}

/// The text of a value in a field of a key; that of any other part is empty.
pub(super) fn written(field: &Part, value: &Value) -> Result<String, ValueError> {
    let Part::Field {
        name,
        kind,
        format,
        excluded,
    } = field
    else {
        return Ok(String::new());
    };
    let plain = plain_text(kind, value).ok_or_else(|| ValueError::Kind {
        name: name.clone(),
        wanted: kind.to_string(),
        found: quoted(value),
    })?;
    match *format {
        Format::Padded {
            whole,
            decimals,
            reversed,
            signed,
        } => {
            let (is_negative, size) = match plain.strip_prefix('-') {
                Some(size) if signed => (true, size),
                Some(_) | None => (false, plain.as_str()),
            };
            let padded = padded(size, whole, decimals).ok_or_else(|| ValueError::Width {
                name: name.clone(),
                number: plain.clone(),
                digits: if decimals == 0 {
                    whole.to_string()
                } else {
                    format!("{whole}.{decimals}")
                },
            })?;
            Ok(directed(&padded, is_negative, reversed, signed))
        }
        Format::Truncated(unit) => Ok(unit.of(&plain).to_owned()),
        Format::Reversed => Ok(nines(&plain)),
        Format::Hash => Ok(digest(&plain)),
        Format::Escaped => Ok(escaped(&plain, excluded)),
        Format::Lower => without_excluded(name, kind, lower(&plain), excluded),
        Format::Plain | Format::Bare => without_excluded(name, kind, plain, excluded),
    }
}

/// The partition key of the item that guards unique values, of the parts that
/// [`guard_parts`](crate::schema::guard_parts) makes.
///
/// # Errors
/// When a value is missing or fits no key.
pub fn guard(
    unique: &Unique,
    parts: &[Part],
    values: &BTreeMap<String, Value>,
) -> Result<String, ValueError> {
    let mut compared = BTreeMap::new();
    for member in &unique.members {
        let Some(held) = values.get(&member.attribute) else {
            continue;
        };
        let held = match (member.compared, held) {
            (Compared::Lower, Value::S(text)) => Value::S(lower(text)),
            (Compared::Lower | Compared::Whole, held) => held.clone(),
        };
        compared.insert(member.attribute.clone(), held);
    }
    text(parts, &compared)
}

/// The text of a value in a key; `None` when the value is not of the type or fits no key.
fn plain_text(kind: &Type, value: &Value) -> Option<String> {
    match value {
        Value::S(text) => kind.is_text().then(|| text.clone()),
        Value::N(number) => kind.is_number().then(|| number.to_string()),
        Value::Bool(truth) => (*kind == Type::Bool).then(|| truth.to_string()),
        Value::Null
        | Value::B(_)
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => None,
    }
}

/// The text, unless it is empty or contains a character with a meaning in keys: a delimiter, the
/// break between key attributes, or the last character, which stands above every key.
fn without_excluded(
    name: &str,
    kind: &Type,
    text: String,
    excluded: &[char],
) -> Result<String, ValueError> {
    match reserved(kind, &text, excluded) {
        Some(delimiter) => Err(ValueError::Delimiter {
            name: name.to_owned(),
            text,
            delimiter,
        }),
        None if text.is_empty() => Err(ValueError::Empty(name.to_owned())),
        None => Ok(text),
    }
}

/// The first character of a text that has a meaning in keys.
fn reserved(kind: &Type, text: &str, excluded: &[char]) -> Option<char> {
    let excluded = if *kind == Type::String { excluded } else { &[] };
    // Most texts have none of them, and of ASCII that is seen without decoding it.
    let has = |c: char| u8::try_from(c).is_ok_and(|byte| text.as_bytes().contains(&byte));
    if text.is_ascii() && !has(BREAK) && !excluded.iter().any(|c| has(*c)) {
        return None;
    }
    let is_reserved = |c: &char| excluded.contains(c) || *c == BREAK || *c == char::MAX;
    text.chars().find(is_reserved)
}

/// A number with zeros in front and behind; `None` for a negative number or one with more digits.
fn padded(number: &str, whole: usize, decimals: usize) -> Option<String> {
    let (before, behind) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(before) || !is_digits(behind) || before.len() > whole || behind.len() > decimals {
        return None;
    }
    Some(match decimals {
        0 => format!("{before:0>whole$}"),
        _ => format!("{before:0>whole$}.{behind:0<decimals$}"),
    })
}

/// A padded number as a key has it: greater numbers have greater texts, or lesser ones where it is
/// reversed. A signed number starts with `0`, or with `-` and the digits of its size subtracted from
/// nine: `-` is less than `0`. A reversed one is that of the opposite sign.
pub(super) fn directed(padded: &str, is_negative: bool, reversed: bool, signed: bool) -> String {
    if !signed {
        return if reversed {
            nines(padded)
        } else {
            padded.to_owned()
        };
    }
    let is_zero = padded.bytes().all(|byte| byte == b'0' || byte == b'.');
    if is_negative != reversed && !is_zero {
        format!("-{}", nines(padded))
    } else {
        format!("0{padded}")
    }
}

/// Each digit subtracted from nine, which reverses the order of texts of one width.
pub(super) fn nines(text: &str) -> String {
    text.chars()
        .map(|c| {
            c.to_digit(10)
                .and_then(|digit| char::from_digit(9 - digit, 10))
                .unwrap_or(c)
        })
        .collect()
}

/// The text with `%` and the delimiters replaced by `%` and the two hexadecimal digits of each byte.
fn escaped(text: &str, excluded: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '%' || c == BREAK || c == char::MAX || excluded.contains(&c) {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _infallible = write!(out, "%{byte:02X}");
            }
        } else {
            out.push(c);
        }
    }
    // An empty text must not make an empty key.
    if out.is_empty() { "%".to_owned() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::period::Precision;

    fn made(kind: Type, format: Format, value: impl Into<Value>) -> Result<String, ValueError> {
        let parts = [Part::Field {
            name: "a".into(),
            kind,
            format,
            excluded: vec!['#'],
        }];
        text(&parts, &BTreeMap::from([("a".to_owned(), value.into())]))
    }

    #[test]
    fn the_last_character_is_refused_with_its_own_reason() {
        let part = Part::Field {
            name: "a".to_owned(),
            kind: Type::String,
            format: Format::Plain,
            excluded: vec!['#'],
        };
        let reason = |value: &str| {
            let values = BTreeMap::from([("a".to_owned(), Value::from(value))]);
            let error = text(std::slice::from_ref(&part), &values).unwrap_err();
            error.to_string()
        };
        assert!(reason("a#").contains("separates the parts"));
        assert!(reason("a\u{10ffff}").contains("where ranges of keys end"));
    }

    #[test]
    fn a_value_is_made_by_parts_exactly_when_they_make_it() {
        let padded = Format::Padded {
            whole: 3,
            decimals: 0,
            reversed: true,
            signed: true,
        };
        let formats = [
            (Type::String, Format::Plain),
            (Type::String, Format::Bare),
            (Type::String, Format::Lower),
            (Type::String, Format::Escaped),
            (Type::Int, padded),
            (Type::Int, Format::Bare),
            (
                Type::Time(Precision::Millis),
                Format::Truncated(Unit::Month),
            ),
        ];
        let values = ["", "A", "a#b", "\u{10FFFF}", "2024-01-05T00:00:00.000Z"]
            .map(Value::from)
            .into_iter()
            .chain([Value::from(7), Value::from(-1000)]);
        let values: Vec<Value> = values.collect();
        let mut made_some = 0;
        for (kind, format) in formats {
            let field = |name: &str| Part::Field {
                name: name.to_owned(),
                kind: kind.clone(),
                format,
                excluded: vec!['#'],
            };
            let shard = Part::Shard {
                count: 3,
                of: vec![field("a")],
            };
            let fixed = Part::Text("X#".to_owned());
            for parts in [
                vec![field("a")],
                vec![
                    fixed,
                    field("a"),
                    Part::Break,
                    field("b"),
                    Part::Chunk,
                    shard,
                ],
            ] {
                for (one, other) in values
                    .iter()
                    .flat_map(|a| values.iter().map(move |b| (a, b)))
                {
                    let held = |a: &Value, b: &Value| {
                        BTreeMap::from([("a".to_owned(), a.clone()), ("b".to_owned(), b.clone())])
                    };
                    let (same, swapped) = (held(one, other), held(other, one));
                    for made in [column(&parts, &same), column(&parts, &swapped)]
                        .into_iter()
                        .flatten()
                    {
                        made_some += 1;
                        let expected = column(&parts, &same).as_ref() == Ok(&made);
                        assert_eq!(
                            is_made(&parts, &same, &made),
                            expected,
                            "{parts:?} {made:?}"
                        );
                    }
                    for made in &values {
                        let expected = column(&parts, &same).as_ref() == Ok(made);
                        assert_eq!(is_made(&parts, &same, made), expected, "{parts:?} {made:?}");
                    }
                }
            }
        }
        assert!(made_some > 100, "{made_some}");
    }

    #[test]
    fn a_delimiter_inside_a_value_is_refused_or_escaped() {
        assert!(matches!(
            made(Type::String, Format::Plain, "a#b"),
            Err(ValueError::Delimiter { delimiter: '#', .. })
        ));
        assert_eq!(
            made(Type::String, Format::Escaped, "a#b%").as_deref(),
            Ok("a%23b%25")
        );
        assert_eq!(made(Type::String, Format::Escaped, "").as_deref(), Ok("%"));
    }

    #[test]
    fn padding_keeps_order_or_refuses() {
        let format = Format::Padded {
            whole: 4,
            decimals: 0,
            reversed: false,
            signed: false,
        };
        assert_eq!(made(Type::Int, format, 42).as_deref(), Ok("0042"));
        assert!(made(Type::Int, format, -1).is_err() && made(Type::Int, format, 10_000).is_err());
        let money = Format::Padded {
            whole: 4,
            decimals: 2,
            reversed: false,
            signed: false,
        };
        let price: keyfold_types::Number = "9.5".parse().unwrap();
        assert_eq!(
            made(Type::Number, money, Value::N(price)).as_deref(),
            Ok("0009.50")
        );
    }

    #[test]
    fn reversed_texts_are_in_the_reverse_order() {
        let format = Format::Padded {
            whole: 4,
            decimals: 0,
            reversed: true,
            signed: false,
        };
        assert!(made(Type::Int, format, 7).unwrap() > made(Type::Int, format, 70).unwrap());
        let time =
            |text: &str| made(Type::Time(Precision::Seconds), Format::Reversed, text).unwrap();
        assert!(time("2024-01-01T00:00:00Z") > time("2024-01-01T00:00:01Z"));
        assert_eq!(time("2024-01-01T00:00:00Z"), "7975-98-98T99:99:99Z");
    }

    #[test]
    fn signed_numbers_are_in_order_and_come_back() {
        let numbers = [
            "-999.99", "-42", "-1.5", "-0.01", "0", "0.01", "7", "99", "999.99",
        ];
        for reversed in [false, true] {
            let format = Format::Padded {
                whole: 3,
                decimals: 2,
                reversed,
                signed: true,
            };
            let field = [Part::Field {
                name: "a".into(),
                kind: Type::Number,
                format,
                excluded: Vec::new(),
            }];
            let mut texts = Vec::new();
            for number in numbers {
                let held = Value::N(number.parse().unwrap());
                let made = made(Type::Number, format, held.clone()).unwrap();
                let back = crate::value::inverse(&field, &Value::S(made.clone())).unwrap();
                assert_eq!(back.get("a"), Some(&held), "{made}");
                texts.push(made);
            }
            if reversed {
                texts.reverse();
            }
            assert!(texts.is_sorted(), "{texts:?}");
            assert!(made(Type::Number, format, -1000).is_err());
        }
    }

    #[test]
    fn a_shard_follows_from_the_key() {
        let of = vec![Part::Field {
            name: "id".into(),
            kind: Type::String,
            format: Format::Plain,
            excluded: Vec::new(),
        }];
        let parts = [Part::Text("S#".into()), Part::Shard { count: 16, of }];
        let key = |id: &str| {
            text(
                &parts,
                &BTreeMap::from([("id".to_owned(), Value::from(id))]),
            )
            .unwrap()
        };
        assert_eq!(key("a"), key("a"));
        let different: std::collections::BTreeSet<String> =
            (0..100).map(|n| key(&n.to_string())).collect();
        assert!(
            different.len() > 12 && different.iter().all(|key| key.len() == 4),
            "{different:?}"
        );
    }
}
