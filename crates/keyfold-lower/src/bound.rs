//! Conditions of the model with the values of their parameters, and their judgement on an entity's
//! attributes.

use crate::arguments::Values;
use crate::error::ClientError;
use keyfold_model::Operand;
use keyfold_model::schema::{Comparator, Comparison, Condition, Measure, Path};
use keyfold_types::{Number, Value};
use std::cmp::Ordering;

/// A condition whose parameters have values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Bound {
    /// The comparison holds.
    Is(Test),
    /// The member does not hold.
    Not(Box<Bound>),
    /// All members hold.
    All(Vec<Bound>),
    /// At least one member holds.
    Any(Vec<Bound>),
}

/// A comparison whose parameters have values. It is no range: [`bind`] makes two of one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Test {
    pub(crate) measure: Measure,
    pub(crate) path: Path,
    pub(crate) comparator: Comparator,
    pub(crate) operands: Vec<Other>,
}

/// The right side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Other {
    /// A given value.
    Value(Value),
    /// An attribute of the item, or a field inside it.
    Attribute(Path),
}

/// Gives the parameters of a condition their values.
///
/// # Errors
/// `Missing` when a parameter has no value.
pub(crate) fn bind(condition: &Condition, arguments: &Values) -> Result<Bound, ClientError> {
    let all = |members: &[Condition]| {
        let members = members.iter().map(|member| bind(member, arguments));
        members.collect::<Result<Vec<_>, _>>()
    };
    Ok(match condition {
        Condition::Is(comparison) => one(test(comparison, arguments)?),
        Condition::Not(member) => Bound::Not(Box::new(bind(member, arguments)?)),
        Condition::All(members) => Bound::All(all(members)?),
        Condition::Any(members) => Bound::Any(all(members)?),
    })
}

/// The condition of one comparison. A range is two, since BETWEEN refuses a range whose upper end is
/// below the lower one.
fn one(test: Test) -> Bound {
    let end = |comparator: Comparator, at: usize| {
        let operand = test.operands.get(at).cloned();
        Bound::Is(Test {
            comparator,
            operands: operand.into_iter().collect(),
            ..test.clone()
        })
    };
    if test.comparator == Comparator::Within {
        return Bound::All(vec![
            end(Comparator::AtLeast, 0),
            end(Comparator::AtMost, 1),
        ]);
    }
    Bound::Is(test)
}

fn test(comparison: &Comparison, arguments: &Values) -> Result<Test, ClientError> {
    let operand = |operand: &Operand| {
        Ok(match operand {
            Operand::Attribute(path) => Other::Attribute(path.clone()),
            Operand::Literal(value) => Other::Value(value.clone()),
            Operand::Parameter(name) => {
                let held = arguments.get(name).cloned();
                let missing = || ClientError::missing("the condition", name);
                Other::Value(held.ok_or_else(missing)?)
            }
            Operand::Lent(lent) => {
                let held = arguments.get(&lent.argument()).cloned();
                let missing = || ClientError::missing("the condition", &lent.to_string());
                Other::Value(held.ok_or_else(missing)?)
            }
        })
    };
    Ok(Test {
        measure: comparison.measure,
        path: comparison.path(),
        comparator: comparison.comparator,
        operands: comparison
            .operands
            .iter()
            .map(operand)
            .collect::<Result<_, ClientError>>()?,
    })
}

impl Bound {
    /// Whether the condition holds for these attributes.
    pub(crate) fn holds(&self, values: &Values) -> bool {
        match self {
            Bound::Is(test) => test.holds(values),
            Bound::Not(member) => !member.holds(values),
            Bound::All(members) => members.iter().all(|member| member.holds(values)),
            Bound::Any(members) => members.iter().any(|member| member.holds(values)),
        }
    }
}

impl Test {
    /// The paths that the comparison looks at.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let operands = self.operands.iter().filter_map(|one| match one {
            Other::Attribute(path) => Some(path),
            Other::Value(_) => None,
        });
        std::iter::once(&self.path).chain(operands)
    }

    /// The value at the left; `None` where the attribute or field is absent, or has no size.
    fn left(&self, values: &Values) -> Option<Value> {
        let held = self.path.value_in(values)?;
        match self.measure {
            Measure::Value | Measure::Kind => Some(held.clone()),
            Measure::Size => size(held),
        }
    }

    fn holds(&self, values: &Values) -> bool {
        let left = self.left(values);
        match self.comparator {
            Comparator::Exists => return left.is_some(),
            Comparator::Missing => return left.is_none(),
            Comparator::Equal
            | Comparator::Unequal
            | Comparator::Less
            | Comparator::AtMost
            | Comparator::Greater
            | Comparator::AtLeast
            | Comparator::Contains
            | Comparator::Starts
            | Comparator::In
            | Comparator::Within => {}
        }
        let right: Vec<Option<&Value>> = self
            .operands
            .iter()
            .map(|operand| match operand {
                Other::Value(value) => Some(value),
                Other::Attribute(path) => path.value_in(values),
            })
            .collect();
        let left = left.as_ref();
        let first = right.first().copied().flatten();
        match self.comparator {
            Comparator::In => {
                let is_equal = |one: &Option<&Value>| compare(left, Comparator::Equal, *one);
                right.iter().any(is_equal)
            }
            Comparator::Equal
            | Comparator::Unequal
            | Comparator::Less
            | Comparator::AtMost
            | Comparator::Greater
            | Comparator::AtLeast
            | Comparator::Contains
            | Comparator::Starts
            | Comparator::Exists
            | Comparator::Missing
            | Comparator::Within => compare(left, self.comparator, first),
        }
    }
}

/// Whether two values compare. A comparison with an absent one is false, except that it differs.
fn compare(left: Option<&Value>, comparator: Comparator, right: Option<&Value>) -> bool {
    let (Some(left), Some(right)) = (left, right) else {
        return comparator == Comparator::Unequal;
    };
    let order = order(left, right);
    match comparator {
        Comparator::Equal | Comparator::In => left == right,
        Comparator::Unequal => left != right,
        Comparator::Less => order.is_some_and(Ordering::is_lt),
        Comparator::AtMost => order.is_some_and(Ordering::is_le),
        Comparator::Greater => order.is_some_and(Ordering::is_gt),
        Comparator::AtLeast | Comparator::Within => order.is_some_and(Ordering::is_ge),
        Comparator::Contains => contains(left, right),
        Comparator::Starts => match (left, right) {
            (Value::S(text), Value::S(start)) => text.starts_with(start.as_str()),
            _ => false,
        },
        Comparator::Exists => true,
        Comparator::Missing => false,
    }
}

fn contains(container: &Value, part: &Value) -> bool {
    match (container, part) {
        (Value::S(text), Value::S(part)) => text.contains(part.as_str()),
        (Value::L(values), part) => values.contains(part),
        (Value::Ss(set), Value::S(part)) => set.members().contains(part),
        (Value::Ns(set), Value::N(part)) => set.members().contains(part),
        (Value::Bs(set), Value::B(part)) => set.members().contains(part),
        _ => false,
    }
}

/// The size of a value as DynamoDB counts it: UTF-16 units of a text, bytes, or elements.
fn size(value: &Value) -> Option<Value> {
    let size = match value {
        Value::S(text) => text.encode_utf16().count(),
        Value::B(bytes) => bytes.len(),
        Value::L(values) => values.len(),
        Value::M(map) => map.iter().count(),
        Value::Ss(set) => set.members().len(),
        Value::Ns(set) => set.members().len(),
        Value::Bs(set) => set.members().len(),
        Value::N(_) | Value::Bool(_) | Value::Null => return None,
    };
    let size = u64::try_from(size).ok()?;
    Some(Value::N(Number::from(size)))
}

/// The order of two texts, numbers or binary values; `None` for other types.
pub fn order(one: &Value, two: &Value) -> Option<std::cmp::Ordering> {
    match (one, two) {
        (Value::S(one), Value::S(two)) => Some(one.as_bytes().cmp(two.as_bytes())),
        (Value::N(one), Value::N(two)) => Some(one.cmp(two)),
        (Value::B(one), Value::B(two)) => Some(one.cmp(two)),
        _ => None,
    }
}
