//! The report of a write.

pub use crate::complete::Made;
use keyfold_types::CapacityHalves;

/// The report of a write.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The operation: PutItem, UpdateItem, DeleteItem or TransactWriteItems; GetItem when nothing
    /// had to be written.
    pub operation: &'static str,
    /// The change of each item: `put Order`, `delete the guard of email`.
    pub changes: Vec<String>,
    /// The capacity consumed by all requests of the write, those that read included.
    pub capacity: CapacityHalves,
    /// Attributes that were not given and have the present moment or a new identifier.
    pub made: Vec<Made>,
}

/// The report of several writes in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Transacted {
    /// The operation: TransactWriteItems; that of the one item where only one changes; GetItem when
    /// nothing had to be written.
    pub operation: &'static str,
    /// The capacity consumed.
    pub capacity: CapacityHalves,
    /// What each write did, in their order.
    pub writes: Vec<OfPart>,
}

/// The report of one write of a transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OfPart {
    /// The change of each item. An item that several writes change is the first one's.
    pub changes: Vec<String>,
    /// Attributes that were not given and have the present moment or a new identifier.
    pub made: Vec<Made>,
}

impl Written {
    /// The report when nothing had to be written, and reading it consumed this.
    pub(super) fn nothing(capacity: CapacityHalves) -> Written {
        Written {
            operation: "GetItem",
            changes: Vec::new(),
            capacity,
            made: Vec::new(),
        }
    }

    pub(super) fn with(self, made: Vec<Made>) -> Written {
        Written { made, ..self }
    }
}
