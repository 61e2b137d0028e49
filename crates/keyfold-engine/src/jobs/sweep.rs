//! Removing the keys of deleted tables and indexes.

use super::filling::Filling;
use super::turn::{Turn, Work};
use crate::base::error::internal;
use crate::base::layout;
use crate::core::Core;
use keyfold_api::ApiError;
use keyfold_codec::key::{IndexId, KeyRange, TableId};
use keyfold_store::{Batch, Direction, Snapshot};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

/// Keys removed in one batch.
const CHUNK: usize = 2000;

/// The progress of the removal.
#[derive(Default)]
pub(super) struct Sweep {
    /// The remaining ranges, by the record of the deletion.
    swept: BTreeMap<Vec<u8>, VecDeque<KeyRange>>,
}

impl Sweep {
    /// Removes a chunk of the first deleted table or index that nothing reads.
    pub(super) fn some(&mut self, core: &Core, filling: &mut Filling, turn: &mut Turn) {
        let notes = KeyRange::prefix(layout::dropped_tables());
        let snapshot = core.store().snapshot();
        let notes = match keys(&snapshot, &notes, CHUNK) {
            Ok(notes) => notes,
            Err(error) => return turn.note("looking for deleted tables and indexes", Err(error)),
        };
        // The removal waits for a backup under way. The check takes the lock under which tables are
        // deleted: a visible record of a deletion implies that the backup of the table is known.
        let read_from = {
            let _tables = core.catalog().read();
            read_from(core)
        };
        for note in notes {
            let Some(place) =
                layout::dropped_place(&note).filter(|place| !read_from.contains(&place.0))
            else {
                continue;
            };
            let done = self.one(core, filling, note, place);
            let is_done = done.is_ok();
            turn.note("removing a deleted table or index", done);
            if is_done {
                return;
            }
        }
    }

    /// Removes a chunk of a deleted table or index, or finally the record of its deletion.
    fn one(
        &mut self,
        core: &Core,
        filling: &mut Filling,
        note: Vec<u8>,
        (table, index): (TableId, Option<IndexId>),
    ) -> Result<Work, ApiError> {
        let store = core.store();
        let left = self
            .swept
            .entry(note.clone())
            .or_insert_with(|| match index {
                Some(index) => VecDeque::from([layout::entries_of(table, index)]),
                None => [
                    table.0.to_be_bytes().to_vec(),
                    layout::expiries_of(table),
                    layout::changes(table),
                    layout::events(table),
                ]
                .map(KeyRange::prefix)
                .into(),
            });
        if let Some(range) = left.front_mut() {
            if remove_some(core, range)? {
                left.pop_front();
            }
            return Ok(Work::More);
        }
        if index.is_none()
            && !remove_counters(
                core,
                &[layout::collections_of(table), layout::counters_of(table)],
            )?
        {
            return Ok(Work::More);
        }
        let mut batch = Batch::new();
        batch.remove(note.clone());
        batch.remove(layout::trimmed(table));
        if let Some(index) = index {
            filling.forget(table, index);
            for counter in [layout::Counter::Entries, layout::Counter::Bytes] {
                batch.remove_counter(layout::counter(table, index, counter));
            }
        }
        store
            .stage(batch)
            .map_err(internal)?
            .wait()
            .map_err(internal)?;
        self.swept.remove(&note);
        Ok(Work::More)
    }
}

/// Removes some keys of a range that is no longer written. Returns true when none are left.
pub(crate) fn remove_some(core: &Core, range: &mut KeyRange) -> Result<bool, ApiError> {
    let store = core.store();
    // The snapshot includes all writes staged before the deletion.
    let found = keys(&store.snapshot_of_staged().map_err(internal)?, range, CHUNK)?;
    let Some(last) = found.last().cloned() else {
        return Ok(true);
    };
    let is_over = found.len() < CHUNK;
    let mut batch = Batch::new();
    found.into_iter().for_each(|key| batch.remove(key));
    store
        .stage(batch)
        .map_err(internal)?
        .wait()
        .map_err(internal)?;
    range.low = Bound::Excluded(last);
    Ok(is_over)
}

/// Removes some counters behind prefixes. Returns true when none are left.
pub(crate) fn remove_counters(core: &Core, prefixes: &[Vec<u8>]) -> Result<bool, ApiError> {
    let snapshot = core.store().snapshot_of_staged().map_err(internal)?;
    let mut batch = Batch::new();
    for prefix in prefixes {
        let most = CHUNK - batch.len();
        let found = keys(&snapshot, &KeyRange::prefix(prefix.clone()), most)?;
        found.into_iter().for_each(|key| batch.remove_counter(key));
    }
    let is_over = batch.len() < CHUNK;
    core.store()
        .stage(batch)
        .map_err(internal)?
        .wait()
        .map_err(internal)?;
    Ok(is_over)
}

fn keys(snapshot: &Snapshot, range: &KeyRange, most: usize) -> Result<Vec<Vec<u8>>, ApiError> {
    let (low, high) = range.bounds();
    snapshot
        .range(low, high, Direction::Forward)
        .take(most)
        .map(|entry| entry.map(|(key, _)| key.to_vec()).map_err(internal))
        .collect()
}

/// The ids of the tables that a backup under way reads. They may be deleted.
fn read_from(core: &Core) -> BTreeSet<TableId> {
    let backups = core.catalog().backups();
    backups
        .values()
        .filter(|backup| !backup.is_complete)
        .map(|backup| backup.table.id)
        .collect()
}
