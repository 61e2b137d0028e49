//! The durable store: opening, reading and writing.

use super::free_space;
use super::lsm::Tree;
use super::maintenance::Maintenance;
use super::manifest;
use super::read_points::ReadPoints;
use super::scratch_copy::ScratchCopy;
use super::shared::{Shared, State};
use super::snapshot::DurableSnapshot;
use super::writer::{Writer, insert};
use crate::checkpoint::{Checkpoint, Checkpoints};
use crate::durability::Durability;
use crate::error::StoreError;
use crate::folder::{Claim, claim, claim_for_copy, keep_private};
use crate::fsync::sync_folder;
use crate::log::{Change, Log, LogFiles, LogFolder, Recovered};
use crate::metrics::MaintenanceCounts;
use crate::options::FolderOptions;
use bytes::Bytes;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Replayed segments of the log above which the memtable is flushed when the store is opened.
const REPLAYED_SEGMENTS_MAX: usize = 4;
/// Memtables that a table file of the sorted levels holds.
const MEMTABLES_PER_TABLE: u64 = 16;
/// The largest table file of the sorted levels, in bytes. The first sorted level has four of them,
/// and a few memtables are merged into all of it at a time: larger files take more of the device
/// and the processor from concurrent writers.
const TABLE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The multiple of its largest size up to which the memtable grows while no new segment of the log
/// can be made.
const OVERDUE_FACTOR: u64 = 8;

/// Bytes with which a data folder can be opened, also a new one: markers, a manifest, and the first allocation of
/// the log's file, some more than they take.
const OPENING_MEGABYTES: u64 = 1;

/// Bytes that must be free before writes are taken again after the device was full: two extensions of the
/// log's file.
const ROOM_BYTES: u64 = 8 * 1024 * 1024;

pub(crate) struct DurableStore {
    // Dropped first: its threads use the other fields.
    maintenance: Maintenance,
    tree: Tree,
    writer: Arc<Mutex<Writer>>,
    read_points: Arc<ReadPoints>,
    memtable_bytes_max: u64,
    folder: PathBuf,
    claim: Arc<Claim>,
    /// The folder that is written when the store's own is only examined.
    scratch_copy: Option<ScratchCopy>,
}

/// The log of a folder, read and not yet replayed.
struct ReadLog {
    recovered: Recovered,
    files: Arc<dyn LogFiles>,
    checkpoints: Arc<Checkpoints>,
}

impl DurableStore {
    pub(crate) fn open(options: &FolderOptions) -> Result<DurableStore, StoreError> {
        if options.is_examined {
            return DurableStore::open_examined(options);
        }
        let opened = || -> Result<DurableStore, StoreError> {
            let store = DurableStore::open_claimed(options, claim(&options.path)?)?;
            if !store.claim.is_store {
                store.claim.complete()?;
            }
            Ok(store)
        };
        opened().map_err(|error| {
            let free = free_space::said(&options.path);
            let free = free.map_or_else(String::new, |free| format!("{free}, and "));
            error.with_room(&format!(
                "{free}a data folder is opened with {OPENING_MEGABYTES} MB"
            ))
        })
    }

    /// Opens a scratch copy of the store's folder.
    fn open_examined(options: &FolderOptions) -> Result<DurableStore, StoreError> {
        let folder = &options.path;
        let copy = ScratchCopy::of(folder)?;
        let options = FolderOptions {
            path: copy.path().to_owned(),
            ..options.clone()
        };
        let opened =
            claim(&options.path).and_then(|claim| DurableStore::open_claimed(&options, claim));
        // The scratch copy is gone when the error is read, so errors name the folder itself.
        let mut store = opened.map_err(|error| error.with_path(copy.path(), folder))?;
        store.scratch_copy = Some(copy);
        Ok(store)
    }

    /// A store to copy into. Its folder holds no store until [`DurableStore::end_copy`].
    pub(crate) fn begin_copy(folder: &Path) -> Result<DurableStore, StoreError> {
        DurableStore::open_claimed(&FolderOptions::new(folder), claim_for_copy(folder)?)
    }

    /// Refuses a folder that is this store's, or lies in it, as the place of a copy.
    pub(crate) fn refuse_inside(&self, to: &Path) -> Result<(), StoreError> {
        crate::folder::refuse_inside(&self.folder, to)
    }

    /// Marks the folder as a store: everything is copied.
    pub(crate) fn end_copy(&self) -> Result<(), StoreError> {
        self.sync()?;
        self.claim.complete()
    }

    fn open_claimed(options: &FolderOptions, claim: Claim) -> Result<DurableStore, StoreError> {
        let folder = &options.path;
        let tables = folder.join("tables");
        keep_private(folder, claim.is_store)?;
        let ReadLog {
            recovered,
            files,
            checkpoints,
        } = read_log(options, &claim)?;
        sync_names(folder)?;
        let tree = Tree::open(&tables, options.cache_bytes)?;
        let writer = replay(&tree, recovered, &checkpoints)?;
        let read_points = Arc::new(ReadPoints::new(tree.sequence()));
        let writer = Arc::new(Mutex::new(writer));
        let table_bytes = options.memtable_bytes.saturating_mul(MEMTABLES_PER_TABLE);
        let mut maintenance = Maintenance::new(Shared {
            tree: tree.clone(),
            read_points: Arc::clone(&read_points),
            files,
            checkpoints,
            table_bytes: table_bytes.min(TABLE_BYTES_MAX),
            memtable_bytes: options.memtable_bytes,
            writer: Arc::clone(&writer),
            state: Mutex::new(State::new()),
            changed: std::sync::Condvar::new(),
            #[cfg(test)]
            after_idle_compaction: Mutex::default(),
        });
        if !options.is_examined {
            maintenance.start()?;
        }
        let store = DurableStore {
            maintenance,
            tree,
            writer,
            read_points,
            memtable_bytes_max: options.memtable_bytes,
            folder: folder.clone(),
            claim: Arc::new(claim),
            scratch_copy: None,
        };
        let mut writer = store.writer();
        let is_long = writer.replayed.len() >= REPLAYED_SEGMENTS_MAX;
        if is_long && writer.log.is_sound() && !options.is_examined {
            // Nobody waits for the flush: where the device has no room for it, the log keeps what was read of it.
            store.maintenance.seal_at_once(writer.seal_replayed());
        }
        drop(writer);
        // The names of `log` and `tables`.
        sync_folder(folder)?;
        Ok(store)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest value of a key.
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.tree.get(key)
    }

    pub(crate) fn snapshot(&self) -> DurableSnapshot {
        let (view, read_point) = self.tree.view_at(|| self.read_points.newest());
        DurableSnapshot {
            read_point,
            view,
            claim: Arc::clone(&self.claim),
        }
    }

    /// Writes one batch; each key at most once.
    pub(crate) fn apply<'c>(
        &self,
        changes: impl Iterator<Item = Change<'c>> + Clone,
        durability: Durability,
    ) -> Result<(), StoreError> {
        let mut writer = self.writer();
        if writer.memtable_bytes > self.memtable_bytes_max {
            self.seal_or_postpone(&mut writer)?;
        }
        writer.log.append(changes.clone(), durability)?;
        let sequence = self.tree.next_sequence();
        writer.memtable_bytes = insert(&self.tree, sequence, changes);
        writer.last_write = Instant::now();
        self.read_points.publish(sequence + 1);
        Ok(())
    }

    /// Seals the memtable. When the device has no space for a new segment of the log, the old one
    /// goes on for some time: no write was lost.
    fn seal_or_postpone(&self, writer: &mut Writer) -> Result<(), StoreError> {
        let sealed = self.seal(writer);
        let bytes_max = self.memtable_bytes_max;
        let may_postpone = writer.memtable_bytes > bytes_max
            && writer.memtable_bytes < bytes_max.saturating_mul(OVERDUE_FACTOR)
            && writer.log.is_sound();
        sealed.or_else(|error| if may_postpone { Ok(()) } else { Err(error) })
    }

    /// Begins a new memtable and a new segment of the log.
    fn seal(&self, writer: &mut Writer) -> Result<(), StoreError> {
        let segments = writer.begin_segment()?;
        self.maintenance.seal(segments)
    }

    /// Goes on after a write that failed since the device was full, in a new segment of the log.
    pub(crate) fn resume(&self) -> Result<(), StoreError> {
        let mut writer = self.writer();
        if let Some(ended) = writer.log.resume()? {
            writer.replayed.push(ended);
        }
        Ok(())
    }

    /// The error with which everything is refused since the store was opened: the device had no room.
    pub(crate) fn refusal(&self) -> Option<StoreError> {
        self.writer().log.failure().cloned()
    }

    /// Adds how much room there is to the error of a full device.
    pub(crate) fn with_room(&self, error: StoreError) -> StoreError {
        match free_space::said(&self.folder) {
            Some(free) => error.with_room(&free),
            None => error,
        }
    }

    /// Whether the device has room for some writes.
    pub(crate) fn has_room(&self) -> bool {
        free_space::has(&self.folder, ROOM_BYTES)
    }

    /// Syncs everything, and records in the log that it is synced.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.writer().log.attest()
    }

    /// The flushes and compactions that are due and that were done.
    pub(crate) fn maintenance(&self) -> MaintenanceCounts {
        self.maintenance.counts()
    }
}

impl Drop for DurableStore {
    fn drop(&mut self) {
        // Best effort: writes acknowledged without a sync survive a crash from here on.
        drop(self.sync());
    }
}

/// Examines the manifest and reads the log. The storage engine opens its files afterwards: it would
/// take missing files for a new store.
fn read_log(options: &FolderOptions, claim: &Claim) -> Result<ReadLog, StoreError> {
    let folder = &options.path;
    let checkpoint = if claim.is_store {
        Some(Checkpoint::read(folder)?)
    } else {
        None
    };
    if let Some(checkpoint) = &checkpoint {
        manifest::examine(&folder.join("tables"), checkpoint.manifest)?;
    }
    let files: Arc<dyn LogFiles> = match &options.log_files {
        Some(files) => Arc::clone(files),
        None => Arc::new(LogFolder::open(&folder.join("log"))?),
    };
    Ok(ReadLog {
        recovered: Recovered::read(Arc::clone(&files), checkpoint)?,
        files,
        checkpoints: Arc::new(Checkpoints::new(folder, checkpoint.unwrap_or_default())),
    })
}

/// Syncs the names of the checkpoint, the manifests and the table files. The process that made them
/// may have ended before it could. Later work builds on the files that are read now, and removes
/// those that they replaced: table files, and segments that the checkpoint does not name.
fn sync_names(folder: &Path) -> Result<(), StoreError> {
    let tables = folder.join("tables");
    for folder in [tables.join("tables"), tables, folder.to_owned()] {
        if folder.exists() {
            sync_folder(&folder)?;
        }
    }
    Ok(())
}

/// Replays the log into the memtable, and begins a new segment.
fn replay(
    tree: &Tree,
    recovered: Recovered,
    checkpoints: &Arc<Checkpoints>,
) -> Result<Writer, StoreError> {
    let mut memtable_bytes = 0;
    let (log, replayed) = Log::open(
        recovered,
        Arc::clone(checkpoints),
        |changes: &mut dyn Iterator<Item = Change<'_>>| {
            memtable_bytes = insert(tree, tree.next_sequence(), changes).max(memtable_bytes);
        },
    )?;
    Ok(Writer {
        log,
        replayed,
        memtable_bytes,
        last_write: Instant::now(),
    })
}

#[cfg(test)]
mod tests;
