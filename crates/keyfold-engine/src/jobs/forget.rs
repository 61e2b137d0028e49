//! Backups, exports and imports whose time is over are forgotten.

use super::turn::Work;
use crate::base::error::internal;
use crate::base::layout;
use crate::base::time::DAY_MS;
use crate::core::Core;
use crate::table::backup::Backup;
use keyfold_api::ApiError;
use keyfold_store::Batch;

/// Retention of ended exports and imports: 90 days, as in the service.
const SHOWN_MS: u64 = 90 * DAY_MS;

/// Removes the backups whose time is over.
pub(super) fn backups(core: &Core) -> Result<Work, ApiError> {
    let now = core.now_ms();
    let is_over =
        |backup: &Backup| backup.is_complete && backup.expires_epoch_ms.is_some_and(|at| at < now);
    if !core
        .catalog()
        .backups()
        .values()
        .any(|backup| is_over(backup))
    {
        return Ok(Work::Done);
    }
    let mut backups = core.catalog().write_backups();
    let over: Vec<_> = backups
        .iter()
        .filter(|(_, backup)| is_over(backup))
        .map(|(place, backup)| (place.clone(), backup.id))
        .collect();
    let mut batch = Batch::new();
    for (_, id) in &over {
        batch.remove(layout::backup_record(*id));
        batch.put(layout::dropped(*id), Vec::new());
    }
    let ticket = core.store().stage(batch).map_err(internal)?;
    over.iter()
        .for_each(|(place, _)| drop(backups.remove(place)));
    drop(backups);
    ticket.wait().map_err(internal)?;
    Ok(Work::More)
}

/// Forgets exports and imports that ended long ago. What they wrote stays.
pub(super) fn transfers(core: &Core) -> Result<Work, ApiError> {
    let horizon = core.now_ms().saturating_sub(SHOWN_MS);
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
