//! `keyfold migrate compare`: each pattern is asked of the tables and of the database, while programs write.

use super::answers::{Sum, verdict_of_answers};
use super::opening::{Both, mapping};
use super::reported::{self, File};
use crate::cmd::database::failure;
use crate::cmd::moving::looked_at;
use crate::cmd::realism::any_duration;
use crate::cmd::watched::watched;
use crate::failure::Failure;
use crate::output::Output;
use crate::terminal::{self, ERROR, FAINT, GOOD, STRONG, counted_u64};
use clap::{Args, value_parser};
use keyfold_prove::live::{self, LiveError, LivePattern, Options};
use keyfold_relational::Progress;
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is asked, and what may differ.
#[derive(Args)]
pub(super) struct Asking {
    #[command(flatten)]
    both: Both,
    /// Go on for so long, with other rows in each pass ("30s", "10m"). Without it, one pass is made.
    #[arg(long = "for", value_name = "DURATION", value_parser = any_duration)]
    lasts: Option<Duration>,
    /// Questions of a thousand that may differ.
    #[arg(long, value_name = "PER MILLE", default_value_t = 0, value_parser = value_parser!(u64).range(0..=1000))]
    gate: u64,
    /// About so many rows of each entity give the arguments of a pass.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = value_parser!(u64).range(1..))]
    sample: u64,
    /// Take the arguments of a pass from all rows and all stored items.
    #[arg(long, conflicts_with = "sample")]
    all: bool,
    /// How long a change may be on its way before what differs counts.
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = any_duration)]
    lag: Duration,
    /// The most rows that may be in an answer; more are not compared.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = value_parser!(u32).range(1..))]
    rows: u32,
    /// The seed of what is left to chance.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Write a report to this file: Markdown (.md) or an HTML page (.html).
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

impl Asking {
    /// Where the tables are.
    pub(super) fn at(&self) -> &str {
        &self.both.at
    }
}

pub(super) fn compare(asking: &Asking, output: Output) -> Result<(), Failure> {
    let file = asking.report.as_deref().map(File::of).transpose()?;
    let mut opened = asking.both.origin.open(output)?;
    let mapping = mapping(&opened.checked, opened.source.as_mut(), output)?;
    let backend = looked_at(&asking.both.at)?;
    let options = Options {
        seed: asking.seed,
        sample: (!asking.all).then_some(asking.sample),
        lasts: asking.lasts,
        lag: asking.lag,
        most: usize::try_from(asking.rows).unwrap_or(usize::MAX),
    };
    let began = Instant::now();
    let (progress, sum) = (Progress::default(), Mutex::new(Sum::default()));
    let held = || sum.lock().unwrap_or_else(PoisonError::into_inner);
    let mut goes_on = |found: &[LivePattern]| {
        *held() = Sum::of(found);
        !progress.is_stopping()
    };
    let source = opened.source.as_mut();
    let found = watched(
        output,
        || held().stand(),
        || progress.stop(),
        || live::compare(&mapping, source, &backend, &options, &mut goes_on).map_err(of_live),
    )??;
    if let Some(file) = file {
        let parts = [
            reported::places(&mapping, &opened.source.name(), &asking.both.at),
            reported::answers(&found, began.elapsed()),
        ];
        let verdict = reported::verdict_of_answers(Sum::of(&found), asking.gate);
        file.write(&reported::report("What the tables answer", verdict, parts))?;
    }
    output.report(
        json_of(&found, asking.gate),
        || show(&found),
        verdict_of_answers(Sum::of(&found), asking.gate),
    )
}

fn of_live(error: LiveError) -> Failure {
    match error {
        LiveError::Source(error) => failure(error),
        LiveError::Target(error) => error.into(),
        LiveError::Prove(error) => Failure::backend(error.to_string()),
    }
}

fn json_of(found: &[LivePattern], gate: u64) -> Json {
    let patterns = found.iter().map(|one| {
        let differences = one.differences.iter();
        let differences: Vec<Json> = differences
            .map(|one| json!({ "question": one.question, "what": one.what }))
            .collect();
        json!({
            "name": one.name,
            "asked": one.asked,
            "equal": one.equal,
            "late": one.late,
            "different": one.different,
            "tooLarge": one.too_large,
            "whyNot": one.why_not,
            "differences": differences,
        })
    });
    let patterns: Vec<Json> = patterns.collect();
    json!({
        "state": "compared",
        "compared": Sum::of(found).json(),
        "gate": gate,
        "patterns": patterns,
    })
}

fn show(found: &[LivePattern]) {
    let heading = ["pattern", "asked", "equal", "late", "different", ""];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(found.iter().map(|one| {
        vec![
            one.name.clone(),
            one.asked.to_string(),
            one.equal.to_string(),
            one.late.to_string(),
            one.different.to_string(),
            reported::remark(one),
        ]
    }));
    terminal::table("", &rows);
    for difference in found.iter().flat_map(|one| &one.differences) {
        terminal::line(&format!(
            "\n{ERROR}differs{ERROR:#} {STRONG}{}{STRONG:#}",
            terminal::shown(&difference.question)
        ));
        for what in &difference.what {
            terminal::line(&format!("  {}", terminal::shown(what)));
        }
    }
    let sum = Sum::of(found);
    if sum.different == 0 && sum.asked > 0 {
        let asked = counted_u64(sum.asked, "question");
        terminal::line(&format!(
            "{GOOD}the tables answer as the database does{GOOD:#} {FAINT}({asked}){FAINT:#}"
        ));
    }
}
