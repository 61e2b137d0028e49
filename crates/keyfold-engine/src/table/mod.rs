//! A table's definition: parsed once, shared by every request.

pub(crate) mod arn;
pub(crate) mod backup;
pub(crate) mod policy;
pub(crate) mod sequence;
pub(crate) mod shard;
pub(crate) mod stream;
pub(crate) mod transfer;

use keyfold_api::{BillingMode, ContributorInsightsMode, StreamViewType, TableClass, TableStatus};
use keyfold_codec::key::{EntryTail, IndexId, TableId};
use keyfold_types::key::key_value_bytes;
use keyfold_types::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use keyfold_types::{Item, KeyAttribute, KeySchema, ValueKind};
use policy::Policy;
use std::collections::BTreeMap;

/// Read and write units a second that a new on-demand table or index serves at once.
pub(crate) const WARM_ON_DEMAND: (u64, u64) = (12_000, 4_000);

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// Its id in the key space.
    pub(crate) id: TableId,
    /// Its name.
    pub(crate) name: String,
    /// A UUID.
    pub(crate) uuid: String,
    /// When it was created, milliseconds since the epoch.
    pub(crate) creation_epoch_ms: u64,
    /// CREATING while a restore or import fills it; ACTIVE otherwise.
    pub(crate) status: TableStatus,
    /// Its key.
    pub(crate) key: KeySchema,
    /// Its indexes, local ones first.
    pub(crate) indexes: Vec<Index>,
    /// The other settings.
    pub(crate) settings: Settings,
}

/// The settings that UpdateTable and related operations change.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Settings {
    /// Capacity, with the times of its changes.
    pub(crate) capacity: Capacity,
    /// The table class and the time of its setting, if a request named one.
    pub(crate) table_class: Option<(TableClass, u64)>,
    /// Whether DeleteTable is refused.
    pub(crate) deletion_protection: bool,
    /// Labels.
    pub(crate) tags: BTreeMap<String, String>,
    /// The open stream.
    pub(crate) stream: Option<ActiveStream>,
    /// The label of the newest stream, also after it was closed.
    pub(crate) latest_stream: Option<String>,
    /// The setting of time to live.
    pub(crate) expiry: Option<Expiry>,
    /// The KMS key that a request named for encryption.
    pub(crate) encryption_key: Option<String>,
    /// The setting of point-in-time recovery.
    pub(crate) recovery: Option<Recovery>,
    /// Contributor insights: index (empty for the table) to mode and time.
    pub(crate) insights: BTreeMap<String, (ContributorInsightsMode, u64)>,
    /// Policies, by the rest of the ARN after the table: nothing, or a stream.
    pub(crate) policies: BTreeMap<String, Policy>,
    /// The source of the restored table.
    pub(crate) restored: Option<Restored>,
    /// Whether changes are kept for a backup under way, which needs them also after a restart.
    pub(crate) keeps_changes: bool,
    /// Why the table could not be restored. It can only be described and deleted.
    pub(crate) failure: Option<Failure>,
}

/// The failure of a table's restore.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Its time, milliseconds since the epoch.
    pub(crate) epoch_ms: u64,
    /// Its reason.
    pub(crate) reason: String,
}

/// Capacity: the billing mode and its units.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Capacity {
    /// Provisioned or on demand.
    pub(crate) mode: BillingMode,
    /// When the mode last became PAY_PER_REQUEST.
    pub(crate) on_demand_since: Option<u64>,
    /// Read and write units a second, when provisioned.
    pub(crate) units: (u64, u64),
    /// When units were last raised.
    pub(crate) last_increase: Option<u64>,
    /// When units were last lowered.
    pub(crate) last_decrease: Option<u64>,
    /// The day (since the epoch) of the last decrease, and the number of decreases on it.
    pub(crate) decreases: (u64, u64),
    /// The most read and write request units a second, on demand.
    pub(crate) on_demand_max: (Option<u64>, Option<u64>),
    /// Warm throughput that was requested, read and write units a second.
    pub(crate) warm: Option<(u64, u64)>,
}

impl Default for Capacity {
    fn default() -> Capacity {
        Capacity {
            mode: BillingMode::Provisioned,
            on_demand_since: None,
            units: (0, 0),
            last_increase: None,
            last_decrease: None,
            decreases: (0, 0),
            on_demand_max: (None, None),
            warm: None,
        }
    }
}

/// A table's open stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ActiveStream {
    /// Its id in the key space.
    pub(crate) id: TableId,
    /// The label: when it was opened.
    pub(crate) label: String,
    /// The view of its records.
    pub(crate) view: StreamViewType,
    /// The open shards by the first hash of their partitions. Without any, its own id is that of the
    /// only shard.
    pub(crate) shards: Vec<(u64, TableId)>,
}

impl ActiveStream {
    /// The shard of the changes of a partition, by its hash.
    pub(crate) fn shard_of(&self, hash: u32) -> TableId {
        let after = self
            .shards
            .partition_point(|(first, _)| *first <= u64::from(hash));
        let found = after.checked_sub(1).and_then(|at| self.shards.get(at));
        found.map_or(self.id, |(_, id)| *id)
    }
}

/// Time to live.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Expiry {
    /// The attribute: seconds since the epoch.
    pub(crate) attribute: String,
    /// Whether the items from before the setting have expiry notes.
    pub(crate) is_complete: bool,
    /// When it was set, which distinguishes it from earlier settings.
    pub(crate) begun: u64,
}

/// Point-in-time recovery of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Recovery {
    /// The time from which every change is kept, milliseconds since the epoch.
    pub(crate) since_epoch_ms: u64,
    /// The number of days that changes are kept.
    pub(crate) days: u64,
}

/// The source of a restored table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Restored {
    /// The backup, if the table was restored from one.
    pub(crate) backup_arn: Option<String>,
    /// The source table.
    pub(crate) table_arn: String,
    /// The id of the source table, which distinguishes it from later tables of its name.
    pub(crate) source_uuid: Option<String>,
    /// The time of the restored state, milliseconds since the epoch.
    pub(crate) epoch_ms: u64,
}

/// Whether an index shares the table's partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexKind {
    /// The table's partition key with another sort key. Reads may be strongly consistent.
    Local,
    /// Keys of its own. Reads are eventually consistent.
    Global,
}

/// The projection of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum IndexProjection {
    /// Every attribute.
    All,
    /// The keys of table and index.
    KeysOnly,
    /// The keys and these attributes.
    Include(Vec<String>),
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Index {
    /// Its id within the table, from 1.
    pub(crate) id: IndexId,
    /// Its name.
    pub(crate) name: String,
    /// Local or global.
    pub(crate) kind: IndexKind,
    /// Its key.
    pub(crate) key: KeySchema,
    /// The projection.
    pub(crate) projection: IndexProjection,
    /// Capacity of a global index; its mode is the table's.
    pub(crate) capacity: Capacity,
    /// Whether entries of items from before the index are still missing.
    pub(crate) is_building: bool,
}

impl Index {
    /// The end of an entry's key.
    pub(crate) fn tail(&self) -> EntryTail {
        match self.kind {
            IndexKind::Local => EntryTail::Sort,
            IndexKind::Global => EntryTail::PartitionAndSort,
        }
    }

    /// Whether an item has an entry: it has all key attributes, each of its type, not empty and not
    /// too long. New items with a key attribute that does not fit are refused. Items from before the
    /// index that do not fit have no entry.
    pub(crate) fn takes(&self, item: &Item) -> bool {
        let fits = |attribute: &KeyAttribute| {
            item.get(&attribute.name).is_some_and(|value| {
                value.kind() == attribute.kind.value_kind()
                    && (key_value_bytes(value) > 0 || value.kind() == ValueKind::N)
            })
        };
        let short = |attributes: &[KeyAttribute], max: usize| {
            let values = attributes
                .iter()
                .filter_map(|attribute| item.get(&attribute.name));
            values.map(key_value_bytes).sum::<usize>() <= max
        };
        self.key.attributes().all(fits)
            && short(&self.key.partition, PARTITION_KEY_BYTES_MAX)
            && short(&self.key.sort, SORT_KEY_BYTES_MAX)
    }

    /// Whether entries hold the attribute.
    pub(crate) fn projects(&self, table: &Table, attribute: &str) -> bool {
        let is_key = || self.key.contains(attribute) || table.key.contains(attribute);
        match &self.projection {
            IndexProjection::All => true,
            IndexProjection::KeysOnly => is_key(),
            IndexProjection::Include(names) => {
                is_key() || names.iter().any(|name| name == attribute)
            }
        }
    }
}

impl Table {
    /// Whether items can be read and written.
    pub(crate) fn is_ready(&self) -> bool {
        self.status != TableStatus::Creating && self.settings.failure.is_none()
    }

    /// Finds an index by its name.
    pub(crate) fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Whether the table has item collections with a size limit.
    pub(crate) fn has_local_indexes(&self) -> bool {
        self.indexes
            .iter()
            .any(|index| index.kind == IndexKind::Local)
    }

    /// The attributes of a cursor: the keys of index and table, each once.
    pub(crate) fn cursor_attributes<'t>(
        &'t self,
        index: Option<&'t Index>,
    ) -> Vec<&'t KeyAttribute> {
        let mut attributes: Vec<&KeyAttribute> = index
            .into_iter()
            .flat_map(|index| index.key.attributes())
            .collect();
        for attribute in self.key.attributes() {
            if !attributes.iter().any(|other| other.name == attribute.name) {
                attributes.push(attribute);
            }
        }
        attributes
    }

    /// The attributes of the item's partition key.
    pub(crate) fn partition_of(&self, item: &Item) -> Item {
        self.key
            .partition
            .iter()
            .filter_map(|attribute| {
                item.get(&attribute.name)
                    .map(|value| (attribute.name.clone(), value.clone()))
            })
            .collect()
    }
}
