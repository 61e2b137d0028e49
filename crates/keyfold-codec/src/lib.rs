//! The bytes of keys and items: order-preserving keys and compact items. No other crate knows these
//! formats.
//!
//! - [`number`]: a Number as bytes whose order is the order of the values.
//! - [`key`]: key values, primary keys and index keys as bytes, and the ranges over them.
//! - [`raw`]: an encoded value that is read, compared and measured in place.
//! - [`item`]: an encoded item with its size and checksum.
//! - [`plain`]: texts that JSON writes without escapes.
//!
//! The encoding is canonical: equal values have equal bytes, so equality is `memcmp`.
//! `docs/format.md` draws every byte.

pub mod item;
pub mod key;
pub mod number;
pub mod plain;
pub mod raw;
mod varint;

pub use item::{CodecError, RawItem};
pub use key::KeyBytes;
pub use raw::{Entries, RawValue};
