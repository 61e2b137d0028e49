//! Removing expired backups, and the records of old exports and imports.

use super::turn::Work;
use crate::base::error::internal;
use crate::base::layout;
use crate::base::time::DAY_MS;
use crate::core::Core;
use crate::table::backup::Backup;
use keyfold_api::ApiError;
use keyfold_store::Batch;

/// Retention of ended exports and imports: 90 days, as in the service.
const RECORD_MS: u64 = 90 * DAY_MS;

/// Removes expired backups.
pub(super) fn backups(core: &Core) -> Result<Work, ApiError> {
    let now = core.now_ms();
    let is_expired =
        |backup: &Backup| backup.is_complete && backup.expires_epoch_ms.is_some_and(|at| at < now);
    if !core
        .catalog()
        .backups()
        .values()
        .any(|backup| is_expired(backup))
    {
        return Ok(Work::Done);
    }
    let mut backups = core.catalog().write_backups();
    let expired: Vec<_> = backups
        .iter()
        .filter(|(_, backup)| is_expired(backup))
        .map(|(place, backup)| (place.clone(), backup.id))
        .collect();
    let mut batch = Batch::new();
    for (_, id) in &expired {
        batch.remove(layout::backup_record(*id));
        batch.put(layout::dropped(*id), Vec::new());
    }
    let ticket = core.store().stage(batch).map_err(internal)?;
    expired
        .iter()
        .for_each(|(place, _)| drop(backups.remove(place)));
    drop(backups);
    ticket.wait().map_err(internal)?;
    Ok(Work::More)
}

/// Removes the records of exports and imports that ended long ago. Their files and tables stay.
pub(super) fn transfers(core: &Core) -> Result<Work, ApiError> {
    let horizon = core.now_ms().saturating_sub(RECORD_MS);
    let is_old = |ended: Option<u64>| ended.is_some_and(|ended| ended < horizon);
    let has_old = core
        .catalog()
        .exports()
        .values()
        .any(|export| is_old(export.ended))
        || core
            .catalog()
            .imports()
            .values()
            .any(|import| is_old(import.ended));
    if !has_old {
        return Ok(Work::Done);
    }
    let mut exports = core.catalog().write_exports();
    let mut imports = core.catalog().write_imports();
    let mut batch = Batch::new();
    for export in exports.values().filter(|export| is_old(export.ended)) {
        batch.remove(layout::export_record(export.id));
    }
    for import in imports.values().filter(|import| is_old(import.ended)) {
        batch.remove(layout::import_record(import.id));
    }
    let ticket = core.store().stage(batch).map_err(internal)?;
    exports.retain(|_, export| !is_old(export.ended));
    imports.retain(|_, import| !is_old(import.ended));
    drop((exports, imports));
    ticket.wait().map_err(internal)?;
    Ok(Work::Done)
}
