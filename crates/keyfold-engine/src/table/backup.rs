//! Backups: a copy of a table's items under an id of its own, with the table's definition beside
//! it.

use super::Table;
use keyfold_api::BackupType;
use keyfold_codec::key::TableId;

/// A backup.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Backup {
    /// The id under which its items are stored.
    pub(crate) id: TableId,
    /// The end of its ARN: the time it was made, and eight digits.
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
