//! Differences between an existing table and the model, with the line of the model.

use keyfold_model::diagnostic::Span;

/// The line of the model that a table contradicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Declared {
    /// That of the table.
    Table,
    /// That of an index.
    Index(Span),
    /// A line of the table that begins with a word, and has a name.
    Setting(&'static str, String),
}

/// A difference between a table and the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line of the model.
    pub declared: Declared,
    /// What the model says, and what the table has.
    pub text: String,
}
