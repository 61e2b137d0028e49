//! A scratch copy of a data folder, for examining a store without writing to the folder: opening a
//! store begins a segment of the log, retires segments and removes what a crash has left.
//!
//! Table files, which never change, are linked; the manifest and the log, which are small, are
//! copied. The scratch copy lies beside the folder, where links are possible, and is removed when it
//! is dropped.

use crate::checkpoint::CHECKPOINT;
use crate::error::{At, StoreError};
use crate::folder::{Claim, claim_for_examination};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A copy of a data folder.
#[derive(Debug)]
pub(super) struct ScratchCopy {
    path: PathBuf,
    /// Keeps other processes from opening the original.
    _claim: Claim,
}

impl ScratchCopy {
    /// Copies a store's folder.
    ///
    /// # Errors
    /// `Locked`, `Foreign` or `Corrupt` as opening the folder; `Io` when it cannot be copied.
    pub(super) fn of(folder: &Path) -> Result<ScratchCopy, StoreError> {
        let claim = claim_for_examination(folder)?;
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let path = folder.with_file_name(format!(".{name}.examined-{}", std::process::id()));
        let copy = ScratchCopy {
            path,
            _claim: claim,
        };
        copy.fill(folder)?;
        Ok(copy)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn fill(&self, folder: &Path) -> io::Result<()> {
        if self.path.exists() {
            fs::remove_dir_all(&self.path).at(&self.path)?;
        }
        fs::create_dir(&self.path).at(&self.path)?;
        for part in ["keyfold", CHECKPOINT] {
            copy_if_there(&folder.join(part), &self.path.join(part))?;
        }
        copy_files(&folder.join("log"), &self.path.join("log"), copy_if_there)?;
        copy_files(
            &folder.join("tables"),
            &self.path.join("tables"),
            copy_if_there,
        )?;
        let tables = Path::new("tables").join("tables");
        copy_files(&folder.join(&tables), &self.path.join(&tables), link)
    }
}

impl Drop for ScratchCopy {
    fn drop(&mut self) {
        // Best effort: nothing in it is needed any more.
        drop(fs::remove_dir_all(&self.path));
    }
}

/// Copies a file. A missing file is missing in the copy, too.
fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::copy(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at(from),
        _ => Ok(()),
    }
}

/// Links a file, or copies it where links are not possible.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| copy_if_there(from, to))
}

/// Copies the files of a folder, without its folders, each with `copy`.
fn copy_files(from: &Path, to: &Path, copy: fn(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    if !from.exists() {
        return Ok(());
    }
    fs::create_dir(to).at(to)?;
    for entry in fs::read_dir(from).at(from)? {
        let entry = entry.at(from)?;
        if entry.file_type().at(&entry.path())?.is_file() {
            copy(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
