//! What a run needs of its surroundings, and takes nowhere else: the time that passes, chance, the password of
//! a database, and a lock that ends with the process.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Waits.
pub(crate) fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// The present moment, of a clock that nobody sets.
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The milliseconds since 1970.
pub(crate) fn epoch_ms() -> i64 {
    keyfold_client::origin().now_epoch_ms
}

/// The seconds since 1970.
pub(crate) fn epoch_seconds() -> i64 {
    epoch_ms().div_euclid(1_000)
}

/// The time from one moment to another; none if that one was earlier.
pub(crate) fn since(from_ms: i64, to_ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(to_ms.saturating_sub(from_ms)).unwrap_or(0))
}

/// Random bits.
pub(crate) fn random() -> u64 {
    fastrand::u64(..)
}

/// A name that nothing else has.
pub(crate) fn name() -> String {
    format!("{:032x}", fastrand::u128(..))
}

/// A number by which a server takes this process for a replica, and that no other one is likely to have.
pub(crate) fn server_number() -> u32 {
    fastrand::u32(1 << 30..)
}

/// The password of a database that a variable of the process's surroundings holds.
pub(crate) fn password(variable: &str) -> Option<String> {
    std::env::var(variable).ok()
}

/// What the system knows a file by, whatever its name; `None` where it does not say it.
#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// What the system knows a file by, whatever its name; `None` where it does not say it.
#[cfg(not(unix))]
pub(crate) fn identity(_path: &Path) -> Option<(u64, u64)> {
    None
}

/// A moment of a clock that nobody sets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment(Instant);

impl Moment {
    /// The present one.
    pub(crate) fn now() -> Moment {
        Moment(Instant::now())
    }

    /// The time since then.
    pub(crate) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// A lock on a file, which the system takes back when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A process that is being started has the file open, too: closing it does not end the lock at once.
        drop(self.file.unlock());
    }
}

impl Lock {
    /// Locks a file, which is made if need be; `None` if another process has it.
    ///
    /// # Errors
    /// When the file cannot be made or locked.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Lock>> {
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Lock { file })),
            Err(std::fs::TryLockError::WouldBlock) => Ok(None),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        }
    }

    /// Removes the file; whoever has it open still has its lock.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub(crate) fn remove(path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::Lock;

    #[test]
    fn who_has_inherited_the_file_does_not_hold_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lock");
        let lock = Lock::take(&path).unwrap().unwrap();
        let _inherited = lock.file.try_clone().unwrap();
        assert!(Lock::take(&path).unwrap().is_none());
        drop(lock);
        assert!(Lock::take(&path).unwrap().is_some());
    }
}
