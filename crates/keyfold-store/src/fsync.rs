//! Durable names: a folder's entries, and files that are replaced as a whole.

use crate::error::At;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Returns when the new names in a folder survive a crash of the machine. Windows syncs names by
/// itself and cannot open folders.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

/// Replaces a file as a whole: writes `bytes` to `temporary`, which is in the same folder, syncs
/// it, renames it over `path` and syncs the folder. After a crash the old or the new content is
/// there.
///
/// # Errors
/// When a call fails; then the old or the new content is there, too.
pub(crate) fn replace_file(path: &Path, temporary: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(temporary).at(temporary)?;
    file.write_all(bytes).at(temporary)?;
    file.sync_all().at(temporary)?;
    fs::rename(temporary, path).at(path)?;
    path.parent().map_or(Ok(()), sync_folder).at(path)
}
