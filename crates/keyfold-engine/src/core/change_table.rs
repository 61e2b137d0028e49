//! A change of a table's definition, in the store and in the catalog.

use super::Core;
use crate::base::error::internal;
use crate::catalog;
use crate::table::Table;
use keyfold_api::ApiError;
use keyfold_store::Batch;
use std::sync::Arc;

/// Changes a table's definition, if the table still exists. The catalog changes with the staging:
/// the lock is not held during the sync.
pub(crate) fn change_table(
    core: &Core,
    table: &Table,
    change: impl FnOnce(&mut Table),
) -> Result<(), ApiError> {
    try_change_table(core, table, |table| {
        change(table);
        Ok(Some(()))
    })
    .map(drop)
}

/// As [`change_table`], for a change that depends on the definition as it is then: it fails, or returns
/// `None` and nothing changes.
pub(crate) fn try_change_table<T>(
    core: &Core,
    table: &Table,
    change: impl FnOnce(&mut Table) -> Result<Option<T>, ApiError>,
) -> Result<Option<T>, ApiError> {
    let mut tables = core.catalog().write();
    let Some(current) = tables
        .get(&table.name)
        .filter(|current| current.id == table.id)
    else {
        return Ok(None);
    };
    let mut changed = Table::clone(current);
    let Some(result) = change(&mut changed)? else {
        return Ok(None);
    };
    let mut batch = Batch::new();
    catalog::put_record(&mut batch, &changed);
    let ticket = core.store().stage(batch).map_err(internal)?;
    if let Some(stale) = core.stale_reads() {
        stale.catch_up();
    }
    tables.insert(changed.name.clone(), Arc::new(changed));
    drop(tables);
    ticket.wait().map_err(internal)?;
    Ok(Some(result))
}
