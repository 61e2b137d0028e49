//! A table whose items are read.

use super::definition::TableDefinition;

/// A table and the attribute that names the kind of each of its items.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub(super) table: &'t TableDefinition,
    pub(super) type_attribute: Option<&'t str>,
}
