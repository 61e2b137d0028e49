//! The storage engine's list of tables: files `v1`, `v2` ... and `current`, which names the present one. Written by the
//! storage engine; here only `current` is put back after a change of it that failed half-way.
//!
//! `current` holds the list's number in eight bytes, the XXH3 checksum of the list's file in sixteen, and a zero; the lowest byte
//! comes first.

use crate::log::sync_folder;
use lsm_tree::{AbstractTree, AnyTree};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

const CURRENT: &str = "current";

/// What `current` holds when it names a list.
fn naming(folder: &Path, number: u64) -> io::Result<Vec<u8>> {
    let list = fs::read(folder.join(format!("v{number}")))?;
    Ok([&number.to_le_bytes()[..], &xxh3_128(&list).to_le_bytes(), &[0]].concat())
}

/// Makes `current` name the list of tables in memory, if it names another: an attempt that failed when it had changed the list, but not
/// surely on the device, has made tables that the next start would look for. The other thread may be changing the list, too.
///
/// # Errors
/// When a file cannot be read or written: then either may be named.
pub(super) fn settle(tree: &AnyTree) -> io::Result<()> {
    let folder = &tree.tree_config().path;
    loop {
        let before = fs::read(folder.join(CURRENT))?;
        let number = tree.current_version().id();
        // Lists are changed under this lock, which does not tell their number.
        let _lock = tree.get_version_history_lock();
        if fs::read(folder.join(CURRENT))? == before {
            return put_back(folder, number);
        }
    }
}

/// Makes `current` name this list, if it names another. Nobody else may change it meanwhile.
fn put_back(folder: &Path, number: u64) -> io::Result<()> {
    let wanted = naming(folder, number)?;
    let path = folder.join(CURRENT);
    if fs::read(&path)? == wanted {
        // It may have been put back before, and not surely.
        return sync_folder(folder);
    }
    let again = path.with_extension("again");
    let mut file = File::create(&again)?;
    file.write_all(&wanted)?;
    file.sync_all()?;
    fs::rename(&again, &path)?;
    sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::DurableStore;
    use crate::store::FolderOptions;

    #[test]
    fn a_list_is_named_as_the_storage_engine_does_it() {
        let folder = tempfile::tempdir().unwrap();
        drop(DurableStore::open(&FolderOptions::new(folder.path())).unwrap());
        let tables = folder.path().join("tables");
        let current = fs::read(tables.join(CURRENT)).unwrap();
        let number = u64::from_le_bytes(*current.first_chunk().unwrap());
        assert_eq!(naming(&tables, number).unwrap(), current);
        fs::write(tables.join("v77"), "another").unwrap();
        fs::write(tables.join(CURRENT), naming(&tables, 77).unwrap()).unwrap();
        put_back(&tables, number).unwrap();
        assert_eq!(fs::read(tables.join(CURRENT)).unwrap(), current);
        drop(DurableStore::open(&FolderOptions::new(folder.path())).unwrap());
    }
}
