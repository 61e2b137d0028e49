//! How far a run is, and whether it is to end.

use crate::source::KeptLog;
use crate::world;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The most items that are named.
const NAMED_MAX: usize = 10;

/// Items that no row is made of, or their changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rowless {
    /// How many there are.
    pub count: u64,
    /// The first ones, each with the reason.
    pub first: Vec<String>,
}

impl Rowless {
    pub(crate) fn add(&mut self, name: String) {
        self.count += 1;
        if self.first.len() < NAMED_MAX && !self.first.contains(&name) {
            self.first.push(name);
        }
    }
}

/// How far a run is, and whether it is to stop. It is looked at while the run goes on.
#[derive(Debug, Default)]
pub struct Progress {
    stops: AtomicBool,
    read: AtomicU64,
    put: AtomicU64,
    deleted: AtomicU64,
    changes: AtomicU64,
    follows: AtomicBool,
    leads: AtomicBool,
    compares: AtomicBool,
    compared: AtomicU64,
    is_closed: AtomicBool,
    /// The moment up to which every change is carried, in milliseconds since 1970; 0 while none is known.
    carried_ms: AtomicI64,
    short_log: Mutex<Option<KeptLog>>,
    rowless: Mutex<Rowless>,
}

/// The figures of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Rows that were read.
    pub read: u64,
    /// Entities that were put.
    pub put: u64,
    /// Entities that were deleted.
    pub deleted: u64,
    /// Changes that were carried.
    pub changes: u64,
    /// Whether every row was read, and changes are carried.
    pub follows: bool,
    /// Whether rows and items are compared.
    pub compares: bool,
    /// Rows that were compared with their items. Those that change meanwhile are compared again.
    pub compared: u64,
    /// Whether nobody can write, because a switch is about to be done.
    pub is_closed: bool,
    /// Whether the tables lead: what is put and deleted are rows.
    pub leads: bool,
    /// Changes of items that no row is made of: while the tables lead, they are passed over.
    pub rowless: u64,
    /// How long ago the moment is up to which every change is carried, once all rows are read; `None` while that is not
    /// known.
    pub behind: Option<Duration>,
}

impl Progress {
    /// Asks the run to end.
    pub fn stop(&self) {
        self.stops.store(true, Ordering::SeqCst);
    }

    /// Whether the run is asked to end.
    pub fn is_stopping(&self) -> bool {
        self.stops.load(Ordering::SeqCst)
    }

    pub(crate) fn add_written(&self, put: u64, deleted: u64) {
        self.put.fetch_add(put, Ordering::Relaxed);
        self.deleted.fetch_add(deleted, Ordering::Relaxed);
    }

    pub(crate) fn add_changes(&self, changes: usize) {
        self.changes.fetch_add(changes as u64, Ordering::Relaxed);
    }

    /// Every row was read.
    pub(crate) fn follow(&self) {
        self.follows.store(true, Ordering::Relaxed);
    }

    /// The tables lead, and rows are written.
    pub(crate) fn lead(&self) {
        self.leads.store(true, Ordering::Relaxed);
    }

    /// Rows and items are compared from now on.
    pub(crate) fn compare(&self) {
        self.compares.store(true, Ordering::Relaxed);
    }

    pub(crate) fn add_compared(&self, rows: usize) {
        self.compared.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Nobody can write from now on.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn add_read(&self, rows: usize) {
        self.read.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Every change of before a moment is carried.
    pub(crate) fn carried_up_to(&self, epoch_ms: i64) {
        self.carried_ms.fetch_max(epoch_ms, Ordering::Relaxed);
    }

    /// The moment up to which every change is carried.
    pub(crate) fn carried_ms(&self) -> Option<i64> {
        let carried = self.carried_ms.load(Ordering::Relaxed);
        (carried > 0).then_some(carried)
    }

    /// The database may soon throw away changes that are not carried.
    pub(crate) fn note_short_log(&self, log: KeptLog) {
        let mut short = self
            .short_log
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *short = Some(log);
    }

    /// The log of the database, if it was noticed since the last call that it may soon be thrown away.
    pub fn take_short_log(&self) -> Option<KeptLog> {
        let mut short = self
            .short_log
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        short.take()
    }

    /// A change was passed over, of an item that no row is made of.
    pub(crate) fn add_rowless(&self, name: String) {
        let mut rowless = self.rowless.lock().unwrap_or_else(PoisonError::into_inner);
        rowless.add(name);
    }

    /// The changes that were passed over, with the first items that they are of.
    pub fn rowless(&self) -> Rowless {
        let rowless = self.rowless.lock().unwrap_or_else(PoisonError::into_inner);
        rowless.clone()
    }

    /// The figures now.
    pub fn figures(&self) -> Figures {
        let of = |one: &AtomicU64| one.load(Ordering::Relaxed);
        Figures {
            read: of(&self.read),
            put: of(&self.put),
            deleted: of(&self.deleted),
            changes: of(&self.changes),
            follows: self.follows.load(Ordering::Relaxed),
            leads: self.leads.load(Ordering::Relaxed),
            compares: self.compares.load(Ordering::Relaxed),
            compared: of(&self.compared),
            is_closed: self.is_closed.load(Ordering::Relaxed),
            rowless: self.rowless().count,
            behind: self
                .carried_ms()
                .filter(|_| self.follows.load(Ordering::Relaxed))
                .map(|carried| world::since(carried, world::epoch_ms())),
        }
    }
}
