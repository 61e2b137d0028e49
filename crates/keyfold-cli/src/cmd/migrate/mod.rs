//! `keyfold migrate`: a relational database comes in. The rows become entities as the `from` lines of the
//! model say, and their changes follow.
//!
//! - `opening`: model, database and tables. `compare`: patterns are asked of both; `answers`: their sums.
//! - `switching`: who leads becomes the other side.
//! - `told`: what is shown; `reported`: what a report says.

mod answers;
mod compare;
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
use keyfold_client::Backend;
use keyfold_relational::{
    Ended, Migration, Phase, Progress, VerifyError, check, check_back, mend, verify,
};
use opening::{Both, Origin, mapping, unmapped};
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
        /// Write the items that differ as their rows say, and delete those that no row makes.
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
        /// Begin at once.
        #[arg(long)]
        yes: bool,
    },
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    match &arguments.action {
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
        Action::Complete { both, yes } => complete(both, *yes, output),
        Action::Abort { both, foreign, yes } => abort(both, *foreign, *yes, output),
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
    let made = keyfold_client::tables::ensure(&backend, mapping.model)?;
    for note in keyfold_client::tables::notes(mapping.model, &made) {
        terminal::error_line(&note);
    }
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let ended = read(&progress, output, || {
        Migration::new(&mapping, source, &backend, &progress)
            .with_tables(&tables)
            .run(once)
    })?;
    backend.sync()?;
    let figures = progress.figures();
    if let Some(file) = file {
        let parts = [
            reported::places(&mapping, &opened.source.name(), &both.at),
            reported::done(&figures, began.elapsed()),
        ];
        let verdict = reported::verdict_of_run(&ended);
        file.write(&reported::report("A migration", verdict, parts))?;
    }
    let verdict = told::verdict(&ended);
    let document = told::run_json(&ended, &figures);
    output.report(document, || told::show_run(&ended, &figures), verdict)
}

fn status(both: &Both, output: Output) -> Result<(), Failure> {
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = looked_at(&both.at)?;
    let progress = Progress::default();
    let state = Migration::new(&mapping, opened.source.as_mut(), &backend, &progress).state()?;
    output.result(
        || told::status_json(state.as_ref()),
        || told::show_status(state.as_ref()),
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
    let found = read(&progress, output, || {
        verify(&mapping, source, &backend, &progress)
    })?;
    let found = found.map_err(of_comparison)?;
    if let Some(file) = file {
        let places = reported::places(&mapping, &opened.source.name(), &both.at);
        reported::write_verified(&file, places, &found, began.elapsed())?;
    }
    let verdict = told::verdict_of_comparison(&found, progress.is_stopping());
    output.report(
        told::verify_json(&found),
        || told::show_verify(&found),
        verdict,
    )
}

fn of_comparison(error: VerifyError) -> Failure {
    match error {
        VerifyError::Source(error) => failure(error),
        VerifyError::Target(error) => error.into(),
        VerifyError::Problem(problem) => Failure::refused(problem.to_string()),
    }
}

/// Writes what differs, and compares again.
fn mended(both: &Both, yes: bool, report: Option<&Path>, output: Output) -> Result<(), Failure> {
    let file = report.map(File::of).transpose()?;
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = written_at(&both.at)?;
    let state = {
        let (progress, source) = (Progress::default(), opened.source.as_mut());
        Migration::new(&mapping, source, &backend, &progress).state()?
    };
    if matches!(
        state.map(|state| state.phase),
        Some(Phase::Closing | Phase::Lead | Phase::Returning)
    ) {
        return Err(Failure::refused(
            "the tables lead, or are about to: nothing is written over what they hold",
        ));
    }
    if !yes {
        terminal::error_line(
            "items that differ are written as their rows say, and items that no row makes are deleted",
        );
        asked("nothing was written")?;
    }
    let began = Instant::now();
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let found = read(&progress, output, || {
        mend(&mapping, source, &backend, &progress)
    })?;
    let found = found.map_err(of_comparison)?;
    backend.sync()?;
    if let Some(file) = file {
        let places = reported::places(&mapping, &opened.source.name(), &both.at);
        reported::write_verified(&file, places, &found.verified, began.elapsed())?;
    }
    let verdict = told::verdict_of_mend(&found, progress.is_stopping());
    output.report(told::mend_json(&found), || told::show_mend(&found), verdict)
}

fn complete(both: &Both, yes: bool, output: Output) -> Result<(), Failure> {
    can_ask(yes, "the migration goes on")?;
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = Arc::new(written_at(&both.at)?);
    let sides = tables(&backend, &both.at, None)?;
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let state = Migration::new(&mapping, source, &backend, &progress).state()?;
    let is_lead = does_lead(state.map(|state| state.phase))?;
    if !yes {
        terminal::error_line(match is_lead {
            false => {
                "what is written to the database afterwards is not carried any more; its programs should be stopped, \
                 or write to the tables alone"
            }
            true => {
                "what is written to the tables afterwards is not carried into the database any more"
            }
        });
        asked("the migration goes on")?;
    }
    // What was written last is carried before the changes are dropped.
    let ended = read(&progress, output, || {
        Migration::new(&mapping, source, &backend, &progress)
            .with_tables(&sides)
            .run(true)
    })?;
    if !matches!(ended, Ended::Caught) {
        let figures = progress.figures();
        let document = told::run_json(&ended, &figures);
        let verdict = told::verdict(&ended);
        return output.report(document, || told::show_run(&ended, &figures), verdict);
    }
    // Programs go on writing to tables that lead.
    if !is_lead {
        let compared = Progress::default();
        let found = read(&compared, output, || {
            verify(&mapping, source, &backend, &compared)
        })?;
        let found = found.map_err(of_comparison)?;
        if found.count > 0 || compared.is_stopping() {
            let verdict = told::verdict_of_comparison(&found, compared.is_stopping());
            return output.report(
                told::verify_json(&found),
                || told::show_verify(&found),
                verdict,
            );
        }
    }
    let ended = Migration::new(&mapping, source, &backend, &progress)
        .with_tables(&sides)
        .complete();
    settled(ended, &backend)?;
    told::simple(
        "completed",
        "the migration is complete: the database keeps no changes any more",
        output,
    );
    Ok(())
}

/// Whether the tables lead of a migration that can be completed.
fn does_lead(phase: Option<Phase>) -> Result<bool, Failure> {
    match phase {
        Some(Phase::Lead) => Ok(true),
        Some(Phase::Follow) => Ok(false),
        Some(Phase::Closing | Phase::Returning) => Err(Failure::refused(
            "a switch is under way: `keyfold migrate switch` goes on with it or gives it up",
        )),
        Some(Phase::Begin | Phase::Copy | Phase::Complete) | None => Err(Failure::refused(
            "not every row is copied yet: `keyfold migrate run` first",
        )),
    }
}

/// Answers how a migration has ended.
fn settled(ended: Result<(), Ended>, backend: &Backend) -> Result<(), Failure> {
    match ended {
        Ok(()) => Ok(backend.sync()?),
        Err(ended) => told::verdict(&ended),
    }
}

fn abort(both: &Both, foreign: bool, yes: bool, output: Output) -> Result<(), Failure> {
    // A database that does not fit the model any more is given up as well.
    let mut opened = both.origin.open(output)?;
    let backend = Arc::new(written_at(&both.at)?);
    let sides = tables(&backend, &both.at, None)?;
    if !yes {
        terminal::error_line(
            "the database keeps no changes any more; what was written to the tables stays",
        );
        asked("nothing was given up")?;
    }
    let source = opened.source.as_mut();
    let of = (&opened.checked.model, Some(&sides));
    settled(
        keyfold_relational::abort(source, &backend, of, foreign),
        &backend,
    )?;
    told::simple(
        "aborted",
        "the migration was given up; what it has written stays",
        output,
    );
    Ok(())
}
