//! Long work that a request has begun: copying items into a backup, and from one (or from a table as it was) into
//! a new table.
//!
//! A restore is known from its table, which is CREATING, and begins again after a restart. So does a backup: while
//! it is copied its table keeps every change, from which the items of its moment can be told later.

use crate::background::{self, Turn, Work};
use crate::backup::Backup;
use crate::catalog;
use crate::core::Core;
use crate::history::StateAt;
use crate::layout;
use crate::ops::backups;
use crate::ops::export_filter::Chosen;
use crate::ops::recovery::open_window;
use crate::pending::internal;
use crate::table::Table;
use crate::transferring;
use crate::transfers::{Export, Import};
use crate::write::{self, Action, Author, ItemWrite};
use keyfold_api::{ApiError, TableStatus};
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, KeyRange, TableId};
use keyfold_store::Batch;
use keyfold_types::Item;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Items copied at once.
const CHUNK: usize = 500;
/// Turns of the background that a backup which fails again and again rests at the most: ten minutes when nothing else is due.
const REST_MAX: u32 = 1200;

/// What a request has begun.
pub(crate) enum Task {
    /// Copies a table's items, as they were, into a backup, after it has rested for some turns; for so many when it fails next.
    Backup { backup: Arc<Backup>, rest: u32, next_rest: u32 },
    /// Writes a table's items, as they were, to files.
    Export { export: Arc<Export>, table: Arc<Table>, chosen: Box<Chosen> },
    /// Reads items from files into a new table.
    Import { import: Arc<Import>, table: Arc<Table> },
}

/// What has been begun and not taken up yet.
#[derive(Default)]
pub(crate) struct Tasks {
    waiting: Mutex<VecDeque<Task>>,
}

impl Tasks {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Task>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, task: Task) {
        self.lock().push_back(task);
    }

    /// Ends all rest.
    pub(crate) fn rouse(&self) {
        for task in self.lock().iter_mut() {
            if let Task::Backup { rest, .. } = task {
                *rest = 0;
            }
        }
    }

    /// The first that need not rest.
    fn take(&self) -> Option<Task> {
        let mut waiting = self.lock();
        let at = waiting.iter_mut().position(|task| match task {
            Task::Backup { rest, .. } if *rest > 0 => {
                *rest -= 1;
                false
            }
            _ => true,
        })?;
        waiting.remove(at)
    }
}

impl Task {
    pub(crate) fn backup(backup: Arc<Backup>) -> Task {
        Task::Backup { backup, rest: 0, next_rest: 0 }
    }
}

/// How far restores are.
#[derive(Default)]
pub(crate) struct Restores {
    under_way: BTreeMap<TableId, Restore>,
}

#[cfg(test)]
impl Restores {
    pub(crate) fn forget_states(&mut self) {
        self.under_way.values_mut().for_each(|restore| restore.state = None);
    }
}

/// How far one is.
#[derive(Default)]
struct Restore {
    /// What the items are read from; an old state of the store that one that failed does not hold until it is tried again.
    state: Option<StateAt>,
    /// Where to go on, if not at the beginning.
    from: Option<KeyRange>,
}

/// Does a piece of what has been begun.
pub(crate) fn work(core: &Core, tables: &[Arc<Table>], restores: &mut Restores, turn: &mut Turn) {
    if let Some(task) = core.tasks().take() {
        let done = match task {
            Task::Backup { backup, next_rest, .. } => copy(core, &backup).inspect_err(|_| {
                // From the beginning again, ever less often.
                let (rest, next_rest) = (next_rest, (next_rest * 2 + 1).min(REST_MAX));
                core.tasks().add(Task::Backup { backup: Arc::clone(&backup), rest, next_rest });
            }),
            Task::Export { export, table, chosen } => transferring::export(core, &export, &table, &chosen),
            Task::Import { import, table } => transferring::import(core, &import, &table),
        };
        turn.note(done.map(|()| Work::More));
    }
    for table in tables.iter().filter(|table| !table.is_ready() && table.settings.restored.is_some()) {
        turn.note(restore_some(core, table, restores).map(|()| Work::More));
    }
}

/// Takes up again what the end of the process cut short.
pub(crate) fn resume(core: &Core) -> Result<(), ApiError> {
    let incomplete: Vec<_> =
        core.catalog().backups().values().filter(|backup| !backup.is_complete).cloned().collect();
    for backup in incomplete {
        core.tasks().add(Task::backup(backup));
    }
    transferring::end_incomplete(core)
}

/// Whether an item can be in the table.
pub(crate) fn fits(table: &Arc<Table>, item: &Item) -> bool {
    ItemWrite::new(Action::Put(item.clone())).plan(table).is_ok_and(|plan| plan.evaluate(None).is_ok())
}

fn copy(core: &Core, backup: &Arc<Backup>) -> Result<(), ApiError> {
    // What was staged before it began is seen then; what was changed since is undone.
    core.store().barrier().wait().map_err(internal)?;
    let state = StateAt::before(core.store(), &backup.table, backup.sequence)?;
    let table = &backup.table;
    let mut size = (0, 0);
    let mut put = |items: Vec<RawItem>| -> Result<(), ApiError> {
        let mut batch = Batch::new();
        for item in items {
            size = (size.0 + 1, size.1 + item.size_bytes());
            let key =
                key::base_key(backup.id, &table.key, &item.select(|name| table.key.contains(name)).to_item())
                    .map_err(|_| {
                        ApiError::Internal(format!("an item of table {} lacks its key", table.name))
                    })?;
            batch.put(key.as_slice().to_vec(), item.bytes().clone());
        }
        core.store().stage(batch).map_err(internal)?.wait().map_err(internal)
    };
    let mut from = Some(state.start());
    while let Some(range) = from {
        let (items, rest) = state.some(&range, CHUNK)?;
        put(items)?;
        from = rest;
    }
    for items in state.changed_since(&state.start()).chunks(CHUNK) {
        put(items.to_vec())?;
    }
    complete(core, backup, size)
}

/// Notes that a backup has all its items; its table need not keep changes for it any more.
fn complete(core: &Core, backup: &Arc<Backup>, size: (u64, u64)) -> Result<(), ApiError> {
    let mut tables = core.catalog().write();
    let mut backups = core.catalog().write_backups();
    let (place, table) = ((backup.table.name.clone(), backup.table.id), &backup.table.name);
    let mut batch = Batch::new();
    let complete = Backup { is_complete: true, size, ..Backup::clone(backup) };
    catalog::put_backup(&mut batch, &complete);
    backups.insert((place.0, backup.label.clone()), Arc::new(complete));
    let is_copied = backups.values().any(|other| !other.is_complete && other.table.id == place.1);
    if let Some(known) = tables.get_mut(table).filter(|known| known.id == place.1 && !is_copied) {
        let mut changed = Table::clone(known);
        changed.settings.keeps_changes = false;
        catalog::put_record(&mut batch, &changed);
        *known = Arc::new(changed);
    }
    let ticket = core.store().stage(batch).map_err(internal)?;
    drop((tables, backups));
    ticket.wait().map_err(internal)
}

/// Removes the backups whose time is over.
pub(crate) fn forget_backups(core: &Core) -> Result<Work, ApiError> {
    let now = core.now_ms();
    let is_over = |backup: &Backup| backup.is_complete && backup.expires_epoch_ms.is_some_and(|at| at < now);
    if !core.catalog().backups().values().any(|backup| is_over(backup)) {
        return Ok(Work::Done);
    }
    let mut backups = core.catalog().write_backups();
    let mut batch = Batch::new();
    backups.retain(|_, backup| {
        let is_over = is_over(backup);
        if is_over {
            batch.remove(layout::backup_record(backup.id));
            batch.put(layout::dropped(backup.id), Vec::new());
        }
        !is_over
    });
    let ticket = core.store().stage(batch).map_err(internal)?;
    drop(backups);
    ticket.wait().map_err(internal)?;
    Ok(Work::More)
}

/// The items that a table is restored from; none when they are gone.
fn source(core: &Core, table: &Table) -> Result<Option<StateAt>, ApiError> {
    let Some(restored) = &table.settings.restored else { return Ok(None) };
    if let Some(arn) = &restored.backup_arn {
        let backup = backups::find(core, arn).ok();
        return Ok(backup.map(|backup| StateAt::now(core.store(), backup.id, &backup.table.name)));
    }
    let name = restored.table_arn.rsplit('/').next().unwrap_or_default();
    let Some(from) = core.catalog().read().get(name).cloned() else { return Ok(None) };
    // Another table may have the name by now, or changes since the moment may be kept no more.
    if open_window(core, &from).map_or(true, |(first, _)| first > restored.epoch_ms) {
        return Ok(None);
    }
    StateAt::at(core.store(), &from, restored.epoch_ms).map(Some)
}

fn restore_some(core: &Core, table: &Arc<Table>, restores: &mut Restores) -> Result<(), ApiError> {
    let restore = restores.under_way.entry(table.id).or_default();
    let known = restore.state.take().map_or_else(|| source(core, table), |state| Ok(Some(state)))?;
    let Some(state) = known else {
        restores.under_way.remove(&table.id);
        return give_up(core, table);
    };
    let from = restore.from.clone().unwrap_or_else(|| state.start());
    let (items, rest) = state.some(&from, CHUNK)?;
    fill(core, table, items)?;
    if rest.is_some() {
        *restore = Restore { state: Some(state), from: rest };
        return Ok(());
    }
    for items in state.changed_since(&state.start()).chunks(CHUNK) {
        fill(core, table, items.to_vec())?;
    }
    background::change_table(core, table, |table| table.status = TableStatus::Active)?;
    restores.under_way.remove(&table.id);
    Ok(())
}

/// Puts items into a table that nobody reads or writes yet.
pub(crate) fn fill(core: &Core, table: &Arc<Table>, items: Vec<RawItem>) -> Result<(), ApiError> {
    let mut batch = Batch::new();
    let mut filled = HashSet::new();
    for item in items {
        let write = ItemWrite::new(Action::Put(item.to_item()));
        let plan = write.plan(table)?;
        if !filled.insert(plan.key.clone()) {
            // The same key again: what stands in the batch must be seen.
            // The last ticket answers for this one too: after a failure nothing is taken any more.
            drop(core.store().stage(std::mem::take(&mut batch)).map_err(internal)?);
            filled = HashSet::from([plan.key.clone()]);
        }
        let before = plan.read_before(core).map_err(ApiError::from)?;
        let change = plan.evaluate(before).map_err(ApiError::from)?;
        write::apply_as(core, &mut batch, &plan, &change, Author::Filling).map_err(ApiError::from)?;
    }
    core.store().stage(batch).map_err(internal)?.wait().map_err(internal)
}

/// Removes a table whose source went away while it was restored.
fn give_up(core: &Core, table: &Table) -> Result<(), ApiError> {
    let mut tables = core.catalog().write();
    let mut batch = Batch::new();
    batch.remove(layout::table_record(&table.name));
    batch.put(layout::dropped(table.id), Vec::new());
    let ticket = core.store().stage(batch).map_err(internal)?;
    tables.remove(&table.name);
    drop(tables);
    ticket.wait().map_err(internal)
}
