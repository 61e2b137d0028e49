//! The file of `keyfold verify --findings`: one JSON object a line.
//!
//! A file on a disk is replaced, or cut where the saved state ends, and synced before the command
//! ends. Into anything else (a pipe, a terminal, a device) the lines are written as they come.

use crate::failure::Failure;
use crate::output::Output;
use std::fs::File;
use std::io::{BufWriter, Error, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// An open file of findings.
pub(crate) struct Findings {
    out: BufWriter<File>,
    path: PathBuf,
    /// Whether it is a file on a disk.
    is_regular: bool,
}

/// Whether a verification keeps a state, with which it continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// It begins anew.
    Once,
    /// It may continue.
    Resumable,
}

impl Findings {
    /// Opens the file, and makes it if there is none. Nothing of it changes before
    /// [`Findings::begin`].
    ///
    /// # Errors
    /// When it cannot be opened, when the command's own output goes to it, and when a verification
    /// that may continue cannot cut it.
    pub(crate) fn open(path: &Path, output: Output, course: Course) -> Result<Findings, Failure> {
        let refused = |why: &str| {
            let message = format!("cannot write the findings to {}: {why}", path.display());
            Failure::usage(message).in_file(path)
        };
        let mut options = File::options();
        let options = options.write(true).create(true).truncate(false);
        let opened = options.open(path);
        let file = opened.map_err(|error| refused(&error.to_string()))?;
        let kind = file.metadata().map(|held| held.file_type());
        let is_regular = kind.map_err(|error| refused(&error.to_string()))?.is_file();
        if let Some(why) = shared(&file, output) {
            return Err(refused(why));
        }
        if !is_regular && course == Course::Resumable {
            return Err(refused(
                "it is no file on a disk, and a verification with --state cuts the file where it continues; name a file, or leave out --state",
            ));
        }
        Ok(Findings {
            out: BufWriter::new(file),
            path: path.to_owned(),
            is_regular,
        })
    }

    /// Begins behind the bytes that the saved state knows of; what follows them is dropped.
    ///
    /// # Errors
    /// That of the file, and when it lacks some of these bytes.
    pub(crate) fn begin(&mut self, position: u64) -> Result<(), Error> {
        if !self.is_regular {
            return Ok(());
        }
        let file = self.out.get_mut();
        let held = file.metadata()?.len();
        if held < position {
            let message = format!(
                "it has {held} bytes, and {position} when the state was saved; bring it back, or remove the folder of the state to begin anew"
            );
            return Err(Error::new(ErrorKind::InvalidData, message));
        }
        file.set_len(position)?;
        file.seek(SeekFrom::Start(position))?;
        sync_name(&self.path)
    }

    /// Writes what is in memory to the disk, and returns the length.
    ///
    /// # Errors
    /// That of the file.
    pub(crate) fn position(&mut self) -> Result<u64, Error> {
        self.end()?;
        if self.is_regular {
            self.out.stream_position()
        } else {
            Ok(0)
        }
    }

    /// Writes one finding.
    ///
    /// # Errors
    /// That of the file.
    pub(crate) fn write(&mut self, finding: &serde_json::Value) -> Result<(), Error> {
        writeln!(self.out, "{finding}")
    }

    /// Returns when every finding is on the disk, or with the reader of a pipe.
    ///
    /// # Errors
    /// That of the file.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        self.out.flush()?;
        if self.is_regular {
            self.out.get_ref().sync_all()?;
        }
        Ok(())
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Returns when the name of a file survives a crash of the machine. Windows syncs names by itself.
fn sync_name(path: &Path) -> Result<(), Error> {
    if !cfg!(unix) {
        return Ok(());
    }
    // A link's own folder does not hold the file.
    let path = path.canonicalize()?;
    match path.parent().map(File::open) {
        Some(Ok(folder)) => folder.sync_all(),
        // A folder that may be written and not read cannot be synced.
        Some(Err(error)) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        Some(Err(error)) => Err(error),
        None => Ok(()),
    }
}

/// Why a file cannot have findings beside what the command itself prints; `None` when it can.
#[cfg(unix)]
fn shared(file: &File, output: Output) -> Option<&'static str> {
    use std::io::IsTerminal as _;
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

    let is_same = |stream: std::os::fd::BorrowedFd<'_>| {
        let stream = File::from(stream.try_clone_to_owned().ok()?)
            .metadata()
            .ok()?;
        let file = file.metadata().ok()?;
        Some((stream.dev(), stream.ino()) == (file.dev(), file.ino()))
    };
    let is_out = is_same(std::io::stdout().as_fd()) == Some(true);
    let is_error = is_same(std::io::stderr().as_fd()) == Some(true);
    let kind = file.metadata().ok()?.file_type();
    // Two writers of one file on a disk write over each other.
    if kind.is_file() && (is_out || is_error) {
        return Some("what the command itself prints goes to the same file; name another one");
    }
    // A device that is no terminal, such as /dev/null, mixes nothing.
    let mixes = !kind.is_char_device() || file.is_terminal();
    (is_out && mixes && output == Output::Json).then_some(
        "the report of --json goes there, too, and would not be one document; name a file",
    )
}

#[cfg(not(unix))]
fn shared(_file: &File, _output: Output) -> Option<&'static str> {
    None
}

#[cfg(all(
    test,
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64"
))]
mod tests {
    use super::*;
    use keyfold_faults::{Fault, Machine, Tail};

    const COUNT: usize = 1000;

    /// Writes findings, as a verification does that saves its state once.
    fn written(path: &Path) -> Result<(), Error> {
        let opened = Findings::open(path, Output::Text, Course::Resumable);
        let mut file = opened.map_err(|_| Error::other("not opened"))?;
        file.begin(0)?;
        for number in 0..COUNT {
            if number == COUNT / 2 {
                file.position()?;
            }
            file.write(&serde_json::json!({ "number": number }))?;
        }
        file.end()
    }

    /// A device that fails at any call, or a machine that stops there: when the end is reported, the
    /// whole file is on the disk under its name.
    #[test]
    fn the_end_is_reported_only_when_all_findings_are_on_the_disk() {
        let (mut failed, mut ended) = (0, 0);
        for fault in [Fault::Error, Fault::Full, Fault::Stop] {
            for call in 1.. {
                let place = tempfile::tempdir().unwrap();
                let folder = place.path().canonicalize().unwrap().join("watched");
                std::fs::create_dir(&folder).unwrap();
                let machine = Machine::watch(&folder).unwrap();
                machine.inject(call, fault);
                let done = written(&folder.join("f"));
                let is_met = machine.injected() > 0;
                assert_eq!(done.is_err(), is_met, "{fault:?} at {call}: {done:?}");
                let after = place.path().join("after");
                machine
                    .after_crash(Tail::Lost, &after, &mut || false)
                    .unwrap();
                if !is_met {
                    let text = std::fs::read_to_string(after.join("f")).unwrap();
                    assert_eq!(text.lines().count(), COUNT);
                    ended += 1;
                    break;
                }
                failed += 1;
            }
        }
        assert_eq!(ended, 3);
        assert!(failed > 10, "{failed}");
    }

    #[test]
    fn a_file_that_lacks_what_the_state_says_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("f");
        std::fs::write(&path, "{}\n").unwrap();
        let open = || Findings::open(&path, Output::Text, Course::Resumable).unwrap();
        assert!(
            open()
                .begin(4)
                .unwrap_err()
                .to_string()
                .contains("it has 3 bytes, and 4")
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}\n");
        open().begin(2).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{}");
    }
}
