//! The verdict of a condition on a row's values.

use crate::order::order;
use crate::path;
use keyfold_client::arguments::Values;
use keyfold_model::Operand;
use keyfold_model::schema::{Comparator, Comparison, Condition, Measure};
use keyfold_types::Value;
use std::cmp::Ordering;

/// The value that a comparison looks at.
pub(crate) fn field<'v>(values: &'v Values, comparison: &Comparison) -> Option<&'v Value> {
    path::found(values, &comparison.path())
}

/// A size as DynamoDB counts it; a text is measured in UTF-16 units.
pub(crate) fn size(value: &Value) -> Option<i64> {
    let size = match value {
        Value::S(text) => text.chars().map(char::len_utf16).sum(),
        Value::B(bytes) => bytes.len(),
        Value::L(values) => values.len(),
        Value::M(map) => map.iter().count(),
        Value::Ss(set) => set.members().len(),
        Value::Ns(set) => set.members().len(),
        Value::Bs(set) => set.members().len(),
        Value::N(_) | Value::Bool(_) | Value::Null => return None,
    };
    i64::try_from(size).ok()
}

/// Whether a condition holds for a row. A condition of which nothing remains without the arguments
/// that are left out holds.
pub(crate) fn holds(condition: &Condition, now: &Values, arguments: &Values) -> bool {
    verdict(condition, now, arguments).unwrap_or(true)
}

/// The verdict of a condition; `None` when nothing remains of it.
fn verdict(condition: &Condition, now: &Values, arguments: &Values) -> Option<bool> {
    let all = |members: &[Condition]| -> Vec<bool> {
        let verdicts = members.iter().map(|one| verdict(one, now, arguments));
        verdicts.flatten().collect()
    };
    match condition {
        Condition::Is(comparison) => {
            let is_given = |operand: &Operand| match operand {
                Operand::Parameter(name) => arguments.contains_key(name),
                Operand::Attribute(_) | Operand::Lent(_) | Operand::Literal(_) => true,
            };
            let is_kept = comparison.operands.iter().all(is_given);
            is_kept.then(|| is_true(comparison, now, arguments))
        }
        Condition::Not(member) => verdict(member, now, arguments).map(|one| !one),
        Condition::All(members) => {
            let verdicts = all(members);
            (!verdicts.is_empty()).then(|| verdicts.iter().all(|one| *one))
        }
        Condition::Any(members) => {
            let verdicts = all(members);
            (!verdicts.is_empty()).then(|| verdicts.iter().any(|one| *one))
        }
    }
}

fn is_true(comparison: &Comparison, now: &Values, arguments: &Values) -> bool {
    let measured = |value: &Value| match comparison.measure {
        Measure::Size => size(value).map(Value::from),
        Measure::Value | Measure::Kind => Some(value.clone()),
    };
    let held = field(now, comparison).and_then(measured);
    let operand = |operand: &Operand| match operand {
        Operand::Attribute(path) => path::found(now, path).cloned(),
        Operand::Parameter(name) => arguments.get(name).cloned(),
        Operand::Lent(lent) => arguments.get(&lent.argument()).cloned(),
        Operand::Literal(value) => Some(value.clone()),
    };
    let others: Vec<Option<Value>> = comparison.operands.iter().map(operand).collect();
    let ordering = |at: usize| {
        let other = others.get(at).and_then(Option::as_ref);
        held.as_ref().zip(other).map(|(one, two)| order(one, two))
    };
    let is = |at: usize, test: fn(Ordering) -> bool| ordering(at).is_some_and(test);
    let other = others.first().and_then(Option::as_ref);
    match comparison.comparator {
        Comparator::Exists => held.is_some(),
        Comparator::Missing => held.is_none(),
        Comparator::Equal | Comparator::In => held.is_some() && others.contains(&held),
        Comparator::Unequal => held.is_none() || held.as_ref() != other,
        Comparator::Less => is(0, Ordering::is_lt),
        Comparator::AtMost => is(0, Ordering::is_le),
        Comparator::Greater => is(0, Ordering::is_gt),
        Comparator::AtLeast => is(0, Ordering::is_ge),
        Comparator::Within => is(0, Ordering::is_ge) && is(1, Ordering::is_le),
        Comparator::Starts => match (&held, other) {
            (Some(Value::S(text)), Some(Value::S(start))) => text.starts_with(start.as_str()),
            _ => false,
        },
        Comparator::Contains => match (&held, other) {
            (Some(Value::S(text)), Some(Value::S(part))) => text.contains(part.as_str()),
            (Some(Value::L(all)), Some(one)) => all.contains(one),
            (Some(Value::Ss(set)), Some(Value::S(one))) => set.members().contains(one),
            (Some(Value::Ns(set)), Some(Value::N(one))) => set.members().contains(one),
            (Some(Value::Bs(set)), Some(Value::B(one))) => set.members().contains(one),
            _ => false,
        },
    }
}
