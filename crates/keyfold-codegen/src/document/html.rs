//! The document as one HTML page, which loads nothing from elsewhere.

use super::picture;
use super::rows::{
    ATTRIBUTE_HEAD, FILE_HEAD, PATTERN_HEAD, RECORD_HEAD, WRITE_HEAD, attribute_rows, facts,
    file_rows, key_head, key_rows, pattern_rows, readers, record_rows, table_facts, write_rows,
};
use crate::chart::{Chart, TableChart};
use crate::map::{self, Drawing, Hues};
use crate::markup::{breakable, escape};
use keyfold_model::{Diagnostic, Entity, Model, Table};
use std::fmt::Write as _;

/// The document as one HTML page with diagrams and the warnings of the compiler. The page loads
/// nothing from elsewhere.
pub fn html(model: &Model, warnings: &[Diagnostic]) -> String {
    let chart = Chart::of(model);
    let mut body = format!(
        "<h1>{} <small>{}</small></h1>\n",
        escape(&chart.model),
        chart.version
    );
    body.push_str("<h2>Access patterns</h2>\n");
    rows(&mut body, &PATTERN_HEAD, &pattern_rows(&chart));
    body.push_str("<h2>Entities and references</h2>\n");
    body.push_str(&picture::references(model));
    let hues = Hues::of(&chart);
    for (one, declared) in chart.tables.iter().zip(&model.tables) {
        table(&mut body, (one, declared), &hues);
    }
    body.push_str("<h2>Entities</h2>\n");
    for one in &model.entities {
        entity(&mut body, model, one);
    }
    let records = record_rows(model);
    if !records.is_empty() {
        body.push_str("<h2>Records</h2>\n");
        rows(&mut body, &RECORD_HEAD, &records);
    }
    if !chart.writes.is_empty() {
        body.push_str("<h2>Writes</h2>\n");
        rows(&mut body, &WRITE_HEAD, &write_rows(&chart));
    }
    if !chart.files.is_empty() {
        body.push_str("<h2>Files and owners</h2>\n");
        rows(&mut body, &FILE_HEAD, &file_rows(&chart));
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
    page(&escape(&chart.model), &body)
}

/// The page around a body; both texts are HTML. It follows the light and the dark of the reader's system, fits
/// a phone, and loads nothing from elsewhere.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        map::STYLE
    )
}

/// A table with its item collections, keys and indexes.
fn table(body: &mut String, (chart, declared): (&TableChart, &Table), hues: &Hues) {
    let TableChart {
        name,
        key,
        rows: kinds,
        indexes,
    } = chart;
    let _infallible = writeln!(
        body,
        "<h2>Table {} <small>({})</small></h2>",
        escape(name),
        escape(&key.join(", "))
    );
    maps(body, |width| map::of_table(chart, hues, width));
    rows(body, &key_head(key), &key_rows(kinds, key.len()));
    list(body, &table_facts(declared));
    for index in indexes {
        let _infallible = writeln!(
            body,
            "<h3>Index {} <small>({}), {}, read by {}</small></h3>",
            escape(&index.name),
            escape(&index.key_text()),
            index.kind,
            escape(&readers(index))
        );
        maps(body, |width| map::of_index(index, hues, width));
        rows(
            body,
            &key_head(&index.key),
            &key_rows(&index.rows, index.key.len()),
        );
    }
}

/// Pixels of a map on a screen, and on a phone. The style shows one of the two.
const WIDE: usize = 1160;
const NARROW: usize = 356;

/// A map for screens and for phones.
fn maps(body: &mut String, map: impl Fn(usize) -> Drawing) {
    for (class, width) in [("wide", WIDE), ("narrow", NARROW)] {
        let drawing = map(width);
        if !drawing.tiles.is_empty() {
            let _infallible = writeln!(
                body,
                "<div class=\"picture {class}\" tabindex=\"0\">{}</div>",
                drawing.svg()
            );
        }
    }
}

/// The attributes and facts of an entity.
fn entity(body: &mut String, model: &Model, entity: &Entity) {
    let _infallible = writeln!(body, "<h3>{}</h3>", escape(&entity.name));
    rows(body, &ATTRIBUTE_HEAD, &attribute_rows(entity));
    list(body, &facts(model, entity));
}

/// A list of facts, if there are any.
fn list(body: &mut String, facts: &[String]) {
    let facts: String = facts
        .iter()
        .map(|fact| format!("<li>{}</li>\n", escape(fact)))
        .collect();
    if !facts.is_empty() {
        let _infallible = writeln!(body, "<ul>\n{facts}</ul>");
    }
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
svg path { fill: none; stroke: var(--accent); stroke-width: 1.5; }
svg .head { fill: var(--accent); stroke: none; }
.note { color: color-mix(in srgb, CanvasText 70%, Canvas); font-size: .9em; margin: .25rem 0; }
.picture { margin-bottom: 1rem; }
.narrow { display: none; }
@media (max-width: 45rem) { .wide { display: none; } .narrow { display: block; } td { min-width: 7rem; } }
";

/// An HTML table.
fn rows<H: AsRef<str>>(out: &mut String, head: &[H], rows: &[Vec<String>]) {
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

/// Text in which the parts between backticks are code. Long words may be broken.
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
