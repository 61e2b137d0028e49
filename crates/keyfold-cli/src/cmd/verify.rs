//! `keyfold verify FILE`: compares every stored item with the model.

use crate::backend::{BackendArguments, Use};
use crate::cmd::findings::{Course, Findings};
use crate::cmd::upkeep::{Rows, Upkeep};
use crate::failure::Failure;
use crate::json;
use crate::model_file::{self, Shown};
use crate::output::Output;
use crate::project::ModelArgument;
use crate::terminal::{self, ERROR, FAINT, GOOD, STRONG, counted_u64 as counted};
use clap::{Args, value_parser};
use indicatif::{ProgressBar, ProgressStyle};
use keyfold_client::ClientError;
use keyfold_client::verify::{
    self, Finding, FindingGroup, FoundLine, Kept, Observer, Options, Report, Share, TableSize,
};
use keyfold_model::{Sources, value};
use keyfold_stream::sends;
use keyfold_types::CapacityHalves;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The time between two saves of the state.
const SAVE_EVERY: Duration = Duration::from_secs(5);

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArgument,
    /// Read this many segments of each table at once.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=256))]
    segments: u32,
    /// Read at most this many units a second.
    #[arg(long, value_name = "UNITS", value_parser = value_parser!(u32).range(1..))]
    rate: Option<u32>,
    /// Read about this many random items, and report the share of wrong ones. Foreign and missing
    /// copies and guards, and aggregates, need the whole table and are left out.
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..))]
    sample: Option<u64>,
    /// Write every finding to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    findings: Option<PathBuf>,
    /// Keep in this folder how far it is: after an interruption, the same command continues there.
    /// The folder is removed at the end.
    #[arg(long, value_name = "DIR", conflicts_with = "sample")]
    state: Option<PathBuf>,
    /// Begin without showing the cost and asking.
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    backend: BackendArguments,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let file = arguments.model.path()?;
    let checked = model_file::load_checked(&file, output, Shown::Errors)?;
    let (model, sources) = (checked.model, checked.sources);
    let backend = Arc::new(arguments.backend.open_as_it_is(Use::Read)?);
    let model = Arc::new(model);
    let tables = verify::sizes(&backend, &model)?;
    if output == Output::Text && !arguments.yes {
        announce(&tables, arguments.sample)?;
    }
    let course = match &arguments.state {
        Some(_) => Course::Resumable,
        None => Course::Once,
    };
    let mut watch = Watch {
        bar: bar(&tables, arguments.sample, output),
        file: match &arguments.findings {
            Some(path) => Some(Findings::open(path, output, course)?),
            None => None,
        },
        sources: &sources,
        kept: Upkeep::new(sends(Arc::clone(&backend)), &model),
    };
    let options = Options {
        segments: arguments.segments,
        rate: arguments.rate,
        page: None,
        sample: arguments.sample,
        kept: arguments.state.as_ref().map(|folder| Kept {
            folder: folder.clone(),
            subject: subject(arguments, &sources),
            every: SAVE_EVERY,
        }),
    };
    let report = verify::run(&backend, &model, &tables, &options, &mut watch);
    watch.bar.finish_and_clear();
    let report = report?;
    let rows = watch.kept.rows(&report);
    output.report(
        view((&report, &rows), &tables, &sources),
        || show((&report, &rows), &sources, &file),
        verdict(&report, &file),
    )
}

/// What a state belongs to: the model, where the tables are, and the file that has the findings.
fn subject(arguments: &Arguments, sources: &Sources) -> String {
    let mut subject = format!(
        "{} at {}",
        value::digest(sources.text()),
        arguments.backend.shown()
    );
    if let Some(path) = &arguments.findings {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        subject.push_str(&format!(", findings in {}", path.display()));
    }
    subject
}

fn verdict(report: &Report, path: &Path) -> Result<(), Failure> {
    if is_good(report) {
        return Ok(());
    }
    let mut message = counted(report.findings(), "finding");
    if report.undecided > 0 {
        let keys = counted(report.undecided, "key");
        message.push_str(&format!(
            "; {keys} changed during every scan and could not be judged: run it again when fewer writes happen"
        ));
    }
    if report.undecided_rows > 0 {
        let rows = counted(report.undecided_rows, "row");
        message.push_str(&format!(
            "; {rows} of views may be behind their sources and could not be judged: let `keyfold views run` or `keyfold serve --views` handle what is left, and run it again"
        ));
    }
    Err(Failure::refused(message).in_file(path))
}

/// Whether nothing was found, and all was judged.
fn is_good(report: &Report) -> bool {
    report.findings() == 0 && report.undecided == 0 && report.undecided_rows == 0
}

/// Shows the cost, and asks on a terminal.
fn announce(tables: &[TableSize], sample: Option<u64>) -> Result<(), Failure> {
    let heading = ["table", "items", "bytes", "read units of a scan"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    rows.extend(tables.iter().map(|table| {
        vec![
            table.name.clone(),
            table.items.to_string(),
            table.bytes.to_string(),
            table.units().to_string(),
        ]
    }));
    terminal::table("", &rows);
    terminal::line(&match sample {
        Some(count) => format!("{FAINT}about {count} items are read{FAINT:#}"),
        None => format!(
            "{FAINT}one scan, and up to three more when something must be confirmed; each finding reads its items once more, up to three units for small ones{FAINT:#}"
        ),
    });
    match terminal::is_confirmed() {
        Some(true) | None => Ok(()),
        Some(false) => Err(Failure::refused("nothing was read; --yes begins at once")),
    }
}

fn bar(tables: &[TableSize], sample: Option<u64>, output: Output) -> ProgressBar {
    let bar = match output {
        Output::Json => ProgressBar::hidden(),
        Output::Text => ProgressBar::new(0),
    };
    let style = ProgressStyle::with_template("{msg:8} {wide_bar} {pos}/{len} items, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_length(sample.unwrap_or_else(|| tables.iter().map(|table| table.items).sum()));
    bar
}

fn unwritable(path: &Path, error: &std::io::Error) -> ClientError {
    ClientError::Transport(format!(
        "cannot write the findings to {}: {error}",
        path.display()
    ))
}

/// Sees the verification: a bar, and the file of findings.
struct Watch<'w> {
    bar: ProgressBar,
    file: Option<Findings>,
    sources: &'w Sources,
    kept: Upkeep,
}

impl Watch<'_> {
    /// Does something with the file of findings, if there is one.
    fn with_file<T: Default>(
        &mut self,
        work: impl FnOnce(&mut Findings) -> Result<T, std::io::Error>,
    ) -> Result<T, ClientError> {
        let Some(file) = &mut self.file else {
            return Ok(T::default());
        };
        work(file).map_err(|error| unwritable(file.path(), &error))
    }
}

impl Observer for Watch<'_> {
    fn begin(&mut self, position: u64) -> Result<(), ClientError> {
        self.with_file(|file| file.begin(position))
    }

    fn position(&mut self) -> Result<u64, ClientError> {
        self.with_file(Findings::position)
    }

    fn progress(&mut self, scan: u32, items: u64) {
        self.bar.set_message(format!("scan {scan}"));
        self.bar.set_position(items);
    }

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        let sources = self.sources;
        self.with_file(|file| file.write(&finding_view(finding, sources)))
    }

    fn lagging(&mut self) -> Result<Vec<String>, ClientError> {
        self.bar.set_message("rows of views");
        Ok(self.kept.lagging())
    }

    fn end(&mut self) -> Result<(), ClientError> {
        self.with_file(Findings::end)
    }
}

fn show((report, rows): (&Report, &[Rows]), sources: &Sources, file: &Path) {
    for group in &report.groups {
        show_group(group, sources);
    }
    let kinds: Vec<String> = report
        .kinds
        .iter()
        .map(
            |(kind, count)| match rows.iter().any(|one| one.view == *kind) {
                true => format!("{} of {kind}", counted(*count, "row")),
                false => format!("{count} {kind}"),
            },
        )
        .collect();
    let items = counted(report.items, "item");
    terminal::paragraph(&match kinds.is_empty() {
        true => items,
        false => format!("{items}: {}", kinds.join(", ")),
    });
    terminal::line(&format!(
        "{FAINT}{}, {} read units{FAINT:#}",
        counted(u64::from(report.scans), "scan"),
        CapacityHalves(report.halves).units()
    ));
    if let Some(share) = report.sample {
        show_share(share);
    } else if is_good(report) {
        terminal::line(&format!("{GOOD}every item is as the model says{GOOD:#}"));
    }
    show_rows(rows, file);
}

/// Says what of the rows of views was not compared, and what makes rows right.
fn show_rows(rows: &[Rows], file: &Path) {
    for one in rows {
        let view = &one.view;
        if one.live == Some(None) {
            terminal::paragraph(&format!(
                "The view {view} was never built: `keyfold views rebuild {}` makes its rows.",
                file.display()
            ));
        }
        match &one.compared {
            Err(why) => terminal::paragraph(&format!(
                "The rows of {view} were not compared with their source: {why}."
            )),
            Ok(left) if left.is_empty() => {}
            Ok(left) => {
                terminal::paragraph(&format!(
                    "Not compared with their source, of the rows of {view}:"
                ));
                for (attribute, why) in left {
                    terminal::entry(STRONG, attribute, why, "  ");
                }
            }
        }
    }
}

fn show_share(share: Share) {
    let percent = |part: f64| format!("{:.2}%", part * 100.0);
    let found = share.wrong as f64 / share.read.max(1) as f64;
    terminal::paragraph(&format!(
        "{} of {} entities, copies and guards in the sample are wrong ({}); of the table, {} to {} with a confidence of 95%. Foreign and missing copies and guards, and aggregates, were left out.",
        share.wrong,
        share.read,
        percent(found),
        percent(share.low),
        percent(share.high)
    ));
}

fn show_group(group: &FindingGroup, sources: &Sources) {
    let of = group
        .item
        .as_deref()
        .map_or(String::new(), |item| format!(" ({item})"));
    terminal::line(&format!(
        "{ERROR}{}{ERROR:#} {STRONG}{}{STRONG:#}{of}",
        group.count,
        group.kind.text()
    ));
    if let Some(line) = &group.line {
        let FoundLine {
            path,
            owner,
            number,
            text,
        } = line.find(sources);
        let owned = match owner {
            Some(owner) if sources.files().len() > 1 => format!(", owned by {owner}"),
            Some(_) | None => String::new(),
        };
        terminal::line(&format!("  {FAINT}{path}:{number}{owned}{FAINT:#}  {text}"));
    }
    for finding in &group.examples {
        let key = match finding.key.is_empty() {
            true => format!("the table {}", finding.table),
            false => terminal::key(&finding.key),
        };
        terminal::entry(STRONG, &key, &finding.message, "  ");
    }
    terminal::line("");
}

/// A finding for programs.
fn finding_view(finding: &Finding, sources: &Sources) -> Json {
    let line = finding.line.as_ref().map(|line| line.find(sources));
    let line = line.as_ref();
    json!({
        "kind": finding.kind.word(),
        "table": finding.table,
        "key": json::typed(&finding.key),
        "item": finding.item,
        "owner": finding.owner.as_ref().map(json::typed),
        "file": line.map(|line| &line.path),
        "fileOwner": line.and_then(|line| line.owner),
        "line": line.map(|line| line.number),
        "message": finding.message,
    })
}

/// The rows of a view for programs.
fn rows_view(one: &Rows) -> Json {
    let left = one.compared.as_ref().ok();
    let names = left.map(|left| left.iter().map(|(name, _)| name).collect::<Vec<_>>());
    let reasons = left.map(|left| {
        let reasons = left.iter().map(|(name, why)| (name.clone(), json!(why)));
        reasons.collect::<serde_json::Map<_, _>>()
    });
    json!({
        "view": one.view,
        "rows": one.count,
        "compared": left.is_some(),
        "notCompared": names,
        "reasons": reasons.unwrap_or_default(),
        "why": one.compared.as_ref().err(),
        "live": one.live.flatten(),
    })
}

fn view((report, rows): (&Report, &[Rows]), tables: &[TableSize], sources: &Sources) -> Json {
    let group = |group: &FindingGroup| {
        let line = group.line.as_ref().map(|line| line.find(sources));
        let line = line.as_ref();
        json!({
            "kind": group.kind.word(),
            "item": group.item,
            "file": line.map(|line| &line.path),
            "fileOwner": line.and_then(|line| line.owner),
            "line": line.map(|line| line.number),
            "text": line.map(|line| line.text),
            "count": group.count,
            "examples": group.examples.iter().map(|one| finding_view(one, sources)).collect::<Vec<_>>(),
        })
    };
    json!({
        "tables": tables.iter().map(|table| json!({
            "name": table.name, "items": table.items, "bytes": table.bytes, "units": table.units(),
        })).collect::<Vec<_>>(),
        "items": report.items,
        "kinds": report.kinds,
        "views": rows.iter().map(rows_view).collect::<Vec<_>>(),
        "count": report.findings(),
        "findings": report.groups.iter().map(group).collect::<Vec<_>>(),
        "undecided": report.undecided,
        "undecidedRows": report.undecided_rows,
        "scans": report.scans,
        "capacityUnits": CapacityHalves(report.halves).units(),
        "sample": report.sample.map(|share| json!({
            "read": share.read, "wrong": share.wrong, "low": share.low, "high": share.high,
        })),
    })
}
