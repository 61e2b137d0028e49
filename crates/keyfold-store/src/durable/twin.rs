//! A twin of a data folder, so that a store can be examined without anything in it being written:
//! opening a store begins a segment of the log, gives up segments and removes what a crash has
//! left.
//!
//! Table files, which are never changed, are linked; the manifest and the log, which are small, are
//! copied. The twin lies beside the folder, where links are possible, and is removed when it is
//! dropped.

use crate::checkpoint::CHECKPOINT;
use crate::error::{At, StoreError};
use crate::folder::{Claim, claim_for_examination};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A folder that holds what another one holds.
#[derive(Debug)]
pub(super) struct Twin {
    path: PathBuf,
    /// Nobody else opens the folder itself meanwhile.
    _claim: Claim,
}

impl Twin {
    /// Makes the twin of a store's folder.
    ///
    /// # Errors
    /// `Locked`, `Foreign` or `Corrupt` as opening the folder; `Io` when the twin cannot be made.
    pub(super) fn of(folder: &Path) -> Result<Twin, StoreError> {
        let claim = claim_for_examination(folder)?;
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let path = folder.with_file_name(format!(".{name}.examined-{}", std::process::id()));
        let twin = Twin {
            path,
            _claim: claim,
        };
        twin.fill(folder)?;
        Ok(twin)
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

impl Drop for Twin {
    fn drop(&mut self) {
        // Nothing in it is needed any more; what cannot be removed is left.
        drop(fs::remove_dir_all(&self.path));
    }
}

/// A file that is missing is missing in the twin, too.
fn copy_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::copy(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at(from),
        _ => Ok(()),
    }
}

fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| copy_if_there(from, to))
}

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
