//! Backfilling: index entries and expiry notes for the items from before an index or setting.
//!
//! It goes through the table in pieces, with each item locked and in its newest version. Clients
//! write meanwhile, and their writes have entries and notes already. A piece is idempotent, so a
//! restart begins again.

use crate::base::error::{corrupt, internal};
use crate::core::Core;
use crate::item::counters::count;
use crate::item::entries::entry;
use crate::item::refusal::Refusal;
use crate::table::{Index, Table};
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::{KeyBytes, KeyRange};
use keyfold_store::{Batch, Direction};
use std::ops::Bound;
use std::sync::Arc;

/// Items of one piece.
const CHUNK: usize = 500;
/// Items that are locked at a time. A lock keeps the writers of other items out, too.
const LOCKED: usize = 16;

/// Calls `fill` with some locked items of the range. Returns the rest of the range.
pub(crate) fn for_some(
    core: &Core,
    table: &Table,
    range: &KeyRange,
    mut fill: impl FnMut(&mut Batch, &KeyBytes, &RawItem) -> Result<(), Refusal>,
) -> Result<Option<KeyRange>, ApiError> {
    // A write that was staged before the definition has no entries, and must be in the snapshot.
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
    let mut tickets = Vec::new();
    for keys in keys.chunks(LOCKED) {
        let mut batch = Batch::new();
        let locks = core.store().lock(keys.iter().map(Vec::as_slice));
        for key in keys {
            let stored = core.store().latest(key).map_err(internal)?;
            let Some(bytes) = stored else { continue };
            let item = RawItem::open(bytes).map_err(|error| corrupt(&table.name, &error))?;
            fill(&mut batch, &KeyBytes::from(key.clone()), &item).map_err(ApiError::from)?;
        }
        tickets.push(core.store().stage(batch).map_err(internal)?);
        drop(locks);
    }
    for ticket in tickets {
        ticket.wait().map_err(internal)?;
    }
    Ok(Some(KeyRange {
        low: Bound::Excluded(last),
        high: range.high.clone(),
    }))
}

/// Adds the entries of some items to an index that is being built.
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
        let existing = core
            .store()
            .latest(entry.key.as_slice())
            .map_err(|error| Refusal::Internal(internal(error)))?;
        if existing.is_none() {
            let bytes = entry.item.size_bytes();
            count(batch, table, index.id, (None, Some(bytes)));
            batch.put(entry.key.into_vec(), entry.item.bytes().clone());
        }
        Ok(())
    })
}
