//! Values of two types: whether each value of one is a value of the other.

use crate::period::Unit;
use crate::schema::{Precision, Record, Type};
use crate::value;
use keyfold_types::Value;

/// Values of the writer's type that are none of the reader's.
pub(super) struct Misfit {
    /// One of them.
    pub(super) example: String,
    /// What makes values of the reader's type of them.
    pub(super) cure: Cure,
}

/// What makes other values of those that do not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cure {
    /// Each value has one form in the new type.
    Converted(String),
    /// The values that do not fit need a decision: which others they become.
    Decided(String),
    /// No value of one type is a value of the other.
    Nothing,
}

/// The values of a type that are none of another; `None` where all are.
pub(super) fn misfit(writer: &Type, reader: &Type) -> Option<Misfit> {
    match (writer, reader) {
        (one, two) if one == two => None,
        (Type::Int, Type::Number) => None,
        (Type::Number, Type::Int) => some("1.5", decided("numbers that are not whole")),
        (Type::Words(before), Type::Words(after)) => {
            let gone: Vec<&str> = before
                .iter()
                .filter(|word| !after.contains(word))
                .map(String::as_str)
                .collect();
            let first = gone.first()?;
            some(
                *first,
                decided(&format!("items that hold {}", gone.join(", "))),
            )
        }
        (Type::Time(one), Type::Time(two)) => {
            some(time(*one), Cure::Converted(precision(*one, *two)))
        }
        (Type::Date, Type::Time(_)) => some(
            "2024-01-15",
            Cure::Converted("each date becomes its midnight".to_owned()),
        ),
        (Type::Time(precision), Type::Date) => some(
            time(*precision),
            Cure::Converted("each time becomes its day".to_owned()),
        ),
        (one, Type::String) if one.is_text() => None,
        (Type::String, two) if two.is_text() => {
            let what = format!("texts that are no {two}");
            some("any text", decided(&what))
        }
        (Type::List(one), Type::List(two)) | (Type::Set(one), Type::Set(two)) => {
            misfit(one, two).map(|inside| within("an element", inside))
        }
        (Type::Map(one), Type::Map(two)) => {
            misfit(one, two).map(|inside| within("an entry", inside))
        }
        (Type::Record(one), Type::Record(two)) => fields(one, two),
        // Any other pair: texts of other forms, or values that are not stored alike.
        _ => some(example(writer), Cure::Nothing),
    }
}

/// The fields of a record that do not fit those of another.
fn fields(writer: &Record, reader: &Record) -> Option<Misfit> {
    let mut all = reader.fields.iter();
    all.find_map(|(name, kind, optional)| {
        let mut written = writer.fields.iter();
        let written = written.find(|(known, ..)| known == name);
        let lacks = || {
            let what = format!("records without `{name}`");
            some(format!("a record without `{name}`"), decided(&what))
        };
        match written {
            None if *optional => None,
            None => lacks(),
            Some((_, _, true)) if !optional => lacks(),
            Some((_, own, _)) => {
                misfit(own, kind).map(|inside| within(&format!("`{name}`"), inside))
            }
        }
    })
}

/// A field that a writer of one type does not write into a record, and a writer of the other type does: a value is
/// written as a whole.
pub(super) fn lost(writer: &Type, other: &Type) -> Option<String> {
    match (writer, other) {
        (Type::List(one), Type::List(two)) | (Type::Map(one), Type::Map(two)) => lost(one, two),
        (Type::Record(one), Type::Record(two)) => {
            let mut all = two.fields.iter();
            all.find_map(|(name, kind, _)| {
                let mut written = one.fields.iter();
                match written.find(|(known, ..)| known == name) {
                    None => Some(format!("{}.{name}", two.name)),
                    Some((_, own, _)) => lost(own, kind),
                }
            })
        }
        // Values of other types have no fields.
        _ => None,
    }
}

/// Whether a stored value can be one of both types.
pub(super) fn have_common(one: &Type, two: &Type) -> bool {
    match (one, two) {
        (Type::Words(words), other) | (other, Type::Words(words)) => {
            let mut words = words.iter().map(|word| Value::S(word.clone()));
            words.any(|word| value::check("", other, &word).is_ok())
        }
        // An empty list or map is one of all types of its elements; a set is never empty.
        (Type::List(_), Type::List(_))
        | (Type::Map(_) | Type::Record(_), Type::Map(_) | Type::Record(_))
        | (Type::Int | Type::Number, Type::Int | Type::Number) => true,
        (Type::Set(one), Type::Set(two)) => have_common(one, two),
        (Type::String, two) => is_text(two),
        (one, Type::String) => is_text(one),
        (one, two) if is_text(one) && is_text(two) => {
            // Each of these types has texts of one form.
            let is_of = |text: String, kind| value::check("", kind, &Value::S(text)).is_ok();
            is_of(example(one), two) || is_of(example(two), one)
        }
        (one, two) => one == two,
    }
}

/// Whether values of a type are stored as texts.
fn is_text(kind: &Type) -> bool {
    match kind {
        Type::String
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_) => true,
        Type::Int
        | Type::Number
        | Type::Bool
        | Type::Binary
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => false,
    }
}

fn within(what: &str, inside: Misfit) -> Misfit {
    Misfit {
        example: format!("{} in {what}", inside.example),
        cure: inside.cure,
    }
}

fn some(example: impl Into<String>, cure: Cure) -> Option<Misfit> {
    Some(Misfit {
        example: example.into(),
        cure,
    })
}

fn decided(what: &str) -> Cure {
    Cure::Decided(what.to_owned())
}

fn precision(from: Precision, to: Precision) -> String {
    match from.digits() < to.digits() {
        true => "each time gets zeros behind it".to_owned(),
        false => "each time loses its last digits".to_owned(),
    }
}

/// A time as it is stored.
fn time(precision: Precision) -> String {
    let fraction = match precision.digits() {
        0 => String::new(),
        digits => format!(".{}", "0".repeat(digits)),
    };
    format!("2024-01-15T10:30:00{fraction}Z")
}

/// A value of a type, as text.
pub(super) fn example(kind: &Type) -> String {
    match kind {
        Type::String => "a text".to_owned(),
        Type::Int => "7".to_owned(),
        Type::Number => "1.5".to_owned(),
        Type::Bool => "true".to_owned(),
        Type::Time(precision) => time(*precision),
        Type::Date | Type::Period(Unit::Day) => "2024-01-15".to_owned(),
        Type::Period(unit) => unit.of("2024-01-15T10:30:00Z").to_owned(),
        Type::Binary => "bytes".to_owned(),
        Type::Ulid => "01HM5Z3V9Q8Y7X6W5T4S3R2P1N".to_owned(),
        Type::Uuid => "5f2b8c1e-0d3a-4e6f-9a7b-1c2d3e4f5a6b".to_owned(),
        Type::Words(words) => words.first().cloned().unwrap_or_default(),
        Type::List(_) => "a list".to_owned(),
        Type::Map(_) => "a map".to_owned(),
        Type::Set(_) => "a set".to_owned(),
        Type::Record(record) => format!("a {}", record.name),
    }
}
