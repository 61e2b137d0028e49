//! Types of attributes.

use crate::period::{Precision, Unit};
use crate::written::{one, written};
use keyfold_types::KeyKind;

/// Deepest nesting of a type: DynamoDB's items have at most 32 levels.
pub(crate) const TYPE_DEPTH_MAX: usize = 30;

/// The type of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// Text.
    String,
    /// A whole number.
    Int,
    /// A decimal number.
    Number,
    /// True or false.
    Bool,
    /// A point in time, stored as UTC text of fixed width.
    Time(Precision),
    /// A day, stored as text.
    Date,
    /// An hour, day, month or year, as text. Only parameters have this type.
    Period(Unit),
    /// Bytes; base64 where text is needed.
    Binary,
    /// An identifier of 26 characters, sorted by the time of its creation.
    Ulid,
    /// An identifier of 36 characters, in no order.
    Uuid,
    /// One of these words.
    Words(Vec<String>),
    /// A list of values.
    List(Box<Type>),
    /// Values with names as keys.
    Map(Box<Type>),
    /// Distinct texts, numbers or binary values, without an order.
    Set(Box<Type>),
    /// Named fields.
    Record(Record),
}

/// A nested type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// The name, type and optionality of each field.
    pub fields: Vec<(String, Type, bool)>,
    /// The fields that refer to attributes of entities: field, and the names of the entity and the
    /// attribute.
    pub refers: Vec<(String, (String, String))>,
}

impl Type {
    /// The type with the fields of its records, and with its words in the order of the alphabet: types
    /// whose texts are equal store the same values.
    pub fn in_full(&self) -> String {
        match self {
            Type::List(of) => format!("list of {}", of.in_full()),
            Type::Map(of) => format!("map of {}", of.in_full()),
            // A reference changes no stored value.
            Type::Record(Record {
                name,
                fields,
                refers: _,
            }) => {
                let one = |(name, kind, optional): &(String, Type, bool)| {
                    let mark = if *optional { "?" } else { "" };
                    format!("{name}: {}{mark}", kind.in_full())
                };
                let fields: Vec<String> = fields.iter().map(one).collect();
                format!("{name} {{{}}}", fields.join(", "))
            }
            Type::Words(words) => {
                let mut sorted = words.clone();
                sorted.sort();
                sorted.join(" | ")
            }
            Type::String
            | Type::Int
            | Type::Number
            | Type::Bool
            | Type::Time(_)
            | Type::Date
            | Type::Period(_)
            | Type::Binary
            | Type::Ulid
            | Type::Uuid
            // The elements of a set have no parts.
            | Type::Set(_) => self.to_string(),
        }
    }

    /// The type with its article, for people: `an int`, `a list of string`.
    pub(crate) fn with_article(&self) -> String {
        let article = match self {
            Type::Words(_) => "one of",
            Type::Int | Type::Period(Unit::Hour) => "an",
            Type::Record(record) => return one(&record.name),
            Type::String
            | Type::Number
            | Type::Bool
            | Type::Time(_)
            | Type::Date
            | Type::Period(_)
            | Type::Binary
            | Type::Ulid
            | Type::Uuid
            | Type::List(_)
            | Type::Map(_)
            | Type::Set(_) => "a",
        };
        format!("{article} {self}")
    }

    /// The type of a key attribute that holds it; `None` where no key holds it as it is.
    pub(crate) fn key_kind(&self) -> Option<KeyKind> {
        if self.is_text() {
            Some(KeyKind::S)
        } else if self.is_number() {
            Some(KeyKind::N)
        } else {
            (*self == Type::Binary).then_some(KeyKind::B)
        }
    }

    /// Whether values are stored as text.
    pub fn is_text(&self) -> bool {
        matches!(
            self,
            Type::String
                | Type::Time(_)
                | Type::Date
                | Type::Period(_)
                | Type::Ulid
                | Type::Uuid
                | Type::Words(_)
        )
    }

    /// The type of a field of a record or an entry of a map, and whether it may be missing; `None`
    /// for other types, and where a record has no such field.
    pub fn field(&self, name: &str) -> Option<(&Type, bool)> {
        match self {
            Type::Record(record) => {
                let mut fields = record.fields.iter();
                let (_, kind, optional) = fields.find(|(field, ..)| field == name)?;
                Some((kind, *optional))
            }
            Type::Map(of) => Some((of, true)),
            Type::String
            | Type::Int
            | Type::Number
            | Type::Bool
            | Type::Time(_)
            | Type::Date
            | Type::Period(_)
            | Type::Binary
            | Type::Ulid
            | Type::Uuid
            | Type::Words(_)
            | Type::List(_)
            | Type::Set(_) => None,
        }
    }

    /// Whether values are stored as numbers.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Number)
    }

    /// Whether values can be compared by `<`.
    pub(crate) fn has_order(&self) -> bool {
        self.is_text() || self.is_number() || *self == Type::Binary
    }

    /// Whether the order of values is the order of time.
    pub fn is_time(&self) -> bool {
        matches!(
            self,
            Type::Time(_) | Type::Date | Type::Ulid | Type::Period(_)
        )
    }

    /// Whether each value lies in one period of the unit: times do, and dates unless the unit is
    /// shorter than a day.
    pub(crate) fn has_period(&self, unit: Unit) -> bool {
        matches!(self, Type::Time(_)) || (*self == Type::Date && unit >= Unit::Day)
    }

    /// Whether values can stand inside a key text.
    pub(crate) fn fits_key(&self) -> bool {
        self.is_text() || self.is_number() || *self == Type::Bool
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::String => f.write_str("string"),
            Type::Int => f.write_str("int"),
            Type::Number => f.write_str("number"),
            Type::Bool => f.write_str("bool"),
            Type::Time(Precision::Millis) => f.write_str("time"),
            Type::Time(precision) => write!(f, "time({})", precision.word()),
            Type::Date => f.write_str("date"),
            Type::Period(unit) => f.write_str(unit.word()),
            Type::Binary => f.write_str("binary"),
            Type::Ulid => f.write_str("ulid"),
            Type::Uuid => f.write_str("uuid"),
            Type::Words(words) => {
                let words: Vec<String> = words.iter().map(|word| written(word)).collect();
                f.write_str(&words.join(" | "))
            }
            Type::List(of) => write!(f, "list of {of}"),
            Type::Map(of) => write!(f, "map of {of}"),
            Type::Set(of) => write!(f, "set of {of}"),
            Type::Record(record) => f.write_str(&record.name),
        }
    }
}
