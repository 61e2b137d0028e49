//! The effect of a write.

use keyfold_client::write;
use std::collections::BTreeMap;

/// The effect of a write.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Written {
    /// The operation: PutItem, UpdateItem, DeleteItem, TransactWriteItems; GetItem when nothing had
    /// to be written.
    pub operation: String,
    /// The change of each item, for people: `put Order`, `delete the guard of email`.
    pub changes: Vec<String>,
    /// Capacity units.
    pub units: f64,
    /// Values that were not given, by attribute: identifiers of `= new`, times of `= now`.
    pub made: BTreeMap<String, String>,
}

impl Written {
    pub(crate) fn of(written: write::Written) -> Written {
        let made = written.made.iter().map(|one| {
            (
                one.attribute.clone(),
                keyfold_model::value::display(&one.value),
            )
        });
        Written {
            operation: written.operation.to_owned(),
            made: made.collect(),
            units: written.capacity.units(),
            changes: written.changes,
        }
    }
}
