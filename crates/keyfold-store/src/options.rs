//! Options of a store: its place, its durability, its memory.

use crate::durability::Durability;
use crate::log::LogFiles;
use std::path::PathBuf;
use std::sync::Arc;

/// The default of the budget of memory, in bytes.
pub const MEMORY_BUDGET: u64 = 256 * MEBIBYTE;
const MEBIBYTE: u64 = 1024 * 1024;
/// The smallest and the largest memtable of a budget. A larger one would make a reopening after a crash slow.
const MEMTABLE_BYTES: (u64, u64) = (MEBIBYTE, 16 * MEBIBYTE);

/// The place and durability of a store.
#[derive(Debug, Clone)]
pub enum StoreOptions {
    /// In memory; gone when the store is dropped.
    Memory,
    /// In a folder.
    Folder(FolderOptions),
}

impl StoreOptions {
    /// Options of a store in a folder with a durability, and the defaults otherwise.
    pub fn folder(path: impl Into<PathBuf>, durability: Durability) -> StoreOptions {
        StoreOptions::Folder(FolderOptions {
            durability,
            ..FolderOptions::new(path)
        })
    }
}

/// Options of a store in a folder.
#[derive(Debug, Clone)]
pub struct FolderOptions {
    /// The folder; made if it is absent.
    pub path: PathBuf,
    /// When a write is acknowledged.
    pub durability: Durability,
    /// Bytes of table blocks kept in memory, those of indexes and filters too.
    pub cache_bytes: u64,
    /// Bytes of the memtable above which it is sealed and flushed to a table file. A reopening
    /// after a crash replays a few memtables from the log.
    pub memtable_bytes: u64,
    /// Bytes of batches that wait for the one being written, above which callers wait.
    pub staged_bytes: u64,
    /// Replaces the folder of the log. Tests inject files that stop, tear and fail.
    pub log_files: Option<Arc<dyn LogFiles>>,
    /// Whether the folder is opened for examination: nothing in it is written. Changes go to a
    /// scratch copy that is removed with the store.
    pub is_examined: bool,
}

impl FolderOptions {
    /// The defaults: synced, a budget of [`MEMORY_BUDGET`], the log in the folder.
    pub fn new(path: impl Into<PathBuf>) -> FolderOptions {
        let options = FolderOptions {
            path: path.into(),
            durability: Durability::Synced,
            cache_bytes: 0,
            memtable_bytes: 0,
            staged_bytes: 0,
            log_files: None,
            is_examined: false,
        };
        options.within(MEMORY_BUDGET)
    }

    /// Divides a budget of so many bytes of memory: half of it holds blocks of tables, with their indexes and filters,
    /// and a sixty-fourth (1 to 16 MiB) a memtable, of which up to six exist at a time, each twice as large in memory
    /// as its contents. Batches that wait take as much as a memtable: what is written at once is once more in the log's
    /// buffer and once in the memtable. The rest is for requests, and for what the allocator keeps.
    pub fn within(mut self, memory_budget: u64) -> FolderOptions {
        let (least, most) = MEMTABLE_BYTES;
        self.cache_bytes = memory_budget / 2;
        self.memtable_bytes = (memory_budget / 64).clamp(least, most);
        self.staged_bytes = self.memtable_bytes;
        self
    }
}
