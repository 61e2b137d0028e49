//! Items as Amazon Ion: strings, decimals, blobs, lists and structs; sets are lists with an
//! annotation.
//!
//! ```text
//! $ion_1_0 {Item:{p:"a",n:103.,s:$dynamodb_SS::["x","y"]}}
//! ```

mod binary;
mod decode;
mod encode;
mod limits;
mod scanner;
mod values;

pub(crate) use encode::{item, line};
pub(crate) use values::Values;
