//! A watched folder: what was asked of it, which call fails, and what was synced.

use crate::calls::unwatched;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const PAGE: usize = 4096;

/// What happens at the nth call that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The process ends there: this call and every one after it does nothing.
    Stop,
    /// The device fails this once. What a failed sync should have kept is not kept.
    Error,
    /// This write takes half of its bytes, and there is no room for anything more.
    Full,
}

/// What a call wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    Read,
    /// Bytes, or a name: what needs room.
    Room,
    /// A sync, or the removal of something.
    Change,
}

/// What becomes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Go,
    /// With this number of an error.
    Fail(i32),
    /// A write takes half of its bytes.
    Half,
}

/// Files and folders by their inode number; none is used again while it is held here.
#[derive(Debug, Default)]
pub(crate) struct Synced {
    /// What each file holds after a crash.
    pub(crate) contents: BTreeMap<u64, Vec<u8>>,
    /// What each folder holds after a crash.
    pub(crate) names: BTreeMap<u64, BTreeMap<OsString, u64>>,
    pub(crate) held: BTreeMap<u64, File>,
    /// Pages that a failed sync did not write, and that no later one will unless they are written
    /// again.
    lost: BTreeMap<u64, BTreeSet<usize>>,
}

#[derive(Debug, Default)]
struct State {
    asked: u64,
    reads: u64,
    fault: Option<(u64, Fault)>,
    failing_reads: Option<(u64, u64)>,
    strikes: u64,
    synced: Synced,
}

#[derive(Debug)]
pub(crate) struct Watched {
    folder: PathBuf,
    state: Mutex<State>,
}

static WATCHED: Mutex<Vec<Arc<Watched>>> = Mutex::new(Vec::new());
/// How many are watched: a call need not look further while nothing is.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn all() -> MutexGuard<'static, Vec<Arc<Watched>>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who watches the folder that this is in.
pub(crate) fn watching(path: &Path) -> Option<Arc<Watched>> {
    all()
        .iter()
        .find(|watched| path.starts_with(&watched.folder))
        .cloned()
}

pub(crate) fn is_anything_watched() -> bool {
    COUNT.load(Ordering::Relaxed) > 0
}

impl Watched {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn judge(&self, want: Want) -> Verdict {
        let mut state = self.lock();
        if want == Want::Read {
            state.reads += 1;
            let fails = state
                .failing_reads
                .is_some_and(|(from, to)| (from..=to).contains(&state.reads));
            state.strikes += u64::from(fails);
            return if fails {
                Verdict::Fail(libc::EIO)
            } else {
                Verdict::Go
            };
        }
        state.asked += 1;
        let verdict = match state.fault {
            Some((at, Fault::Stop)) if state.asked >= at => Verdict::Fail(libc::EIO),
            Some((at, Fault::Error)) if state.asked == at => Verdict::Fail(libc::EIO),
            Some((at, Fault::Full)) if state.asked == at && want == Want::Room => Verdict::Half,
            Some((at, Fault::Full)) if state.asked > at && want == Want::Room => {
                Verdict::Fail(libc::ENOSPC)
            }
            _ => Verdict::Go,
        };
        state.strikes += u64::from(verdict != Verdict::Go);
        verdict
    }

    /// What a sync that begins now will have put on the device: nothing that is written meanwhile.
    pub(crate) fn picture(&self, path: &Path) -> io::Result<Picture> {
        let mut file = File::open(path)?;
        let about = file.metadata()?;
        let mut picture = Picture {
            inode: about.ino(),
            bytes: Vec::new(),
            names: None,
            files: Vec::new(),
        };
        if about.is_dir() {
            let names = list(path)?;
            for (name, inode) in &names {
                // What is removed or gets another name meanwhile is found under that.
                picture
                    .files
                    .extend(File::open(path.join(name)).ok().map(|file| (*inode, file)));
            }
            picture.names = Some(names);
        } else {
            file.read_to_end(&mut picture.bytes)?;
        }
        picture.files.push((about.ino(), file));
        Ok(picture)
    }

    /// The sync succeeded.
    pub(crate) fn note_synced(&self, picture: Picture) {
        let mut state = self.lock();
        let synced = &mut state.synced;
        for (inode, file) in picture.files {
            synced.held.entry(inode).or_insert(file);
        }
        match picture.names {
            Some(names) => drop(synced.names.insert(picture.inode, names)),
            None => synced.note_contents(picture.inode, picture.bytes),
        }
    }

    /// The sync failed: the system takes what it could not write for written, and will not try
    /// again.
    pub(crate) fn note_failed(&self, picture: &Picture) {
        if picture.names.is_some() {
            return;
        }
        let mut state = self.lock();
        let on_device = state
            .synced
            .contents
            .get(&picture.inode)
            .cloned()
            .unwrap_or_default();
        let pages = picture.bytes.chunks(PAGE).enumerate();
        let lost = pages.filter(|(at, page)| {
            on_device
                .get(at * PAGE..)
                .is_none_or(|kept| !kept.starts_with(page))
        });
        let lost: Vec<usize> = lost.map(|(at, _)| at).collect();
        state
            .synced
            .lost
            .entry(picture.inode)
            .or_default()
            .extend(lost);
    }

    /// Bytes of a file were written: their pages are to be synced again.
    pub(crate) fn note_written(&self, inode: u64, at: usize, count: usize) {
        if let Some(lost) = self.lock().synced.lost.get_mut(&inode) {
            let pages = at / PAGE..(at + count).div_ceil(PAGE);
            lost.retain(|page| !pages.contains(page));
        }
    }

    /// Whether a sync failed that nothing has made up for.
    pub(crate) fn has_lost(&self) -> bool {
        self.lock()
            .synced
            .lost
            .values()
            .any(|lost| !lost.is_empty())
    }
}

/// A file's contents, or a folder's names.
pub(crate) struct Picture {
    inode: u64,
    bytes: Vec<u8>,
    names: Option<BTreeMap<OsString, u64>>,
    files: Vec<(u64, File)>,
}

impl Watched {
    fn note_all_synced(&self, folder: &Path) -> io::Result<()> {
        self.note_synced(self.picture(folder)?);
        for name in list(folder)?.keys() {
            let path = folder.join(name);
            if path.is_dir() {
                self.note_all_synced(&path)?
            } else {
                self.note_synced(self.picture(&path)?)
            }
        }
        Ok(())
    }
}

impl Synced {
    fn note_contents(&mut self, inode: u64, mut bytes: Vec<u8>) {
        let before = self.contents.get(&inode).map_or(&[][..], Vec::as_slice);
        for page in self.lost.get(&inode).into_iter().flatten() {
            for at in page * PAGE..((page + 1) * PAGE).min(bytes.len()) {
                bytes[at] = before.get(at).copied().unwrap_or(0);
            }
        }
        self.contents.insert(inode, bytes);
    }
}

/// What is in a folder.
pub(crate) fn list(folder: &Path) -> io::Result<BTreeMap<OsString, u64>> {
    let mut names = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        names.insert(entry.file_name(), entry.metadata()?.ino());
    }
    Ok(names)
}

/// A folder on a device that fails on demand, until this is dropped.
#[derive(Debug)]
pub struct Machine(Arc<Watched>);

impl Machine {
    /// Watches an existing folder. What is in it is taken as synced.
    ///
    /// # Errors
    /// When the folder cannot be read, or its path leads through a link: calls are known by their
    /// paths.
    pub fn watch(folder: &Path) -> io::Result<Machine> {
        if folder.canonicalize()? != folder {
            return Err(io::Error::other(
                "the path of a watched folder leads through a link",
            ));
        }
        let folder = folder.to_owned();
        let watched = Arc::new(Watched {
            folder,
            state: Mutex::default(),
        });
        watched.note_all_synced(&watched.folder)?;
        all().push(Arc::clone(&watched));
        COUNT.fetch_add(1, Ordering::Relaxed);
        Ok(Machine(watched))
    }

    /// How many calls wanted to change something.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.0.lock().asked
    }

    /// How many calls wanted to read.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.0.lock().reads
    }

    /// How many calls met a fault.
    #[must_use]
    pub fn strikes(&self) -> u64 {
        self.0.lock().strikes
    }

    /// What will happen at the nth call that changes something, counted from the first.
    pub fn strike(&self, at: u64, fault: Fault) {
        self.0.lock().fault = Some((at, fault));
    }

    /// Which reads will fail, the first and the last, counted from the first.
    pub fn fail_reads(&self, from: u64, to: u64) {
        self.0.lock().failing_reads = Some((from, to));
    }

    /// Nothing fails any more.
    pub fn heal(&self) {
        let mut state = self.0.lock();
        (state.fault, state.failing_reads) = (None, None);
    }

    /// Makes a folder with what is found after a crash of the machine, or of the process only.
    /// `coin` decides where the machine is free.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn remains(
        &self,
        tail: crate::Tail,
        into: &Path,
        coin: &mut dyn FnMut() -> bool,
    ) -> io::Result<()> {
        unwatched(|| crate::remains::leave(&self.0.lock().synced, &self.0.folder, tail, into, coin))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        COUNT.fetch_sub(1, Ordering::Relaxed);
        all().retain(|watched| !Arc::ptr_eq(watched, &self.0));
    }
}
