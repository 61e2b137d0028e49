//! What a comparison of two tables finds.

use keyfold_types::Item;

/// How an item differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The target lacks it.
    Missing,
    /// Only the target has it.
    Extra,
    /// These attributes are others, or only one side has them.
    Attributes(Vec<String>),
}

/// The result of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compared {
    /// The items of the source and of the target.
    pub items: [u64; 2],
    /// The items that differ, by their key.
    pub differences: Vec<(Item, Difference)>,
    /// The items that changed at each look, and so were not decided.
    pub undecided: Vec<Item>,
    /// Whether it ended early, since there are more differences than were to be named.
    pub is_cut: bool,
    /// The read units of both sides, in halves.
    pub halves: u64,
}

impl Compared {
    /// Whether both sides have the same items.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty() && self.undecided.is_empty()
    }
}
