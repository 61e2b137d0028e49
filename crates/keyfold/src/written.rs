//! The effect of a write.

use crate::error::Error;
use keyfold_client::write;
use keyfold_client::write::Made;
use std::collections::BTreeMap;

/// Values that were not given, by attribute, as texts.
type Texts = BTreeMap<String, String>;

/// The effect of a write. `M` is the type of what it made: of a generated client's write, a struct.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Written<M = Texts> {
    /// The operation: PutItem, UpdateItem, DeleteItem, TransactWriteItems; GetItem when nothing had
    /// to be written.
    pub operation: String,
    /// The change of each item, for people: `put Order`, `delete the guard of email`.
    pub changes: Vec<String>,
    /// Capacity units.
    pub units: f64,
    /// Values that were not given, by attribute: identifiers of `= new`, times of `= now`.
    pub made: M,
}

/// The effect of a transaction. `W` holds the effect of each write: a list, or a tuple.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Transacted<W = Vec<OneOfSeveral>> {
    /// The operation: TransactWriteItems; that of the one item where only one changes; GetItem when
    /// nothing had to be written.
    pub operation: String,
    /// Capacity units.
    pub units: f64,
    /// The effect of each write, in their order.
    pub writes: W,
}

/// The effect of one write of a transaction.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OneOfSeveral<M = Texts> {
    /// The change of each item. An item that several writes change is the first one's.
    pub changes: Vec<String>,
    /// Values that were not given, by attribute.
    pub made: M,
}

/// The effect of a batch that was written as a whole.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BatchWritten<M = Texts> {
    /// The number of requests.
    pub requests: u32,
    /// Capacity units.
    pub units: f64,
    /// For each item, values that were not given, by attribute.
    pub made: Vec<M>,
}

/// Values that were made, by attribute.
fn shown(made: &[Made]) -> Texts {
    let one = |one: &Made| {
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

impl<M> Written<M> {
    /// The effect of a write, with what it made as a type.
    pub(crate) fn typed(
        written: write::Written,
        made: impl FnOnce(Vec<Made>) -> Result<M, Error>,
    ) -> Result<Written<M>, Error> {
        Ok(Written {
            operation: written.operation.to_owned(),
            made: made(written.made)?,
            units: written.capacity.units(),
            changes: written.changes,
        })
    }
}

impl Transacted {
    pub(crate) fn of(done: write::Transacted) -> Transacted {
        let writes = done.writes.iter().map(|one| OneOfSeveral {
            made: shown(&one.made),
            changes: one.changes.clone(),
        });
        let writes = writes.collect();
        Transacted::typed(&done, writes)
    }
}

impl<W> Transacted<W> {
    /// The effect of a transaction, with that of each write.
    pub(crate) fn typed(done: &write::Transacted, writes: W) -> Transacted<W> {
        Transacted {
            operation: done.operation.to_owned(),
            units: done.capacity.units(),
            writes,
        }
    }
}

impl BatchWritten {
    pub(crate) fn of(done: write::ManyWritten) -> BatchWritten {
        let made = done.made.iter().map(|one| shown(one)).collect();
        BatchWritten::typed(&done, made)
    }
}

impl<M> BatchWritten<M> {
    /// The effect of a batch, with what was made of each item.
    pub(crate) fn typed(done: &write::ManyWritten, made: Vec<M>) -> BatchWritten<M> {
        BatchWritten {
            requests: done.requests,
            units: done.capacity.units(),
            made,
        }
    }
}
