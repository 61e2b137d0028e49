//! The free space of the device under the table files.

use std::path::Path;

/// Bytes left free for concurrent writers.
const RESERVE_BYTES: u64 = 64 * 1024 * 1024;

/// Whether so many bytes can be written beside those who write meanwhile. Where the system does not
/// tell, it is taken as given.
pub(super) fn has_room_for(folder: &Path, bytes: u64) -> bool {
    left(folder).is_none_or(|left| left.saturating_sub(RESERVE_BYTES) >= bytes)
}

/// Bytes that are left for this process.
#[cfg(unix)]
fn left(folder: &Path) -> Option<u64> {
    let told = rustix::fs::statvfs(folder).ok()?;
    Some(told.f_bavail.saturating_mul(told.f_frsize))
}

#[cfg(not(unix))]
fn left(_folder: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_device_tells_what_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let before = left(folder.path()).unwrap();
        assert!(
            has_room_for(folder.path(), 0)
                && !has_room_for(folder.path(), before.saturating_mul(2))
        );
        assert_eq!(left(&folder.path().join("absent")), None);
    }
}
