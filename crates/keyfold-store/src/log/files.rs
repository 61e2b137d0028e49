//! The log's files: a trait, so that tests can stop, tear and fail them, and its form on a real
//! file system.

use crate::error::{At, named};
use std::fmt::Debug;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Bytes allocated at first; doubled when they are full.
const ALLOCATED_AT_FIRST: u64 = 64 * 1024;
/// Largest allocation at a time, in bytes.
const ALLOCATED_AT_ONCE: u64 = 4 * 1024 * 1024;
/// Retired files kept for use again.
const SPARES: usize = 2;

/// The file of [`LogFiles::keep_note`].
const NOTE: &str = "acknowledged";

/// The folder of a log's segments.
pub trait LogFiles: Debug + Send + Sync {
    /// The ids of all segments, in any order.
    ///
    /// # Errors
    /// When the folder cannot be read.
    fn segments(&self) -> io::Result<Vec<u64>>;

    /// Everything in a segment's file, which may be longer than what was written to it.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn read(&self, id: u64) -> io::Result<Vec<u8>>;

    /// Writes again what was read from a place of a segment's file, and returns when everything in
    /// the file survives a crash of the machine.
    ///
    /// # Errors
    /// When the file cannot be written.
    fn rewrite(&self, id: u64, at: u64, bytes: &[u8]) -> io::Result<()>;

    /// A new segment, which is there after a crash too. Its file may hold anything behind what is
    /// written.
    ///
    /// # Errors
    /// When the file cannot be made.
    fn create(&self, id: u64) -> io::Result<Box<dyn LogFile>>;

    /// Removes a segment that could not be begun. It is not there after a crash, and nothing of its
    /// file is used again.
    ///
    /// # Errors
    /// When the file cannot be removed: it may be there after a crash.
    fn discard(&self, id: u64) -> io::Result<()>;

    /// Gives up a segment. After a crash it may be there again.
    ///
    /// # Errors
    /// When the file cannot be removed.
    fn retire(&self, id: u64) -> io::Result<()>;

    /// Keeps a few bytes about the newest segment outside of it, in place of those before; with
    /// `sync`, returns when they survive a crash of the machine. What cannot be kept is left: an
    /// older note holds as well.
    fn keep_note(&self, _note: &[u8], _sync: bool) {}

    /// The note kept last, or the one before.
    fn note(&self) -> Option<Vec<u8>> {
        None
    }
}

/// A segment that is written.
pub trait LogFile: Send {
    /// Writes behind what was written before.
    ///
    /// # Errors
    /// When the file cannot be written. Part of the bytes may be there.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Returns when everything appended survives a crash of the machine.
    ///
    /// # Errors
    /// When the device fails. Whether the bytes survive is not known.
    fn sync(&mut self) -> io::Result<()>;

    /// Bytes of the segment's file that are on the device, whatever they are; 0 where that is not
    /// known.
    fn allocated(&self) -> u64 {
        0
    }
}

/// Segments as files of a folder. Retired ones are renamed and used again: their blocks are on the
/// disk already, so a sync need not write the file system's journal too.
#[derive(Debug)]
pub struct LogFolder {
    folder: PathBuf,
    spares: Mutex<Vec<PathBuf>>,
    /// The file of [`LogFiles::keep_note`]; none where it could not be opened.
    note: Option<Mutex<File>>,
}

impl LogFolder {
    /// Opens a folder, which is made if it is absent.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn open(folder: &Path) -> io::Result<LogFolder> {
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
        let note = private()
            .read(true)
            .open(folder.join(NOTE))
            .ok()
            .map(Mutex::new);
        Ok(LogFolder {
            folder: folder.to_owned(),
            spares: Mutex::new(spares),
            note,
        })
    }

    fn path(&self, id: u64) -> PathBuf {
        self.folder.join(format!("{id:012}.log"))
    }

    fn spares(&self) -> std::sync::MutexGuard<'_, Vec<PathBuf>> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens files for writing, which are made if they are absent and can be read by the process's own
/// user only.
fn private() -> OpenOptions {
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
            // One that somebody took away is no loss: a new file does as well.
            match fs::rename(spare, &path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(named(&path, error));
                }
                _ => {}
            }
        }
        let file = private().open(&path).at(&path)?;
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

    fn keep_note(&self, note: &[u8], sync: bool) {
        let Some(file) = &self.note else { return };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        // Best effort: see the trait.
        let written = file.rewind().and_then(|()| file.write_all(note));
        drop(written.and_then(|()| if sync { file.sync_data() } else { Ok(()) }));
    }

    fn note(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.join(NOTE)).ok()
    }

    fn discard(&self, id: u64) -> io::Result<()> {
        let path = self.path(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(&path, error)),
            _ => sync_folder(&self.folder).at(&self.folder),
        }
    }

    fn retire(&self, id: u64) -> io::Result<()> {
        let mut spares = self.spares();
        let path = self.path(id);
        let spare = path.with_extension("spare");
        let is_spare = spares.len() < SPARES;
        match if is_spare {
            fs::rename(&path, &spare)
        } else {
            fs::remove_file(&path)
        } {
            Ok(()) if is_spare => spares.push(spare),
            // A missing segment has been retired.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(named(&path, error));
            }
            _ => {}
        }
        Ok(())
    }
}

/// New names of a folder survive a crash after this. Windows writes them by itself and cannot open
/// folders.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()
    } else {
        Ok(())
    }
}

struct SegmentFile {
    path: PathBuf,
    file: File,
    written: u64,
    /// Bytes of the file that are on the disk, whatever they are.
    allocated: u64,
}

impl SegmentFile {
    /// Writes zeros ahead, so that syncing what is appended changes nothing but contents.
    fn allocate(&mut self, needed: u64) -> io::Result<()> {
        if self.allocated >= needed {
            return Ok(());
        }
        let zeros = vec![0; 64 * 1024];
        while self.allocated < needed {
            let more = self.allocated.clamp(ALLOCATED_AT_FIRST, ALLOCATED_AT_ONCE);
            self.file.seek(SeekFrom::Start(self.allocated))?;
            for _ in 0..more / zeros.len() as u64 {
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
        names.filter(|name| !name.ends_with(NOTE)).collect()
    }

    #[test]
    fn a_retired_file_is_used_again_and_its_name_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFolder::open(folder.path()).unwrap();
        let mut first = files.create(7).unwrap();
        first.append(b"before").unwrap();
        first.append(&vec![1; 300_000]).unwrap();
        first.sync().unwrap();
        assert_eq!(files.segments().unwrap(), vec![7]);
        files.retire(7).unwrap();
        assert_eq!(files.segments().unwrap(), Vec::<u64>::new());
        // By who opens the folder later, too.
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

    /// Somebody took it away, or an attempt before got that far.
    #[test]
    fn a_file_that_is_missing_is_retired_and_a_spare_one_is_not_needed() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFolder::open(folder.path()).unwrap();
        // The calls that would rename it and remove it.
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

    #[test]
    fn no_more_than_a_few_files_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let files = LogFolder::open(folder.path()).unwrap();
        (1..9).for_each(|id| drop(files.create(id).unwrap()));
        (1..9).for_each(|id| files.retire(id).unwrap());
        assert_eq!(names_in(folder.path()).len(), SPARES);
    }
}
