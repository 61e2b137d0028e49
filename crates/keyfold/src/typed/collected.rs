//! The whole answer of a pattern of several kinds, of which one has single items: `Order + OrderItem[]`.

use super::members::Answer;

/// The enum of a pattern's kinds, and the struct of all of its items by kind.
pub trait Collected: Answer {
    /// The struct.
    type Whole;

    /// Puts each item to its kind.
    ///
    /// # Errors
    /// When an item is absent that must be there.
    fn collected(items: Vec<Self>) -> Result<Self::Whole, Absent>;
}

/// The kind of which there is no item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absent(pub(super) &'static str);

#[doc(hidden)]
impl Absent {
    /// The item of a kind that has one.
    ///
    /// # Errors
    /// When it is absent.
    pub fn one<T>(items: Vec<T>, kind: &'static str) -> Result<T, Absent> {
        items.into_iter().next().ok_or(Absent(kind))
    }

    /// The item of a kind that has one at most.
    ///
    /// # Errors
    /// None.
    pub fn optional<T>(items: Vec<T>, _: &'static str) -> Result<Option<T>, Absent> {
        Ok(items.into_iter().next())
    }

    /// The items of a kind that has any number.
    ///
    /// # Errors
    /// None.
    pub fn many<T>(items: Vec<T>, _: &'static str) -> Result<Vec<T>, Absent> {
        Ok(items)
    }
}
