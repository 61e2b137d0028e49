//! Conditions, filters and changes as values, and their expressions with placeholders.

use crate::bound::{Bound, Other, Test};
use keyfold_api::ExpressionAttributes;
use keyfold_model::schema::{Comparator, Measure, Path};
use keyfold_types::{Number, Value};
use std::collections::BTreeMap;

/// A condition on an item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Term {
    /// The item has the attribute.
    Exists(String),
    /// The item does not have the attribute.
    Missing(String),
    /// The attribute has this value.
    Equal(String, Value),
    /// A condition of the model.
    Condition(Bound),
}

/// The new value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// A given value.
    Set(Value),
    /// The stored value of an attribute, or of a field inside it.
    Attribute(Path),
    /// One operand plus another.
    Sum(Box<Change>, Box<Change>),
    /// One operand minus another.
    Difference(Box<Change>, Box<Change>),
    /// The stored value, or this one where there is none.
    First(Value),
    /// The stored number plus this one; an absent attribute counts as zero.
    Add(Number),
    /// The stored list with this element appended; an absent attribute counts as empty.
    Append(Value),
    /// The stored list with this element before the others; an absent attribute counts as empty.
    Prepend(Value),
    /// The stored set with the elements of this one; an absent attribute counts as empty.
    Include(Value),
    /// The stored set without the elements of this one; the attribute goes with the last element.
    Exclude(Value),
    /// The stored record or map with another value of the field at the end of this way.
    Field(Vec<String>, Box<Change>),
}

/// The placeholders of the expressions of one request.
#[derive(Debug, Default)]
pub(crate) struct Placeholders {
    attributes: ExpressionAttributes,
    /// The numbers of the names' placeholders.
    names: BTreeMap<String, usize>,
    values: usize,
}

impl Placeholders {
    /// Returns the placeholder of a name, the same for the same name.
    pub(crate) fn name(&mut self, attribute: &str) -> String {
        let at = match self.names.get(attribute) {
            Some(at) => *at,
            None => {
                let at = self.names.len();
                self.names.insert(attribute.to_owned(), at);
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
            Term::Equal(attribute, value) => {
                let (attribute, value) = (self.name(attribute), self.value(value.clone()));
                format!("{attribute} = {value}")
            }
            Term::Condition(any @ Bound::Any(_)) => format!("({})", self.condition(any)),
            Term::Condition(other) => self.condition(other),
        }
    }

    /// The expression of a condition, without parentheses around it.
    fn condition(&mut self, condition: &Bound) -> String {
        match condition {
            Bound::Is(test) => self.test(test),
            Bound::Not(member) => format!("NOT ({})", self.condition(member)),
            Bound::All(members) => self.joined(members, " AND "),
            Bound::Any(members) => self.joined(members, " OR "),
        }
    }

    /// The members of a condition, each in parentheses unless it is a comparison or a negation.
    fn joined(&mut self, members: &[Bound], word: &str) -> String {
        let one = |member: &Bound| match member {
            Bound::Is(_) | Bound::Not(_) => self.condition(member),
            Bound::All(_) | Bound::Any(_) => format!("({})", self.condition(member)),
        };
        members.iter().map(one).collect::<Vec<_>>().join(word)
    }

    fn test(&mut self, test: &Test) -> String {
        let path = self.path(&test.path);
        let left = match test.measure {
            Measure::Size => format!("size({path})"),
            Measure::Value | Measure::Kind => path,
        };
        let right = test.operands.iter().map(|operand| match operand {
            Other::Value(value) => self.value(value.clone()),
            Other::Attribute(path) => self.path(path),
        });
        let right: Vec<String> = right.collect();
        match test.comparator {
            Comparator::Contains => format!("contains({left}, {})", right.concat()),
            Comparator::Starts => format!("begins_with({left}, {})", right.concat()),
            Comparator::Exists => format!("attribute_exists({left})"),
            Comparator::Missing => format!("attribute_not_exists({left})"),
            Comparator::In => format!("{left} IN ({})", right.join(", ")),
            Comparator::Within => format!("{left} BETWEEN {}", right.join(" AND ")),
            Comparator::Equal
            | Comparator::Unequal
            | Comparator::Less
            | Comparator::AtMost
            | Comparator::Greater
            | Comparator::AtLeast => {
                format!("{left} {} {}", test.comparator.word(), right.concat())
            }
        }
    }

    /// The update expression: `SET ... REMOVE ... ADD ... DELETE ...`.
    pub(crate) fn changes(&mut self, changes: &[(String, Change)], removed: &[Path]) -> String {
        let mut clauses = Vec::new();
        let (mut set, mut included, mut excluded) = (Vec::new(), Vec::new(), Vec::new());
        for (attribute, change) in changes {
            let name = self.target(attribute, change);
            let made = self.change(&name, change);
            match change {
                Change::Include(_) => included.push(format!("{name} {made}")),
                Change::Exclude(_) => excluded.push(format!("{name} {made}")),
                Change::Set(_)
                | Change::Attribute(_)
                | Change::Sum(..)
                | Change::Difference(..)
                | Change::First(_)
                | Change::Add(_)
                | Change::Append(_)
                | Change::Prepend(_)
                | Change::Field(..) => set.push(format!("{name} = {made}")),
            }
        }
        if !set.is_empty() {
            clauses.push(format!("SET {}", set.join(", ")));
        }
        let removed: Vec<String> = removed.iter().map(|path| self.path(path)).collect();
        if !removed.is_empty() {
            clauses.push(format!("REMOVE {}", removed.join(", ")));
        }
        if !included.is_empty() {
            clauses.push(format!("ADD {}", included.join(", ")));
        }
        if !excluded.is_empty() {
            clauses.push(format!("DELETE {}", excluded.join(", ")));
        }
        clauses.join(" ")
    }

    /// The place that a change writes: an attribute, or a field inside it.
    fn target(&mut self, attribute: &str, change: &Change) -> String {
        let mut target = self.name(attribute);
        if let Change::Field(fields, _) = change {
            self.add_fields(&mut target, fields);
        }
        target
    }

    /// The placeholders of a path, joined by points.
    fn path(&mut self, path: &Path) -> String {
        let mut made = self.name(&path.attribute);
        self.add_fields(&mut made, &path.fields);
        made
    }

    fn add_fields(&mut self, path: &mut String, fields: &[String]) {
        for field in fields {
            path.push_str(&format!(".{}", self.name(field)));
        }
    }

    /// The new value of what lies at `target`, the placeholders of its path.
    fn change(&mut self, target: &str, change: &Change) -> String {
        match change {
            Change::Set(value) | Change::Include(value) | Change::Exclude(value) => {
                self.value(value.clone())
            }
            Change::Field(_, change) => self.change(target, change),
            Change::Attribute(other) => self.path(other),
            Change::Sum(left, right) => {
                let (left, right) = (self.change(target, left), self.change(target, right));
                format!("{left} + {right}")
            }
            Change::Difference(left, right) => {
                let (left, right) = (self.change(target, left), self.change(target, right));
                format!("{left} - {right}")
            }
            Change::First(value) => {
                let value = self.value(value.clone());
                format!("if_not_exists({target}, {value})")
            }
            Change::Add(number) => {
                let zero = self.value(Value::from(0));
                format!(
                    "if_not_exists({target}, {zero}) + {}",
                    self.value(Value::N(*number))
                )
            }
            Change::Append(value) => {
                let nothing = self.value(Value::L(Vec::new()));
                let one = self.value(Value::L(vec![value.clone()]));
                format!("list_append(if_not_exists({target}, {nothing}), {one})")
            }
            Change::Prepend(value) => {
                let nothing = self.value(Value::L(Vec::new()));
                let one = self.value(Value::L(vec![value.clone()]));
                format!("list_append({one}, if_not_exists({target}, {nothing}))")
            }
        }
    }
}
