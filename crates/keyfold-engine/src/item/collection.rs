//! Item collections and their sizes, which are limited in tables with local indexes.

use super::evaluate::Change;
use super::plan::{Action, WritePlan};
use super::refusal::Refusal;
use crate::base::error::internal;
use crate::base::layout;
use crate::core::Core;
use crate::table::Table;
use keyfold_api::{ApiError, ItemCollectionMetrics};
use keyfold_codec::key;
use keyfold_store::Batch;
use keyfold_types::Item;

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

/// Counts the bytes of an item collection, and refuses growth above its limit.
pub(super) fn grow_collection(
    core: &Core,
    batch: &mut Batch,
    plan: &WritePlan,
    change: &Change<'_>,
    grown: i64,
) -> Result<(), Refusal> {
    let Some(tree) = &change.tree else {
        return Ok(());
    };
    let key = collection_key(&plan.table, tree);
    if grown > 0 {
        let before = core
            .store()
            .counter(&key)
            .map_err(|e| Refusal::Internal(internal(e)))?;
        if before.saturating_add(grown) > core.options().item_collection_bytes_max as i64 {
            return Err(Refusal::Internal(ApiError::ItemCollectionSizeLimitExceeded));
        }
    }
    batch.add(key, grown);
    Ok(())
}

/// The size of the item collection of a write, in gigabytes rounded down and up.
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
    let bytes = core
        .store()
        .counter(&collection_key(&plan.table, item))
        .map_err(internal)?;
    let below = (bytes.max(0) as u64 >> 30) as f64;
    Ok(Some(ItemCollectionMetrics {
        item_collection_key: plan.table.partition_of(item),
        size_estimate_range_gb: (below, below + 1.0),
    }))
}

/// Sizes of item collections by table, if the request asks for them.
pub(crate) struct MetricsByTable {
    rows: Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
}

impl MetricsByTable {
    pub(crate) fn new(wanted: bool) -> MetricsByTable {
        MetricsByTable {
            rows: wanted.then(Vec::new),
        }
    }

    pub(crate) fn add(
        &mut self,
        core: &Core,
        given: &str,
        plan: &WritePlan,
    ) -> Result<(), ApiError> {
        let Some(rows) = &mut self.rows else {
            return Ok(());
        };
        let Some(row) = collection_metrics(core, plan)? else {
            return Ok(());
        };
        match rows.iter_mut().find(|(name, _)| name == given) {
            // One row for a collection, whose items may be written several times.
            Some((_, of_table)) => {
                if of_table
                    .iter()
                    .all(|known| known.item_collection_key != row.item_collection_key)
                {
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
