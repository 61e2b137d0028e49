//! Trimming the records of streams and of point-in-time recovery.

use super::turn::{Turn, Work};
use crate::base::error::internal;
use crate::base::layout;
use crate::base::time::DAY_MS;
use crate::catalog;
use crate::core::Core;
use crate::table::Table;
use crate::table::shard::Shard;
use crate::table::stream::{Event, Stream};
use keyfold_api::ApiError;
use keyfold_codec::key::KeyRange;
use keyfold_store::{Batch, Direction};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

/// Records removed in one batch.
const CHUNK: usize = 2000;

fn forget_stream(core: &Core, stream: &Stream) -> Result<Work, ApiError> {
    let mut streams = core.catalog().write_streams();
    let mut batch = Batch::new();
    batch.remove(layout::stream_record(stream.id));
    for shard in &stream.shards {
        batch.put(layout::dropped(shard.id), Vec::new());
    }
    let ticket = core.store().stage(batch).map_err(internal)?;
    streams.remove(&(stream.table_name.clone(), stream.label.clone()));
    drop(streams);
    ticket.wait().map_err(internal)?;
    Ok(Work::Done)
}

/// Whether all records of a shard are older than a time.
fn is_past(shard: &Shard, horizon: u64) -> bool {
    shard.closed.is_some_and(|(closed, _)| closed < horizon)
}

/// Forgets the closed shards of an open stream whose records are all old. What remains of the records
/// is removed as that of a deleted table.
fn forget_shards(core: &Core, stream: &Stream, horizon: u64) -> Result<Work, ApiError> {
    // A shard is closed while the catalog is locked for writing.
    let _tables = core.catalog().read();
    let mut streams = core.catalog().write_streams();
    let place = (stream.table_name.clone(), stream.label.clone());
    let Some(current) = streams.get_mut(&place) else {
        return Ok(Work::Done);
    };
    let mut changed = Stream::clone(current);
    let mut batch = Batch::new();
    changed.shards.retain(|shard| {
        let is_past = is_past(shard, horizon);
        if is_past {
            batch.put(layout::dropped(shard.id), Vec::new());
        }
        !is_past
    });
    catalog::put_stream(&mut batch, &changed);
    let ticket = core.store().stage(batch).map_err(internal)?;
    *current = Arc::new(changed);
    drop(streams);
    ticket.wait().map_err(internal)?;
    Ok(Work::Done)
}

/// The progress of trimming.
#[derive(Default)]
pub(super) struct Trim {
    /// The last trimmed key behind each prefix. A search starts after it, and so skips the tombstones
    /// before it.
    trimmed: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Trim {
    /// Removes stream records that are older than the retention, and the shards and streams that were
    /// closed before it.
    pub(super) fn streams(&mut self, core: &Core, turn: &mut Turn) {
        let retention = core.options().shards.retention.as_millis();
        let retention_ms = u64::try_from(retention).unwrap_or(u64::MAX);
        let horizon = core.now_ms().saturating_sub(retention_ms);
        let streams: Vec<_> = core.catalog().streams().values().cloned().collect();
        for stream in streams {
            let description = format!("trimming the stream of table {}", stream.table_name);
            for shard in &stream.shards {
                turn.note(&description, self.records(core, shard, horizon));
            }
            if stream.closed.is_some_and(|(closed, _)| closed < horizon) {
                turn.note(&description, forget_stream(core, &stream));
            } else if stream.shards.iter().any(|shard| is_past(shard, horizon)) {
                turn.note(&description, forget_shards(core, &stream, horizon));
            }
        }
    }

    fn records(&mut self, core: &Core, shard: &Shard, horizon: u64) -> Result<Work, ApiError> {
        let place = layout::events(shard.id);
        let Some((mut batch, last)) = self.find_old(core, place.clone(), horizon)? else {
            return Ok(Work::Done);
        };
        // The next record after it is the first that a reader can still read.
        if let Some(sequence) = layout::sequence_of(&last) {
            batch.put(layout::trimmed(shard.id), sequence.to_be_bytes().to_vec());
        }
        self.trim(core, place, batch, last)
    }

    /// Removes changes from before the window of point-in-time recovery.
    pub(super) fn changes(&mut self, core: &Core, tables: &[Arc<Table>], turn: &mut Turn) {
        for table in tables {
            let description = format!("trimming the changes of table {}", table.name);
            turn.note(&description, self.changes_of(core, table));
        }
    }

    fn changes_of(&mut self, core: &Core, table: &Table) -> Result<Work, ApiError> {
        // The catalog's lock is held from this check until the removal is staged. A request that
        // begins to keep changes takes the lock for writing.
        let tables = core.catalog().read();
        let Some(table) = tables.get(&table.name).filter(|now| now.id == table.id) else {
            return Ok(Work::Done);
        };
        // A backup under way needs every change since its beginning.
        if table.settings.keeps_changes {
            return Ok(Work::Done);
        }
        let horizon = match &table.settings.recovery {
            Some(recovery) => core.now_ms().saturating_sub(recovery.days * DAY_MS),
            // Without point-in-time recovery no change is kept.
            None => u64::MAX,
        };
        let place = layout::changes(table.id);
        let Some((batch, last)) = self.find_old(core, place.clone(), horizon)? else {
            return Ok(Work::Done);
        };
        let work = if batch.len() == CHUNK {
            Work::More
        } else {
            Work::Done
        };
        let ticket = core.store().stage(batch).map_err(internal)?;
        drop(tables);
        ticket.wait().map_err(internal)?;
        self.trimmed.insert(place, last);
        Ok(work)
    }

    /// The removal of some events from before a time, and the last of their keys.
    fn find_old(
        &self,
        core: &Core,
        prefix: Vec<u8>,
        horizon_epoch_ms: u64,
    ) -> Result<Option<(Batch, Vec<u8>)>, ApiError> {
        let snapshot = core.store().snapshot();
        let mut range = KeyRange::prefix(prefix.clone());
        if let Some(last) = self.trimmed.get(&prefix) {
            range.low = Bound::Excluded(last.clone());
        }
        let (low, high) = range.bounds();
        let (mut batch, mut last) = (Batch::new(), None);
        for entry in snapshot.range(low, high, Direction::Forward).take(CHUNK) {
            let (key, bytes) = entry.map_err(internal)?;
            if Event::epoch_ms_of(&bytes).is_some_and(|at| at >= horizon_epoch_ms) {
                break;
            }
            last = Some(key.to_vec());
            batch.remove(key.to_vec());
        }
        Ok(last.map(|last| (batch, last)))
    }

    fn trim(
        &mut self,
        core: &Core,
        prefix: Vec<u8>,
        batch: Batch,
        last: Vec<u8>,
    ) -> Result<Work, ApiError> {
        let work = if batch.len() >= CHUNK {
            Work::More
        } else {
            Work::Done
        };
        core.store()
            .stage(batch)
            .map_err(internal)?
            .wait()
            .map_err(internal)?;
        self.trimmed.insert(prefix, last);
        Ok(work)
    }
}
