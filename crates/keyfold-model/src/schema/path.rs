//! Document paths: an attribute, or a field inside it.

use crate::written::{in_braces, is_word, written};
use keyfold_types::Value;
use std::collections::BTreeMap;
use std::fmt;

/// An attribute, or a field inside an attribute that is a record or map: `stats.views`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The attribute.
    pub attribute: String,
    /// The way to a field inside it; empty for the attribute itself.
    pub fields: Vec<String>,
}

impl Path {
    /// The path of a whole attribute.
    pub fn of(attribute: &str) -> Path {
        Path {
            attribute: attribute.to_owned(),
            fields: Vec::new(),
        }
    }

    /// Whether it is a whole attribute.
    pub fn is_whole(&self) -> bool {
        self.fields.is_empty()
    }

    /// The record or map that holds the field; `None` for a whole attribute.
    pub fn place(&self) -> Option<Path> {
        let (_, way) = self.fields.split_last()?;
        Some(Path {
            attribute: self.attribute.clone(),
            fields: way.to_vec(),
        })
    }

    /// The attribute, each record or map on the way, and the path itself.
    pub fn steps(&self) -> impl Iterator<Item = Path> {
        (0..=self.fields.len()).map(|length| Path {
            attribute: self.attribute.clone(),
            fields: self.fields.iter().take(length).cloned().collect(),
        })
    }

    /// Whether it is the other path, or leads through it.
    pub fn starts_with(&self, other: &Path) -> bool {
        self.attribute == other.attribute && self.fields.starts_with(&other.fields)
    }

    /// The value at its end; `None` where anything on the way is missing.
    pub fn value_in<'v>(&self, values: &'v BTreeMap<String, Value>) -> Option<&'v Value> {
        let mut held = values.get(&self.attribute)?;
        for field in &self.fields {
            let Value::M(map) = held else { return None };
            held = map.get(field.as_str())?;
        }
        Some(held)
    }
}

impl From<String> for Path {
    fn from(attribute: String) -> Path {
        Path {
            attribute,
            fields: Vec::new(),
        }
    }
}

/// As the language writes it on the left of an assignment or comparison: `prices."eu-west"`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&written(&self.attribute))?;
        self.fields
            .iter()
            .try_for_each(|field| write!(f, ".{}", written(field)))
    }
}

/// The path as an operand: an attribute that is no word stands in braces, since quotes are a text's.
pub(super) fn as_operand(path: &Path) -> String {
    let Path { attribute, fields } = path;
    let mut text = match is_word(attribute) {
        true => attribute.clone(),
        false => in_braces(attribute),
    };
    for field in fields {
        text.push_str(&format!(".{}", written(field)));
    }
    text
}
