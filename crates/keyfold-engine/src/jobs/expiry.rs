//! Time to live: the deletion of expired items.
//!
//! A table with an expiry attribute has a note for each item with the attribute, ordered by the
//! second, so that the cost of a search is proportional to the number of expired items. Only numbers
//! count. Items that expired more than five years ago are kept. Source: "How it works: DynamoDB Time
//! to Live".

use super::turn::{Turn, Work};
use crate::base::error::{corrupt, internal};
use crate::base::layout;
use crate::core::Core;
use crate::item::apply::{Author, Stamp, apply};
use crate::item::expiry_note::{expires, move_note};
use crate::item::plan::{Action, ItemWrite};
use crate::item::refusal::Refusal;
use crate::table::Table;
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::KeyRange;
use keyfold_expr::Budget;
use keyfold_store::{Batch, Direction, Ticket};
use keyfold_types::Number;
use std::ops::Bound;
use std::sync::Arc;

/// Items deleted in one piece.
const CHUNK: usize = 200;
/// Notes read for them. The items of some notes expire later in this second, or no longer exist.
const NOTES_MAX: usize = 10 * CHUNK;
/// The age in seconds above which expired items are kept: five years.
const OLDEST_S: u64 = 5 * 365 * 24 * 60 * 60;

/// Deletes some of a table's expired items, and notes the failures of others.
pub(super) fn delete_some(core: &Core, table: &Arc<Table>, turn: &mut Turn) {
    let description = format!("deleting expired items of table {}", table.name);
    let mut failed = Vec::new();
    turn.note(&description, delete_found(core, table, &mut failed));
    // One for all: each turn tries the same items again.
    if let Some(error) = failed.pop() {
        turn.note(&description, Err(error));
    }
}

/// Deletes some expired items. An unreadable item does not stop the deletion of others.
fn delete_found(
    core: &Core,
    table: &Arc<Table>,
    failed: &mut Vec<ApiError>,
) -> Result<Work, ApiError> {
    let Some(expiry) = &table.settings.expiry else {
        return Ok(Work::Done);
    };
    let now_ms = core.now_ms();
    let now_s = now_ms / 1000;
    let oldest = now_s.saturating_sub(OLDEST_S);
    let low = layout::expiry(table.id, oldest, &[]);
    let high = layout::expiry(table.id, now_s + 1, &[]);
    let snapshot = core.store().snapshot();
    let notes = snapshot.range(
        Bound::Included(&low),
        Bound::Excluded(&high),
        Direction::Forward,
    );
    let (mut found, mut last) = (0, None);
    for note in notes.take(NOTES_MAX) {
        let (note, _) = note.map_err(internal)?;
        let Some(key) = layout::expiring_key(&note) else {
            continue;
        };
        match delete_expired(core, table, key, &expiry.attribute, now_ms, &note) {
            Ok(None) => {}
            Ok(Some(ticket)) => {
                found += 1;
                last = Some(ticket);
            }
            Err(error) => failed.push(error),
        }
        if found == CHUNK || failed.len() == CHUNK {
            break;
        }
    }
    if let Some(last) = last {
        last.wait().map_err(internal)?;
    }
    Ok(if found == CHUNK {
        Work::More
    } else {
        Work::Done
    })
}

/// Deletes an item if it has expired. Returns the ticket of a write, if there is one.
fn delete_expired(
    core: &Core,
    table: &Arc<Table>,
    key: &[u8],
    attribute: &str,
    now_ms: u64,
    note: &[u8],
) -> Result<Option<Ticket>, ApiError> {
    let tables = core.tables_for_writing();
    // The table may have been deleted, or its setting changed.
    let Some(table) = tables.get(&table.name).filter(|now| now.id == table.id) else {
        return Ok(None);
    };
    if table
        .settings
        .expiry
        .as_ref()
        .is_none_or(|expiry| expiry.attribute != attribute)
    {
        return Ok(None);
    }
    let _key = core.store().lock([key]);
    let stored = core.store().latest(key).map_err(internal)?;
    let item = stored
        .map(RawItem::open)
        .transpose()
        .map_err(|error| corrupt(&table.name, &error))?;
    let mut batch = Batch::new();
    match item.as_ref().and_then(|item| expires(item, attribute)) {
        Some((_, moment)) if has_passed(&moment, now_ms) => {
            let Some(item) = &item else { return Ok(None) };
            let action = Action::Delete {
                key: table.key.key_of(&item.to_item()),
            };
            let write = ItemWrite::new(action);
            let plan = write.plan(table)?;
            let change = plan
                .evaluate(Some(item.clone()), &Budget::unbounded())
                .map_err(ApiError::from)?;
            apply(
                core,
                &mut batch,
                &plan,
                &change,
                Stamp::now(core, Author::Expiry),
            )
            .map_err(ApiError::from)?;
        }
        // The item expires later in this second.
        Some((second, _)) if layout::expiry(table.id, second, key) == note => return Ok(None),
        // The note belongs to an earlier version of the item.
        Some(_) | None => batch.remove(note.to_vec()),
    }
    core.store().stage(batch).map(Some).map_err(internal)
}

fn has_passed(moment: &Number, now_ms: u64) -> bool {
    Number::new(false, u128::from(now_ms), -3).is_ok_and(|now| *moment < now)
}

/// Adds the expiry notes of some items from before the setting. Returns the rest of the range.
pub(crate) fn note_some(
    core: &Core,
    table: &Arc<Table>,
    from: &KeyRange,
) -> Result<Option<KeyRange>, ApiError> {
    let Some(expiry) = &table.settings.expiry else {
        return Ok(None);
    };
    let rest = crate::jobs::backfill::for_some(core, table, from, |batch, key, item| {
        move_note(batch, table.id, key, &expiry.attribute, None, Some(item));
        Ok::<(), Refusal>(())
    })?;
    Ok(rest)
}
