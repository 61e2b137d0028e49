//! Items that stand in the way of a change, each with its key.

use keyfold_types::Item;

/// The kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemKind {
    /// Two items would have the same unique value.
    NotUnique,
    /// The new key is that of another item.
    KeyTaken,
    /// An attribute has no value of its new type, or none at all.
    Value,
    /// The item is not as the old model writes it, nor as the new one.
    Unreadable,
    /// The item cannot be written in one transaction, or is too large.
    TooLarge,
    /// The key attribute of a new index has another type.
    IndexKey,
    /// It is counted in an item that is not there.
    NoParent,
    /// It holds what an earlier version, or another model, has left where the new version reads something else.
    LeftOver,
}

impl ProblemKind {
    /// The word of programs.
    pub fn word(self) -> &'static str {
        match self {
            ProblemKind::NotUnique => "not_unique",
            ProblemKind::KeyTaken => "key_taken",
            ProblemKind::Value => "value",
            ProblemKind::Unreadable => "unreadable",
            ProblemKind::TooLarge => "too_large",
            ProblemKind::IndexKey => "index_key",
            ProblemKind::NoParent => "no_parent",
            ProblemKind::LeftOver => "left_over",
        }
    }
}

/// An item that stands in the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The kind.
    pub kind: ProblemKind,
    /// The table.
    pub table: String,
    /// The key of the item.
    pub key: Item,
    /// What is wrong, as a sentence without its end.
    pub message: String,
}
