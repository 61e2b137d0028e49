//! Structures whose members are all optional. A declaration lists the name, the type and the API's
//! name of each member once.
//!
//! It generates the Rust struct, and a walk over its members for reading and for writing. A format
//! (the wire's JSON) implements [`ShapeReader`] and [`ShapeWriter`]. The inputs and outputs of the
//! operations on items are read and written by hand, because they are the fast path.

use crate::named::{Named, WireName};
use crate::value::{AttributeValue, Attributes};
use keyfold_codec::RawItem;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;

/// A structure of the API.
pub trait Shape: Default {
    /// The members' names in the API.
    const MEMBERS: &'static [&'static str];

    /// Reads one member's value.
    ///
    /// # Errors
    /// The reader's error when the value has another type.
    fn read_member<R: ShapeReader>(&mut self, member: &str, reader: &mut R)
    -> Result<(), R::Error>;

    /// Writes every member that is present, in the order of the declaration.
    fn write_members<W: ShapeWriter>(&self, writer: &mut W);
}

/// A type that a member can have.
pub trait Member: Sized {
    /// Reads a value; `None` for a null.
    ///
    /// # Errors
    /// The reader's error when the value has another type.
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error>;

    /// Writes the value.
    fn write<W: ShapeWriter>(&self, writer: &mut W);
}

/// Reads values of a format. A null reads as `None`.
#[expect(
    clippy::missing_errors_doc,
    reason = "each fails when the value has another type"
)]
pub trait ShapeReader {
    /// The error for a value of another type.
    type Error;
    /// Skips a value; returns whether it was not null.
    fn present(&mut self) -> Result<bool, Self::Error>;
    /// A text.
    fn text(&mut self) -> Result<Option<String>, Self::Error>;
    /// A whole number.
    fn integer(&mut self) -> Result<Option<i64>, Self::Error>;
    /// A number.
    fn number(&mut self) -> Result<Option<f64>, Self::Error>;
    /// True or false.
    fn boolean(&mut self) -> Result<Option<bool>, Self::Error>;
    /// An attribute value.
    fn value(&mut self) -> Result<Option<AttributeValue>, Self::Error>;
    /// Attribute values by name.
    fn attributes(&mut self) -> Result<Option<Attributes>, Self::Error>;
    /// A list.
    fn elements<T: Member>(&mut self) -> Result<Option<Vec<T>>, Self::Error>;
    /// Values by name.
    fn entries<T: Member>(&mut self) -> Result<Option<BTreeMap<String, T>>, Self::Error>;
    /// A structure.
    fn structure<T: Shape>(&mut self) -> Result<Option<T>, Self::Error>;
}

/// Writes values of a format.
pub trait ShapeWriter {
    /// Writes the name of a member, whose value follows.
    fn member(&mut self, name: &str);
    /// A text.
    fn text(&mut self, text: &str);
    /// A whole number.
    fn integer(&mut self, number: i64);
    /// A number.
    fn number(&mut self, number: f64);
    /// A point in time, in seconds since the epoch.
    fn moment(&mut self, epoch_ms: u64);
    /// True or false.
    fn boolean(&mut self, value: bool);
    /// An attribute value.
    fn value(&mut self, value: &Value);
    /// Attribute values by name.
    fn attributes(&mut self, item: &Item);
    /// Attribute values by name, of an encoded item.
    fn encoded(&mut self, item: &RawItem);
    /// A list.
    fn elements<T: Member>(&mut self, list: &[T]);
    /// Values by name.
    fn entries<T: Member>(&mut self, map: &BTreeMap<String, T>);
    /// A structure.
    fn structure<T: Shape>(&mut self, shape: &T);
}

/// A point in time, in milliseconds since the epoch. The API writes seconds with a fraction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub u64);

/// A member of which only the presence is kept: Keyfold refuses it (see `COMPAT.md`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Present;

impl Member for Present {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        Ok(reader.present()?.then_some(Present))
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        writer.boolean(true);
    }
}

impl Member for String {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        reader.text()
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        writer.text(self);
    }
}

impl Member for i64 {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        reader.integer()
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        writer.integer(*self);
    }
}

impl Member for bool {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        reader.boolean()
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        writer.boolean(*self);
    }
}

impl Member for Moment {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        Ok(reader
            .number()?
            .map(|seconds| Moment((seconds.max(0.0) * 1000.0).round() as u64)))
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        writer.moment(self.0);
    }
}

impl<T: WireName> Member for Named<T> {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        Ok(reader.text()?.map(|text| T::named(&text)))
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        match self {
            Named::Known(word) => writer.text(word.word()),
            Named::Unknown(text) => writer.text(text),
        }
    }
}

impl<T: Member> Member for Vec<T> {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        reader.elements()
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        writer.elements(self);
    }
}

impl<T: Member> Member for BTreeMap<String, T> {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        reader.entries()
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        writer.entries(self);
    }
}

impl Member for AttributeValue {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        reader.value()
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        // A wrong value cannot be written. A null is written instead.
        writer.value(self.as_ref().unwrap_or(&Value::Null));
    }
}

impl Member for Attributes {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        reader.attributes()
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        match self {
            Ok(item) => writer.attributes(item),
            Err(_) => writer.attributes(&Item::new()),
        }
    }
}

impl Member for RawItem {
    fn read<R: ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
        Ok(reader
            .attributes()?
            .and_then(Result::ok)
            .map(|item| RawItem::encode(&item)))
    }

    fn write<W: ShapeWriter>(&self, writer: &mut W) {
        writer.encoded(self);
    }
}

macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty = $member:literal,)* })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $name {
            $(#[doc = concat!("`", $member, "`.")] pub $field: Option<$type>,)*
        }

        impl $crate::shape::Shape for $name {
            const MEMBERS: &'static [&'static str] = &[$($member),*];

            #[allow(unused_variables, clippy::match_single_binding, reason = "a shape may have no member")]
            fn read_member<R: $crate::shape::ShapeReader>(
                &mut self,
                member: &str,
                reader: &mut R,
            ) -> Result<(), R::Error> {
                match member {
                    $($member => self.$field = $crate::shape::Member::read(reader)?,)*
                    _ => {}
                }
                Ok(())
            }

            #[allow(unused_variables, reason = "a shape may have no member")]
            fn write_members<W: $crate::shape::ShapeWriter>(&self, writer: &mut W) {
                $(if let Some(value) = &self.$field {
                    writer.member($member);
                    $crate::shape::Member::write(value, writer);
                })*
            }
        }

        impl $crate::shape::Member for $name {
            fn read<R: $crate::shape::ShapeReader>(reader: &mut R) -> Result<Option<Self>, R::Error> {
                reader.structure()
            }

            fn write<W: $crate::shape::ShapeWriter>(&self, writer: &mut W) {
                writer.structure(self);
            }
        }
    )+};
}
pub(crate) use shapes;
