//! Conditions, filters and changes as values, and their expressions with placeholders.

use crate::arguments::Values;
use crate::error::ClientError;
use keyfold_api::ExpressionAttributes;
use keyfold_model::Operand;
use keyfold_model::schema::{Comparator, Comparison};
use keyfold_types::{Number, Value};

/// A condition on an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    /// The item has the attribute.
    Exists(String),
    /// The item does not have the attribute.
    Missing(String),
    /// The attribute compares with a value.
    Compare(String, Comparator, Value),
    /// The attribute compares with another one.
    CompareAttribute(String, Comparator, String),
}

/// The new value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// A given value.
    Set(Value),
    /// The value of another attribute.
    Attribute(String),
    /// One operand plus another.
    Sum(Box<Change>, Box<Change>),
    /// One operand minus another.
    Difference(Box<Change>, Box<Change>),
    /// The stored number plus this one; an absent attribute counts as zero.
    Add(Number),
    /// The stored list with this element appended; an absent attribute counts as empty.
    Append(Value),
}

/// The placeholders of the expressions of one request.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    attributes: ExpressionAttributes,
    names: Vec<String>,
    values: usize,
}

impl Placeholders {
    /// Returns the placeholder of a name, the same for the same name.
    pub(crate) fn name(&mut self, attribute: &str) -> String {
        let at = match self.names.iter().position(|known| known == attribute) {
            Some(at) => at,
            None => {
                self.names.push(attribute.to_owned());
                let at = self.names.len() - 1;
                self.attributes =
                    std::mem::take(&mut self.attributes).name(format!("#n{at}"), attribute);
                at
            }
        };
        format!("#n{at}")
    }

    /// Returns a new placeholder of a value.
    pub(crate) fn value(&mut self, value: Value) -> String {
        let placeholder = format!(":v{}", self.values);
        self.values += 1;
        self.attributes = std::mem::take(&mut self.attributes).value(&placeholder, value);
        placeholder
    }

    pub(crate) fn finish(self) -> ExpressionAttributes {
        self.attributes
    }

    /// The terms joined by AND; `None` for no terms.
    pub(crate) fn terms(&mut self, terms: &[Term]) -> Option<String> {
        let written: Vec<String> = terms.iter().map(|term| self.term(term)).collect();
        (!written.is_empty()).then(|| written.join(" AND "))
    }

    fn term(&mut self, term: &Term) -> String {
        match term {
            Term::Exists(attribute) => format!("attribute_exists({})", self.name(attribute)),
            Term::Missing(attribute) => format!("attribute_not_exists({})", self.name(attribute)),
            Term::Compare(attribute, comparator, value) => {
                let (attribute, value) = (self.name(attribute), self.value(value.clone()));
                comparison(&attribute, *comparator, &value)
            }
            Term::CompareAttribute(attribute, comparator, other) => {
                let (attribute, other) = (self.name(attribute), self.name(other));
                comparison(&attribute, *comparator, &other)
            }
        }
    }

    /// The update expression: `SET ... REMOVE ...`.
    pub(crate) fn changes(&mut self, changes: &[(String, Change)], removed: &[String]) -> String {
        let mut clauses = Vec::new();
        let set: Vec<String> = changes
            .iter()
            .map(|(attribute, change)| {
                format!(
                    "{} = {}",
                    self.name(attribute),
                    self.change(attribute, change)
                )
            })
            .collect();
        if !set.is_empty() {
            clauses.push(format!("SET {}", set.join(", ")));
        }
        let removed: Vec<String> = removed
            .iter()
            .map(|attribute| self.name(attribute))
            .collect();
        if !removed.is_empty() {
            clauses.push(format!("REMOVE {}", removed.join(", ")));
        }
        clauses.join(" ")
    }

    fn change(&mut self, attribute: &str, change: &Change) -> String {
        match change {
            Change::Set(value) => self.value(value.clone()),
            Change::Attribute(other) => self.name(other),
            Change::Sum(left, right) => {
                let (left, right) = (self.change(attribute, left), self.change(attribute, right));
                format!("{left} + {right}")
            }
            Change::Difference(left, right) => {
                let (left, right) = (self.change(attribute, left), self.change(attribute, right));
                format!("{left} - {right}")
            }
            Change::Add(number) => {
                let (name, zero) = (self.name(attribute), self.value(Value::from(0)));
                format!(
                    "if_not_exists({name}, {zero}) + {}",
                    self.value(Value::N(*number))
                )
            }
            Change::Append(value) => {
                let (name, nothing) = (self.name(attribute), self.value(Value::L(Vec::new())));
                let one = self.value(Value::L(vec![value.clone()]));
                format!("list_append(if_not_exists({name}, {nothing}), {one})")
            }
        }
    }
}

fn comparison(left: &str, comparator: Comparator, right: &str) -> String {
    match comparator {
        Comparator::Contains => format!("contains({left}, {right})"),
        Comparator::Starts => format!("begins_with({left}, {right})"),
        Comparator::Exists => format!("attribute_exists({left})"),
        Comparator::Missing => format!("attribute_not_exists({left})"),
        Comparator::Equal
        | Comparator::Unequal
        | Comparator::Less
        | Comparator::AtMost
        | Comparator::Greater
        | Comparator::AtLeast => format!("{left} {} {right}", comparator.word()),
    }
}

/// Returns a comparison of the model as a term, with the value of its parameter.
///
/// # Errors
/// `Missing` when a parameter has no value.
pub(crate) fn term(comparison: &Comparison, arguments: &Values) -> Result<Term, ClientError> {
    let attribute = comparison.attribute.clone();
    let comparator = comparison.comparator;
    Ok(match &comparison.operand {
        _ if comparator == Comparator::Missing => Term::Missing(attribute),
        None => Term::Exists(attribute),
        Some(Operand::Attribute(other)) => {
            Term::CompareAttribute(attribute, comparator, other.clone())
        }
        Some(Operand::Parameter(name)) => {
            let held = arguments.get(name).cloned();
            let held = held.ok_or_else(|| ClientError::Missing(format!("{name}=… is missing")))?;
            Term::Compare(attribute, comparator, held)
        }
        Some(Operand::Literal(value)) => Term::Compare(attribute, comparator, value.clone()),
    })
}

/// Whether a term holds for these values.
pub(crate) fn holds(term: &Term, values: &Values) -> bool {
    let compare = |left: Option<&Value>, comparator: Comparator, right: Option<&Value>| {
        let (Some(left), Some(right)) = (left, right) else {
            return comparator == Comparator::Unequal;
        };
        let order = order(left, right);
        match comparator {
            Comparator::Equal => left == right,
            Comparator::Unequal => left != right,
            Comparator::Less => order.is_some_and(std::cmp::Ordering::is_lt),
            Comparator::AtMost => order.is_some_and(std::cmp::Ordering::is_le),
            Comparator::Greater => order.is_some_and(std::cmp::Ordering::is_gt),
            Comparator::AtLeast => order.is_some_and(std::cmp::Ordering::is_ge),
            Comparator::Contains => contains(left, right),
            Comparator::Starts => match (left, right) {
                (Value::S(text), Value::S(start)) => text.starts_with(start.as_str()),
                _ => false,
            },
            Comparator::Exists => true,
            Comparator::Missing => false,
        }
    };
    match term {
        Term::Exists(attribute) => values.contains_key(attribute),
        Term::Missing(attribute) => !values.contains_key(attribute),
        Term::Compare(attribute, comparator, value) => {
            compare(values.get(attribute), *comparator, Some(value))
        }
        Term::CompareAttribute(attribute, comparator, other) => {
            compare(values.get(attribute), *comparator, values.get(other))
        }
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

/// The order of two texts, numbers or binary values; `None` for other types.
pub(crate) fn order(one: &Value, two: &Value) -> Option<std::cmp::Ordering> {
    match (one, two) {
        (Value::S(one), Value::S(two)) => Some(one.as_bytes().cmp(two.as_bytes())),
        (Value::N(one), Value::N(two)) => Some(one.cmp(two)),
        (Value::B(one), Value::B(two)) => Some(one.cmp(two)),
        _ => None,
    }
}
