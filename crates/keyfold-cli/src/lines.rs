//! Files to which whole lines are added, each in one write.
//!
//! Several processes, and several parts of one, may add to one file. The last line may be torn: its writer was killed, or
//! the disk was full. Then the next line begins with a newline, so that it stands alone. Whoever adds a line has locked
//! the file meanwhile: a long line becomes visible piece by piece, and a piece looks like a torn line.

#[cfg(unix)]
use rustix::fs::{Mode, OFlags};
#[cfg(unix)]
use rustix::io::Errno;
use std::fs::{File, FileType, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::time::Duration;

/// How long others are waited for who add a line.
const LOCK_WITHIN: Duration = Duration::from_secs(10);
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// A file to which lines are added.
#[derive(Debug)]
pub(crate) struct LineFile {
    file: File,
    /// A pipe or a device has no last byte.
    has_end: bool,
    /// Whether the file is locked until this is dropped, and not for each line.
    is_locked: bool,
}

impl Drop for LineFile {
    fn drop(&mut self) {
        // A process that is being started has the file open, too: closing it does not end the lock at once.
        drop(self.file.unlock());
    }
}

impl LineFile {
    /// Opens a file, which is made if need be.
    ///
    /// # Errors
    /// When it cannot be opened, or is a pipe that no program reads: to open one would wait without end.
    pub(crate) fn open(path: &Path) -> io::Result<LineFile> {
        let kind = path.metadata().map(|found| found.file_type());
        let has_end = kind.as_ref().map_or(true, FileType::is_file);
        #[cfg(unix)]
        if kind.is_ok_and(|kind| kind.is_fifo()) {
            return Ok(LineFile {
                file: read_by_others(path)?,
                has_end,
                is_locked: false,
            });
        }
        let mut options = OpenOptions::new();
        let options = options.create(true).append(true).read(has_end);
        Ok(LineFile {
            file: options.open(path)?,
            has_end,
            is_locked: false,
        })
    }

    /// Locks the file until this is dropped, or the process ends. Returns whether no other
    /// process has locked it.
    ///
    /// # Errors
    /// When it cannot be locked.
    pub(crate) fn lock(&mut self) -> io::Result<bool> {
        match self.file.try_lock() {
            Ok(()) => {
                self.is_locked = true;
                Ok(true)
            }
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// All bytes of the file.
    ///
    /// # Errors
    /// When they cannot be read.
    pub(crate) fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Adds a line, when whoever else adds one has done so.
    ///
    /// # Errors
    /// When it cannot be written. A part of it may have been.
    pub(crate) fn add(&mut self, line: &str) -> io::Result<()> {
        if self.is_locked || !self.has_end {
            return self.write(line);
        }
        // Nobody adds for so long: a line is written also where somebody holds the file for another reason, and where
        // the file system has no locks.
        let mut pauses = LOCK_WITHIN.as_millis() / LOCK_PAUSE.as_millis();
        while matches!(self.file.try_lock(), Err(TryLockError::WouldBlock)) && pauses > 0 {
            pauses -= 1;
            std::thread::sleep(LOCK_PAUSE);
        }
        let written = self.write(line);
        drop(self.file.unlock());
        written
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        let before = if self.is_torn()? { "\n" } else { "" };
        self.file.write_all(format!("{before}{line}\n").as_bytes())
    }

    /// Whether the last line has no end.
    fn is_torn(&mut self) -> io::Result<bool> {
        if !self.has_end || self.file.metadata()?.len() == 0 {
            return Ok(false);
        }
        let mut last = [0];
        self.file.seek(SeekFrom::End(-1))?;
        self.file.read_exact(&mut last)?;
        Ok(last != *b"\n")
    }
}

/// A pipe that another program reads, opened without waiting for one.
#[cfg(unix)]
fn read_by_others(pipe: &Path) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(pipe, flags, Mode::empty()).map_err(|error| match error {
        Errno::NXIO => {
            let why = "it is a pipe that no program reads: start its reader first";
            io::Error::new(io::ErrorKind::BrokenPipe, why)
        }
        error => error.into(),
    })?;
    // From now on, a write waits for the reader.
    rustix::fs::fcntl_setfl(&opened, OFlags::empty())?;
    Ok(File::from(opened))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::LineFile;

    #[test]
    fn lines_added_beside_each_other_are_whole_and_no_others_come() {
        const WRITERS: usize = 4;
        const LINES: usize = 50;
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lines");
        // Some are longer than what the system shows at once.
        let line = "x".repeat(300_000);
        let added = |file: &mut LineFile, number: usize| {
            let length = if number.is_multiple_of(2) {
                300_000
            } else {
                10
            };
            file.add(&line[..length]).unwrap();
        };
        std::thread::scope(|scope| {
            for _ in 0..WRITERS {
                scope.spawn(|| {
                    let mut file = LineFile::open(&path).unwrap();
                    (0..LINES).for_each(|number| added(&mut file, number));
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        let lengths: Vec<usize> = text.lines().map(str::len).collect();
        let long = lengths.iter().filter(|length| **length == 300_000).count();
        let short = lengths.iter().filter(|length| **length == 10).count();
        assert_eq!((long, short), (WRITERS * LINES / 2, WRITERS * LINES / 2));
        assert_eq!(lengths.len(), WRITERS * LINES);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_opened_when_somebody_reads_it() {
        let place = tempfile::tempdir().unwrap();
        let pipe = place.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let error = LineFile::open(&pipe).unwrap_err().to_string();
        assert!(error.contains("no program reads"), "{error}");
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read_to_string(pipe)
        });
        let mut lines = loop {
            match LineFile::open(&pipe) {
                Ok(lines) => break lines,
                // The reader opens it meanwhile.
                Err(error) => assert!(error.to_string().contains("no program reads"), "{error}"),
            }
            std::thread::yield_now();
        };
        lines.add("one").unwrap();
        drop(lines);
        assert_eq!(reader.join().unwrap().unwrap(), "one\n");
    }

    #[test]
    fn who_has_inherited_the_file_does_not_hold_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("lines");
        let mut lines = LineFile::open(&path).unwrap();
        assert!(lines.lock().unwrap());
        let _inherited = lines.file.try_clone().unwrap();
        assert!(!LineFile::open(&path).unwrap().lock().unwrap());
        drop(lines);
        assert!(LineFile::open(&path).unwrap().lock().unwrap());
    }
}
