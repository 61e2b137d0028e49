//! Temporary folders in memory, for tests that play what a device does.
//!
//! A store waits for its device at each sync, some milliseconds. A test that plays hundreds of crashes
//! in its process learns nothing from the real device, and spends nearly all of its time there.

use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The folder of Linux whose files are in memory.
const IN_MEMORY: &str = "/dev/shm";
/// The free bytes that it must have: a container's has few.
const ROOM: u64 = 1024 * 1024 * 1024;

/// A temporary folder, in memory where the machine has room for files there. Its path leads through no
/// link.
///
/// # Errors
/// When no folder can be made.
pub fn in_memory() -> io::Result<TempDir> {
    with_room(Path::new(IN_MEMORY))
        .and_then(|folder| tempfile::tempdir_in(folder).ok())
        .map_or_else(tempfile::tempdir, Ok)
}

/// The folder without links, if its file system has room.
fn with_room(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    (free(&folder)? >= ROOM).then_some(folder)
}

/// The free bytes of the file system of a folder.
#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn free(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_and_has_no_links() {
        let made = in_memory().expect("a folder");
        assert_eq!(
            made.path().canonicalize().ok().as_deref(),
            Some(made.path())
        );
    }

    #[test]
    fn a_file_system_without_room_is_not_used() {
        // The first holds no bytes.
        assert_eq!(with_room(Path::new("/proc")), None);
        assert_eq!(with_room(Path::new("/no such folder")), None);
    }
}
