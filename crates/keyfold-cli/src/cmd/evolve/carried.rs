//! The phases of an evolution, carried out on data.

use super::report;
use super::told::{self, Told};
use crate::cmd::moving::report::File;
use crate::cmd::moving::{asked, can_ask, looked_at, written_at};
use crate::cmd::watched::watched;
use crate::failure::Failure;
use crate::model_file::{self, Shown};
use crate::output::Output;
use crate::terminal;
use clap::{Args, value_parser};
use keyfold_client::{Backend, ClientError};
use keyfold_evolve::world::Place;
use keyfold_evolve::{
    Course, Ended, Evolving, Models, Options, Progress, Said, Status, models_digest,
};
use keyfold_model::Model;
use keyfold_model::evolution::Work;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The two models, and where the tables are.
#[derive(Args)]
pub(super) struct Both {
    /// The model that the data was written with.
    old: PathBuf,
    /// The new model.
    new: PathBuf,
    /// Where the tables are: http://127.0.0.1:8000, dynamodb://eu-west-1?profile=NAME, keyfold:./data, or the
    /// name of a connection of keyfold.toml.
    #[arg(long, value_name = "CONNECTION")]
    at: String,
}

/// The words of `--done`.
const DONE: [&str; 8] = [
    "deploy", "readers", "writers", "halt", "stop", "start", "views", "verify",
];

#[derive(Args)]
pub(super) struct Run {
    #[command(flatten)]
    both: Both,
    /// Read everything, say what stands in the way and what is to be written, and write nothing.
    #[arg(long, conflicts_with_all = ["done", "yes"])]
    dry_run: bool,
    /// The phase of people that the evolution stands at is done. With `verify`, its differences are accepted.
    #[arg(long, value_name = "PHASE", value_parser = DONE)]
    done: Option<String>,
    /// The phase of people that the last run has named is done.
    #[arg(long)]
    yes: bool,
    /// Begin though no item is of OLD and some are of neither model: they are those of another model, which
    /// shares the tables.
    #[arg(long)]
    shared: bool,
    /// The most read units a second, and the most write units.
    #[arg(long, value_name = "UNITS", value_parser = value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// How many segments of a table are read at once, when the evolution begins.
    #[arg(long, default_value_t = 4, value_parser = value_parser!(u32).range(1..=64))]
    segments: u32,
    /// Write a report of the run to this file: Markdown (.md) or an HTML page (.html).
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

/// Two models that were read, and a place that was opened.
struct Opened {
    old: Model,
    new: Model,
    models: Models,
    backend: Arc<Backend>,
    /// What people call the place by.
    at: String,
}

impl Both {
    fn open(&self, is_written: bool, output: Output) -> Result<Opened, Failure> {
        let load = |path| model_file::load_checked(path, output, Shown::Errors);
        let (old, new) = (load(&self.old)?, load(&self.new)?);
        let models = models_digest(old.sources.text(), new.sources.text());
        let backend = match is_written {
            true => written_at(&self.at)?,
            false => looked_at(&self.at)?,
        };
        Ok(Opened {
            old: old.model,
            new: new.model,
            models,
            backend: Arc::new(backend),
            at: self.at.clone(),
        })
    }
}

impl Both {
    /// Writes the report of a run, where one is wanted.
    fn write(
        &self,
        file: Option<&File>,
        told: &Told<'_, '_>,
        began: Instant,
        status: Option<&Status>,
    ) -> Result<(), Failure> {
        let Some(file) = file else {
            return Ok(());
        };
        let run = report::Run {
            old: self.old.display().to_string(),
            new: self.new.display().to_string(),
            at: &self.at,
            took: began.elapsed(),
        };
        file.write(&report::report(told, &run, status))
    }
}

impl Opened {
    /// Calls what is to be done with the evolution.
    fn with<T>(
        &self,
        options: &Options,
        progress: &Progress,
        does: impl FnOnce(&Course<'_>, &Evolving<'_>) -> Result<T, ClientError>,
    ) -> Result<T, Failure> {
        let world = Place::new(Arc::clone(&self.backend), &self.at);
        let course = Course::of(&self.old, &self.new);
        let evolving = Evolving::new(&course, self.models.clone(), (&world, options, progress));
        Ok(does(&course, &evolving)?)
    }
}

/// Calls what reads and writes items, shows how far it is, and stops it on Ctrl-C.
fn carried<T: Send>(
    progress: &Progress,
    output: Output,
    does: impl FnOnce() -> Result<T, ClientError> + Send,
) -> Result<T, Failure> {
    let stand = || told::stand(&progress.figures());
    Ok(watched(output, stand, || progress.stop(), does)??)
}

pub(super) fn run(run: &Run, output: Output) -> Result<(), Failure> {
    let file = run.report.as_deref().map(File::of).transpose()?;
    let began = Instant::now();
    let opened = run.both.open(!run.dry_run, output)?;
    let options = Options {
        segments: run.segments,
        rate: run.rate,
        ..Options::default()
    };
    let progress = Progress::default();
    let world = Place::new(Arc::clone(&opened.backend), &opened.at);
    let course = Course::of(&opened.old, &opened.new);
    let surroundings = (
        &world as &dyn keyfold_evolve::world::World,
        &options,
        &progress,
    );
    let evolving = Evolving::new(&course, opened.models.clone(), surroundings);
    let told = |ended: Ended, figures| Told {
        course: &course,
        ended,
        figures,
    };
    if run.dry_run {
        let dry = carried(&progress, output, || evolving.dry_run())?;
        let verdict = told::verdict_of(&dry, run.shared);
        let shown = told(Ended::Problems(dry), progress.figures());
        run.both.write(file.as_ref(), &shown, began, None)?;
        return output.report(shown.json("dry_run"), || shown.show(), verdict);
    }
    let said = Said {
        done: run.done.clone(),
        yes: run.yes,
        is_shared: run.shared,
    };
    let ended = carried(&progress, output, || evolving.run(&said))?;
    opened.backend.sync()?;
    let shown = told(ended, progress.figures());
    let status = file.as_ref().map(|_| evolving.status()).transpose()?;
    run.both
        .write(file.as_ref(), &shown, began, status.as_ref())?;
    let verdict = shown.verdict();
    output.report(shown.json(shown.state()), || shown.show(), verdict)
}

pub(super) fn status(both: &Both, output: Output) -> Result<(), Failure> {
    let opened = both.open(false, output)?;
    let (options, progress) = (Options::default(), Progress::default());
    opened.with(&options, &progress, |course, evolving| {
        let status = evolving.status()?;
        output.result(
            || told::status_json(course, &status),
            || told::show_status(course, &status),
        );
        Ok(())
    })
}

fn simple(state: &str, sentence: &str, output: Output) {
    output.result(|| json!({ "state": state }), || terminal::line(sentence));
}

pub(super) fn pause(both: &Both, output: Output) -> Result<(), Failure> {
    let opened = both.open(true, output)?;
    let (options, progress) = (Options::default(), Progress::default());
    opened.with(&options, &progress, |_, evolving| evolving.pause())?;
    opened.backend.sync()?;
    simple(
        "paused",
        "nothing is written any more; `keyfold evolve run` goes on",
        output,
    );
    Ok(())
}

pub(super) fn abort(both: &Both, yes: bool, output: Output) -> Result<(), Failure> {
    can_ask(yes, "nothing was given up")?;
    let opened = both.open(true, output)?;
    let (options, progress) = (Options::default(), Progress::default());
    opened.with(&options, &progress, |_, evolving| evolving.may_abort())?;
    if !yes {
        terminal::error_line(
            "the evolution is given up; tables, indexes and attributes that it has made stay, and the old \
             version passes them over",
        );
        asked("nothing was given up")?;
    }
    let off = opened.with(&options, &progress, |course, evolving| {
        evolving.abort()?;
        Ok(switched_off(course))
    })?;
    opened.backend.sync()?;
    let mut sentence = "the evolution was given up; what it has made stays".to_owned();
    for (table, attribute) in off {
        sentence.push_str(&format!(
            "; the expiry of {table} by `{attribute}`, which it may have switched off, is off until UpdateTimeToLive \
             switches it on"
        ));
    }
    simple("aborted", &sentence, output);
    Ok(())
}

/// The tables whose expiry an evolution switches off first, with its attribute.
fn switched_off(course: &Course<'_>) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for work in course.phases().iter().flat_map(|phase| &phase.work) {
        if let Work::Expiry {
            table,
            attribute,
            is_on: false,
        } = work
        {
            all.push((table.clone(), attribute.clone()));
        }
    }
    all
}

pub(super) fn complete(
    both: &Both,
    (yes, accepts): (bool, bool),
    file: Option<&Path>,
    output: Output,
) -> Result<(), Failure> {
    can_ask(yes, "nothing was deleted")?;
    let file = file.map(File::of).transpose()?;
    let began = Instant::now();
    let opened = both.open(true, output)?;
    let (options, progress) = (Options::default(), Progress::default());
    let world = Place::new(Arc::clone(&opened.backend), &opened.at);
    let course = Course::of(&opened.old, &opened.new);
    let surroundings = (
        &world as &dyn keyfold_evolve::world::World,
        &options,
        &progress,
    );
    let evolving = Evolving::new(&course, opened.models.clone(), surroundings);
    evolving.may_complete()?;
    if !yes {
        let last = course.phases().last();
        for does in last.into_iter().flat_map(|phase| &phase.does) {
            terminal::error_line(does);
        }
        asked("nothing was deleted")?;
    }
    let ended = carried(&progress, output, || evolving.complete(accepts))?;
    opened.backend.sync()?;
    let shown = Told {
        course: &course,
        ended: ended.clone(),
        figures: progress.figures(),
    };
    both.write(file.as_ref(), &shown, began, None)?;
    if ended == Ended::Ready {
        let notes = progress.notes();
        output.result(
            || shown.json("completed"),
            || {
                terminal::line("the evolution is complete");
                for note in notes {
                    terminal::line(&note);
                }
            },
        );
        return Ok(());
    }
    output.report(shown.json(shown.state()), || shown.show(), shown.verdict())
}
