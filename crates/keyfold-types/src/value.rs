//! The ten attribute types.
//!
//! Maps and sets have one canonical order (names and members ascending), so equal values have equal
//! encodings.

use crate::number::{Number, NumberError};
use std::collections::BTreeMap;

/// One attribute value.
///
/// Source: "Supported data types and naming rules".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// UTF-8 text; may be empty unless it is a key.
    S(String),
    /// A decimal number.
    N(Number),
    /// Bytes; may be empty unless it is a key.
    B(Vec<u8>),
    /// True or false.
    Bool(bool),
    /// The null value. It exists, unlike a missing attribute.
    Null,
    /// Values of any types in order; may be empty.
    L(Vec<Value>),
    /// Values by name; may be empty.
    M(BTreeMap<String, Value>),
    /// Distinct texts, at least one.
    Ss(Set<String>),
    /// Distinct numbers, at least one.
    Ns(Set<Number>),
    /// Distinct byte strings, at least one.
    Bs(Set<Vec<u8>>),
}

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// Boolean.
    Bool,
    /// Null.
    Null,
    /// List.
    L,
    /// Map.
    M,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
}

impl ValueKind {
    /// Every kind, once.
    const ALL: [ValueKind; 10] = [
        ValueKind::S,
        ValueKind::N,
        ValueKind::B,
        ValueKind::Bool,
        ValueKind::Null,
        ValueKind::L,
        ValueKind::M,
        ValueKind::Ss,
        ValueKind::Ns,
        ValueKind::Bs,
    ];

    /// The type descriptor of the API: `S`, `N`, …
    pub fn descriptor(self) -> &'static str {
        match self {
            ValueKind::S => "S",
            ValueKind::N => "N",
            ValueKind::B => "B",
            ValueKind::Bool => "BOOL",
            ValueKind::Null => "NULL",
            ValueKind::L => "L",
            ValueKind::M => "M",
            ValueKind::Ss => "SS",
            ValueKind::Ns => "NS",
            ValueKind::Bs => "BS",
        }
    }

    /// The long name that some update messages use: `STRING`, `NUMBER`, …
    pub fn long_name(self) -> &'static str {
        match self {
            ValueKind::S => "STRING",
            ValueKind::N => "NUMBER",
            ValueKind::B => "BINARY",
            ValueKind::Bool => "BOOLEAN",
            ValueKind::Null => "NULL",
            ValueKind::L => "LIST",
            ValueKind::M => "MAP",
            ValueKind::Ss => "STRING_SET",
            ValueKind::Ns => "NUMBER_SET",
            ValueKind::Bs => "BINARY_SET",
        }
    }

    /// The kind of a type descriptor; `None` for other texts.
    pub fn from_descriptor(text: &str) -> Option<ValueKind> {
        ValueKind::ALL
            .into_iter()
            .find(|kind| kind.descriptor() == text)
    }

    /// Whether values of this kind have an order (`<`, `BETWEEN`).
    pub fn is_ordered(self) -> bool {
        matches!(self, ValueKind::S | ValueKind::N | ValueKind::B)
    }

    /// Whether this is one of the three set kinds.
    pub fn is_set(self) -> bool {
        matches!(self, ValueKind::Ss | ValueKind::Ns | ValueKind::Bs)
    }
}

/// The reason why a list of members is no set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SetError {
    /// There is no member.
    #[error("a set may not be empty")]
    Empty,
    /// A member is there twice.
    #[error("a set may not contain duplicates")]
    Duplicate,
}

/// Distinct members in ascending order, never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set<T> {
    members: Vec<T>,
}

impl<T: Ord> Set<T> {
    /// A set of the members, in any order.
    ///
    /// # Errors
    /// `Empty` without members, `Duplicate` with a member twice.
    pub fn new(mut members: Vec<T>) -> Result<Set<T>, SetError> {
        if members.is_empty() {
            return Err(SetError::Empty);
        }
        members.sort_unstable();
        if members.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err(SetError::Duplicate);
        }
        Ok(Set { members })
    }

    /// The members, ascending.
    pub fn members(&self) -> &[T] {
        &self.members
    }

    /// The members of either set.
    pub fn union(mut self, other: Set<T>) -> Set<T> {
        self.members.extend(other.members);
        self.members.sort_unstable();
        self.members.dedup();
        self
    }

    /// The members that `other` lacks; `None` when there are none.
    pub fn difference(mut self, other: &Set<T>) -> Option<Set<T>> {
        self.members
            .retain(|member| other.members.binary_search(member).is_err());
        if self.members.is_empty() {
            None
        } else {
            Some(self)
        }
    }
}

impl Value {
    /// A number value from its text.
    ///
    /// # Errors
    /// As parsing a [`Number`].
    pub fn n(text: &str) -> Result<Value, NumberError> {
        text.parse().map(Value::N)
    }

    /// The value's type.
    pub fn kind(&self) -> ValueKind {
        match self {
            Value::S(_) => ValueKind::S,
            Value::N(_) => ValueKind::N,
            Value::B(_) => ValueKind::B,
            Value::Bool(_) => ValueKind::Bool,
            Value::Null => ValueKind::Null,
            Value::L(_) => ValueKind::L,
            Value::M(_) => ValueKind::M,
            Value::Ss(_) => ValueKind::Ss,
            Value::Ns(_) => ValueKind::Ns,
            Value::Bs(_) => ValueKind::Bs,
        }
    }

    /// Size in bytes as DynamoDB counts it.
    ///
    /// Source: "DynamoDB item sizes and formats".
    pub fn size_bytes(&self) -> u64 {
        match self {
            Value::S(text) => text.len() as u64,
            Value::N(number) => number.size_bytes(),
            Value::B(bytes) => bytes.len() as u64,
            Value::Bool(_) | Value::Null => 1,
            Value::L(values) => {
                3 + values
                    .iter()
                    .map(|value| value.size_bytes() + 1)
                    .sum::<u64>()
            }
            Value::M(map) => {
                3 + map
                    .iter()
                    .map(|(name, value)| name.len() as u64 + value.size_bytes() + 1)
                    .sum::<u64>()
            }
            Value::Ss(set) => set.members().iter().map(|text| text.len() as u64).sum(),
            Value::Ns(set) => set.members().iter().map(Number::size_bytes).sum(),
            Value::Bs(set) => set.members().iter().map(|bytes| bytes.len() as u64).sum(),
        }
    }

    /// Levels of lists and maps: 0 for a scalar or set, 1 for a list of scalars.
    pub fn depth(&self) -> usize {
        match self {
            Value::L(values) => 1 + values.iter().map(Value::depth).max().unwrap_or(0),
            Value::M(map) => 1 + map.values().map(Value::depth).max().unwrap_or(0),
            Value::S(_) | Value::N(_) | Value::B(_) | Value::Bool(_) | Value::Null => 0,
            Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => 0,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::S(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::S(text)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::N(Number::from(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_the_documented_example() {
        // shirt-color = "R", shirt-size = "M" is 23 bytes.
        let item: crate::Item = [
            ("shirt-color", Value::from("R")),
            ("shirt-size", Value::from("M")),
        ]
        .into_iter()
        .collect();
        assert_eq!(item.size_bytes(), 23);
        assert_eq!(Value::L(vec![]).size_bytes(), 3);
        assert_eq!(
            Value::L(vec![Value::Null, Value::from("ab")]).size_bytes(),
            3 + 2 + 3
        );
    }

    #[test]
    fn sets_are_distinct_and_never_empty() {
        assert_eq!(Set::<String>::new(vec![]), Err(SetError::Empty));
        assert_eq!(Set::new(vec!["a", "a"]), Err(SetError::Duplicate));
        let one = Set::new(vec!["b", "a"]).unwrap();
        assert_eq!(one.members(), ["a", "b"]);
        assert_eq!(one.clone().difference(&one), None);
        assert_eq!(
            one.union(Set::new(vec!["a", "c"]).unwrap()).members(),
            ["a", "b", "c"]
        );
    }
}
