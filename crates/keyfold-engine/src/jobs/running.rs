//! The jobs under way: each does a piece in turn, and pauses after a failure.

use super::job::Job;
use super::turn::{Turn, Work};
use super::{backup, export, import, restore};
use crate::core::Core;
use crate::core::tasks::Task;
use crate::table::Table;
use crate::table::transfer::{Export, Import};

/// Jobs under way at the same time. Others wait, since a job may hold tens of megabytes.
const RUNNING_MAX: usize = 4;
/// The longest pause of a failing job, in turns of the background: ten minutes when no other work is
/// due.
const PAUSE_MAX: u32 = 1200;

/// The job that does a task.
fn job(task: Task) -> Box<dyn Job> {
    match task {
        Task::Backup(backup) => Box::new(backup::BackupJob::new(backup)),
        Task::Restore(table) => Box::new(restore::RestoreJob::new(table)),
        Task::Export { export, table } => {
            Box::new(export::ExportJob::new(Export::clone(&export), table))
        }
        Task::Import { import, table } => {
            Box::new(import::ImportJob::new(Import::clone(&import), table))
        }
    }
}

/// Whether the record of a task is durable: its request may have been refused since the disk was full, and then it has
/// none. `None` while that is not known.
fn is_kept(core: &Core, task: &Task) -> Option<bool> {
    core.store().barrier().wait().ok()?;
    let catalog = core.catalog();
    let is_there = |of: &Table| {
        let tables = catalog.read();
        tables.get(&of.name).is_some_and(|table| table.id == of.id)
    };
    Some(match task {
        Task::Backup(backup) => catalog.backups().values().any(|one| one.id == backup.id),
        Task::Restore(table) => is_there(table),
        Task::Export { export, .. } => catalog.exports().values().any(|one| one.id == export.id),
        Task::Import { import, .. } => catalog.imports().values().any(|one| one.id == import.id),
    })
}

/// A job under way.
struct Running {
    job: Box<dyn Job>,
    /// The remaining turns of its pause after a failure, and the turns of the next pause.
    pause: u32,
    next_pause: u32,
}

/// The jobs under way.
#[derive(Default)]
pub(crate) struct Jobs {
    running: Vec<Running>,
}

impl Jobs {
    /// Does a piece of each job.
    pub(crate) fn work(&mut self, core: &Core, turn: &mut Turn) {
        while self.running.len() < RUNNING_MAX
            && let Some(task) = core.tasks().take()
        {
            match is_kept(core, &task) {
                None => {
                    core.tasks().put_back(task);
                    break;
                }
                Some(false) => continue,
                Some(true) => {}
            }
            self.running.push(Running {
                job: job(task),
                pause: 0,
                next_pause: 0,
            });
        }
        self.running.retain_mut(|running| {
            if running.pause > 0 {
                running.pause -= 1;
                return true;
            }
            match running.job.step(core) {
                Ok(Work::Done) => {
                    turn.note("", Ok(Work::More));
                    return false;
                }
                Ok(Work::More) => {
                    running.next_pause = 0;
                    turn.note("", Ok(Work::More));
                }
                Err(error) => {
                    // Pauses get longer.
                    running.pause = running.next_pause;
                    running.next_pause = (running.next_pause * 2 + 1).min(PAUSE_MAX);
                    turn.note(&running.job.description(), Err(error));
                }
            }
            true
        });
    }

    /// Ends the pauses of failed jobs.
    pub(crate) fn end_pauses(&mut self) {
        self.running
            .iter_mut()
            .for_each(|running| running.pause = 0);
    }

    /// Simulates a restart of the process.
    #[cfg(test)]
    pub(crate) fn restart(&mut self, core: &Core) {
        self.running.clear();
        drop(super::resume::resume(core));
    }
}
