//! The numbers of items and bytes of a table and of each index.

use crate::base::layout::{self, Counter};
use crate::table::Table;
use keyfold_codec::key::IndexId;
use keyfold_store::Batch;

/// Counts an item or entry that appears, disappears or changes its size: its bytes before and after
/// the change, none while it does not exist.
pub(crate) fn count(
    batch: &mut Batch,
    table: &Table,
    index: IndexId,
    (before, after): (Option<u64>, Option<u64>),
) {
    let counter = |counter| layout::counter(table.id, index, counter);
    let existing = |bytes: Option<u64>| i64::from(bytes.is_some());
    let size = |bytes: Option<u64>| bytes.unwrap_or(0) as i64;
    batch.add(
        counter(Counter::Entries),
        existing(after) - existing(before),
    );
    batch.add(counter(Counter::Bytes), size(after) - size(before));
}
