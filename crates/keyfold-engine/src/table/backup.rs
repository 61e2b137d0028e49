//! Backups: a copy of a table's items under an id of its own, with the table's definition.

use super::Table;
use keyfold_api::BackupType;
use keyfold_codec::key::TableId;

/// A backup.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Backup {
    /// The id under which its items are stored.
    pub(crate) id: TableId,
    /// The end of its ARN: its time, and eight hexadecimal digits.
    pub(crate) label: String,
    pub(crate) name: String,
    pub(crate) creation_epoch_ms: u64,
    /// The table's definition at that time.
    pub(crate) table: Table,
    /// Items and their bytes. Until it is complete: those acknowledged when it began.
    pub(crate) size: (u64, u64),
    /// The author: a client, or the system when a table is deleted.
    pub(crate) kind: BackupType,
    /// When it is removed automatically.
    pub(crate) expires_epoch_ms: Option<u64>,
    /// The sequence number of the first change after it.
    pub(crate) sequence: u64,
    /// Whether all items are copied.
    pub(crate) is_complete: bool,
}
