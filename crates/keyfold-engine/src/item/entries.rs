//! An item's index entries, which change with the item.

use super::counters::count;
use super::evaluate::Change;
use super::refusal::Refusal;
use crate::base::bill::Bill;
use crate::base::error::internal;
use crate::core::{Core, throttle};
use crate::table::{Index, IndexKind, Table};
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, KeyBytes};
use keyfold_store::Batch;
use keyfold_types::{CapacityHalves, Item};

/// The size of an item's entries in local indexes.
#[derive(Default)]
pub(super) struct LocalEntries {
    /// Bytes of the entries after the change.
    pub(super) bytes: u64,
    /// The growth in bytes.
    pub(super) grown: i64,
}

/// Changes the item's entries in every index.
pub(super) fn put_entries(
    core: &Core,
    batch: &mut Batch,
    table: &Table,
    change: &Change<'_>,
    bill: &mut Bill,
) -> Result<LocalEntries, Refusal> {
    let mut local = LocalEntries::default();
    // The tree is the new version. The old version is decoded only for indexes.
    let replaced = change.before.as_ref().zip(change.after.as_ref());
    let decoded = replaced
        .filter(|_| !table.indexes.is_empty())
        .map(|(before, _)| before.to_item());
    let tree = change.tree.as_deref();
    let before_tree = if change.after.is_some() {
        decoded.as_ref()
    } else {
        tree
    };
    let after_tree = change.after.as_ref().and(tree);
    for index in &table.indexes {
        let mut old = entry(table, index, change.before.as_ref().zip(before_tree))?;
        if index.is_building
            && let Some(entry) = &old
        {
            // The filling of the index may not have reached the item yet.
            let stored = core.store().latest(entry.key.as_slice());
            if stored
                .map_err(|error| Refusal::Internal(internal(error)))?
                .is_none()
            {
                old = None;
            }
        }
        let new = entry(table, index, change.after.as_ref().zip(after_tree))?;
        if index.kind == IndexKind::Local {
            local.bytes += new.as_ref().map_or(0, |new| new.item.size_bytes());
        }
        if core.throttle().is_some()
            && let Some(entry) = new.as_ref().or(old.as_ref())
            && let Some(partition) = throttle::partition_of(entry.key.as_slice())
        {
            bill.partitions.insert(index.id, partition);
        }
        let (units, grown) = move_entry(batch, table, index, old, new);
        match index.kind {
            IndexKind::Local => {
                local.grown += grown;
                if units > CapacityHalves::ZERO {
                    bill.local.insert(index.name.clone(), units);
                }
            }
            IndexKind::Global if units > CapacityHalves::ZERO => {
                bill.global.insert(index.name.clone(), units);
            }
            IndexKind::Global => {}
        }
    }
    Ok(local)
}

/// An item's entry in an index.
pub(crate) struct Entry {
    pub(crate) key: KeyBytes,
    pub(crate) item: RawItem,
}

/// The item's entry in an index; none when a key attribute is missing or does not fit.
pub(crate) fn entry(
    table: &Table,
    index: &Index,
    item: Option<(&RawItem, &Item)>,
) -> Result<Option<Entry>, Refusal> {
    let Some((raw, tree)) = item else {
        return Ok(None);
    };
    if !index.takes(tree) {
        return Ok(None);
    }
    let key = key::entry_key(
        table.id,
        index.id,
        &index.key,
        &table.key,
        index.tail(),
        tree,
    )
    .map_err(|_| {
        Refusal::Internal(ApiError::Internal(format!(
            "table {}: an item without its key is stored",
            table.name
        )))
    })?;
    Ok(Some(Entry {
        key,
        item: raw.select(|name| index.projects(table, name)),
    }))
}

/// Replaces an entry by another. Returns the write units, and the growth of the index in bytes.
fn move_entry(
    batch: &mut Batch,
    table: &Table,
    index: &Index,
    old: Option<Entry>,
    new: Option<Entry>,
) -> (CapacityHalves, i64) {
    let size = |entry: &Option<Entry>| entry.as_ref().map(|entry| entry.item.size_bytes());
    let (old_bytes, new_bytes) = (size(&old), size(&new));
    count(batch, table, index.id, (old_bytes, new_bytes));
    let (old_bytes, new_bytes) = (old_bytes.unwrap_or(0), new_bytes.unwrap_or(0));
    let grown = new_bytes as i64 - old_bytes as i64;
    let units = match (old, new) {
        (None, None) => CapacityHalves::ZERO,
        (Some(old), None) => {
            batch.remove(old.key.into_vec());
            CapacityHalves::write(old_bytes)
        }
        (None, Some(new)) => {
            batch.put(new.key.into_vec(), new.item.bytes().clone());
            CapacityHalves::write(new_bytes)
        }
        (Some(old), Some(new)) if old.key == new.key => {
            if old.item == new.item {
                CapacityHalves::ZERO
            } else {
                batch.put(new.key.into_vec(), new.item.bytes().clone());
                CapacityHalves::write(old_bytes.max(new_bytes))
            }
        }
        (Some(old), Some(new)) => {
            batch.remove(old.key.into_vec());
            batch.put(new.key.into_vec(), new.item.bytes().clone());
            CapacityHalves::write(old_bytes) + CapacityHalves::write(new_bytes)
        }
    };
    (units, grown)
}
