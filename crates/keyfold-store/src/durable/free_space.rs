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

/// How much can be written in a folder, or where it is to be made, for a sentence; `None` where the system does
/// not report its free space.
pub(super) fn said(folder: &Path) -> Option<String> {
    let absolute = std::path::absolute(folder).ok()?;
    let tenths = absolute.ancestors().find_map(available_bytes)? / 100_000;
    Some(format!(
        "{}.{} MB of the disk are free",
        tenths / 10,
        tenths % 10
    ))
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
        let absent = folder.path().join("absent");
        assert_eq!(available_bytes(&absent), None);
        let said = said(&absent).unwrap();
        assert!(said.ends_with(" MB of the disk are free"), "{said}");
    }
}
