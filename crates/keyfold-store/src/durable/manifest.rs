//! The manifest: the file that names the current table files. The storage engine writes manifests
//! as `v1`, `v2` ..., and a file `current` that names the one in use.
//!
//! This module does three things that the storage engine does not. It examines these files before
//! the storage engine opens them, since the engine takes a folder without `current` for a new one
//! and removes every table file that the manifest does not name. It rewrites `current` after a
//! change of it that failed half-way. And it goes back to the manifest before, where the process
//! ended while `current` named one that was being written again.
//!
//! `current` holds the manifest's number in eight bytes, the XXH3 checksum of the manifest's file
//! in sixteen, and a zero; the lowest byte comes first.

use super::lsm::{Archive, ArchiveError, Tree};
use crate::error::{At, StoreError, named};
use crate::fsync::{replace_file, sync_folder};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_128;

const CURRENT: &str = "current";

/// Bytes of a table file in a manifest: id, kind of checksum, checksum, sequence number.
const TABLE_ENTRY_BYTES: usize = 8 + 1 + 16 + 8;
/// Bytes below which a file is too short for the end of an archive. Reading it fails with an error
/// of the file system, although the device is sound.
const ARCHIVE_BYTES_MIN: u64 = 64;

/// Examines the files under `tables` before they are opened: the manifest has at least the number
/// `number_min` and matches its checksum, and every table file that it names is there and ends as
/// it was written. Where another attempt has begun to write the manifest again, `current` is made to
/// name the one before.
///
/// # Errors
/// `Corrupt` with the name of the file that is missing or not what was written; `Io` when one
/// cannot be read or written.
pub(super) fn examine(tables: &Path, number_min: u64) -> Result<(), StoreError> {
    let current = tables.join(CURRENT);
    let bytes = read_file(&current)?;
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
    match examine_manifest(&manifest, number, &bytes) {
        Err(StoreError::Corrupt(_))
            if manifest.exists() && go_back(tables, number, number_min)? =>
        {
            Ok(())
        }
        Err(error) => Err(error),
        Ok(()) => examine_tables(tables, number),
    }
}

/// Whether the manifest is that which these bytes of `current` name.
fn examine_manifest(manifest: &Path, number: u64, current: &[u8]) -> Result<(), StoreError> {
    if content_naming(number, &read_file(manifest)?) == current {
        return Ok(());
    }
    let what = format!("is not what was written, or `{CURRENT}` is not");
    Err(StoreError::file(manifest, &what))
}

/// Makes `current` name the manifest before `number`, which was in use while `number` was written
/// again: a flush made it current, and failed to sync that; a compaction at the same time had the
/// same number for its own. Whatever is in no manifest from the number `number_min` on is in the log.
/// Returns whether that manifest and its tables are there.
///
/// # Errors
/// `Io` when a file cannot be read or written.
fn go_back(tables: &Path, number: u64, number_min: u64) -> Result<bool, StoreError> {
    let before = number.checked_sub(1).filter(|one| *one >= number_min);
    let Some(before) = before.filter(|one| examine_tables(tables, *one).is_ok()) else {
        return Ok(false);
    };
    write_current(tables, before).at(&tables.join(CURRENT))?;
    Ok(true)
}

/// Whether every table file that a manifest names is there and ends as it was written.
fn examine_tables(tables: &Path, number: u64) -> Result<(), StoreError> {
    for id in table_ids(&tables.join(format!("v{number}")))? {
        examine_table(&tables.join("tables").join(id.to_string()))?;
    }
    Ok(())
}

fn examine_table(table: &Path) -> Result<(), StoreError> {
    match Archive::open(table) {
        Ok(_) => Ok(()),
        Err(ArchiveError::Io(error)) if error.kind() == ErrorKind::NotFound => {
            Err(StoreError::file(table, "is missing"))
        }
        Err(ArchiveError::Io(error))
            if error.kind() != ErrorKind::UnexpectedEof && has_archive_length(table) =>
        {
            Err(named(table, error).into())
        }
        Err(ArchiveError::Io(_) | ArchiveError::Corrupt) => {
            Err(StoreError::file(table, "is not what was written"))
        }
    }
}

/// Whether a file is long enough to hold the end of an archive.
fn has_archive_length(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > ARCHIVE_BYTES_MIN)
}

/// Reads a file that must be there and hold something.
fn read_file(path: &Path) -> Result<Vec<u8>, StoreError> {
    match fs::read(path) {
        Ok(bytes) if bytes.is_empty() => Err(StoreError::file(path, "is empty")),
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(StoreError::file(path, "is missing"))
        }
        Err(error) => Ok(Err(error).at(path)?),
    }
}

/// The ids of the table files that a manifest names, of all levels and runs.
fn table_ids(manifest: &Path) -> Result<Vec<u64>, StoreError> {
    let corrupt = || StoreError::file(manifest, "is not what was written");
    let archive = Archive::open(manifest).map_err(|_| corrupt())?;
    let section = archive.section(b"tables").ok_or_else(corrupt)?;
    parse_tables(&section.at(manifest)?).ok_or_else(corrupt)
}

/// Parses the manifest's tables: levels, each with its runs, each with its tables, all behind their
/// counts.
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
fn content_of_current(folder: &Path, number: u64) -> io::Result<Vec<u8>> {
    let manifest = fs::read(folder.join(format!("v{number}")))?;
    Ok(content_naming(number, &manifest))
}

/// The content of `current` for a manifest of this content.
fn content_naming(number: u64, manifest: &[u8]) -> Vec<u8> {
    let checksum = xxh3_128(manifest).to_le_bytes();
    [&number.to_le_bytes()[..], &checksum, &[0]].concat()
}

/// Makes `current` name the manifest in memory again. A failed flush or compaction may have changed
/// `current`, and removed its tables; the next start would look for them. The other thread may
/// change the manifest at the same time.
///
/// # Errors
/// When a file cannot be read or written: then either manifest may be named.
pub(super) fn restore_current(tree: &Tree) -> io::Result<()> {
    let folder = tree.folder();
    loop {
        let before = fs::read(folder.join(CURRENT))?;
        // The number cannot be read under the lock; it is right if `current` did not change.
        let number = tree.manifest();
        let is_restored = tree.with_manifest_locked(|| {
            let is_unchanged = fs::read(folder.join(CURRENT))? == before;
            if is_unchanged {
                write_current(folder, number)?;
            }
            io::Result::Ok(is_unchanged)
        })?;
        if is_restored {
            return Ok(());
        }
    }
}

/// Makes `current` name a manifest, if it names another. The caller excludes other changes of it.
fn write_current(folder: &Path, number: u64) -> io::Result<()> {
    let wanted = content_of_current(folder, number)?;
    let path = folder.join(CURRENT);
    if fs::read(&path)? == wanted {
        // An attempt before this one may have written it and failed to sync it.
        return sync_folder(folder);
    }
    replace_file(&path, &path.with_extension("again"), &wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_is_written_as_the_storage_engine_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Tree::open(folder.path(), 0).unwrap();
        drop(open());
        let current = fs::read(folder.path().join(CURRENT)).unwrap();
        let number = u64::from_le_bytes(*current.first_chunk().unwrap());
        assert_eq!(content_of_current(folder.path(), number).unwrap(), current);
        fs::write(folder.path().join("v77"), "another").unwrap();
        let other = content_of_current(folder.path(), 77).unwrap();
        fs::write(folder.path().join(CURRENT), other).unwrap();
        write_current(folder.path(), number).unwrap();
        assert_eq!(fs::read(folder.path().join(CURRENT)).unwrap(), current);
        drop(open());
    }
}
