//! The names and values that expressions refer to.

use crate::value::ValueError;
use keyfold_types::Value;
use std::collections::BTreeMap;

/// `ExpressionAttributeNames` and `ExpressionAttributeValues`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExpressionAttributes {
    /// `#name` to attribute name.
    pub names: Option<BTreeMap<String, String>>,
    /// `:value` to value, or the first placeholder whose value is wrong with its error.
    pub values: Option<Result<BTreeMap<String, Value>, (String, ValueError)>>,
}

impl ExpressionAttributes {
    /// Adds a name placeholder.
    #[must_use]
    pub fn name(mut self, placeholder: impl Into<String>, name: impl Into<String>) -> Self {
        self.names
            .get_or_insert_default()
            .insert(placeholder.into(), name.into());
        self
    }

    /// Adds a value placeholder.
    #[must_use]
    pub fn value(mut self, placeholder: impl Into<String>, value: impl Into<Value>) -> Self {
        if let Ok(values) = self.values.get_or_insert_with(|| Ok(BTreeMap::new())) {
            values.insert(placeholder.into(), value.into());
        }
        self
    }
}
