//! Tables that are watched.

use super::kind::Kind;

/// A table whose rows are told by the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) schema: String,
    pub(super) name: String,
    /// The columns by which its rows are told.
    pub(super) columns: Vec<(String, Kind)>,
    /// Whether names of tables have capitals and small letters, and these differ.
    pub(super) is_exact: bool,
}

impl Table {
    /// Whether a name is that of the table.
    pub(super) fn is(&self, schema: &str, name: &str) -> bool {
        match self.is_exact {
            true => self.schema == schema && self.name == name,
            false => {
                self.schema.eq_ignore_ascii_case(schema) && self.name.eq_ignore_ascii_case(name)
            }
        }
    }
}
