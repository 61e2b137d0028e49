//! The free space of the device under the table files.

use std::path::Path;

/// Bytes left free for concurrent writers.
const RESERVE_BYTES: u64 = 64 * 1024 * 1024;

/// Whether so many bytes can be written and the reserve stays free. True where the system does not
/// report its free space.
pub(super) fn is_enough(folder: &Path, bytes: u64) -> bool {
    available_bytes(folder).is_none_or(|free| free.saturating_sub(RESERVE_BYTES) >= bytes)
}

/// Whether so many bytes can be written. True where the system does not report its free space.
pub(super) fn has(folder: &Path, bytes: u64) -> bool {
    available_bytes(folder).is_none_or(|free| free >= bytes)
}

/// Bytes that this process can still write on a folder's device.
#[cfg(unix)]
fn available_bytes(folder: &Path) -> Option<u64> {
    let device = rustix::fs::statvfs(folder).ok()?;
    Some(device.f_bavail.saturating_mul(device.f_frsize))
}

#[cfg(not(unix))]
fn available_bytes(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn the_free_space_of_a_folder_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let free = available_bytes(folder.path()).unwrap();
        assert!(is_enough(folder.path(), 0));
        assert!(!is_enough(folder.path(), free.saturating_mul(2)));
        assert_eq!(available_bytes(&folder.path().join("absent")), None);
    }
}
