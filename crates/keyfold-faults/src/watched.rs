//! Watched folders: the calls that they get, the faults that are injected, the state that is synced.

use crate::synced::{Capture, Synced};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A fault at a call that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The process stops: this call and every later one does nothing.
    Stop,
    /// The device fails this once. The bytes of a failed sync are lost.
    Error,
    /// The device is full: this write takes half of its bytes, and later ones fail.
    Full,
}

/// The kinds of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Read,
    /// It writes bytes or makes a name, which takes space.
    Allocate,
    /// It syncs, renames or removes something.
    Change,
}

/// The decision about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Proceed,
    /// It fails with this error number.
    Fail(i32),
    /// It writes half of its bytes.
    Half,
}

/// A watched folder.
#[derive(Debug)]
pub(crate) struct Watched {
    folder: PathBuf,
    /// Held by a call that changes names, and while a sync begins or a crash is made: they see the
    /// names of one moment. Locked before `state`.
    names: Mutex<()>,
    state: Mutex<State>,
}

#[derive(Debug)]
pub(crate) struct State {
    /// Calls so far that change something.
    pub(crate) changes: u64,
    /// Calls so far that read.
    pub(crate) reads: u64,
    /// Calls so far that met a fault.
    pub(crate) injected: u64,
    /// The fault, and the number of the change at which it happens.
    pub(crate) fault: Option<(u64, Fault)>,
    /// The numbers of the first and the last read that fail.
    pub(crate) failing_reads: Option<(u64, u64)>,
    pub(crate) synced: Synced,
}

static WATCHED: Mutex<Vec<Arc<Watched>>> = Mutex::new(Vec::new());
/// The number of watched folders. It makes calls cheap while there are none.
static COUNT: AtomicUsize = AtomicUsize::new(0);

fn all() -> MutexGuard<'static, Vec<Arc<Watched>>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The watched folder that a path lies in.
pub(crate) fn watching(path: &Path) -> Option<Arc<Watched>> {
    all()
        .iter()
        .find(|watched| path.starts_with(&watched.folder))
        .cloned()
}

/// Whether any folder is watched.
pub(crate) fn is_any_watched() -> bool {
    COUNT.load(Ordering::Relaxed) > 0
}

impl Watched {
    /// Begins to watch a folder, which is taken as synced.
    pub(crate) fn watch(folder: &Path) -> io::Result<Arc<Watched>> {
        let watched = Arc::new(Watched {
            folder: folder.to_owned(),
            names: Mutex::default(),
            state: Mutex::new(State {
                changes: 0,
                reads: 0,
                injected: 0,
                fault: None,
                failing_reads: None,
                synced: Synced::of(folder)?,
            }),
        });
        all().push(Arc::clone(&watched));
        COUNT.fetch_add(1, Ordering::Relaxed);
        Ok(watched)
    }

    /// Ends watching.
    pub(crate) fn unwatch(self: &Arc<Watched>) {
        COUNT.fetch_sub(1, Ordering::Relaxed);
        all().retain(|watched| !Arc::ptr_eq(watched, self));
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps other threads from changing names, until the guard is dropped.
    pub(crate) fn lock_names(&self) -> MutexGuard<'_, ()> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Captures what a sync of this path that begins now puts on the device.
    pub(crate) fn capture(&self, path: &Path) -> io::Result<Capture> {
        let _names = self.lock_names();
        let number = self.lock().synced.next_capture();
        Capture::of(path, number)
    }

    /// Counts a call and decides about it.
    pub(crate) fn judge(&self, call: Call) -> Verdict {
        let mut state = self.lock();
        let verdict = match call {
            Call::Read => state.judge_read(),
            Call::Allocate => state.judge_change(true),
            Call::Change => state.judge_change(false),
        };
        state.injected += u64::from(verdict != Verdict::Proceed);
        verdict
    }

    /// Records the end of a sync that began with `capture`.
    pub(crate) fn sync_ended(&self, capture: Capture, has_succeeded: bool) {
        let mut state = self.lock();
        if has_succeeded {
            state.synced.sync_succeeded(capture);
        } else {
            state.synced.sync_failed(&capture);
        }
    }
}

impl State {
    fn judge_read(&mut self) -> Verdict {
        self.reads += 1;
        match self.failing_reads {
            Some((first, last)) if (first..=last).contains(&self.reads) => Verdict::Fail(libc::EIO),
            Some(_) | None => Verdict::Proceed,
        }
    }

    fn judge_change(&mut self, takes_space: bool) -> Verdict {
        self.changes += 1;
        let Some((at, fault)) = self.fault else {
            return Verdict::Proceed;
        };
        let (is_here, is_past) = (self.changes == at, self.changes > at);
        match fault {
            Fault::Stop if is_here || is_past => Verdict::Fail(libc::EIO),
            Fault::Error if is_here => Verdict::Fail(libc::EIO),
            Fault::Full if is_here && takes_space => Verdict::Half,
            Fault::Full if is_past && takes_space => Verdict::Fail(libc::ENOSPC),
            Fault::Stop | Fault::Error | Fault::Full => Verdict::Proceed,
        }
    }
}
