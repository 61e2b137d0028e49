//! PartiQL, the part of it that DynamoDB has: SELECT, INSERT, UPDATE, DELETE and EXISTS on one
//! table.
//!
//! A statement becomes what the native operations are made of: conditions, updates, paths. Which
//! attributes are keys, and so whether a SELECT is a Query or a Scan, the engine finds out from
//! [`Statement`]'s condition. Source: "PartiQL - a SQL-compatible query language for Amazon
//! DynamoDB".
//!
//! ```text
//! SELECT a, b.c FROM "Tab"."Index" WHERE pk = ? AND begins_with(sk, 'x') ORDER BY sk DESC
//! INSERT INTO Tab VALUE {'pk': 'a', 'n': 1}
//! UPDATE Tab SET n = n + 1 REMOVE old WHERE pk = 'a' RETURNING ALL NEW *
//! DELETE FROM Tab WHERE pk = 'a' AND n > 3
//! ```

mod condition;
mod lexer;
mod parser;
mod value;

use crate::condition::Condition;
use crate::path::Path;
use crate::update::Update;
use keyfold_types::limits::STATEMENT_CHARS_MAX;
use keyfold_types::{Item, NumberError, SetError, Value, ValueKind};

/// A statement with its parameters in place.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// Reads items.
    Select(Select),
    /// Makes an item that must not exist.
    Insert {
        /// The table.
        table: String,
        /// The item.
        item: Item,
    },
    /// Changes an item that must exist.
    Update {
        /// The table.
        table: String,
        /// The changes.
        update: Update,
        /// Which item, and what must hold of it.
        condition: Condition,
        /// What is answered.
        returning: Option<Returning>,
    },
    /// Removes an item.
    Delete {
        /// The table.
        table: String,
        /// Which item, and what must hold of it.
        condition: Condition,
        /// What is answered.
        returning: Option<Returning>,
    },
    /// Requires that a SELECT finds its item; in transactions only.
    Exists(Select),
}

/// What a SELECT reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// The parts of each item; none for all.
    pub columns: Option<Vec<Path>>,
    /// The table.
    pub table: String,
    /// The index.
    pub index: Option<String>,
    /// Which items.
    pub condition: Option<Condition>,
    /// Key attributes to sort by, and whether descending.
    pub order: Vec<(String, bool)>,
}

/// What a write answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returning {
    /// The whole item before.
    AllOld,
    /// The whole item after.
    AllNew,
    /// The changed parts before.
    ModifiedOld,
    /// The changed parts after.
    ModifiedNew,
}

/// What is wrong with a statement. `Display` is DynamoDB's message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartiqlError {
    /// It does not follow the grammar.
    #[error("Statement wasn't well formed, can't be processed: {0}")]
    Syntax(String),
    /// The number of `?` is not that of the parameters.
    #[error("Number of parameters in request and statement don't match.")]
    Parameters,
    /// A number that cannot be stored.
    #[error("{}", crate::error::number_message(*.0))]
    Number(NumberError),
    /// A list between `<<` and `>>` that is no set.
    #[error("Statement wasn't well formed, can't be processed: {0}")]
    Set(SetError),
    /// Grammar of SQL that DynamoDB does not carry out.
    #[error("Unsupported operation: {0}")]
    Unsupported(String),
    /// Two targets of an update get in each other's way.
    #[error(
        "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {0}, path two: {1}"
    )]
    Overlap(Path, Path),
    /// A text that is not read at all.
    #[error("The statement has more than {STATEMENT_CHARS_MAX} characters")]
    TooLong,
    /// A value that has no order is compared by order.
    #[error(
        "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {}",
        found.descriptor()
    )]
    OperandType {
        /// The operator.
        operator: String,
        /// What it was given.
        found: ValueKind,
    },
    /// A document path of more than 32 steps.
    #[error("The document path has too many nesting levels; nesting levels: {levels}")]
    PathTooDeep {
        /// How many it has.
        levels: usize,
    },
    /// A position that no list can have.
    #[error("List index is not within the allowable range; index: [{0}]")]
    ListIndex(String),
    /// Two columns that would be called the same.
    #[error("Two columns of the statement have the same name: {0}")]
    Columns(String),
}

impl Statement {
    /// Reads a statement; `parameters` are the values of its `?`, in order.
    ///
    /// # Errors
    /// [`PartiqlError`].
    pub fn parse(text: &str, parameters: &[Value]) -> Result<Statement, PartiqlError> {
        parser::parse(text, parameters)
    }

    /// The table.
    pub fn table(&self) -> &str {
        match self {
            Statement::Select(select) | Statement::Exists(select) => &select.table,
            Statement::Insert { table, .. }
            | Statement::Update { table, .. }
            | Statement::Delete { table, .. } => table,
        }
    }

    /// Whether it reads only.
    pub fn is_read(&self) -> bool {
        matches!(self, Statement::Select(_))
    }
}
