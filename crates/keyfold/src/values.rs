//! Attributes and their values as a program gives them.

use crate::error::Error;
use crate::serial::fault::{Fault, Raised};
use crate::serial::plain::Plain;
use crate::serial::write;
use keyfold_types::Value;
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Names and values, made by [`values!`](crate::values!) or one after the other.
///
/// A value is anything that derives `Serialize`. What cannot be stored (a number that is not finite,
/// more than 38 digits) is refused by the call that takes the values, with the path to it.
///
/// ```
/// use keyfold::Values;
///
/// let mut user = Values::new();
/// user.insert("userId", "u1").insert("logins", 3_u64);
/// assert_eq!(user.get("userId"), Some(&"u1".into()));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    members: Result<BTreeMap<String, Value>, Fault>,
}

impl Values {
    /// No values.
    pub fn new() -> Values {
        Values {
            members: Ok(BTreeMap::new()),
        }
    }

    /// Sets a value; one that is there is replaced.
    pub fn insert(&mut self, name: impl Into<String>, held: impl Serialize) -> &mut Values {
        let name = name.into();
        match (&mut self.members, write::value(&held)) {
            (Ok(members), Ok(held)) => {
                members.insert(name, held);
            }
            (Ok(_), Err(fault)) => self.members = Err(fault.in_member(&name)),
            (Err(_), _) => {}
        }
        self
    }

    /// Takes a value away.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.members.as_mut().ok()?.remove(name)
    }

    /// A value.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.members.as_ref().ok()?.get(name)
    }

    /// The values in the order of their names.
    ///
    /// # Errors
    /// `Invalid` when one cannot be stored.
    pub fn members(&self) -> Result<impl Iterator<Item = (&str, &Value)>, Error> {
        let members = self.members.as_ref();
        let members = members.map_err(Error::of_fault)?;
        Ok(members.iter().map(|(name, held)| (name.as_str(), held)))
    }

    #[doc(hidden)]
    pub fn add(&mut self, name: impl ToString, part: Part) {
        let name = name.to_string();
        match (&mut self.members, part.0) {
            (Err(_), _) => {}
            (Ok(_), Err(fault)) => self.members = Err(fault.in_member(&name)),
            (Ok(members), Ok(_)) if members.contains_key(&name) => {
                self.members = Err(Fault::new("it is given twice").in_member(&name));
            }
            (Ok(members), Ok(held)) => {
                members.insert(name, held);
            }
        }
    }
}

impl Default for Values {
    fn default() -> Values {
        Values::new()
    }
}

impl<N: Into<String>, V: Serialize> FromIterator<(N, V)> for Values {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(members: I) -> Values {
        let mut values = Values::new();
        for (name, held) in members {
            values.insert(name, held);
        }
        values
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.members {
            Ok(members) => {
                serializer.collect_map(members.iter().map(|(name, held)| (name, Plain(held))))
            }
            Err(fault) => Raised::of(fault).serialize(serializer),
        }
    }
}

/// A value inside [`values!`](crate::values!).
#[doc(hidden)]
#[derive(Debug)]
pub struct Part(Result<Value, Fault>);

impl Part {
    pub fn null() -> Part {
        Part(Ok(Value::Null))
    }

    pub fn of(held: &(impl Serialize + ?Sized)) -> Part {
        Part(write::value(held))
    }

    pub fn map(values: Values) -> Part {
        Part(values.members.map(Value::M))
    }

    pub fn list(parts: Vec<Part>) -> Part {
        let each = parts.into_iter().enumerate();
        let each = each.map(|(at, part)| part.0.map_err(|fault| fault.in_element(at)));
        Part(each.collect::<Result<_, Fault>>().map(Value::L))
    }
}

/// Attributes and their values, written as in JSON: the values are expressions, lists in brackets
/// and maps in braces.
///
/// ```
/// let id = "u1";
/// let user = keyfold::values! {
///     "userId": id,
///     "tags": ["new", "paid"],
///     "credit": 12.5,
///     "address": { "city": "London", "lines": [1, "two", null] },
/// };
/// assert_eq!(user.get("userId"), Some(&"u1".into()));
/// ```
#[macro_export]
macro_rules! values {
    ($($body:tt)*) => {{
        #[allow(unused_mut)]
        let mut values = $crate::Values::new();
        $crate::__members!(values $($body)*);
        values
    }};
}

/// Adds the members of an object to values.
#[doc(hidden)]
#[macro_export]
macro_rules! __members {
    ($values:ident) => {};
    ($values:ident $name:tt : null $(, $($rest:tt)*)?) => {
        $values.add($name, $crate::__private::Part::null());
        $crate::__members!($values $($($rest)*)?);
    };
    ($values:ident $name:tt : { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $values.add($name, $crate::__private::Part::map($crate::values!($($inner)*)));
        $crate::__members!($values $($($rest)*)?);
    };
    ($values:ident $name:tt : [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $values.add($name, $crate::__list!($($inner)*));
        $crate::__members!($values $($($rest)*)?);
    };
    ($values:ident $name:tt : $held:expr $(, $($rest:tt)*)?) => {
        $values.add($name, $crate::__private::Part::of(&$held));
        $crate::__members!($values $($($rest)*)?);
    };
}

/// The elements of an array as one part.
#[doc(hidden)]
#[macro_export]
macro_rules! __list {
    ($($body:tt)*) => {{
        #[allow(unused_mut)]
        let mut parts = $crate::__private::Vec::new();
        $crate::__elements!(parts $($body)*);
        $crate::__private::Part::list(parts)
    }};
}

/// Adds the elements of an array to parts.
#[doc(hidden)]
#[macro_export]
macro_rules! __elements {
    ($parts:ident) => {};
    ($parts:ident null $(, $($rest:tt)*)?) => {
        $parts.push($crate::__private::Part::null());
        $crate::__elements!($parts $($($rest)*)?);
    };
    ($parts:ident { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $parts.push($crate::__private::Part::map($crate::values!($($inner)*)));
        $crate::__elements!($parts $($($rest)*)?);
    };
    ($parts:ident [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $parts.push($crate::__list!($($inner)*));
        $crate::__elements!($parts $($($rest)*)?);
    };
    ($parts:ident $held:expr $(, $($rest:tt)*)?) => {
        $parts.push($crate::__private::Part::of(&$held));
        $crate::__elements!($parts $($($rest)*)?);
    };
}
