//! Values of a program as attribute values, and back, by serde. Numbers are exact.
//!
//! - `fault`: errors with the path to the member.
//! - `write`: anything that serde can serialize becomes a value; `plain` is the reverse direction
//!   of values that are serialized themselves.
//! - `read`: a value becomes anything that serde can deserialize; `entries` are its lists, maps and
//!   variants.

pub(crate) mod fault;
pub(crate) mod number;
pub(crate) mod plain;
pub(crate) mod read;
pub(crate) mod write;
