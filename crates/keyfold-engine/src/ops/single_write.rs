//! The common path of PutItem, UpdateItem and DeleteItem: lock, read, evaluate, apply, stage.

use crate::base::error::internal;
use crate::base::pending::Pending;
use crate::catalog::ready;
use crate::check::{CheckedReturns, TableName};
use crate::core::Core;
use crate::item::apply::{Author, Stamp, apply};
use crate::item::collection::collection_metrics;
use crate::item::evaluate::Change;
use crate::item::plan::ItemWrite;
use crate::item::refusal::Refusal;
use crate::item::right::check_right;
use crate::read::capacity;
use keyfold_api::{ApiError, ErrorKind, ReturnValue, WriteItemOutput};
use keyfold_codec::RawItem;
use keyfold_expr::{Budget, Path, Projection};
use keyfold_store::{Batch, Ticket};
use keyfold_types::limits::WRITE_WORK_BYTES_MAX;

/// A checked write of one item.
pub(crate) struct SingleWrite {
    pub(crate) table: TableName,
    pub(crate) write: ItemWrite,
    pub(crate) return_values: ReturnValue,
    /// The paths an update changes, for UPDATED_OLD and UPDATED_NEW.
    pub(crate) targets: Vec<Path>,
    pub(crate) returns: CheckedReturns,
}

/// Executes a checked write, or returns the error of its check.
pub(crate) fn run(core: &Core, checked: Result<SingleWrite, ApiError>) -> Pending<WriteItemOutput> {
    match checked.and_then(|write| locked(core, write)) {
        Ok(pending) => pending,
        Err(error) => Pending::ready(Err(error)),
    }
}

fn locked(core: &Core, single: SingleWrite) -> Result<Pending<WriteItemOutput>, ApiError> {
    let SingleWrite {
        table: given,
        write,
        return_values,
        targets,
        returns,
    } = single;
    let tables = core.tables_for_writing();
    let table = ready(&tables, given.name())?;
    check_right(core, table, write.right())?;
    let plan = write.plan(table)?;
    let _key = core.store().lock([plan.key.as_slice()]);
    if core.is_in_conflict(&plan.key) {
        let message = "Transaction is ongoing for the item".to_owned();
        return Err(ApiError::Plain(ErrorKind::TransactionConflict, message));
    }
    let before = plan.read_before(core)?;
    let before_bytes = before.as_ref().map_or(0, RawItem::size_bytes);
    let change = match plan.evaluate(before, &Budget::new(WRITE_WORK_BYTES_MAX)) {
        Ok(change) => change,
        Err(refusal) => {
            if let Some(throttle) = core.throttle() {
                throttle
                    .failed(
                        &core.asked(&plan.table.name),
                        &plan.table,
                        plan.key.as_slice(),
                        before_bytes,
                    )
                    .map_err(Refusal::Throttled)?;
            }
            // The refusal depends on a version that may not be durable yet.
            return Ok(Pending::after(core.store().barrier(), Err(refusal.into())));
        }
    };
    let mut batch = Batch::new();
    let bill = apply(
        core,
        &mut batch,
        &plan,
        &change,
        Stamp::now(core, Author::Client),
    )?;
    // Read before the staging: a client would repeat a write whose answer fails.
    let item_collection_metrics = if returns.collection_metrics {
        collection_metrics(core, &plan)?
    } else {
        None
    };
    let ticket = stage(core, batch)?;
    let output = WriteItemOutput {
        attributes: returned(change, return_values, targets),
        consumed_capacity: capacity::of_write(&given.given, bill, returns.capacity),
        item_collection_metrics,
    };
    Ok(Pending::after(ticket, Ok(output)))
}

/// Stages a batch. The ticket of an empty batch covers the writes that the answer depends on.
pub(crate) fn stage(core: &Core, batch: Batch) -> Result<Ticket, ApiError> {
    if batch.is_empty() {
        return Ok(core.store().barrier());
    }
    core.store().stage(batch).map_err(internal)
}

fn returned(change: Change<'_>, wanted: ReturnValue, targets: Vec<Path>) -> Option<RawItem> {
    let parts = |item: Option<RawItem>| {
        let chosen = Projection::of_paths(targets).apply(&item?);
        chosen.attributes().next().is_some().then_some(chosen)
    };
    match wanted {
        ReturnValue::None => None,
        ReturnValue::AllOld => change.before,
        ReturnValue::AllNew => change.after,
        ReturnValue::UpdatedOld => parts(change.before),
        ReturnValue::UpdatedNew => parts(change.after),
    }
}
