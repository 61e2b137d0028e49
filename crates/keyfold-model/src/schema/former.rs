//! Values of items of an earlier version: how the value of an attribute follows from the attributes that such
//! an item holds.

use std::fmt;

/// How the value of an attribute follows from those that items of an earlier version hold. The names are
/// those of that version: only the comparison of two models knows whether there are such attributes.
#[derive(Debug, Clone, PartialEq)]
pub enum Former {
    /// A text of attributes, which is read as a value of the attribute's type.
    Text(Vec<FormerPart>),
    /// The value that stands for that of another attribute.
    Words {
        /// The other attribute.
        of: String,
        /// Its values as texts, each with the one that stands for it.
        words: Vec<(String, String)>,
        /// What stands for all others; without it they stay as they are.
        other: Option<String>,
    },
    /// A value for the items of each of several entities that become one.
    Entities(Vec<(String, String)>),
    /// Numbers, calculated from left to right.
    Number {
        /// The first one.
        first: FormerNumber,
        /// The others, each with its sign.
        rest: Vec<(FormerSign, FormerNumber)>,
    },
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormerPart {
    /// A fixed text.
    Text(String),
    /// The value of an attribute, with its formats.
    Field {
        /// The attribute.
        name: String,
        /// The words of its formats, as in keys.
        formats: Vec<String>,
    },
}

/// A number of a calculation.
#[derive(Debug, Clone, PartialEq)]
pub enum FormerNumber {
    /// The value of an attribute.
    Attribute(String),
    /// A fixed number.
    Fixed(keyfold_types::Number),
}

/// What is done with a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormerSign {
    /// It is added.
    Plus,
    /// It is subtracted.
    Minus,
    /// It multiplies.
    Times,
}

impl FormerSign {
    /// The sign as it is written.
    pub fn sign(self) -> &'static str {
        match self {
            FormerSign::Plus => "+",
            FormerSign::Minus => "-",
            FormerSign::Times => "*",
        }
    }
}

impl Former {
    /// The attributes of the earlier version that it is made of.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Former::Text(parts) => parts.iter().filter_map(FormerPart::name).collect(),
            Former::Words { of, .. } => vec![of],
            Former::Entities(_) => Vec::new(),
            Former::Number { first, rest } => {
                let all = std::iter::once(first).chain(rest.iter().map(|(_, one)| one));
                all.filter_map(FormerNumber::name).collect()
            }
        }
    }
}

impl FormerPart {
    fn name(&self) -> Option<&str> {
        match self {
            FormerPart::Text(_) => None,
            FormerPart::Field { name, .. } => Some(name),
        }
    }
}

impl FormerNumber {
    fn name(&self) -> Option<&str> {
        match self {
            FormerNumber::Attribute(name) => Some(name),
            FormerNumber::Fixed(_) => None,
        }
    }
}

impl fmt::Display for FormerNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormerNumber::Attribute(name) => f.write_str(name),
            FormerNumber::Fixed(number) => write!(f, "{number}"),
        }
    }
}

/// As it is written in the model.
impl fmt::Display for Former {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Former::Text(parts) => {
                f.write_str("\"")?;
                for part in parts {
                    match part {
                        FormerPart::Text(text) => f.write_str(text)?,
                        FormerPart::Field { name, formats } => {
                            write!(f, "{{{name}")?;
                            formats.iter().try_for_each(|one| write!(f, ":{one}"))?;
                            f.write_str("}")?;
                        }
                    }
                }
                f.write_str("\"")
            }
            Former::Words { of, words, other } => {
                let words = words.iter().map(|(one, two)| format!("{one} = {two}"));
                let other = other.iter().map(|one| format!("else {one}"));
                let all: Vec<String> = words.chain(other).collect();
                write!(f, "{of} ({})", all.join(", "))
            }
            Former::Entities(words) => {
                let words = words.iter().map(|(one, two)| format!("{one} = {two}"));
                write!(f, "({})", words.collect::<Vec<_>>().join(", "))
            }
            Former::Number { first, rest } => {
                write!(f, "{first}")?;
                let mut rest = rest.iter();
                rest.try_for_each(|(sign, one)| write!(f, " {} {one}", sign.sign()))
            }
        }
    }
}
