//! A table as it was: from its present items, by undoing the changes since.
//!
//! With point-in-time recovery on, every change is kept with the item before and after it. What an item was at a
//! moment is what stood before its first change after that moment; items without such a change are as they are.

use crate::layout;
use crate::pending::internal;
use crate::stream::Event;
use crate::table::Table;
use crate::write::corrupt;
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, IndexId, KeyRange, TableId};
use keyfold_store::{Direction, Snapshot, Store};
use std::collections::BTreeMap;
use std::ops::Bound;

/// The items of a table at a moment, by key within the table.
pub(crate) struct StateAt {
    snapshot: Snapshot,
    space: TableId,
    name: String,
    /// What stood before the first change after the moment.
    undone: BTreeMap<Vec<u8>, Option<RawItem>>,
}

/// A key without the table's id in front.
fn within(key: &[u8]) -> Vec<u8> {
    key.get(4..).unwrap_or_default().to_vec()
}

/// A key within a table, with the table's id in front.
pub(crate) fn of_space(space: TableId, within: &[u8]) -> Vec<u8> {
    [space.0.to_be_bytes().as_slice(), within].concat()
}

impl StateAt {
    /// The items as they are now, of a table or of a backup's place.
    pub(crate) fn now(store: &Store, space: TableId, name: &str) -> StateAt {
        StateAt { snapshot: store.snapshot(), space, name: name.to_owned(), undone: BTreeMap::new() }
    }

    /// The items at a moment since point-in-time recovery is on.
    pub(crate) fn at(store: &Store, table: &Table, epoch_ms: u64) -> Result<StateAt, ApiError> {
        let mut state = StateAt::now(store, table.id, &table.name);
        for change in changes(&state.snapshot, table)? {
            let (key, change) = change?;
            if change.event.epoch_ms > epoch_ms {
                state.undone.entry(key).or_insert(change.event.old);
            }
        }
        Ok(state)
    }

    /// The items before the changes from a sequence number on.
    pub(crate) fn before(store: &Store, table: &Table, sequence: u64) -> Result<StateAt, ApiError> {
        let mut state = StateAt::now(store, table.id, &table.name);
        for change in changes(&state.snapshot, table)? {
            let (key, change) = change?;
            if change.sequence >= sequence {
                state.undone.entry(key).or_insert(change.event.old);
            }
        }
        Ok(state)
    }

    /// Where the items begin.
    pub(crate) fn start(&self) -> KeyRange {
        KeyRange::prefix(key::space_prefix(self.space, IndexId::BASE))
    }

    /// Some items from a place on, and where to go on. When nothing is left, what exists no more is next: see
    /// [`StateAt::changed_since`].
    pub(crate) fn some(
        &self,
        from: &KeyRange,
        most: usize,
    ) -> Result<(Vec<RawItem>, Option<KeyRange>), ApiError> {
        let (low, high) = from.bounds();
        let (mut items, mut last) = (Vec::new(), None);
        for entry in self.snapshot.range(low, high, Direction::Forward).take(most) {
            let (key, bytes) = entry.map_err(internal)?;
            if !self.undone.contains_key(&within(&key)) {
                items.push(RawItem::open(bytes).map_err(|error| corrupt(&self.name, &error))?);
            }
            last = Some(key.to_vec());
        }
        Ok((items, last.map(|last| KeyRange { low: Bound::Excluded(last), high: from.high.clone() })))
    }

    /// The items of a range that were other than they are now.
    pub(crate) fn changed_since(&self, range: &KeyRange) -> Vec<RawItem> {
        let is_within = |key: &[u8]| range.contains(&of_space(self.space, key));
        let undone = self.undone.iter().filter(|(key, _)| is_within(key));
        undone.filter_map(|(_, item)| item.clone()).collect()
    }
}

/// A change that is kept.
pub(crate) struct Change {
    pub(crate) sequence: u64,
    pub(crate) event: Event,
}

/// Every change that is kept of a table, oldest first, with the item's key within the table.
pub(crate) fn changes<'s>(
    snapshot: &'s Snapshot,
    table: &'s Table,
) -> Result<impl Iterator<Item = Result<(Vec<u8>, Change), ApiError>> + 's, ApiError> {
    let range = KeyRange::prefix(layout::changes(table.id));
    let unreadable = || ApiError::Internal(format!("a change of table {} is unreadable", table.name));
    let entries: Box<dyn Iterator<Item = _> + 's> = {
        let (low, high) = range.bounds();
        snapshot.range(low, high, Direction::Forward)
    };
    Ok(entries.map(move |entry| {
        let (place, bytes) = entry.map_err(internal)?;
        let sequence = layout::sequence_of(&place).ok_or_else(unreadable)?;
        let event = Event::decode(&bytes).ok_or_else(unreadable)?;
        let key = key::base_key(table.id, &table.key, &event.keys.to_item()).map_err(|_| unreadable())?;
        Ok((within(key.as_slice()), Change { sequence, event }))
    }))
}
