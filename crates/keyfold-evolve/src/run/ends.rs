//! The ends of a run: an evolution is given up, or completed, which deletes what only the old version had.

use super::{Ended, Evolving, error, removed};
use crate::carry::Task;
use crate::hands::Stop;
use crate::rows::RunRow;
use crate::scan::carry;
use crate::tables::{remove, remove_index, stored};
use crate::verified::verified;
use crate::work::tables;
use keyfold_client::ClientError;
use keyfold_model::evolution::{Phase, Step, Work};
use std::collections::BTreeSet;

impl Evolving<'_> {
    /// Whether the evolution may be given up: nothing was written that the old version does not read.
    ///
    /// # Errors
    /// `Refused`, with the reason, where it may not; the backend's.
    pub fn may_abort(&self) -> Result<(), ClientError> {
        self.abortable().map(|_| ()).map_err(error)
    }

    fn abortable(&self) -> Result<RunRow, Stop> {
        let Some(row) = self.row()? else {
            return Err(Stop::Failed(self.not_begun()));
        };
        let phases = self.course.phases();
        let backfill = phases
            .iter()
            .position(|phase| matches!(phase.step, Step::Backfill | Step::Compute));
        let at = usize::try_from(row.phase).unwrap_or(usize::MAX);
        if let Some(backfill) = backfill.filter(|backfill| *backfill <= at)
            && let Some(phase) = phases.get(backfill)
        {
            let reads =
                phase.runs.old_readers || self.course.evolution.verdicts.old_reader.is_yes();
            let moves = phase
                .work
                .iter()
                .any(|one| matches!(one, Work::Rekey { .. } | Work::Drop { .. }));
            if moves || !reads {
                return Evolving::refused(
                    "items have been written in a form that the old version does not read: go on with `keyfold \
                     evolve run`, and end the evolution with `keyfold evolve complete`, which deletes what only \
                     the old version had; then the way back is an evolution of its own, from the new model to \
                     the old one",
                );
            }
        }
        Ok(row)
    }

    /// Gives the evolution up. What was made stays: it is no harm to the old version.
    ///
    /// # Errors
    /// As [`Evolving::may_abort`].
    pub fn abort(&self) -> Result<(), ClientError> {
        let ended = || {
            let seen = self.abortable()?;
            let mine = RunRow {
                fence: seen.fence + 1,
                ..seen.clone()
            };
            match self.rows().change(&seen, &mine)? {
                true => self.rows().forget(),
                false => Evolving::refused("another process carries it on: pause it first"),
            }
        };
        ended().map_err(error)
    }

    /// Whether the evolution stands where only its completion is left.
    ///
    /// # Errors
    /// `Refused` where it does not; the backend's.
    pub fn may_complete(&self) -> Result<(), ClientError> {
        self.completable().map(|_| ()).map_err(error)
    }

    fn completable(&self) -> Result<RunRow, Stop> {
        let Some(row) = self.row()? else {
            return Err(Stop::Failed(self.not_begun()));
        };
        let at = usize::try_from(row.phase).unwrap_or(usize::MAX);
        match self.course.phases().get(at) {
            None => Ok(row),
            Some(phase) if phase.step == Step::Drop => Ok(row),
            Some(phase) => Evolving::refused(format!(
                "the evolution stands at phase {}, {}: `keyfold evolve run` goes on with it",
                at + 1,
                phase.step.word()
            )),
        }
    }

    /// Completes the evolution: deletes what only the old version had, compares the data with the new model
    /// once more, and forgets how far it was. It stands where they differ, unless the caller accepts that.
    ///
    /// # Errors
    /// As [`Evolving::may_complete`].
    pub fn complete(&self, accepts: bool) -> Result<Ended, ClientError> {
        match self.completed(accepts) {
            Ok(ended) => Ok(ended),
            Err(Stop::Asked) => Ok(Ended::Stopped),
            Err(stop) => Err(error(stop)),
        }
    }

    fn completed(&self, accepts: bool) -> Result<Ended, Stop> {
        self.completable()?;
        let mut row = self.take()?;
        let at = usize::try_from(row.phase).unwrap_or(usize::MAX);
        let last = self.course.phases().get(at);
        if let Some(phase) = last {
            self.delete(&row, phase)?;
        }
        let found = verified(self.course, &self.hands, true)?;
        if found.differences > 0 && !accepts {
            return Ok(Ended::Differences(found));
        }
        match last {
            Some(_) => self.advance(&mut row)?,
            None => self.rows().check_mine(&row)?,
        }
        self.rows().forget()?;
        Ok(Ended::Ready)
    }

    /// Deletes what only the old version had.
    fn delete(&self, row: &RunRow, phase: &Phase) -> Result<(), Stop> {
        self.hands.progress.begin(phase.step.word());
        let dropped = self.course.dropped(&phase.work);
        let gone: BTreeSet<&String> = phase.work.iter().filter_map(removed).collect();
        let task = Task {
            course: self.course,
            pairs: self.course.written(&phase.work),
            dropped,
            deletes_leftovers: true,
            shares: None,
            guard: None,
        };
        let mut all = tables(&task, &self.hands)?;
        // A table that goes as a whole needs no deletions before.
        all.retain(|name| !gone.contains(name));
        carry(&task, &self.rows(), row, &all)?;
        for work in &phase.work {
            match work {
                Work::RemoveIndex { table, index } => {
                    for name in stored(&self.hands, self.course.old, |at| {
                        self.course
                            .old
                            .tables
                            .get(at)
                            .is_some_and(|own| own.name == *table)
                    })? {
                        remove_index(&self.rows(), row, &name, index)?;
                    }
                }
                Work::RemoveTable(table) => self.remove_table(row, table)?,
                Work::AddTable(_)
                | Work::AddIndex { .. }
                | Work::UpdateTable(_)
                | Work::Rewrite { .. }
                | Work::Settle { .. }
                | Work::WriteBeside { .. }
                | Work::Rekey { .. }
                | Work::Drop { .. }
                | Work::Compute { .. }
                | Work::Rebuild { .. } => {}
            }
        }
        Ok(())
    }

    /// Deletes a table of the old model. It has no item of an entity that the new model has.
    fn remove_table(&self, row: &RunRow, table: &str) -> Result<(), Stop> {
        let is_it = |at: usize| {
            self.course
                .old
                .tables
                .get(at)
                .is_some_and(|own| own.name == table)
        };
        for name in stored(&self.hands, self.course.old, is_it)? {
            let mut after = None;
            loop {
                let page = self.hands.page(&name, (0, 1), after.take())?;
                for item in &page.items {
                    let kind = self.course.old_kind(&name, item);
                    let is_kept = kind.is_some_and(|kind| {
                        kind.role == keyfold_client::kinds::Role::Main
                            && self.course.pair_of_old(kind.at).is_some()
                    });
                    if is_kept {
                        return Evolving::refused(format!(
                            "the table {name} still has an item that the new model keeps elsewhere: it stays"
                        ));
                    }
                }
                after = page.last;
                if after.is_none() {
                    break;
                }
            }
            self.rows().check_mine(row)?;
            remove(&self.hands, &name)?;
        }
        Ok(())
    }
}
