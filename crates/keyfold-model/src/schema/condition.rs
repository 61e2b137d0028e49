//! Conditions: comparisons joined by `and`, `or` and `not`, and the operands of comparisons.

use super::path::{Path, as_operand};
use crate::diagnostic::Span;
use crate::words::{Comparator, Measure};
use crate::written::{in_braces, is_word, written};
use keyfold_types::Value;
use std::fmt;

/// The source of a value in an assignment or condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A parameter of the pattern or write.
    Parameter(String),
    /// An attribute of the item, or a field inside it.
    Attribute(Path),
    /// An attribute of the entity of an earlier action; only in assignments of writes.
    Lent(Lent),
    /// A fixed value of the attribute's type.
    Literal(Value),
}

/// An attribute of the entity of an earlier action of the same write: as it is stored, or as it is
/// created or put. It always has a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Lent {
    /// The position of the action in the write.
    pub action: usize,
    /// The name of the action in the model: its alias, or its entity's name.
    pub name: String,
    /// The attribute.
    pub attribute: String,
}

impl Lent {
    /// The name of the value among the arguments of the action that takes it. No parameter has a
    /// colon in its name.
    pub fn argument(&self) -> String {
        format!("{}:{}", self.action, self.attribute)
    }
}

impl fmt::Display for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.name, written(&self.attribute))
    }
}

impl Operand {
    /// Whether it is this attribute, or this field inside an attribute.
    pub fn is_path(&self, path: &Path) -> bool {
        match self {
            Operand::Attribute(own) => own == path,
            Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_) => false,
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Attribute(path) => f.write_str(&as_operand(path)),
            Operand::Parameter(name) if is_word(name) => f.write_str(name),
            Operand::Parameter(name) => f.write_str(&in_braces(name)),
            Operand::Lent(lent) => lent.fmt(f),
            // Without quotes a text would read as a name.
            Operand::Literal(Value::S(text)) => write!(f, "\"{text}\""),
            Operand::Literal(value) => f.write_str(&crate::value::display(value)),
        }
    }
}

/// A comparison of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What of the attribute is compared.
    pub measure: Measure,
    /// The attribute; the table's type attribute where kinds are compared.
    pub attribute: String,
    /// The way to a field inside the attribute, which is a record or map; empty for the attribute
    /// itself.
    pub fields: Vec<String>,
    /// The comparator.
    pub comparator: Comparator,
    /// The values to compare with: none for `exists` and `missing`, two for a range, any number for
    /// a list, one for the others.
    pub operands: Vec<Operand>,
    /// Its place in the source.
    pub span: Span,
}

impl Comparison {
    /// A comparison of a whole attribute.
    pub(crate) fn of(
        attribute: &str,
        comparator: Comparator,
        operand: Option<Operand>,
        span: Span,
    ) -> Comparison {
        Comparison {
            measure: Measure::Value,
            attribute: attribute.to_owned(),
            fields: Vec::new(),
            comparator,
            operands: operand.into_iter().collect(),
            span,
        }
    }

    /// The path at its left.
    pub fn path(&self) -> Path {
        Path {
            attribute: self.attribute.clone(),
            fields: self.fields.clone(),
        }
    }

    /// The attributes that it looks at; one may appear twice.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        let others = self.operands.iter().filter_map(|operand| match operand {
            Operand::Attribute(path) => Some(path.attribute.as_str()),
            Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_) => None,
        });
        std::iter::once(self.attribute.as_str()).chain(others)
    }

    /// Whether it is false for an item that has no value at the end of the path.
    fn demands_path(&self, path: &Path) -> bool {
        let is_inside = |operand: &Operand| match operand {
            Operand::Attribute(own) => own.starts_with(path),
            Operand::Parameter(_) | Operand::Lent(_) | Operand::Literal(_) => false,
        };
        // One of several values is enough for `in`.
        let compares_all = self.comparator != Comparator::In || self.operands.len() == 1;
        let is_named =
            self.path().starts_with(path) || (compares_all && self.operands.iter().any(is_inside));
        is_named && self.comparator.implies_existence()
    }

    /// The parameters that it compares with.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.operands.iter().filter_map(|operand| match operand {
            Operand::Parameter(name) => Some(name.as_str()),
            Operand::Attribute(_) | Operand::Lent(_) | Operand::Literal(_) => None,
        })
    }

    /// What it compares, as the language writes it: `total`, `size(lines)`, `address.city`.
    pub fn subject(&self) -> String {
        match self.measure {
            Measure::Value => self.path().to_string(),
            Measure::Size => format!("size({})", self.path()),
            Measure::Kind => "kind".to_owned(),
        }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (subject, word) = (self.subject(), self.comparator.word());
        let text_of = |operand: &Operand| match (self.measure, operand) {
            (Measure::Kind, Operand::Literal(kind)) => crate::value::display(kind),
            (Measure::Value | Measure::Size | Measure::Kind, _) => operand.to_string(),
        };
        let shown: Vec<String> = self.operands.iter().map(text_of).collect();
        match self.comparator {
            Comparator::Exists | Comparator::Missing => write!(f, "{word} {subject}"),
            Comparator::In => write!(f, "{subject} {word} ({})", shown.join(", ")),
            Comparator::Within => write!(f, "{subject} {word} {}", shown.join("..")),
            Comparator::Equal
            | Comparator::Unequal
            | Comparator::Less
            | Comparator::AtMost
            | Comparator::Greater
            | Comparator::AtLeast
            | Comparator::Contains
            | Comparator::Starts => write!(f, "{subject} {word} {}", shown.join(", ")),
        }
    }
}

/// A condition on an item.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The comparison holds.
    Is(Comparison),
    /// The member does not hold.
    Not(Box<Condition>),
    /// All members hold.
    All(Vec<Condition>),
    /// At least one member holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// Its comparisons, from left to right.
    pub fn comparisons(&self) -> Vec<&Comparison> {
        match self {
            Condition::Is(comparison) => vec![comparison],
            Condition::Not(member) => member.comparisons(),
            Condition::All(members) | Condition::Any(members) => {
                members.iter().flat_map(Condition::comparisons).collect()
            }
        }
    }

    /// The attributes that it looks at; one may appear several times.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.comparisons()
            .into_iter()
            .flat_map(Comparison::attributes)
    }

    /// The parameters that it compares with.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.comparisons()
            .into_iter()
            .flat_map(Comparison::parameters)
    }

    /// Its place in the source, without surrounding words.
    pub fn span(&self) -> Span {
        match self.comparisons().as_slice() {
            [] => Span::default(),
            [one] => one.span,
            [first, .., last] => first.span.to(last.span),
        }
    }

    /// The condition without the comparisons that use an absent parameter; `None` when none remains.
    pub fn without(&self, is_absent: &dyn Fn(&str) -> bool) -> Option<Condition> {
        let remaining = |members: &[Condition]| -> Vec<Condition> {
            let kept = members
                .iter()
                .filter_map(|member| member.without(is_absent));
            kept.collect()
        };
        let joined = |mut members: Vec<Condition>, join: fn(Vec<Condition>) -> Condition| {
            if members.len() > 1 {
                return Some(join(members));
            }
            members.pop()
        };
        match self {
            Condition::Is(comparison) => {
                let is_kept = !comparison.parameters().any(is_absent);
                is_kept.then(|| self.clone())
            }
            Condition::Not(member) => Some(Condition::Not(Box::new(member.without(is_absent)?))),
            Condition::All(members) => joined(remaining(members), Condition::All),
            Condition::Any(members) => joined(remaining(members), Condition::Any),
        }
    }

    /// Whether the condition holds only for items that have the attribute.
    pub fn demands(&self, attribute: &str) -> bool {
        self.demands_path(&Path::of(attribute))
    }

    /// Whether the condition holds only for items that have a value at the end of the path.
    pub(crate) fn demands_path(&self, path: &Path) -> bool {
        // What lies inside the value is there only with the value.
        match self {
            Condition::Is(one) => one.demands_path(path),
            Condition::Not(member) => match &**member {
                Condition::Is(one) => {
                    one.path().starts_with(path) && one.comparator == Comparator::Missing
                }
                Condition::Not(member) => member.demands_path(path),
                Condition::All(_) | Condition::Any(_) => false,
            },
            Condition::All(members) => members.iter().any(|member| member.demands_path(path)),
            Condition::Any(members) => members.iter().all(|member| member.demands_path(path)),
        }
    }

    /// Whether the condition holds only for items in which the attribute has this value, as stored
    /// text.
    pub(crate) fn demands_value(&self, attribute: &str, value: &str) -> bool {
        match self {
            Condition::Is(one) => {
                let is_value = |operand: &Operand| matches!(operand, Operand::Literal(held) if crate::value::display(held) == value);
                one.attribute == attribute
                    && one.fields.is_empty()
                    && one.measure == Measure::Value
                    && matches!(one.comparator, Comparator::Equal | Comparator::In)
                    && one.operands.iter().all(is_value)
            }
            Condition::Not(_) => false,
            Condition::All(members) => {
                let mut all = members.iter();
                all.any(|member| member.demands_value(attribute, value))
            }
            Condition::Any(members) => {
                let mut all = members.iter();
                all.all(|member| member.demands_value(attribute, value))
            }
        }
    }

    /// The text of a member of a larger condition: in parentheses unless it is a comparison.
    fn member_text(&self) -> String {
        match self {
            Condition::Is(_) | Condition::Not(_) => self.to_string(),
            Condition::All(_) | Condition::Any(_) => format!("({self})"),
        }
    }
}

/// The text of conditions that all hold.
pub fn conjunction(conditions: &[Condition]) -> String {
    if let [one] = conditions {
        return one.to_string();
    }
    let texts: Vec<String> = conditions.iter().map(Condition::member_text).collect();
    texts.join(" and ")
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joined = |members: &[Condition], word: &str| {
            let texts: Vec<String> = members.iter().map(Condition::member_text).collect();
            texts.join(word)
        };
        match self {
            Condition::Is(comparison) => comparison.fmt(f),
            Condition::Not(member) => write!(f, "not {}", member.member_text()),
            Condition::All(members) => f.write_str(&joined(members, " and ")),
            Condition::Any(members) => f.write_str(&joined(members, " or ")),
        }
    }
}
