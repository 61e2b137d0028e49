//! The storage engine behind our own names: lsm-tree's log-structured merge tree, and the archive
//! format (sfa) of its files. Only [`super::view`] names their types, too.

use super::view::{View, Views};
use crate::error::StoreError;
use bytes::Bytes;
use lsm_tree::compaction::Leveled;
use lsm_tree::config::{
    BlockSizePolicy, BloomConstructionPolicy, CompressionPolicy, FilterPolicy, FilterPolicyEntry,
    RestartIntervalPolicy,
};
use lsm_tree::{
    AbstractTree, AnyTree, Cache, CompressionType, DescriptorTable, InternalValue,
    SequenceNumberCounter, Slice, ValueType,
};
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of a block, the unit that is read, checked and cached: a page of small items is in one or
/// two.
const BLOCK_BYTES: u32 = 8 * 1024;
/// Table files kept open.
const FILES_OPEN: usize = 512;
/// Advice for corruption that the storage engine reports without the file.
const TABLES_ADVICE: &str = "put the files in tables/tables of the data folder back, or restore the whole folder from a copy (`keyfold backup` makes copies)";

/// The tree: memtables, and table files on sorted levels. Level 0 holds flushed memtables as runs
/// that overlap. A clone is another handle of the same tree.
#[derive(Clone)]
pub(super) struct Tree {
    tree: AnyTree,
    /// What is read and written, without the tree's own lock.
    views: Arc<Views>,
    /// Numbers of writes and of manifests, ascending.
    sequence: SequenceNumberCounter,
}

/// A choice of tables to merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compaction {
    /// The choice of the leveled strategy, which keeps up with the writes.
    Leveled,
    /// Level 0 is merged into the sorted levels, however few runs it has: a read looks into fewer
    /// places.
    LevelZero,
    /// A major compaction: all tables are merged.
    Major,
}

impl Tree {
    /// Opens or creates the tree in a folder. `cache_bytes`: bytes of blocks kept in memory.
    ///
    /// # Errors
    /// `Foreign` when the working folder of the program is gone: the library asks for it, and would panic.
    pub(super) fn open(folder: &Path, cache_bytes: u64) -> Result<Tree, StoreError> {
        if let Err(error) = std::env::current_dir() {
            return Err(StoreError::Foreign(format!(
                "the working folder of this program cannot be found ({error}): start it in one that is there"
            )));
        }
        let sequence = SequenceNumberCounter::default();
        // The tree's own visible sequence number is not used: it would expose half a batch when a
        // compaction ends in the middle of one.
        let unused = SequenceNumberCounter::default();
        let none = CompressionType::None;
        let config = lsm_tree::Config::new(folder, sequence.clone(), unused)
            .use_cache(Arc::new(Cache::with_capacity_bytes(cache_bytes)))
            .use_descriptor_table(Some(Arc::new(DescriptorTable::new(FILES_OPEN))))
            .data_block_restart_interval_policy(RestartIntervalPolicy::new([10, 16]))
            .data_block_size_policy(BlockSizePolicy::all(BLOCK_BYTES))
            .data_block_compression_policy(CompressionPolicy::new([
                none,
                none,
                CompressionType::Lz4,
            ]))
            .filter_policy(FilterPolicy::new([
                FilterPolicyEntry::Bloom(BloomConstructionPolicy::FalsePositiveRate(0.0001)),
                FilterPolicyEntry::Bloom(BloomConstructionPolicy::BitsPerKey(10.0)),
            ]));
        // A new one writes files, of which the library does not say the names.
        let tree = config.open();
        let tree = tree.map_err(|error| StoreError::from(error).about(folder))?;
        sequence.fetch_max(
            tree.get_highest_persisted_seqno()
                .map_or(1, |highest| highest + 1),
        );
        let views = Arc::new(Views::of(&tree));
        Ok(Tree {
            tree,
            views,
            sequence,
        })
    }

    /// The folder of the tree: manifests, and the folder of table files.
    pub(super) fn folder(&self) -> &Path {
        &self.tree.tree_config().path
    }

    /// The folder of table files; a file's name is its table's id.
    pub(super) fn tables_folder(&self) -> PathBuf {
        self.folder().join("tables")
    }

    /// Draws the sequence number of a batch.
    pub(super) fn next_sequence(&self) -> u64 {
        self.sequence.next()
    }

    /// The sequence number that the next batch gets at least.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence.get()
    }

    /// Sets a key, or removes it when there is no value; returns the memtable's size in bytes
    /// after it. Only for the writer of the store, which also seals the memtable.
    pub(super) fn insert(&self, key: &[u8], value: Option<&[u8]>, sequence: u64) -> u64 {
        let key = Slice::from(key);
        self.views.newest().insert(match value {
            Some(value) => InternalValue::from_components(key, value, sequence, ValueType::Value),
            None => InternalValue::new_tombstone(key, sequence),
        })
    }

    /// The newest value of a key.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let found = self.views.newest().get(key, u64::MAX)?;
        Ok(found.map(|entry| Bytes::from(entry.value)))
    }

    /// A view to keep, and the read point that `newest` returns at the same moment: the view holds all
    /// writes below it.
    pub(super) fn view_at<T>(&self, newest: impl Fn() -> T) -> (Arc<View>, T) {
        self.views.newest_with(newest)
    }

    /// Releases the memtables and table files of views that nobody reads any more: those that were read when a
    /// flush or a compaction ended.
    pub(super) fn release_views(&self) {
        self.views.release();
    }

    /// Seals the memtable and begins a new one.
    pub(super) fn seal_memtable(&self) {
        self.views.seal(&self.tree);
    }

    /// Writes the sealed memtables to table files. Overwritten versions below `oldest`, the oldest
    /// read point, are dropped.
    pub(super) fn flush(&self, oldest: u64) -> Result<(), StoreError> {
        let lock = self.tree.get_flush_lock();
        let flushed = self.tree.flush(&lock, oldest);
        self.views.renew(&self.tree);
        self.views.release();
        Ok(flushed.map(drop)?)
    }

    /// Runs a compaction. `table_bytes`: the size at which a table file ends and the next begins.
    pub(super) fn compact(
        &self,
        compaction: Compaction,
        table_bytes: u64,
        oldest: u64,
    ) -> Result<(), StoreError> {
        let leveled = Leveled::default().with_table_target_size(table_bytes);
        let compacted = match compaction {
            Compaction::Leveled => self.tree.compact(Arc::new(leveled), oldest),
            Compaction::LevelZero => self
                .tree
                .compact(Arc::new(leveled.with_l0_threshold(1)), oldest),
            Compaction::Major => self.tree.major_compact(table_bytes, oldest),
        };
        self.views.renew(&self.tree);
        self.views.release();
        Ok(compacted?)
    }

    /// The number of sealed memtables that are not flushed yet.
    pub(super) fn sealed_memtables(&self) -> usize {
        self.views.newest().sealed_memtables()
    }

    /// Bytes of the sealed memtables that are not flushed yet.
    pub(super) fn sealed_bytes(&self) -> u64 {
        self.views.newest().sealed_bytes()
    }

    /// The number of overlapping runs in level 0: a read may look into each.
    pub(super) fn level_zero_runs(&self) -> usize {
        self.views.newest().level_zero_runs()
    }

    /// Bytes of the table files in use.
    pub(super) fn table_bytes(&self) -> u64 {
        self.tree.disk_space()
    }

    /// The number of entries, tombstones included.
    pub(super) fn entries(&self) -> u64 {
        self.tree.approximate_len() as u64
    }

    /// The number of tombstones.
    pub(super) fn tombstones(&self) -> u64 {
        self.tree.tombstone_count()
    }

    /// The number of the manifest in memory.
    pub(super) fn manifest(&self) -> u64 {
        self.tree.current_version().id()
    }

    /// Runs `work` while no thread changes the manifest.
    pub(super) fn with_manifest_locked<T>(&self, work: impl FnOnce() -> T) -> T {
        let _lock = self.tree.get_version_history_lock();
        work()
    }

    /// The number of older manifests whose tables are kept for readers.
    pub(super) fn old_manifests(&self) -> usize {
        self.tree.version_free_list_len()
    }

    /// Releases the manifests, and their table files, that no reader at `oldest` or later needs.
    pub(super) fn release_old_manifests(&self, oldest: u64) {
        let mut versions = self.tree.get_version_history_lock();
        // Files that cannot be removed now are removed with the next manifest.
        drop(versions.maintenance(self.folder(), oldest));
    }

    /// The ids of the table files that the manifest in memory names.
    pub(super) fn table_ids(&self) -> HashSet<u64> {
        let version = self.tree.current_version();
        version.iter_tables().map(lsm_tree::Table::id).collect()
    }

    /// The id that the next table file gets.
    pub(super) fn next_table_id(&self) -> u64 {
        self.tree.next_table_id()
    }
}

/// A manifest or a table file whose table of contents was read.
pub(super) struct Archive {
    path: PathBuf,
    reader: sfa::Reader,
}

/// A table of contents cannot be read.
pub(super) enum ArchiveError {
    /// The operating system refused a call, or the file is too short.
    Io(io::Error),
    /// The file's end is not what was written.
    Corrupt,
}

impl Archive {
    /// Reads the end of a file: the table of contents, with its checksum.
    pub(super) fn open(path: &Path) -> Result<Archive, ArchiveError> {
        match sfa::Reader::new(path) {
            Ok(reader) => Ok(Archive {
                path: path.to_owned(),
                reader,
            }),
            Err(sfa::Error::Io(error)) => Err(ArchiveError::Io(error)),
            Err(
                sfa::Error::InvalidHeader
                | sfa::Error::InvalidVersion
                | sfa::Error::UnsupportedChecksumType
                | sfa::Error::ChecksumMismatch { .. },
            ) => Err(ArchiveError::Corrupt),
        }
    }

    /// The bytes of a section; `None` when the file has none of this name.
    pub(super) fn section(&self, name: &[u8]) -> Option<io::Result<Vec<u8>>> {
        let section = self.reader.toc().section(name)?;
        let mut bytes = Vec::new();
        let read = section
            .buf_reader(&self.path)
            .and_then(|mut section| section.read_to_end(&mut bytes));
        Some(read.map(|_| bytes))
    }
}

impl From<lsm_tree::Error> for StoreError {
    fn from(error: lsm_tree::Error) -> StoreError {
        if let lsm_tree::Error::Io(error) = error {
            return StoreError::Io(Arc::new(error));
        }
        StoreError::Corrupt(if matches!(error, lsm_tree::Error::Unrecoverable) {
            format!("a table file is missing or unreadable; {TABLES_ADVICE}")
        } else if matches!(error, lsm_tree::Error::ChecksumMismatch { .. }) {
            format!("a block of a table does not match its checksum; {TABLES_ADVICE}")
        } else {
            error.to_string()
        })
    }
}

#[cfg(test)]
impl Tree {
    /// Calls `work` while no flush runs.
    pub(super) fn without_flushes<T>(&self, work: impl FnOnce() -> T) -> T {
        let _lock = self.tree.get_flush_lock();
        work()
    }

    /// The number of table files in use.
    pub(super) fn tables(&self) -> usize {
        self.tree.table_count()
    }
}
