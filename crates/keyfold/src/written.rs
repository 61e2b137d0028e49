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

/// The effect of a transaction.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Transacted {
    /// The operation: TransactWriteItems; that of the one item where only one changes; GetItem when
    /// nothing had to be written.
    pub operation: String,
    /// Capacity units.
    pub units: f64,
    /// The effect of each write, in their order.
    pub writes: Vec<OneOfSeveral>,
}

/// The effect of one write of a transaction.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OneOfSeveral {
    /// The change of each item. An item that several writes change is the first one's.
    pub changes: Vec<String>,
    /// Values that were not given, by attribute.
    pub made: BTreeMap<String, String>,
}

impl Transacted {
    pub(crate) fn of(done: write::Transacted) -> Transacted {
        let writes = done.writes.into_iter().map(|one| OneOfSeveral {
            made: shown(&one.made),
            changes: one.changes,
        });
        Transacted {
            operation: done.operation.to_owned(),
            units: done.capacity.units(),
            writes: writes.collect(),
        }
    }
}

/// The effect of a batch that was written as a whole.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BatchWritten {
    /// The number of requests.
    pub requests: u32,
    /// Capacity units.
    pub units: f64,
    /// For each item, values that were not given, by attribute.
    pub made: Vec<BTreeMap<String, String>>,
}

impl BatchWritten {
    pub(crate) fn of(done: write::ManyWritten) -> BatchWritten {
        BatchWritten {
            requests: done.requests,
            units: done.capacity.units(),
            made: done.made.iter().map(|one| shown(one)).collect(),
        }
    }
}

/// Values that were made, by attribute.
fn shown(made: &[write::Made]) -> BTreeMap<String, String> {
    let one = |one: &write::Made| {
        let text = keyfold_model::value::display(&one.value);
        (one.attribute.clone(), text)
    };
    made.iter().map(one).collect()
}

impl Written {
    pub(crate) fn of(written: write::Written) -> Written {
        Written {
            operation: written.operation.to_owned(),
            made: shown(&written.made),
            units: written.capacity.units(),
            changes: written.changes,
        }
    }
}
