//! The tables there are: held parsed in memory, kept as records in the store.

mod record;

use crate::layout;
use crate::pending::internal;
use crate::table::Table;
use crate::write::corrupt;
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::{KeyRange, TableId};
use keyfold_store::{Batch, Direction, Store};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Tables by name, in name order.
pub(crate) type Tables = BTreeMap<String, Arc<Table>>;

/// All tables. A writer of items holds [`Catalog::read`] until its batch is staged, so that a table cannot
/// vanish in between.
pub(crate) struct Catalog {
    tables: RwLock<Tables>,
}

impl Catalog {
    pub(crate) fn load(store: &Store) -> Result<Catalog, ApiError> {
        let snapshot = store.snapshot();
        let prefix = layout::table_records();
        let range = KeyRange::prefix(prefix.clone());
        let (low, high) = range.bounds();
        let mut tables = Tables::new();
        for entry in snapshot.range(low, high, Direction::Forward) {
            let (key, bytes) = entry.map_err(internal)?;
            let name = || String::from_utf8_lossy(key.get(prefix.len()..).unwrap_or_default()).into_owned();
            let raw = RawItem::open(bytes).map_err(|error| corrupt(&name(), &error))?;
            let table = record::decode(&raw.to_item()).ok_or_else(|| {
                ApiError::Internal(format!("the definition of table {} is unreadable", name()))
            })?;
            tables.insert(table.name.clone(), Arc::new(table));
        }
        Ok(Catalog { tables: RwLock::new(tables) })
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.tables.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts a table's record into a batch.
pub(crate) fn put_record(batch: &mut Batch, table: &Table) {
    batch.put(layout::table_record(&table.name), RawItem::encode(&record::encode(table)).bytes().clone());
}

/// The id for a new table, and the change that uses it up. The caller holds [`Catalog::write`].
pub(crate) fn take_table_id(store: &Store, batch: &mut Batch) -> Result<TableId, ApiError> {
    let key = layout::next_table_id();
    let stored = store.latest(&key).map_err(internal)?;
    let next = match stored.as_deref() {
        None => 1,
        Some(bytes) => {
            let bytes =
                bytes.try_into().map_err(|_| ApiError::Internal("the next table id is unreadable".into()))?;
            u32::from_be_bytes(bytes)
        }
    };
    let after =
        next.checked_add(1).ok_or_else(|| ApiError::LimitExceeded("All table ids are used up".into()))?;
    batch.put(key, after.to_be_bytes().to_vec());
    Ok(TableId(next))
}
