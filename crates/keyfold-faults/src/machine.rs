//! A watched folder: what was asked of it, which call fails, and what was synced.

use crate::calls::unwatched;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    all().iter().find(|watched| path.starts_with(&watched.folder)).cloned()
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
            let fails = state.failing_reads.is_some_and(|(from, to)| (from..=to).contains(&state.reads));
            state.strikes += u64::from(fails);
            return if fails { Verdict::Fail(libc::EIO) } else { Verdict::Go };
        }
        state.asked += 1;
        let verdict = match state.fault {
            Some((at, Fault::Stop)) if state.asked >= at => Verdict::Fail(libc::EIO),
            Some((at, Fault::Error)) if state.asked == at => Verdict::Fail(libc::EIO),
            Some((at, Fault::Full)) if state.asked == at && want == Want::Room => Verdict::Half,
            Some((at, Fault::Full)) if state.asked > at && want == Want::Room => Verdict::Fail(libc::ENOSPC),
            _ => Verdict::Go,
        };
        state.strikes += u64::from(verdict != Verdict::Go);
        verdict
    }

    /// A file, or a folder's names, are on the device now.
    pub(crate) fn note_synced(&self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let about = file.metadata()?;
        let mut state = self.lock();
        if about.is_dir() {
            let names = list(path)?;
            for (name, inode) in &names {
                state.synced.hold(*inode, || File::open(path.join(name)))?;
            }
            state.synced.names.insert(about.ino(), names);
        } else {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            state.synced.contents.insert(about.ino(), bytes);
        }
        state.synced.hold(about.ino(), || Ok(file))
    }
}

impl Watched {
    fn note_all_synced(&self, folder: &Path) -> io::Result<()> {
        self.note_synced(folder)?;
        for name in list(folder)?.keys() {
            let path = folder.join(name);
            if path.is_dir() { self.note_all_synced(&path)? } else { self.note_synced(&path)? }
        }
        Ok(())
    }
}

impl Synced {
    fn hold(&mut self, inode: u64, open: impl FnOnce() -> io::Result<File>) -> io::Result<()> {
        if let Entry::Vacant(place) = self.held.entry(inode) {
            place.insert(open()?);
        }
        Ok(())
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
    /// When the folder cannot be read.
    pub fn watch(folder: &Path) -> io::Result<Machine> {
        let folder = folder.canonicalize()?;
        let watched = Arc::new(Watched { folder, state: Mutex::default() });
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

    /// Makes a folder with what is found after a crash of the machine, or of the process only. `coin` decides where the
    /// machine is free.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn remains(&self, tail: crate::Tail, into: &Path, coin: &mut dyn FnMut() -> bool) -> io::Result<()> {
        unwatched(|| crate::remains::leave(&self.0.lock().synced, &self.0.folder, tail, into, coin))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        COUNT.fetch_sub(1, Ordering::Relaxed);
        all().retain(|watched| !Arc::ptr_eq(watched, &self.0));
    }
}
