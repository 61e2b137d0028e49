//! Values, numbers, names, sizes and limits of the DynamoDB data model.
//!
//! The vocabulary every other crate speaks: what an attribute value is, how large DynamoDB counts
//! it, what a key is made of. Plain data and arithmetic only: no JSON, no bytes on disk, no I/O.

pub mod capacity;
pub mod item;
pub mod key;
pub mod limits;
pub mod number;
pub mod value;

pub use capacity::CapacityHalves;
pub use item::Item;
pub use key::{KeyAttribute, KeyKind, KeySchema};
pub use number::{Number, NumberError};
pub use value::{Set, SetError, Value, ValueKind};
