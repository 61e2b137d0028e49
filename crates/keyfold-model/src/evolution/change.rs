//! What a change is: its class, who may run beside whom, and the work on the data that it needs.

use crate::diagnostic::Span;

/// What a change needs of the data that is there, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Nothing is written, and nothing is read in another way.
    Nothing,
    /// Writers of the new version write something else; items that are there stay as they are.
    NewWritersOnly,
    /// Items that are there are written again under their keys, or items beside them are written.
    Backfill,
    /// Items that are there get other keys: each is put and deleted in one transaction.
    Rekey,
    /// Items go to a table that is made for them.
    NewTable,
    /// The data cannot be brought to the new version without a decision that the models do not say.
    Impossible,
}

impl Class {
    /// All classes, the least first.
    pub const ALL: [Class; 6] = [
        Class::Nothing,
        Class::NewWritersOnly,
        Class::Backfill,
        Class::Rekey,
        Class::NewTable,
        Class::Impossible,
    ];

    /// The class in words.
    pub fn word(self) -> &'static str {
        match self {
            Class::Nothing => "nothing",
            Class::NewWritersOnly => "new writers only",
            Class::Backfill => "backfill",
            Class::Rekey => "rekey",
            Class::NewTable => "new table",
            Class::Impossible => "impossible",
        }
    }
}

/// Whether two programs may run at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// They may.
    Yes,
    /// They may not.
    No {
        /// What goes wrong, as a sentence without its end.
        because: String,
        /// A key or a value of which it goes wrong.
        example: Option<String>,
    },
}

impl Verdict {
    /// A verdict against, without an example.
    pub(super) fn no(because: impl Into<String>) -> Verdict {
        Verdict::No {
            because: because.into(),
            example: None,
        }
    }

    /// A verdict against, with an example.
    pub(super) fn no_as(because: impl Into<String>, example: impl Into<String>) -> Verdict {
        Verdict::No {
            because: because.into(),
            example: Some(example.into()),
        }
    }

    /// Whether they may.
    pub fn is_yes(&self) -> bool {
        *self == Verdict::Yes
    }

    /// The first verdict against of two.
    #[must_use]
    pub(super) fn and(self, other: Verdict) -> Verdict {
        if self.is_yes() { other } else { self }
    }
}

/// Who may run beside whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdicts {
    /// A reader of the old version on items that the new version wrote.
    pub old_reader: Verdict,
    /// A reader of the new version on items that the old version wrote.
    pub new_reader: Verdict,
    /// A writer of the old version beside one of the new version.
    pub writers: Verdict,
}

impl Verdicts {
    /// All may run beside each other.
    pub(super) fn all() -> Verdicts {
        Verdicts {
            old_reader: Verdict::Yes,
            new_reader: Verdict::Yes,
            writers: Verdict::Yes,
        }
    }

    /// Nothing may run beside anything of the other version.
    pub(super) fn none(verdict: &Verdict) -> Verdicts {
        Verdicts {
            old_reader: verdict.clone(),
            new_reader: verdict.clone(),
            writers: verdict.clone(),
        }
    }

    /// What both allow; where one does not, its reason.
    #[must_use]
    pub(super) fn and(self, other: Verdicts) -> Verdicts {
        Verdicts {
            old_reader: self.old_reader.and(other.old_reader),
            new_reader: self.new_reader.and(other.new_reader),
            writers: self.writers.and(other.writers),
        }
    }
}

/// The place of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the old model: it is gone.
    Old(Span),
    /// In the new model.
    New(Span),
}

/// What is deleted of an entity that is gone, in words.
pub(super) const ALL_ITEMS: &str = "its items with their copies and guards";

/// Work on the tables or on the items that are there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// A table is made.
    AddTable(String),
    /// A table is deleted.
    RemoveTable(String),
    /// An index is made of the items that have its key attributes.
    AddIndex {
        /// The table.
        table: String,
        /// The index.
        index: String,
    },
    /// An index is deleted.
    RemoveIndex {
        /// The table.
        table: String,
        /// The index.
        index: String,
    },
    /// The settings of a table are updated.
    UpdateTable(String),
    /// The items of a table expire by an attribute from now on, or do not any more.
    Expiry {
        /// The table.
        table: String,
        /// The attribute.
        attribute: String,
        /// Whether it is switched on.
        is_on: bool,
    },
    /// Each item of an entity is written again under its key.
    Rewrite {
        /// The entity, as the new model calls it.
        entity: String,
    },
    /// Values that the new version does not have are replaced, by the old version and by people: nothing
    /// says which others they become.
    Settle {
        /// The entity, as the new model calls it.
        entity: String,
        /// The items, in words.
        which: String,
    },
    /// An item is written beside each item of an entity: a copy or a guard.
    WriteBeside {
        /// The entity, as the new model calls it.
        entity: String,
        /// Whether programs of the new version find items by it: it is there before they run.
        is_first: bool,
    },
    /// Each item of an entity is put under its new key, and deleted under its old one.
    Rekey {
        /// The entity, as the new model calls it.
        entity: String,
        /// Whether the new key is in another table.
        is_elsewhere: bool,
    },
    /// Items that the new version does not have are deleted: those of an entity, its copies, its
    /// guards, or attributes of it that would keep its items in an index.
    Drop {
        /// The entity, as the old model calls it.
        entity: String,
        /// What is deleted, in words.
        what: String,
        /// Whether it lies where the new version would find it: it goes before the new version reads.
        is_in_the_way: bool,
        /// Whether it is attributes of items, which stay; else whole items.
        is_of_items: bool,
    },
    /// An aggregate is computed of the items that are there, while nobody writes them.
    Compute {
        /// The entity that keeps it, as the new model calls it.
        entity: String,
        /// The aggregate.
        attribute: String,
        /// The entity whose items are counted, as the new model calls it.
        of: String,
    },
    /// The rows of a view are built anew.
    Rebuild {
        /// The view.
        view: String,
    },
}

/// A difference of two models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What changes, such as `entity User`.
    pub what: String,
    /// How, as a sentence without its end.
    pub how: String,
    /// Its place.
    pub place: Place,
    /// What it needs of the data.
    pub class: Class,
    /// Why it is of this class, as a sentence without its end.
    pub reason: String,
    /// What can be done, where it cannot be carried out as it is.
    pub help: Option<String>,
    /// The entities whose items it concerns, as the new model calls them where it has them.
    pub entities: Vec<String>,
    /// The tables that it concerns.
    pub tables: Vec<String>,
    /// Who may run beside whom.
    pub verdicts: Verdicts,
    /// The work that it needs.
    pub work: Vec<Work>,
}
