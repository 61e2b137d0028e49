//! DeleteTable: removes the definition at once, and the items in the background. With point-in-time
//! recovery on, a system backup remains for 35 days.

use crate::base::error::{being_created, internal};
use crate::base::layout;
use crate::base::pending::Pending;
use crate::check::{Constraints, TableName};
use crate::core::Core;
use crate::core::tasks::Task;
use crate::jobs;
use crate::ops::{describe_table, stream_setting};
use crate::table::Table;
use keyfold_api::{
    ApiError, BackupType, DeleteTableInput, TableDescription, TableStatus, Validation,
};
use keyfold_store::Batch;
use std::sync::Arc;

pub(crate) fn run(core: &Core, input: DeleteTableInput) -> Pending<TableDescription> {
    delete(core, input).unwrap_or_else(|error| Pending::ready(Err(error)))
}

fn delete(core: &Core, input: DeleteTableInput) -> Result<Pending<TableDescription>, ApiError> {
    let mut constraints = Constraints::default();
    constraints.control_table(&input.table_name)?;
    constraints.finish()?;
    let given = TableName::new(input.table_name);
    let mut tables = core.catalog().write();
    let table = tables
        .get(given.name())
        .cloned()
        .ok_or_else(|| ApiError::named_table_not_found(given.name()))?;
    if table.status == TableStatus::Creating {
        return Err(being_created(&table.name));
    }
    if table.settings.deletion_protection {
        return Err(Validation::DeletionProtected.into());
    }
    // The description of a deleted table has only its name, sizes and settings.
    let description = TableDescription {
        creation_date_time: None,
        key_schema: None,
        attribute_definitions: None,
        ..describe_table::describe(core, &table, TableStatus::Deleting)?
    };
    let mut batch = Batch::new();
    let remaining = match &table.settings.recovery {
        None => None,
        Some(_) => {
            let name = format!("{}$DeletedTableBackup", table.name);
            Some(jobs::backup::begin(
                core,
                &mut batch,
                &table,
                (name, BackupType::System),
            )?)
        }
    };
    let stream = stream_setting::close(core, &mut batch, &mut Table::clone(&table))?;
    batch.remove(layout::table_record(&table.name));
    batch.put(layout::dropped(table.id), Vec::new());
    let ticket = core.store().stage(batch).map_err(internal)?;
    core.catalog().put_stream(stream);
    if let Some(backup) = remaining {
        let (place, backup) = ((table.name.clone(), backup.label.clone()), Arc::new(backup));
        core.tasks().add(Task::Backup(Arc::clone(&backup)));
        core.catalog().write_backups().insert(place, backup);
    }
    tables.remove(given.name());
    drop(tables);
    core.signal().wake();
    Ok(Pending::after(ticket, Ok(description)))
}
