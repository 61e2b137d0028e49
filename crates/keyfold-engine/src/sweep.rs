//! Removes the items of deleted tables, in the background and a little at a time.
//!
//! DeleteTable leaves a note (`layout::dropped`) in the batch that removes the definition; the sweeper
//! works the notes off and goes on after a restart. Table ids are never used again.

use crate::layout;
use keyfold_codec::key::{KeyRange, TableId};
use keyfold_store::{Batch, Direction, Store, StoreError, Ticket};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Keys removed in one batch.
const CHUNK: usize = 2000;

#[derive(Default)]
struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Deletions to wait for before looking: their notes are visible only when durable.
    deletions: Vec<Ticket>,
    stop: bool,
}

/// The background thread.
pub(crate) struct Sweeper {
    signal: Arc<Signal>,
    thread: Option<JoinHandle<()>>,
}

impl Sweeper {
    pub(crate) fn start(store: Arc<Store>) -> Result<Sweeper, StoreError> {
        let signal = Arc::new(Signal::default());
        let for_thread = Arc::clone(&signal);
        let thread = std::thread::Builder::new()
            .name("keyfold-sweep".to_owned())
            .spawn(move || run(&store, &for_thread))?;
        let sweeper = Sweeper { signal, thread: Some(thread) };
        sweeper.wake_after(Ticket::done());
        Ok(sweeper)
    }

    /// Tells of a table's deletion.
    pub(crate) fn wake_after(&self, deletion: Ticket) {
        self.signal.state.lock().unwrap_or_else(PoisonError::into_inner).deletions.push(deletion);
        self.signal.changed.notify_one();
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        self.signal.state.lock().unwrap_or_else(PoisonError::into_inner).stop = true;
        self.signal.changed.notify_one();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            // Nothing is lost: the notes are still there for the next start.
        }
    }
}

fn run(store: &Store, signal: &Signal) {
    loop {
        let deletions = {
            let mut state = signal.state.lock().unwrap_or_else(PoisonError::into_inner);
            while state.deletions.is_empty() && !state.stop {
                state = signal.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.stop {
                return;
            }
            std::mem::take(&mut state.deletions)
        };
        if deletions.into_iter().any(|deletion| deletion.wait().is_err()) {
            // The store is poisoned; whoever asked for the deletion is told so.
            return;
        }
        let stopped = || signal.state.lock().unwrap_or_else(PoisonError::into_inner).stop;
        // A failing store refuses every write and says so itself; the notes stay for the next start.
        while !stopped() && matches!(sweep_some(store), Ok(true)) {}
    }
}

/// Removes one chunk of the first deleted table; false when there is nothing left to do.
pub(crate) fn sweep_some(store: &Store) -> Result<bool, StoreError> {
    let snapshot = store.snapshot();
    let notes = KeyRange::prefix(layout::dropped_tables());
    let Some(note) = keys(&snapshot, &notes, 1)?.pop() else { return Ok(false) };
    let mut batch = Batch::new();
    let Some(table) = layout::dropped_table(&note) else { return Ok(false) };
    for range in ranges_of(table) {
        let room = CHUNK - batch.len();
        for key in keys(&snapshot, &range, room)? {
            batch.remove(key);
        }
    }
    if batch.is_empty() {
        batch.remove(note);
    }
    store.stage(batch)?.wait()?;
    Ok(true)
}

fn ranges_of(table: TableId) -> [KeyRange; 3] {
    [
        KeyRange::prefix(table.0.to_be_bytes().to_vec()),
        KeyRange::prefix(layout::counters_of(table)),
        KeyRange::prefix(layout::collections_of(table)),
    ]
}

fn keys(
    snapshot: &keyfold_store::Snapshot,
    range: &KeyRange,
    most: usize,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let (low, high) = range.bounds();
    snapshot
        .range(low, high, Direction::Forward)
        .take(most)
        .map(|entry| entry.map(|(key, _)| key.to_vec()))
        .collect()
}
