//! The data folder: its lock, and the marker that says what it holds.

use crate::checkpoint::CHECKPOINT;
use crate::error::{At, StoreError};
use crate::fsync::sync_folder;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The file that holds the marker and the lock.
const MARKER: &str = "keyfold";
/// The marker of a store; the number is the version of the format of the whole folder.
const STORE: &str = "keyfold store 4";
/// The marker of a store that is being made: nothing in it was ever acknowledged.
const NEW_STORE: &str = "keyfold store 4, being made";
/// The marker of a copy that is being made, or was interrupted.
const COPY: &str = "keyfold copy 4, not whole";
/// Markers are padded to one length, so that one is written over another in place.
const MARKER_BYTES: usize = 32;

/// The contents of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    /// Nothing, or a new store whose making was interrupted.
    Nothing,
    Store,
    /// A copy that was interrupted.
    Copy,
}

/// The locked file of the marker, with its path.
#[derive(Debug)]
struct Marker(File, PathBuf);

impl Drop for Marker {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that this one is starting has it open, too, until its
        // own program begins, and the lock would last as long.
        drop(self.0.unlock());
    }
}

/// A folder that no other process can open until this is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    marker: Marker,
    /// Whether the folder holds a store already.
    pub(crate) is_store: bool,
}

impl Claim {
    /// Marks the folder as a store. Its other files are on the device already.
    pub(crate) fn complete(&self) -> Result<(), StoreError> {
        write_marker(&self.marker, STORE)
    }
}

/// Writes a marker over the old one. Both fit in one sector, so one of them is there after a crash.
fn write_marker(Marker(file, path): &Marker, marker: &str) -> Result<(), StoreError> {
    let mut file = file;
    let written = file
        .rewind()
        .and_then(|()| file.write_all(padded(marker).as_bytes()))
        .and_then(|()| file.sync_all());
    Ok(written.at(path)?)
}

/// The content of the file with this marker.
fn padded(marker: &str) -> String {
    format!("{marker:<width$}\n", width = MARKER_BYTES - 1)
}

/// Whether these bytes are a marker that the store's was begun to be written over.
fn is_half_completed(bytes: &[u8], old: &str) -> bool {
    let (old, new) = (padded(old), padded(STORE));
    (0..MARKER_BYTES).any(|cut| {
        let (begun, rest) = (new.as_bytes().get(..cut), old.as_bytes().get(cut..));
        begun
            .zip(rest)
            .is_some_and(|(begun, rest)| bytes == [begun, rest].concat())
    })
}

/// Claims the folder of a store. A folder that is absent is made.
///
/// # Errors
/// `Locked` when another process has it open; `Foreign` when it holds something else; `OtherFormat`;
/// `Corrupt` when its marker is missing; `Io` when it cannot be used.
pub(crate) fn claim(folder: &Path) -> Result<Claim, StoreError> {
    let (marker, found) = lock(folder)?;
    match found {
        // The process that completed it may have ended before the marker was synced.
        Found::Store => write_marker(&marker, STORE)?,
        Found::Nothing => {
            remove_copied(folder)?;
            write_marker(&marker, NEW_STORE)?;
            sync_new(folder)?;
        }
        Found::Copy => return Err(interrupted_copy(folder)),
    }
    Ok(Claim {
        marker,
        is_store: found == Found::Store,
    })
}

/// Claims the folder of a store for examination. Nothing in it is made or changed.
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
        (_, Found::Copy) => Err(interrupted_copy(folder)),
        (_, Found::Nothing) => Err(StoreError::Foreign(format!(
            "the folder {} holds no data yet",
            folder.display()
        ))),
    }
}

fn interrupted_copy(folder: &Path) -> StoreError {
    let what = "holds a copy that was cut short: copy into it again, or remove it";
    StoreError::Foreign(format!("the folder {} {what}", folder.display()))
}

/// Claims a folder for a copy: one that is absent, empty, or holds an interrupted copy, which is
/// removed.
///
/// # Errors
/// Like [`claim`]; `Foreign` when the folder is in use, holds something, or cannot be made.
pub(crate) fn claim_for_copy(folder: &Path) -> Result<Claim, StoreError> {
    let was_taken = folder.exists() && !is_empty(folder)?;
    let not_empty = || StoreError::Foreign(format!("{} is not empty", folder.display()));
    if was_taken && !folder.join(MARKER).exists() {
        return Err(not_empty());
    }
    let (marker, found) = lock(folder).map_err(|error| unusable_for_copy(folder, error))?;
    if was_taken && found != Found::Copy {
        return Err(not_empty());
    }
    remove_copied(folder)?;
    if found != Found::Copy {
        write_marker(&marker, COPY)?;
    }
    sync_new(folder)?;
    Ok(Claim {
        marker,
        is_store: false,
    })
}

/// The error of [`lock`], in the words of a copy.
fn unusable_for_copy(folder: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Locked => StoreError::Foreign(format!(
            "{} is in use, perhaps by another copy",
            folder.display()
        )),
        // The place is taken, by whatever.
        StoreError::OtherFormat(text) => StoreError::Foreign(text),
        StoreError::Io(error) if !folder.is_dir() => StoreError::Foreign(format!(
            "the folder {} cannot be made: {error}",
            folder.display()
        )),
        StoreError::Io(_)
        | StoreError::Corrupt(_)
        | StoreError::Foreign(_)
        | StoreError::Poisoned(_)
        | StoreError::Full(_)
        | StoreError::Closed => error,
    }
}

/// Refuses to copy a folder into itself, or into a folder inside it.
///
/// # Errors
/// `Foreign` when `to` is `from` or lies in it, symbolic links followed.
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

/// Removes the files of a copy, except for the marker.
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

/// Makes a folder and its parents, for the process's own user only.
fn make_private(folder: &Path) -> Result<(), StoreError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    Ok(builder.create(folder).at(folder)?)
}

/// Syncs the names in a folder that is being made, its own name, and those of its parents: an earlier
/// process may have made them, and ended before it could sync that.
fn sync_new(folder: &Path) -> Result<(), StoreError> {
    sync_folder(folder).at(folder)?;
    for parent in folder.ancestors().skip(1) {
        let is_current = parent.as_os_str().is_empty();
        let parent = if is_current { Path::new(".") } else { parent };
        match sync_folder(parent) {
            Err(error) if holds_nothing_of_ours(error.kind()) => {}
            synced => synced.at(parent)?,
        }
    }
    Ok(())
}

/// Whether the error says that this user cannot have made anything in a folder: it is another
/// user's, or on a device that is only read and need not support syncs.
fn holds_nothing_of_ours(error: ErrorKind) -> bool {
    matches!(
        error,
        ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::InvalidInput
            | ErrorKind::Unsupported
    )
}

/// Restricts the folders that hold clients' data to the process's own user. The data folder and the
/// storage engine's files may have any mode.
pub(crate) fn keep_private(folder: &Path, is_store: bool) -> Result<(), StoreError> {
    for part in ["log", "tables"].map(|part| folder.join(part)) {
        if !is_store {
            make_private(&part)?;
        }
        remove_other_access(&part);
    }
    Ok(())
}

/// Removes the access of other users, which an older version granted. Best effort: the folder may
/// belong to another user.
#[cfg(unix)]
fn remove_other_access(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(metadata) = fs::metadata(folder) else {
        return;
    };
    if metadata.permissions().mode() & 0o077 != 0 {
        drop(fs::set_permissions(
            folder,
            fs::Permissions::from_mode(0o700),
        ));
    }
}

#[cfg(not(unix))]
fn remove_other_access(_folder: &Path) {}

/// Locks a folder; returns the file of the marker, and what the folder holds. A folder that is
/// absent is made.
fn lock(folder: &Path) -> Result<(Marker, Found), StoreError> {
    if !folder.exists() {
        make_private(folder)?;
    }
    let path = folder.join(MARKER);
    if !path.exists() && !is_empty(folder)? {
        return Err(if has_parts(folder) {
            StoreError::file(&path, "is missing")
        } else {
            StoreError::Foreign(advised(folder, "holds something else"))
        });
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path).at(&path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StoreError::Locked),
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    let mut marker = Marker(file, path.clone());
    // Through the handle that holds the lock: others may not read where locks are mandatory.
    let mut bytes = Vec::new();
    marker.0.read_to_end(&mut bytes).at(&path)?;
    let text = String::from_utf8_lossy(&bytes);
    let found = match text.trim_end() {
        STORE => Found::Store,
        NEW_STORE => Found::Nothing,
        // Nothing is acknowledged before the store's marker is whole.
        _ if is_half_completed(&bytes, NEW_STORE) => Found::Nothing,
        _ if is_half_completed(&bytes, COPY) => Found::Copy,
        // Of any format: it is removed.
        text if text.starts_with("keyfold copy ") => Found::Copy,
        // Writing the first marker was interrupted, or the device was full: part of it is there, or
        // zeros.
        text if text.bytes().all(|byte| byte == 0)
            || NEW_STORE.starts_with(text)
            || COPY.starts_with(text) =>
        {
            if has_parts(folder) {
                return Err(StoreError::file(&path, "is not what was written"));
            }
            Found::Nothing
        }
        other => {
            let what = format!("is of another format ({other})");
            return Err(StoreError::OtherFormat(advised(folder, &what)));
        }
    };
    Ok((marker, found))
}

/// Whether a folder holds files of a store besides the marker.
fn has_parts(folder: &Path) -> bool {
    ["log", "tables", CHECKPOINT]
        .iter()
        .any(|part| folder.join(part).exists())
}

/// The text of an error about a folder that Keyfold must not use.
fn advised(folder: &Path, what: &str) -> String {
    format!(
        "the folder {} {what}; give Keyfold one of its own",
        folder.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_a_store_when_it_is_complete() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("copy");
        let copying = claim_for_copy(&folder).unwrap();
        fs::create_dir(folder.join("log")).unwrap();
        let error = claim_for_copy(&folder).unwrap_err().to_string();
        assert!(error.contains("in use, perhaps by another copy"), "{error}");
        drop(copying);
        let error = claim(&folder).unwrap_err().to_string();
        assert!(error.contains("cut short"), "{error}");
        let copying = claim_for_copy(&folder).unwrap();
        assert!(!folder.join("log").exists(), "it is removed");
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

    /// The device was full, or the process ended, in the middle of completing the marker.
    #[test]
    fn a_store_or_copy_is_not_complete_when_half_of_its_marker_is_written() {
        for cut in 0..=MARKER_BYTES {
            let half = |old| [&padded(STORE)[..cut], &padded(old)[cut..]].concat();
            let is_whole = half(NEW_STORE) == padded(STORE);
            let place = tempfile::tempdir().unwrap();
            let folder = place.path().join("store");
            fs::create_dir_all(folder.join("log")).unwrap();
            fs::write(folder.join(MARKER), half(NEW_STORE)).unwrap();
            assert_eq!(claim(&folder).unwrap().is_store, is_whole, "{cut} bytes");
            assert_eq!(folder.join("log").exists(), is_whole, "{cut} bytes");
            let is_whole = half(COPY) == padded(STORE);
            let folder = place.path().join("copy");
            fs::create_dir_all(folder.join("log")).unwrap();
            fs::write(folder.join(MARKER), half(COPY)).unwrap();
            assert_eq!(claim(&folder).is_ok(), is_whole, "{cut} bytes");
            assert_eq!(claim_for_copy(&folder).is_err(), is_whole, "{cut} bytes");
        }
    }

    /// As a process that is being started, while another thread drops the store.
    #[test]
    fn who_has_inherited_the_file_does_not_hold_the_folder() {
        let place = tempfile::tempdir().unwrap();
        let claimed = claim(place.path()).unwrap();
        let _inherited = claimed.marker.0.try_clone().unwrap();
        assert!(matches!(claim(place.path()), Err(StoreError::Locked)));
        drop(claimed);
        drop(claim(place.path()).unwrap());
    }

    #[test]
    fn a_folder_is_claimed_once_and_only_if_it_is_ours() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("data");
        let claimed = claim(&folder).unwrap();
        assert!(matches!(claim(&folder), Err(StoreError::Locked)));
        drop(claimed);
        drop(claim(&folder).unwrap());
        for partial in [&[0; MARKER_BYTES][..], b"", b"keyfold"] {
            fs::write(folder.join(MARKER), partial).unwrap();
            let claimed = claim(&folder).unwrap();
            assert!(!claimed.is_store, "nothing was in it yet");
            claimed.complete().unwrap();
            drop(claimed);
            assert!(claim(&folder).unwrap().is_store);
            // With other files of a store in it, the folder is not new.
            fs::create_dir(folder.join("tables")).unwrap();
            fs::write(folder.join(MARKER), partial).unwrap();
            let error = claim(&folder).unwrap_err().to_string();
            assert!(error.contains("keyfold is not what was written"), "{error}");
            fs::remove_file(folder.join(MARKER)).unwrap();
            let error = claim(&folder).unwrap_err().to_string();
            assert!(error.contains("keyfold is missing"), "{error}");
            fs::remove_dir(folder.join("tables")).unwrap();
        }
        fs::write(folder.join(MARKER), "keyfold store 99\n").unwrap();
        let error = claim(&folder).unwrap_err().to_string();
        assert!(
            error.contains("is of another format (keyfold store 99)"),
            "{error}"
        );
        fs::write(place.path().join("letter.txt"), "").unwrap();
        let error = claim(place.path()).unwrap_err().to_string();
        assert!(error.contains("holds something else"), "{error}");
    }
}
