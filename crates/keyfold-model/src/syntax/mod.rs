//! Text to declarations. Knows the shape of the language, not its meaning.

pub(crate) mod ast;
mod format;
mod lexer;
mod parser;

pub use format::format;
pub(crate) use parser::parse;
