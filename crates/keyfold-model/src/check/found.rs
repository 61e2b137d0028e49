//! A plan with its key space: the input of the rules that need a plan.

use super::shape::{Owner, Space};
use crate::schema::PatternPlan;

/// A plan that serves a pattern, with the key space that it reads.
pub(crate) struct Found {
    pub(crate) plan: PatternPlan,
    /// The table, by place.
    pub(crate) table: usize,
    pub(crate) space: Space,
    /// The kinds of items that the pattern returns.
    pub(crate) members: Vec<Owner>,
}
