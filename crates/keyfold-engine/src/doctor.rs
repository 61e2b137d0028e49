//! The examination of a data folder: every checksum, every index entry and expiry note against its
//! item, and every counter. A repair rebuilds indexes, expiry notes and counters from the items.
//!
//! The folder must not be in use by a server. Items never change: an unreadable item is reported and
//! stays.

use crate::base::error::internal;
use crate::base::layout::{self, Counter};
use crate::core::Core;
use crate::item::counters::count;
use crate::item::{entries as index_entries, expiry_note};
use crate::state_at;
use crate::table::stream::Event;
use crate::table::{Index, Table};
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, IndexId, KeyRange};
use keyfold_store::{Batch, Direction, Snapshot};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Changes in one batch of a repair.
const CHUNK: usize = 2000;
/// Problems of one kind in one place that are listed. The others are counted.
const LISTED_MAX: usize = 10;

/// A problem that an examination found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The table, and the index if the problem is in one.
    pub place: String,
    /// The fault.
    pub what: String,
    /// Whether a repair removes it.
    pub can_be_repaired: bool,
}

/// The result of an examination.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Examination {
    /// Tables examined.
    pub tables: u64,
    /// Items read.
    pub items: u64,
    /// Index entries read.
    pub entries: u64,
    /// Stream records and kept changes read.
    pub records: u64,
    /// The problems, at most ten of a kind in a place.
    pub problems: Vec<Problem>,
    /// The number of problems that are not listed.
    pub unlisted: u64,
    /// Restores, exports and imports that ended as failed, with their reasons. The data is intact.
    pub failed: Vec<String>,
}

impl Examination {
    /// Whether there are no problems.
    pub fn is_well(&self) -> bool {
        self.problems.is_empty()
    }

    fn add(&mut self, place: &str, what: String, repair: Repair) {
        let can_be_repaired = repair == Repair::Possible;
        let same = |problem: &&Problem| {
            problem.place == place && problem.can_be_repaired == can_be_repaired
        };
        if self.problems.iter().filter(same).count() < LISTED_MAX {
            self.problems.push(Problem {
                place: place.to_owned(),
                what,
                can_be_repaired,
            });
        } else {
            self.unlisted += 1;
        }
    }
}

/// Whether a repair removes a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repair {
    Possible,
    Impossible,
}

/// Entries and bytes of an index (or the table itself).
#[derive(Default, Clone, Copy, PartialEq, Eq)]
struct Size {
    entries: i64,
    bytes: i64,
}

impl Size {
    fn add(&mut self, item: &RawItem) {
        self.entries += 1;
        self.bytes += item.size_bytes() as i64;
    }
}

pub(crate) fn examine(core: &Core) -> Result<Examination, ApiError> {
    let mut found = Examination::default();
    let snapshot = core.store().snapshot();
    let tables: Vec<Arc<Table>> = core.catalog().read().values().cloned().collect();
    for table in &tables {
        found.tables += 1;
        examine_table(&snapshot, table, &mut found)?;
    }
    for stream in core.catalog().streams().values() {
        let place = format!("{} stream {}", stream.table_name, stream.label);
        for shard in &stream.shards {
            for entry in entries(&snapshot, &KeyRange::prefix(layout::events(shard.id))) {
                let (_, bytes) = entry?;
                found.records += 1;
                if Event::decode(&bytes).is_none() {
                    let fault = "a record cannot be read".to_owned();
                    found.add(&place, fault, Repair::Impossible);
                }
            }
        }
    }
    for backup in core.catalog().backups().values() {
        let place = format!("{} backup {}", backup.table.name, backup.name);
        for entry in entries(&snapshot, &layout::items_of(backup.id)) {
            let (_, bytes) = entry?;
            found.items += 1;
            if let Err(error) = RawItem::open(bytes) {
                let fault = format!("an item cannot be read: {error}");
                found.add(&place, fault, Repair::Impossible);
            }
        }
    }
    found.failed = failed(core);
    Ok(found)
}

/// The work that ended as failed, with the reasons.
fn failed(core: &Core) -> Vec<String> {
    let tables = core.catalog().read();
    let restores = tables.values().filter_map(|table| {
        let failure = table.settings.failure.as_ref()?;
        Some(format!(
            "table {} could not be restored: {}",
            table.name, failure.reason
        ))
    });
    let mut failed: Vec<String> = restores.collect();
    for export in core.catalog().exports().values() {
        if let Some((_, reason)) = &export.failure {
            failed.push(format!(
                "export {} of table {}: {reason}",
                export.label, export.table_name
            ));
        }
    }
    for import in core.catalog().imports().values() {
        if let Some((_, reason)) = &import.failure {
            failed.push(format!(
                "import {} into table {}: {reason}",
                import.label, import.table.name
            ));
        }
    }
    failed
}

fn entries<'s>(
    snapshot: &'s Snapshot,
    range: &KeyRange,
) -> impl Iterator<Item = Result<(bytes::Bytes, bytes::Bytes), ApiError>> + 's {
    let (low, high) = range.bounds();
    snapshot
        .range(low, high, Direction::Forward)
        .map(|entry| entry.map_err(internal))
}

/// The sizes of the table and of its indexes, counted from the items.
type Sizes = BTreeMap<IndexId, Size>;

fn examine_table(
    snapshot: &Snapshot,
    table: &Arc<Table>,
    found: &mut Examination,
) -> Result<(), ApiError> {
    let mut sizes = Sizes::new();
    for entry in entries(snapshot, &layout::items_of(table.id)) {
        let (at, bytes) = entry?;
        found.items += 1;
        match RawItem::open(bytes) {
            Ok(item) => examine_item(snapshot, table, (&at, &item), &mut sizes, found)?,
            Err(error) => {
                let fault = format!("an item cannot be read: {error}");
                found.add(&table.name, fault, Repair::Impossible);
            }
        }
    }
    for index in built(table) {
        examine_index(snapshot, table, index, found)?;
    }
    examine_counters(snapshot, table, &sizes, found)?;
    for change in state_at::changes(snapshot, table) {
        found.records += 1;
        if let Err(error) = change {
            found.add(&table.name, error.to_string(), Repair::Impossible);
        }
    }
    Ok(())
}

/// Examines an item at its key: the key itself, its expiry note and its entries. Adds its sizes.
fn examine_item(
    snapshot: &Snapshot,
    table: &Table,
    (at, item): (&[u8], &RawItem),
    sizes: &mut Sizes,
    found: &mut Examination,
) -> Result<(), ApiError> {
    let tree = item.to_item();
    let key = key::base_key(table.id, &table.key, &tree);
    if !key.is_ok_and(|key| key.as_slice() == at) {
        let fault = "an item lies under another key than its own".to_owned();
        found.add(&table.name, fault, Repair::Impossible);
    }
    sizes.entry(IndexId::BASE).or_default().add(item);
    let expiry = table.settings.expiry.as_ref();
    if let Some(expiry) = expiry.filter(|expiry| expiry.is_complete)
        && let Some(note) = expiry_note::note_of(table.id, at, &expiry.attribute, item)
        && snapshot.get(&note).map_err(internal)?.is_none()
    {
        let fault = "the expiry note of an item is missing".to_owned();
        found.add(&table.name, fault, Repair::Possible);
    }
    for index in built(table) {
        let expected = index_entries::entry(table, index, Some((item, &tree)));
        let Some(expected) = expected.map_err(ApiError::from)? else {
            continue;
        };
        sizes.entry(index.id).or_default().add(&expected.item);
        let stored = snapshot.get(expected.key.as_slice()).map_err(internal)?;
        let fault = match stored {
            None => "an entry is missing",
            Some(stored) if stored != *expected.item.bytes() => "an entry differs from its item",
            Some(_) => continue,
        };
        found.add(&place(table, index), fault.to_owned(), Repair::Possible);
    }
    Ok(())
}

/// Compares the stored counters with the sizes counted from the items.
fn examine_counters(
    snapshot: &Snapshot,
    table: &Table,
    sizes: &Sizes,
    found: &mut Examination,
) -> Result<(), ApiError> {
    for (index, size) in sizes_by_index(table, sizes) {
        let stored = stored_size(snapshot, table, index)?;
        if stored == size {
            continue;
        }
        let fault = format!(
            "the counters of {} say {} entries and {} bytes, there are {} and {}",
            name_of(table, index),
            stored.entries,
            stored.bytes,
            size.entries,
            size.bytes
        );
        found.add(&table.name, fault, Repair::Possible);
    }
    Ok(())
}

/// The indexes that are complete.
fn built(table: &Table) -> impl Iterator<Item = &Index> {
    table.indexes.iter().filter(|index| !index.is_building)
}

fn sizes_by_index(table: &Table, sizes: &Sizes) -> Vec<(IndexId, Size)> {
    std::iter::once(IndexId::BASE)
        .chain(built(table).map(|index| index.id))
        .map(|index| (index, sizes.get(&index).copied().unwrap_or_default()))
        .collect()
}

fn stored_size(snapshot: &Snapshot, table: &Table, index: IndexId) -> Result<Size, ApiError> {
    let counter = |counter: Counter| {
        let bytes = snapshot
            .get(&layout::counter(table.id, index, counter))
            .map_err(internal)?;
        let value = bytes
            .and_then(|bytes| bytes.as_ref().try_into().ok())
            .map_or(0, i64::from_le_bytes);
        Ok::<_, ApiError>(value)
    };
    Ok(Size {
        entries: counter(Counter::Entries)?,
        bytes: counter(Counter::Bytes)?,
    })
}

fn place(table: &Table, index: &Index) -> String {
    format!("{}.{}", table.name, index.name)
}

fn name_of(table: &Table, index: IndexId) -> String {
    table
        .indexes
        .iter()
        .find(|known| known.id == index)
        .map_or("the table".to_owned(), |index| index.name.clone())
}

/// Examines the entries of an index. Each must be the entry of an item.
fn examine_index(
    snapshot: &Snapshot,
    table: &Arc<Table>,
    index: &Index,
    found: &mut Examination,
) -> Result<(), ApiError> {
    for entry in entries(snapshot, &layout::entries_of(table.id, index.id)) {
        let (at, bytes) = entry?;
        found.entries += 1;
        let Ok(stored) = RawItem::open(bytes) else {
            found.add(
                &place(table, index),
                "an entry cannot be read".to_owned(),
                Repair::Possible,
            );
            continue;
        };
        let base = key::base_key(table.id, &table.key, &stored.to_item()).ok();
        let item = match base {
            None => None,
            Some(base) => snapshot.get(base.as_slice()).map_err(internal)?,
        };
        let item = item.and_then(|bytes| RawItem::open(bytes).ok());
        let tree = item.as_ref().map(RawItem::to_item);
        let made = index_entries::entry(table, index, item.as_ref().zip(tree.as_ref()))
            .map_err(ApiError::from)?;
        if made.is_none_or(|made| made.key.as_slice() != at.as_ref()) {
            found.add(
                &place(table, index),
                "an entry has no item".to_owned(),
                Repair::Possible,
            );
        }
    }
    Ok(())
}

/// Rebuilds all indexes, expiry notes and counters from the items.
pub(crate) fn repair(core: &Core) -> Result<(), ApiError> {
    let tables: Vec<Arc<Table>> = core.catalog().read().values().cloned().collect();
    tables.iter().try_for_each(|table| {
        remove_derived(core, table)?;
        derive(core, table)
    })
}

/// Removes all index entries and counters of a table.
fn remove_derived(core: &Core, table: &Table) -> Result<(), ApiError> {
    for index in &table.indexes {
        let range = layout::entries_of(table.id, index.id);
        remove_all(core, &range)?;
    }
    let counters = KeyRange::prefix(layout::counters_of(table.id));
    let mut batch = Batch::new();
    for entry in entries(&core.store().snapshot(), &counters) {
        batch.remove_counter(entry?.0.to_vec());
    }
    flush(core, &mut batch)
}

/// Writes the index entries, expiry notes and counters of all items of a table.
fn derive(core: &Core, table: &Table) -> Result<(), ApiError> {
    let snapshot = core.store().snapshot();
    let (mut batch, mut handled) = (Batch::new(), 0);
    for entry in entries(&snapshot, &layout::items_of(table.id)) {
        let (at, bytes) = entry?;
        let Ok(item) = RawItem::open(bytes) else {
            continue;
        };
        let tree = item.to_item();
        handled += 1;
        let bytes = item.size_bytes();
        count(&mut batch, table, IndexId::BASE, (None, Some(bytes)));
        if let Some(expiry) = &table.settings.expiry
            && let Some(note) = expiry_note::note_of(table.id, &at, &expiry.attribute, &item)
        {
            batch.put(note, Vec::new());
        }
        for index in built(table) {
            let made = index_entries::entry(table, index, Some((&item, &tree)));
            let Some(made) = made.map_err(ApiError::from)? else {
                continue;
            };
            let bytes = made.item.size_bytes();
            count(&mut batch, table, index.id, (None, Some(bytes)));
            batch.put(made.key.into_vec(), made.item.bytes().clone());
        }
        // The batch's length does not include counters, and a table without indexes has nothing
        // else to write.
        if batch.len() >= CHUNK || handled % CHUNK == 0 {
            flush(core, &mut batch)?;
        }
    }
    flush(core, &mut batch)
}

fn flush(core: &Core, batch: &mut Batch) -> Result<(), ApiError> {
    core.store()
        .stage(std::mem::take(batch))
        .map_err(internal)?
        .wait()
        .map_err(internal)
}

fn remove_all(core: &Core, range: &KeyRange) -> Result<(), ApiError> {
    let snapshot = core.store().snapshot();
    let mut batch = Batch::new();
    for entry in entries(&snapshot, range) {
        batch.remove(entry?.0.to_vec());
        if batch.len() >= CHUNK {
            flush(core, &mut batch)?;
        }
    }
    flush(core, &mut batch)
}
