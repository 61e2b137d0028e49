//! Document paths, bound: names and list positions from an item's attribute downwards.

use keyfold_codec::{RawItem, RawValue};
use keyfold_types::{Item, Value};
use std::fmt;

/// A path into an item; the first part is always a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    parts: Vec<PathPart>,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathPart {
    /// Into an attribute or a map's entry.
    Name(String),
    /// Into a list's element, from 0.
    Index(usize),
}

/// How two paths get in each other's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clash {
    Overlap,
    Conflict,
}

impl Path {
    /// A path of one or more parts, the first a name.
    pub(crate) fn new(parts: Vec<PathPart>) -> Path {
        Path { parts }
    }

    /// A path to an attribute.
    pub fn attribute(name: impl Into<String>) -> Path {
        Path { parts: vec![PathPart::Name(name.into())] }
    }

    /// The attribute the path starts at.
    pub fn root(&self) -> &str {
        match self.parts.first() {
            Some(PathPart::Name(name)) => name,
            Some(PathPart::Index(_)) | None => "",
        }
    }

    /// All steps.
    pub fn parts(&self) -> &[PathPart] {
        &self.parts
    }

    /// The attribute, when the path leads no deeper.
    pub fn as_attribute(&self) -> Option<&str> {
        if self.parts.len() == 1 { Some(self.root()) } else { None }
    }

    /// The value at the path in an encoded item.
    pub fn find<'a>(&self, item: &'a RawItem) -> Option<RawValue<'a>> {
        let mut value = item.get(self.root())?;
        for part in self.parts.iter().skip(1) {
            value = match part {
                PathPart::Name(name) => value.entry(name)?,
                PathPart::Index(index) => value.element(*index)?,
            };
        }
        Some(value)
    }

    /// The value at the path in an item.
    pub fn find_in<'a>(&self, item: &'a Item) -> Option<&'a Value> {
        let mut value = item.get(self.root())?;
        for part in self.parts.iter().skip(1) {
            value = match (part, value) {
                (PathPart::Name(name), Value::M(map)) => map.get(name)?,
                (PathPart::Index(index), Value::L(list)) => list.get(*index)?,
                _ => return None,
            };
        }
        Some(value)
    }

    /// Whether the paths cannot both be changed (or projected).
    pub(crate) fn clash(&self, other: &Path) -> Option<Clash> {
        for (one, two) in self.parts.iter().zip(&other.parts) {
            match (one, two) {
                (PathPart::Name(_), PathPart::Index(_)) | (PathPart::Index(_), PathPart::Name(_)) => {
                    return Some(Clash::Conflict);
                }
                (one, two) if one != two => return None,
                _ => {}
            }
        }
        Some(Clash::Overlap)
    }
}

impl fmt::Display for Path {
    /// The parts in brackets, as messages show them: `[a, b, [0]]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, part) in self.parts.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            match part {
                PathPart::Name(name) => write!(f, "{comma}{name}")?,
                PathPart::Index(index) => write!(f, "{comma}[{index}]")?,
            }
        }
        f.write_str("]")
    }
}
