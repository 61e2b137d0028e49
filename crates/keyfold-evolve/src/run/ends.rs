//! The ends of a run: an evolution is given up, or completed, which deletes what only the old version had.

use super::{Ended, Evolving, error, removed};
use crate::carry::Task;
use crate::course::table_of;
use crate::hands::Stop;
use crate::rows::RunRow;
use crate::scan::carry;
use crate::strays::strays_in;
use crate::tables::{expire, remove, remove_index, stored};
use crate::verified::{Verified, verified};
use crate::wish::key_of;
use crate::work::tables;
use keyfold_client::ClientError;
use keyfold_client::kinds::Role;
use keyfold_client::verify::{Finding, FindingKind};
use keyfold_model::evolution::{Phase, Step, Work};
use keyfold_types::Item;
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
    /// once more, and forgets how far it was. It stands where they differ, or where a table that is to go has an item
    /// that is not, unless the caller accepts that: then such a table stays. Expiry is not switched on where an item would
    /// be deleted by it that the new version does not let expire.
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
            if !accepts {
                let kept = self.kept(phase)?;
                if kept.differences > 0 {
                    return Ok(Ended::Differences(kept));
                }
            }
            let kept = self.delete(&row, phase)?;
            if kept.differences > 0 && !accepts {
                return Ok(Ended::Differences(kept));
            }
        }
        let found = verified(self.course, &self.hands, true)?;
        if found.differences > 0 && !accepts {
            return Ok(Ended::Differences(found));
        }
        let wrong = self.expire(&row)?;
        if wrong.differences > 0 && !accepts {
            return Ok(Ended::Differences(wrong));
        }
        match last {
            Some(_) => self.advance(&mut row)?,
            None => self.rows().check_mine(&row)?,
        }
        self.rows().forget()?;
        Ok(Ended::Ready)
    }

    /// Deletes what only the old version had. Returns the items that keep their tables.
    fn delete(&self, row: &RunRow, phase: &Phase) -> Result<Verified, Stop> {
        let mut kept = Verified::default();
        self.hands.progress.begin(phase.step.word());
        let dropped = self.course.dropped(&phase.work);
        let gone: BTreeSet<&String> = phase.work.iter().filter_map(removed).collect();
        let task = Task {
            course: self.course,
            pairs: self.course.written(&phase.work),
            dropped,
            deletes_leftovers: true,
            sweeps: false,
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
                    for name in self.tables_that_are(table)? {
                        remove_index(&self.rows(), row, &name, index)?;
                    }
                }
                Work::RemoveTable(table) => self.remove_table(row, table, &mut kept)?,
                Work::AddTable(_)
                | Work::AddIndex { .. }
                | Work::UpdateTable(_)
                | Work::Expiry { .. }
                | Work::Rewrite { .. }
                | Work::Settle { .. }
                | Work::WriteBeside { .. }
                | Work::Rekey { .. }
                | Work::Drop { .. }
                | Work::Compute { .. }
                | Work::Rebuild { .. } => {}
            }
        }
        Ok(kept)
    }

    /// Switches on the expiry that begins with the new version, of tables where no item holds anything else in its
    /// place. Returns the items that do.
    fn expire(&self, row: &RunRow) -> Result<Verified, Stop> {
        let mut wrong = Verified::default();
        for (table, attribute) in self.course.expiring() {
            for name in stored(&self.hands, self.course.new, |at| {
                let own = self.course.new.tables.get(at);
                own.is_some_and(|own| own.name == table.name)
            })? {
                let before = wrong.differences;
                for problem in strays_in(self.course, &self.hands, &name)? {
                    wrong.add(Finding {
                        kind: FindingKind::Hidden,
                        table: problem.table,
                        key: problem.key,
                        item: None,
                        owner: None,
                        line: None,
                        message: problem.message,
                    });
                }
                if wrong.differences > before {
                    self.hands.progress.note(format!(
                        "the expiry of {name} by `{attribute}` is not switched on, since it would delete items that the \
                         new model does not let expire"
                    ));
                    continue;
                }
                let on = (name.as_str(), attribute, true);
                expire(&self.rows(), row, on, Some(attribute))?;
            }
        }
        Ok(wrong)
    }

    /// The stored tables that one of the old model is.
    pub(super) fn tables_that_are(&self, table: &str) -> Result<Vec<String>, Stop> {
        let tables = &self.course.old.tables;
        let is_it = |at: usize| tables.get(at).is_some_and(|own| own.name == table);
        stored(&self.hands, self.course.old, is_it)
    }

    /// What is in the tables that a phase deletes, and may not go with them.
    fn kept(&self, phase: &Phase) -> Result<Verified, Stop> {
        self.hands.progress.begin(phase.step.word());
        let mut all = Verified::default();
        for table in phase.work.iter().filter_map(removed) {
            for name in self.tables_that_are(table)? {
                self.kept_in(&name, &mut all)?;
            }
        }
        Ok(all)
    }

    /// Adds the items of a table that the new model keeps elsewhere, and those that neither model knows.
    fn kept_in(&self, table: &str, all: &mut Verified) -> Result<(), Stop> {
        let Some((_, own)) = table_of(self.course.old, table) else {
            return Ok(());
        };
        let mut after = None;
        loop {
            self.hands.check()?;
            let page = self.hands.page(table, (0, 1), after.take())?;
            let mut unknown = 0;
            for item in &page.items {
                let Some(message) = self.why_kept(table, item) else {
                    continue;
                };
                unknown += u64::from(self.course.old_kind(table, item).is_none());
                all.add(Finding {
                    kind: FindingKind::UnknownItem,
                    table: table.to_owned(),
                    key: key_of(own, item),
                    item: None,
                    owner: None,
                    line: None,
                    message,
                });
            }
            all.items += page.items.len() as u64;
            let read = page.items.len() as u64;
            self.hands.progress.read(read, 0, unknown);
            after = page.last;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Why an item keeps its table, if it does.
    fn why_kept(&self, table: &str, item: &Item) -> Option<String> {
        let Some(kind) = self.course.old_kind(table, item) else {
            return Some(format!(
                "an item of neither model: the table {table} is deleted only without it; move the item or delete it, \
                 or `--accept` keeps the table"
            ));
        };
        let pair = self.course.pair_of_old(kind.at)?;
        let pair = self.course.pairs.get(pair)?;
        (kind.role == Role::Main).then(|| {
            format!(
                "an item of {} that is not in its new place, such as one that a writer of the old version has written \
                 since: `keyfold evolve complete --accept` keeps the table {table}, and then `keyfold evolve run` of \
                 the same models brings the item to its place",
                pair.old.name
            )
        })
    }

    /// Deletes a table of the old model, if all that it has goes.
    fn remove_table(&self, row: &RunRow, table: &str, kept: &mut Verified) -> Result<(), Stop> {
        for name in self.tables_that_are(table)? {
            let before = kept.differences;
            self.kept_in(&name, kept)?;
            if kept.differences > before {
                self.hands.progress.note(format!(
                    "the table {name} stays, since it has items that are not to be deleted"
                ));
                continue;
            }
            self.rows().check_mine(row)?;
            remove(&self.hands, &name)?;
        }
        Ok(())
    }
}
