//! The log's files: a trait, so that tests can stop, tear and fail them, and its implementation on a
//! real file system.

use crate::error::At;
use crate::fsync::sync_folder;
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The first allocation of a segment's file, in bytes. Later ones double the file.
const ALLOCATION_BYTES_MIN: u64 = 64 * 1024;
/// The largest allocation, in bytes.
const ALLOCATION_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Bytes of zeros that are written at a time, those of a page: what is written together the kernel keeps together
/// (Linux on ext4 since 6.16), and a sync after a small append would write all of it.
const ZEROS_BYTES: usize = 4096;
/// Retired files kept for reuse.
const SPARES: usize = 4;
/// The file of [`LogFiles::keep_watermark`].
const WATERMARK: &str = "acknowledged";

/// The folder of a log's segments.
pub trait LogFiles: Debug + Send + Sync {
    /// The ids of all segments, in any order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    fn segments(&self) -> io::Result<Vec<u64>>;

    /// The content of a segment's file, which may be longer than what was written to it.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn read(&self, id: u64) -> io::Result<Vec<u8>>;

    /// Writes the bytes that were read at an offset of a segment's file again, and returns when the
    /// whole file survives a crash of the machine.
    ///
    /// # Errors
    /// When the file cannot be written.
    fn rewrite(&self, id: u64, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes a segment, whose file exists after a crash, too. The file may hold anything behind
    /// what is written.
    ///
    /// # Errors
    /// When the file cannot be made.
    fn create(&self, id: u64) -> io::Result<Box<dyn LogFile>>;

    /// Removes a segment that could not be begun. Its file does not exist after a crash and is not
    /// reused.
    ///
    /// # Errors
    /// When the file cannot be removed: it may exist after a crash.
    fn discard(&self, id: u64) -> io::Result<()>;

    /// Removes a segment that is not needed any more. After a crash it may exist again.
    ///
    /// # Errors
    /// When the file cannot be removed.
    fn retire(&self, id: u64) -> io::Result<()>;

    /// Replaces the watermark: a few bytes outside the segments that say how much of the newest one
    /// was acknowledged. With `sync`, returns when they survive a crash of the machine. Errors are
    /// ignored: an older watermark is true, too.
    fn keep_watermark(&self, _watermark: &[u8], _sync: bool) {}

    /// The watermark kept last, or an older one.
    fn watermark(&self) -> Option<Vec<u8>> {
        None
    }
}

/// A segment open for writing.
pub trait LogFile: Send {
    /// Writes at the end.
    ///
    /// # Errors
    /// When the file cannot be written. Part of the bytes may be written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Returns when everything appended survives a crash of the machine.
    ///
    /// # Errors
    /// When the device fails. Whether the bytes survive is not known.
    fn sync(&mut self) -> io::Result<()>;

    /// The length in bytes of the segment's file on the device; 0 where it is not known.
    fn allocated(&self) -> u64 {
        0
    }
}

/// Segments as files of a folder. Retired files are renamed and reused: their blocks are allocated
/// already, so a sync need not write the file system's journal too.
#[derive(Debug)]
pub(crate) struct LogFolder {
    folder: PathBuf,
    spares: Mutex<Vec<PathBuf>>,
    /// The file of [`LogFiles::keep_watermark`]; none where it could not be opened.
    watermark: Option<Mutex<File>>,
}

impl LogFolder {
    /// Opens a folder, which is made if it is absent.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub(crate) fn open(folder: &Path) -> io::Result<LogFolder> {
        fs::create_dir_all(folder).at(folder)?;
        let mut spares = Vec::new();
        for entry in fs::read_dir(folder).at(folder)? {
            let path = entry?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "spare")
            {
                spares.push(path);
            }
        }
        let watermark = open_private()
            .read(true)
            .open(folder.join(WATERMARK))
            .ok()
            .map(Mutex::new);
        Ok(LogFolder {
            folder: folder.to_owned(),
            spares: Mutex::new(spares),
            watermark,
        })
    }

    fn path(&self, id: u64) -> PathBuf {
        self.folder.join(format!("{id:012}.log"))
    }

    fn spares(&self) -> std::sync::MutexGuard<'_, Vec<PathBuf>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Options that open a file for writing. A file that is absent is made, for the process's own user
/// only.
fn open_private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

impl LogFiles for LogFolder {
    fn segments(&self) -> io::Result<Vec<u64>> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.folder).at(&self.folder)? {
            let path = entry?.path();
            let is_segment = path.extension().is_some_and(|extension| extension == "log");
            let id: Option<u64> = path
                .file_stem()
                .and_then(|stem| stem.to_str())
                .and_then(|stem| stem.parse().ok());
            ids.extend(id.filter(|_| is_segment));
        }
        Ok(ids)
    }

    fn read(&self, id: u64) -> io::Result<Vec<u8>> {
        let path = self.path(id);
        fs::read(&path).at(&path)
    }

    fn rewrite(&self, id: u64, at: u64, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(id);
        let mut file = OpenOptions::new().write(true).open(&path).at(&path)?;
        file.seek(SeekFrom::Start(at)).at(&path)?;
        file.write_all(bytes).at(&path)?;
        file.sync_all().at(&path)
    }

    fn create(&self, id: u64) -> io::Result<Box<dyn LogFile>> {
        let path = self.path(id);
        let spare = self.spares().pop();
        if let Some(spare) = spare {
            // A missing spare file is no loss: a new file is made.
            ignore_missing(fs::rename(spare, &path)).at(&path)?;
        }
        let file = open_private().open(&path).at(&path)?;
        let allocated = file.metadata().at(&path)?.len();
        let mut segment = SegmentFile {
            path,
            file,
            written: 0,
            allocated,
        };
        segment.allocate(1).at(&segment.path)?;
        sync_folder(&self.folder).at(&self.folder)?;
        Ok(Box::new(segment))
    }

    fn keep_watermark(&self, watermark: &[u8], sync: bool) {
        let Some(file) = &self.watermark else { return };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // Best effort: see the trait.
        let written = file.rewind().and_then(|()| file.write_all(watermark));
        drop(written.and_then(|()| if sync { file.sync_data() } else { Ok(()) }));
    }

    fn watermark(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.join(WATERMARK)).ok()
    }

    fn discard(&self, id: u64) -> io::Result<()> {
        let path = self.path(id);
        ignore_missing(fs::remove_file(&path)).at(&path)?;
        sync_folder(&self.folder).at(&self.folder)
    }

    fn retire(&self, id: u64) -> io::Result<()> {
        let mut spares = self.spares();
        let path = self.path(id);
        // A missing segment has been retired.
        if spares.len() < SPARES {
            let spare = path.with_extension("spare");
            if ignore_missing(fs::rename(&path, &spare)).at(&path)? {
                spares.push(spare);
            }
        } else {
            ignore_missing(fs::remove_file(&path)).at(&path)?;
        }
        Ok(())
    }
}

/// Turns the error of a missing file into `false`: nothing was done.
fn ignore_missing(done: io::Result<()>) -> io::Result<bool> {
    match done {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The file of a segment.
struct SegmentFile {
    path: PathBuf,
    file: File,
    written: u64,
    /// The length of the file.
    allocated: u64,
}

impl SegmentFile {
    /// Writes zeros ahead until the file has this length, so that a sync after an append changes
    /// contents only.
    fn allocate(&mut self, needed: u64) -> io::Result<()> {
        if self.allocated >= needed {
            return Ok(());
        }
        let zeros = [0; ZEROS_BYTES];
        while self.allocated < needed {
            let more = self
                .allocated
                .clamp(ALLOCATION_BYTES_MIN, ALLOCATION_BYTES_MAX);
            self.file.seek(SeekFrom::Start(self.allocated))?;
            for _ in 0..more / ZEROS_BYTES as u64 {
                self.file.write_all(&zeros)?;
            }
            self.allocated += more;
        }
        self.file.sync_all()?;
        self.file.seek(SeekFrom::Start(self.written)).map(drop)
    }
}

impl LogFile for SegmentFile {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.allocate(self.written + bytes.len() as u64)
            .at(&self.path)?;
        self.file.write_all(bytes).at(&self.path)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data().at(&self.path)
    }

    fn allocated(&self) -> u64 {
        self.allocated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments and spare files.
    fn names_in(folder: &Path) -> Vec<PathBuf> {
        let names = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        names.filter(|name| !name.ends_with(WATERMARK)).collect()
    }

    #[test]
    fn a_retired_file_is_reused_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFolder::open(folder.path()).unwrap();
        let mut first = files.create(7).unwrap();
        first.append(b"before").unwrap();
        first.append(&vec![1; 300_000]).unwrap();
        first.sync().unwrap();
        assert_eq!(files.segments().unwrap(), vec![7]);
        files.retire(7).unwrap();
        assert_eq!(files.segments().unwrap(), Vec::<u64>::new());
        // After another opening of the folder, too.
        let files = LogFolder::open(folder.path()).unwrap();
        files.create(8).unwrap().append(b"behind").unwrap();
        let bytes = files.read(8).unwrap();
        assert!(
            bytes.starts_with(b"behind\x01") && bytes.len() > 300_000,
            "{}",
            bytes.len()
        );
        assert_eq!(names_in(folder.path()).len(), 1);
    }

    /// A file may be missing because it was taken away, or because an earlier attempt removed it.
    #[test]
    fn a_missing_file_counts_as_retired_and_a_missing_spare_is_not_needed() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFolder::open(folder.path()).unwrap();
        // With fewer spare files than are kept, and with all of them.
        for spares in [0, SPARES as u64] {
            drop(files.create(9).unwrap());
            fs::remove_file(files.path(9)).unwrap();
            (1..=spares).for_each(|id| drop(files.create(id).unwrap()));
            (1..=spares).for_each(|id| files.retire(id).unwrap());
            files.retire(9).unwrap();
            files.retire(9).unwrap();
        }
        names_in(folder.path())
            .iter()
            .for_each(|spare| fs::remove_file(spare).unwrap());
        files.create(10).unwrap().append(b"new").unwrap();
        assert!(files.read(10).unwrap().starts_with(b"new\0"));
        assert_eq!(names_in(folder.path()).len(), 1);
    }

    /// Bytes that this thread has made the file system write.
    #[cfg(target_os = "linux")]
    fn written_bytes() -> u64 {
        let counts = fs::read_to_string("/proc/thread-self/io").unwrap();
        let count = counts
            .lines()
            .find_map(|line| line.strip_prefix("write_bytes: "));
        count.unwrap().parse().unwrap()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_sync_writes_little_more_than_what_was_appended() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFolder::open(folder.path()).unwrap();
        let mut segment = files.create(1).unwrap();
        // Allocates some hundred kilobytes ahead.
        segment.append(&vec![1; 300_000]).unwrap();
        segment.sync().unwrap();
        let before = written_bytes();
        for _ in 0..100 {
            segment.append(&[2; 400]).unwrap();
            segment.sync().unwrap();
        }
        let pages = (written_bytes() - before) / 4096;
        assert!(pages <= 300, "{pages} pages for a hundred appends");
    }

    #[test]
    fn only_a_few_retired_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFolder::open(folder.path()).unwrap();
        (1..9).for_each(|id| drop(files.create(id).unwrap()));
        (1..9).for_each(|id| files.retire(id).unwrap());
        assert_eq!(names_in(folder.path()).len(), SPARES);
    }
}
