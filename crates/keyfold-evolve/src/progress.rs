//! How far a run is: counters that its tasks share, and the wish to stop.

use keyfold_motion::Units;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The counters of a run, and whether it is to stop.
#[derive(Debug, Default)]
pub struct Progress {
    is_stopping: AtomicBool,
    items: AtomicU64,
    entities: AtomicU64,
    changed: AtomicU64,
    unknown: AtomicU64,
    writes: AtomicU64,
    requests: AtomicU64,
    read_halves: AtomicU64,
    write_halves: AtomicU64,
    conflicts: AtomicU64,
    phase: Mutex<String>,
    present: Mutex<String>,
    notes: Mutex<Vec<String>>,
}

/// The counters at a moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// The items that scans have read.
    pub items: u64,
    /// The entities among them that the phase is about.
    pub entities: u64,
    /// The entities that were written, or that would be.
    pub changed: u64,
    /// The items that neither model knows: they stay as they are.
    pub unknown: u64,
    /// The items that were put, updated or deleted, or that would be.
    pub writes: u64,
    /// The requests that were sent.
    pub requests: u64,
    /// The units that the answers report.
    pub units: Units,
    /// The writes that found an item changed, and were made again.
    pub conflicts: u64,
    /// The phase that items, entities, changes and writes are counted in.
    pub phase: String,
    /// The phase that is carried out.
    pub present: String,
}

fn text(held: &Mutex<String>) -> String {
    held.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn set(held: &Mutex<String>, text: &str) {
    text.clone_into(&mut held.lock().unwrap_or_else(PoisonError::into_inner));
}

impl Progress {
    /// Ends the run after the requests that are under way. The next run goes on from there.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
    }

    /// Whether the run is to end.
    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }

    /// The counters now.
    pub fn figures(&self) -> Figures {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Figures {
            items: get(&self.items),
            entities: get(&self.entities),
            changed: get(&self.changed),
            unknown: get(&self.unknown),
            writes: get(&self.writes),
            requests: get(&self.requests),
            units: Units {
                read_halves: get(&self.read_halves),
                write_halves: get(&self.write_halves),
            },
            conflicts: get(&self.conflicts),
            phase: text(&self.phase),
            present: text(&self.present),
        }
    }

    /// What was left undone since the caller accepts it, as sentences without their ends.
    pub fn notes(&self) -> Vec<String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.clone()
    }

    pub(crate) fn note(&self, sentence: String) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(sentence);
    }

    /// A phase begins.
    pub(crate) fn enter(&self, phase: &str) {
        set(&self.present, phase);
    }

    /// A phase begins whose items are counted.
    pub(crate) fn begin(&self, phase: &str) {
        self.enter(phase);
        set(&self.phase, phase);
        for counter in [
            &self.items,
            &self.entities,
            &self.changed,
            &self.unknown,
            &self.writes,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
    }

    pub(crate) fn read(&self, items: u64, entities: u64, unknown: u64) {
        self.items.fetch_add(items, Ordering::Relaxed);
        self.entities.fetch_add(entities, Ordering::Relaxed);
        self.unknown.fetch_add(unknown, Ordering::Relaxed);
    }

    /// Sets the items and those of neither model, each counted once, where several passes have read them.
    pub(crate) fn counted(&self, items: u64, unknown: u64) {
        self.items.store(items, Ordering::Relaxed);
        self.unknown.store(unknown, Ordering::Relaxed);
    }

    pub(crate) fn wrote(&self, writes: u64) {
        self.changed.fetch_add(1, Ordering::Relaxed);
        self.writes.fetch_add(writes, Ordering::Relaxed);
    }

    pub(crate) fn conflict(&self) {
        self.conflicts.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn asked(&self) {
        self.requests.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn used(&self, units: Units) {
        self.read_halves
            .fetch_add(units.read_halves, Ordering::Relaxed);
        self.write_halves
            .fetch_add(units.write_halves, Ordering::Relaxed);
    }
}
