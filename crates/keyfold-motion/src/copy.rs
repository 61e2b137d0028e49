//! Copies a segment of the table, page by page.
//!
//! Each item is put only where the target has none of its key, and where no change has deleted it: a
//! change that was applied is newer than any scan, whose reads are strongly consistent and later than
//! the beginning of the stream. A page is more than a transaction takes; each transaction moves the
//! checkpoint to its last item, so that nothing is read twice but what was not written.

use crate::commit::{ACTIONS_MAX, BYTES_MAX, Committed, commit};
use crate::crew::{Crew, Stop};
use crate::rows::{Checkpoint, Counts, Mark};
use crate::world::Place;
use keyfold_api::{ExpressionAttributes, ScanInput, TransactPut, TransactWriteItem};
use keyfold_lower::capacity;
use keyfold_types::{Item, Value};
use std::collections::VecDeque;
use std::sync::Arc;

/// The condition that the target has no item of the key.
pub const HAS_NONE: &str = "attribute_not_exists(#key)";

/// Copies a segment to its end, and ends the run when it cannot.
pub(crate) async fn copy(crew: Arc<Crew>, segment: u32, row: Checkpoint) {
    match copy_all(&crew, segment, row).await {
        Ok(()) => crew.progress.segment_done(),
        Err(stop) => crew.end(stop),
    }
}

async fn copy_all(crew: &Crew, segment: u32, mut row: Checkpoint) -> Result<(), Stop> {
    loop {
        let after = match mark(crew, &row)? {
            Mark::Start => None,
            Mark::After(key) => Some(key),
            Mark::Done => return Ok(()),
        };
        let (items, last) = read(crew, segment, after).await?;
        let end = last.map_or(Mark::Done, Mark::After).to_value();
        row = write(crew, row, items, end).await?;
    }
}

fn mark(crew: &Crew, row: &Checkpoint) -> Result<Mark, Stop> {
    Mark::of(&row.at).ok_or_else(|| {
        let why = format!(
            "the row {} of {} has no proper `at`",
            row.part, crew.ledger.rows
        );
        Stop::Failed(keyfold_client::ClientError::refused(why))
    })
}

/// Reads the page behind a key, and the last key of it; `None` at the end of the segment.
async fn read(
    crew: &Crew,
    segment: u32,
    after: Option<Item>,
) -> Result<(VecDeque<Item>, Option<Item>), Stop> {
    let of = crew.run.segments;
    let input = ScanInput {
        table_name: Some(crew.options.table.clone()),
        limit: crew.options.page.map(i64::from),
        consistent_read: Some(true),
        segment: (of > 1).then_some(i64::from(segment)),
        total_segments: (of > 1).then_some(i64::from(of)),
        exclusive_start_key: after.map(Ok),
        returns: capacity::requested(),
        ..ScanInput::default()
    };
    let page = crew.ask(Place::Source, input).await?;
    let halves = capacity::total(page.consumed_capacity);
    let items: VecDeque<Item> = page
        .items
        .unwrap_or_default()
        .iter()
        .map(|item| item.to_item())
        .collect();
    let time = crew.reads.after(crew.world.now(), halves);
    if !time.is_zero() {
        crew.world.pause(time).await;
    }
    Ok((items, page.last_evaluated_key))
}

/// Writes the items of a page, and moves the checkpoint to its end.
async fn write(
    crew: &Crew,
    mut row: Checkpoint,
    mut items: VecDeque<Item>,
    end: Value,
) -> Result<Checkpoint, Stop> {
    loop {
        let some = transaction_of(crew, &mut items);
        let to = match some.last() {
            Some(last) if !items.is_empty() => Mark::After(crew.schema.key_of(last)).to_value(),
            Some(_) | None => end.clone(),
        };
        match put(crew, &row, some, &to).await? {
            Put::Done(moved) => row = moved,
            // An earlier transaction, whose answer was lost, was another one: the page is read again.
            Put::Elsewhere(row) => return Ok(row),
        }
        if items.is_empty() {
            return Ok(row);
        }
    }
}

/// The items of the next transaction.
fn transaction_of(crew: &Crew, items: &mut VecDeque<Item>) -> Vec<Item> {
    let most = match crew.run.stream {
        Some(_) => ACTIONS_MAX / 2,
        None => ACTIONS_MAX,
    };
    let (mut some, mut bytes) = (Vec::new(), 0);
    while let Some(item) = items.front() {
        bytes += item.size_bytes();
        if some.len() == most || (bytes > BYTES_MAX && !some.is_empty()) {
            break;
        }
        some.extend(items.pop_front());
    }
    some
}

enum Put {
    Done(Checkpoint),
    Elsewhere(Checkpoint),
}

/// Puts items that the target does not have, and moves the checkpoint.
async fn put(crew: &Crew, row: &Checkpoint, mut items: Vec<Item>, to: &Value) -> Result<Put, Stop> {
    let all = items.len();
    let bytes = items.iter().map(Item::size_bytes).sum();
    loop {
        let mut actions = Vec::with_capacity(items.len() * 2);
        let mut of = Vec::with_capacity(items.len() * 2);
        for (at, item) in items.iter().enumerate() {
            actions.push(put_if_none(crew, item));
            of.push(at);
            if crew.run.stream.is_some() {
                let key = crew.schema.key_of(item);
                actions.push(crew.ledger.not_gone(&key, crew.run.id));
                of.push(at);
            }
        }
        let counts = Counts {
            read: all as u64,
            written: items.len() as u64,
            deleted: 0,
            bytes,
        };
        match commit(crew, row, row.moved(to, counts), &actions).await? {
            Committed::Yes(moved) => {
                crew.progress
                    .copied((items.len(), all - items.len()), bytes);
                return Ok(Put::Done(moved));
            }
            Committed::Moved(moved) => return Ok(Put::Elsewhere(moved)),
            Committed::Refused(failed) => {
                let failed: Vec<usize> = failed
                    .into_iter()
                    .filter_map(|action| of.get(action).copied())
                    .collect();
                let mut at = 0;
                items.retain(|_| {
                    at += 1;
                    !failed.contains(&(at - 1))
                });
            }
        }
    }
}

fn put_if_none(crew: &Crew, item: &Item) -> TransactWriteItem {
    let key = crew.schema.attributes().next();
    let name = key.map_or("", |key| key.name.as_str());
    TransactWriteItem {
        put: Some(TransactPut {
            table_name: Some(crew.options.table.clone()),
            item: Some(Ok(item.clone())),
            condition_expression: Some(HAS_NONE.to_owned()),
            expression_attributes: ExpressionAttributes::default().name("#key", name),
            ..TransactPut::default()
        }),
        ..TransactWriteItem::default()
    }
}
