//! Text to declarations. Knows the shape of the language, not its meaning.

pub(crate) mod ast;
mod format;
mod grammar;
mod lexer;
mod parser;

pub use format::format;
pub use grammar::{GRAMMAR, grammar_markdown};
pub(crate) use parser::parse;
