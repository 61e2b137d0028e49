//! Values, numbers, names, sizes and limits of the DynamoDB data model.
//!
//! The types that all other crates share: attribute values, their sizes as DynamoDB counts them, the
//! schemas of keys. Plain data and arithmetic only: no JSON, no bytes on disk, no I/O.

pub mod capacity;
pub mod item;
pub mod key;
pub mod limits;
pub mod number;
pub mod sum;
pub mod value;

pub use capacity::CapacityHalves;
pub use item::Item;
pub use key::{KeyAttribute, KeyKind, KeySchema};
pub use number::{Number, NumberError};
pub use sum::Sum;
pub use value::{Set, SetError, Value, ValueKind};
