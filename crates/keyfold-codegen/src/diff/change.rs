//! A difference, and the migration that it asks for.

use keyfold_model::{Sources, Span};

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

/// The place of a difference in the text of one of the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the old model: what the new one does not have.
    Old(Span),
    /// In the new model.
    New(Span),
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The part of the model that changed: `entity Order`, `pattern orders_of_user`.
    pub what: String,
    /// The place of the part; `None` for the whole model.
    pub place: Option<Place>,
    /// The change, in words.
    pub how: String,
    /// The migration of existing data.
    pub migration: Migration,
    /// The steps of the migration, in words; empty when there are none.
    pub todo: String,
}

impl Change {
    /// Its place as people name it.
    pub fn place_in<'s>(
        &self,
        old: &'s Sources,
        new: &'s Sources,
    ) -> Option<keyfold_model::Place<'s>> {
        self.place.map(|place| match place {
            Place::Old(span) => old.place(span.start),
            Place::New(span) => new.place(span.start),
        })
    }
}

/// Collects the changes of one part of the model.
pub(super) struct Changes<'c> {
    what: String,
    place: Option<Place>,
    all: &'c mut Vec<Change>,
}

impl<'c> Changes<'c> {
    /// Adds the changes of a part to all changes.
    pub(super) fn of(
        what: String,
        place: impl Into<Option<Place>>,
        all: &'c mut Vec<Change>,
    ) -> Changes<'c> {
        let place = place.into();
        Changes { what, place, all }
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
            place: self.place,
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
