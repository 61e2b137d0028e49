//! Text to declarations. Knows the shape of the language, not its meaning.

pub(crate) mod ast;
mod lexer;
mod parser;

pub(crate) use parser::parse;
