//! DeleteTable: the definition goes at once, the items in the background.

use crate::check::{Constraints, TableName};
use crate::engine::Engine;
use crate::layout;
use crate::ops::describe_table;
use crate::pending::{Pending, internal};
use keyfold_api::{ApiError, DeleteTableInput, TableDescription, TableStatus, Validation};
use keyfold_store::Batch;

pub(crate) fn run(engine: &Engine, input: DeleteTableInput) -> Pending<TableDescription> {
    delete(engine, input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn delete(engine: &Engine, input: DeleteTableInput) -> Result<Pending<TableDescription>, ApiError> {
    let mut constraints = Constraints::default();
    constraints.table("tableName", &input.table_name);
    constraints.finish()?;
    let given = TableName::new(input.table_name);
    let mut tables = engine.catalog().write();
    let table = tables.get(given.name()).ok_or_else(|| ApiError::named_table_not_found(given.name()))?;
    if table.deletion_protection {
        return Err(Validation::DeletionProtected.into());
    }
    let description = describe_table::describe(engine, table, TableStatus::Deleting)?;
    let mut batch = Batch::new();
    batch.remove(layout::table_record(&table.name));
    batch.put(layout::dropped(table.id), Vec::new());
    let ticket = engine.store().stage(batch).map_err(internal)?;
    tables.remove(given.name());
    drop(tables);
    engine.sweeper().wake_after(ticket.clone());
    Ok(Pending::after(ticket, Ok(description)))
}
