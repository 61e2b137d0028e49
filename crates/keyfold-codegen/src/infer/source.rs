//! A table whose items are read.

use super::definition::TableDefinition;

/// A table and the attribute that names the kind of each of its items.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) table: &'t TableDefinition,
    pub(super) kind_attribute: Option<&'t str>,
    /// Whether the table declares it: then each entity has the name that its items say.
    pub(super) is_declared: bool,
}

impl<'t> Source<'t> {
    /// The attribute that the table declares as its `type`.
    pub(super) fn type_attribute(&self) -> Option<&'t str> {
        self.kind_attribute.filter(|_| self.is_declared)
    }
}
