//! Errors of serde with the path to the member that they are about.

use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};
use std::fmt;

/// The name of the newtype by which `write` is given the reason of a fault, at the place of the fault.
/// Other serializers write it, and get the whole fault as their error afterwards.
pub(crate) const FAULT: &str = "$keyfold::Fault";

/// Why a value cannot be written or read, and where: `lines[2].price`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The steps to the member, the innermost first.
    path: Vec<Step>,
    reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    Element(usize),
}

impl Fault {
    /// A fault with its reason.
    pub fn new(reason: impl Into<String>) -> Fault {
        Fault {
            path: Vec::new(),
            reason: reason.into(),
        }
    }

    /// The fault of a text that is none of an enum's words.
    pub fn no_word(text: &str, words: &[&str]) -> Fault {
        let words = words.join(", ");
        Fault::new(format!("{text:?} is no word of it; there is {words}"))
    }

    /// The same fault, seen from the map or struct around it.
    pub(crate) fn in_member(mut self, name: &str) -> Fault {
        self.path.push(Step::Member(name.to_owned()));
        self
    }

    /// The same fault, seen from the list around it.
    pub(crate) fn in_element(mut self, at: usize) -> Fault {
        self.path.push(Step::Element(at));
        self
    }
}

impl Fault {
    /// The path to the member; `None` where the fault is of the whole.
    pub(crate) fn path(&self) -> Option<String> {
        let mut path = String::new();
        self.write_path(&mut path).ok()?;
        (!path.is_empty()).then_some(path)
    }

    fn write_path(&self, f: &mut impl fmt::Write) -> fmt::Result {
        for (at, step) in self.path.iter().rev().enumerate() {
            match step {
                Step::Member(name) if at == 0 => write!(f, "{}", name.escape_debug())?,
                Step::Member(name) => write!(f, ".{}", name.escape_debug())?,
                Step::Element(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A fault that is serialized in place of the values that have it: always an error.
///
/// An error of serde is made from a text, so that it has no path of its own. `write` finds the path
/// again, by the same maps and lists, and adds the ones around them.
pub(crate) struct Raised<'f> {
    fault: &'f Fault,
    /// The steps that are left, the innermost first.
    left: &'f [Step],
}

impl<'f> Raised<'f> {
    pub(crate) fn of(fault: &'f Fault) -> Raised<'f> {
        Raised {
            fault,
            left: &fault.path,
        }
    }
}

impl Serialize for Raised<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((step, left)) = self.left.split_last() else {
            serializer.serialize_newtype_struct(FAULT, &self.fault.reason)?;
            return Err(S::Error::custom(self.fault));
        };
        let inner = Raised {
            fault: self.fault,
            left,
        };
        match step {
            Step::Member(name) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry(name, &inner)?;
                map.end()
            }
            Step::Element(at) => {
                let mut list = serializer.serialize_seq(None)?;
                for _ in 0..*at {
                    list.serialize_element(&())?;
                }
                list.serialize_element(&inner)?;
                list.end()
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_path(f)?;
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Fault {}

impl serde::ser::Error for Fault {
    fn custom<T: fmt::Display>(reason: T) -> Fault {
        Fault::new(reason.to_string())
    }
}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(reason: T) -> Fault {
        Fault::new(reason.to_string())
    }
}
