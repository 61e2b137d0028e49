//! Limits the work of evaluations, counted in bytes that they look at.
//!
//! An expression of a few bytes can look at megabytes of values for each item of a page. The reader
//! of a page, or the writer, creates a budget, and evaluations spend it. When it is spent, the
//! reader ends the page early, and the writer refuses the write. An evaluation that has begun
//! always finishes its item: the limits of expressions and items bound its cost.

use std::cell::Cell;

/// The least cost of looking at an attribute.
const STEP_BYTES: u64 = 32;

/// Bytes that may still be looked at.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
}

impl Budget {
    /// A budget of `bytes` bytes.
    pub fn new(bytes: u64) -> Budget {
        Budget {
            left: Cell::new(bytes),
        }
    }

    /// A budget that is never spent.
    pub fn unbounded() -> Budget {
        Budget::new(u64::MAX)
    }

    /// Spends `bytes` and a constant for the attribute.
    pub(crate) fn spend(&self, bytes: usize) {
        self.left
            .set(self.left.get().saturating_sub(bytes as u64 + STEP_BYTES));
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }
}
