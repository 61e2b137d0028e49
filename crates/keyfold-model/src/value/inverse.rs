//! Keys to values: a template read backwards.
//!
//! KF013 proves that the keys of a template can be split again. A value comes back where its format
//! keeps it: digits that were padded or reversed, and characters that were escaped, are restored.
//! Hashes, small letters and cut periods do not come back.

use crate::period::Unit;
use crate::schema::{Entity, KeyPair};
use crate::template::{BREAK, CHUNK_DIGITS, Format, HASH_DIGITS, Part, shard_digits};
use crate::types::Type;
use keyfold_types::Value;
use std::collections::BTreeMap;

/// Whether the value of a field can be read back from a key.
fn is_invertible(part: &Part) -> bool {
    match part {
        Part::Field { kind, format, .. } => match format {
            Format::Plain | Format::Escaped => {
                kind.is_text() || kind.is_number() || *kind == Type::Bool
            }
            Format::Bare | Format::Padded { .. } | Format::Reversed => true,
            Format::Truncated(_) | Format::Lower | Format::Hash => false,
        },
        Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => false,
    }
}

/// Whether keys made of these parts give the value of an attribute back.
pub fn gives_back(parts: &[Part], name: &str) -> bool {
    parts.iter().any(|part| {
        matches!(part, Part::Field { name: field, .. } if field == name) && is_invertible(part)
    })
}

/// Whether a key gives the value of an attribute back.
pub(crate) fn key_gives_back(key: &KeyPair, name: &str) -> bool {
    key.templates()
        .any(|template| gives_back(&template.parts, name))
}

/// Whether an attribute is left out of an item with this key, which gives it back.
pub fn is_left_out(entity: &Entity, key: &KeyPair, name: &str) -> bool {
    entity.unstored.iter().any(|one| one == name) && key_gives_back(key, name)
}

/// The values that a key attribute was made of, as far as its formats keep them; `None` when the
/// template cannot have made it.
pub fn inverse(parts: &[Part], made: &Value) -> Option<BTreeMap<String, Value>> {
    if let [
        Part::Field {
            name,
            format: Format::Bare,
            ..
        },
    ] = parts
    {
        return Some(BTreeMap::from([(name.clone(), made.clone())]));
    }
    let Value::S(text) = made else { return None };
    let mut values = BTreeMap::new();
    let mut rest = text.as_str();
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Text(text) => rest = rest.strip_prefix(text.as_str())?,
            Part::Break => rest = rest.strip_prefix(BREAK)?,
            Part::Chunk => rest = digits(rest, CHUNK_DIGITS)?,
            Part::Shard { count, .. } => rest = digits(rest, shard_digits(*count))?,
            Part::Field { name, .. } => {
                let length = length(part, parts.get(at + 1), rest)?;
                let (written, behind) = rest.split_at_checked(length)?;
                rest = behind;
                if is_invertible(part) {
                    let value = value(part, written)?;
                    let before = values.insert(name.clone(), value.clone());
                    if before.is_some_and(|before| before != value) {
                        return None;
                    }
                }
            }
        }
    }
    rest.is_empty().then_some(values)
}

/// The text behind a number of digits.
fn digits(text: &str, count: usize) -> Option<&str> {
    let (number, rest) = text.split_at_checked(count)?;
    number
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then_some(rest)
}

/// The length in bytes of a field at the start of a text.
fn length(field: &Part, next: Option<&Part>, text: &str) -> Option<usize> {
    if let Some(width) = width(field) {
        return Some(width);
    }
    match next {
        None => Some(text.len()),
        // The field does not contain the first character of the text behind it.
        Some(Part::Text(behind)) => text.find(behind.chars().next()?),
        Some(Part::Break) => text.find(BREAK),
        Some(Part::Field { .. } | Part::Shard { .. } | Part::Chunk) => None,
    }
}

/// The bytes of a field whose values all have texts of one length; `None` for other fields.
fn width(field: &Part) -> Option<usize> {
    let Part::Field { kind, format, .. } = field else {
        return None;
    };
    match (format, kind) {
        (
            Format::Padded {
                whole,
                decimals,
                signed,
                reversed: _,
            },
            _,
        ) => Some(whole + usize::from(*signed) + if *decimals > 0 { decimals + 1 } else { 0 }),
        (Format::Truncated(unit), _) | (_, Type::Period(unit)) => Some(unit.width()),
        (Format::Hash, _) => Some(HASH_DIGITS),
        (_, Type::Date) => Some(Unit::Day.width()),
        (_, Type::Time(precision)) => Some(precision.width()),
        (_, Type::Ulid) => Some(26),
        (_, Type::Uuid) => Some(36),
        (
            Format::Plain | Format::Bare | Format::Reversed | Format::Lower | Format::Escaped,
            Type::String
            | Type::Int
            | Type::Number
            | Type::Bool
            | Type::Words(_)
            | Type::Binary
            | Type::List(_)
            | Type::Map(_)
            | Type::Set(_)
            | Type::Record(_),
        ) => None,
    }
}

/// The value whose text in the key this is; `None` when no value has it.
fn value(field: &Part, written: &str) -> Option<Value> {
    let Part::Field {
        name, kind, format, ..
    } = field
    else {
        return None;
    };
    let plain = match format {
        Format::Padded {
            reversed,
            signed: true,
            ..
        } => {
            // The text of zero has no sign in either direction.
            let (is_below, size) = match written.strip_prefix('-') {
                Some(size) => (true, super::key::nines(size)),
                None => (false, written.get(1..)?.to_owned()),
            };
            format!("{}{size}", if is_below != *reversed { "-" } else { "" })
        }
        Format::Padded { reversed: true, .. } | Format::Reversed => super::key::nines(written),
        Format::Escaped => unescaped(written)?,
        Format::Plain
        | Format::Bare
        | Format::Padded { .. }
        | Format::Truncated(_)
        | Format::Lower
        | Format::Hash => written.to_owned(),
    };
    let value = if kind.is_number() {
        Value::N(plain.parse().ok()?)
    } else if *kind == Type::Bool {
        Value::Bool(plain.parse().ok()?)
    } else {
        Value::S(plain)
    };
    // Only the text that the value makes is its text: `007` is not that of a plain 7.
    let again = super::key::text(
        std::slice::from_ref(field),
        &BTreeMap::from([(name.clone(), value.clone())]),
    );
    (again.ok()? == written).then_some(value)
}

/// The text that was escaped; `None` when an escape is damaged.
fn unescaped(text: &str) -> Option<String> {
    // An empty text is a sign on its own.
    if text == "%" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        bytes.extend(rest.as_bytes().get(..at)?);
        let digits = rest.get(at + 1..at + 3)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = rest.get(at + 3..)?;
    }
    bytes.extend(rest.as_bytes());
    String::from_utf8(bytes).ok()
}
