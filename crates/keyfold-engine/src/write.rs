//! The one write path: every change of an item goes through [`apply`].
//!
//! A write is checked without a table (`ItemWrite`), planned with one (`WritePlan`), evaluated against the
//! item it meets (`Change`), and applied to a batch. Single writes, batches and transactions differ only
//! in how many plans they have and what they do when one fails.

use crate::core::Core;
use crate::expiry;
use crate::key_check::{self, Maker};
use crate::layout::{self, Counter};
use crate::pending::internal;
use crate::stream;
use crate::table::{Index, IndexKind, Table};
use crate::throttle;
use keyfold_api::{ApiError, ErrorKind, ItemCollectionMetrics, StreamViewType, Throttling, Validation};
use keyfold_codec::key::{self, IndexId, KeyBytes};
use keyfold_codec::{CodecError, RawItem};
use keyfold_expr::{Budget, Condition, Update, UpdateError};
use keyfold_store::Batch;
use keyfold_types::limits::ITEM_BYTES_MAX;
use keyfold_types::{CapacityHalves, Item};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What happens to an item.
#[derive(Debug)]
pub(crate) enum Action {
    Put(Item),
    Update { key: Item, update: Update },
    Delete { key: Item },
    Check { key: Item },
}

/// A checked write: no table needed so far.
#[derive(Debug)]
pub(crate) struct ItemWrite {
    pub(crate) action: Action,
    pub(crate) condition: Option<Condition>,
    /// Whether a failed condition answers the item.
    pub(crate) return_on_failure: bool,
    /// A PartiQL INSERT: its condition fails because the item exists.
    pub(crate) is_insert: bool,
}

impl ItemWrite {
    /// A write without a condition.
    pub(crate) fn new(action: Action) -> ItemWrite {
        ItemWrite { action, condition: None, return_on_failure: false, is_insert: false }
    }
}

/// A write that fits its table: its key is encoded.
#[derive(Debug)]
pub(crate) struct WritePlan {
    pub(crate) table: Arc<Table>,
    pub(crate) key: KeyBytes,
    pub(crate) write: ItemWrite,
}

/// Why a write does not happen.
#[derive(Debug)]
pub(crate) enum Refusal {
    Condition(Option<Box<RawItem>>),
    Duplicate,
    Throttled(Box<Throttling>),
    Invalid(Box<Validation>),
    Internal(ApiError),
}

impl From<Validation> for Refusal {
    fn from(reason: Validation) -> Refusal {
        Refusal::Invalid(Box::new(reason))
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        match refusal {
            Refusal::Condition(item) => ApiError::ConditionalCheckFailed(item),
            Refusal::Duplicate => {
                ApiError::Plain(ErrorKind::DuplicateItem, "Duplicate primary key exists in table".to_owned())
            }
            Refusal::Throttled(throttling) => ApiError::Throttled(throttling),
            Refusal::Invalid(reason) => ApiError::Validation(reason),
            Refusal::Internal(error) => error,
        }
    }
}

/// An item before and after a write.
#[derive(Debug)]
pub(crate) struct Change<'p> {
    pub(crate) before: Option<RawItem>,
    pub(crate) after: Option<RawItem>,
    /// The item as a tree: after the write, or before when it is deleted.
    tree: Option<Cow<'p, Item>>,
    /// A ConditionCheck: billed, but nothing is written.
    is_check: bool,
}

impl Change<'_> {
    /// Bytes of the item, before or after, whichever are more.
    pub(crate) fn bytes(&self) -> u64 {
        let size = |item: &Option<RawItem>| item.as_ref().map_or(0, RawItem::size_bytes);
        size(&self.before).max(size(&self.after))
    }
}

/// What a write consumed, by index of the table.
#[derive(Debug, Default, Clone)]
pub(crate) struct Bill {
    pub(crate) table: CapacityHalves,
    pub(crate) local: BTreeMap<String, CapacityHalves>,
    pub(crate) global: BTreeMap<String, CapacityHalves>,
    /// Which partition of a global index is written, where capacity is enforced.
    pub(crate) partitions: BTreeMap<IndexId, [u8; 4]>,
}

impl Bill {
    pub(crate) fn add(&mut self, other: Bill) {
        self.table += other.table;
        for (name, units) in other.local {
            *self.local.entry(name).or_default() += units;
        }
        for (name, units) in other.global {
            *self.global.entry(name).or_default() += units;
        }
    }
}

/// A stored item that cannot be read.
pub(crate) fn corrupt(table: &str, error: &CodecError) -> ApiError {
    ApiError::Internal(format!("table {table}: {error}"))
}

impl ItemWrite {
    /// Encodes the key of an item that was one before: of a restore, which follows what the table's indexes take.
    pub(crate) fn plan_filling(self, table: &Arc<Table>) -> Result<WritePlan, Validation> {
        let (Action::Put(key) | Action::Update { key, .. } | Action::Delete { key } | Action::Check { key }) =
            &self.action;
        let key = key::base_key(table.id, &table.key, key).map_err(|_| Validation::KeySchemaMismatch)?;
        Ok(WritePlan { table: Arc::clone(table), key, write: self })
    }

    /// Checks the write against its table and encodes the key.
    pub(crate) fn plan(self, table: &Arc<Table>) -> Result<WritePlan, Validation> {
        key_check::check_paths(&table.key, self.condition.as_ref(), None)?;
        let key = match &self.action {
            Action::Put(item) => {
                key_check::check_item_key(&table.key, item)?;
                key_check::check_index_keys(table, item, Maker::Put)?;
                item
            }
            Action::Update { key, update } => {
                key_check::check_key(&table.key, key)?;
                key_check::check_update_paths(table, update)?;
                key_check::check_literals(table, update)?;
                let on_key = update.targets().iter().find(|target| table.key.contains(target.root()));
                if let Some(target) = on_key {
                    return Err(Validation::KeyUpdate(target.root().to_owned()));
                }
                key
            }
            Action::Delete { key } | Action::Check { key } => {
                key_check::check_key(&table.key, key)?;
                key
            }
        };
        let key = key::base_key(table.id, &table.key, key).map_err(|_| Validation::KeySchemaMismatch)?;
        Ok(WritePlan { table: Arc::clone(table), key, write: self })
    }
}

impl WritePlan {
    /// The change of a filling: an item that was an item before, whatever the rules for new ones are.
    pub(crate) fn filled(&self, before: Option<RawItem>, item: RawItem) -> Change<'_> {
        let tree = match &self.write.action {
            Action::Put(tree) => Some(Cow::Borrowed(tree)),
            Action::Update { .. } | Action::Delete { .. } | Action::Check { .. } => None,
        };
        Change { before, after: Some(item), tree, is_check: false }
    }

    /// The item's newest version. The key must be locked.
    pub(crate) fn read_before(&self, core: &Core) -> Result<Option<RawItem>, Refusal> {
        let bytes = core.store().latest(self.key.as_slice()).map_err(|e| Refusal::Internal(internal(e)))?;
        bytes
            .map(|bytes| RawItem::open(bytes).map_err(|e| Refusal::Internal(corrupt(&self.table.name, &e))))
            .transpose()
    }

    /// Judges the condition and makes the item's new version.
    pub(crate) fn evaluate(&self, before: Option<RawItem>, work: &Budget) -> Result<Change<'_>, Refusal> {
        if work.is_spent() {
            return Err(Validation::TooMuchWork.into());
        }
        if let Some(condition) = &self.write.condition
            && !condition.holds_within(before.as_ref(), work)
        {
            if self.write.is_insert {
                return Err(Refusal::Duplicate);
            }
            let item = if self.write.return_on_failure { before } else { None };
            return Err(Refusal::Condition(item.map(Box::new)));
        }
        let (tree, maker) = match &self.write.action {
            Action::Check { .. } => {
                return Ok(Change { after: before.clone(), before, tree: None, is_check: true });
            }
            Action::Delete { .. } => {
                let tree = before.as_ref().map(|before| Cow::Owned(before.to_item()));
                return Ok(Change { before, after: None, tree, is_check: false });
            }
            Action::Put(item) => (Cow::Borrowed(item), Maker::Put),
            Action::Update { update, .. } if before.is_none() && !update.creates() => {
                return Ok(Change { before, after: None, tree: None, is_check: false });
            }
            Action::Update { key, update } => {
                let mut item = before.as_ref().map_or_else(|| key.clone(), RawItem::to_item);
                update.apply(&mut item).map_err(|error| match error {
                    UpdateError::ItemSize => Validation::UpdatedItemSize,
                    other => Validation::Update(other),
                })?;
                (Cow::Owned(item), Maker::Update)
            }
        };
        let after = RawItem::encode(&tree);
        key_check::check_new_item(&self.table, &tree, after.size_bytes(), maker)?;
        Ok(Change { before, after: Some(after), tree: Some(tree), is_check: false })
    }
}

/// Who changes an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// A client.
    Client,
    /// A client's transaction, which costs twice on the table and once on indexes.
    Transaction,
    /// The service: the item has expired.
    Expiry,
    /// A restore or import, which no stream tells of.
    Filling,
}

/// Who changes items, and when: one time for everything of a batch, so that no moment lies within it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    pub(crate) author: Author,
    /// Milliseconds since the epoch, never less than those of a stamp before.
    pub(crate) epoch_ms: u64,
}

impl Stamp {
    /// A stamp of now. The caller holds the catalog and the keys of the items until the batch is staged: whoever locks the
    /// catalog for writing knows that changes of earlier times are staged, and changes of one item have ascending times.
    pub(crate) fn now(core: &Core, author: Author) -> Stamp {
        Stamp { author, epoch_ms: core.moment() }
    }
}

/// Puts a change into the batch, if there is capacity for it. Gives back what it costs.
pub(crate) fn apply(
    core: &Core,
    batch: &mut Batch,
    plan: &WritePlan,
    change: &Change<'_>,
    stamp: Stamp,
) -> Result<Bill, Refusal> {
    let author = stamp.author;
    if let Some(past) = core.past() {
        past.keep(core);
    }
    let mark = batch.mark();
    let mut bill = put_change(core, batch, plan, change, stamp)?;
    if author == Author::Transaction {
        bill.table = bill.table * 2;
    }
    if matches!(author, Author::Client | Author::Transaction)
        && let Some(throttle) = core.throttle()
        && let Err(throttling) = throttle.write(core, &plan.table, plan.key.as_slice(), &bill)
    {
        batch.undo_to(mark);
        return Err(Refusal::Throttled(throttling));
    }
    Ok(bill)
}

/// The item, every index entry, the records of the stream and of point-in-time recovery, and the counters.
fn put_change(
    core: &Core,
    batch: &mut Batch,
    plan: &WritePlan,
    change: &Change<'_>,
    stamp: Stamp,
) -> Result<Bill, Refusal> {
    let table = &plan.table;
    let size = |item: &Option<RawItem>| item.as_ref().map_or(0, RawItem::size_bytes);
    let (before_bytes, after_bytes) = (size(&change.before), size(&change.after));
    let mut bill = Bill { table: CapacityHalves::write(before_bytes.max(after_bytes)), ..Bill::default() };
    if change.is_check {
        return Ok(bill);
    }
    match (&change.before, &change.after) {
        (None, None) => return Ok(bill),
        (_, Some(after)) => batch.put(plan.key.as_slice(), after.bytes().clone()),
        (Some(_), None) => batch.remove(plan.key.as_slice()),
    }
    record(batch, table, change, stamp);
    count(
        batch,
        table,
        IndexId::BASE,
        change.before.is_some(),
        change.after.is_some(),
        before_bytes,
        after_bytes,
    );
    if let Some(expiry) = &table.settings.expiry {
        expiry::move_note(
            batch,
            table.id,
            &plan.key,
            &expiry.attribute,
            change.before.as_ref(),
            change.after.as_ref(),
        );
    }
    let local = put_entries(core, batch, table, change, &mut bill)?;
    let with_projections = after_bytes + local.bytes;
    let collection_bytes = after_bytes as i64 - before_bytes as i64 + local.grown;
    // An item and its copies in local indexes share the limit of one item.
    if with_projections > ITEM_BYTES_MAX {
        let is_update = matches!(plan.write.action, Action::Update { .. });
        return Err(if is_update { Validation::UpdatedItemSize } else { Validation::ItemSize }.into());
    }
    if table.has_local_indexes() {
        grow_collection(core, batch, plan, change, collection_bytes)?;
    }
    Ok(bill)
}

/// What local indexes hold of an item.
#[derive(Default)]
struct LocalEntries {
    /// Bytes of its entries after the change.
    bytes: u64,
    /// How much they grew.
    grown: i64,
}

/// The item's entries in every index.
fn put_entries(
    core: &Core,
    batch: &mut Batch,
    table: &Table,
    change: &Change<'_>,
    bill: &mut Bill,
) -> Result<LocalEntries, Refusal> {
    let mut local = LocalEntries::default();
    // The tree is the new version; the old one is decoded only if an index has to let go of it.
    let decoded = match (&change.before, &change.after) {
        (Some(before), Some(_)) if !table.indexes.is_empty() => Some(before.to_item()),
        _ => None,
    };
    let tree = change.tree.as_deref();
    let before_tree = if change.after.is_some() { decoded.as_ref() } else { tree };
    let after_tree = change.after.as_ref().and(tree);
    for index in &table.indexes {
        let mut old = entry(table, index, change.before.as_ref().zip(before_tree))?;
        if index.is_building
            && let Some(entry) = &old
        {
            // The item may not have been reached yet.
            let stored = core.store().latest(entry.key.as_slice());
            if stored.map_err(|error| Refusal::Internal(internal(error)))?.is_none() {
                old = None;
            }
        }
        let new = entry(table, index, change.after.as_ref().zip(after_tree))?;
        if index.kind == IndexKind::Local {
            local.bytes += new.as_ref().map_or(0, |new| new.item.size_bytes());
        }
        if core.throttle().is_some()
            && let Some(entry) = new.as_ref().or(old.as_ref())
            && let Some(partition) = throttle::partition_of(entry.key.as_slice())
        {
            bill.partitions.insert(index.id, partition);
        }
        let (units, grown) = move_entry(batch, table, index, old, new);
        match index.kind {
            IndexKind::Local => {
                local.grown += grown;
                if units > CapacityHalves::ZERO {
                    bill.local.insert(index.name.clone(), units);
                }
            }
            IndexKind::Global if units > CapacityHalves::ZERO => {
                bill.global.insert(index.name.clone(), units);
            }
            IndexKind::Global => {}
        }
    }
    Ok(local)
}

/// Records a change for streams and for point-in-time recovery.
fn record(batch: &mut Batch, table: &Table, change: &Change<'_>, stamp: Stamp) {
    if stamp.author == Author::Filling {
        return;
    }
    let images = (change.before.as_ref(), change.after.as_ref());
    let when = (stamp.epoch_ms, stamp.author == Author::Expiry);
    if let Some(stream) = &table.settings.stream {
        stream::record(batch, table, (layout::events(stream.id), stream.view), images, when);
    }
    if table.settings.recovery.is_some() || table.settings.keeps_changes {
        let whole = (layout::changes(table.id), StreamViewType::NewAndOldImages);
        stream::record(batch, table, whole, images, when);
    }
}

/// An item's entry in an index.
pub(crate) struct Entry {
    pub(crate) key: KeyBytes,
    pub(crate) item: RawItem,
}

/// The item's entry in an index; none when it lacks a key attribute or has one that does not fit.
pub(crate) fn entry(
    table: &Table,
    index: &Index,
    item: Option<(&RawItem, &Item)>,
) -> Result<Option<Entry>, Refusal> {
    let Some((raw, tree)) = item else { return Ok(None) };
    if !index.takes(tree) {
        return Ok(None);
    }
    let key =
        key::entry_key(table.id, index.id, &index.key, &table.key, index.tail(), tree).map_err(|_| {
            Refusal::Internal(ApiError::Internal(format!(
                "table {}: an item without its key is stored",
                table.name
            )))
        })?;
    Ok(Some(Entry { key, item: raw.select(|name| index.projects(table, name)) }))
}

/// Replaces one entry by another; gives back the write units and by how many bytes the index grew.
fn move_entry(
    batch: &mut Batch,
    table: &Table,
    index: &Index,
    old: Option<Entry>,
    new: Option<Entry>,
) -> (CapacityHalves, i64) {
    let size = |entry: &Option<Entry>| entry.as_ref().map_or(0, |entry| entry.item.size_bytes());
    let (old_bytes, new_bytes) = (size(&old), size(&new));
    count(batch, table, index.id, old.is_some(), new.is_some(), old_bytes, new_bytes);
    let grown = new_bytes as i64 - old_bytes as i64;
    let units = match (old, new) {
        (None, None) => CapacityHalves::ZERO,
        (Some(old), None) => {
            batch.remove(old.key.into_vec());
            CapacityHalves::write(old_bytes)
        }
        (None, Some(new)) => {
            batch.put(new.key.into_vec(), new.item.bytes().clone());
            CapacityHalves::write(new_bytes)
        }
        (Some(old), Some(new)) if old.key == new.key => {
            if old.item == new.item {
                CapacityHalves::ZERO
            } else {
                batch.put(new.key.into_vec(), new.item.bytes().clone());
                CapacityHalves::write(old_bytes.max(new_bytes))
            }
        }
        (Some(old), Some(new)) => {
            batch.remove(old.key.into_vec());
            batch.put(new.key.into_vec(), new.item.bytes().clone());
            CapacityHalves::write(old_bytes) + CapacityHalves::write(new_bytes)
        }
    };
    (units, grown)
}

pub(crate) fn count(
    batch: &mut Batch,
    table: &Table,
    index: IndexId,
    was: bool,
    is: bool,
    old_bytes: u64,
    new_bytes: u64,
) {
    batch.add(layout::counter(table.id, index, Counter::Entries), i64::from(is) - i64::from(was));
    batch.add(layout::counter(table.id, index, Counter::Bytes), new_bytes as i64 - old_bytes as i64);
}

fn collection_key(table: &Table, item: &Item) -> Vec<u8> {
    let mut encoded = Vec::new();
    for attribute in &table.key.partition {
        if let Some(value) = item.get(&attribute.name)
            && key::encode_value(&mut encoded, value).is_err()
        {
            encoded.clear();
        }
    }
    layout::collection(table.id, &encoded)
}

/// Counts the collection's bytes and refuses what would take it above its limit.
fn grow_collection(
    core: &Core,
    batch: &mut Batch,
    plan: &WritePlan,
    change: &Change<'_>,
    grown: i64,
) -> Result<(), Refusal> {
    let Some(tree) = &change.tree else { return Ok(()) };
    let key = collection_key(&plan.table, tree);
    if grown > 0 {
        let before = core.store().counter(&key).map_err(|e| Refusal::Internal(internal(e)))?;
        if before.saturating_add(grown) > core.options().item_collection_bytes_max as i64 {
            return Err(Refusal::Internal(ApiError::ItemCollectionSizeLimitExceeded));
        }
    }
    batch.add(key, grown);
    Ok(())
}

/// The size of the collection that a write touched, as whole gigabytes around it.
pub(crate) fn collection_metrics(
    core: &Core,
    plan: &WritePlan,
) -> Result<Option<ItemCollectionMetrics>, ApiError> {
    if !plan.table.has_local_indexes() {
        return Ok(None);
    }
    let item = match &plan.write.action {
        Action::Put(item) => item,
        Action::Update { key, .. } | Action::Delete { key } | Action::Check { key } => key,
    };
    let bytes = core.store().counter(&collection_key(&plan.table, item)).map_err(internal)?;
    let below = (bytes.max(0) as u64 >> 30) as f64;
    Ok(Some(ItemCollectionMetrics {
        item_collection_key: plan.table.partition_of(item),
        size_estimate_range_gb: (below, below + 1.0),
    }))
}

/// Collection sizes by table, if they are asked for.
pub(crate) struct MetricsByTable {
    rows: Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
}

impl MetricsByTable {
    pub(crate) fn new(wanted: bool) -> MetricsByTable {
        MetricsByTable { rows: wanted.then(Vec::new) }
    }

    pub(crate) fn add(&mut self, core: &Core, given: &str, plan: &WritePlan) -> Result<(), ApiError> {
        let Some(rows) = &mut self.rows else { return Ok(()) };
        let Some(row) = collection_metrics(core, plan)? else { return Ok(()) };
        match rows.iter_mut().find(|(name, _)| name == given) {
            // Once for each collection, however many of its items are written.
            Some((_, of_table)) => {
                if of_table.iter().all(|known| known.item_collection_key != row.item_collection_key) {
                    of_table.push(row);
                }
            }
            None => rows.push((given.to_owned(), vec![row])),
        }
        Ok(())
    }

    pub(crate) fn answer(self) -> Option<Vec<(String, Vec<ItemCollectionMetrics>)>> {
        self.rows
    }
}
