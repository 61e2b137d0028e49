//! The storage engine's manifest: files `v1`, `v2` ... and `current`, which names the one in use.
//! The storage engine writes them; here `current` is put back after a change of it that failed
//! half-way, and all of them are examined before the storage engine opens them, since it takes a
//! folder without `current` for a new one and removes every table file that the manifest does not
//! name.
//!
//! `current` holds the manifest's number in eight bytes, the XXH3 checksum of the manifest's file
//! in sixteen, and a zero; the lowest byte comes first.

use crate::error::{At, StoreError, named};
use crate::log::sync_folder;
use lsm_tree::{AbstractTree, AnyTree};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

const CURRENT: &str = "current";

/// Bytes of a manifest that describe one table file: id, kind of checksum, checksum, sequence
/// number.
const TABLE_ENTRY_BYTES: usize = 8 + 1 + 16 + 8;

/// Examines the files under `tables` before they are opened: the manifest has at least this number,
/// is whole, and every table file that it names is there and whole at its end.
///
/// # Errors
/// `Corrupt` with the name of the file that is missing or not what was written; `Io` when one
/// cannot be read.
pub(super) fn examine(tables: &Path, number_min: u64) -> Result<(), StoreError> {
    let current = tables.join(CURRENT);
    let bytes = read_whole(&current)?;
    let number = bytes
        .first_chunk()
        .map(|number| u64::from_le_bytes(*number));
    let Some(number) = number else {
        return Err(StoreError::file(&current, "is not what was written"));
    };
    if number < number_min {
        let what = format!("names manifest {number}, but manifest {number_min} was in use already");
        return Err(StoreError::file(&current, &what));
    }
    let manifest = tables.join(format!("v{number}"));
    read_whole(&manifest)?;
    if naming(tables, number).at(&manifest)? != bytes {
        let what = format!("is not what was written, or `{CURRENT}` is not");
        return Err(StoreError::file(&manifest, &what));
    }
    for id in table_ids(&manifest)? {
        let table = tables.join("tables").join(id.to_string());
        match sfa::Reader::new(&table) {
            Ok(_) => {}
            Err(sfa::Error::Io(error)) if error.kind() == ErrorKind::NotFound => {
                return Err(StoreError::file(&table, "is missing"));
            }
            Err(sfa::Error::Io(error))
                if error.kind() != ErrorKind::UnexpectedEof && is_long(&table) =>
            {
                return Err(named(&table, error).into());
            }
            Err(_) => return Err(StoreError::file(&table, "is not what was written")),
        }
    }
    Ok(())
}

/// Whether a file has room for what ends a table: reading a shorter one fails in the file system's
/// words.
fn is_long(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.len() > 64)
}

fn read_whole(path: &Path) -> Result<Vec<u8>, StoreError> {
    match fs::read(path) {
        Ok(bytes) if bytes.is_empty() => Err(StoreError::file(path, "is empty")),
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(StoreError::file(path, "is missing"))
        }
        Err(error) => Ok(Err(error).at(path)?),
    }
}

/// The table files that a manifest names, of all levels and runs.
fn table_ids(manifest: &Path) -> Result<Vec<u64>, StoreError> {
    let unreadable = || StoreError::file(manifest, "is not what was written");
    let reader = sfa::Reader::new(manifest).map_err(|_| unreadable())?;
    let section = reader.toc().section(b"tables").ok_or_else(unreadable)?;
    let mut bytes = Vec::new();
    section
        .buf_reader(manifest)
        .and_then(|mut section| section.read_to_end(&mut bytes))
        .at(manifest)?;
    parse_tables(&bytes).ok_or_else(unreadable)
}

/// Levels, each with its runs, each with its tables, all behind their counts.
fn parse_tables(mut bytes: &[u8]) -> Option<Vec<u64>> {
    fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = bytes.split_at_checked(count)?;
        *bytes = rest;
        Some(taken)
    }
    let mut ids = Vec::new();
    let levels = *take(&mut bytes, 1)?.first()?;
    for _ in 0..levels {
        let runs = *take(&mut bytes, 1)?.first()?;
        for _ in 0..runs {
            let tables = u32::from_le_bytes(take(&mut bytes, 4)?.try_into().ok()?);
            for _ in 0..tables {
                let entry = take(&mut bytes, TABLE_ENTRY_BYTES)?;
                ids.push(u64::from_le_bytes(*entry.first_chunk()?));
            }
        }
    }
    bytes.is_empty().then_some(ids)
}

/// The content of `current` when it names a manifest.
fn naming(folder: &Path, number: u64) -> io::Result<Vec<u8>> {
    let manifest = fs::read(folder.join(format!("v{number}")))?;
    Ok([
        &number.to_le_bytes()[..],
        &xxh3_128(&manifest).to_le_bytes(),
        &[0],
    ]
    .concat())
}

/// Makes `current` name the manifest in memory, if it names another: an attempt that failed when it
/// had changed the manifest, but not surely on the device, has made tables that the next start
/// would look for. The other thread may be changing the manifest, too.
///
/// # Errors
/// When a file cannot be read or written: then either may be named.
pub(super) fn settle(tree: &AnyTree) -> io::Result<()> {
    let folder = &tree.tree_config().path;
    loop {
        let before = fs::read(folder.join(CURRENT))?;
        let number = tree.current_version().id();
        // Manifests are changed under this lock, which does not say their number.
        let _lock = tree.get_version_history_lock();
        if fs::read(folder.join(CURRENT))? == before {
            return put_back(folder, number);
        }
    }
}

/// Makes `current` name this manifest, if it names another. Nobody else may change it meanwhile.
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
    fn a_manifest_is_named_as_the_storage_engine_does_it() {
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
