//! The ends of shards: an open shard whose lifetime is over is closed, and followed by its children.

use super::turn::{Turn, Work};
use crate::base::error::internal;
use crate::catalog;
use crate::core::Core;
use crate::table::shard::Shard;
use crate::table::stream::Stream;
use crate::table::{ActiveStream, Table};
use keyfold_api::ApiError;
use keyfold_store::Batch;
use std::sync::Arc;
use std::time::Duration;

/// Closes the shards of a table's stream whose lifetime is over.
pub(super) fn follow(core: &Core, table: &Table, turn: &mut Turn) {
    let Some(lifetime) = core.options().shards.lifetime else {
        return;
    };
    let is_due = stream_of(core, table).is_some_and(|stream| has_ended(core, &stream, lifetime));
    if is_due {
        let description = format!("dividing the stream of table {}", table.name);
        turn.note(&description, divide(core, table, lifetime));
    }
}

fn stream_of(core: &Core, table: &Table) -> Option<Arc<Stream>> {
    let active = table.settings.stream.as_ref()?;
    let place = (table.name.clone(), active.label.clone());
    core.catalog().streams().get(&place).cloned()
}

fn is_over(shard: &Shard, now_ms: u64, lifetime: Duration) -> bool {
    let age_ms = now_ms.saturating_sub(shard.creation_epoch_ms);
    shard.closed.is_none() && u128::from(age_ms) >= lifetime.as_millis()
}

fn has_ended(core: &Core, stream: &Stream, lifetime: Duration) -> bool {
    let now_ms = core.now_ms();
    stream
        .shards
        .iter()
        .any(|shard| is_over(shard, now_ms, lifetime))
}

/// Closes shards, and opens their children. The catalog is locked for writing until the batch is
/// staged: all changes before are in the parents, all later ones in the children.
fn divide(core: &Core, table: &Table, lifetime: Duration) -> Result<Work, ApiError> {
    let mut tables = core.catalog().write();
    let current = tables.get(&table.name).filter(|now| now.id == table.id);
    let Some(current) = current.map(Arc::clone) else {
        return Ok(Work::Done);
    };
    let Some(stream) = stream_of(core, &current) else {
        return Ok(Work::Done);
    };
    let mut batch = Batch::new();
    let stream = divided(core, &mut batch, Stream::clone(&stream), lifetime)?;
    let mut changed = Table::clone(&current);
    changed.settings.stream = changed.settings.stream.map(|active| ActiveStream {
        shards: stream.open_shards(),
        ..active
    });
    catalog::put_stream(&mut batch, &stream);
    catalog::put_record(&mut batch, &changed);
    let ticket = core.store().stage(batch).map_err(internal)?;
    core.catalog().put_stream(Some(stream));
    tables.insert(changed.name.clone(), Arc::new(changed));
    drop(tables);
    ticket.wait().map_err(internal)?;
    Ok(Work::Done)
}

/// The stream after the ends of the shards whose lifetime is over.
fn divided(
    core: &Core,
    batch: &mut Batch,
    mut stream: Stream,
    lifetime: Duration,
) -> Result<Stream, ApiError> {
    let end = core.store().staged_sequence().map_err(internal)?;
    let now_ms = core.now_ms();
    let mut open = stream.open_shards().len();
    let mut children = Vec::new();
    for parent in stream
        .shards
        .iter_mut()
        .filter(|shard| is_over(shard, now_ms, lifetime))
    {
        parent.closed = Some((now_ms, end));
        let is_split = open < core.options().shards.open_max as usize;
        let ranges = parent.parts(if is_split { 2 } else { 1 });
        open += ranges.len() - 1;
        for hashes in ranges {
            children.push(Shard {
                id: core.catalog().take_id(batch),
                // The name of a child is greater than that of its parent.
                creation_epoch_ms: now_ms.max(parent.creation_epoch_ms + 1),
                first_sequence: end,
                hashes,
                parent: Some(parent.name()),
                closed: None,
            });
        }
    }
    stream.shards.extend(children);
    Ok(stream)
}
