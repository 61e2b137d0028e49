//! What happens without being asked: removing what was deleted, filling new indexes, deleting what has expired,
//! trimming streams.
//!
//! One thread goes through everything that may be due, a piece at a time, and sleeps when nothing is. What is
//! unfinished is noted in the store, so that it goes on after a restart.

use crate::backfill;
use crate::catalog;
use crate::core::Core;
use crate::expiry;
use crate::jobs::{self, Jobs};
use crate::layout;
use crate::pending::internal;
use crate::stream::{Event, RETENTION_MS, Stream};
use crate::table::Table;
use keyfold_api::ApiError;
use keyfold_codec::key::{self, IndexId, KeyRange, TableId};
use keyfold_store::{Batch, Direction, Snapshot};
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Keys removed in one batch.
const CHUNK: usize = 2000;
/// How long the thread sleeps when nothing is due: how late an expired item is deleted.
const PAUSE: Duration = Duration::from_millis(500);

/// Whether there is more of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    More,
    Done,
}

/// Wakes the thread.
#[derive(Default)]
pub(crate) struct Signal {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    is_due: bool,
    stop: bool,
}

impl Signal {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells that something may be due.
    pub(crate) fn wake(&self) {
        self.lock().is_due = true;
        self.changed.notify_one();
    }

    fn stop(&self) {
        self.lock().stop = true;
        self.changed.notify_one();
    }

    /// Sleeps until something may be due; false when the thread shall end.
    fn sleep(&self) -> bool {
        let mut state = self.lock();
        if !state.stop && !state.is_due {
            state = self
                .changed
                .wait_timeout(state, PAUSE)
                .map_or_else(|poisoned| poisoned.into_inner().0, |(state, _)| state);
        }
        state.is_due = false;
        !state.stop
    }

    fn is_stopped(&self) -> bool {
        self.lock().stop
    }
}

/// The thread.
pub(crate) struct Background {
    core: Core,
    thread: Option<JoinHandle<()>>,
}

impl Background {
    pub(crate) fn start(core: Core) -> Result<Background, ApiError> {
        let for_thread = core.clone();
        let thread = std::thread::Builder::new()
            .name("keyfold-background".to_owned())
            .spawn(move || run(&for_thread))
            .map_err(|error| ApiError::Internal(format!("cannot start a thread: {error}")))?;
        Ok(Background { core, thread: Some(thread) })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.core.signal().stop();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            // Nothing is lost: what is unfinished is noted, and the next start goes on.
        }
    }
}

fn run(core: &Core) {
    loop {
        // A failing store refuses every write and says so itself. What failed is tried again after a pause.
        while !core.signal().is_stopped() && core.progress().work(core).has_more {}
        if !core.signal().sleep() {
            return;
        }
    }
}

/// What a table's items are gone through for.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Filling {
    Index(TableId, IndexId),
    /// Expiry notes of the setting that was made then.
    Expiry(TableId, u64),
}

/// How far the pieces of long work are; forgotten at the end, when they begin again.
#[derive(Default)]
pub(crate) struct Progress {
    /// What is left of each table.
    left: BTreeMap<Filling, KeyRange>,
    /// What is left to be removed, by the note of it.
    swept: BTreeMap<Vec<u8>, VecDeque<KeyRange>>,
    /// The last key that was trimmed behind each prefix: what is before it need not be looked for among tombstones.
    trimmed: BTreeMap<Vec<u8>, Vec<u8>>,
    jobs: Jobs,
}

impl Progress {
    /// Does a piece of everything that is due. What fails keeps nothing else waiting, and is tried again the next time.
    pub(crate) fn work(&mut self, core: &Core) -> Turn {
        let mut turn = Turn::default();
        self.sweep_some(core, &mut turn);
        let tables: Vec<Arc<Table>> = core.catalog().read().values().cloned().collect();
        self.left.retain(|place, _| match place {
            Filling::Index(..) => true,
            Filling::Expiry(id, begun) => tables.iter().any(|table| {
                table.id == *id && table.settings.expiry.as_ref().is_some_and(|expiry| expiry.begun == *begun)
            }),
        });
        for table in tables.iter().filter(|table| table.is_ready()) {
            turn.note(&format!("filling an index of table {}", table.name), self.fill_index(core, table));
            turn.note(
                &format!("noting when items of table {} expire", table.name),
                self.fill_expiry(core, table),
            );
            turn.note(
                &format!("deleting expired items of table {}", table.name),
                expiry::delete_some(core, table),
            );
        }
        self.trim_streams(core, &mut turn);
        self.trim_changes(core, &tables, &mut turn);
        turn.note("forgetting old backups", crate::backup::forget_expired(core));
        turn.note("forgetting old exports and imports", crate::transfers::forget_old(core));
        self.jobs.work(core, &mut turn);
        for (what, error) in &turn.failures {
            core.report(what, &error.to_string());
        }
        turn
    }

    /// Ends all rest of what failed.
    pub(crate) fn rouse(&mut self) {
        self.jobs.rouse();
    }

    /// As if what is under way had been cut short by the end of the process.
    #[cfg(test)]
    pub(crate) fn begin_again(&mut self, core: &Core) {
        self.jobs.begin_again(core);
    }

    /// Removes one chunk of the first deleted table or index of which it can be done.
    fn sweep_some(&mut self, core: &Core, turn: &mut Turn) {
        let notes = KeyRange::prefix(layout::dropped_tables());
        let snapshot = core.store().snapshot();
        let notes = match keys(&snapshot, &notes, CHUNK) {
            Ok(notes) => notes,
            Err(error) => return turn.note("looking for what was deleted", Err(error)),
        };
        // A table that a backup is still copied from waits. Asked behind the lock under which tables are deleted: the backup that
        // a deleted table leaves is known when its note is seen.
        let read_from = {
            let _tables = core.catalog().read();
            jobs::read_from(core)
        };
        for note in notes {
            let Some(place) = layout::dropped_place(&note).filter(|place| !read_from.contains(&place.0))
            else {
                continue;
            };
            let done = self.sweep(core, note, place);
            let ends = done.is_ok();
            turn.note("removing what was deleted", done);
            if ends {
                return;
            }
        }
    }

    /// Removes one chunk of a deleted table or index, or the note of it when nothing is left.
    fn sweep(
        &mut self,
        core: &Core,
        note: Vec<u8>,
        (table, index): (TableId, Option<IndexId>),
    ) -> Result<Work, ApiError> {
        let store = core.store();
        let left = self.swept.entry(note.clone()).or_insert_with(|| match index {
            Some(index) => VecDeque::from([KeyRange::prefix(key::space_prefix(table, index))]),
            None => [
                table.0.to_be_bytes().to_vec(),
                layout::expiries_of(table),
                layout::changes(table),
                layout::events(table),
            ]
            .map(KeyRange::prefix)
            .into(),
        });
        if let Some(range) = left.front_mut() {
            if remove_some(core, range)? {
                left.pop_front();
            }
            return Ok(Work::More);
        }
        if index.is_none()
            && !remove_counters(core, &[layout::collections_of(table), layout::counters_of(table)])?
        {
            return Ok(Work::More);
        }
        let mut batch = Batch::new();
        batch.remove(note.clone());
        batch.remove(layout::trimmed(table));
        if let Some(index) = index {
            // The next index with this id is filled from the beginning.
            self.left.remove(&Filling::Index(table, index));
            for counter in [layout::Counter::Entries, layout::Counter::Bytes] {
                batch.remove_counter(layout::counter(table, index, counter));
            }
        }
        store.stage(batch).map_err(internal)?.wait().map_err(internal)?;
        self.swept.remove(&note);
        Ok(Work::More)
    }

    /// A piece of the first index that is being built.
    fn fill_index(&mut self, core: &Core, table: &Arc<Table>) -> Result<Work, ApiError> {
        let Some(index) = table.indexes.iter().find(|index| index.is_building) else { return Ok(Work::Done) };
        let place = Filling::Index(table.id, index.id);
        let range = self.left.get(&place).cloned().unwrap_or_else(|| backfill::whole(table));
        if let Some(rest) = backfill::index_some(core, table, index, &range)? {
            self.left.insert(place, rest);
            return Ok(Work::More);
        }
        change_table(core, table, |table| {
            for built in &mut table.indexes {
                if built.id == index.id {
                    built.is_building = false;
                }
            }
        })?;
        self.left.remove(&place);
        Ok(Work::More)
    }

    /// A piece of the expiry notes of items from before the setting.
    fn fill_expiry(&mut self, core: &Core, table: &Arc<Table>) -> Result<Work, ApiError> {
        let setting = table.settings.expiry.as_ref().filter(|expiry| !expiry.is_complete);
        let Some(begun) = setting.map(|expiry| expiry.begun) else { return Ok(Work::Done) };
        let place = Filling::Expiry(table.id, begun);
        let range = self.left.get(&place).cloned().unwrap_or_else(|| backfill::whole(table));
        if let Some(rest) = expiry::note_some(core, table, &range)? {
            self.left.insert(place, rest);
            return Ok(Work::More);
        }
        change_table(core, table, |table| {
            if let Some(expiry) = table.settings.expiry.as_mut().filter(|expiry| expiry.begun == begun) {
                expiry.is_complete = true;
            }
        })?;
        self.left.remove(&place);
        Ok(Work::Done)
    }
}

/// What came of going through everything once.
#[derive(Default)]
pub(crate) struct Turn {
    /// Something was done, and there is more of it.
    pub(crate) has_more: bool,
    /// What failed, and why.
    pub(crate) failures: Vec<(String, ApiError)>,
}

impl Turn {
    pub(crate) fn note(&mut self, what: &str, work: Result<Work, ApiError>) {
        match work {
            Ok(work) => self.has_more |= work == Work::More,
            Err(error) => self.failures.push((what.to_owned(), error)),
        }
    }
}

/// Removes some keys of a range, into which nothing is written any more; true when none are left.
pub(crate) fn remove_some(core: &Core, range: &mut KeyRange) -> Result<bool, ApiError> {
    let store = core.store();
    // Whatever was staged before the range was given up.
    let found = keys(&store.snapshot_of_staged().map_err(internal)?, range, CHUNK)?;
    let Some(last) = found.last().cloned() else { return Ok(true) };
    let is_over = found.len() < CHUNK;
    let mut batch = Batch::new();
    found.into_iter().for_each(|key| batch.remove(key));
    store.stage(batch).map_err(internal)?.wait().map_err(internal)?;
    range.low = Bound::Excluded(last);
    Ok(is_over)
}

/// Removes some counters behind prefixes; true when none are left.
pub(crate) fn remove_counters(core: &Core, prefixes: &[Vec<u8>]) -> Result<bool, ApiError> {
    let snapshot = core.store().snapshot_of_staged().map_err(internal)?;
    let mut batch = Batch::new();
    for prefix in prefixes {
        let room = CHUNK - batch.len();
        let found = keys(&snapshot, &KeyRange::prefix(prefix.clone()), room)?;
        found.into_iter().for_each(|key| batch.remove_counter(key));
    }
    let is_over = batch.len() < CHUNK;
    core.store().stage(batch).map_err(internal)?.wait().map_err(internal)?;
    Ok(is_over)
}

/// Changes a table's definition, if it is still there. Like every change it is held as soon as it is staged: nobody waits for
/// the device with the catalog locked.
pub(crate) fn change_table(
    core: &Core,
    table: &Table,
    change: impl FnOnce(&mut Table),
) -> Result<(), ApiError> {
    let mut tables = core.catalog().write();
    let Some(current) = tables.get(&table.name).filter(|current| current.id == table.id) else {
        return Ok(());
    };
    let mut changed = Table::clone(current);
    change(&mut changed);
    let mut batch = Batch::new();
    catalog::put_record(&mut batch, &changed);
    let ticket = core.store().stage(batch).map_err(internal)?;
    if let Some(past) = core.past() {
        past.catch_up();
    }
    tables.insert(changed.name.clone(), Arc::new(changed));
    drop(tables);
    ticket.wait().map_err(internal)
}

fn keys(snapshot: &Snapshot, range: &KeyRange, most: usize) -> Result<Vec<Vec<u8>>, ApiError> {
    let (low, high) = range.bounds();
    snapshot
        .range(low, high, Direction::Forward)
        .take(most)
        .map(|entry| entry.map(|(key, _)| key.to_vec()).map_err(internal))
        .collect()
}

fn forget_stream(core: &Core, stream: &Stream) -> Result<Work, ApiError> {
    let mut streams = core.catalog().write_streams();
    let mut batch = Batch::new();
    batch.remove(layout::stream_record(stream.id));
    batch.put(layout::dropped(stream.id), Vec::new());
    let ticket = core.store().stage(batch).map_err(internal)?;
    streams.remove(&(stream.table_name.clone(), stream.label.clone()));
    drop(streams);
    ticket.wait().map_err(internal)?;
    Ok(Work::Done)
}

impl Progress {
    /// Removes records of streams that are older than a day, and streams that were closed a day ago.
    fn trim_streams(&mut self, core: &Core, turn: &mut Turn) {
        let horizon = core.now_ms().saturating_sub(RETENTION_MS);
        let streams: Vec<_> = core.catalog().streams().values().cloned().collect();
        for stream in streams {
            let what = format!("trimming the stream of table {}", stream.table_name);
            let trimmed = self.find_old(core, layout::events(stream.id), horizon).and_then(|found| {
                let Some((batch, last)) = found else { return Ok(Work::Done) };
                let mut batch = batch;
                // Who has read up to here has lost nothing.
                if let Some(sequence) = layout::sequence_of(&last) {
                    batch.put(layout::trimmed(stream.id), sequence.to_be_bytes().to_vec());
                }
                self.trim(core, layout::events(stream.id), batch, last)
            });
            turn.note(&what, trimmed);
            if stream.closed.is_some_and(|(closed, _)| closed < horizon) {
                turn.note(&what, forget_stream(core, &stream));
            }
        }
    }

    /// Removes changes that point-in-time recovery does not reach any more.
    fn trim_changes(&mut self, core: &Core, tables: &[Arc<Table>], turn: &mut Turn) {
        for table in tables {
            let what = format!("trimming the changes of table {}", table.name);
            turn.note(&what, self.trim_changes_of(core, table));
        }
    }

    fn trim_changes_of(&mut self, core: &Core, table: &Table) -> Result<Work, ApiError> {
        // Which changes are needed is asked with the catalog held, until their removal is staged: whoever begins to keep
        // changes holds it for writing.
        let tables = core.catalog().read();
        let Some(table) = tables.get(&table.name).filter(|now| now.id == table.id) else {
            return Ok(Work::Done);
        };
        // A backup that is being copied needs every change since it began.
        if table.settings.keeps_changes {
            return Ok(Work::Done);
        }
        let horizon = match &table.settings.recovery {
            Some(recovery) => core.now_ms().saturating_sub(recovery.days * RETENTION_MS),
            // Switched off: nothing is kept.
            None => u64::MAX,
        };
        let place = layout::changes(table.id);
        let Some((batch, last)) = self.find_old(core, place.clone(), horizon)? else { return Ok(Work::Done) };
        let work = if batch.len() == CHUNK { Work::More } else { Work::Done };
        let ticket = core.store().stage(batch).map_err(internal)?;
        drop(tables);
        ticket.wait().map_err(internal)?;
        self.trimmed.insert(place, last);
        Ok(work)
    }

    /// The removal of some events that are older than a time, and the last of their keys.
    fn find_old(
        &self,
        core: &Core,
        prefix: Vec<u8>,
        horizon_epoch_ms: u64,
    ) -> Result<Option<(Batch, Vec<u8>)>, ApiError> {
        let snapshot = core.store().snapshot();
        let mut range = KeyRange::prefix(prefix.clone());
        if let Some(last) = self.trimmed.get(&prefix) {
            range.low = Bound::Excluded(last.clone());
        }
        let (low, high) = range.bounds();
        let (mut batch, mut last) = (Batch::new(), None);
        for entry in snapshot.range(low, high, Direction::Forward).take(CHUNK) {
            let (key, bytes) = entry.map_err(internal)?;
            if Event::epoch_ms_of(&bytes).is_some_and(|at| at >= horizon_epoch_ms) {
                break;
            }
            last = Some(key.to_vec());
            batch.remove(key.to_vec());
        }
        Ok(last.map(|last| (batch, last)))
    }

    fn trim(&mut self, core: &Core, prefix: Vec<u8>, batch: Batch, last: Vec<u8>) -> Result<Work, ApiError> {
        let work = if batch.len() >= CHUNK { Work::More } else { Work::Done };
        core.store().stage(batch).map_err(internal)?.wait().map_err(internal)?;
        self.trimmed.insert(prefix, last);
        Ok(work)
    }
}
