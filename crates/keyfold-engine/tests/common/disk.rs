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

/// What happens when the disk is asked for the nth time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process ends there: this and everything after it does nothing.
    Stop,
    /// This one fails.
    Error,
    /// This write puts half of its bytes on the disk, and there is no room for the rest, nor for
    /// anything after.
    Full,
}

/// What became of writes that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Only the process ended: everything written is there.
    Kept,
    /// The machine ended: nothing of it is there.
    Lost,
    /// The machine ended: its first bytes are there.
    Cut,
    /// The machine ended: some of its sectors are there.
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
    asked: u64,
    fault: Option<(u64, Fault)>,
    has_struck: bool,
    /// Whether syncs take for ever.
    is_held: bool,
}

/// A log's files in memory.
#[derive(Debug, Default, Clone)]
pub(crate) struct Disk(Arc<Mutex<State>>);

impl Disk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// How often it was asked for something.
    pub(crate) fn asked(&self) -> u64 {
        self.lock().asked
    }

    pub(crate) fn has_struck(&self) -> bool {
        self.lock().has_struck
    }

    /// What will happen the nth time from the first.
    pub(crate) fn strike(&self, at: u64, fault: Fault) {
        self.lock().fault = Some((at, fault));
    }

    /// Lets syncs take until what is given back is dropped.
    pub(crate) fn hold(&self) -> Held {
        self.lock().is_held = true;
        Held(self.clone())
    }

    /// What is found after the crash.
    pub(crate) fn after_crash(&self, tail: Tail, rng: &mut Rng) -> Disk {
        let mut segments = self.lock().segments.clone();
        for segment in segments.values_mut() {
            let (synced, whole) = (segment.synced.len(), segment.written.len());
            match tail {
                Tail::Kept => {}
                Tail::Lost => segment.written.truncate(synced),
                Tail::Cut => segment.written.truncate(rng.usize(synced..=whole)),
                Tail::Torn => {
                    for sector in synced / 512..whole.div_ceil(512) {
                        if rng.bool() {
                            let lost = (sector * 512).max(synced)..((sector + 1) * 512).min(whole);
                            segment.written[lost].fill(0);
                        }
                    }
                }
            }
            // What only the process lost is in the system's memory still, and the machine may lose
            // it yet.
            if tail != Tail::Kept {
                segment.synced = segment.written.clone();
            }
        }
        Disk(Arc::new(Mutex::new(State {
            segments,
            ..State::default()
        })))
    }

    /// Asks: `Ok(true)` when only half can be done.
    fn ask(&self) -> io::Result<bool> {
        let mut state = self.lock();
        state.asked += 1;
        match state.fault {
            Some((at, Fault::Stop)) if state.asked >= at => {
                state.has_struck = true;
                Err(io::Error::other("the process ended here"))
            }
            Some((at, Fault::Error)) if state.asked == at => {
                state.has_struck = true;
                Err(io::Error::other("the device failed"))
            }
            Some((at, Fault::Full)) if state.asked >= at => {
                state.has_struck = true;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}

/// As long as this is there, syncs do not end.
pub(crate) struct Held(Disk);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.lock().is_held = false;
    }
}

fn full() -> io::Error {
    io::Error::new(ErrorKind::StorageFull, "no space left on device")
}

impl LogFiles for Disk {
    fn segments(&self) -> io::Result<Vec<u64>> {
        self.ask()?;
        Ok(self.lock().segments.keys().copied().collect())
    }

    fn read(&self, id: u64) -> io::Result<Vec<u8>> {
        self.ask()?;
        let mut bytes = self
            .lock()
            .segments
            .get(&id)
            .map(|segment| segment.written.clone())
            .ok_or(ErrorKind::NotFound)?;
        // Allocated, and never written.
        bytes.resize(bytes.len() + 4096, 0);
        Ok(bytes)
    }

    fn rewrite(&self, id: u64, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.ask()?;
        let at = usize::try_from(at).unwrap();
        if let Some(segment) = self.lock().segments.get_mut(&id) {
            // The zeros that fill up the last record may be missing.
            let end = (at + bytes.len()).max(segment.written.len());
            segment.written.resize(end, 0);
            assert_eq!(
                segment.written[at..at + bytes.len()],
                *bytes,
                "what was read"
            );
            segment.synced = segment.written.clone();
        }
        Ok(())
    }

    fn create(&self, id: u64) -> io::Result<Box<dyn LogFile>> {
        if self.ask()? {
            return Err(full());
        }
        self.lock().segments.insert(id, Segment::default());
        Ok(Box::new(Writer {
            disk: self.clone(),
            id,
        }))
    }

    fn discard(&self, id: u64) -> io::Result<()> {
        self.ask()?;
        self.lock().segments.remove(&id);
        Ok(())
    }

    fn retire(&self, id: u64) -> io::Result<()> {
        self.ask()?;
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
        let is_half = self.disk.ask()?;
        let mut state = self.disk.lock();
        // Retired meanwhile, or of a log that was opened again since.
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
        while self.disk.lock().is_held {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.disk.ask()?;
        let mut state = self.disk.lock();
        let segment = state
            .segments
            .get_mut(&self.id)
            .ok_or(ErrorKind::NotFound)?;
        segment.synced = segment.written.clone();
        Ok(())
    }
}
