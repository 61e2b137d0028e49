//! The document as Markdown.

use super::{
    PATTERN_HEAD, attribute_rows, facts, key_head, key_rows, pattern_rows, records, write_rows,
};
use crate::chart::Chart;
use keyfold_model::{Diagnostic, Model};
use std::fmt::Write as _;

/// The document as Markdown.
pub fn markdown(model: &Model, warnings: &[Diagnostic]) -> String {
    let chart = Chart::of(model);
    let mut out = format!("# {} {}\n\n", chart.model, chart.version);
    out.push_str("## Access patterns\n\n");
    table(&mut out, &PATTERN_HEAD, &pattern_rows(&chart));
    for one in &chart.tables {
        let _infallible = write!(out, "\n## Table {} ({})\n\n", one.name, one.key.join(", "));
        table(
            &mut out,
            &key_head(&one.key),
            &key_rows(&one.rows, one.key.len()),
        );
        for index in &one.indexes {
            let read = if index.patterns.is_empty() {
                "no pattern".to_owned()
            } else {
                index.patterns.join(", ")
            };
            let _infallible = write!(
                out,
                "\n### Index {} ({}), {}\n\nRead by {read}.\n\n",
                index.name,
                index.key_text(),
                index.kind
            );
            table(
                &mut out,
                &key_head(&index.key),
                &key_rows(&index.rows, index.key.len()),
            );
        }
    }
    out.push_str("\n## Entities\n");
    for entity in &model.entities {
        let _infallible = write!(out, "\n### {}\n\n", entity.name);
        table(
            &mut out,
            &["attribute", "type", ""].map(str::to_owned),
            &attribute_rows(entity),
        );
        for line in facts(model, entity) {
            let _infallible = write!(out, "\n- {line}");
        }
        out.push('\n');
    }
    let records = records(model);
    if !records.is_empty() {
        out.push_str("\n## Records\n\n");
        table(&mut out, &["record", "fields"], &records);
    }
    if !chart.writes.is_empty() {
        out.push_str("\n## Writes\n\n");
        table(
            &mut out,
            &["write", "parameters", "in one transaction"].map(str::to_owned),
            &write_rows(&chart),
        );
    }
    if !warnings.is_empty() {
        out.push_str("\n## Warnings\n\n");
        for warning in warnings {
            let _infallible = writeln!(
                out,
                "- **{}** {}: {}",
                warning.code,
                warning.message,
                warning.notes.join("; ")
            );
        }
    }
    out
}

fn table<H: AsRef<str>>(out: &mut String, head: &[H], rows: &[Vec<String>]) {
    // A bar would end the cell.
    let cell = |text: &str| text.replace('|', "\\|");
    let head: Vec<String> = head.iter().map(|one| cell(one.as_ref())).collect();
    let _infallible = writeln!(
        out,
        "| {} |\n|{}",
        head.join(" | "),
        "---|".repeat(head.len())
    );
    for row in rows {
        let cells: Vec<String> = row.iter().map(|one| cell(one)).collect();
        let _infallible = writeln!(out, "| {} |", cells.join(" | "));
    }
}
