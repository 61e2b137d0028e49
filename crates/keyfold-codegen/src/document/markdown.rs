//! The document as Markdown.

use super::rows::{
    ATTRIBUTE_HEAD, FILE_HEAD, PATTERN_HEAD, RECORD_HEAD, WRITE_HEAD, attribute_rows, facts,
    file_rows, key_head, key_rows, pattern_rows, readers, record_rows, table_facts, write_rows,
};
use crate::chart::{Chart, TableChart};
use keyfold_model::{Diagnostic, Entity, Model, Table};
use std::fmt::Write as _;

/// The document as Markdown, with the warnings of the compiler.
pub fn markdown(model: &Model, warnings: &[Diagnostic]) -> String {
    let chart = Chart::of(model);
    let mut out = format!("# {} {}\n\n", chart.model, chart.version);
    out.push_str("## Access patterns\n\n");
    rows(&mut out, &PATTERN_HEAD, &pattern_rows(&chart));
    for (one, declared) in chart.tables.iter().zip(&model.tables) {
        table(&mut out, one, declared);
    }
    out.push_str("\n## Entities\n");
    for one in &model.entities {
        entity(&mut out, model, one);
    }
    let records = record_rows(model);
    if !records.is_empty() {
        out.push_str("\n## Records\n\n");
        rows(&mut out, &RECORD_HEAD, &records);
    }
    if !chart.writes.is_empty() {
        out.push_str("\n## Writes\n\n");
        rows(&mut out, &WRITE_HEAD, &write_rows(&chart));
    }
    if !chart.files.is_empty() {
        out.push_str("\n## Files and owners\n\n");
        rows(&mut out, &FILE_HEAD, &file_rows(&chart));
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

/// A table with its keys and indexes.
fn table(out: &mut String, chart: &TableChart, declared: &Table) {
    let TableChart {
        name,
        key,
        rows: kinds,
        indexes,
    } = chart;
    let _infallible = write!(out, "\n## Table {name} ({})\n\n", key.join(", "));
    rows(out, &key_head(key), &key_rows(kinds, key.len()));
    for fact in table_facts(declared) {
        let _infallible = write!(out, "\n- {fact}");
    }
    if !table_facts(declared).is_empty() {
        out.push('\n');
    }
    for index in indexes {
        let _infallible = write!(
            out,
            "\n### Index {} ({}), {}\n\nRead by {}.\n\n",
            index.name,
            index.key_text(),
            index.kind,
            readers(index)
        );
        rows(
            out,
            &key_head(&index.key),
            &key_rows(&index.rows, index.key.len()),
        );
    }
}

/// The attributes and facts of an entity.
fn entity(out: &mut String, model: &Model, entity: &Entity) {
    let _infallible = write!(out, "\n### {}\n\n", entity.name);
    rows(out, &ATTRIBUTE_HEAD, &attribute_rows(entity));
    for fact in facts(model, entity) {
        let _infallible = write!(out, "\n- {fact}");
    }
    out.push('\n');
}

/// A Markdown table.
fn rows<H: AsRef<str>>(out: &mut String, head: &[H], rows: &[Vec<String>]) {
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
