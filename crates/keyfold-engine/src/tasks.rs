//! Long work that a request has begun: copying items into a backup, and from one (or from a table as it was) into
//! a new table.
//!
//! A restore is known from its table, which is CREATING, and begins again after a restart. A backup that was not
//! complete when the process ended is dropped: it holds the items of a moment that is gone.

use crate::background::{self, Work};
use crate::backup::Backup;
use crate::catalog;
use crate::core::Core;
use crate::history::StateAt;
use crate::layout;
use crate::ops::backups;
use crate::pending::internal;
use crate::table::Table;
use crate::transferring;
use crate::transfers::{Export, Import};
use crate::write::{self, Action, Author, ItemWrite};
use keyfold_api::{ApiError, TableStatus};
use keyfold_codec::RawItem;
use keyfold_codec::key::{self, IndexId, KeyRange, TableId};
use keyfold_store::{Batch, Direction, Snapshot};
use keyfold_types::Item;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Items copied at once.
const CHUNK: usize = 500;

/// What a request has begun.
pub(crate) enum Task {
    /// Copies a table's items, as they were, into a backup.
    Backup { backup: Arc<Backup>, state: Snapshot },
    /// Writes a table's items, as they were, to files.
    Export { export: Arc<Export>, table: Arc<Table> },
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

    fn take(&self) -> Option<Task> {
        self.lock().pop_front()
    }
}

/// How far restores are.
#[derive(Default)]
pub(crate) struct Restores {
    under_way: BTreeMap<TableId, (StateAt, KeyRange)>,
}

/// Does a piece of what has been begun.
pub(crate) fn work(core: &Core, tables: &[Arc<Table>], restores: &mut Restores) -> Result<Work, ApiError> {
    let mut work = Work::Done;
    if let Some(task) = core.tasks().take() {
        match task {
            Task::Backup { backup, state } => copy(core, &backup, &state)?,
            Task::Export { export, table } => transferring::export(core, &export, &table)?,
            Task::Import { import, table } => transferring::import(core, &import, &table)?,
        }
        work = Work::More;
    }
    for table in tables.iter().filter(|table| !table.is_ready() && table.settings.restored.is_some()) {
        restore_some(core, table, restores)?;
        work = Work::More;
    }
    Ok(work)
}

/// Drops the backups that the end of the process cut short.
pub(crate) fn drop_incomplete(core: &Core) -> Result<(), ApiError> {
    let mut backups = core.catalog().write_backups();
    let mut batch = Batch::new();
    backups.retain(|_, backup| {
        if !backup.is_complete {
            batch.remove(layout::backup_record(backup.id));
            batch.put(layout::dropped(backup.id), Vec::new());
        }
        backup.is_complete
    });
    core.store().stage(batch).map_err(internal)?.wait().map_err(internal)?;
    drop(backups);
    transferring::end_incomplete(core)
}

/// Whether an item can be in the table.
pub(crate) fn fits(table: &Arc<Table>, item: &Item) -> bool {
    ItemWrite::new(Action::Put(item.clone())).plan(table).is_ok_and(|plan| plan.evaluate(None).is_ok())
}

fn copy(core: &Core, backup: &Arc<Backup>, state: &Snapshot) -> Result<(), ApiError> {
    let prefix = key::space_prefix(backup.table.id, IndexId::BASE);
    let range = KeyRange::prefix(prefix.clone());
    let (low, high) = range.bounds();
    let mut low: Bound<Vec<u8>> = low.map(<[u8]>::to_vec);
    loop {
        let mut batch = Batch::new();
        let mut last = None;
        for entry in state.range(low.as_ref().map(Vec::as_slice), high, Direction::Forward).take(CHUNK) {
            let (from, bytes) = entry.map_err(internal)?;
            let mut to = key::space_prefix(backup.id, IndexId::BASE);
            to.extend_from_slice(from.get(prefix.len()..).unwrap_or_default());
            batch.put(to, bytes);
            last = Some(from.to_vec());
        }
        core.store().stage(batch).map_err(internal)?.wait().map_err(internal)?;
        match last {
            Some(last) => low = Bound::Excluded(last),
            None => break,
        }
    }
    let complete = Backup { is_complete: true, ..Backup::clone(backup) };
    let mut backups = core.catalog().write_backups();
    let place = (backup.table.name.clone(), backup.label.clone());
    // It may have been deleted meanwhile.
    let mut batch = Batch::new();
    match backups.get_mut(&place) {
        Some(known) => {
            catalog::put_backup(&mut batch, &complete);
            *known = Arc::new(complete);
        }
        None => batch.put(layout::dropped(backup.id), Vec::new()),
    }
    core.store().stage(batch).map_err(internal)?.wait().map_err(internal)
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
    StateAt::at(core.store(), &from, restored.epoch_ms).map(Some)
}

fn restore_some(core: &Core, table: &Arc<Table>, restores: &mut Restores) -> Result<(), ApiError> {
    let (state, from) = match restores.under_way.remove(&table.id) {
        Some(under_way) => under_way,
        None => match source(core, table)? {
            Some(state) => {
                let start = state.start();
                (state, start)
            }
            None => return give_up(core, table),
        },
    };
    let (items, rest) = state.some(&from, CHUNK)?;
    fill(core, table, items)?;
    if let Some(rest) = rest {
        restores.under_way.insert(table.id, (state, rest));
        return Ok(());
    }
    for items in state.changed_since().chunks(CHUNK) {
        fill(core, table, items.to_vec())?;
    }
    background::change_table(core, table, |table| table.status = TableStatus::Active)
}

/// Puts items into a table that nobody reads or writes yet.
pub(crate) fn fill(core: &Core, table: &Arc<Table>, items: Vec<RawItem>) -> Result<(), ApiError> {
    let mut batch = Batch::new();
    for item in items {
        let write = ItemWrite::new(Action::Put(item.to_item()));
        let plan = write.plan(table)?;
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
    core.store().stage(batch).map_err(internal)?.wait().map_err(internal)?;
    tables.remove(&table.name);
    Ok(())
}
