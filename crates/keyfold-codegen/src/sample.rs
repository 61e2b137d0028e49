//! Sample values for attributes, guessed from their names and types. They are the same each time.

use crate::fulfil::fulfil;
use crate::texts::text;
use keyfold_model::schema::{Attribute, Record};
use keyfold_model::{Copy, DefaultValue, Entity, Model, Precision, Type, Unit, value};
use keyfold_types::{Set, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// A value for each attribute of an entity. The sample has the copies and is in the sparse indexes,
/// except for those whose conditions contradict one that is declared before.
pub(crate) fn values(entity: &Entity) -> BTreeMap<String, Value> {
    let mut all = plain(entity);
    of_conditions(entity, &mut all);
    all
}

/// As [`values`]; the sample is among the items of the model's aggregates, too.
pub(crate) fn counted(model: &Model, at: usize, entity: &Entity) -> BTreeMap<String, Value> {
    let mut all = plain(entity);
    let aggregates = model.entities.iter().flat_map(|one| &one.aggregates);
    let conditions = aggregates
        .filter(|one| one.entity == at)
        .filter_map(|one| one.condition.as_ref());
    for (attribute, wanted) in conditions {
        set(entity, attribute, wanted, &mut all);
    }
    of_conditions(entity, &mut all);
    all
}

/// The sample of a copy: the values of its item, which fulfil its condition.
pub(crate) fn of_copy(
    entity: &Entity,
    copy: &Copy,
    values: &BTreeMap<String, Value>,
) -> BTreeMap<String, Value> {
    let mut all = values.clone();
    for condition in &copy.when {
        fulfil(condition, entity, &mut all);
    }
    all
}

/// Fulfils the conditions of copies and sparse indexes. The first of two that contradict each other
/// holds.
fn of_conditions(entity: &Entity, all: &mut BTreeMap<String, Value>) {
    for condition in entity.copies.iter().rev().flat_map(|copy| &copy.when) {
        fulfil(condition, entity, all);
    }
    let sparse = entity.indexes.iter().filter_map(|key| key.sparse.as_ref());
    for sparse in sparse {
        if let Some(wanted) = &sparse.value {
            set(entity, &sparse.attribute, wanted, all);
        }
    }
}

/// Sets an attribute to a value that is written as text.
fn set(entity: &Entity, name: &str, wanted: &str, all: &mut BTreeMap<String, Value>) {
    let attribute = entity.attribute(name);
    let parsed = attribute.map(|one| value::parse(name, &one.kind, wanted));
    if let Some(Ok(value)) = parsed {
        all.insert(name.to_owned(), value);
    }
}

/// A value for each attribute of an entity, without regard to conditions.
fn plain(entity: &Entity) -> BTreeMap<String, Value> {
    let mut all: BTreeMap<String, Value> = BTreeMap::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for attribute in &entity.attributes {
        let first = of_attribute(attribute);
        let mut value = first.clone();
        // The attributes of one entity get different values, so that a key shows which of them it
        // is made of.
        for time in 1..TIMES_MAX {
            if !is_scalar(&value) || !looks_known(&known, &value::display(&value)) {
                break;
            }
            value = another(&first, &attribute.kind, time);
        }
        known.insert(value::display(&value));
        all.insert(attribute.name.clone(), value);
    }
    all
}

/// Attempts to find a value that no other attribute has.
const TIMES_MAX: usize = 50;

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::S(_) | Value::N(_))
}

/// Bytes from which a text looks like one that begins with it.
const LONG_BYTES: usize = 10;

/// Whether a text looks like one of these in a key: they are equal, or one is long and the other
/// begins with it.
fn looks_known(known: &BTreeSet<String>, text: &str) -> bool {
    let mut from_text = known.range::<str, _>((Bound::Included(text), Bound::Unbounded));
    let next = from_text.next();
    let mut ends = LONG_BYTES..text.len();
    next.is_some_and(|next| next == text || (text.len() >= LONG_BYTES && next.starts_with(text)))
        || ends.any(|end| text.get(..end).is_some_and(|start| known.contains(start)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_one_entity_look_different() {
        let names: Vec<String> = (0..60)
            .map(|at| format!("a{at}: string, b{at}: ulid"))
            .collect();
        let model = format!(
            "model m 1\ntable Tab (PK)\nentity E\n  {}\n  key \"E#{{a0}}\"\n",
            names.join(",\n  ")
        );
        let model = keyfold_model::compile(&model).model.unwrap();
        let all = values(model.entity("E").unwrap());
        let text = |name: &str| value::display(&all[name]);
        let texts: BTreeSet<String> = all.values().map(value::display).collect();
        assert_eq!(
            (text("a0"), text("a1"), text("a7")),
            ("a1".into(), "a2".into(), "a8".into())
        );
        // Each of the first 50 of a letter has a text of its own.
        assert_eq!(texts.len(), 100);
    }

    #[test]
    fn a_text_looks_like_a_long_one_that_begins_with_it() {
        let known = ["2024-01-15".to_owned(), "ab".to_owned()].into();
        for text in ["2024-01-15", "2024-01-15T10:00:00Z", "ab"] {
            assert!(looks_known(&known, text), "{text}");
        }
        let known = ["2024-01-15T10:00:00Z".to_owned(), "ab".to_owned()].into();
        assert!(looks_known(&known, "2024-01-15"));
        for text in ["2024-01", "abc", "a", "2024-01-16"] {
            assert!(!looks_known(&known, text), "{text}");
        }
    }
}
