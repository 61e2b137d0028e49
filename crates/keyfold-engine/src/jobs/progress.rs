//! One turn of the background: a piece of all work that is due.

use super::filling::Filling;
use super::running::Jobs;
use super::sweep::Sweep;
use super::trim::Trim;
use super::turn::Turn;
use super::{expiry, forget, shards};
use crate::core::Core;
use crate::table::Table;
use std::sync::Arc;

/// The progress of background work. It is not stored: after a restart the work begins again.
#[derive(Default)]
pub(crate) struct Progress {
    sweep: Sweep,
    filling: Filling,
    trim: Trim,
    jobs: Jobs,
}

impl Progress {
    /// Does a piece of all work that is due. A failure does not stop other work, and is retried in the
    /// next turn.
    pub(crate) fn work(&mut self, core: &Core) -> Turn {
        let mut turn = Turn::default();
        self.sweep.some(core, &mut self.filling, &mut turn);
        let tables: Vec<Arc<Table>> = core.catalog().read().values().cloned().collect();
        self.filling.retain(&tables);
        for table in tables.iter().filter(|table| table.is_ready()) {
            turn.note(
                &format!("filling an index of table {}", table.name),
                self.filling.index(core, table),
            );
            turn.note(
                &format!("adding expiry notes of table {}", table.name),
                self.filling.expiry(core, table),
            );
            expiry::delete_some(core, table, &mut turn);
        }
        tables
            .iter()
            .for_each(|table| shards::follow(core, table, &mut turn));
        self.trim.streams(core, &mut turn);
        self.trim.changes(core, &tables, &mut turn);
        turn.note("removing expired backups", forget::backups(core));
        turn.note("removing old exports and imports", forget::transfers(core));
        self.jobs.work(core, &mut turn);
        for (what, error) in &turn.failures {
            core.report(what, &error.to_string());
        }
        turn
    }

    /// Ends the pauses of failed jobs.
    pub(crate) fn end_pauses(&mut self) {
        self.jobs.end_pauses();
    }

    /// Simulates a restart of the process.
    #[cfg(test)]
    pub(crate) fn restart(&mut self, core: &Core) {
        self.jobs.restart(core);
    }
}
