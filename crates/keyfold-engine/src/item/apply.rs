//! The parts of a change in its batch: the item, its index entries, the records of streams and of
//! point-in-time recovery, its expiry note and the counters.

use super::collection::grow_collection;
use super::counters::count;
use super::entries::put_entries;
use super::evaluate::Change;
use super::expiry_note::move_note;
use super::plan::{Action, WritePlan};
use super::refusal::Refusal;
use crate::base::bill::Bill;
use crate::base::layout;
use crate::core::Core;
use crate::table::{Table, stream};
use keyfold_api::{StreamViewType, Validation};
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, IndexId};
use keyfold_store::Batch;
use keyfold_types::CapacityHalves;
use keyfold_types::limits::ITEM_BYTES_MAX;

/// The author of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// A client.
    Client,
    /// A client's transaction, which costs double on the table and single on indexes.
    Transaction,
    /// The service: the item has expired.
    Expiry,
    /// A restore or import, whose changes streams do not record.
    Filling,
}

/// The author and the time of a batch. The batch has one time, so that no moment divides it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    pub(crate) author: Author,
    /// Milliseconds since the epoch, never less than those of an earlier stamp.
    pub(crate) epoch_ms: u64,
}

impl Stamp {
    /// A stamp with the present time. The caller holds the locks of the catalog and of the items'
    /// keys until the batch is staged. So changes of earlier times are staged when the catalog is
    /// locked for writing, and changes of one item have ascending times.
    pub(crate) fn now(core: &Core, author: Author) -> Stamp {
        Stamp {
            author,
            epoch_ms: core.moment(),
        }
    }
}

/// Adds a change to the batch, if there is capacity for it. Returns its cost.
pub(crate) fn apply(
    core: &Core,
    batch: &mut Batch,
    plan: &WritePlan,
    change: &Change<'_>,
    stamp: Stamp,
) -> Result<Bill, Refusal> {
    let author = stamp.author;
    if let Some(stale) = core.stale_reads() {
        stale.keep(core.store(), core.now_ms());
    }
    let savepoint = batch.savepoint();
    let mut bill = put_change(core, batch, plan, change, stamp)?;
    if author == Author::Transaction {
        bill.table = bill.table * 2;
    }
    if matches!(author, Author::Client | Author::Transaction)
        && let Some(throttle) = core.throttle()
        && let Err(throttling) = throttle.write(
            &core.asked(&plan.table.name),
            &plan.table,
            plan.key.as_slice(),
            &bill,
        )
    {
        batch.roll_back_to(savepoint);
        return Err(Refusal::Throttled(throttling));
    }
    Ok(bill)
}

/// Adds the item, every index entry, the records of the stream and of point-in-time recovery, and
/// the counters.
fn put_change(
    core: &Core,
    batch: &mut Batch,
    plan: &WritePlan,
    change: &Change<'_>,
    stamp: Stamp,
) -> Result<Bill, Refusal> {
    let table = &plan.table;
    let size = |item: &Option<RawItem>| item.as_ref().map(RawItem::size_bytes);
    let sizes = (size(&change.before), size(&change.after));
    let (before_bytes, after_bytes) = (sizes.0.unwrap_or(0), sizes.1.unwrap_or(0));
    let mut bill = Bill {
        table: CapacityHalves::write(before_bytes.max(after_bytes)),
        ..Bill::default()
    };
    if change.is_check {
        return Ok(bill);
    }
    match (&change.before, &change.after) {
        (None, None) => return Ok(bill),
        (_, Some(after)) => batch.put(plan.key.as_slice(), after.bytes().clone()),
        (Some(_), None) => batch.remove(plan.key.as_slice()),
    }
    record(batch, plan, change, stamp);
    count(batch, table, IndexId::BASE, sizes);
    if let Some(expiry) = &table.settings.expiry {
        move_note(
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
        return Err(if is_update {
            Validation::UpdatedItemSize
        } else {
            Validation::ItemSize
        }
        .into());
    }
    if table.has_local_indexes() {
        grow_collection(core, batch, plan, change, collection_bytes)?;
    }
    Ok(bill)
}

/// Records a change for streams and for point-in-time recovery.
fn record(batch: &mut Batch, plan: &WritePlan, change: &Change<'_>, stamp: Stamp) {
    let table: &Table = &plan.table;
    if stamp.author == Author::Filling {
        return;
    }
    let images = (change.before.as_ref(), change.after.as_ref());
    let when = (stamp.epoch_ms, stamp.author == Author::Expiry);
    if let Some(stream) = &table.settings.stream {
        let shard = stream.shard_of(key::hash_of(plan.key.as_slice()));
        let place = (layout::events(shard), stream.view);
        stream::record(batch, table, place, images, when);
    }
    if table.settings.recovery.is_some() || table.settings.keeps_changes {
        let kept = (layout::changes(table.id), StreamViewType::NewAndOldImages);
        stream::record(batch, table, kept, images, when);
    }
}
