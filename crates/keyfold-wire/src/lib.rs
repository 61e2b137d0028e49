//! DynamoDB's JSON to and from the API types. No other crate knows this JSON.
//!
//! - [`target`]: the operation that a request names.
//! - [`mod@decode`]: request bodies to inputs, directly from the bytes, without a JSON tree.
//! - [`encode`]: outputs and errors to response bodies, directly from stored items.
//! - [`client`]: the other direction for clients: inputs to bodies, bodies to outputs.
//!
//! Decoding checks shapes only. An error in a value (a number out of range, an empty set) is kept
//! in the input and reported by the engine, in DynamoDB's order.

pub mod admin;
pub mod client;
pub mod decode;
pub mod encode;
mod shaped;
pub mod target;

pub use decode::{DecodeError, decode};
pub use encode::{encode_error, encode_response};
