//! What a dry run has seen.

use crate::problem::{Problem, ProblemKind};
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The most problems and unknown items that are kept as examples.
pub(crate) const EXAMPLES_MAX: usize = 100;

/// What a dry run has seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) problems: Vec<Problem>,
    pub(crate) problems_count: u64,
    pub(crate) unknown: Vec<(String, Item)>,
    pub(crate) unknown_count: u64,
    /// The number of the pass over the items.
    pub(crate) pass: u32,
    /// Whether each of them was looked at before.
    pub(crate) is_again: bool,
    /// The items that were read of each table, by pass.
    reads: BTreeMap<(String, u32), u64>,
    /// Whether an item of the old model was met.
    pub(crate) has_old: bool,
    pub(crate) claims: Vec<(u128, ProblemKind)>,
    pub(crate) units: u64,
    pub(crate) requests: u64,
}

pub(crate) fn locked(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Seen {
    /// Counts items that a pass has read of a table.
    pub(crate) fn read(&mut self, table: &str, items: u64) {
        let at = (table.to_owned(), self.pass);
        *self.reads.entry(at).or_default() += items;
    }

    /// The items of the tables that were read, each counted once.
    pub(crate) fn items(&self) -> u64 {
        let mut most: BTreeMap<&str, u64> = BTreeMap::new();
        for ((table, _), items) in &self.reads {
            let known = most.entry(table).or_default();
            *known = (*known).max(*items);
        }
        most.values().sum()
    }

    pub(crate) fn add(&mut self, problem: Problem) {
        self.problems_count += 1;
        if self.problems.len() < EXAMPLES_MAX {
            self.problems.push(problem);
        }
    }
}
