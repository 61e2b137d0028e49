//! Parsed statements.

use crate::condition::Condition;
use crate::path::Path;
use crate::update::Update;
use keyfold_types::Item;

/// A statement with its parameters in place.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// Reads items.
    Select(Select),
    /// Creates an item that must not exist.
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
        /// A condition that names the key of the item, and tests on its other attributes.
        condition: Condition,
        /// The image that the response returns; none for no image.
        returning: Option<Returning>,
    },
    /// Removes an item.
    Delete {
        /// The table.
        table: String,
        /// A condition that names the key of the item, and tests on its other attributes.
        condition: Condition,
        /// The image that the response returns; none for no image.
        returning: Option<Returning>,
    },
    /// Requires that a SELECT finds its item; in transactions only.
    Exists(Select),
}

/// A SELECT.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// The paths that are returned of each item; none for the whole item.
    pub columns: Option<Vec<Path>>,
    /// The table.
    pub table: String,
    /// The index; none for the table itself.
    pub index: Option<String>,
    /// The condition that items must meet; none for all items.
    pub condition: Option<Condition>,
    /// Key attributes to sort by, each with whether the order is descending.
    pub order: Vec<(String, bool)>,
}

/// The image of an item that a write returns.
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

impl Statement {
    /// The name of the table.
    pub fn table(&self) -> &str {
        match self {
            Statement::Select(select) | Statement::Exists(select) => &select.table,
            Statement::Insert { table, .. }
            | Statement::Update { table, .. }
            | Statement::Delete { table, .. } => table,
        }
    }

    /// Whether the statement only reads.
    pub fn is_read(&self) -> bool {
        matches!(self, Statement::Select(_))
    }
}
