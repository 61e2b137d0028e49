//! Attribute values as serde sees them.

use super::number::{Native, native};
use keyfold_types::{Number, Value};
use serde::{Serialize, Serializer};

/// The name of the newtype in which a number is written as text where no type of Rust holds it
/// exactly. `write` makes a number of it; other serializers write the text.
pub(crate) const NUMBER: &str = "$keyfold::Number";

/// A value that is serialized: a set as a sequence, a number as the first of Rust's types that holds
/// it exactly.
pub(crate) struct Plain<'v>(pub(crate) &'v Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::S(text) => serializer.serialize_str(text),
            Value::N(number) => Exact(number).serialize(serializer),
            Value::B(bytes) => serializer.serialize_bytes(bytes),
            Value::Bool(truth) => serializer.serialize_bool(*truth),
            Value::Null => serializer.serialize_unit(),
            Value::L(elements) => serializer.collect_seq(elements.iter().map(Plain)),
            Value::M(entries) => {
                serializer.collect_map(entries.iter().map(|(name, held)| (name, Plain(held))))
            }
            Value::Ss(set) => serializer.collect_seq(set.members()),
            Value::Ns(set) => serializer.collect_seq(set.members().iter().map(Exact)),
            Value::Bs(set) => {
                let members = set.members().iter();
                serializer.collect_seq(members.map(|bytes| Bytes(bytes)))
            }
        }
    }
}

struct Exact<'n>(&'n Number);

impl Serialize for Exact<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match native(self.0) {
            Native::Unsigned(number) => serializer.serialize_u64(number),
            Native::Signed(number) => serializer.serialize_i64(number),
            Native::Float(number) => serializer.serialize_f64(number),
            Native::Wide(number) => {
                serializer.serialize_newtype_struct(NUMBER, &number.to_string())
            }
            Native::Text(text) => serializer.serialize_newtype_struct(NUMBER, &text),
        }
    }
}

struct Bytes<'b>(&'b [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}
