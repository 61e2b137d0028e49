//! `keyfold migrate`: a relational database comes in. The rows become entities as the `from` lines of the
//! model say, and their changes follow.
//!
//! - `opening`: model, database and tables. `compare`: patterns are asked of both; `answers`: their sums.
//! - `switching`: who leads becomes the other side. `ending`: a migration is completed, or given up.
//! - `told`: what is shown; `reported`: what a report says.

mod answers;
mod compare;
mod ending;
mod opening;
mod reported;
mod switching;
mod told;

use super::database::failure;
use super::moving::{asked, can_ask, looked_at, made_at, written_at};
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal;
use clap::{Args, Subcommand};
use compare::Asking;
use keyfold_relational::{
    Abort, Ended, Migration, Phase, Progress, Source, check, check_back, verify,
};
use opening::{Both, Origin, check_columns, mapping, unmapped};
use reported::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use switching::{Switching, tables};
use told::read;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Compare the model with the database and read every row: which attributes and keys they cannot be.
    /// Nothing is written.
    Check {
        #[command(flatten)]
        origin: Origin,
        /// Also take each item back: which columns no attribute says, and which rows would come back as others.
        #[arg(long)]
        back: bool,
    },
    /// Copy every row, and carry changes until Ctrl-C. The same command goes on after it was stopped or killed.
    Run {
        #[command(flatten)]
        both: Both,
        /// End as soon as everything is carried.
        #[arg(long)]
        once: bool,
        /// Write a report to this file at the end: Markdown (.md) or an HTML page (.html).
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
    /// Let the tables lead: programs write to them, and `run` carries it into the database; or the database again.
    Switch(Switching),
    /// Show how far the migration is.
    Status(Both),
    /// Ask each pattern of the tables and of the database, while programs write, and compare the answers.
    Compare(Asking),
    /// Compare every row with its item, and every item with its row.
    Verify {
        #[command(flatten)]
        both: Both,
        /// Write the items that differ as their rows say, and delete those that no row makes; while the tables lead,
        /// write the rows as their items say.
        #[arg(long)]
        mend: bool,
        /// Begin at once.
        #[arg(long, requires = "mend")]
        yes: bool,
        /// Write a report to this file: Markdown (.md) or an HTML page (.html).
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
    /// End the migration: the database keeps its changes no more. The tables keep what was written.
    Complete {
        #[command(flatten)]
        both: Both,
        /// Begin at once.
        #[arg(long)]
        yes: bool,
    },
    /// Give the migration up: as `complete`, without a comparison. The tables keep what was written.
    Abort {
        #[command(flatten)]
        both: Both,
        /// Also when the database keeps its changes for other tables, which are gone.
        #[arg(long)]
        foreign: bool,
        /// Also when the database notes that these other tables lead: what programs have written to them, and no run
        /// has carried, is in no row.
        #[arg(long, requires = "foreign")]
        lose_writes: bool,
        /// Begin at once.
        #[arg(long)]
        yes: bool,
    },
}

impl Action {
    /// Where the tables are.
    fn at(&self) -> Option<&str> {
        match self {
            Action::Check { .. } => None,
            Action::Switch(switching) => Some(switching.at()),
            Action::Compare(asking) => Some(asking.at()),
            Action::Status(both)
            | Action::Run { both, .. }
            | Action::Verify { both, .. }
            | Action::Complete { both, .. }
            | Action::Abort { both, .. } => Some(&both.at),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    done(&arguments.action, output).map_err(|failure| match arguments.action.at() {
        Some(at) => told::of_target(failure, at),
        None => failure,
    })
}

fn done(action: &Action, output: Output) -> Result<(), Failure> {
    match action {
        Action::Check { origin, back } => checked(origin, *back, output),
        Action::Run { both, once, report } => carried(both, *once, report.as_deref(), output),
        Action::Compare(asking) => compare::compare(asking, output),
        Action::Switch(switching) => switching::switch(switching, output),
        Action::Status(both) => status(both, output),
        Action::Verify {
            both,
            mend: false,
            report,
            ..
        } => verified(both, report.as_deref(), output),
        Action::Verify {
            both, yes, report, ..
        } => mended(both, *yes, report.as_deref(), output),
        Action::Complete { both, yes } => ending::complete(both, *yes, output),
        Action::Abort {
            both,
            foreign,
            lose_writes,
            yes,
        } => {
            let which = match (foreign, lose_writes) {
                (_, true) => Abort::LosingWrites,
                (true, false) => Abort::Foreign,
                (false, false) => Abort::Own,
            };
            ending::abort(both, which, *yes, output)
        }
    }
}

fn checked(origin: &Origin, back: bool, output: Output) -> Result<(), Failure> {
    let mut opened = origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let found = read(&progress, output, || match back {
        true => check_back(&mapping, source, &progress),
        false => Ok(check(&mapping, source, &progress)?),
    })?;
    let found = found.map_err(|error| unmapped(error, &opened.checked, output))?;
    let verdict = told::verdict_of(&found);
    output.report(
        told::check_json(&found),
        || told::show_check(&found),
        verdict,
    )
}

fn carried(both: &Both, once: bool, report: Option<&Path>, output: Output) -> Result<(), Failure> {
    let file = report.map(File::of).transpose()?;
    let began = Instant::now();
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = Arc::new(made_at(&both.at)?);
    let tables = tables(&backend, &both.at, None)?;
    let columns = (&opened.checked, opened.source.as_mut() as &mut dyn Source);
    check_columns(&mapping, &backend, columns, output)?;
    let progress = Progress::default();
    let source = opened.source.as_mut();
    // Where the database is migrated to other tables, none are made.
    let may_run = read(&progress, output, || {
        let mut migration = Migration::new(&mapping, source, &backend, &progress);
        migration.may_run().map_err(Box::new)
    })?;
    let ended = match may_run {
        Ok(()) => {
            let made = keyfold_client::tables::ensure(&backend, mapping.model)?;
            for note in keyfold_client::tables::notes(mapping.model, &made) {
                terminal::error_line(&note);
            }
            read(&progress, output, || {
                Migration::new(&mapping, source, &backend, &progress)
                    .with_tables(&tables)
                    .run(once)
            })?
        }
        Err(ended) => *ended,
    };
    backend.sync()?;
    if let Some(file) = file {
        let parts = [
            reported::places(&mapping, &opened.source.name(), &both.at),
            reported::done(&progress, began.elapsed()),
        ];
        let verdict = reported::verdict_of_run(&ended);
        file.write(&reported::report("A migration", verdict, parts))?;
    }
    if matches!(ended, Ended::Source(_)) {
        // A column that was dropped meanwhile is told with its line.
        let source = opened.source.as_mut();
        let now = self::mapping(&opened.checked, source, output)?;
        check_columns(&now, &backend, (&opened.checked, source), output)?;
    }
    let verdict = told::verdict(&ended);
    let document = told::run_json(&ended, &progress);
    output.report(document, || told::show_run(&ended, &progress), verdict)
}

fn status(both: &Both, output: Output) -> Result<(), Failure> {
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = looked_at(&both.at)?;
    let progress = Progress::default();
    let state = Migration::new(&mapping, opened.source.as_mut(), &backend, &progress).state()?;
    let log = opened.source.kept_log().map_err(failure)?;
    output.result(
        || told::status_json(state.as_ref(), log),
        || told::show_status(state.as_ref(), log),
    );
    Ok(())
}

fn verified(both: &Both, report: Option<&Path>, output: Output) -> Result<(), Failure> {
    let file = report.map(File::of).transpose()?;
    let began = Instant::now();
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = looked_at(&both.at)?;
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let state = Migration::new(&mapping, source, &backend, &progress).state()?;
    let found = read(&progress, output, || {
        verify(&mapping, source, &backend, &progress)
    })?;
    let found = found.map_err(told::of_comparison)?;
    if let Some(file) = file {
        let places = reported::places(&mapping, &opened.source.name(), &both.at);
        reported::write_verified(&file, places, &found, began.elapsed())?;
    }
    let phase = state.map(|state| state.phase);
    let verdict = told::verdict_of_comparison(&found, progress.is_stopping(), phase);
    output.report(
        told::verify_json(&found),
        || told::show_verify(&found),
        verdict,
    )
}

/// Writes what differs, and compares again.
fn mended(both: &Both, yes: bool, report: Option<&Path>, output: Output) -> Result<(), Failure> {
    const NOTHING: &str = "nothing was written";
    can_ask(yes, NOTHING)?;
    let file = report.map(File::of).transpose()?;
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = Arc::new(written_at(&both.at)?);
    let tables = tables(&backend, &both.at, None)?;
    let (progress, source) = (Progress::default(), opened.source.as_mut());
    let state = Migration::new(&mapping, source, &backend, &progress).state()?;
    let phase = state.map(|state| state.phase);
    if matches!(
        phase,
        Some(Phase::Closing | Phase::Returning | Phase::Complete)
    ) {
        return Err(Failure::refused(told::mending(phase)));
    }
    let does_lead = phase == Some(Phase::Lead);
    if !yes {
        terminal::error_line(match does_lead {
            false => {
                "items that differ are written as their rows say, and items that no row makes are deleted"
            }
            true => {
                "rows that differ are written as their items say, and rows of no item are deleted"
            }
        });
        asked(NOTHING)?;
    }
    let began = Instant::now();
    let found = read(&progress, output, || match does_lead {
        // Somebody may have switched since the question: both look again who leads.
        false => Migration::new(&mapping, source, &backend, &progress)
            .mend_items()
            .map_err(told::of_mend),
        true => {
            let migration = Migration::new(&mapping, source, &backend, &progress);
            let mended = migration.with_tables(&tables).mend_rows();
            mended.map_err(|ended| told::failed(&ended))
        }
    })?;
    let found = found?;
    backend.sync()?;
    if let Some(file) = file {
        let places = reported::places(&mapping, &opened.source.name(), &both.at);
        reported::write_verified(&file, places, &found.verified, began.elapsed())?;
    }
    let verdict = told::verdict_of_mend(&found, progress.is_stopping());
    let what = if does_lead { "row" } else { "item" };
    output.report(
        told::mend_json(&found),
        || told::show_mend(&found, what),
        verdict,
    )
}
