//! `keyfold prove FILE`: every pattern against the same question in SQL, over random data and
//! changes.

use crate::failure::Failure;
use crate::json;
use crate::model_file;
use crate::terminal::{self, ERROR, FAINT, GOOD, STRONG};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use keyfold_prove::{
    Failure as Wrong, Options, PatternReport, Phase, ProveError, Report, Smallest,
};
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model.
    file: PathBuf,
    /// Seed of the random data: the same seed repeats the same proof.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Items of each entity that are tried at first.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    items: u32,
    /// How often each pattern is asked, before and after the changes.
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    asks: u32,
    /// Looks further, for minutes: ten times as much, on files, with restarts and many more writers
    /// at once.
    #[arg(long)]
    deep: bool,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let model = model_file::load(&arguments.file, as_json)?;
    let bar = if as_json {
        ProgressBar::hidden()
    } else {
        ProgressBar::new(0)
    };
    let style = ProgressStyle::with_template("{msg:13} {wide_bar} {pos}/{len}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let mut phase: Option<Phase> = None;
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
    let report = keyfold_prove::prove(&model, options, |progress| {
        if phase != Some(progress.phase) {
            phase = Some(progress.phase);
            bar.set_message(progress.phase.to_string());
            bar.set_length(progress.total as u64);
        }
        bar.set_position(progress.done as u64);
    });
    bar.finish_and_clear();
    let report = report.map_err(failed)?;
    if !as_json {
        show(&report);
    }
    if report.is_proved() {
        if as_json {
            json::print(&view(&report));
        }
        return Ok(());
    }
    let count = terminal::counted(report.all_failures().count(), "difference");
    let message = format!("{count}; the same again with --seed {}", report.seed);
    Err(Failure::verdict(message, view(&report)).in_file(&arguments.file))
}

fn failed(error: ProveError) -> Failure {
    match error {
        ProveError::Client(error) => error.into(),
        other => Failure::backend(other.to_string()),
    }
}

fn show(report: &Report) {
    let mut rows = vec![
        [
            "pattern",
            "asked",
            "with an answer",
            "items",
            "requests",
            "",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for pattern in &report.patterns {
        let PatternReport {
            name,
            runs,
            items,
            answered,
            requests,
            failures,
        } = pattern;
        let verdict = match (failures.len(), answered) {
            (0, 0) => "never answered anything".to_owned(),
            (0, _) => "as SQL".to_owned(),
            (count, _) => terminal::counted(count, "difference"),
        };
        let numbers = [
            runs.to_string(),
            answered.to_string(),
            items.to_string(),
            requests.to_string(),
        ];
        rows.push(
            std::iter::once(name.clone())
                .chain(numbers)
                .chain([verdict])
                .collect(),
        );
    }
    terminal::table("", &rows);
    terminal::line(&format!(
        "\n{FAINT}{} rows at first, {} writes of which {} had to be refused, {} stored items and {} aggregates compared, seed {}{FAINT:#}",
        report.rows,
        report.writes,
        report.refused,
        report.stored_items,
        report.aggregates,
        report.seed
    ));
    for Wrong {
        what,
        expected,
        found,
    } in report.all_failures().take(10)
    {
        terminal::line(&format!(
            "\n{ERROR}differs{ERROR:#} {STRONG}{what}{STRONG:#}"
        ));
        terminal::line(&format!("  expected  {expected}"));
        terminal::line(&format!("  found     {found}"));
    }
    if let Some(Smallest { writes, failure }) = &report.smallest {
        let count = terminal::counted(writes.len(), "write");
        terminal::line(&format!(
            "\n{STRONG}the shortest way to a difference{STRONG:#}: after {count}"
        ));
        writes
            .iter()
            .take(20)
            .for_each(|write| terminal::line(&format!("  {write}")));
        terminal::line(&format!("  {ERROR}differs{ERROR:#} {}", failure.what));
        terminal::line(&format!("    expected  {}", failure.expected));
        terminal::line(&format!("    found     {}", failure.found));
    }
    if report.is_proved() {
        let silent: Vec<&str> = report
            .patterns
            .iter()
            .filter(|one| one.answered == 0)
            .map(|one| one.name.as_str())
            .collect();
        let but = match silent.as_slice() {
            [] => String::new(),
            names => format!(
                ", but for what never answered anything: {}",
                names.join(", ")
            ),
        };
        terminal::line(&format!("{GOOD}proved by execution{GOOD:#}{but}"));
    }
}

fn view(report: &Report) -> Json {
    let wrong =
        |one: &Wrong| json!({ "what": one.what, "expected": one.expected, "found": one.found });
    json!({
        "seed": report.seed,
        "rows": report.rows,
        "writes": report.writes,
        "refused": report.refused,
        "storedItems": report.stored_items,
        "aggregates": report.aggregates,
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
