//! `keyfold migrate`: a relational database comes in. The rows become entities as the `from` lines of the
//! model say, and their changes follow.
//!
//! - `opening`: model, database and tables. `compare`: patterns are asked of both; `answers`: their sums.
//! - `told`: what is shown; `reported`: what a report says.

mod answers;
mod compare;
mod opening;
mod reported;
mod told;

use super::database::failure;
use super::moving::{asked, can_ask, looked_at, made_at, written_at};
use super::watched::watched;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal;
use clap::{Args, Subcommand};
use compare::Asking;
use keyfold_client::Backend;
use keyfold_relational::{Ended, Migration, Progress, VerifyError, check, mend, verify};
use opening::{Both, Origin, mapping};
use reported::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Compare the model with the database and read every row: which attributes and keys they cannot be.
    /// Nothing is written.
    Check(Origin),
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
        Action::Check(origin) => checked(origin, output),
        Action::Run { both, once, report } => carried(both, *once, report.as_deref(), output),
        Action::Compare(asking) => compare::compare(asking, output),
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

fn checked(origin: &Origin, output: Output) -> Result<(), Failure> {
    let mut opened = origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let found = read(&progress, output, || check(&mapping, source, &progress))?;
    let found = found.map_err(failure)?;
    let verdict = told::verdict_of(&found);
    output.report(
        told::check_json(&found),
        || told::show_check(&found),
        verdict,
    )
}

/// Calls what reads rows, shows how far it is, and stops it on Ctrl-C.
fn read<T: Send>(
    progress: &Progress,
    output: Output,
    does: impl FnOnce() -> T + Send,
) -> Result<T, Failure> {
    let stand = || told::stand(&progress.figures());
    watched(output, stand, || progress.stop(), does)
}

fn carried(both: &Both, once: bool, report: Option<&Path>, output: Output) -> Result<(), Failure> {
    let file = report.map(File::of).transpose()?;
    let began = Instant::now();
    let mut opened = both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = made_at(&both.at)?;
    let made = keyfold_client::tables::ensure(&backend, mapping.model)?;
    for note in keyfold_client::tables::notes(mapping.model, &made) {
        terminal::error_line(&note);
    }
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let ended = read(&progress, output, || {
        Migration::new(&mapping, source, &backend, &progress).run(once)
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
    let backend = written_at(&both.at)?;
    let progress = Progress::default();
    let source = opened.source.as_mut();
    let follows =
        |state: &keyfold_relational::State| state.phase == keyfold_relational::Phase::Follow;
    let state = Migration::new(&mapping, source, &backend, &progress).state()?;
    if !state.as_ref().is_some_and(follows) {
        return Err(Failure::refused(
            "not every row is copied yet: `keyfold migrate run` first",
        ));
    }
    if !yes {
        terminal::error_line(
            "what is written to the database afterwards is not carried any more; its programs should be stopped, \
             or write to the tables alone",
        );
        asked("the migration goes on")?;
    }
    // What was written last is carried before the changes are dropped.
    let ended = read(&progress, output, || {
        Migration::new(&mapping, source, &backend, &progress).run(true)
    })?;
    if !matches!(ended, Ended::Caught) {
        let figures = progress.figures();
        let document = told::run_json(&ended, &figures);
        let verdict = told::verdict(&ended);
        return output.report(document, || told::show_run(&ended, &figures), verdict);
    }
    let compared_progress = Progress::default();
    let found = read(&compared_progress, output, || {
        verify(&mapping, source, &backend, &compared_progress)
    })?;
    let found = found.map_err(of_comparison)?;
    if found.count > 0 || compared_progress.is_stopping() {
        let verdict = told::verdict_of_comparison(&found, compared_progress.is_stopping());
        return output.report(
            told::verify_json(&found),
            || told::show_verify(&found),
            verdict,
        );
    }
    let ended = Migration::new(&mapping, source, &backend, &progress).complete();
    settled(ended, &backend)?;
    told::simple(
        "completed",
        "the migration is complete: the database keeps no changes any more",
        output,
    );
    Ok(())
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
    let backend = written_at(&both.at)?;
    if !yes {
        terminal::error_line(
            "the database keeps no changes any more; what was written to the tables stays",
        );
        asked("nothing was given up")?;
    }
    let source = opened.source.as_mut();
    let model = &opened.checked.model.name;
    settled(
        keyfold_relational::abort(source, &backend, model, foreign),
        &backend,
    )?;
    told::simple(
        "aborted",
        "the migration was given up; what it has written stays",
        output,
    );
    Ok(())
}
