//! Copying a table's items at the moment of a backup, under the backup's id.
//!
//! During the copy the table keeps every change, so that the items of the moment can be derived. A
//! copy that is interrupted begins again, with the same result.

use super::job::Job;
use super::turn::Work;
use crate::base::error::internal;
use crate::base::layout;
use crate::base::time::DAY_MS;
use crate::catalog;
use crate::core::Core;
use crate::state_at::StateAt;
use crate::table::Table;
use crate::table::backup::Backup;
use keyfold_api::ApiError;
use keyfold_api::BackupType;
use keyfold_codec::RawItem;
use keyfold_codec::key;
use keyfold_codec::key::IndexId;
use keyfold_store::Batch;
use std::sync::Arc;

pub(super) struct BackupJob {
    backup: Arc<Backup>,
    state: Option<StateAt>,
    /// Items copied, and their bytes.
    size: (u64, u64),
}

impl BackupJob {
    pub(super) fn new(backup: Arc<Backup>) -> BackupJob {
        BackupJob {
            backup,
            state: None,
            size: (0, 0),
        }
    }

    fn copy(&mut self, core: &Core, items: Vec<RawItem>) -> Result<(), ApiError> {
        let table = &self.backup.table;
        let mut batch = Batch::new();
        for item in items {
            self.size = (self.size.0 + 1, self.size.1 + item.size_bytes());
            let keys = item.select(|name| table.key.contains(name)).to_item();
            let key = key::base_key(self.backup.id, &table.key, &keys).map_err(|_| {
                ApiError::Internal(format!("an item of table {} lacks its key", table.name))
            })?;
            batch.put(key.as_slice().to_vec(), item.bytes().clone());
        }
        core.store()
            .stage(batch)
            .map_err(internal)?
            .wait()
            .map_err(internal)
    }

    fn piece(&mut self, core: &Core) -> Result<Work, ApiError> {
        if self.state.is_none() {
            self.size = (0, 0);
            self.state = Some(StateAt::before(
                core.store(),
                &self.backup.table,
                self.backup.sequence,
            )?);
        }
        let Some(state) = &mut self.state else {
            return Ok(Work::More);
        };
        match state.next_piece()? {
            Some(items) => self.copy(core, items).map(|()| Work::More),
            None => complete(core, &self.backup, self.size).map(|()| Work::Done),
        }
    }
}

impl Job for BackupJob {
    fn step(&mut self, core: &Core) -> Result<Work, ApiError> {
        self.piece(core).inspect_err(|_| {
            // The next attempt begins again, so that no snapshot is held until then.
            self.state = None;
        })
    }

    fn description(&self) -> String {
        format!(
            "copying backup {} of table {}",
            self.backup.name, self.backup.table.name
        )
    }
}

/// Completes a backup. Its table stops keeping changes, unless another backup needs them.
fn complete(core: &Core, backup: &Arc<Backup>, size: (u64, u64)) -> Result<(), ApiError> {
    let mut tables = core.catalog().write();
    let mut backups = core.catalog().write_backups();
    let (place, table) = (
        (backup.table.name.clone(), backup.table.id),
        &backup.table.name,
    );
    let mut batch = Batch::new();
    let complete = Backup {
        is_complete: true,
        size,
        ..Backup::clone(backup)
    };
    catalog::put_backup(&mut batch, &complete);
    let is_copied_still = backups
        .values()
        .any(|other| !other.is_complete && other.id != backup.id && other.table.id == place.1);
    let changed = tables
        .get(table)
        .filter(|known| known.id == place.1 && !is_copied_still)
        .map(|known| {
            let mut changed = Table::clone(known);
            changed.settings.keeps_changes = false;
            catalog::put_record(&mut batch, &changed);
            Arc::new(changed)
        });
    // The catalog changes with the staging: nothing may fail in between.
    let ticket = core.store().stage(batch).map_err(internal)?;
    backups.insert((place.0, backup.label.clone()), Arc::new(complete));
    changed
        .into_iter()
        .for_each(|changed| drop(tables.insert(table.clone(), changed)));
    drop((tables, backups));
    ticket.wait().map_err(internal)
}

/// Retention of the backup of a deleted table.
const SYSTEM_BACKUP_MS: u64 = 35 * DAY_MS;

/// Begins a backup of a table's present state, whose items are copied later. The caller holds the
/// catalog's lock for writing, so that no item changes meanwhile.
pub(crate) fn begin(
    core: &Core,
    batch: &mut Batch,
    table: &Table,
    (name, kind): (String, BackupType),
) -> Result<Backup, ApiError> {
    let count = |counter| {
        let counter = layout::counter(table.id, IndexId::BASE, counter);
        core.store()
            .counter(&counter)
            .map(|count| count.max(0) as u64)
            .map_err(internal)
    };
    let backup = Backup {
        id: core.catalog().take_id(batch),
        label: core.label(),
        name,
        creation_epoch_ms: core.moment(),
        size: (
            count(layout::Counter::Entries)?,
            count(layout::Counter::Bytes)?,
        ),
        expires_epoch_ms: (kind == BackupType::System).then(|| core.now_ms() + SYSTEM_BACKUP_MS),
        kind,
        sequence: core.store().staged_sequence().map_err(internal)?,
        is_complete: false,
        table: table.clone(),
    };
    catalog::put_backup(batch, &backup);
    Ok(backup)
}
