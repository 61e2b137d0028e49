//! A disk for the log that stops, fails, fills up and forgets.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses its part, and fails by panicking"
)]

use fastrand::Rng;
use keyfold_engine::{LogFile, LogFiles};
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard};

/// The fault of a call of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process ends: this call and all later ones do nothing.
    Stop,
    /// The call fails.
    Error,
    /// The disk is full after half of the bytes of this write.
    Full,
}

/// The fate of writes that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Only the process ended: all of them are kept.
    Kept,
    /// The machine crashed: all of them are lost.
    Lost,
    /// The machine crashed: their first bytes are kept.
    Cut,
    /// The machine crashed: some of their sectors are kept.
    Torn,
}

#[derive(Debug, Clone, Default)]
struct Segment {
    synced: Vec<u8>,
    written: Vec<u8>,
}

#[derive(Debug, Default)]
struct State {
    segments: BTreeMap<u64, Segment>,
    calls: u64,
    fault: Option<(u64, Fault)>,
    has_struck: bool,
    /// Whether syncs block.
    is_blocked: bool,
}

/// A log's files in memory.
#[derive(Debug, Default, Clone)]
pub(crate) struct Disk(Arc<Mutex<State>>);

impl Disk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// The number of calls.
    pub(crate) fn calls(&self) -> u64 {
        self.lock().calls
    }

    pub(crate) fn has_struck(&self) -> bool {
        self.lock().has_struck
    }

    /// Sets the fault of a call, counted from the first.
    pub(crate) fn strike(&self, at: u64, fault: Fault) {
        self.lock().fault = Some((at, fault));
    }

    /// Blocks syncs until the returned guard is dropped.
    pub(crate) fn block_syncs(&self) -> Blocked {
        self.lock().is_blocked = true;
        Blocked(self.clone())
    }

    /// The disk after a crash.
    pub(crate) fn after_crash(&self, tail: Tail, rng: &mut Rng) -> Disk {
        let mut segments = self.lock().segments.clone();
        for segment in segments.values_mut() {
            let (synced, written) = (segment.synced.len(), segment.written.len());
            match tail {
                Tail::Kept => {}
                Tail::Lost => segment.written.truncate(synced),
                Tail::Cut => segment.written.truncate(rng.usize(synced..=written)),
                Tail::Torn => {
                    for sector in synced / 512..written.div_ceil(512) {
                        if rng.bool() {
                            let lost =
                                (sector * 512).max(synced)..((sector + 1) * 512).min(written);
                            segment.written[lost].fill(0);
                        }
                    }
                }
            }
            // After the end of the process unsynced writes are still in the system's memory, and a
            // crash of the machine may lose them.
            if tail != Tail::Kept {
                segment.synced = segment.written.clone();
            }
        }
        Disk(Arc::new(Mutex::new(State {
            segments,
            ..State::default()
        })))
    }

    /// Counts a call. Returns true when only half of it can be done.
    fn call(&self) -> io::Result<bool> {
        let mut state = self.lock();
        state.calls += 1;
        match state.fault {
            Some((at, Fault::Stop)) if state.calls >= at => {
                state.has_struck = true;
                Err(io::Error::other("the process ended here"))
            }
            Some((at, Fault::Error)) if state.calls == at => {
                state.has_struck = true;
                Err(io::Error::other("the device failed"))
            }
            Some((at, Fault::Full)) if state.calls >= at => {
                state.has_struck = true;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// A guard that blocks syncs.
pub(crate) struct Blocked(Disk);

impl Drop for Blocked {
    fn drop(&mut self) {
        self.0.lock().is_blocked = false;
    }
}

fn full() -> io::Error {
    io::Error::new(ErrorKind::StorageFull, "no space left on device")
}

impl LogFiles for Disk {
    fn segments(&self) -> io::Result<Vec<u64>> {
        self.call()?;
        Ok(self.lock().segments.keys().copied().collect())
    }

    fn read(&self, id: u64) -> io::Result<Vec<u8>> {
        self.call()?;
        let mut bytes = self
            .lock()
            .segments
            .get(&id)
            .map(|segment| segment.written.clone())
            .ok_or(ErrorKind::NotFound)?;
        // Allocated space that was never written.
        bytes.resize(bytes.len() + 4096, 0);
        Ok(bytes)
    }

    fn rewrite(&self, id: u64, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.call()?;
        let at = usize::try_from(at).unwrap();
        if let Some(segment) = self.lock().segments.get_mut(&id) {
            // The zeros that fill up the last record may be missing.
            let end = (at + bytes.len()).max(segment.written.len());
            segment.written.resize(end, 0);
            assert_eq!(
                segment.written[at..at + bytes.len()],
                *bytes,
                "the bytes that were read"
            );
            segment.synced = segment.written.clone();
        }
        Ok(())
    }

    fn create(&self, id: u64) -> io::Result<Box<dyn LogFile>> {
        if self.call()? {
            return Err(full());
        }
        self.lock().segments.insert(id, Segment::default());
        Ok(Box::new(Writer {
            disk: self.clone(),
            id,
        }))
    }

    fn discard(&self, id: u64) -> io::Result<()> {
        self.call()?;
        self.lock().segments.remove(&id);
        Ok(())
    }

    fn retire(&self, id: u64) -> io::Result<()> {
        self.call()?;
        self.lock()
            .segments
            .remove(&id)
            .map(drop)
            .ok_or(ErrorKind::NotFound.into())
    }
}

struct Writer {
    disk: Disk,
    id: u64,
}

impl LogFile for Writer {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let is_half = self.disk.call()?;
        let mut state = self.disk.lock();
        // The segment was retired, or the log was opened again.
        let segment = state
            .segments
            .get_mut(&self.id)
            .ok_or(ErrorKind::NotFound)?;
        let taken = if is_half {
            &bytes[..bytes.len() / 2]
        } else {
            bytes
        };
        segment.written.extend_from_slice(taken);
        if is_half { Err(full()) } else { Ok(()) }
    }

    fn sync(&mut self) -> io::Result<()> {
        while self.disk.lock().is_blocked {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.disk.call()?;
        let mut state = self.disk.lock();
        let segment = state
            .segments
            .get_mut(&self.id)
            .ok_or(ErrorKind::NotFound)?;
        segment.synced = segment.written.clone();
        Ok(())
    }
}
