//! A deserializer over attribute values, and over the attributes of an item.

use super::fault::Fault;
use super::number::{Native, native};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_types::{Number, Value};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;
use std::collections::BTreeMap;

/// What serde makes of an item: a struct or map of its attributes, or the variant of its kind.
pub(crate) fn item<'de, T: Deserialize<'de>>(
    kind: &'de str,
    attributes: &'de [(String, Value)],
) -> Result<T, Fault> {
    T::deserialize(ItemReader { kind, attributes })
}

#[derive(Clone, Copy)]
struct ItemReader<'de> {
    kind: &'de str,
    attributes: &'de [(String, Value)],
}

impl<'de> ItemReader<'de> {
    fn entries(self) -> Entries<'de, impl Iterator<Item = (&'de str, &'de Value)>> {
        let each = self.attributes.iter();
        Entries::new(each.map(|(name, held)| (name.as_str(), held)))
    }
}

impl<'de> Deserializer<'de> for ItemReader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self.entries())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(self)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for ItemReader<'de> {
    type Error = Fault;
    type Variant = ItemReader<'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, ItemReader<'de>), Fault> {
        let variant = seed.deserialize(BorrowedStrDeserializer::<Fault>::new(self.kind))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for ItemReader<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_map(self.entries())
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_map(self.entries())
    }
}

/// A value that is read.
#[derive(Clone, Copy)]
enum Reader<'de> {
    Text(&'de str),
    Number(&'de Number),
    Bytes(&'de [u8]),
    Byte(u8),
    Bool(bool),
    Null,
    List(&'de [Value]),
    Map(&'de BTreeMap<String, Value>),
    Texts(&'de [String]),
    Numbers(&'de [Number]),
    Blobs(&'de [Vec<u8>]),
}

impl<'de> From<&'de Value> for Reader<'de> {
    fn from(value: &'de Value) -> Reader<'de> {
        match value {
            Value::S(text) => Reader::Text(text),
            Value::N(number) => Reader::Number(number),
            Value::B(bytes) => Reader::Bytes(bytes),
            Value::Bool(truth) => Reader::Bool(*truth),
            Value::Null => Reader::Null,
            Value::L(elements) => Reader::List(elements),
            Value::M(entries) => Reader::Map(entries),
            Value::Ss(set) => Reader::Texts(set.members()),
            Value::Ns(set) => Reader::Numbers(set.members()),
            Value::Bs(set) => Reader::Blobs(set.members()),
        }
    }
}

/// Methods that read a whole number.
macro_rules! whole_numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            if let Reader::Number(number) = self {
                return whole(number, visitor);
            }
            self.deserialize_any(visitor)
        })*
    };
}

/// Methods that read a float: the nearest one.
macro_rules! floats {
    ($($method:ident $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            let Reader::Number(number) = self else {
                return self.deserialize_any(visitor);
            };
            let text = number.to_string();
            let float = text.parse().map_err(|_| Fault::new(format!("{text} is no float")))?;
            visitor.$visit(float)
        })*
    };
}

/// Methods that read a text. A number is its digits, and binary is base64.
macro_rules! texts {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            if let Reader::Number(number) = self {
                return visitor.visit_string(number.to_string());
            }
            if let Reader::Bytes(bytes) = self {
                return visitor.visit_string(STANDARD.encode(bytes));
            }
            self.deserialize_any(visitor)
        })*
    };
}

/// Methods that read a sequence. Bytes are one of numbers.
macro_rules! sequences {
    ($($method:ident ($($more:ty),*))*) => {
        $(fn $method<V: Visitor<'de>>(self, $(_: $more,)* visitor: V) -> Result<V::Value, Fault> {
            if let Reader::Bytes(bytes) = self {
                return sequence(bytes.iter().map(|byte| Reader::Byte(*byte)), visitor);
            }
            self.deserialize_any(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Reader::Text(text) => visitor.visit_borrowed_str(text),
            Reader::Number(number) => match native(number) {
                Native::Unsigned(number) => visitor.visit_u64(number),
                Native::Signed(number) => visitor.visit_i64(number),
                Native::Float(number) => visitor.visit_f64(number),
                Native::Wide(number) => visitor.visit_string(number.to_string()),
                Native::Text(text) => visitor.visit_string(text),
            },
            Reader::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            Reader::Byte(byte) => visitor.visit_u8(byte),
            Reader::Bool(truth) => visitor.visit_bool(truth),
            Reader::Null => visitor.visit_unit(),
            Reader::List(elements) => sequence(elements.iter().map(Reader::from), visitor),
            Reader::Map(entries) => {
                let entries = entries.iter().map(|(name, held)| (name.as_str(), held));
                visitor.visit_map(Entries::new(entries))
            }
            Reader::Texts(set) => sequence(set.iter().map(|text| Reader::Text(text)), visitor),
            Reader::Numbers(set) => sequence(set.iter().map(Reader::Number), visitor),
            Reader::Blobs(set) => sequence(set.iter().map(|bytes| Reader::Bytes(bytes)), visitor),
        }
    }

    whole_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    floats! { deserialize_f32 visit_f32 deserialize_f64 visit_f64 }

    texts! { deserialize_str deserialize_string deserialize_char deserialize_identifier }

    sequences! {
        deserialize_seq() deserialize_tuple(usize) deserialize_tuple_struct(&'static str, usize)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if let Reader::Null = self {
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if let Reader::Text(text) = self {
            return visitor.visit_enum(BorrowedStrDeserializer::new(text));
        }
        if let Reader::Map(entries) = self
            && let (1, Some((name, held))) = (entries.len(), entries.iter().next())
        {
            return visitor.visit_enum(Variant { name, held });
        }
        Err(Fault::new(
            "an enum is a text with the name of a variant, or a map with one entry",
        ))
    }

    forward_to_deserialize_any! {
        bool bytes byte_buf unit unit_struct map struct ignored_any
    }
}

fn whole<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Fault> {
    match native(number) {
        Native::Unsigned(number) => visitor.visit_u64(number),
        Native::Signed(number) => visitor.visit_i64(number),
        Native::Wide(number) => match u128::try_from(number) {
            Ok(number) => visitor.visit_u128(number),
            Err(_) => visitor.visit_i128(number),
        },
        Native::Float(_) | Native::Text(_) => {
            let why = match number.exponent() {
                0.. => "too large for a whole number of Rust",
                _ => "no whole number",
            };
            Err(Fault::new(format!("{number} is {why}")))
        }
    }
}

/// The entries of a map or item, with the path of errors.
struct Entries<'de, I> {
    rest: I,
    open: Option<(&'de str, &'de Value)>,
}

impl<'de, I: Iterator<Item = (&'de str, &'de Value)>> Entries<'de, I> {
    fn new(rest: I) -> Entries<'de, I> {
        Entries { rest, open: None }
    }
}

impl<'de, I: Iterator<Item = (&'de str, &'de Value)>> MapAccess<'de> for Entries<'de, I> {
    type Error = Fault;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        self.open = self.rest.next();
        let Some((name, _)) = self.open else {
            return Ok(None);
        };
        let key = seed.deserialize(KeyReader(name));
        key.map(Some).map_err(|fault| fault.in_member(name))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Fault> {
        let open = self.open.take();
        let (name, held) =
            open.ok_or_else(|| Fault::new("a value of a map was read before its key"))?;
        let value = seed.deserialize(Reader::from(held));
        value.map_err(|fault| fault.in_member(name))
    }
}

/// The elements of a list or set, with the path of errors.
struct Elements<I> {
    rest: I,
    at: usize,
}

impl<'de, I: Iterator<Item = Reader<'de>>> SeqAccess<'de> for Elements<I> {
    type Error = Fault;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Fault> {
        let Some(element) = self.rest.next() else {
            return Ok(None);
        };
        let at = self.at;
        self.at += 1;
        let value = seed.deserialize(element);
        value.map(Some).map_err(|fault| fault.in_element(at))
    }

    fn size_hint(&self) -> Option<usize> {
        self.rest.size_hint().1
    }
}

/// Lets a visitor take all elements.
fn sequence<'de, V: Visitor<'de>>(
    elements: impl Iterator<Item = Reader<'de>>,
    visitor: V,
) -> Result<V::Value, Fault> {
    let mut elements = Elements {
        rest: elements,
        at: 0,
    };
    let value = visitor.visit_seq(&mut elements)?;
    match elements.rest.count() {
        0 => Ok(value),
        more => Err(Fault::new(format!(
            "a list of {} elements, and the type has {}",
            elements.at + more,
            elements.at
        ))),
    }
}

/// A variant with its content.
struct Variant<'de> {
    name: &'de str,
    held: &'de Value,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Fault;
    type Variant = Variant<'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Variant<'de>), Fault> {
        let variant = seed.deserialize(BorrowedStrDeserializer::<Fault>::new(self.name))?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        let unit = <()>::deserialize(Reader::from(self.held));
        unit.map_err(|fault| fault.in_member(self.name))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Fault> {
        let value = seed.deserialize(Reader::from(self.held));
        value.map_err(|fault| fault.in_member(self.name))
    }

    fn tuple_variant<V: Visitor<'de>>(self, length: usize, visitor: V) -> Result<V::Value, Fault> {
        let value = Reader::from(self.held).deserialize_tuple(length, visitor);
        value.map_err(|fault| fault.in_member(self.name))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let value = Reader::from(self.held).deserialize_struct("", fields, visitor);
        value.map_err(|fault| fault.in_member(self.name))
    }
}

/// The key of an entry.
struct KeyReader<'de>(&'de str);

/// Methods that read a key as what its text says.
macro_rules! said_by_text {
    ($($method:ident $visit:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.0.parse() {
                Ok(held) => visitor.$visit(held),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for KeyReader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_borrowed_str(self.0)
    }

    said_by_text! {
        deserialize_bool visit_bool
        deserialize_i8 visit_i8 deserialize_i16 visit_i16 deserialize_i32 visit_i32
        deserialize_i64 visit_i64 deserialize_i128 visit_i128
        deserialize_u8 visit_u8 deserialize_u16 visit_u16 deserialize_u32 visit_u32
        deserialize_u64 visit_u64 deserialize_u128 visit_u128
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.0))
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
