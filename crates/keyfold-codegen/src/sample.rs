//! Sample values for attributes, guessed from their names and types. They are the same each time.

use crate::texts::text;
use keyfold_model::schema::{Attribute, Record};
use keyfold_model::{DefaultValue, Entity, Precision, Type, Unit, value};
use keyfold_types::{Set, Value};
use std::collections::BTreeMap;

/// A value for each attribute of an entity.
pub(crate) fn values(entity: &Entity) -> BTreeMap<String, Value> {
    let sparse = entity.indexes.iter().filter_map(|key| key.sparse.as_ref());
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    for attribute in &entity.attributes {
        let first = of_attribute(attribute);
        let mut value = first.clone();
        // The attributes of one entity get different values, so that a key shows which of them it
        // is made of.
        for time in 1..TIMES_MAX {
            if !is_scalar(&value) || !all.values().any(|known| looks_like(known, &value)) {
                break;
            }
            value = another(&first, &attribute.kind, time);
        }
        all.insert(attribute.name.clone(), value);
    }
    // The sample is in the sparse indexes.
    for sparse in sparse {
        if let (Some(wanted), Some(attribute)) =
            (&sparse.value, entity.attribute(&sparse.attribute))
            && let Ok(value) = value::parse(&attribute.name, &attribute.kind, wanted)
        {
            all.insert(attribute.name.clone(), value);
        }
    }
    all
}

/// Attempts to find a value that no other attribute has.
const TIMES_MAX: usize = 50;

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::S(_) | Value::N(_))
}

/// Whether two values look the same in a key: they are equal, or one is long and the other begins
/// with it.
fn looks_like(one: &Value, two: &Value) -> bool {
    let (one, two) = (value::display(one), value::display(two));
    one == two
        || (one.len() >= 10 && two.starts_with(&one))
        || (two.len() >= 10 && one.starts_with(&two))
}

/// Another value of the same type; words and values of other types stay.
fn another(first: &Value, kind: &Type, time: usize) -> Value {
    let text = text(first).unwrap_or_default();
    let with_end = |end: String| {
        let kept = text.len().saturating_sub(end.len());
        Value::S(format!("{}{end}", text.get(..kept).unwrap_or_default()))
    };
    match kind {
        Type::Int | Type::Number => {
            i64::try_from(time).map_or_else(|_| first.clone(), |time| Value::from(42 + time))
        }
        Type::String => {
            let stem = text.trim_end_matches(|c: char| c.is_ascii_digit());
            Value::S(format!("{stem}{}", time + 1))
        }
        Type::Ulid => with_end(format!("{time:02}")),
        Type::Uuid => with_end(format!("{time:04}")),
        Type::Time(_) | Type::Date => Value::S(text.replacen(
            "01-15",
            &format!("{:02}-{:02}", 2 + time / 28, 1 + time % 28),
            1,
        )),
        Type::Bool
        | Type::Period(_)
        | Type::Binary
        | Type::Words(_)
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => first.clone(),
    }
}

fn of_attribute(attribute: &Attribute) -> Value {
    match &attribute.default {
        Some(DefaultValue::Value(value)) if !attribute.is_kept => value.clone(),
        _ => of_type(&attribute.name, &attribute.kind),
    }
}

fn of_type(name: &str, kind: &Type) -> Value {
    match kind {
        Type::String => Value::S(text_for(name)),
        Type::Int => Value::from(42),
        Type::Number => Value::n("39.5").unwrap_or(Value::from(39)),
        Type::Bool => Value::Bool(true),
        Type::Time(precision) => Value::S(match precision {
            Precision::Seconds => "2024-01-15T10:30:00Z".to_owned(),
            Precision::Millis | Precision::Micros | Precision::Nanos => format!(
                "2024-01-15T10:30:00.{:0<width$}Z",
                "",
                width = precision.digits()
            ),
        }),
        Type::Date => Value::from("2024-01-15"),
        Type::Period(unit) => Value::from(match unit {
            Unit::Hour => "2024-01-15T10",
            Unit::Day => "2024-01-15",
            Unit::Month => "2024-01",
            Unit::Year => "2024",
        }),
        Type::Binary => Value::B(vec![1, 2, 3]),
        Type::Ulid => Value::from("01HM5Z2V4XA7B8C9D0E1F2G3H4"),
        Type::Uuid => Value::from("6f1c2b7a-0d3e-4f5a-9b8c-7d6e5f4a3b2c"),
        Type::Words(words) => Value::S(words.first().cloned().unwrap_or_default()),
        Type::List(of) => Value::L(vec![of_type(name, of)]),
        Type::Map(of) => Value::M(BTreeMap::from([("key".to_owned(), of_type(name, of))])),
        Type::Set(of) => match of_type(name, of) {
            Value::S(text) => Set::new(vec![text]).map_or(Value::Null, Value::Ss),
            Value::N(number) => Set::new(vec![number]).map_or(Value::Null, Value::Ns),
            Value::B(bytes) => Set::new(vec![bytes]).map_or(Value::Null, Value::Bs),
            // No set has such elements.
            Value::Bool(_)
            | Value::Null
            | Value::L(_)
            | Value::M(_)
            | Value::Ss(_)
            | Value::Ns(_)
            | Value::Bs(_) => Value::Null,
        },
        Type::Record(record) => of_record(record),
    }
}

fn of_record(record: &Record) -> Value {
    Value::M(
        record
            .fields
            .iter()
            .map(|(name, kind, _)| (name.clone(), of_type(name, kind)))
            .collect(),
    )
}

/// A text that suits an attribute's name.
fn text_for(name: &str) -> String {
    let lower = name.to_lowercase();
    if lower.contains("mail") {
        return "ada@example.com".to_owned();
    }
    let known = [
        ("name", "Ada"),
        ("city", "London"),
        ("country", "GB"),
        ("path", "docs-2024-plan"),
        ("sku", "SKU-123"),
        ("label", "home"),
    ];
    if let Some((_, sample)) = known.into_iter().find(|(word, _)| lower == *word) {
        return sample.to_owned();
    }
    let stem = lower
        .strip_suffix("id")
        .filter(|stem| !stem.is_empty())
        .unwrap_or(&lower);
    format!("{}1", stem.chars().next().unwrap_or('x'))
}
