//! `keyfold check FILE`: how each pattern is served, what lies under which keys, or what is wrong.

use crate::failure::Failure;
use crate::json;
use crate::model_file::{self, Checked};
use crate::terminal::{self, FAINT, GOOD, STRONG};
use clap::Args;
use keyfold_codegen::chart::{Chart, IndexChart, KeyRow, PatternRow, TableChart};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Arguments {
    /// The model.
    file: PathBuf,
    /// Carry out the repairs that errors propose, and write the file.
    #[arg(long)]
    fix: bool,
    /// Fail on warnings too.
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<(), Failure> {
    let repaired = if arguments.fix {
        model_file::fix(&arguments.file, as_json)?
    } else {
        Vec::new()
    };
    let Checked {
        model,
        warnings,
        more,
        rows,
    } = model_file::load_with_warnings(&arguments.file, as_json)?;
    let chart = Chart::of(&model);
    let mut report = chart.json();
    report["diagnostics"] = json!(rows);
    report["more"] = json!(more);
    report["repaired"] = json!(repaired);
    if !as_json {
        show(
            &chart,
            &arguments.file.display().to_string(),
            model.entities.len(),
            warnings,
        );
        if more > 0 {
            terminal::error_line(&format!("{more} more warnings are not shown"));
        }
    }
    if arguments.strict && warnings > 0 {
        let message = format!("{} with --strict", terminal::counted(warnings, "warning"));
        return Err(Failure::verdict(message, report));
    }
    if as_json {
        json::print(&report);
    }
    Ok(())
}

fn show(chart: &Chart, path: &str, entities: usize, warnings: usize) {
    terminal::line(&format!(
        "{STRONG}{} {}{STRONG:#}\n",
        chart.model, chart.version
    ));
    patterns(&chart.patterns);
    chart.tables.iter().for_each(keys);
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
            &format!("one transaction: {}", write.actions.join("; ")),
            "",
        );
    }
    let entities = terminal::counted(entities, "entity").replace("entitys", "entities");
    let patterns = terminal::counted(
        chart
            .patterns
            .iter()
            .filter(|pattern| pattern.without.is_empty())
            .count(),
        "pattern",
    );
    let warned = if warnings == 0 {
        String::new()
    } else {
        format!(", {}", terminal::counted(warnings, "warning"))
    };
    terminal::line(&format!(
        "\n{GOOD}proved{GOOD:#} {path}: {entities}, {patterns}: served, exact, disjoint, injective, ordered, covered, followed{warned}"
    ));
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
    for pattern in patterns {
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
        let plural = if pattern.requests == "1" {
            "request"
        } else {
            "requests"
        };
        let requests = match pattern.requests.split_once(' ') {
            None => format!("{} {plural}", pattern.requests),
            Some(_) => pattern.requests.clone(),
        };
        rows.push(vec![
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
        ]);
    }
    if terminal::fits("", &rows) {
        terminal::table("", &rows);
    } else {
        rows.iter().skip(1).for_each(|row| stacked(row));
    }
    terminal::line("");
}

/// A pattern whose line is too long: its request and its key condition below.
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

/// What lies under which keys, with a sample; and what shares each index.
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
