//! `keyfold prove FILE`: compares every pattern with the same question in SQL, over random data and
//! changes.

use crate::backend;
use crate::cmd::moving::listen;
use crate::cmd::proof_cost::{Cost, is_of_this_machine};
use crate::failure::Failure;
use crate::model_file;
use crate::output::Output;
use crate::project::ModelArgument;
use crate::terminal::{self, ERROR, FAINT, GOOD, STRONG};
use anstyle::Style;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use keyfold_model::Model;
use keyfold_prove::{
    Failure as Difference, Options, PatternReport, Phase, Progress, ProveError, Record, Report,
    Smallest, Subject, Through, Watch,
};
use keyfold_workbench::ProofStep;
use serde_json::{Value as Json, json};
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The most differences that are shown.
const DIFFERENCES_SHOWN_MAX: usize = 10;
/// The most writes of the shortest way that are shown.
const WRITES_SHOWN_MAX: usize = 20;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArgument,
    /// The seed of the random data: the same seed repeats the same proof.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Items of each entity to write at first.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    items: u32,
    /// Questions for each pattern, before and after the changes.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    asks: u32,
    /// Prove for minutes: twice the items and ten times the questions, on files, with restarts and
    /// many more concurrent writers.
    #[arg(long)]
    deep: bool,
    /// Prove a client in another language, too: the command of a program that carries the model's
    /// calls out as docs/transcripts.md says.
    #[arg(long, value_name = "COMMAND", conflicts_with = "record")]
    through: Option<String>,
    /// Write each call to this file: its requests, their answers and its result, a line of JSON.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Prove an engine with DynamoDB's API, too: in tables of the proof's own at this address, which
    /// are deleted at the end. Amazon's is dynamodb://eu-west-1?profile=NAME. Region and keys come
    /// from the AWS variables and the shared AWS files.
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Begin at an endpoint beyond this machine without a question about its cost.
    #[arg(long, requires = "endpoint")]
    yes: bool,
}

impl Arguments {
    /// Shows what a proof beyond this machine costs, and asks.
    fn confirm(&self, url: &str, cost: &Cost) -> Result<(), Failure> {
        if self.yes || is_of_this_machine(url) {
            return Ok(());
        }
        terminal::error_line(&format!("The proof at {url} takes {cost}."));
        match terminal::is_confirmed() {
            Some(true) => Ok(()),
            Some(false) | None => Err(Failure::refused(
                "nothing was sent; --yes begins at once, --items and --asks make it cheaper",
            )),
        }
    }

    /// The client that the proof drives.
    fn subject(&self, model: &Model) -> Result<Subject, Failure> {
        if let Some(command) = &self.through {
            let words = command.split_whitespace().map(str::to_owned);
            return Ok(Subject::Through(Through::new(words)));
        }
        let Some(path) = &self.record else {
            return Ok(Subject::Embedded);
        };
        let record = File::create(path).and_then(|file| Record::new(model, BufWriter::new(file)));
        record
            .map(Subject::Recorded)
            .map_err(|error| Failure::unwritten(path, &error))
    }
}

/// Shows how far a proof is, and stops it on a signal.
struct Shown<'b> {
    bar: &'b ProgressBar,
    phase: Option<Phase>,
    stops: Arc<AtomicBool>,
}

impl Watch for Shown<'_> {
    fn step(&mut self, progress: Progress) -> bool {
        if self.phase != Some(progress.phase) {
            self.phase = Some(progress.phase);
            self.bar.set_message(progress.phase.to_string());
            self.bar.set_length(progress.total as u64);
        }
        self.bar.set_position(progress.done as u64);
        !self.stops.load(Ordering::SeqCst)
    }
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let file = arguments.model.path()?;
    let model = model_file::load(&file, output)?;
    let bar = match output {
        Output::Json => ProgressBar::hidden(),
        Output::Text => ProgressBar::new(0),
    };
    let style = ProgressStyle::with_template("{msg:13} {wide_bar} {pos}/{len}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let options = Options {
        seed: arguments.seed,
        items: arguments.items as usize * if arguments.deep { 2 } else { 1 },
        asks: arguments.asks as usize * if arguments.deep { 10 } else { 1 },
        deep: arguments.deep,
        now_epoch_ms: i64::try_from(now.as_millis()).unwrap_or(i64::MAX),
    };
    let subject = arguments.subject(&model)?;
    let watch = Shown {
        bar: &bar,
        phase: None,
        stops: Arc::default(),
    };
    let report = match &arguments.endpoint {
        None => keyfold_prove::prove_through(&model, options, &subject, watch),
        Some(url) => {
            let endpoint = backend::settings_of(url)?;
            arguments.confirm(&endpoint.url, &Cost::of(&model, &options))?;
            // A proof that is broken off would leave its tables there.
            listen(&watch.stops)?;
            keyfold_prove::prove_at(&model, options, &subject, &endpoint, watch)
        }
    };
    bar.finish_and_clear();
    if let (Subject::Recorded(record), Some(path)) = (&subject, &arguments.record) {
        let finished = record.finish();
        finished.map_err(|error| Failure::unwritten(path, &error))?;
    }
    let report = report.map_err(failed)?;
    let verdict = if report.is_proved() {
        Ok(())
    } else {
        let count = terminal::counted(report.all_failures().count(), "difference");
        let message = format!("{count}; --seed {} repeats this proof", report.seed);
        Err(Failure::refused(message).in_file(&file))
    };
    output.report(view(&report), || show(&report), verdict)
}

/// Goes on for as long as a page wants it.
struct OnPage<'s>(&'s mut dyn FnMut(ProofStep<'_>) -> bool);

impl Watch for OnPage<'_> {
    fn step(&mut self, progress: Progress) -> bool {
        (self.0)((&progress.phase.to_string(), progress.done, progress.total))
    }
}

/// Proves a model for a page that shows how far it is: the report, if the page does not stop it.
pub(super) fn for_page(
    model: &Model,
    step: &mut dyn FnMut(ProofStep<'_>) -> bool,
) -> Result<Option<Json>, String> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let options = Options {
        seed: 1,
        items: 200,
        asks: 40,
        deep: false,
        now_epoch_ms: i64::try_from(now.as_millis()).unwrap_or(i64::MAX),
    };
    match keyfold_prove::prove_through(model, options, &Subject::Embedded, OnPage(step)) {
        Ok(report) => Ok(Some(view(&report))),
        Err(ProveError::Stopped) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

fn failed(error: ProveError) -> Failure {
    match error {
        ProveError::Client(error) => error.into(),
        ProveError::Sql(_) | ProveError::Engine(_) => Failure::backend(error.to_string()),
        ProveError::Stopped => Failure::refused(error.to_string()),
    }
}

fn show(report: &Report) {
    terminal::table("", &pattern_rows(&report.patterns));
    terminal::line(&format!(
        "\n{FAINT}{} rows at first, {} writes of which {} had to be refused, {} stored items and {} aggregates compared, seed {}{FAINT:#}",
        report.rows,
        report.writes,
        report.refused,
        report.stored_items,
        report.aggregates,
        report.seed
    ));
    for difference in report.all_failures().take(DIFFERENCES_SHOWN_MAX) {
        terminal::line("");
        show_difference(difference, "", STRONG);
    }
    if let Some(smallest) = &report.smallest {
        show_smallest(smallest);
    }
    if report.is_proved() {
        let silent = report.patterns.iter().filter(|one| one.answered == 0);
        let names: Vec<&str> = silent.map(|one| one.name.as_str()).collect();
        let exceptions = match names.as_slice() {
            [] => String::new(),
            names => format!(
                ", but for patterns that never found an item: {}",
                names.join(", ")
            ),
        };
        for never in &report.never {
            terminal::line(&format!("{STRONG}warning{STRONG:#} {never}"));
        }
        terminal::line(&format!("{GOOD}proved by execution{GOOD:#}{exceptions}"));
    }
}

/// The heading and the row of each pattern.
fn pattern_rows(patterns: &[PatternReport]) -> Vec<Vec<String>> {
    let heading = [
        "pattern",
        "asked",
        "with an answer",
        "items",
        "requests",
        "",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(patterns.iter().map(|pattern| {
        let verdict = match (pattern.failures.len(), pattern.answered) {
            (0, 0) => "never found an item".to_owned(),
            (0, _) => "as SQL".to_owned(),
            (count, _) => terminal::counted(count, "difference"),
        };
        vec![
            pattern.name.clone(),
            pattern.runs.to_string(),
            pattern.answered.to_string(),
            pattern.items.to_string(),
            pattern.requests.to_string(),
            verdict,
        ]
    }));
    rows
}

fn show_difference(difference: &Difference, indent: &str, style: Style) {
    let Difference {
        what,
        expected,
        found,
    } = difference;
    terminal::line(&format!(
        "{indent}{ERROR}differs{ERROR:#} {style}{what}{style:#}"
    ));
    terminal::line(&format!("{indent}  expected  {expected}"));
    terminal::line(&format!("{indent}  found     {found}"));
}

/// Prints the fewest writes after which something differs.
fn show_smallest(smallest: &Smallest) {
    let count = terminal::counted(smallest.writes.len(), "write");
    terminal::line(&format!(
        "\n{STRONG}the shortest way to a difference{STRONG:#}: after {count}"
    ));
    for write in smallest.writes.iter().take(WRITES_SHOWN_MAX) {
        terminal::line(&format!("  {write}"));
    }
    show_difference(&smallest.failure, "  ", Style::new());
}

fn view(report: &Report) -> Json {
    let wrong = |one: &Difference| json!({ "what": one.what, "expected": one.expected, "found": one.found });
    json!({
        "seed": report.seed,
        "rows": report.rows,
        "writes": report.writes,
        "refused": report.refused,
        "storedItems": report.stored_items,
        "aggregates": report.aggregates,
        "never": report.never.iter().map(|one| json!({ "kind": one.kind.word(), "name": one.name })).collect::<Vec<_>>(),
        "patterns": report.patterns.iter().map(|pattern| json!({
            "name": pattern.name,
            "runs": pattern.runs,
            "items": pattern.items,
            "answered": pattern.answered,
            "requests": pattern.requests,
            "failures": pattern.failures.iter().map(wrong).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "failures": report.failures.iter().map(wrong).collect::<Vec<_>>(),
        "smallest": report.smallest.as_ref().map(|one| json!({ "writes": one.writes, "failure": wrong(&one.failure) })),
    })
}
