//! A serializer whose output is an attribute value.

use super::fault::Fault;
use super::number;
use super::plain::NUMBER;
use keyfold_types::Value;
use serde::ser::{self, Impossible, Serialize};
use std::collections::BTreeMap;

/// The name of the struct as which `serde_json` serializes a number when a program has switched on
/// its feature `arbitrary_precision`.
const JSON_NUMBER: &str = "$serde_json::private::Number";

/// The deepest nesting of lists and maps that is written. What can be stored is far below: a deeper
/// value is refused before the stack ends.
const DEPTH_MAX: usize = 64;

/// The value of anything that serde can serialize.
///
/// Structs and maps become maps, sequences and tuples become lists, `None` and units become null.
/// Enums are tagged as in JSON: a variant without content is its name, any other a map of one entry.
pub(crate) fn value(given: &(impl Serialize + ?Sized)) -> Result<Value, Fault> {
    given.serialize(Writer { depth: 0 })
}

#[derive(Clone, Copy)]
struct Writer {
    /// The lists and maps around the value.
    depth: usize,
}

impl Writer {
    /// The writer of the parts of a list or map.
    fn inner(self) -> Result<Writer, Fault> {
        let depth = self.depth + 1;
        match depth > DEPTH_MAX {
            true => Err(Fault::new(format!(
                "it is nested in more than {DEPTH_MAX} lists and maps"
            ))),
            false => Ok(Writer { depth }),
        }
    }
}

impl ser::Serializer for Writer {
    type Ok = Value;
    type Error = Fault;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = List;
    type SerializeTupleVariant = List;
    type SerializeMap = Map;
    type SerializeStruct = Map;
    type SerializeStructVariant = Map;

    fn serialize_bool(self, held: bool) -> Result<Value, Fault> {
        Ok(Value::Bool(held))
    }

    fn serialize_i8(self, held: i8) -> Result<Value, Fault> {
        self.serialize_i64(held.into())
    }

    fn serialize_i16(self, held: i16) -> Result<Value, Fault> {
        self.serialize_i64(held.into())
    }

    fn serialize_i32(self, held: i32) -> Result<Value, Fault> {
        self.serialize_i64(held.into())
    }

    fn serialize_i64(self, held: i64) -> Result<Value, Fault> {
        Ok(Value::N(held.into()))
    }

    fn serialize_i128(self, held: i128) -> Result<Value, Fault> {
        number::parse(&held.to_string()).map(Value::N)
    }

    fn serialize_u8(self, held: u8) -> Result<Value, Fault> {
        self.serialize_u64(held.into())
    }

    fn serialize_u16(self, held: u16) -> Result<Value, Fault> {
        self.serialize_u64(held.into())
    }

    fn serialize_u32(self, held: u32) -> Result<Value, Fault> {
        self.serialize_u64(held.into())
    }

    fn serialize_u64(self, held: u64) -> Result<Value, Fault> {
        Ok(Value::N(held.into()))
    }

    fn serialize_u128(self, held: u128) -> Result<Value, Fault> {
        number::parse(&held.to_string()).map(Value::N)
    }

    fn serialize_f32(self, held: f32) -> Result<Value, Fault> {
        number::of_float(held).map(Value::N)
    }

    fn serialize_f64(self, held: f64) -> Result<Value, Fault> {
        number::of_float(held).map(Value::N)
    }

    fn serialize_char(self, held: char) -> Result<Value, Fault> {
        Ok(Value::S(held.to_string()))
    }

    fn serialize_str(self, held: &str) -> Result<Value, Fault> {
        Ok(Value::from(held))
    }

    fn serialize_bytes(self, held: &[u8]) -> Result<Value, Fault> {
        Ok(Value::B(held.to_vec()))
    }

    fn serialize_none(self) -> Result<Value, Fault> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, held: &T) -> Result<Value, Fault> {
        held.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, Fault> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, Fault> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, Fault> {
        Ok(Value::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        held: &T,
    ) -> Result<Value, Fault> {
        let held = held.serialize(self)?;
        if let (Value::S(text), NUMBER) = (&held, name) {
            return number::parse(text).map(Value::N);
        }
        Ok(held)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        held: &T,
    ) -> Result<Value, Fault> {
        let held = held.serialize(self.inner()?);
        let held = held.map_err(|fault| fault.in_member(variant))?;
        Ok(tagged(variant, held))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List, Fault> {
        Ok(List::new(length, self.inner()?, None))
    }

    fn serialize_tuple(self, length: usize) -> Result<List, Fault> {
        Ok(List::new(Some(length), self.inner()?, None))
    }

    fn serialize_tuple_struct(self, _: &'static str, length: usize) -> Result<List, Fault> {
        Ok(List::new(Some(length), self.inner()?, None))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<List, Fault> {
        Ok(List::new(Some(length), self.inner()?, Some(variant)))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Map, Fault> {
        Ok(Map::new("", self.inner()?, None))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Map, Fault> {
        Ok(Map::new(name, self.inner()?, None))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Map, Fault> {
        Ok(Map::new("", self.inner()?, Some(variant)))
    }
}

/// A variant with its content.
fn tagged(variant: &str, held: Value) -> Value {
    Value::M(BTreeMap::from([(variant.to_owned(), held)]))
}

fn in_variant(variant: Option<&'static str>, fault: Fault) -> Fault {
    match variant {
        Some(variant) => fault.in_member(variant),
        None => fault,
    }
}

/// A list under construction.
struct List {
    elements: Vec<Value>,
    /// Of the elements.
    writer: Writer,
    variant: Option<&'static str>,
}

impl List {
    /// The most elements that are reserved because a serializer announces them.
    const RESERVED_MAX: usize = 1024;

    fn new(length: Option<usize>, writer: Writer, variant: Option<&'static str>) -> List {
        let reserved = length.unwrap_or_default().min(List::RESERVED_MAX);
        List {
            elements: Vec::with_capacity(reserved),
            writer,
            variant,
        }
    }

    fn push(&mut self, held: &(impl Serialize + ?Sized)) -> Result<(), Fault> {
        let at = self.elements.len();
        let held = held.serialize(self.writer);
        let held = held.map_err(|fault| in_variant(self.variant, fault.in_element(at)))?;
        self.elements.push(held);
        Ok(())
    }

    fn finish(self) -> Value {
        let list = Value::L(self.elements);
        match self.variant {
            Some(variant) => tagged(variant, list),
            None => list,
        }
    }
}

/// A map under construction.
struct Map {
    entries: BTreeMap<String, Value>,
    /// The name of the struct; empty for maps.
    name: &'static str,
    /// The key whose value is next.
    key: Option<String>,
    /// Of the values.
    writer: Writer,
    variant: Option<&'static str>,
}

impl Map {
    fn new(name: &'static str, writer: Writer, variant: Option<&'static str>) -> Map {
        Map {
            entries: BTreeMap::new(),
            name,
            key: None,
            writer,
            variant,
        }
    }

    fn insert(&mut self, name: &str, held: &(impl Serialize + ?Sized)) -> Result<(), Fault> {
        let inserted = held.serialize(self.writer).and_then(|held| {
            match self.entries.insert(name.to_owned(), held) {
                None => Ok(()),
                Some(_) => Err(Fault::new("it is given twice")),
            }
        });
        inserted.map_err(|fault| in_variant(self.variant, fault.in_member(name)))
    }

    fn finish(mut self) -> Result<Value, Fault> {
        if self.name == JSON_NUMBER
            && let Some(Value::S(text)) = self.entries.remove(JSON_NUMBER)
        {
            return number::parse(&text).map(Value::N);
        }
        let map = Value::M(self.entries);
        Ok(match self.variant {
            Some(variant) => tagged(variant, map),
            None => map,
        })
    }
}

/// Implements a trait of sequences for [`List`].
macro_rules! sequence {
    ($of:ident, $push:ident) => {
        impl ser::$of for List {
            type Ok = Value;
            type Error = Fault;

            fn $push<T: Serialize + ?Sized>(&mut self, held: &T) -> Result<(), Fault> {
                self.push(held)
            }

            fn end(self) -> Result<Value, Fault> {
                Ok(self.finish())
            }
        }
    };
}

sequence!(SerializeSeq, serialize_element);
sequence!(SerializeTuple, serialize_element);
sequence!(SerializeTupleStruct, serialize_field);
sequence!(SerializeTupleVariant, serialize_field);

/// Implements a trait of structs for [`Map`].
macro_rules! structure {
    ($of:ident) => {
        impl ser::$of for Map {
            type Ok = Value;
            type Error = Fault;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                held: &T,
            ) -> Result<(), Fault> {
                self.insert(name, held)
            }

            fn end(self) -> Result<Value, Fault> {
                self.finish()
            }
        }
    };
}

structure!(SerializeStruct);
structure!(SerializeStructVariant);

impl ser::SerializeMap for Map {
    type Ok = Value;
    type Error = Fault;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Fault> {
        self.key = Some(key.serialize(KeyWriter)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, held: &T) -> Result<(), Fault> {
        let key = self.key.take();
        let key = key.ok_or_else(|| Fault::new("a value of a map has no key"))?;
        self.insert(&key, held)
    }

    fn end(self) -> Result<Value, Fault> {
        self.finish()
    }
}

/// The text of a map's key.
struct KeyWriter;

impl KeyWriter {
    fn refuse<T>(self, what: &str) -> Result<T, Fault> {
        Err(Fault::new(format!(
            "{what} is no key of a map; a key is a text, a whole number or a word"
        )))
    }
}

/// Methods that write a key as its text.
macro_rules! as_text {
    ($($method:ident $of:ty),*) => {
        $(fn $method(self, held: $of) -> Result<String, Fault> {
            Ok(held.to_string())
        })*
    };
}

impl ser::Serializer for KeyWriter {
    type Ok = String;
    type Error = Fault;
    type SerializeSeq = Impossible<String, Fault>;
    type SerializeTuple = Impossible<String, Fault>;
    type SerializeTupleStruct = Impossible<String, Fault>;
    type SerializeTupleVariant = Impossible<String, Fault>;
    type SerializeMap = Impossible<String, Fault>;
    type SerializeStruct = Impossible<String, Fault>;
    type SerializeStructVariant = Impossible<String, Fault>;

    as_text!(
        serialize_bool bool, serialize_char char, serialize_str &str,
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128
    );

    fn serialize_f32(self, _: f32) -> Result<String, Fault> {
        self.refuse("a float")
    }

    fn serialize_f64(self, _: f64) -> Result<String, Fault> {
        self.refuse("a float")
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<String, Fault> {
        self.refuse("a value of bytes")
    }

    fn serialize_none(self) -> Result<String, Fault> {
        self.refuse("`None`")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, held: &T) -> Result<String, Fault> {
        held.serialize(self)
    }

    fn serialize_unit(self) -> Result<String, Fault> {
        self.refuse("a unit")
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<String, Fault> {
        self.refuse(name)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<String, Fault> {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        held: &T,
    ) -> Result<String, Fault> {
        held.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: &T,
    ) -> Result<String, Fault> {
        self.refuse(variant)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Fault> {
        self.refuse("a list")
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Fault> {
        self.refuse("a tuple")
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Fault> {
        self.refuse(name)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Fault> {
        self.refuse(variant)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Fault> {
        self.refuse("a map")
    }

    fn serialize_struct(
        self,
        name: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStruct, Fault> {
        self.refuse(name)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Fault> {
        self.refuse(variant)
    }
}
