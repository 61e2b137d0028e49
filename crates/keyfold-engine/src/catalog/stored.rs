//! Plain data as attribute values, so that records use the format of items. A field that a record
//! lacks has its default: records of earlier versions stay readable.

use crate::table::policy::Policy;
use keyfold_api::{Attributes, Named, WireName};
use keyfold_codec::RawItem;
use keyfold_codec::key::{IndexId, TableId};
use keyfold_types::{KeyAttribute, KeyKind, KeySchema, Number, Value};
use std::collections::BTreeMap;

/// Data that can be part of a record.
pub(crate) trait Stored: Sized {
    fn to_value(&self) -> Value;
    fn from_value(value: &Value) -> Option<Self>;
}

impl Stored for String {
    fn to_value(&self) -> Value {
        Value::S(self.clone())
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::S(text) = value {
            Some(text.clone())
        } else {
            None
        }
    }
}

impl Stored for Policy {
    fn to_value(&self) -> Value {
        (self.text.clone(), self.revision.clone()).to_value()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let (text, revision) = <(String, String)>::from_value(value)?;
        Some(Policy::new(text, revision))
    }
}

impl Stored for u64 {
    fn to_value(&self) -> Value {
        Value::N(Number::from(*self))
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::N(number) = value {
            u64::try_from(number.to_i64()?).ok()
        } else {
            None
        }
    }
}

impl Stored for bool {
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Bool(flag) = value {
            Some(*flag)
        } else {
            None
        }
    }
}

impl Stored for TableId {
    fn to_value(&self) -> Value {
        u64::from(self.0).to_value()
    }

    fn from_value(value: &Value) -> Option<Self> {
        u32::try_from(u64::from_value(value)?).ok().map(TableId)
    }
}

impl Stored for IndexId {
    fn to_value(&self) -> Value {
        u64::from(self.0).to_value()
    }

    fn from_value(value: &Value) -> Option<Self> {
        u8::try_from(u64::from_value(value)?).ok().map(IndexId)
    }
}

/// A word of the API.
pub(crate) fn word<T: WireName>(value: &Value) -> Option<T> {
    match T::named(&String::from_value(value)?) {
        Named::Known(word) => Some(word),
        Named::Unknown(_) => None,
    }
}

macro_rules! stored_words {
    ($($word:ty),+) => {
        $(impl $crate::catalog::stored::Stored for $word {
            fn to_value(&self) -> keyfold_types::Value {
                keyfold_types::Value::from(keyfold_api::WireName::word(*self))
            }

            fn from_value(value: &keyfold_types::Value) -> Option<Self> {
                $crate::catalog::stored::word(value)
            }
        })+
    };
}
pub(crate) use stored_words;

impl<T: Stored> Stored for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, Stored::to_value)
    }

    fn from_value(value: &Value) -> Option<Self> {
        if *value == Value::Null {
            Some(None)
        } else {
            T::from_value(value).map(Some)
        }
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn to_value(&self) -> Value {
        Value::L(self.iter().map(Stored::to_value).collect())
    }

    fn from_value(value: &Value) -> Option<Self> {
        if let Value::L(values) = value {
            values.iter().map(T::from_value).collect()
        } else {
            None
        }
    }
}

impl<T: Stored> Stored for BTreeMap<String, T> {
    fn to_value(&self) -> Value {
        Value::M(
            self.iter()
                .map(|(name, value)| (name.clone(), value.to_value()))
                .collect(),
        )
    }

    fn from_value(value: &Value) -> Option<Self> {
        let Value::M(map) = value else { return None };
        map.iter()
            .map(|(name, value)| Some((name.clone(), T::from_value(value)?)))
            .collect()
    }
}

/// Attributes of a request, stored as an encoded item.
impl Stored for Attributes {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, |item| {
            Value::B(RawItem::encode(item).bytes().to_vec())
        })
    }

    fn from_value(value: &Value) -> Option<Self> {
        let Value::B(bytes) = value else { return None };
        RawItem::open(bytes.clone().into())
            .ok()
            .map(|item| Ok(item.to_item()))
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn to_value(&self) -> Value {
        Value::L(vec![self.0.to_value(), self.1.to_value()])
    }

    fn from_value(value: &Value) -> Option<Self> {
        let Value::L(values) = value else { return None };
        let [one, two] = values.as_slice() else {
            return None;
        };
        Some((A::from_value(one)?, B::from_value(two)?))
    }
}

impl Stored for KeyAttribute {
    fn to_value(&self) -> Value {
        (self.name.clone(), self.kind.descriptor().to_owned()).to_value()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let (name, kind) = <(String, String)>::from_value(value)?;
        Some(KeyAttribute {
            name,
            kind: KeyKind::from_descriptor(&kind)?,
        })
    }
}

impl Stored for KeySchema {
    fn to_value(&self) -> Value {
        (self.partition.clone(), self.sort.clone()).to_value()
    }

    fn from_value(value: &Value) -> Option<Self> {
        let (partition, sort) = <(Vec<KeyAttribute>, Vec<KeyAttribute>)>::from_value(value)?;
        Some(KeySchema { partition, sort })
    }
}

/// Declares the stored fields of a struct with their names. Fields in `required` have no default.
macro_rules! record {
    ($type:ident { required { $($needed:ident = $needed_name:literal,)* } $($field:ident = $name:literal,)* }) => {
        impl $crate::catalog::stored::Stored for $type {
            fn to_value(&self) -> keyfold_types::Value {
                let fields = [
                    $(($needed_name, $crate::catalog::stored::Stored::to_value(&self.$needed)),)*
                    $(($name, $crate::catalog::stored::Stored::to_value(&self.$field)),)*
                ];
                keyfold_types::Value::M(
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
                )
            }

            fn from_value(value: &keyfold_types::Value) -> Option<Self> {
                let keyfold_types::Value::M(map) = value else { return None };
                Some($type {
                    $($needed: $crate::catalog::stored::Stored::from_value(map.get($needed_name)?)?,)*
                    $($field: match map.get($name) {
                        Some(value) => $crate::catalog::stored::Stored::from_value(value)?,
                        None => Default::default(),
                    },)*
                })
            }
        }
    };
}
pub(crate) use record;
