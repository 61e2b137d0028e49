//! Text to declarations. This module knows the shape of the language, not its meaning.

pub(crate) mod ast;
mod blame;
mod change;
pub(crate) mod foreign;
mod format;
mod grammar;
mod lexer;
mod parser;
mod sql_words;

pub(crate) use blame::remove_consequences;
pub use format::{format, format_without_comments};
pub use grammar::{GRAMMAR, grammar_markdown};
pub use parser::MEMBER_WORDS;
pub(crate) use parser::{head, parse};
