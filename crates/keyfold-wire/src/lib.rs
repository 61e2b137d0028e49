//! DynamoDB's JSON to and from the API types. The only crate that knows it.
//!
//! - [`target`]: which operation a request asks for.
//! - [`mod@decode`]: bodies to inputs, straight from the bytes: no JSON tree in between.
//! - [`encode`]: outputs and errors to bodies, straight from stored items.
//! - [`client`]: the other direction, for clients of a server: inputs to bodies, bodies to outputs.
//!
//! Decoding judges shapes only. What is wrong with a value (a number out of range, an empty set) is
//! kept in the input and reported by the engine, in DynamoDB's order.

pub mod admin;
pub mod client;
pub mod decode;
pub mod encode;
mod shaped;
pub mod target;

pub use decode::{DecodeError, decode};
pub use encode::{encode_error, encode_response};
