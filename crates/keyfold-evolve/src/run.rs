//! A run: carries out the phases one after the other, from where the last run was.
//!
//! ```text
//! dry run ─ tables ─ settle ─┬─ stop ──────────────────┬─ backfill ─ index … ─ verify ─┬─ start ─┬─ (complete: drop)
//!                            ├─ halt ─ compute ─┬──────┤                               └─ readers ┘
//!                            └──────────────────┴─ writers
//! ```
//!
//! Phases of programs are gates: the run stops there until people say that they are done.

mod ends;

use crate::compute::compute;
use crate::course::{Course, Kept, table_of};
use crate::dry::{DryRun, dry_run};
use crate::hands::{Hands, Stop};
use crate::options::Options;
use crate::progress::Progress;
use crate::rows::{Counts, Models, Rows, RunRow};
use crate::scan::carry;
use crate::tables::{add_index, expire, make, stored};
use crate::verified::{Verified, verified};
use crate::work::{WRITES, tables, task};
use crate::world::World;
use keyfold_client::ClientError;
use keyfold_model::Table;
use keyfold_model::evolution::{Phase, Step, Work};
use std::collections::BTreeSet;

/// The word by which people say that the rows of views are built.
pub const VIEWS: &str = "views";

/// What people have said to a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The word of the gate that is done.
    pub done: Option<String>,
    /// Whether the gate that a run has announced is done.
    pub yes: bool,
    /// Whether the items of neither model are those of another one that shares the tables, so that an evolution
    /// begins though no item is of the old model.
    pub is_shared: bool,
}

/// How a run ended without an error.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// Both models need the same of the data.
    NoDifference,
    /// Items stand in the way, or none is of the old model; nothing was written for the phase.
    Problems(DryRun),
    /// It stands at a phase of people, or at views that are to be built: the number of the phase, and the
    /// word by which it is done.
    Gate(u32, String),
    /// The data is not as the new model says.
    Differences(Verified),
    /// All is done but what `complete` does.
    Ready,
    /// It was to stop.
    Stopped,
    /// It was paused.
    Paused,
}

/// How far an evolution is.
#[derive(Debug, Clone, PartialEq)]
pub struct Status {
    /// Its row; `None` where it has not begun.
    pub run: Option<RunRow>,
    /// What the segments of the present phase have done.
    pub counts: Counts,
    /// The segments that are done, of those that were begun.
    pub segments: (u32, u32),
}

/// An evolution with its surroundings.
pub struct Evolving<'m> {
    course: &'m Course<'m>,
    models: Models,
    hands: Hands<'m>,
}

/// Whether a phase is one of people.
pub fn is_gate(step: Step) -> bool {
    match step {
        Step::Deploy | Step::Readers | Step::Writers | Step::Stop | Step::Halt | Step::Start => {
            true
        }
        Step::Tables
        | Step::Settle
        | Step::Compute
        | Step::Backfill
        | Step::Index
        | Step::Verify
        | Step::Drop => false,
    }
}

impl<'m> Evolving<'m> {
    /// The evolution of a course; `models` names both models ([`crate::models_digest`]).
    pub fn new(
        course: &'m Course<'m>,
        models: Models,
        (world, options, progress): (&'m dyn World, &'m Options, &'m Progress),
    ) -> Evolving<'m> {
        Evolving {
            course,
            models,
            hands: Hands::new(world, options, progress),
        }
    }

    fn rows(&self) -> Rows<'_, 'm> {
        Rows {
            hands: &self.hands,
            model: self.course.old.name.clone(),
        }
    }

    fn refused<T>(why: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Failed(ClientError::refused(why.into())))
    }

    /// The row of this evolution, and none of another.
    fn row(&self) -> Result<Option<RunRow>, Stop> {
        match self.rows().run()? {
            Some(row) if !row.models.are(&self.models) => {
                Evolving::refused(other(&row, self.course))
            }
            row => Ok(row),
        }
    }

    fn check_carried(&self) -> Result<(), Stop> {
        match self.course.refusals().into_iter().next() {
            None => Ok(()),
            Some(why) => Evolving::refused(format!("nothing was written: {why}")),
        }
    }

    /// Reads everything, and says what stands in the way.
    ///
    /// # Errors
    /// The backend's; `Refused` where a change is not carried out by a run.
    pub fn dry_run(&self) -> Result<DryRun, ClientError> {
        self.check_carried().map_err(error)?;
        dry_run(self.course, &self.hands, true).map_err(error)
    }

    /// Carries the phases out, up to one of people.
    ///
    /// # Errors
    /// The backend's; `Refused` where a change is not carried out by a run, where the evolution is one of
    /// other models, or where another run takes it.
    pub fn run(&self, said: &Said) -> Result<Ended, ClientError> {
        match self.carried(said) {
            Ok(ended) => Ok(ended),
            Err(Stop::Asked) => Ok(Ended::Stopped),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::Lost) => match self.rows().run() {
                Ok(Some(row)) if row.paused_ms.is_some() => Ok(Ended::Paused),
                Ok(_) | Err(_) => Err(ClientError::refused(format!(
                    "another process carries the evolution of {} on: this one has stopped",
                    self.course.old.name
                ))),
            },
        }
    }

    fn carried(&self, said: &Said) -> Result<Ended, Stop> {
        self.check_carried()?;
        if self.course.phases().is_empty() {
            return Ok(Ended::NoDifference);
        }
        if self.row()?.is_none() {
            let dry = dry_run(self.course, &self.hands, true)?;
            if dry.problems > 0 || (dry.is_of_another_model() && !said.is_shared) {
                return Ok(Ended::Problems(dry));
            }
            self.begin()?;
        }
        let mut row = self.take()?;
        let mut said = said.clone();
        // The command that has passed a gate, and failed behind it, goes on when it is called again.
        said.done = said.done.filter(|word| !self.is_behind(&row, word));
        loop {
            self.hands.check()?;
            let at = usize::try_from(row.phase).unwrap_or(usize::MAX);
            let Some(phase) = self.course.phases().get(at) else {
                return match said.done {
                    Some(word) => self.not_at(&word, &row, None),
                    None => Ok(Ended::Ready),
                };
            };
            if let Some(ended) = self.phase(&mut row, phase, &mut said)? {
                return Ok(ended);
            }
            self.advance(&mut row)?;
        }
    }

    /// Whether the evolution has passed what a word says is done.
    fn is_behind(&self, row: &RunRow, word: &str) -> bool {
        let at = usize::try_from(row.phase).unwrap_or(usize::MAX);
        let mut passed = self.course.phases().iter().take(at);
        passed.any(|phase| {
            let mut work = phase.work.iter();
            let has_views = work.any(|one| matches!(one, Work::Rebuild { .. }));
            phase.step.word() == word || (word == VIEWS && has_views)
        })
    }

    /// Refuses a word of people, of which the evolution stands at another one, or at none any more.
    fn not_at<T>(&self, word: &str, row: &RunRow, stands: Option<&str>) -> Result<T, Stop> {
        let stands = match stands {
            Some(stands) => format!(
                "it stands at phase {}, `{stands}`; without `--done` the run says what is to be done there",
                row.phase + 1
            ),
            None => "only `keyfold evolve complete` is left to be done".to_owned(),
        };
        Evolving::refused(format!(
            "the evolution of {} does not stand at `{word}`: {stands}",
            self.course.old.name
        ))
    }

    fn between(&self) -> String {
        let (old, new) = (self.course.old, self.course.new);
        format!(
            "{} {} and {} {}",
            old.name, old.version, new.name, new.version
        )
    }

    /// The tables of both models.
    fn stored_tables(&self) -> BTreeSet<String> {
        let tables = self.course.old.tables.iter().chain(&self.course.new.tables);
        tables.map(|table| table.name.clone()).collect()
    }

    fn begin(&self) -> Result<(), Stop> {
        let rows = self.rows();
        rows.ensure()?;
        let row = RunRow {
            // The fences of a later evolution are others.
            fence: self.hands.world.random() >> 1,
            models: self.models.clone(),
            began: Some((self.between(), self.hands.world.epoch_ms())),
            phase: 0,
            is_announced: false,
            segments: self.hands.options.segments.max(1),
            paused_ms: None,
        };
        rows.begin(&row, &self.stored_tables())
    }

    /// Takes the evolution from the run that has it.
    fn take(&self) -> Result<RunRow, Stop> {
        loop {
            let Some(seen) = self.row()? else {
                return Evolving::refused("the evolution was ended meanwhile");
            };
            self.rows().hold(&self.stored_tables())?;
            let mine = RunRow {
                fence: seen.fence + 1,
                paused_ms: None,
                ..seen.clone()
            };
            if self.rows().change(&seen, &mine)? {
                return Ok(mine);
            }
        }
    }

    fn advance(&self, row: &mut RunRow) -> Result<(), Stop> {
        let next = RunRow {
            phase: row.phase + 1,
            is_announced: false,
            ..row.clone()
        };
        self.replace(row, next)
    }

    fn replace(&self, row: &mut RunRow, next: RunRow) -> Result<(), Stop> {
        match self.rows().change(row, &next)? {
            true => {
                *row = next;
                Ok(())
            }
            false => Err(Stop::Lost),
        }
    }

    /// Whether a gate is done. One that is not is announced.
    fn gate(&self, row: &mut RunRow, word: &str, said: &mut Said) -> Result<bool, Stop> {
        if let Some(done) = said.done.take() {
            return match done == word {
                true => Ok(true),
                false => self.not_at(&done, row, Some(word)),
            };
        }
        if row.is_announced && std::mem::take(&mut said.yes) {
            return Ok(true);
        }
        let next = RunRow {
            is_announced: true,
            ..row.clone()
        };
        self.replace(row, next)?;
        Ok(false)
    }

    /// Carries a phase out. Returns how the run ends, where it does.
    fn phase(
        &self,
        row: &mut RunRow,
        phase: &Phase,
        said: &mut Said,
    ) -> Result<Option<Ended>, Stop> {
        let word = phase.step.word();
        self.hands.progress.enter(word);
        if is_gate(phase.step) {
            return Ok(match self.gate(row, word, said)? {
                true => None,
                false => Some(Ended::Gate(row.phase, word.to_owned())),
            });
        }
        match phase.step {
            Step::Tables => self.make_tables(row, phase).map(|()| None),
            Step::Settle => self.clean(),
            Step::Backfill => self.backfill(row, phase, said),
            Step::Compute => {
                self.hands.progress.begin(word);
                compute(self.course, &self.rows(), row)?;
                Ok(None)
            }
            Step::Index => self.index(row, phase).map(|()| None),
            Step::Verify => {
                let found = verified(self.course, &self.hands, false)?;
                if found.differences == 0 || self.is_said(word, said) {
                    return Ok(None);
                }
                Ok(Some(Ended::Differences(found)))
            }
            Step::Drop => match said.done.take() {
                Some(word) => self.not_at(&word, row, None),
                None => Ok(Some(Ended::Ready)),
            },
            Step::Deploy
            | Step::Readers
            | Step::Writers
            | Step::Stop
            | Step::Halt
            | Step::Start => Ok(None),
        }
    }

    fn is_said(&self, word: &str, said: &mut Said) -> bool {
        let is_it = said.done.as_deref() == Some(word);
        if is_it {
            said.done = None;
        }
        is_it
    }

    fn make_tables(&self, row: &RunRow, phase: &Phase) -> Result<(), Stop> {
        for work in &phase.work {
            if let Work::Expiry {
                table,
                attribute,
                is_on: false,
            } = work
            {
                let new = self.course.new.tables.iter().find(|one| one.name == *table);
                let new = new.and_then(|new| new.ttl_attribute.as_deref());
                for name in self.tables_that_are(table)? {
                    expire(&self.rows(), row, (&name, attribute, false), new)?;
                }
            }
        }
        for work in &phase.work {
            if let Work::AddTable(name) | Work::UpdateTable(name) = work
                && let Some(table) = self.course.new.tables.iter().find(|one| one.name == *name)
            {
                let mut expiring = self.course.expiring().into_iter();
                match expiring.any(|(one, _)| one.name == *name) {
                    // It is there, and items of it expire from the end on.
                    true => {
                        let but_expiry = Table {
                            ttl_attribute: None,
                            ..table.clone()
                        };
                        make(&self.hands, &but_expiry)?;
                    }
                    false => make(&self.hands, table)?,
                }
            }
        }
        Ok(())
    }

    /// Looks whether items stand in the way.
    fn clean(&self) -> Result<Option<Ended>, Stop> {
        let dry = dry_run(self.course, &self.hands, false)?;
        Ok((dry.problems > 0).then_some(Ended::Problems(dry)))
    }

    fn backfill(
        &self,
        row: &mut RunRow,
        phase: &Phase,
        said: &mut Said,
    ) -> Result<Option<Ended>, Stop> {
        let rows = self.rows();
        let prefix = format!("{} {:02} ", rows.model, row.phase);
        let is_begun = rows
            .checkpoints()?
            .iter()
            .any(|one| one.part.starts_with(&prefix));
        if !is_begun && let Some(ended) = self.clean()? {
            return Ok(Some(ended));
        }
        self.hands.progress.begin(phase.step.word());
        let mut task = task(self.course, &WRITES);
        // They are brought into the new form when they get what is computed, unless they are counted.
        for one in self.course.computed() {
            let is_counted = |other: &Kept<'_>| !other.children.is_disjoint(&one.parents);
            if !self.course.computed().iter().any(is_counted) {
                task.pairs.retain(|pair| !one.parents.contains(pair));
            }
        }
        carry(&task, &rows, row, &tables(&task, &self.hands)?)?;
        let has_views = phase
            .work
            .iter()
            .any(|one| matches!(one, Work::Rebuild { .. }));
        if has_views && !self.gate(row, VIEWS, said)? {
            return Ok(Some(Ended::Gate(row.phase, VIEWS.to_owned())));
        }
        Ok(None)
    }

    fn index(&self, row: &RunRow, phase: &Phase) -> Result<(), Stop> {
        for work in &phase.work {
            if let Work::AddIndex { table, index } = work
                && let Some((at, table)) =
                    table_of(self.course.new, table).or_else(|| self.named(table))
            {
                for name in stored(&self.hands, self.course.new, |own| own == at)? {
                    add_index(&self.rows(), row, (table, &name), index)?;
                }
            }
        }
        Ok(())
    }

    fn named(&self, name: &str) -> Option<(usize, &'m keyfold_model::Table)> {
        let mut tables = self.course.new.tables.iter().enumerate();
        tables.find(|(_, table)| table.name == name)
    }

    /// How far the evolution is.
    ///
    /// # Errors
    /// The backend's.
    pub fn status(&self) -> Result<Status, ClientError> {
        self.looked().map_err(error)
    }

    fn looked(&self) -> Result<Status, Stop> {
        let rows = self.rows();
        let mut status = Status {
            run: self.row()?,
            counts: Counts::default(),
            segments: (0, 0),
        };
        if let Some(run) = &status.run {
            let prefix = format!("{} {:02} ", rows.model, run.phase);
            for row in rows.checkpoints()? {
                if row.part.starts_with(&prefix) {
                    status.counts.read += row.counts.read;
                    status.counts.changed += row.counts.changed;
                    status.counts.writes += row.counts.writes;
                    status.segments.0 += u32::from(row.is_done);
                    status.segments.1 += 1;
                }
            }
        }
        Ok(status)
    }

    /// Makes the evolution stand still, until a run goes on with it. A run that is under way ends with its
    /// page.
    ///
    /// # Errors
    /// The backend's; `NotFound` where there is none.
    pub fn pause(&self) -> Result<(), ClientError> {
        self.paused().map_err(error)
    }

    fn paused(&self) -> Result<(), Stop> {
        let rows = self.rows();
        loop {
            let Some(seen) = self.row()? else {
                return Err(Stop::Failed(self.not_begun()));
            };
            let mine = RunRow {
                fence: seen.fence + 1,
                paused_ms: Some(self.hands.world.epoch_ms()),
                ..seen.clone()
            };
            if rows.change(&seen, &mine)? {
                for row in rows.checkpoints()? {
                    rows.take(mine.fence, &row.part)?;
                }
                return Ok(());
            }
        }
    }

    fn not_begun(&self) -> ClientError {
        let name = &self.course.old.name;
        ClientError::not_found(format!("no evolution of {name} is under way"))
    }
}

/// What is said of an evolution of other models, which a row is of.
fn other(row: &RunRow, course: &Course<'_>) -> String {
    format!(
        "another evolution of {} is under way{}, and stands at its phase {}; the models given here are not \
         those with which it began: go on with it, or end it by `keyfold evolve abort` or `complete`, with its own \
         models (comments and layout may differ)",
        course.old.name,
        row.between(),
        row.phase + 1,
    )
}

fn removed(work: &Work) -> Option<&String> {
    if let Work::RemoveTable(table) = work {
        Some(table)
    } else {
        None
    }
}

fn error(stop: Stop) -> ClientError {
    match stop {
        Stop::Failed(error) => error,
        Stop::Asked => ClientError::refused("it was stopped; the same command goes on".to_owned()),
        Stop::Lost => {
            ClientError::refused("another process carries the evolution on meanwhile".to_owned())
        }
    }
}
