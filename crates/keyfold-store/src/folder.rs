//! The data folder: who has it open, and whether it is one.

use crate::checkpoint::CHECKPOINT;
use crate::error::{At, StoreError};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

const MARKER: &str = "keyfold";
/// The markers; the number is that of the format of everything in the folder. All have the same
/// length, so that one is written over another in place.
const WHOLE: &str = "keyfold store 4";
/// A store that is being made: nothing in it was ever acknowledged.
const MAKING: &str = "keyfold store 4, being made";
/// A copy that is being made, or was cut short.
const COPYING: &str = "keyfold copy 4, not whole";
const MARKER_BYTES: usize = 32;

/// The contents of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Nothing, or a store whose making was cut short.
    Nothing,
    Store,
    /// A copy that was cut short.
    Copy,
}

/// A folder that no other process can open until this is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    marker: File,
    /// Whether the folder holds a store already.
    pub(crate) is_store: bool,
}

impl Claim {
    /// The folder holds a store from now on. Everything else of it is on the device already.
    pub(crate) fn complete(&self) -> Result<(), StoreError> {
        mark(&self.marker, WHOLE)
    }
}

/// Writes what the folder is, over what it was: one sector, so that one or the other is there after
/// a crash.
fn mark(mut file: &File, what: &str) -> Result<(), StoreError> {
    file.rewind()?;
    file.write_all(format!("{what:<width$}\n", width = MARKER_BYTES - 1).as_bytes())?;
    Ok(file.sync_all()?)
}

/// Claims a folder, which is made if it is absent or empty.
///
/// # Errors
/// `Locked` when another process has it open; `Foreign` when it is something else's or of another
/// format; `Corrupt` when it has lost its marker; `Io` when it cannot be used.
pub(crate) fn claim(folder: &Path) -> Result<Claim, StoreError> {
    let (marker, found) = lock(folder)?;
    match found {
        Found::Store => {}
        Found::Nothing => {
            remove_copied(folder)?;
            mark(&marker, MAKING)?;
            crate::log::sync_folder(folder)?;
        }
        Found::Copy => return Err(cut_short(folder)),
    }
    Ok(Claim {
        marker,
        is_store: found == Found::Store,
    })
}

/// Claims a folder whose store is only looked at. Nothing in it is made or changed.
///
/// # Errors
/// Like [`claim`]; `Foreign` when there is no store.
pub(crate) fn claim_for_examination(folder: &Path) -> Result<Claim, StoreError> {
    let path = folder.join(MARKER);
    if !path.exists() {
        return Err(if has_parts(folder) {
            StoreError::file(&path, "is missing")
        } else {
            StoreError::Foreign(format!(
                "the folder {} holds no data of Keyfold",
                folder.display()
            ))
        });
    }
    match lock(folder)? {
        (marker, Found::Store) => Ok(Claim {
            marker,
            is_store: true,
        }),
        (_, Found::Copy) => Err(cut_short(folder)),
        (_, Found::Nothing) => Err(StoreError::Foreign(format!(
            "the folder {} holds no data yet",
            folder.display()
        ))),
    }
}

fn cut_short(folder: &Path) -> StoreError {
    let what = "holds a copy that was cut short: copy into it again, or remove it";
    StoreError::Foreign(format!("the folder {} {what}", folder.display()))
}

/// Claims a folder for a copy: one that is absent, empty, or holds a copy that was cut short, which
/// is removed.
///
/// # Errors
/// Like [`claim`]; `Foreign` when the folder is in use, holds something, or cannot be made.
pub(crate) fn claim_for_copy(folder: &Path) -> Result<Claim, StoreError> {
    let was_taken = folder.exists() && !is_empty(folder)?;
    let not_empty = || StoreError::Foreign(format!("{} is not empty", folder.display()));
    if was_taken && !folder.join(MARKER).exists() {
        return Err(not_empty());
    }
    let (marker, found) = lock(folder).map_err(|error| match error {
        StoreError::Locked => StoreError::Foreign(format!(
            "{} is in use, perhaps by another copy",
            folder.display()
        )),
        StoreError::Io(error) if !folder.is_dir() => StoreError::Foreign(format!(
            "the folder {} cannot be made: {error}",
            folder.display()
        )),
        error => error,
    })?;
    if was_taken && found != Found::Copy {
        return Err(not_empty());
    }
    remove_copied(folder)?;
    if found != Found::Copy {
        mark(&marker, COPYING)?;
    }
    crate::log::sync_folder(folder)?;
    Ok(Claim {
        marker,
        is_store: false,
    })
}

/// Refuses to copy a folder into itself, or into a folder inside it.
///
/// # Errors
/// `Foreign` when `to` is `from` or lies in it, whatever links lead there.
pub(crate) fn refuse_inside(from: &Path, to: &Path) -> Result<(), StoreError> {
    let Ok(from) = fs::canonicalize(from) else {
        return Ok(());
    };
    let to = std::path::absolute(to)?;
    // A folder that does not exist yet lies where its nearest ancestor does.
    let lies_at = to
        .ancestors()
        .find_map(|ancestor| fs::canonicalize(ancestor).ok());
    match lies_at {
        Some(place) if place.starts_with(&from) => Err(StoreError::Foreign(format!(
            "{} is the data folder itself or lies in it; a copy needs a folder elsewhere",
            to.display()
        ))),
        _ => Ok(()),
    }
}

fn is_empty(folder: &Path) -> Result<bool, StoreError> {
    Ok(fs::read_dir(folder).at(folder)?.next().is_none())
}

/// Removes what a copy has put into a folder, but for the marker.
pub(crate) fn remove_copied(folder: &Path) -> Result<(), StoreError> {
    for part in ["log", "tables"].map(|part| folder.join(part)) {
        if part.exists() {
            fs::remove_dir_all(&part).at(&part)?;
        }
    }
    let checkpoint = folder.join(CHECKPOINT);
    if checkpoint.exists() {
        fs::remove_file(&checkpoint).at(&checkpoint)?;
    }
    Ok(())
}

/// Makes a folder, and those it is in, that only the process's own user can look into.
fn make_private(folder: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(folder).at(folder)?)
}

/// The folders in a data folder that hold what clients wrote: nobody else looks into them, whoever
/// made the data folder, and whatever the storage engine allows with its files.
pub(crate) fn keep_private(folder: &Path, is_store: bool) -> Result<(), StoreError> {
    for part in ["log", "tables"].map(|part| folder.join(part)) {
        if !is_store {
            make_private(&part)?;
        }
        tighten(&part);
    }
    Ok(())
}

/// Takes from others what an older version gave them. A folder of somebody else stays as it is.
#[cfg(unix)]
fn tighten(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(about) = fs::metadata(folder) else {
        return;
    };
    if about.permissions().mode() & 0o077 != 0 {
        drop(fs::set_permissions(
            folder,
            fs::Permissions::from_mode(0o700),
        ));
    }
}

#[cfg(not(unix))]
fn tighten(_folder: &Path) {}

/// Locks a folder, which is made if it is absent; returns the marker and what the folder holds.
fn lock(folder: &Path) -> Result<(File, Found), StoreError> {
    if !folder.exists() {
        make_private(folder)?;
        folder
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
            .map_or(Ok(()), crate::log::sync_folder)?;
    }
    let path = folder.join(MARKER);
    if !path.exists() && !is_empty(folder)? {
        return Err(match has_parts(folder) {
            true => StoreError::file(&path, "is missing"),
            false => foreign(folder, "holds something else"),
        });
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).at(&path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    // Through the handle that holds the lock: others may not read where locks are mandatory.
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).at(&path)?;
    let text = String::from_utf8_lossy(&bytes);
    let found = match text.trim_end() {
        WHOLE => Found::Store,
        MAKING => Found::Nothing,
        // Of whatever format: it is removed.
        text if text.starts_with("keyfold copy ") => Found::Copy,
        // There was no room for the first marker, or the machine ended: part of it is there, or its
        // length only.
        text if text.bytes().all(|byte| byte == 0)
            || MAKING.starts_with(text)
            || COPYING.starts_with(text) =>
        {
            if has_parts(folder) {
                return Err(StoreError::file(&path, "is not what was written"));
            }
            Found::Nothing
        }
        other => return Err(foreign(folder, &format!("is of another format ({other})"))),
    };
    Ok((file, found))
}

/// Whether a folder holds more of a store than its marker.
fn has_parts(folder: &Path) -> bool {
    ["log", "tables", CHECKPOINT]
        .iter()
        .any(|part| folder.join(part).exists())
}

fn foreign(folder: &Path, what: &str) -> StoreError {
    StoreError::Foreign(format!(
        "the folder {} {what}; give Keyfold one of its own",
        folder.display()
    ))
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
        let told = claim_for_copy(&folder).unwrap_err().to_string();
        assert!(told.contains("in use, perhaps by another copy"), "{told}");
        drop(copying);
        let told = claim(&folder).unwrap_err().to_string();
        assert!(told.contains("cut short"), "{told}");
        let copying = claim_for_copy(&folder).unwrap();
        assert!(!folder.join("log").exists(), "made anew");
        drop(copying);
        let copying = claim_for_copy(&folder).unwrap();
        copying.complete().unwrap();
        drop(copying);
        assert!(claim(&folder).unwrap().is_store);
        assert!(
            claim_for_copy(&folder)
                .unwrap_err()
                .to_string()
                .contains("not empty")
        );
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
        for cut_short in [&[0; MARKER_BYTES][..], b"", b"keyfold"] {
            fs::write(folder.join(MARKER), cut_short).unwrap();
            let claimed = claim(&folder).unwrap();
            assert!(!claimed.is_store, "nothing was in it yet");
            claimed.complete().unwrap();
            drop(claimed);
            assert!(claim(&folder).unwrap().is_store);
            // With more of a store in the folder it is no new one.
            fs::create_dir(folder.join("tables")).unwrap();
            fs::write(folder.join(MARKER), cut_short).unwrap();
            let told = claim(&folder).unwrap_err().to_string();
            assert!(told.contains("keyfold is not what was written"), "{told}");
            fs::remove_file(folder.join(MARKER)).unwrap();
            let told = claim(&folder).unwrap_err().to_string();
            assert!(told.contains("keyfold is missing"), "{told}");
            fs::remove_dir(folder.join("tables")).unwrap();
        }
        fs::write(folder.join(MARKER), "keyfold store 99\n").unwrap();
        let told = claim(&folder).unwrap_err().to_string();
        assert!(
            told.contains("is of another format (keyfold store 99)"),
            "{told}"
        );
        fs::write(place.path().join("letter.txt"), "").unwrap();
        let told = claim(place.path()).unwrap_err().to_string();
        assert!(told.contains("holds something else"), "{told}");
    }
}
