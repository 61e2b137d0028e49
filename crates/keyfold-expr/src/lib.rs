//! The expression language: conditions, filters, projections, key conditions and updates.
//!
//! Each expression takes these steps once: `lexer` cuts the text into tokens; `parser` builds a
//! tree that still holds placeholders; `bind` replaces them, and checks reserved words, operand
//! types and everything else that needs no item. The bound form is evaluated on encoded items.
//!
//! ```text
//! "#s = :paid AND size(lines) > :n"  ->  And[Compare(=, status, "paid"), Compare(>, size(lines), 3)]
//! ```
//!
//! The crate knows no store and no table: a key condition becomes tests on attributes, and the
//! engine turns them into a range.

mod ast;
mod bind;
mod budget;
mod condition;
pub mod error;
mod key_condition;
mod lexer;
mod parser;
pub mod partiql;
mod path;
mod placeholder;
mod projection;
mod reserved;
mod update;

pub use ast::Comparator;
pub use budget::Budget;
pub use condition::{Condition, Operand};
pub use error::{ExprError, ExprErrorKind, ExpressionKind, UpdateError};
pub use key_condition::{KeyCondition, KeyTerm, KeyTest};
pub use path::{Name, Path};
pub use placeholder::{Literal, PlaceholderError, Placeholders};
pub use projection::Projection;
pub use update::{AttributeChange, Update};
