//! A table as the engine knows it: parsed once, shared by every request.

use keyfold_api::{BillingMode, TableClass};
use keyfold_codec::key::{EntryTail, IndexId, TableId};
use keyfold_types::{Item, KeyAttribute, KeySchema};

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its identity in the key space.
    pub id: TableId,
    /// Its name.
    pub name: String,
    /// A UUID.
    pub uuid: String,
    /// When it was made, milliseconds since the epoch.
    pub creation_epoch_ms: u64,
    /// Its key.
    pub key: KeySchema,
    /// Its indexes, local ones first.
    pub indexes: Vec<Index>,
    /// How capacity is paid for.
    pub billing_mode: BillingMode,
    /// Read and write units a second, when provisioned.
    pub throughput: (u64, u64),
    /// The table class, if one was asked for.
    pub table_class: Option<TableClass>,
    /// Whether DeleteTable is refused.
    pub deletion_protection: bool,
    /// Labels.
    pub tags: Vec<(String, String)>,
}

/// Whether an index shares the table's partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexKind {
    /// The table's partition key, another sort key; reads may be strong.
    Local,
    /// Keys of its own; reads are eventual.
    Global,
}

/// What an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexProjection {
    /// Every attribute.
    All,
    /// The keys of table and index.
    KeysOnly,
    /// The keys and these attributes.
    Include(Vec<String>),
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// Its identity within the table, from 1.
    pub id: IndexId,
    /// Its name.
    pub name: String,
    /// Local or global.
    pub kind: IndexKind,
    /// Its key.
    pub key: KeySchema,
    /// What it holds.
    pub projection: IndexProjection,
    /// Read and write units a second, for a global index of a provisioned table.
    pub throughput: (u64, u64),
}

impl Index {
    /// How an entry's key ends.
    pub(crate) fn tail(&self) -> EntryTail {
        match self.kind {
            IndexKind::Local => EntryTail::Sort,
            IndexKind::Global => EntryTail::PartitionAndSort,
        }
    }

    /// Whether entries hold the attribute.
    pub fn projects(&self, table: &Table, attribute: &str) -> bool {
        let is_key = || self.key.contains(attribute) || table.key.contains(attribute);
        match &self.projection {
            IndexProjection::All => true,
            IndexProjection::KeysOnly => is_key(),
            IndexProjection::Include(names) => is_key() || names.iter().any(|name| name == attribute),
        }
    }
}

impl Table {
    /// The index of a name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Whether the table has item collections with a size limit.
    pub fn has_local_indexes(&self) -> bool {
        self.indexes.iter().any(|index| index.kind == IndexKind::Local)
    }

    /// The attributes that say where a page ended: keys of index and table, each once.
    pub(crate) fn cursor_attributes<'t>(&'t self, index: Option<&'t Index>) -> Vec<&'t KeyAttribute> {
        let mut attributes: Vec<&KeyAttribute> =
            index.into_iter().flat_map(|index| index.key.attributes()).collect();
        for attribute in self.key.attributes() {
            if !attributes.iter().any(|other| other.name == attribute.name) {
                attributes.push(attribute);
            }
        }
        attributes
    }

    /// The item's partition key on its own.
    pub(crate) fn partition_of(&self, item: &Item) -> Item {
        self.key
            .partition
            .iter()
            .filter_map(|attribute| {
                item.get(&attribute.name).map(|value| (attribute.name.clone(), value.clone()))
            })
            .collect()
    }
}
