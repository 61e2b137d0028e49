//! `keyfold check FILE`: shows the request of each pattern and the items under each key, or the
//! errors of the model.

use super::watch;
use crate::failure::Failure;
use crate::model_file::{self, Checked, Repaired, Shown};
use crate::output::Output;
use crate::project::ModelArgument;
use crate::terminal::{self, FAINT, GOOD, STRONG};
use clap::Args;
use keyfold_codegen::chart::{
    Chart, ExcludedRow, FileRow, IndexChart, KeyRow, PatternRow, TableChart, ViewRow,
};
use serde_json::json;
use std::path::Path;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    model: ModelArgument,
    /// Apply the repairs that errors propose, and write the file.
    #[arg(long)]
    fix: bool,
    /// Fail on warnings, too.
    #[arg(long)]
    strict: bool,
    /// Check again each time a file of the model changes; ctrl-c ends it.
    #[arg(long, conflicts_with = "fix")]
    watch: bool,
}

pub(crate) fn run(arguments: &Arguments, output: Output) -> Result<(), Failure> {
    let file = arguments.model.path()?;
    if arguments.watch {
        let files = || model_file::files(&file);
        let again = || check(arguments, &file, output);
        return watch::follow(vec![file.clone()], files, output, again);
    }
    check(arguments, &file, output)
}

fn check(arguments: &Arguments, file: &Path, output: Output) -> Result<(), Failure> {
    let repaired = if arguments.fix {
        model_file::fix(file, output)?
    } else {
        Vec::new()
    };
    let checked = model_file::load_checked(file, output, Shown::ErrorsAndWarnings)?;
    let chart = Chart::of(&checked.model);
    let mut report = chart.json();
    report["diagnostics"] = json!(checked.rows);
    report["more"] = json!(checked.more);
    let repaired: Vec<_> = repaired.iter().map(Repaired::json).collect();
    report["repaired"] = json!(repaired);
    let warnings = checked.warnings.len();
    let verdict = if arguments.strict && warnings > 0 {
        let count = terminal::counted(warnings, "warning");
        Err(Failure::refused(format!("{count} with --strict")))
    } else {
        Ok(())
    };
    let show = || {
        show(&chart);
        terminal::line(&summary(&chart, file, &checked));
        if checked.more > 0 {
            terminal::error_line(&format!("{} more warnings are not shown", checked.more));
        }
    };
    output.report(report, show, verdict)
}

fn show(chart: &Chart) {
    terminal::line(&format!(
        "{STRONG}{} {}{STRONG:#}\n",
        chart.model, chart.version
    ));
    patterns(&chart.patterns);
    chart.tables.iter().for_each(keys);
    files(&chart.files);
    excluded(&chart.excluded);
    chart.views.iter().for_each(view);
    for write in &chart.writes {
        let parameters: Vec<&str> = write
            .parameters
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        let heading = format!("write {}({})", write.name, parameters.join(", "));
        terminal::entry(
            STRONG,
            &heading,
            &format!("{}: {}", write.requests, write.actions.join("; ")),
            "",
        );
    }
}

fn view(row: &ViewRow) {
    let columns: Vec<String> = row
        .columns
        .iter()
        .map(|(name, from)| match name == from {
            true => name.clone(),
            false => format!("{name}: {from}"),
        })
        .collect();
    let heading = format!("view {} of {}", row.name, row.of);
    terminal::entry(STRONG, &heading, &columns.join(", "), "");
    terminal::line(&format!("  {FAINT}{}{FAINT:#}", row.cost));
}

/// The last line: the model is proved, and its numbers of entities, patterns and warnings.
fn summary(chart: &Chart, file: &Path, checked: &Checked) -> String {
    let entities = match checked.model.entities.len() {
        1 => "1 entity".to_owned(),
        count => format!("{count} entities"),
    };
    let is_whole = |pattern: &&PatternRow| pattern.without.is_empty();
    let patterns = chart.patterns.iter().filter(is_whole).count();
    let patterns = terminal::counted(patterns, "pattern");
    let warnings = match checked.warnings.len() {
        0 => String::new(),
        count => format!(", {}", terminal::counted(count, "warning")),
    };
    format!(
        "\n{GOOD}proved{GOOD:#} {}: {entities}, {patterns}: served, exact, disjoint, injective, ordered, covered, followed{warnings}",
        file.display()
    )
}

/// Prints the files with their owners, and what each declares.
fn files(files: &[FileRow]) {
    for one in files {
        let owner = one.owner.as_deref().unwrap_or("nobody");
        let parts = [
            ("shares", one.shared.as_slice()),
            ("keeps private", &one.private),
            ("patterns", &one.patterns),
            ("writes", &one.writes),
        ];
        let parts = parts.iter().filter(|(_, names)| !names.is_empty());
        let parts = parts.map(|(what, names)| format!("{what} {}", names.join(", ")));
        let parts: Vec<String> = parts.collect();
        let about = format!("owned by {owner}: {}", parts.join("; "));
        terminal::entry(STRONG, &one.file, &about, "");
    }
    if !files.is_empty() {
        terminal::line("");
    }
}

fn patterns(patterns: &[PatternRow]) {
    if patterns.is_empty() {
        return;
    }
    let head = [
        "pattern",
        "returns",
        "request",
        "where",
        "key condition",
        "a page",
        "units",
        "read",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(patterns.iter().map(pattern_row));
    if terminal::fits("", &rows) {
        terminal::table("", &rows);
    } else {
        rows.iter().skip(1).for_each(|row| stacked(row));
    }
    terminal::line("");
}

/// The cells of a pattern, in the order of the heading.
fn pattern_row(pattern: &PatternRow) -> Vec<String> {
    let order = if pattern.is_descending {
        "  descending"
    } else {
        ""
    };
    let filters: String = pattern
        .filters
        .iter()
        .map(|filter| format!("  filter {filter}"))
        .collect();
    let limit = pattern
        .page
        .map_or(String::new(), |page| format!(", {page} items"));
    let requests = match pattern.requests.as_str() {
        "1" => "1 request".to_owned(),
        sum if sum.contains(' ') => sum.to_owned(),
        number => format!("{number} requests"),
    };
    vec![
        pattern.title(),
        pattern.returns.clone(),
        pattern.request.clone(),
        pattern.place.clone(),
        format!("{}{order}{filters}", pattern.key_condition),
        format!("{requests}{limit}"),
        pattern
            .units
            .map_or("?".to_owned(), |units| units.to_string()),
        pattern.consistency.to_owned(),
    ]
}

/// Prints a pattern that does not fit into a line: its request and its key condition stand below.
fn stacked(row: &[String]) {
    let [title, returns, request, place, condition, page, units, read] = row else {
        return;
    };
    terminal::entry(STRONG, title, &format!("-> {returns}"), "");
    terminal::entry(
        FAINT,
        request,
        &format!("{place}  {page}, {units} units, {read}"),
        "  ",
    );
    terminal::entry(FAINT, "where", condition, "  ");
}

/// Prints the characters that texts in keys must not contain.
fn excluded(rows: &[ExcludedRow]) {
    for row in rows {
        let signs: Vec<String> = row.characters.chars().map(|c| format!("`{c}`")).collect();
        terminal::entry(
            FAINT,
            &format!("{}.{}", row.entity, row.attribute),
            &format!("holds no {}, because of {}", signs.join(", "), row.template),
            "",
        );
    }
    if !rows.is_empty() {
        terminal::line("");
    }
}

/// Prints the items under the keys of a table, each with a sample, and those of each index.
fn keys(table: &TableChart) {
    terminal::line(&format!(
        "{STRONG}{}{STRONG:#} {FAINT}({}){FAINT:#}",
        table.name,
        table.key.join(", ")
    ));
    key_rows(&table.key, &table.rows);
    for index in &table.indexes {
        let IndexChart {
            name,
            kind,
            key,
            rows,
            patterns,
            ..
        } = index;
        let read = if patterns.is_empty() {
            "no pattern".to_owned()
        } else {
            patterns.join(", ")
        };
        let about = format!("({}) {kind}, read by {read}", index.key_text());
        terminal::entry(STRONG, &format!("{}.{name}", table.name), &about, "");
        key_rows(key, rows);
    }
}

fn key_rows(key: &[String], rows: &[KeyRow]) {
    let mut all = vec![
        std::iter::once(String::new())
            .chain(key.iter().cloned())
            .collect::<Vec<_>>(),
    ];
    let last = all.first().map_or(0, Vec::len);
    for row in rows {
        let only = row
            .only
            .as_ref()
            .map_or(String::new(), |only| format!(" ({only})"));
        let mut cells = vec![format!("{}{only}", row.kind)];
        cells.extend(row.templates.iter().cloned());
        cells.resize(last, String::new());
        cells.push(format!("e.g. {}", row.sample.join(" | ")));
        all.push(cells);
    }
    terminal::table("  ", &all);
    terminal::line("");
}
