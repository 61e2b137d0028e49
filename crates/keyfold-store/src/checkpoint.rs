//! The checkpoint: a file that names the files that a data folder must hold.
//!
//! A folder that lost its manifest looks like a new one, and a log that lost its newest segments
//! looks like a shorter log. The checkpoint distinguishes them. It is written after the files that
//! it names are on the device, and before files that it no longer names are removed. So each of its
//! numbers is a lower bound, and an older copy of it requires more old files and fewer new ones.
//!
//! ```text
//! keyfold checkpoint 1
//! segments 12 15      every segment of the log from the first to the second exists
//! allocated 65536     the file of the second has at least this many bytes
//! manifest 37         the manifest in use has this number or a greater one
//! 0f3c...             XXH3 of the lines before, 16 hexadecimal digits
//! ```
//!
//! It is replaced as a whole.

use crate::error::{StoreError, named};
use crate::fsync::replace_file;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// The file's name in the data folder.
pub(crate) const CHECKPOINT: &str = "checkpoint";
const TITLE: &str = "keyfold checkpoint 1";

/// The contents of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Checkpoint {
    /// The first segment of the log whose changes are in no table file.
    pub(crate) oldest_segment: u64,
    /// The newest segment of the log.
    pub(crate) newest_segment: u64,
    /// Bytes of the newest segment's file.
    pub(crate) allocated_bytes: u64,
    /// The number of the manifest.
    pub(crate) manifest: u64,
}

impl Checkpoint {
    fn text(&self) -> String {
        let lines = format!(
            "{TITLE}\nsegments {} {}\nallocated {}\nmanifest {}\n",
            self.oldest_segment, self.newest_segment, self.allocated_bytes, self.manifest
        );
        let checksum = xxh3_64(lines.as_bytes());
        format!("{lines}{checksum:016x}\n")
    }

    fn parse(text: &str) -> Option<Checkpoint> {
        let mut lines = text.lines();
        let mut numbers = |name: &str| -> Option<Vec<u64>> {
            let rest = lines.next()?.strip_prefix(name)?;
            rest.split_ascii_whitespace()
                .map(|number| number.parse().ok())
                .collect()
        };
        numbers(TITLE)?;
        let (segments, allocated) = (numbers("segments ")?, numbers("allocated ")?);
        let checkpoint = Checkpoint {
            oldest_segment: *segments.first()?,
            newest_segment: *segments.get(1)?,
            allocated_bytes: *allocated.first()?,
            manifest: *numbers("manifest ")?.first()?,
        };
        // The text is made of the numbers alone, so the checksum is compared with it.
        (checkpoint.text() == text).then_some(checkpoint)
    }

    /// Reads the checkpoint of a folder.
    ///
    /// # Errors
    /// `Corrupt` when it is missing or not what was written; `Io` when it cannot be read.
    pub(crate) fn read(folder: &Path) -> Result<Checkpoint, StoreError> {
        let path = folder.join(CHECKPOINT);
        match fs::read_to_string(&path) {
            Ok(text) => Checkpoint::parse(&text)
                .ok_or_else(|| StoreError::file(&path, "is not what was written")),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(StoreError::file(&path, "is missing"))
            }
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                Err(StoreError::file(&path, "is not what was written"))
            }
            Err(error) => Err(named(&path, error).into()),
        }
    }
}

/// The checkpoint of an open folder.
#[derive(Debug)]
pub(crate) struct Checkpoints {
    folder: PathBuf,
    /// What the device has. Locked while it is written.
    written: Mutex<Checkpoint>,
    /// What the device is to have.
    noted: Mutex<Checkpoint>,
}

impl Checkpoints {
    pub(crate) fn new(folder: &Path, current: Checkpoint) -> Checkpoints {
        Checkpoints {
            folder: folder.to_owned(),
            written: Mutex::new(current),
            noted: Mutex::new(current),
        }
    }

    /// Changes what the next [`Checkpoints::update`] writes. Nobody waits for the device here.
    pub(crate) fn note(&self, change: impl FnOnce(&mut Checkpoint)) {
        change(&mut lock(&self.noted));
    }

    /// Changes the checkpoint, and returns when it is on the device, with all that was noted before.
    ///
    /// # Errors
    /// `Io` when it cannot be written. Then the old or the new one is on the device; both are true.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Checkpoint)) -> Result<(), StoreError> {
        let mut written = lock(&self.written);
        let mut noted = lock(&self.noted);
        change(&mut noted);
        let changed = *noted;
        drop(noted);
        if changed == *written {
            return Ok(());
        }
        let path = self.folder.join(CHECKPOINT);
        let temporary = self.folder.join("checkpoint.new");
        replace_file(&path, &temporary, changed.text().as_bytes())?;
        *written = changed;
        Ok(())
    }
}

fn lock(checkpoint: &Mutex<Checkpoint>) -> MutexGuard<'_, Checkpoint> {
    checkpoint.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Checkpoint = Checkpoint {
        oldest_segment: 12,
        newest_segment: 15,
        allocated_bytes: 65_536,
        manifest: 37,
    };

    #[test]
    fn a_checkpoint_is_read_as_written_and_any_change_of_it_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CHECKPOINT);
        let error = Checkpoint::read(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("checkpoint") && error.contains("is missing"),
            "{error}"
        );
        Checkpoints::new(folder.path(), Checkpoint::default())
            .update(|new| *new = SOME)
            .unwrap();
        assert_eq!(Checkpoint::read(folder.path()).unwrap(), SOME);
        let written = fs::read(&path).unwrap();
        for at in 0..written.len() {
            for corrupt in [
                written[..at].to_vec(),
                [&written[..at], &[written[at] ^ 1], &written[at + 1..]].concat(),
            ] {
                fs::write(&path, &corrupt).unwrap();
                let error = Checkpoint::read(folder.path()).unwrap_err().to_string();
                assert!(error.contains("is not what was written"), "{at}: {error}");
            }
        }
    }
}
