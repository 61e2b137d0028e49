//! The catalog of tables, streams, backups, exports and imports: parsed in memory, stored as records.

mod record;
pub(crate) mod stored;

use crate::base::error::internal;
use crate::base::layout;
use crate::base::open_error::OpenError;
use crate::table::Table;
use crate::table::backup::Backup;
use crate::table::stream::Stream;
use crate::table::transfer::{Export, Import};
use keyfold_api::ApiError;
use keyfold_codec::RawItem;
use keyfold_codec::key::{IndexId, KeyRange, TableId};
use keyfold_store::{Batch, Direction, Store};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use stored::Stored;

pub(crate) use record::{decode, encode};

/// Tables by name, in name order.
pub(crate) type Tables = BTreeMap<String, Arc<Table>>;

/// Streams by table and label, in that order.
pub(crate) type Streams = BTreeMap<(String, String), Arc<Stream>>;

/// Backups by table and label.
pub(crate) type Backups = BTreeMap<(String, String), Arc<Backup>>;

/// Exports by table and label.
pub(crate) type Exports = BTreeMap<(String, String), Arc<Export>>;

/// Imports by table and label.
pub(crate) type Imports = BTreeMap<(String, String), Arc<Import>>;

/// The catalog. A writer of items holds the lock of [`Catalog::read`] until its batch is staged, so
/// that a table cannot change or disappear in between. Streams and backups are locked after tables.
pub(crate) struct Catalog {
    tables: RwLock<Tables>,
    streams: RwLock<Streams>,
    backups: RwLock<Backups>,
    exports: RwLock<Exports>,
    imports: RwLock<Imports>,
    next_id: AtomicU32,
    /// Whether nothing has changed since changes whose writes failed were dropped.
    is_as_written: AtomicBool,
}

impl Catalog {
    pub(crate) fn load(store: &Store) -> Result<Catalog, OpenError> {
        let tables: Vec<Table> = load(store, &layout::table_records())?;
        let backups: Vec<Backup> = load(store, &layout::backup_records())?;
        let by_label = |backup: Backup| {
            (
                (backup.table.name.clone(), backup.label.clone()),
                Arc::new(backup),
            )
        };
        let streams: Vec<Stream> = load(store, &layout::stream_records())?;
        let by_key = |stream: Stream| {
            (
                (stream.table_name.clone(), stream.label.clone()),
                Arc::new(stream.with_shards()),
            )
        };
        let exports: Vec<Export> = load(store, &layout::export_records())?;
        let by_export = |export: Export| {
            (
                (export.table_name.clone(), export.label.clone()),
                Arc::new(export),
            )
        };
        let imports: Vec<Import> = load(store, &layout::import_records())?;
        let by_import = |import: Import| {
            (
                (import.table.name.clone(), import.label.clone()),
                Arc::new(import),
            )
        };
        let next = store.snapshot().get(&layout::next_table_id())?;
        let next = match next.as_deref() {
            None => 1,
            Some(bytes) => u32::from_be_bytes(
                bytes
                    .try_into()
                    .map_err(|_| OpenError::Corrupt("the next table id is unreadable".into()))?,
            ),
        };
        Ok(Catalog {
            next_id: AtomicU32::new(next),
            tables: RwLock::new(
                tables
                    .into_iter()
                    .map(|table| (table.name.clone(), Arc::new(table)))
                    .collect(),
            ),
            exports: RwLock::new(exports.into_iter().map(by_export).collect()),
            imports: RwLock::new(imports.into_iter().map(by_import).collect()),
            backups: RwLock::new(backups.into_iter().map(by_label).collect()),
            streams: RwLock::new(streams.into_iter().map(by_key).collect()),
            is_as_written: AtomicBool::new(false),
        })
    }

    /// Reloads the catalog after a write failed. The memory has changes from their staging on, so it may
    /// have changes that were never written. Where only room was missing and there is some, the store takes
    /// writes again: the locks keep all writers out. While a lock is held, a later call does it. Returns
    /// whether the store takes writes again.
    pub(crate) fn forget_unwritten(&self, store: &Store) -> bool {
        let is_as_written = self.is_as_written.load(Ordering::Acquire);
        if is_as_written && !store.may_take_writes_again() {
            return false;
        }
        let (Ok(mut tables), Ok(mut streams)) = (self.tables.try_write(), self.streams.try_write())
        else {
            return false;
        };
        let Ok(mut backups) = self.backups.try_write() else {
            return false;
        };
        let (Ok(mut exports), Ok(mut imports)) =
            (self.exports.try_write(), self.imports.try_write())
        else {
            return false;
        };
        // Another caller may have ended it since this one has looked.
        if !store.has_failed() {
            return false;
        }
        let Ok(stored) = Catalog::load(store) else {
            return false;
        };
        *tables = std::mem::take(&mut *stored.write());
        *streams = std::mem::take(&mut *stored.write_streams());
        *backups = std::mem::take(&mut *stored.write_backups());
        *exports = std::mem::take(&mut *stored.write_exports());
        *imports = std::mem::take(&mut *stored.write_imports());
        self.is_as_written.store(true, Ordering::Release);
        store.may_take_writes_again() && store.take_writes_again().is_ok()
    }

    /// Adds a stream that was opened, or replaces one that was closed, if there is one.
    pub(crate) fn put_stream(&self, stream: Option<Stream>) {
        if let Some(stream) = stream {
            let place = (stream.table_name.clone(), stream.label.clone());
            self.write_streams().insert(place, Arc::new(stream));
        }
    }

    /// Takes an id for a new table, stream or backup, and adds the next id to the batch. The caller
    /// holds [`Catalog::write`], so that batches are staged in the order of ids.
    pub(crate) fn take_id(&self, batch: &mut Batch) -> TableId {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        batch.put(layout::next_table_id(), (id + 1).to_be_bytes().to_vec());
        TableId(id)
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the memory may differ from the store, under the lock of what changes.
    fn note_change(&self) {
        self.is_as_written.store(false, Ordering::Release);
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        let held = self.tables.write().unwrap_or_else(PoisonError::into_inner);
        self.note_change();
        held
    }

    pub(crate) fn streams(&self) -> RwLockReadGuard<'_, Streams> {
        self.streams.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn backups(&self) -> RwLockReadGuard<'_, Backups> {
        self.backups.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write_backups(&self) -> RwLockWriteGuard<'_, Backups> {
        let held = self.backups.write().unwrap_or_else(PoisonError::into_inner);
        self.note_change();
        held
    }

    pub(crate) fn exports(&self) -> RwLockReadGuard<'_, Exports> {
        self.exports.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write_exports(&self) -> RwLockWriteGuard<'_, Exports> {
        let held = self.exports.write().unwrap_or_else(PoisonError::into_inner);
        self.note_change();
        held
    }

    pub(crate) fn imports(&self) -> RwLockReadGuard<'_, Imports> {
        self.imports.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write_imports(&self) -> RwLockWriteGuard<'_, Imports> {
        let held = self.imports.write().unwrap_or_else(PoisonError::into_inner);
        self.note_change();
        held
    }

    pub(crate) fn write_streams(&self) -> RwLockWriteGuard<'_, Streams> {
        let held = self.streams.write().unwrap_or_else(PoisonError::into_inner);
        self.note_change();
        held
    }
}

/// Puts an export's record into a batch.
pub(crate) fn put_export(batch: &mut Batch, export: &Export) {
    batch.put(
        layout::export_record(export.id),
        encode(export).bytes().clone(),
    );
}

/// Puts an import's record into a batch.
pub(crate) fn put_import(batch: &mut Batch, import: &Import) {
    batch.put(
        layout::import_record(import.id),
        encode(import).bytes().clone(),
    );
}

/// Puts a backup's record into a batch.
pub(crate) fn put_backup(batch: &mut Batch, backup: &Backup) {
    batch.put(
        layout::backup_record(backup.id),
        encode(backup).bytes().clone(),
    );
}

/// Finds a table that can be read and written.
pub(crate) fn ready<'t>(tables: &'t Tables, name: &str) -> Result<&'t Arc<Table>, ApiError> {
    tables
        .get(name)
        .filter(|table| table.is_ready())
        .ok_or_else(ApiError::table_not_found)
}

/// Loads the records behind a prefix.
fn load<T: Stored>(store: &Store, prefix: &[u8]) -> Result<Vec<T>, OpenError> {
    let snapshot = store.snapshot();
    let range = KeyRange::prefix(prefix.to_vec());
    let (low, high) = range.bounds();
    let mut records = Vec::new();
    for entry in snapshot.range(low, high, Direction::Forward) {
        let (key, bytes) = entry?;
        let name =
            || String::from_utf8_lossy(key.get(prefix.len()..).unwrap_or_default()).into_owned();
        let unreadable = || format!("the definition of {} is unreadable", name());
        let raw = RawItem::open(bytes)
            .map_err(|error| OpenError::Corrupt(format!("{}: {error}", unreadable())))?;
        let record = decode(&raw).ok_or_else(|| OpenError::Corrupt(unreadable()))?;
        records.push(record);
    }
    Ok(records)
}

/// Puts a table's record into a batch.
pub(crate) fn put_record(batch: &mut Batch, table: &Table) {
    batch.put(
        layout::table_record(&table.name),
        encode(table).bytes().clone(),
    );
}

/// Puts a stream's record into a batch.
pub(crate) fn put_stream(batch: &mut Batch, stream: &Stream) {
    batch.put(
        layout::stream_record(stream.id),
        encode(stream).bytes().clone(),
    );
}

/// Finds an id for a new index of a table: one without an index and without entries of a deleted
/// index. A deletion counts from its staging on.
pub(crate) fn free_index_id(store: &Store, table: &Table) -> Result<IndexId, ApiError> {
    for id in (1..=u8::MAX).map(IndexId) {
        let is_used = table.indexes.iter().any(|index| index.id == id);
        if !is_used
            && store
                .latest(&layout::dropped_index(table.id, id))
                .map_err(internal)?
                .is_none()
        {
            return Ok(id);
        }
    }
    Err(ApiError::LimitExceeded(
        "All index ids of the table are used up; wait for the removal of old ones".into(),
    ))
}
