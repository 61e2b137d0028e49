//! Resuming long work after a restart.

use super::{export, import};
use crate::core::Core;
use crate::core::tasks::Task;
use keyfold_api::{ApiError, ExportStatus, ImportStatus, TableStatus};
use keyfold_store::StoreError;
use std::sync::Arc;

/// Resumes the long work that the end of the process interrupted.
pub(crate) fn resume(core: &Core) -> Result<(), ApiError> {
    let catalog = core.catalog();
    let backups: Vec<_> = catalog
        .backups()
        .values()
        .filter(|backup| !backup.is_complete)
        .cloned()
        .collect();
    backups
        .into_iter()
        .for_each(|backup| core.tasks().add(Task::Backup(backup)));
    let tables: Vec<_> = catalog.read().values().cloned().collect();
    let restored = tables
        .iter()
        .filter(|table| table.status == TableStatus::Creating && table.settings.restored.is_some());
    restored.for_each(|table| core.tasks().add(Task::Restore(Arc::clone(table))));
    let exports: Vec<_> = catalog.exports().values().cloned().collect();
    for export in exports
        .into_iter()
        .filter(|export| export.status == ExportStatus::InProgress)
    {
        match tables.iter().find(|table| table.uuid == export.table_uuid) {
            // An export that has only waited can still begin.
            Some(table) if !export.is_begun => {
                core.tasks().add(Task::Export {
                    export,
                    table: Arc::clone(table),
                });
            }
            Some(_) | None => unless_full(
                core,
                export::fail(
                    core,
                    &export,
                    "The server stopped before the end, or the table is gone",
                ),
            )?,
        }
    }
    let imports: Vec<_> = catalog.imports().values().cloned().collect();
    for import in imports
        .into_iter()
        .filter(|import| import.status == ImportStatus::InProgress)
    {
        match tables.iter().find(|table| table.id == import.table.id) {
            Some(table) if !import.is_begun => {
                core.tasks().add(Task::Import {
                    import,
                    table: Arc::clone(table),
                });
            }
            Some(_) | None => unless_full(
                core,
                import::fail(core, &import, "The server stopped before the end"),
            )?,
        }
    }
    Ok(())
}

/// Passes over a failure to note something for want of room: the next start notes it.
fn unless_full(core: &Core, noted: Result<(), ApiError>) -> Result<(), ApiError> {
    match core.store().refusal() {
        Some(StoreError::Full(_)) => Ok(()),
        Some(_) | None => noted,
    }
}
