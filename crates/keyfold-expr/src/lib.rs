//! The expression language: conditions, filters, projections, key conditions and updates.
//!
//! The way of an expression, each step once: [`lexer`] cuts the text into tokens, [`parser`] builds
//! a tree that still holds placeholders, `bind` replaces them (checking reserved words, operand
//! types and everything else that needs no item), and the bound form is evaluated on encoded items.
//!
//! ```text
//! "#s = :paid AND size(lines) > :n"  ->  And[Compare(=, status, "paid"), Compare(>, size(lines), 3)]
//! ```
//!
//! The crate knows no store and no table: a key condition becomes tests on attributes, which the
//! engine turns into a range.

mod ast;
mod bind;
mod budget;
pub mod condition;
pub mod error;
pub mod key_condition;
mod lexer;
mod parser;
pub mod partiql;
pub mod path;
pub mod placeholder;
pub mod projection;
pub mod reserved;
pub mod update;

pub use budget::Budget;
pub use condition::{Comparator, Condition, Operand};
pub use error::{ExprError, ExprErrorKind, ExpressionKind, UpdateError};
pub use key_condition::{KeyCondition, KeyTerm, KeyTest};
pub use path::{Name, Path, PathPart};
pub use placeholder::{Literal, PlaceholderError, Placeholders};
pub use projection::Projection;
pub use update::{AttributeChange, Update};
