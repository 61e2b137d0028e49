//! The names of a model's texts, for editors: where each is declared, and where it is mentioned.
//!
//! Names are found in the declarations as they are written, so that a text with errors has them, too:
//! a line that cannot be read is left out. Several names may be one thing under one name, such as an
//! attribute of two entities that a pattern has as one parameter. They are *linked*: renaming one
//! renames all, and the model means the same.
//!
//! ```text
//! entity Order                        Order      declared
//!   orderId: string                   orderId    declared, an attribute of Order
//!   key "ORDER#{orderId}" "META"      orderId    mentioned
//! pattern order(orderId) -> Order?    orderId    mentioned; Order mentioned
//! ```

mod attribute;
mod collect;
mod conditions;
mod entity;
mod found;
mod pattern;
mod scope;
mod write;

pub use found::{Declared, Mention, NameKind, Names};
