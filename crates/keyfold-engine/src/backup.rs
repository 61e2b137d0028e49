//! Backups: a copy of a table's items under an id of its own, with the table's definition beside it.

use crate::core::Core;
use crate::table::Table;
use keyfold_codec::key::TableId;

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
    /// Items and their bytes.
    pub(crate) size: (u64, u64),
    /// Whether all items are copied.
    pub(crate) is_complete: bool,
}

impl Backup {
    /// The backup's full name.
    pub(crate) fn arn(&self, core: &Core) -> String {
        format!("{}/backup/{}", core.table_arn(&self.table.name), self.label)
    }
}

/// The end of a backup's, export's or import's ARN: 14 digits of the time, and eight of chance.
pub(crate) fn label(core: &Core) -> String {
    let chance = core.options().environment.random.next_u128() as u32;
    format!("{:014}-{chance:08x}", core.now_ms())
}
