//! The data folder: who has it open, and whether it is one.

use crate::error::StoreError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;

const MARKER: &str = "keyfold";
/// The first line of the marker; the number is that of the format of everything in the folder.
const FORMAT: &str = "keyfold store 2\n";

/// A folder that no other process can open until this is dropped.
#[derive(Debug)]
pub(crate) struct Claim(#[expect(dead_code, reason = "the lock is held as long as the file is open")] File);

/// Claims a folder, which is made if it is absent or empty.
///
/// # Errors
/// `Locked` when another process has it open; `Foreign` when it is something else's or of another format; `Io` when it cannot be
/// used.
pub(crate) fn claim(folder: &Path) -> Result<Claim, StoreError> {
    if !folder.exists() {
        fs::create_dir_all(folder)?;
        folder
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .map_or(Ok(()), crate::log::sync_folder)?;
    }
    let path = folder.join(MARKER);
    if !path.exists() && fs::read_dir(folder)?.next().is_some() {
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
    if format.is_empty() {
        file.write_all(FORMAT.as_bytes())?;
        file.sync_all()?;
        crate::log::sync_folder(folder)?;
    } else if format != FORMAT {
        return Err(foreign(folder, &format!("is of another format ({})", format.trim_end())));
    }
    Ok(Claim(file))
}

fn foreign(folder: &Path, what: &str) -> StoreError {
    StoreError::Foreign(format!("the folder {} {what}; give Keyfold one of its own", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_claimed_once_and_only_if_it_is_ours() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("data");
        let claimed = claim(&folder).unwrap();
        assert!(matches!(claim(&folder), Err(StoreError::Locked)));
        drop(claimed);
        drop(claim(&folder).unwrap());
        fs::write(folder.join(MARKER), "keyfold store 99\n").unwrap();
        let told = claim(&folder).unwrap_err().to_string();
        assert!(told.contains("is of another format (keyfold store 99)"), "{told}");
        fs::write(place.path().join("letter.txt"), "").unwrap();
        let told = claim(place.path()).unwrap_err().to_string();
        assert!(told.contains("holds something else"), "{told}");
    }
}
