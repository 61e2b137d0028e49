//! Long work that a request has begun: backups, restores, exports, imports.
//!
//! Each is a [`Job`], which is done in bounded pieces: the background does a piece of each in turn, so that none keeps the others,
//! or the deletion of expired items, waiting for longer than a piece takes. What is unfinished is known from the records in
//! the store, and taken up again at the next start. A job that can never succeed ends as failed, with its reason in the record.

mod backup;
mod export;
mod import;
mod restore;

use crate::background::{Turn, Work};
use crate::backup::Backup;
use crate::core::Core;
use crate::ops::export_filter::{self, Chosen};
use crate::pending::internal;
use crate::table::Table;
use crate::transfers::{Export, Import};
use crate::write::{self, Action, Author, ItemWrite, Stamp};
use keyfold_api::{ApiError, ErrorKind, ExportStatus, ImportStatus, TableStatus};
use keyfold_codec::RawItem;
use keyfold_expr::Budget;
use keyfold_store::Batch;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Jobs that are done at the same time; others wait. Each may hold some tens of megabytes.
const RUNNING_MAX: usize = 4;
/// Turns of the background that a job which fails again and again rests at the most: ten minutes when nothing else is due.
const REST_MAX: u32 = 1200;

/// Work in bounded pieces.
trait Job: Send {
    /// Does a piece: some hundred items, or some megabytes.
    ///
    /// # Errors
    /// When it could not be done now. The next piece goes on where this one began.
    fn step(&mut self, core: &Core) -> Result<Work, ApiError>;

    /// What it does, for the operator.
    fn what(&self) -> String;
}

/// What a request has begun.
pub(crate) enum Task {
    /// Copies a table's items, as they were, into a backup.
    Backup(Arc<Backup>),
    /// Fills a table that is CREATING with another's items, as they were.
    Restore(Arc<Table>),
    /// Writes a table's items, as they were, to files.
    Export { export: Arc<Export>, table: Arc<Table>, chosen: Box<Chosen> },
    /// Reads items from files into a new table.
    Import { import: Arc<Import>, table: Arc<Table> },
}

impl Task {
    fn job(self) -> Box<dyn Job> {
        match self {
            Task::Backup(backup) => Box::new(backup::BackupJob::new(backup)),
            Task::Restore(table) => Box::new(restore::RestoreJob::new(table)),
            Task::Export { export, table, chosen } => {
                Box::new(export::ExportJob::new(Export::clone(&export), table, chosen))
            }
            Task::Import { import, table } => Box::new(import::ImportJob::new(Import::clone(&import), table)),
        }
    }
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

/// A job under way.
struct Running {
    job: Box<dyn Job>,
    /// Turns that it rests after a failure, and for how many after the next.
    rest: u32,
    next_rest: u32,
}

/// The jobs under way.
#[derive(Default)]
pub(crate) struct Jobs {
    running: Vec<Running>,
}

impl Jobs {
    /// Does a piece of each.
    pub(crate) fn work(&mut self, core: &Core, turn: &mut Turn) {
        while self.running.len() < RUNNING_MAX
            && let Some(task) = core.tasks().take()
        {
            self.running.push(Running { job: task.job(), rest: 0, next_rest: 0 });
        }
        self.running.retain_mut(|running| {
            if running.rest > 0 {
                running.rest -= 1;
                return true;
            }
            match running.job.step(core) {
                Ok(Work::Done) => {
                    turn.note("", Ok(Work::More));
                    return false;
                }
                Ok(Work::More) => {
                    running.next_rest = 0;
                    turn.note("", Ok(Work::More));
                }
                Err(error) => {
                    // Again, ever less often.
                    running.rest = running.next_rest;
                    running.next_rest = (running.next_rest * 2 + 1).min(REST_MAX);
                    turn.note(&running.job.what(), Err(error));
                }
            }
            true
        });
    }

    /// Ends all rest.
    pub(crate) fn rouse(&mut self) {
        self.running.iter_mut().for_each(|running| running.rest = 0);
    }

    /// As if all that is under way had been cut short and taken up again.
    #[cfg(test)]
    pub(crate) fn begin_again(&mut self, core: &Core) {
        self.running.clear();
        drop(resume(core));
    }
}

/// Takes up again what the end of the process cut short.
pub(crate) fn resume(core: &Core) -> Result<(), ApiError> {
    let catalog = core.catalog();
    let backups: Vec<_> = catalog.backups().values().filter(|backup| !backup.is_complete).cloned().collect();
    backups.into_iter().for_each(|backup| core.tasks().add(Task::Backup(backup)));
    let tables: Vec<_> = catalog.read().values().cloned().collect();
    let restored = tables
        .iter()
        .filter(|table| table.status == TableStatus::Creating && table.settings.restored.is_some());
    restored.for_each(|table| core.tasks().add(Task::Restore(Arc::clone(table))));
    let exports: Vec<_> = catalog.exports().values().cloned().collect();
    for export in exports.into_iter().filter(|export| export.status == ExportStatus::InProgress) {
        match tables.iter().find(|table| table.uuid == export.table_uuid) {
            // What only waited loses nothing by waiting on.
            Some(table) if !export.is_begun => {
                let chosen = Box::new(Chosen::of(table, export_filter::check(export.filter.as_ref())?)?);
                core.tasks().add(Task::Export { export, table: Arc::clone(table), chosen });
            }
            _ => export::fail(core, &export, "The server stopped before the end, or the table is gone")?,
        }
    }
    let imports: Vec<_> = catalog.imports().values().cloned().collect();
    for import in imports.into_iter().filter(|import| import.status == ImportStatus::InProgress) {
        match tables.iter().find(|table| table.id == import.table.id) {
            Some(table) if !import.is_begun => {
                core.tasks().add(Task::Import { import, table: Arc::clone(table) });
            }
            _ => import::fail(core, &import, "The server stopped before the end")?,
        }
    }
    Ok(())
}

/// Whether an error would come again however often the same is tried.
fn is_final(error: &ApiError) -> bool {
    error.kind() != ErrorKind::Internal
}

/// Whether an item can be written to the table as clients write.
pub(crate) fn fits(table: &Arc<Table>, item: &keyfold_types::Item) -> bool {
    ItemWrite::new(Action::Put(item.clone()))
        .plan(table)
        .is_ok_and(|plan| plan.evaluate(None, &Budget::unbounded()).is_ok())
}

/// Puts items into a table that nobody reads or writes yet. Items that an index does not take are not in the index.
pub(crate) fn fill(core: &Core, table: &Arc<Table>, items: Vec<RawItem>) -> Result<(), ApiError> {
    let mut batch = Batch::new();
    let mut filled = HashSet::new();
    let stamp = Stamp::now(core, Author::Filling);
    for item in items {
        let write = ItemWrite::new(Action::Put(item.to_item()));
        let plan = write.plan_filling(table)?;
        if !filled.insert(plan.key.clone()) {
            // The same key again: what stands in the batch must be seen.
            // The last ticket answers for this one too: after a failure nothing is taken any more.
            drop(core.store().stage(std::mem::take(&mut batch)).map_err(internal)?);
            filled = HashSet::from([plan.key.clone()]);
        }
        let before = plan.read_before(core).map_err(ApiError::from)?;
        let change = plan.filled(before, item);
        write::apply(core, &mut batch, &plan, &change, stamp).map_err(ApiError::from)?;
    }
    core.store().stage(batch).map_err(internal)?.wait().map_err(internal)
}

/// The ids of the tables whose items a job still reads, although they may be deleted.
pub(crate) fn read_from(core: &Core) -> BTreeSet<keyfold_codec::key::TableId> {
    let backups = core.catalog().backups();
    backups.values().filter(|backup| !backup.is_complete).map(|backup| backup.table.id).collect()
}
