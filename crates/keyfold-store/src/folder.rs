//! The data folder: who has it open, and whether it is one.

use crate::error::StoreError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

const MARKER: &str = "keyfold";
/// The first line of the marker; the number is that of the format of everything in the folder.
const FORMAT: &str = "keyfold store 3\n";
/// The marker of a copy that is being made, or was cut short.
const COPYING: &str = "keyfold copy 3, not whole\n";

/// A folder that no other process can open until this is dropped.
#[derive(Debug)]
pub(crate) struct Claim(File);

impl Claim {
    /// The copy in the folder is whole, and a store from now on. Everything else of it is on the device already.
    pub(crate) fn complete(&self) -> Result<(), StoreError> {
        mark(&self.0, FORMAT)
    }
}

/// Writes what the folder is. In between the marker may be empty, which stands for a store.
fn mark(mut file: &File, what: &str) -> Result<(), StoreError> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(what.as_bytes())?;
    Ok(file.sync_all()?)
}

/// Claims a folder, which is made if it is absent or empty.
///
/// # Errors
/// `Locked` when another process has it open; `Foreign` when it is something else's or of another format; `Io` when it cannot be
/// used.
pub(crate) fn claim(folder: &Path) -> Result<Claim, StoreError> {
    let (file, format) = lock(folder)?;
    if format.is_empty() {
        mark(&file, FORMAT)?;
        crate::log::sync_folder(folder)?;
    } else if format == COPYING {
        let what = "holds a copy that was cut short: copy into it again, or remove it";
        return Err(StoreError::Foreign(format!("the folder {} {what}", folder.display())));
    } else if format != FORMAT {
        return Err(foreign(folder, &format!("is of another format ({})", format.trim_end())));
    }
    Ok(Claim(file))
}

/// Claims a folder for a copy: one that is absent, empty, or holds a copy that was cut short, which is removed.
///
/// # Errors
/// Like [`claim`]; `Io` when the folder holds something.
pub(crate) fn claim_for_copy(folder: &Path) -> Result<Claim, StoreError> {
    let was_taken = folder.exists() && !is_empty(folder)?;
    let (file, format) = lock(folder)?;
    if was_taken && format != COPYING {
        let exists = std::io::Error::new(std::io::ErrorKind::AlreadyExists, "the folder is not empty");
        return Err(exists.into());
    }
    remove_copied(folder)?;
    if format != COPYING {
        mark(&file, COPYING)?;
    }
    crate::log::sync_folder(folder)?;
    Ok(Claim(file))
}

fn is_empty(folder: &Path) -> Result<bool, StoreError> {
    Ok(fs::read_dir(folder)?.next().is_none())
}

/// Removes what a copy has put into a folder, but for the marker.
pub(crate) fn remove_copied(folder: &Path) -> Result<(), StoreError> {
    for part in ["log", "tables"].map(|part| folder.join(part)) {
        if part.exists() {
            fs::remove_dir_all(part)?;
        }
    }
    Ok(())
}

/// Locks a folder, which is made if it is absent; gives the marker and what it says.
fn lock(folder: &Path) -> Result<(File, String), StoreError> {
    if !folder.exists() {
        fs::create_dir_all(folder)?;
        folder
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .map_or(Ok(()), crate::log::sync_folder)?;
    }
    let path = folder.join(MARKER);
    if !path.exists() && !is_empty(folder)? {
        return Err(foreign(folder, "holds something else"));
    }
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    // Through the handle that holds the lock: others may not read where locks are mandatory.
    let mut format = String::new();
    file.read_to_string(&mut format)?;
    // There was no room for the marker, or the machine ended: part of it is there, or its length only.
    if (FORMAT.starts_with(&format) && format != FORMAT) || format.bytes().all(|byte| byte == 0) {
        format.clear();
    } else if COPYING.starts_with(&format) {
        COPYING.clone_into(&mut format);
    }
    Ok((file, format))
}

fn foreign(folder: &Path, what: &str) -> StoreError {
    StoreError::Foreign(format!("the folder {} {what}; give Keyfold one of its own", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_a_store_when_it_is_whole() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("copy");
        let copying = claim_for_copy(&folder).unwrap();
        fs::create_dir(folder.join("log")).unwrap();
        assert!(matches!(claim_for_copy(&folder), Err(StoreError::Locked)), "somebody makes it");
        drop(copying);
        let told = claim(&folder).unwrap_err().to_string();
        assert!(told.contains("cut short"), "{told}");
        let copying = claim_for_copy(&folder).unwrap();
        assert!(!folder.join("log").exists(), "made anew");
        drop(copying);
        fs::write(folder.join(MARKER), &COPYING[..9]).unwrap();
        assert!(claim(&folder).unwrap_err().to_string().contains("cut short"), "so was its marker");
        let copying = claim_for_copy(&folder).unwrap();
        copying.complete().unwrap();
        drop(copying);
        drop(claim(&folder).unwrap());
        assert!(claim_for_copy(&folder).unwrap_err().to_string().contains("not empty"));
        fs::write(place.path().join("letter.txt"), "").unwrap();
        assert!(claim_for_copy(place.path()).is_err());
    }

    #[test]
    fn a_folder_is_claimed_once_and_only_if_it_is_ours() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("data");
        let claimed = claim(&folder).unwrap();
        assert!(matches!(claim(&folder), Err(StoreError::Locked)));
        drop(claimed);
        drop(claim(&folder).unwrap());
        for cut_short in [&[0; FORMAT.len()][..], b"keyfold"] {
            fs::write(folder.join(MARKER), cut_short).unwrap();
            drop(claim(&folder).unwrap());
            assert_eq!(fs::read_to_string(folder.join(MARKER)).unwrap(), FORMAT, "written again");
        }
        fs::write(folder.join(MARKER), "keyfold store 99\n").unwrap();
        let told = claim(&folder).unwrap_err().to_string();
        assert!(told.contains("is of another format (keyfold store 99)"), "{told}");
        fs::write(place.path().join("letter.txt"), "").unwrap();
        let told = claim(place.path()).unwrap_err().to_string();
        assert!(told.contains("holds something else"), "{told}");
    }
}
