//! The document as one HTML page, without anything from elsewhere.

use super::markup::{breakable, escape};
use super::{
    PATTERN_HEAD, attribute_rows, facts, key_head, key_rows, pattern_rows, picture, records,
    write_rows,
};
use crate::chart::Chart;
use keyfold_model::{Diagnostic, Model};
use std::fmt::Write as _;

/// The document as one HTML page, without anything from elsewhere.
pub fn html(model: &Model, warnings: &[Diagnostic]) -> String {
    let chart = Chart::of(model);
    let mut body = format!(
        "<h1>{} <small>{}</small></h1>\n",
        escape(&chart.model),
        chart.version
    );
    body.push_str("<h2>Access patterns</h2>\n");
    html_table(&mut body, &PATTERN_HEAD, &pattern_rows(&chart));
    body.push_str("<h2>Entities and references</h2>\n");
    body.push_str(&picture::references(model));
    for one in &chart.tables {
        let _infallible = writeln!(
            body,
            "<h2>Table {} <small>({})</small></h2>",
            escape(&one.name),
            escape(&one.key.join(", "))
        );
        body.push_str(&picture::collections(one));
        html_table(
            &mut body,
            &key_head(&one.key),
            &key_rows(&one.rows, one.key.len()),
        );
        for index in &one.indexes {
            let read = if index.patterns.is_empty() {
                "no pattern".to_owned()
            } else {
                index.patterns.join(", ")
            };
            let _infallible = writeln!(
                body,
                "<h3>Index {} <small>({}), {}, read by {}</small></h3>",
                escape(&index.name),
                escape(&index.key_text()),
                index.kind,
                escape(&read)
            );
            html_table(
                &mut body,
                &key_head(&index.key),
                &key_rows(&index.rows, index.key.len()),
            );
        }
    }
    body.push_str("<h2>Entities</h2>\n");
    for entity in &model.entities {
        let _infallible = writeln!(body, "<h3>{}</h3>", escape(&entity.name));
        html_table(
            &mut body,
            &["attribute", "type", ""],
            &attribute_rows(entity),
        );
        let facts: String = facts(model, entity)
            .iter()
            .map(|fact| format!("<li>{}</li>\n", escape(fact)))
            .collect();
        if !facts.is_empty() {
            let _infallible = writeln!(body, "<ul>\n{facts}</ul>");
        }
    }
    let records = records(model);
    if !records.is_empty() {
        body.push_str("<h2>Records</h2>\n");
        html_table(&mut body, &["record", "fields"], &records);
    }
    if !chart.writes.is_empty() {
        body.push_str("<h2>Writes</h2>\n");
        html_table(
            &mut body,
            &["write", "parameters", "in one transaction"],
            &write_rows(&chart),
        );
    }
    if !warnings.is_empty() {
        body.push_str("<h2>Warnings</h2>\n<ul>\n");
        for warning in warnings {
            let _infallible = writeln!(
                body,
                "<li><b>{}</b> {}<br>{}</li>",
                warning.code,
                escape(&warning.message),
                escape(&warning.notes.join("; "))
            );
        }
        body.push_str("</ul>\n");
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(&chart.model)
    )
}

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8886; --soft: color-mix(in srgb, CanvasText 9%, Canvas); --accent: #2a7ab0; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, li { overflow-wrap: anywhere; }
small { font-weight: normal; opacity: .7; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; opacity: .7; }
code { font: 13px/1.4 ui-monospace, monospace; background: var(--soft); padding: .05rem .25rem; border-radius: 3px; overflow-wrap: anywhere;
  box-decoration-break: clone; -webkit-box-decoration-break: clone; }
td code { overflow-wrap: normal; }
.picture { overflow-x: auto; }
svg { display: block; }
svg text { font: 13px ui-monospace, monospace; fill: currentColor; }
svg rect { fill: var(--soft); stroke: var(--line); }
svg path { fill: none; stroke: var(--accent); }
.collections { display: grid; gap: .75rem; margin-bottom: 1.5rem; }
.collection { display: grid; grid-template-columns: minmax(0, 18rem) minmax(0, 1fr); gap: .25rem 1rem; align-items: start; }
.collection > .items { display: flex; flex-wrap: wrap; gap: .5rem; min-width: 0; }
.item { background: var(--soft); border: 1px solid var(--line); border-radius: 5px; padding: .3rem .6rem; max-width: 100%; box-sizing: border-box;
  overflow-wrap: anywhere; }
.item code { background: none; padding: 0; }
@media (max-width: 45rem) { .collection { grid-template-columns: minmax(0, 1fr); } td { min-width: 7rem; } }
";

fn html_table<H: AsRef<str>>(out: &mut String, head: &[H], rows: &[Vec<String>]) {
    let head: String = head
        .iter()
        .map(|one| format!("<th>{}</th>", escape(one.as_ref())))
        .collect();
    let _infallible = writeln!(out, "<table>\n<tr>{head}</tr>");
    for row in rows {
        let cells: String = row
            .iter()
            .map(|one| format!("<td>{}</td>", code(one)))
            .collect();
        let _infallible = writeln!(out, "<tr>{cells}</tr>");
    }
    out.push_str("</table>\n");
}

/// Text with what stands between backticks as code. Long names may be broken where a reader would.
fn code(text: &str) -> String {
    let mut out = String::new();
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            let _infallible = write!(out, "<code>{}</code>", breakable(piece));
        } else {
            out.push_str(&breakable(piece));
        }
    }
    out
}
