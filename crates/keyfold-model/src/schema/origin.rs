//! Where the items of an entity come from in a relational database, as `from` in the model says it. What
//! the database really has is not known here: `keyfold migrate` compares it.

use crate::diagnostic::Span;

/// The rows of a relational database that the items of an entity are made of: one item of each row of the
/// first table, with what is joined to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The table whose rows are the items.
    pub table: SqlTable,
    /// The tables joined to it, in order.
    pub joins: Vec<Join>,
    /// The condition of the rows, in SQL of the database, and its place in the model.
    pub only: Option<(String, Span)>,
    /// Attributes and what they are taken from. An attribute that is not named here is taken from the
    /// column of the first table that has its name, as it is or in the form `like_this`.
    pub set: Vec<(String, Taken)>,
    /// Columns of the first table that are taken from an item when the tables lead. A column that is not named here
    /// is taken from the attribute that is taken from it.
    pub back: Vec<GivenBack>,
    /// The place of `from` in the model.
    pub span: Span,
}

/// A table of a relational database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlTable {
    /// Its schema, where the model says one.
    pub schema: Option<String>,
    /// Its name.
    pub name: String,
    /// Its name in the `from` line.
    pub alias: String,
    /// The place of the table's name in the model.
    pub span: Span,
}

/// A table that is joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Join {
    /// Whether a row without a counterpart stays.
    pub is_left: bool,
    /// The table.
    pub table: SqlTable,
    /// The columns that are equal.
    pub on: Vec<(SqlColumn, SqlColumn)>,
}

/// A column of a table of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlColumn {
    /// The table's name in the line.
    pub alias: String,
    /// The column's name.
    pub column: String,
    /// The place in the model.
    pub span: Span,
}

/// What an attribute is taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// A column.
    Column(SqlColumn),
    /// An expression in SQL of the database, and its place in the model.
    Expression(String, Span),
}

/// A column of the first table, and what of an item it is taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenBack {
    /// The column.
    pub column: String,
    /// Its place in the model.
    pub span: Span,
    /// An expression in SQL of the database over the attributes' names.
    pub sql: String,
    /// The place of the expression in the model.
    pub sql_span: Span,
}

impl Origin {
    /// Its tables, the first one first.
    pub fn tables(&self) -> impl Iterator<Item = &SqlTable> {
        std::iter::once(&self.table).chain(self.joins.iter().map(|join| &join.table))
    }

    /// What an attribute is taken from, where the line says it.
    pub fn taken(&self, attribute: &str) -> Option<&Taken> {
        let mut set = self.set.iter();
        set.find(|(name, _)| name == attribute)
            .map(|(_, from)| from)
    }
}
