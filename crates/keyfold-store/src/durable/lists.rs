//! The storage engine's list of tables: files `v1`, `v2` ... and `current`, which names the present one. Written by the
//! storage engine; here only `current` is put back after a change of it that failed half-way.
//!
//! `current` holds the list's number in eight bytes, the XXH3 checksum of the list's file in sixteen, and a zero; the lowest byte
//! comes first.

use crate::log::sync_folder;
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

/// Whether `current` names the list that `number` tells, which the other thread may change meanwhile.
pub(super) fn is_named(folder: &Path, number: impl Fn() -> u64) -> bool {
    let mut before = number();
    loop {
        let Ok(current) = fs::read(folder.join(CURRENT)) else { return false };
        let after = number();
        if before == after {
            return current.first_chunk().copied().map(u64::from_le_bytes) == Some(after);
        }
        before = after;
    }
}

/// Makes `current` name this list, if it names another. Nobody else may change it meanwhile.
///
/// # Errors
/// When a file cannot be read or written: then either may be named.
pub(super) fn put_back(folder: &Path, number: u64) -> io::Result<()> {
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
