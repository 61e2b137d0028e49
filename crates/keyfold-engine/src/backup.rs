//! Backups: a copy of a table's items under an id of its own, with the table's definition beside it.

use crate::arn::Part;
use crate::background::Work;
use crate::catalog;
use crate::core::Core;
use crate::layout;
use crate::pending::internal;
use crate::table::Table;
use keyfold_api::{ApiError, BackupType};
use keyfold_codec::key::{IndexId, TableId};
use keyfold_store::Batch;

/// How long the backup of a deleted table is kept.
const SYSTEM_BACKUP_MS: u64 = 35 * 24 * 60 * 60 * 1000;

/// A backup.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Backup {
    /// Where its items are.
    pub(crate) id: TableId,
    /// What ends its ARN: when it was made, and eight digits.
    pub(crate) label: String,
    pub(crate) name: String,
    pub(crate) creation_epoch_ms: u64,
    /// The table as it was.
    pub(crate) table: Table,
    /// Items and their bytes: until it is complete, what was acknowledged when it began.
    pub(crate) size: (u64, u64),
    /// Whether somebody asked for it, or it is what a deleted table leaves.
    pub(crate) kind: BackupType,
    /// When it is removed by itself.
    pub(crate) expires_epoch_ms: Option<u64>,
    /// The sequence number of the first change that is not in it.
    pub(crate) sequence: u64,
    /// Whether all items are copied.
    pub(crate) is_complete: bool,
}

impl Backup {
    /// A backup of a table as it is, whose items are still to be copied. The caller holds the tables for
    /// writing, so that nobody changes an item meanwhile.
    pub(crate) fn begin(
        core: &Core,
        batch: &mut Batch,
        table: &Table,
        (name, kind): (String, BackupType),
    ) -> Result<Backup, ApiError> {
        let count = |counter| {
            let counter = layout::counter(table.id, IndexId::BASE, counter);
            core.store().counter(&counter).map(|count| count.max(0) as u64).map_err(internal)
        };
        let backup = Backup {
            id: core.catalog().take_id(batch),
            label: label(core),
            name,
            creation_epoch_ms: core.moment(),
            size: (count(layout::Counter::Entries)?, count(layout::Counter::Bytes)?),
            expires_epoch_ms: (kind == BackupType::System).then(|| core.now_ms() + SYSTEM_BACKUP_MS),
            kind,
            sequence: core.store().staged_sequence().map_err(internal)?,
            is_complete: false,
            table: table.clone(),
        };
        catalog::put_backup(batch, &backup);
        Ok(backup)
    }

    /// The backup's full name.
    pub(crate) fn arn(&self, core: &Core) -> String {
        core.arn(&self.table.name, Part::Backup(&self.label))
    }
}

/// The end of a backup's, export's or import's ARN: 14 digits of the time, and eight of chance.
pub(crate) fn label(core: &Core) -> String {
    let chance = core.options().environment.random.next_u128() as u32;
    format!("{:014}-{chance:08x}", core.now_ms())
}

/// Removes the backups whose time is over.
pub(crate) fn forget_expired(core: &Core) -> Result<Work, ApiError> {
    let now = core.now_ms();
    let is_over = |backup: &Backup| backup.is_complete && backup.expires_epoch_ms.is_some_and(|at| at < now);
    if !core.catalog().backups().values().any(|backup| is_over(backup)) {
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
    over.iter().for_each(|(place, _)| drop(backups.remove(place)));
    drop(backups);
    ticket.wait().map_err(internal)?;
    Ok(Work::More)
}
