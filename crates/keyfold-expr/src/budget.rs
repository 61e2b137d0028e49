//! Work that an evaluation may do, counted in bytes looked at.
//!
//! An expression of a few bytes can look at megabytes of values for each item of a page. A page, or
//! a write, is given a budget; evaluation spends it, and whoever gave it ends the page early, or
//! refuses the write, when it is spent. One item is always looked at whole: what can be spent on it
//! is bounded by the expression's and the item's own limits.

use std::cell::Cell;

/// What looking at an attribute costs at least.
const STEP_BYTES: u64 = 32;

/// Bytes that may still be looked at.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
}

impl Budget {
    /// A budget of so many bytes.
    pub fn new(bytes: u64) -> Budget {
        Budget {
            left: Cell::new(bytes),
        }
    }

    /// A budget that is never spent.
    pub fn unbounded() -> Budget {
        Budget::new(u64::MAX)
    }

    /// Spends bytes, and a little for having looked at all.
    pub(crate) fn spend(&self, bytes: usize) {
        self.left
            .set(self.left.get().saturating_sub(bytes as u64 + STEP_BYTES));
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }
}
