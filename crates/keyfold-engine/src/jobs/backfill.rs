//! Bringing what is new about a table to the items that were there before: index entries, expiry
//! notes.
//!
//! Goes through the table a piece at a time, each item under its lock and as its newest version,
//! while clients go on writing; their writes carry what is new already. Doing a piece twice changes
//! nothing, so a restart simply begins again.

use crate::base::error::corrupt;
use crate::base::error::internal;
use crate::core::Core;
use crate::item::counters::count;
use crate::item::entries::entry;
use crate::item::refusal::Refusal;
use crate::table::{Index, Table};
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, IndexId, KeyBytes, KeyRange};
use keyfold_store::{Batch, Direction};
use std::ops::Bound;
use std::sync::Arc;

/// Items handled at once.
const CHUNK: usize = 500;

/// All items of a table.
pub(crate) fn whole(table: &Table) -> KeyRange {
    KeyRange::prefix(key::space_prefix(table.id, IndexId::BASE))
}

/// Calls `fill` with some items of the range, each locked; gives the range that is left.
pub(crate) fn for_some(
    core: &Core,
    table: &Table,
    range: &KeyRange,
    mut fill: impl FnMut(&mut Batch, &KeyBytes, &RawItem) -> Result<(), Refusal>,
) -> Result<Option<KeyRange>, ApiError> {
    // A write staged ahead of the definition does not know of it, and must be in the snapshot.
    let snapshot = core.store().snapshot_of_staged().map_err(internal)?;
    let (low, high) = range.bounds();
    let keys: Vec<Vec<u8>> = snapshot
        .range(low, high, Direction::Forward)
        .take(CHUNK)
        .map(|entry| entry.map(|(key, _)| key.to_vec()).map_err(internal))
        .collect::<Result<_, _>>()?;
    let Some(last) = keys.last().cloned() else {
        return Ok(None);
    };
    let mut batch = Batch::new();
    let locks = core.store().lock(keys.iter().map(Vec::as_slice));
    for key in keys {
        let stored = core.store().latest(&key).map_err(internal)?;
        let Some(bytes) = stored else { continue };
        let item = RawItem::open(bytes).map_err(|error| corrupt(&table.name, &error))?;
        fill(&mut batch, &KeyBytes::from(key), &item).map_err(ApiError::from)?;
    }
    let ticket = core.store().stage(batch).map_err(internal)?;
    drop(locks);
    ticket.wait().map_err(internal)?;
    Ok(Some(KeyRange {
        low: Bound::Excluded(last),
        high: range.high.clone(),
    }))
}

/// Makes the entries of some items in an index that is being built.
pub(crate) fn index_some(
    core: &Core,
    table: &Arc<Table>,
    index: &Index,
    from: &KeyRange,
) -> Result<Option<KeyRange>, ApiError> {
    for_some(core, table, from, |batch, _, item| {
        let tree = item.to_item();
        let Some(entry) = entry(table, index, Some((item, &tree)))? else {
            return Ok(());
        };
        let there = core
            .store()
            .latest(entry.key.as_slice())
            .map_err(|error| Refusal::Internal(internal(error)))?;
        if there.is_none() {
            let bytes = entry.item.size_bytes();
            count(batch, table, index.id, (None, Some(bytes)));
            batch.put(entry.key.into_vec(), entry.item.bytes().clone());
        }
        Ok(())
    })
}
