//! Bodies of the operations whose inputs are shapes.

use super::reader::{DecodeError, Decoded, Reader, null_in_list};
use super::value;
use keyfold_api::Member;
use keyfold_api::{AttributeValue, Attributes, Shape, ShapeReader};
use std::collections::BTreeMap;

/// Reads a body; a null is an empty structure.
pub(super) fn shape<T: Shape>(reader: &mut Reader<'_>) -> Decoded<T> {
    Ok(reader.structure()?.unwrap_or_default())
}

impl ShapeReader for Reader<'_> {
    type Error = DecodeError;

    fn present(&mut self) -> Decoded<bool> {
        self.skip_value()
    }

    fn text(&mut self) -> Decoded<Option<String>> {
        self.string()
    }

    fn integer(&mut self) -> Decoded<Option<i64>> {
        self.int()
    }

    fn number(&mut self) -> Decoded<Option<f64>> {
        self.double()
    }

    fn boolean(&mut self) -> Decoded<Option<bool>> {
        self.bool()
    }

    fn value(&mut self) -> Decoded<Option<AttributeValue>> {
        let value = value::attribute_value(self, 0)?;
        let error = self.value_error.take();
        Ok(value.map(|value| error.map_or(Ok(value), Err)))
    }

    fn attributes(&mut self) -> Decoded<Option<Attributes>> {
        value::attributes(self)
    }

    fn elements<T: Member>(&mut self) -> Decoded<Option<Vec<T>>> {
        self.list_of(|reader| T::read(reader)?.ok_or_else(null_in_list))
    }

    fn entries<T: Member>(&mut self) -> Decoded<Option<BTreeMap<String, T>>> {
        let mut map = BTreeMap::new();
        let found = self.map(|reader, name| {
            if let Some(entry) = T::read(reader)? {
                map.insert(name, entry);
            }
            Ok(())
        })?;
        Ok(found.then_some(map))
    }

    fn structure<T: Shape>(&mut self) -> Decoded<Option<T>> {
        let mut shape = T::default();
        let found = self.object(T::MEMBERS, |reader, member| {
            shape.read_member(member, reader)
        })?;
        Ok(found.then_some(shape))
    }
}
