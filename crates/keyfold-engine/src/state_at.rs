//! The state of a table at a moment: its present items, with the later changes undone.
//!
//! With point-in-time recovery on, every change is kept with the item before and after it. The state
//! of an item at a moment is its image before the first later change, or the present item if there
//! is none.
//!
//! Changes are ordered by time and items by key, so the changes are gathered by key. This takes
//! memory for each changed key. One pass over the changes therefore gathers only as many keys, in
//! ascending order, as fit a budget. The next pass gathers the next keys.

use crate::base::error::{corrupt, internal};
use crate::base::layout;
use crate::base::open_error::OpenError;
use crate::catalog::Catalog;
use crate::table::Table;
use crate::table::stream::Event;
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, KeyRange, TableId};
use keyfold_store::{Direction, Snapshot, Store};
use keyfold_types::KeySchema;
use std::collections::BTreeMap;
use std::ops::Bound;

/// Bytes of keys and images that one pass gathers.
const GATHERED_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Changes and items read in one piece of the work, and bytes of items above which a piece ends.
const CHANGES_AT_ONCE: usize = 2_000;
const ITEMS_AT_ONCE: usize = 500;
const ITEM_BYTES_AT_ONCE: u64 = 2 * 1024 * 1024;

/// A key without the table's id.
fn within(key: &[u8]) -> Vec<u8> {
    key.get(4..).unwrap_or_default().to_vec()
}

/// A key within a table, prefixed by the table's id.
fn of_space(space: TableId, within: &[u8]) -> Vec<u8> {
    [space.0.to_be_bytes().as_slice(), within].concat()
}

/// The changes to undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// Those after a moment.
    After(u64),
    /// Those from a sequence number on.
    From(u64),
}

/// The place of a table's changes, and the schema of its keys.
#[derive(Debug, Clone)]
struct Source {
    space: TableId,
    name: String,
    key: KeySchema,
}

impl Source {
    fn of(table: &Table) -> Source {
        Source {
            space: table.id,
            name: table.name.clone(),
            key: table.key.clone(),
        }
    }

    fn change(&self, place: &[u8], bytes: &[u8]) -> Result<(Vec<u8>, Change), ApiError> {
        let unreadable =
            || ApiError::Internal(format!("a change of table {} is unreadable", self.name));
        let sequence = layout::sequence_of(place).ok_or_else(unreadable)?;
        let event = Event::decode(bytes).ok_or_else(unreadable)?;
        let key = key::base_key(self.space, &self.key, &event.keys.to_item())
            .map_err(|_| unreadable())?;
        Ok((within(key.as_slice()), Change { sequence, event }))
    }
}

/// State that is gathered for a key.
trait Gathered {
    fn bytes(&self) -> usize;
}

/// The gathered states of changed keys: of as many keys as fit the budget.
struct Gathering<T> {
    /// The gathered states, by key within the table.
    found: BTreeMap<Vec<u8>, T>,
    bytes: usize,
    /// The next pass gathers this key and the greater ones.
    below: Option<Vec<u8>>,
    /// The remaining range of changes; none when all were read.
    left: Option<KeyRange>,
}

impl<T: Gathered> Gathering<T> {
    fn new(space: TableId, first_sequence: u64) -> Gathering<T> {
        let mut left = KeyRange::prefix(layout::changes(space));
        if first_sequence > 0 {
            let mut first = layout::changes(space);
            first.extend_from_slice(&first_sequence.to_be_bytes());
            left.low = Bound::Included(first);
        }
        Gathering {
            found: BTreeMap::new(),
            bytes: 0,
            below: None,
            left: Some(left),
        }
    }

    /// A gathering without changes.
    fn of_nothing() -> Gathering<T> {
        Gathering {
            found: BTreeMap::new(),
            bytes: 0,
            below: None,
            left: None,
        }
    }

    /// Gathers some changes of the keys in `wanted`. Returns true when there are no more. After an
    /// error the next call merges the same changes again, which `merge` must allow.
    fn step(
        &mut self,
        snapshot: &Snapshot,
        source: &Source,
        wanted: &KeyRange,
        mut merge: impl FnMut(&mut Option<T>, Change),
    ) -> Result<bool, ApiError> {
        let Some(left) = &self.left else {
            return Ok(true);
        };
        let (low, high) = left.bounds();
        let (mut count, mut last) = (0, None);
        for entry in snapshot
            .range(low, high, Direction::Forward)
            .take(CHANGES_AT_ONCE)
        {
            let (place, bytes) = entry.map_err(internal)?;
            (count, last) = (count + 1, Some(place.to_vec()));
            let (key, change) = source.change(&place, &bytes)?;
            let is_later = self.below.as_ref().is_some_and(|below| key >= *below);
            if is_later || !wanted.contains(&of_space(source.space, &key)) {
                continue;
            }
            let mut slot = self.found.remove(&key);
            self.bytes -= slot.as_ref().map_or(0, |slot| slot.bytes() + key.len());
            merge(&mut slot, change);
            if let Some(slot) = slot {
                self.bytes += slot.bytes() + key.len();
                self.found.insert(key, slot);
            }
            // At least one key remains, so that every pass makes progress.
            while self.bytes > GATHERED_BYTES_MAX && self.found.len() > 1 {
                let Some((key, slot)) = self.found.pop_last() else {
                    break;
                };
                self.bytes -= slot.bytes() + key.len();
                self.below = Some(key);
            }
        }
        let high = left.high.clone();
        self.left = last
            .filter(|_| count == CHANGES_AT_ONCE)
            .map(|last| KeyRange {
                low: Bound::Excluded(last),
                high,
            });
        Ok(self.left.is_none())
    }

    /// The gathered part of a range, and the rest.
    fn split(&self, space: TableId, wanted: &KeyRange) -> (KeyRange, Option<KeyRange>) {
        match &self.below {
            None => (wanted.clone(), None),
            Some(below) => {
                let below = of_space(space, below);
                let rest = KeyRange {
                    low: Bound::Included(below.clone()),
                    high: wanted.high.clone(),
                };
                (
                    KeyRange {
                        low: wanted.low.clone(),
                        high: Bound::Excluded(below),
                    },
                    Some(rest),
                )
            }
        }
    }
}

/// An item before its change.
struct Before(Option<RawItem>);

impl Gathered for Before {
    fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, |item| item.bytes().len())
    }
}

/// The items of a table at a moment, read in pieces.
pub(crate) struct StateAt {
    snapshot: Snapshot,
    source: Source,
    cut: Option<Cut>,
    /// The remaining keys.
    left: Option<KeyRange>,
    part: Option<Part>,
}

/// The keys of one pass.
struct Part {
    undone: Gathering<Before>,
    /// The keys whose present items were not read yet; none when all were.
    present: Option<KeyRange>,
    is_gathered: bool,
}

impl StateAt {
    fn new(store: &Store, source: Source, cut: Option<Cut>) -> Result<StateAt, ApiError> {
        let left = Some(layout::items_of(source.space));
        let snapshot = store.snapshot_of_staged().map_err(internal)?;
        Ok(StateAt {
            snapshot,
            source,
            cut,
            left,
            part: None,
        })
    }

    /// The present items of a table or backup, with everything that is staged. `like` has the schema
    /// of the keys.
    pub(crate) fn now(store: &Store, space: TableId, like: &Table) -> Result<StateAt, ApiError> {
        StateAt::new(
            store,
            Source {
                space,
                ..Source::of(like)
            },
            None,
        )
    }

    /// The items at a moment within the window of point-in-time recovery.
    pub(crate) fn at(store: &Store, table: &Table, epoch_ms: u64) -> Result<StateAt, ApiError> {
        StateAt::new(store, Source::of(table), Some(Cut::After(epoch_ms)))
    }

    /// The items before the change with a sequence number.
    pub(crate) fn before(store: &Store, table: &Table, sequence: u64) -> Result<StateAt, ApiError> {
        StateAt::new(store, Source::of(table), Some(Cut::From(sequence)))
    }

    /// The same for a range of keys.
    pub(crate) fn of_keys(self, keys: KeyRange) -> StateAt {
        StateAt {
            left: Some(keys),
            ..self
        }
    }

    /// The range of keys to continue with after a failure; none at the end.
    pub(crate) fn left(&self) -> Option<&KeyRange> {
        self.left.as_ref()
    }

    /// Does a piece of the work. Returns some items, which may be none, and `None` at the end. After
    /// an error the same piece can be tried again.
    pub(crate) fn next_piece(&mut self) -> Result<Option<Vec<RawItem>>, ApiError> {
        let Some(left) = &self.left else {
            return Ok(None);
        };
        let cut = self.cut;
        let part = self.part.get_or_insert_with(|| match cut {
            None => Part {
                undone: Gathering::of_nothing(),
                present: Some(left.clone()),
                is_gathered: true,
            },
            Some(cut) => {
                let first = if let Cut::From(sequence) = cut {
                    sequence
                } else {
                    0
                };
                Part {
                    undone: Gathering::new(self.source.space, first),
                    present: None,
                    is_gathered: false,
                }
            }
        });
        if !part.is_gathered {
            let merge = |slot: &mut Option<Before>, change: Change| {
                let is_undone = match cut {
                    Some(Cut::After(epoch_ms)) => change.event.epoch_ms > epoch_ms,
                    Some(Cut::From(sequence)) => change.sequence >= sequence,
                    None => false,
                };
                // The image before the first of these changes.
                if is_undone && slot.is_none() {
                    *slot = Some(Before(change.event.old));
                }
            };
            if part
                .undone
                .step(&self.snapshot, &self.source, left, merge)?
            {
                part.is_gathered = true;
                part.present = Some(part.undone.split(self.source.space, left).0);
            }
            return Ok(Some(Vec::new()));
        }
        if let Some(present) = &part.present {
            let (items, rest) = present_items(&self.snapshot, &self.source, present, &part.undone)?;
            part.present = rest;
            return Ok(Some(items));
        }
        let mut items = Vec::new();
        let mut bytes = 0;
        while let Some((_, Before(item))) = part.undone.found.pop_first() {
            bytes += item.as_ref().map_or(0, RawItem::size_bytes);
            items.extend(item);
            if items.len() == ITEMS_AT_ONCE || bytes > ITEM_BYTES_AT_ONCE {
                return Ok(Some(items));
            }
        }
        self.left = part.undone.split(self.source.space, left).1;
        self.part = None;
        Ok(Some(items))
    }
}

/// Reads some unchanged present items of a range. Returns them with the rest of the range.
fn present_items(
    snapshot: &Snapshot,
    source: &Source,
    range: &KeyRange,
    undone: &Gathering<Before>,
) -> Result<(Vec<RawItem>, Option<KeyRange>), ApiError> {
    let (low, high) = range.bounds();
    let (mut items, mut bytes, mut count) = (Vec::new(), 0, 0);
    for entry in snapshot.range(low, high, Direction::Forward) {
        let (key, stored) = entry.map_err(internal)?;
        count += 1;
        if !undone.found.contains_key(&within(&key)) {
            let item = RawItem::open(stored).map_err(|error| corrupt(&source.name, &error))?;
            bytes += item.size_bytes();
            items.push(item);
        }
        if count == ITEMS_AT_ONCE || bytes > ITEM_BYTES_AT_ONCE {
            let rest = KeyRange {
                low: Bound::Excluded(key.to_vec()),
                high: range.high.clone(),
            };
            return Ok((items, Some(rest)));
        }
    }
    Ok((items, None))
}

/// The change of an item between two moments.
pub(crate) struct Became {
    pub(crate) keys: RawItem,
    pub(crate) written_epoch_ms: u64,
    pub(crate) old: Option<RawItem>,
    pub(crate) new: Option<RawItem>,
}

impl Gathered for Became {
    fn bytes(&self) -> usize {
        [Some(&self.keys), self.old.as_ref(), self.new.as_ref()]
            .into_iter()
            .flatten()
            .map(|item| item.bytes().len())
            .sum()
    }
}

/// The change of each item of some keys between one moment (included) and another, read in pieces.
/// Items that were created and deleted in between are left out.
pub(crate) struct ChangesBetween {
    snapshot: Snapshot,
    source: Source,
    moments: std::ops::Range<u64>,
    left: Option<KeyRange>,
    gathering: Option<Gathering<Became>>,
}

impl ChangesBetween {
    pub(crate) fn new(
        store: &Store,
        table: &Table,
        moments: std::ops::Range<u64>,
        keys: KeyRange,
    ) -> Result<ChangesBetween, ApiError> {
        let snapshot = store.snapshot_of_staged().map_err(internal)?;
        Ok(ChangesBetween {
            snapshot,
            source: Source::of(table),
            moments,
            left: Some(keys),
            gathering: None,
        })
    }

    /// Does a piece of the work. Returns some changes, which may be none, and `None` at the end.
    /// After an error the same piece can be tried again.
    pub(crate) fn next_piece(&mut self) -> Result<Option<Vec<Became>>, ApiError> {
        let Some(left) = &self.left else {
            return Ok(None);
        };
        let gathering = self
            .gathering
            .get_or_insert_with(|| Gathering::new(self.source.space, 0));
        if gathering.left.is_some() {
            let moments = self.moments.clone();
            gathering.step(
                &self.snapshot,
                &self.source,
                left,
                |slot, Change { event, .. }| {
                    if !moments.contains(&event.epoch_ms) {
                        return;
                    }
                    match slot {
                        Some(known) => {
                            (known.new, known.written_epoch_ms) = (event.new, event.epoch_ms)
                        }
                        None => {
                            *slot = Some(Became {
                                keys: event.keys,
                                written_epoch_ms: event.epoch_ms,
                                old: event.old,
                                new: event.new,
                            });
                        }
                    }
                },
            )?;
            return Ok(Some(Vec::new()));
        }
        let (mut changes, mut bytes) = (Vec::new(), 0);
        while let Some((_, became)) = gathering.found.pop_first() {
            if became.old.is_none() && became.new.is_none() {
                continue;
            }
            bytes += became.bytes() as u64;
            changes.push(became);
            if changes.len() == ITEMS_AT_ONCE || bytes > ITEM_BYTES_AT_ONCE {
                return Ok(Some(changes));
            }
        }
        self.left = gathering.split(self.source.space, left).1;
        self.gathering = None;
        Ok(Some(changes))
    }
}

/// The greatest time in the store, by which changes are ordered.
pub(crate) fn newest_moment(catalog: &Catalog, store: &Store) -> Result<u64, OpenError> {
    let snapshot = store.snapshot();
    let mut newest = 0;
    let tables = catalog.read();
    let streams = catalog.streams();
    let changed = tables.values().map(|table| layout::changes(table.id));
    let shards = streams.values().flat_map(|stream| &stream.shards);
    for place in changed.chain(shards.map(|shard| layout::events(shard.id))) {
        let range = KeyRange::prefix(place);
        let (low, high) = range.bounds();
        if let Some(entry) = snapshot.range(low, high, Direction::Backward).next() {
            let (_, bytes) = entry?;
            newest = newest.max(Event::epoch_ms_of(&bytes).unwrap_or(0));
        }
    }
    let since = tables
        .values()
        .filter_map(|table| table.settings.recovery.as_ref());
    let begun = catalog
        .backups()
        .values()
        .map(|backup| backup.creation_epoch_ms)
        .max();
    Ok(since
        .map(|recovery| recovery.since_epoch_ms)
        .chain(begun)
        .fold(newest, u64::max))
}

/// A kept change.
pub(crate) struct Change {
    pub(crate) sequence: u64,
    pub(crate) event: Event,
}

/// Every kept change of a table, oldest first.
pub(crate) fn changes<'s>(
    snapshot: &'s Snapshot,
    table: &Table,
) -> impl Iterator<Item = Result<Change, ApiError>> + 's {
    let range = KeyRange::prefix(layout::changes(table.id));
    let source = Source::of(table);
    let entries: Box<dyn Iterator<Item = _> + 's> = {
        let (low, high) = range.bounds();
        snapshot.range(low, high, Direction::Forward)
    };
    entries.map(move |entry| {
        let (place, bytes) = entry.map_err(internal)?;
        source.change(&place, &bytes).map(|(_, change)| change)
    })
}
