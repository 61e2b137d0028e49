//! Sample values that fulfil conditions: those of copies, sparse indexes and aggregates.

use crate::texts::text;
use keyfold_model::schema::{Comparator, Comparison, Condition, Measure, Operand};
use keyfold_model::{Entity, Type};
use keyfold_types::{Number, Set, Value};
use std::collections::BTreeMap;

/// Changes sample values of an entity so that a condition holds. A comparison of sizes, or of fields
/// inside an attribute, changes nothing.
pub(crate) fn fulfil(condition: &Condition, entity: &Entity, values: &mut BTreeMap<String, Value>) {
    match condition {
        Condition::Is(comparison) => compare(comparison, entity, values),
        Condition::Not(member) => refute(member, entity, values),
        Condition::All(members) => members.iter().for_each(|one| fulfil(one, entity, values)),
        Condition::Any(members) => members
            .iter()
            .take(1)
            .for_each(|one| fulfil(one, entity, values)),
    }
}

/// Changes sample values so that a condition does not hold.
fn refute(condition: &Condition, entity: &Entity, values: &mut BTreeMap<String, Value>) {
    match condition {
        Condition::Is(one) => {
            if let Some(comparator) = opposite(one.comparator) {
                let other = Comparison {
                    comparator,
                    ..one.clone()
                };
                compare(&other, entity, values);
            }
        }
        Condition::Not(member) => fulfil(member, entity, values),
        Condition::All(members) => members
            .iter()
            .take(1)
            .for_each(|one| refute(one, entity, values)),
        Condition::Any(members) => members.iter().for_each(|one| refute(one, entity, values)),
    }
}

/// The comparator that holds where another does not; `None` where no single one does.
fn opposite(comparator: Comparator) -> Option<Comparator> {
    match comparator {
        Comparator::Equal | Comparator::In => Some(Comparator::Unequal),
        Comparator::Unequal => Some(Comparator::Equal),
        Comparator::Less => Some(Comparator::AtLeast),
        Comparator::AtMost => Some(Comparator::Greater),
        Comparator::Greater => Some(Comparator::AtMost),
        Comparator::AtLeast => Some(Comparator::Less),
        Comparator::Exists => Some(Comparator::Missing),
        Comparator::Missing => Some(Comparator::Exists),
        Comparator::Contains | Comparator::Starts | Comparator::Within => None,
    }
}

fn compare(comparison: &Comparison, entity: &Entity, values: &mut BTreeMap<String, Value>) {
    let Comparison {
        measure,
        attribute: name,
        fields,
        comparator,
        operands,
        span: _,
    } = comparison;
    let Some(attribute) = entity.attribute(name) else {
        return;
    };
    if *measure != Measure::Value || !fields.is_empty() {
        return;
    }
    let operands = operands.iter().filter_map(|one| match one {
        Operand::Literal(value) => Some(value.clone()),
        Operand::Attribute(path) => values.get(&path.attribute).cloned(),
        Operand::Parameter(_) | Operand::Lent(_) => None,
    });
    let operands: Vec<Value> = operands.collect();
    let held = values.get(name);
    let wanted = match (comparator, operands.as_slice()) {
        (Comparator::Missing, _) => {
            values.remove(name);
            return;
        }
        (Comparator::Equal | Comparator::In, all) if held.is_some_and(|one| all.contains(one)) => {
            None
        }
        (
            Comparator::Equal
            | Comparator::In
            | Comparator::AtMost
            | Comparator::AtLeast
            | Comparator::Within
            | Comparator::Starts,
            [first, ..],
        ) => Some(first.clone()),
        (Comparator::Unequal, all) => held
            .filter(|held| all.contains(held))
            .and_then(|held| other(held, all, &attribute.kind)),
        (Comparator::Less, [first, ..]) => near(first, &attribute.kind, -1),
        (Comparator::Greater, [first, ..]) => near(first, &attribute.kind, 1),
        (Comparator::Contains, [first, ..]) => held.and_then(|held| containing(held, first)),
        (
            Comparator::Exists
            | Comparator::Equal
            | Comparator::In
            | Comparator::AtMost
            | Comparator::AtLeast
            | Comparator::Within
            | Comparator::Starts
            | Comparator::Less
            | Comparator::Greater
            | Comparator::Contains,
            _,
        ) => None,
    };
    if let Some(wanted) = wanted {
        values.insert(name.clone(), wanted);
    }
}

/// A value of the type that is none of these.
fn other(held: &Value, these: &[Value], kind: &Type) -> Option<Value> {
    if let Type::Words(words) = kind {
        let mut words = words.iter().map(|word| Value::S(word.clone()));
        return words.find(|word| !these.contains(word));
    }
    if let Value::Bool(is) = held {
        return Some(Value::Bool(!is));
    }
    near(held, kind, 1)
}

/// The value a step above or below another, of a number, a time or a free text.
fn near(value: &Value, kind: &Type, step: i64) -> Option<Value> {
    if let Value::N(number) = value {
        return number.checked_add(&Number::from(step)).map(Value::N).ok();
    }
    let text = text(value)?;
    match kind {
        Type::Time(_) | Type::Date | Type::Period(_) => {
            let year: i64 = text.get(..4)?.parse().ok()?;
            Some(Value::S(format!("{:04}{}", year + step, text.get(4..)?)))
        }
        Type::String if step > 0 => Some(Value::S(format!("{text}1"))),
        Type::String
        | Type::Int
        | Type::Number
        | Type::Bool
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

/// A text, list or set that contains an element.
fn containing(held: &Value, element: &Value) -> Option<Value> {
    match (held, element) {
        (Value::S(_), Value::S(_)) => Some(element.clone()),
        (Value::L(_), _) => Some(Value::L(vec![element.clone()])),
        (Value::Ss(_), Value::S(text)) => Set::new(vec![text.clone()]).ok().map(Value::Ss),
        (Value::Ns(_), Value::N(number)) => Set::new(vec![*number]).ok().map(Value::Ns),
        (Value::Bs(_), Value::B(bytes)) => Set::new(vec![bytes.clone()]).ok().map(Value::Bs),
        _ => None,
    }
}
