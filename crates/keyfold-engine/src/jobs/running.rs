//! The jobs under way: each does a piece in turn, and rests after a failure.

use super::job::Job;
use super::turn::{Turn, Work};
use super::{backup, export, import, restore};
use crate::core::Core;
use crate::core::tasks::Task;
use crate::table::transfer::{Export, Import};

/// Jobs that are done at the same time; others wait. Each may hold some tens of megabytes.
const RUNNING_MAX: usize = 4;
/// Turns of the background that a job which fails again and again rests at the most: ten minutes
/// when nothing else is due.
const REST_MAX: u32 = 1200;

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
            self.running.push(Running {
                job: job(task),
                rest: 0,
                next_rest: 0,
            });
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
        drop(super::resume::resume(core));
    }
}
