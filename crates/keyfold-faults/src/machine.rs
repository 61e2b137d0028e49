//! A machine whose device fails on demand.

use crate::bypass::bypass;
use crate::crash::{self, Tail};
use crate::watched::{Fault, Watched};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A folder on a device that fails on demand, until this is dropped.
#[derive(Debug)]
pub struct Machine(Arc<Watched>);

impl Machine {
    /// Watches an existing folder, whose content is taken as synced.
    ///
    /// # Errors
    /// When the folder cannot be read, or its path leads through a link: calls are attributed by
    /// their paths.
    pub fn watch(folder: &Path) -> io::Result<Machine> {
        if folder.canonicalize()? != folder {
            return Err(io::Error::other(
                "the path of a watched folder leads through a link",
            ));
        }
        Watched::watch(folder).map(Machine)
    }

    /// The number of calls so far that change something, failed ones included.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.0.lock().changes
    }

    /// The number of calls so far that read, failed ones included.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.0.lock().reads
    }

    /// The number of calls so far that met a fault.
    #[must_use]
    pub fn injected(&self) -> u64 {
        self.0.lock().injected
    }

    /// Injects a fault at a call that changes something, by its number; the first has number 1.
    pub fn inject(&self, change: u64, fault: Fault) {
        self.0.lock().fault = Some((change, fault));
    }

    /// Lets reads fail, from a first to a last number; the first read has number 1.
    pub fn fail_reads(&self, first: u64, last: u64) {
        self.0.lock().failing_reads = Some((first, last));
    }

    /// Ends all faults.
    pub fn clear_faults(&self) {
        let mut state = self.0.lock();
        (state.fault, state.failing_reads) = (None, None);
    }

    /// Makes a folder with the files as they are after a crash of the machine, or of the process
    /// only. `coin` decides about each change that the machine may or may not have kept.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn after_crash(
        &self,
        tail: Tail,
        into: &Path,
        coin: &mut dyn FnMut() -> bool,
    ) -> io::Result<()> {
        bypass(|| {
            let _names = self.0.lock_names();
            crash::leave(&self.0.lock().synced, self.0.folder(), tail, into, coin)
        })
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.0.unwatch();
    }
}
