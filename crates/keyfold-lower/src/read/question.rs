//! A pattern with everything that its requests need.

use crate::arguments::Values;
use crate::bound::order;
use crate::error::ClientError;
use crate::lengths::{self, KeyPart};
use crate::lowering::Io;
use keyfold_model::schema::{Limit, Parameter};
use keyfold_model::{Part, PatternPlan, Table};
use keyfold_types::{Item, Value};
use std::cmp::Ordering;

/// A pattern with everything that its requests need.
pub(super) struct Question<'q> {
    pub(super) io: &'q Io,
    /// The pattern, for messages.
    pub(super) name: &'q str,
    pub(super) table: &'q Table,
    pub(super) plan: &'q PatternPlan,
    /// The caller's arguments, and the values that the pattern fixes.
    pub(super) arguments: Values,
    /// The pattern's parameters.
    pub(super) parameters: &'q [Parameter],
    /// The digest attributes of lists that are joined from parts.
    pub(super) digests: Vec<String>,
    pub(super) limit: Option<u32>,
    pub(super) backward: bool,
}

impl<'q> Question<'q> {
    /// A plan with its arguments: without parameters that end a range, and without a limit.
    pub(super) fn of(
        (io, name): (&'q Io, &'q str),
        table: &'q Table,
        plan: &'q PatternPlan,
        arguments: &Values,
    ) -> Question<'q> {
        Question {
            io,
            name,
            table,
            plan,
            arguments: arguments.clone(),
            parameters: &[],
            digests: Vec::new(),
            limit: None,
            backward: false,
        }
    }

    /// Checks the length of an attribute of a key that the pattern asks for.
    ///
    /// # Errors
    /// `Value` when it is longer than a key can be.
    pub(super) fn check_length(
        &self,
        part: KeyPart,
        column: (&str, &[Part]),
        held: &Value,
    ) -> Result<(), ClientError> {
        let of = || format!("the pattern {}", self.name);
        lengths::check(of, part, column, held)
    }

    /// Whether the requests read in descending order of sort keys.
    pub(super) fn is_descending(&self) -> bool {
        self.plan.descending != self.backward
    }

    /// The order in which the answer has two items, by their sort keys. Absent attributes are
    /// equal to all.
    pub(super) fn compare(&self, one: &Item, other: &Item) -> Ordering {
        let by_attribute =
            self.plan
                .sort_attributes
                .iter()
                .map(|name| match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => order(one, other).unwrap_or(Ordering::Equal),
                    _ => Ordering::Equal,
                });
        let ordering = by_attribute.fold(Ordering::Equal, Ordering::then);
        if self.is_descending() {
            ordering.reverse()
        } else {
            ordering
        }
    }

    /// The end of a range that a parameter gives; `None` for other parameters.
    pub(super) fn range_end(&self, parameter: &str) -> Option<Limit> {
        let is_end = |limit: Limit| limit.is_lower() || limit.is_upper();
        self.parameters
            .iter()
            .find(|one| one.name == parameter && is_end(one.limit))
            .map(|one| one.limit)
    }
}
