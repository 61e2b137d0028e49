//! Options of a store: its place, its durability, its memory.

use crate::durability::Durability;
use crate::log::LogFiles;
use std::path::PathBuf;
use std::sync::Arc;

/// Default of [`FolderOptions::cache_bytes`].
const CACHE_BYTES: u64 = 256 * 1024 * 1024;
/// Default of [`FolderOptions::memtable_bytes`].
const MEMTABLE_BYTES: u64 = 4 * 1024 * 1024;

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
    /// Bytes of table blocks kept in memory.
    pub cache_bytes: u64,
    /// Bytes of the memtable above which it is sealed and flushed to a table file. A reopening
    /// after a crash replays a few memtables from the log.
    pub memtable_bytes: u64,
    /// Replaces the folder of the log. Tests inject files that stop, tear and fail.
    pub log_files: Option<Arc<dyn LogFiles>>,
    /// Whether the folder is opened for examination: nothing in it is written. Changes go to a
    /// scratch copy that is removed with the store.
    pub is_examined: bool,
}

impl FolderOptions {
    /// The defaults: synced, 256 MiB of cache, a memtable of 4 MiB, the log in the folder.
    pub fn new(path: impl Into<PathBuf>) -> FolderOptions {
        FolderOptions {
            path: path.into(),
            durability: Durability::Synced,
            cache_bytes: CACHE_BYTES,
            memtable_bytes: MEMTABLE_BYTES,
            log_files: None,
            is_examined: false,
        }
    }
}
