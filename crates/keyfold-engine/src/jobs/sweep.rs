//! Deleted tables and indexes are removed, a piece at a time.

use super::filling::Filling;
use super::turn::{Turn, Work};
use crate::base::error::internal;
use crate::base::layout;
use crate::core::Core;
use keyfold_api::ApiError;
use keyfold_codec::key::{self, IndexId, KeyRange, TableId};
use keyfold_store::{Batch, Direction, Snapshot};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

/// Keys removed in one batch.
const CHUNK: usize = 2000;

/// Progress of the removal of deleted tables and indexes.
#[derive(Default)]
pub(super) struct Sweep {
    /// The ranges still to be removed, by the note of the deletion.
    swept: BTreeMap<Vec<u8>, VecDeque<KeyRange>>,
}

impl Sweep {
    /// Removes one chunk of the first deleted table or index of which it can be done.
    pub(super) fn some(&mut self, core: &Core, filling: &mut Filling, turn: &mut Turn) {
        let notes = KeyRange::prefix(layout::dropped_tables());
        let snapshot = core.store().snapshot();
        let notes = match keys(&snapshot, &notes, CHUNK) {
            Ok(notes) => notes,
            Err(error) => return turn.note("looking for what was deleted", Err(error)),
        };
        // A table that a backup is still copied from waits. Asked behind the lock under which
        // tables are deleted: the backup that a deleted table leaves is known when its note is
        // seen.
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
            let ends = done.is_ok();
            turn.note("removing what was deleted", done);
            if ends {
                return;
            }
        }
    }

    /// Removes one chunk of a deleted table or index, or the note of it when nothing is left.
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
                Some(index) => VecDeque::from([KeyRange::prefix(key::space_prefix(table, index))]),
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

/// Removes some keys of a range, into which nothing is written any more; true when none are left.
pub(crate) fn remove_some(core: &Core, range: &mut KeyRange) -> Result<bool, ApiError> {
    let store = core.store();
    // Includes everything staged before the range was given up.
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

/// Removes some counters behind prefixes; true when none are left.
pub(crate) fn remove_counters(core: &Core, prefixes: &[Vec<u8>]) -> Result<bool, ApiError> {
    let snapshot = core.store().snapshot_of_staged().map_err(internal)?;
    let mut batch = Batch::new();
    for prefix in prefixes {
        let room = CHUNK - batch.len();
        let found = keys(&snapshot, &KeyRange::prefix(prefix.clone()), room)?;
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

/// The ids of the tables whose items a job still reads, although they may be deleted.
fn read_from(core: &Core) -> BTreeSet<TableId> {
    let backups = core.catalog().backups();
    backups
        .values()
        .filter(|backup| !backup.is_complete)
        .map(|backup| backup.table.id)
        .collect()
}
