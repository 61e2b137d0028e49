//! The durable store: our log in front of lsm-tree's log-structured merge tree. Nothing outside
//! this folder knows lsm-tree.
//!
//! The commit queue hands over one merged batch at a time. It is appended to the log and synced,
//! put into the tree's memtable, and then made visible under its sequence number. Readers hold a
//! read point, below which they see.

mod device;
mod manifest;
mod read_points;
mod rewriting;
mod twin;
mod upkeep;

use crate::checkpoint::{Checkpoint, Checkpoints};
use crate::error::StoreError;
use crate::folder::{Claim, claim, claim_for_copy, keep_private};
use crate::log::{Change, Log, LogFiles, LogFolder, Recovered, sync_folder};
use crate::store::FolderOptions;
use bytes::Bytes;
use lsm_tree::config::{
    BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry,
    RestartIntervalPolicy,
};
use lsm_tree::{
    AbstractTree, AnyTree, Cache, CompressionType, DescriptorTable, Guard, IterGuardImpl,
    SequenceNumberCounter, Slice,
};
use read_points::{ReadPoint, ReadPoints};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use twin::Twin;
use upkeep::Upkeep;

/// Segments of the log above which they are merged into a table when the store is opened.
const SEGMENTS_MAX: usize = 4;
/// So many sealed memtables make a table of the sorted levels,
const MEMTABLES_A_TABLE: u64 = 16;
/// which has no more bytes than this. The first sorted level has four of them, and a few memtables
/// are merged into all of it at a time: the larger, the more of the device and the processor is
/// taken from who writes beside it.
const TABLE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes of a block, the unit that is read, checked and cached: a page of small items is in one or
/// two.
const BLOCK_BYTES: u32 = 8 * 1024;
/// So many times its size may the memtable have when no new segment of the log can be made.
const OVERDUE_MAX: u64 = 8;
/// Advice for corruption that the storage engine reports without its place.
const TABLES_ADVICE: &str = "put the files in tables/tables of the data folder back, or restore the whole folder from a copy (`keyfold backup` makes copies)";
/// Files of tables kept open.
const FILES_OPEN: usize = 512;

pub(crate) struct DurableStore {
    // Dropped first: it works on the others.
    upkeep: Upkeep,
    tree: AnyTree,
    log: Arc<Mutex<Writing>>,
    read_points: Arc<ReadPoints>,
    memtable_bytes_max: u64,
    folder: PathBuf,
    claim: Arc<Claim>,
    /// The copy that holds the bytes of a store which is only examined.
    twin: Option<Twin>,
}

/// Writer-only state.
struct Writing {
    log: Log,
    sequence: SequenceNumberCounter,
    /// Segments whose changes are in the memtable, besides the one that is written.
    replayed: Vec<u64>,
    memtable_bytes: u64,
    last_written: Instant,
}

impl Writing {
    /// Begins a new segment of the log, for a new memtable; gives the segments of the old one.
    fn begin_segment(&mut self) -> Result<Vec<u64>, StoreError> {
        let ended = self.log.rotate()?;
        self.memtable_bytes = 0;
        let mut segments = std::mem::take(&mut self.replayed);
        segments.push(ended);
        Ok(segments)
    }
}

impl From<lsm_tree::Error> for StoreError {
    fn from(error: lsm_tree::Error) -> StoreError {
        match error {
            lsm_tree::Error::Io(error) => StoreError::Io(Arc::new(error)),
            lsm_tree::Error::Unrecoverable => StoreError::Corrupt(format!(
                "a file of a table is missing or unreadable; {TABLES_ADVICE}"
            )),
            lsm_tree::Error::ChecksumMismatch { .. } => StoreError::Corrupt(format!(
                "a block of a table does not match its checksum; {TABLES_ADVICE}"
            )),
            other => StoreError::Corrupt(other.to_string()),
        }
    }
}

fn tree(
    folder: &Path,
    cache_bytes: u64,
    sequence: &SequenceNumberCounter,
) -> Result<AnyTree, StoreError> {
    // The tree's own notion of what is visible is not used: it would show half a batch when a merge
    // ends meanwhile.
    let unused = SequenceNumberCounter::default();
    let none = CompressionType::None;
    let config = lsm_tree::Config::new(folder, sequence.clone(), unused)
        .use_cache(Arc::new(Cache::with_capacity_bytes(cache_bytes)))
        .use_descriptor_table(Some(Arc::new(DescriptorTable::new(FILES_OPEN))))
        .data_block_restart_interval_policy(RestartIntervalPolicy::new([10, 16]))
        .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
        .data_block_compression_policy(CompressionPolicy::new([none, none, CompressionType::Lz4]))
        .filter_policy(FilterPolicy::new([
            FilterPolicyEntry::Bloom(BloomConstructionPolicy::FalsePositiveRate(0.0001)),
            FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(10.0)),
        ]));
    Ok(config.open()?)
}

impl DurableStore {
    pub(crate) fn open(options: &FolderOptions) -> Result<DurableStore, StoreError> {
        if !options.is_examined {
            return DurableStore::open_claimed(options, claim(&options.path)?)?.complete();
        }
        let folder = options.path.clone();
        let twin = Twin::of(&folder)?;
        let options = FolderOptions {
            path: twin.path().to_owned(),
            ..options.clone()
        };
        let opened =
            claim(&options.path).and_then(|claim| DurableStore::open_claimed(&options, claim));
        // The twin is gone when its name is read.
        let mut store = opened.map_err(|error| error.about(twin.path(), &folder))?;
        store.twin = Some(twin);
        Ok(store)
    }

    /// A store to copy into, which is none until [`DurableStore::end_copy`].
    pub(crate) fn begin_copy(folder: &Path) -> Result<DurableStore, StoreError> {
        DurableStore::open_claimed(&FolderOptions::new(folder), claim_for_copy(folder)?)
    }

    /// Refuses a folder that is this store's, or lies in it, as the place of a copy.
    pub(crate) fn refuse_inside(&self, to: &Path) -> Result<(), StoreError> {
        crate::folder::refuse_inside(&self.folder, to)
    }

    /// Everything is copied.
    pub(crate) fn end_copy(&self) -> Result<(), StoreError> {
        self.sync()?;
        self.claim.complete()
    }

    fn open_claimed(options: &FolderOptions, claim: Claim) -> Result<DurableStore, StoreError> {
        let (folder, claim) = (&options.path, Arc::new(claim));
        let sequence = SequenceNumberCounter::default();
        let tables = folder.join("tables");
        keep_private(folder, claim.is_store)?;
        // Before the storage engine opens its files: it would take what is missing for what never
        // was.
        let known = if claim.is_store {
            Some(Checkpoint::read(folder)?)
        } else {
            None
        };
        if let Some(known) = &known {
            manifest::examine(&tables, known.manifest)?;
        }
        let files: Arc<dyn LogFiles> = match &options.log_files {
            Some(files) => Arc::clone(files),
            None => Arc::new(LogFolder::open(&folder.join("log"))?),
        };
        let recovered = Recovered::read(Arc::clone(&files), known)?;
        let checkpoints = Arc::new(Checkpoints::new(folder, known.unwrap_or_default()));
        for names in [tables.join("tables"), tables.clone()] {
            // Later work builds on the bytes read now and removes what they replace, so they must
            // be on the device.
            if names.exists() {
                sync_folder(&names)?;
            }
        }
        let tree = tree(&tables, options.cache_bytes, &sequence)?;
        sequence.fetch_max(
            tree.get_highest_persisted_seqno()
                .map_or(1, |highest| highest + 1),
        );
        let mut memtable_bytes = 0;
        let (log, replayed) = Log::open(
            recovered,
            Arc::clone(&checkpoints),
            |changes: &mut dyn Iterator<Item = Change<'_>>| {
                memtable_bytes = insert(&tree, sequence.next(), changes).max(memtable_bytes);
            },
        )?;
        let read_points = Arc::new(ReadPoints::new(sequence.get()));
        let writing = Writing {
            log,
            sequence,
            replayed,
            memtable_bytes,
            last_written: Instant::now(),
        };
        let log = Arc::new(Mutex::new(writing));
        let table_bytes = options
            .memtable_bytes
            .saturating_mul(MEMTABLES_A_TABLE)
            .min(TABLE_BYTES_MAX);
        let mut upkeep = Upkeep::new(
            tree.clone(),
            Arc::clone(&read_points),
            (files, checkpoints),
            tables.join("tables"),
            table_bytes,
            Arc::clone(&log),
        );
        if !options.is_examined {
            upkeep.start()?;
        }
        let memtable_bytes_max = options.memtable_bytes;
        let place = folder.to_owned();
        let store = DurableStore {
            upkeep,
            tree,
            log,
            read_points,
            memtable_bytes_max,
            folder: place,
            claim,
            twin: None,
        };
        let mut writing = store.writing();
        if writing.replayed.len() >= SEGMENTS_MAX && !options.is_examined {
            store.seal(&mut writing)?;
        }
        drop(writing);
        // The names of `log` and `tables`.
        sync_folder(folder)?;
        Ok(store)
    }

    /// A new folder holds a store from now on: everything that a store needs is there.
    fn complete(self) -> Result<DurableStore, StoreError> {
        if !self.claim.is_store {
            self.claim.complete()?;
        }
        Ok(self)
    }

    fn writing(&self) -> MutexGuard<'_, Writing> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest value of a key.
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        Ok(self.tree.get(key, u64::MAX)?.map(Bytes::from))
    }

    pub(crate) fn snapshot(&self) -> DurableSnapshot {
        DurableSnapshot {
            read_point: self.read_points.newest(),
            tree: self.tree.clone(),
            claim: Arc::clone(&self.claim),
        }
    }

    /// Writes one batch; each key at most once.
    pub(crate) fn apply<'c>(
        &self,
        changes: impl Iterator<Item = Change<'c>> + Clone,
        sync: bool,
    ) -> Result<(), StoreError> {
        let mut writing = self.writing();
        if writing.memtable_bytes > self.memtable_bytes_max {
            let sealed = self.seal(&mut writing);
            // Without room for a new segment the old one goes on for some time: nothing was
            // written, and nothing is lost.
            let may_wait = writing.memtable_bytes > self.memtable_bytes_max
                && writing.memtable_bytes < self.memtable_bytes_max.saturating_mul(OVERDUE_MAX)
                && writing.log.is_sound();
            sealed.or_else(|error| if may_wait { Ok(()) } else { Err(error) })?;
        }
        writing.log.append(changes.clone(), sync)?;
        let sequence = writing.sequence.next();
        writing.memtable_bytes = insert(&self.tree, sequence, changes);
        writing.last_written = Instant::now();
        self.read_points.publish(sequence + 1);
        Ok(())
    }

    /// Begins a new memtable and a new segment of the log.
    fn seal(&self, writing: &mut Writing) -> Result<(), StoreError> {
        let segments = writing.begin_segment()?;
        self.upkeep.sealed(segments)
    }

    /// Puts everything on the device, and notes that it is there.
    pub(crate) fn sync(&self) -> Result<(), StoreError> {
        self.writing().log.attest()
    }

    /// The number of flushes and compactions that are due.
    pub(crate) fn upkeep(&self) -> u64 {
        self.upkeep.pending()
    }
}

impl Drop for DurableStore {
    fn drop(&mut self) {
        // Writes acknowledged without a sync are safe from here on, if the sync succeeds.
        drop(self.sync());
    }
}

#[cfg(test)]
impl Writing {
    fn log_id(&self) -> u64 {
        self.log.id()
    }
}

/// Puts a batch into the memtable; gives back how large this is then.
fn insert<'c>(tree: &AnyTree, sequence: u64, changes: impl Iterator<Item = Change<'c>>) -> u64 {
    let mut bytes = 0;
    for (key, value) in changes {
        (_, bytes) = match value {
            Some(value) => tree.insert(Slice::from(key), Slice::from(value), sequence),
            None => tree.remove(Slice::from(key), sequence),
        };
    }
    bytes
}

#[derive(Clone)]
pub(crate) struct DurableSnapshot {
    read_point: ReadPoint,
    tree: AnyTree,
    /// Nobody else opens the folder while this reads it.
    claim: Arc<Claim>,
}

/// An entry of a range, not read yet.
pub(crate) type Entry = IterGuardImpl;

impl DurableSnapshot {
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        Ok(self.tree.get(key, *self.read_point)?.map(Bytes::from))
    }

    /// Like [`DurableSnapshot::range`], and lets the snapshot go: the range keeps what it reads,
    /// and not what is written meanwhile. For long scans.
    pub(crate) fn into_range(
        self,
        low: std::ops::Bound<&[u8]>,
        high: std::ops::Bound<&[u8]>,
    ) -> impl DoubleEndedIterator<Item = Entry> + Send + use<> {
        let entries = self.range(low, high);
        let claim = self.claim;
        entries.inspect(move |_| {
            // Held as long as the range is.
            let _held = &claim;
        })
    }

    pub(crate) fn range(
        &self,
        low: std::ops::Bound<&[u8]>,
        high: std::ops::Bound<&[u8]>,
    ) -> Box<dyn DoubleEndedIterator<Item = Entry> + Send> {
        self.tree
            .range::<&[u8], _>((low, high), *self.read_point, None)
    }
}

/// A range entry's key and value.
pub(crate) fn entry(guard: Entry) -> Result<(Bytes, Bytes), StoreError> {
    let (key, value) = guard.into_inner()?;
    Ok((Bytes::from(key), Bytes::from(value)))
}

/// A range entry's value.
pub(crate) fn value(guard: Entry) -> Result<Bytes, StoreError> {
    Ok(Bytes::from(guard.value()?))
}

#[cfg(test)]
mod tests;
