//! The numbers of items and bytes of a table and of each index.

use crate::base::layout::{self, Counter};
use crate::table::Table;
use keyfold_codec::key::IndexId;
use keyfold_store::Batch;

/// Counts an item or entry that appears, disappears or changes its size.
pub(crate) fn count(
    batch: &mut Batch,
    table: &Table,
    index: IndexId,
    was: bool,
    is: bool,
    old_bytes: u64,
    new_bytes: u64,
) {
    batch.add(
        layout::counter(table.id, index, Counter::Entries),
        i64::from(is) - i64::from(was),
    );
    batch.add(
        layout::counter(table.id, index, Counter::Bytes),
        new_bytes as i64 - old_bytes as i64,
    );
}
