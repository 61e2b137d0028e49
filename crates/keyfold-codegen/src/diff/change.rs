//! A difference, and the migration that it asks for.

/// The work on existing data that a difference asks for, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Migration {
    /// Nothing.
    None,
    /// The table's definition changes: an index is built or dropped, a table is made.
    Definition,
    /// Every item of an entity gets something more: attributes, index keys, copies, guards.
    Backfill,
    /// Every item of an entity is written again, under another key or in another form.
    Rewrite,
    /// Items are deleted.
    Delete,
}

impl Migration {
    /// Its word, as messages and JSON write it.
    pub fn word(self) -> &'static str {
        match self {
            Migration::None => "nothing",
            Migration::Definition => "definition",
            Migration::Backfill => "backfill",
            Migration::Rewrite => "rewrite",
            Migration::Delete => "delete",
        }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The part of the model that changed: `entity Order`, `pattern orders_of_user`.
    pub what: String,
    /// The change, in words.
    pub how: String,
    /// The migration of existing data.
    pub migration: Migration,
    /// The steps of the migration, in words; empty when there are none.
    pub todo: String,
}

/// Collects the changes of one part of the model.
pub(super) struct Changes<'c> {
    what: String,
    all: &'c mut Vec<Change>,
}

impl<'c> Changes<'c> {
    /// Adds the changes of a part to all changes.
    pub(super) fn of(what: String, all: &'c mut Vec<Change>) -> Changes<'c> {
        Changes { what, all }
    }

    /// Adds a change with its migration.
    pub(super) fn add(
        &mut self,
        how: impl Into<String>,
        migration: Migration,
        todo: impl Into<String>,
    ) {
        self.all.push(Change {
            what: self.what.clone(),
            how: how.into(),
            migration,
            todo: todo.into(),
        });
    }

    /// Adds a change that leaves the data as it is.
    pub(super) fn add_harmless(&mut self, how: impl Into<String>) {
        self.add(how, Migration::None, "");
    }
}
