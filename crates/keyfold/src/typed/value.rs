//! Values of Rust's types as attributes, and back.

pub use crate::serial::fault::Fault;
use crate::serial::number;
use jiff::Timestamp;
use jiff::civil::Date;
use keyfold_types::{Number, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A value that a caller gives for an attribute or a parameter.
pub trait Given {
    /// The value as DynamoDB has it; null where nothing is given.
    ///
    /// # Errors
    /// When it cannot be stored, with the path to the part that cannot.
    fn to_value(&self) -> Result<Value, Fault>;
}

/// The value of an attribute: what is read is of this type.
pub trait Attribute: Given + Sized {
    /// The value of what is stored.
    ///
    /// # Errors
    /// When it is none of the type.
    fn of_value(value: Value) -> Result<Self, Fault>;

    /// The value of an attribute that is absent; `None` where it must be there.
    fn absent() -> Option<Self> {
        None
    }
}

/// The fault of a value of another type.
fn other(wanted: &str, found: &Value) -> Fault {
    let found = keyfold_model::value::shown(found);
    Fault::new(format!("{found} is stored, which is no {wanted}"))
}

impl Given for str {
    fn to_value(&self) -> Result<Value, Fault> {
        Ok(Value::S(self.to_owned()))
    }
}

impl Given for String {
    fn to_value(&self) -> Result<Value, Fault> {
        self.as_str().to_value()
    }
}

impl Attribute for String {
    fn of_value(value: Value) -> Result<String, Fault> {
        let Value::S(text) = value else {
            return Err(other("text", &value));
        };
        Ok(text)
    }
}

impl Given for bool {
    fn to_value(&self) -> Result<Value, Fault> {
        Ok(Value::Bool(*self))
    }
}

impl Attribute for bool {
    fn of_value(value: Value) -> Result<bool, Fault> {
        let Value::Bool(truth) = value else {
            return Err(other("truth value", &value));
        };
        Ok(truth)
    }
}

impl Given for Number {
    fn to_value(&self) -> Result<Value, Fault> {
        Ok(Value::N(*self))
    }
}

impl Attribute for Number {
    fn of_value(value: Value) -> Result<Number, Fault> {
        let Value::N(number) = value else {
            return Err(other("number", &value));
        };
        Ok(number)
    }
}

impl Given for i64 {
    fn to_value(&self) -> Result<Value, Fault> {
        Ok(Value::N((*self).into()))
    }
}

impl Attribute for i64 {
    fn of_value(value: Value) -> Result<i64, Fault> {
        let number = Number::of_value(value)?;
        number.to_i64().ok_or_else(|| {
            Fault::new(format!(
                "{number} is no whole number of 64 bits; `keyfold generate rust --exact-numbers` \
                 makes a client with 128"
            ))
        })
    }
}

impl Given for i128 {
    fn to_value(&self) -> Result<Value, Fault> {
        number::parse(&self.to_string()).map(Value::N)
    }
}

impl Attribute for i128 {
    fn of_value(value: Value) -> Result<i128, Fault> {
        let number = Number::of_value(value)?;
        let whole = number.to_string().parse();
        whole.map_err(|_| Fault::new(format!("{number} is no whole number of 128 bits")))
    }
}

impl Given for [u8] {
    fn to_value(&self) -> Result<Value, Fault> {
        Ok(Value::B(self.to_vec()))
    }
}

impl Given for Vec<u8> {
    fn to_value(&self) -> Result<Value, Fault> {
        self.as_slice().to_value()
    }
}

impl Attribute for Vec<u8> {
    fn of_value(value: Value) -> Result<Vec<u8>, Fault> {
        let Value::B(bytes) = value else {
            return Err(other("binary", &value));
        };
        Ok(bytes)
    }
}

impl Given for Timestamp {
    fn to_value(&self) -> Result<Value, Fault> {
        Ok(Value::S(self.to_string()))
    }
}

impl Attribute for Timestamp {
    fn of_value(value: Value) -> Result<Timestamp, Fault> {
        let text = String::of_value(value)?;
        let time = text.parse();
        time.map_err(|_| Fault::new(format!("{text:?} is stored, which is no time")))
    }
}

impl Given for Date {
    fn to_value(&self) -> Result<Value, Fault> {
        Ok(Value::S(self.to_string()))
    }
}

impl Attribute for Date {
    fn of_value(value: Value) -> Result<Date, Fault> {
        let text = String::of_value(value)?;
        let date = text.parse();
        date.map_err(|_| Fault::new(format!("{text:?} is stored, which is no date")))
    }
}

impl<T: Given> Given for Option<T> {
    fn to_value(&self) -> Result<Value, Fault> {
        self.as_ref().map_or(Ok(Value::Null), Given::to_value)
    }
}

impl<T: Attribute> Attribute for Option<T> {
    fn of_value(value: Value) -> Result<Option<T>, Fault> {
        T::of_value(value).map(Some)
    }

    fn absent() -> Option<Option<T>> {
        Some(None)
    }
}

/// The elements of a list or set.
fn listed<'e, T: Given + 'e>(elements: impl Iterator<Item = &'e T>) -> Result<Value, Fault> {
    let each = elements.enumerate();
    let each = each.map(|(at, one)| one.to_value().map_err(|fault| fault.in_element(at)));
    each.collect::<Result<Vec<Value>, Fault>>().map(Value::L)
}

/// The elements of a stored list or set.
fn elements(value: Value) -> Result<Vec<Value>, Fault> {
    match value {
        Value::L(elements) => Ok(elements),
        Value::Ss(set) => Ok(set.members().iter().cloned().map(Value::S).collect()),
        Value::Ns(set) => Ok(set.members().iter().copied().map(Value::N).collect()),
        Value::Bs(set) => Ok(set.members().iter().cloned().map(Value::B).collect()),
        found @ (Value::S(_)
        | Value::N(_)
        | Value::B(_)
        | Value::Bool(_)
        | Value::Null
        | Value::M(_)) => Err(other("list or set", &found)),
    }
}

fn collected<T: Attribute, C: FromIterator<T>>(value: Value) -> Result<C, Fault> {
    let each = elements(value)?.into_iter().enumerate();
    each.map(|(at, one)| T::of_value(one).map_err(|fault| fault.in_element(at)))
        .collect()
}

impl<T: Given> Given for [T] {
    fn to_value(&self) -> Result<Value, Fault> {
        listed(self.iter())
    }
}

impl<T: Given> Given for Vec<T> {
    fn to_value(&self) -> Result<Value, Fault> {
        listed(self.iter())
    }
}

impl<T: Attribute> Attribute for Vec<T> {
    fn of_value(value: Value) -> Result<Vec<T>, Fault> {
        collected(value)
    }
}

impl<T: Given> Given for BTreeSet<T> {
    fn to_value(&self) -> Result<Value, Fault> {
        listed(self.iter())
    }
}

impl<T: Attribute + Ord> Attribute for BTreeSet<T> {
    fn of_value(value: Value) -> Result<BTreeSet<T>, Fault> {
        collected(value)
    }
}

impl<T: Given> Given for BTreeMap<String, T> {
    fn to_value(&self) -> Result<Value, Fault> {
        let each = self.iter().map(|(name, held)| {
            let value = held.to_value().map_err(|fault| fault.in_member(name))?;
            Ok((name.clone(), value))
        });
        each.collect::<Result<_, Fault>>().map(Value::M)
    }
}

impl<T: Attribute> Attribute for BTreeMap<String, T> {
    fn of_value(value: Value) -> Result<BTreeMap<String, T>, Fault> {
        let Value::M(entries) = value else {
            return Err(other("map", &value));
        };
        let each = entries.into_iter().map(|(name, held)| {
            let value = T::of_value(held).map_err(|fault| fault.in_member(&name))?;
            Ok((name, value))
        });
        each.collect()
    }
}
