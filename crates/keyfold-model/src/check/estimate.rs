//! Estimates of sizes and counts for the warnings: as declared, or guessed from the types.

use crate::schema::{Attribute, Entity, Type};
use crate::template::{Format, KeyTemplate, Part};
use keyfold_types::limits::ITEM_BYTES_MAX;

/// Bytes of a text of unknown length.
const TEXT_BYTES: u64 = 20;
/// Elements of a list of unknown length.
const ELEMENTS: u64 = 10;
/// Greatest estimate for one attribute: enough to be too large, and sums do not overflow.
const BYTES_MAX: u64 = 1 << 40;

/// The bytes of an item: declared, or guessed from its attributes.
pub fn item_bytes(entity: &Entity) -> u64 {
    if let Some(declared) = entity.expected.bytes {
        return declared;
    }
    let keys = 40 * (2 + entity.indexes.len() as u64);
    let attribute = |attribute: &Attribute| {
        let elements = elements(entity, &attribute.name);
        attribute.name.len() as u64 + bytes_of(&attribute.kind, elements)
    };
    keys + entity.attributes.iter().map(attribute).sum::<u64>()
}

/// The bytes of an index entry that holds some attributes of an item and its keys.
pub fn projected_bytes(entity: &Entity, names: &[String]) -> u64 {
    let held = entity
        .attributes
        .iter()
        .filter(|attribute| names.contains(&attribute.name));
    let of =
        |one: &Attribute| one.name.len() as u64 + bytes_of(&one.kind, elements(entity, &one.name));
    160 + held.map(of).sum::<u64>()
}

/// The bytes of the largest item that is stored: of one part, if the entity is split.
pub(super) fn stored_bytes(entity: &Entity) -> u64 {
    let bytes = item_bytes(entity);
    match &entity.split {
        Some((name, count)) => {
            let all = elements(entity, name).unwrap_or(ELEMENTS).max(1);
            bytes.saturating_mul(u64::from(*count).min(all)) / all
        }
        None => bytes,
    }
}

/// The declared number of elements of a list attribute.
fn elements(entity: &Entity, name: &str) -> Option<u64> {
    entity
        .expected
        .per
        .iter()
        .find(|(attribute, _)| attribute == name)
        .map(|(_, count)| *count)
}

/// The bytes of a value of a type; `elements` is the length of a list, set or map if it is known.
fn bytes_of(kind: &Type, elements: Option<u64>) -> u64 {
    let count = elements.unwrap_or(ELEMENTS);
    match kind {
        Type::String => TEXT_BYTES,
        Type::Int => 5,
        Type::Number => 8,
        Type::Bool => 1,
        Type::Time(_) => 24,
        Type::Date | Type::Period(_) => 10,
        Type::Binary => 64,
        Type::Ulid => 26,
        Type::Uuid => 36,
        Type::Words(words) => words
            .iter()
            .map(|word| word.len() as u64)
            .max()
            .unwrap_or(0),
        Type::List(of) | Type::Set(of) => several(count, 1 + nested_bytes(of)),
        Type::Map(of) => several(count, 1 + TEXT_BYTES / 2 + nested_bytes(of)),
        Type::Record(record) => {
            3 + record
                .fields
                .iter()
                .map(|(name, kind, _)| name.len() as u64 + nested_bytes(kind))
                .sum::<u64>()
        }
    }
}

fn several(count: u64, bytes: u64) -> u64 {
    count.saturating_mul(bytes).saturating_add(3).min(BYTES_MAX)
}

/// The bytes of a value inside another: a guess about lists of lists stays within an item.
fn nested_bytes(kind: &Type) -> u64 {
    bytes_of(kind, None).min(ITEM_BYTES_MAX)
}

/// The number of partitions that a template spreads writes over at any time; `None` if there is one
/// for each value of an attribute.
///
/// An attribute of a few words counts as one value, because new items start with the same word. A
/// period counts as one value, because writes go to the current one.
pub(super) fn partitions(template: &KeyTemplate) -> Option<u64> {
    let mut count = 1;
    for part in &template.parts {
        match part {
            Part::Text(_) | Part::Break | Part::Chunk => {}
            Part::Shard { count: shards, .. } => count *= u64::from(*shards),
            Part::Field {
                format: Format::Truncated(_),
                ..
            }
            | Part::Field {
                kind: Type::Words(_) | Type::Bool | Type::Date | Type::Period(_),
                ..
            } => {}
            Part::Field { .. } => return None,
        }
    }
    Some(count)
}

/// A number of bytes in the largest unit that fits: `1.5 KB`.
pub(super) fn print_bytes(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{:.1} KB", bytes as f64 / 1_024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GB", bytes as f64 / 1_073_741_824.0),
    }
}

/// A number with a separator after each three digits: `1,000`.
pub(super) fn print_count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
