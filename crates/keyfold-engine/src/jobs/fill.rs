//! Filling a table that clients do not use yet.

use crate::base::error::internal;
use crate::core::Core;
use crate::item::apply::{Author, Stamp, apply};
use crate::item::plan::{Action, ItemWrite};
use crate::table::Table;
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_expr::Budget;
use keyfold_store::Batch;
use std::collections::HashSet;
use std::sync::Arc;

/// Whether a client could write the item to the table.
pub(super) fn fits(table: &Arc<Table>, item: &keyfold_types::Item) -> bool {
    ItemWrite::new(Action::Put(item.clone()))
        .plan(table)
        .is_ok_and(|plan| plan.evaluate(None, &Budget::unbounded()).is_ok())
}

/// Puts items into a table that clients do not use yet. Items whose attributes do not fit an index
/// have no entry.
pub(super) fn fill(core: &Core, table: &Arc<Table>, items: Vec<RawItem>) -> Result<(), ApiError> {
    // As every writer does that reads what it changes: nothing staged is withdrawn meanwhile.
    let tables = core.tables_for_writing();
    let failures = core.store().failures();
    let mut batch = Batch::new();
    let mut filled = HashSet::new();
    let stamp = Stamp::now(core, Author::Filling);
    for item in items {
        let write = ItemWrite::new(Action::Put(item.to_item()));
        let plan = write.plan_filling(table)?;
        if !filled.insert(plan.key.clone()) {
            // The same key again: the write must see the item in the batch. That no write has failed
            // meanwhile covers this batch, too.
            drop(
                core.store()
                    .stage(std::mem::take(&mut batch))
                    .map_err(internal)?,
            );
            filled = HashSet::from([plan.key.clone()]);
        }
        let before = plan.read_before(core).map_err(ApiError::from)?;
        let change = plan.filled(before, item);
        apply(core, &mut batch, &plan, &change, stamp).map_err(ApiError::from)?;
    }
    let ticket = core.store().stage(batch).map_err(internal)?;
    drop(tables);
    ticket.wait().map_err(internal)?;
    let all = core.store().barrier_since(failures);
    all.wait().map_err(internal)
}
