//! A plan that has been found, and where: what the rules that need a plan are told.

use super::shape::{Owner, Space};
use crate::schema::PatternPlan;

/// A plan and what is needed to judge it.
pub(crate) struct Found {
    pub(crate) plan: PatternPlan,
    pub(crate) table: usize,
    pub(crate) space: Space,
    pub(crate) members: Vec<Owner>,
}
