//! Copying a table's items, as they were when a backup was asked for, under the backup's id.
//!
//! While it is copied its table keeps every change, from which the items of its moment are told: a copy that is cut short begins
//! again and comes to the same items.

use super::Job;
use crate::background::Work;
use crate::backup::Backup;
use crate::catalog;
use crate::core::Core;
use crate::history::StateAt;
use crate::pending::internal;
use crate::table::Table;
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key;
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
        BackupJob { backup, state: None, size: (0, 0) }
    }

    fn copy(&mut self, core: &Core, items: Vec<RawItem>) -> Result<(), ApiError> {
        let table = &self.backup.table;
        let mut batch = Batch::new();
        for item in items {
            self.size = (self.size.0 + 1, self.size.1 + item.size_bytes());
            let keys = item.select(|name| table.key.contains(name)).to_item();
            let key = key::base_key(self.backup.id, &table.key, &keys)
                .map_err(|_| ApiError::Internal(format!("an item of table {} lacks its key", table.name)))?;
            batch.put(key.as_slice().to_vec(), item.bytes().clone());
        }
        core.store().stage(batch).map_err(internal)?.wait().map_err(internal)
    }

    fn piece(&mut self, core: &Core) -> Result<Work, ApiError> {
        if self.state.is_none() {
            self.size = (0, 0);
            self.state = Some(StateAt::before(core.store(), &self.backup.table, self.backup.sequence)?);
        }
        let Some(state) = &mut self.state else { return Ok(Work::More) };
        match state.next_piece()? {
            Some(items) => self.copy(core, items).map(|()| Work::More),
            None => complete(core, &self.backup, self.size).map(|()| Work::Done),
        }
    }
}

impl Job for BackupJob {
    fn step(&mut self, core: &Core) -> Result<Work, ApiError> {
        self.piece(core).inspect_err(|_| {
            // From the beginning: an old state of the store is not held meanwhile.
            self.state = None;
        })
    }

    fn what(&self) -> String {
        format!("copying backup {} of table {}", self.backup.name, self.backup.table.name)
    }
}

/// Notes that a backup has all its items; its table need not keep changes for it any more.
fn complete(core: &Core, backup: &Arc<Backup>, size: (u64, u64)) -> Result<(), ApiError> {
    let mut tables = core.catalog().write();
    let mut backups = core.catalog().write_backups();
    let (place, table) = ((backup.table.name.clone(), backup.table.id), &backup.table.name);
    let mut batch = Batch::new();
    let complete = Backup { is_complete: true, size, ..Backup::clone(backup) };
    catalog::put_backup(&mut batch, &complete);
    let is_copied = backups
        .values()
        .any(|other| !other.is_complete && other.id != backup.id && other.table.id == place.1);
    let changed = tables.get(table).filter(|known| known.id == place.1 && !is_copied).map(|known| {
        let mut changed = Table::clone(known);
        changed.settings.keeps_changes = false;
        catalog::put_record(&mut batch, &changed);
        Arc::new(changed)
    });
    // What is staged is held: nothing may fail in between.
    let ticket = core.store().stage(batch).map_err(internal)?;
    backups.insert((place.0, backup.label.clone()), Arc::new(complete));
    changed.into_iter().for_each(|changed| drop(tables.insert(table.clone(), changed)));
    drop((tables, backups));
    ticket.wait().map_err(internal)
}
