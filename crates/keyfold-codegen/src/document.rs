//! The living document of a design: its chart as Markdown, and as one HTML page with diagrams.

use crate::chart::{Chart, KeyRow, aggregates};
use keyfold_model::schema::Record;
use keyfold_model::{DefaultValue, Diagnostic, Entity, Model, Type, value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The document as Markdown.
pub fn markdown(model: &Model, warnings: &[Diagnostic]) -> String {
    let chart = Chart::of(model);
    let mut out = format!("# {} {}\n\n", chart.model, chart.version);
    out.push_str("## Access patterns\n\n");
    table(&mut out, &PATTERN_HEAD, &pattern_rows(&chart));
    for one in &chart.tables {
        let _infallible = write!(out, "\n## Table {} ({})\n\n", one.name, one.key.join(", "));
        table(&mut out, &key_head(&one.key), &key_rows(&one.rows, one.key.len()));
        for index in &one.indexes {
            let read =
                if index.patterns.is_empty() { "no pattern".to_owned() } else { index.patterns.join(", ") };
            let _infallible = write!(
                out,
                "\n### Index {} ({}), {}\n\nRead by {read}.\n\n",
                index.name,
                index.key_text(),
                index.kind
            );
            table(&mut out, &key_head(&index.key), &key_rows(&index.rows, index.key.len()));
        }
    }
    out.push_str("\n## Entities\n");
    for entity in &model.entities {
        let _infallible = write!(out, "\n### {}\n\n", entity.name);
        table(&mut out, &["attribute", "type", ""].map(str::to_owned), &attribute_rows(entity));
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
        let rows: Vec<Vec<String>> = chart
            .writes
            .iter()
            .map(|write| {
                let parameters: Vec<String> =
                    write.parameters.iter().map(|(name, kind)| format!("{name}: {kind}")).collect();
                vec![write.name.clone(), parameters.join(", "), write.actions.join("; ")]
            })
            .collect();
        table(&mut out, &["write", "parameters", "in one transaction"].map(str::to_owned), &rows);
    }
    if !warnings.is_empty() {
        out.push_str("\n## Warnings\n\n");
        for warning in warnings {
            let _infallible =
                writeln!(out, "- **{}** {}: {}", warning.code, warning.message, warning.notes.join("; "));
        }
    }
    out
}

const PATTERN_HEAD: [&str; 7] =
    ["pattern", "returns", "request", "key condition", "requests a page", "read units", "read"];

fn pattern_rows(chart: &Chart) -> Vec<Vec<String>> {
    chart
        .patterns
        .iter()
        .map(|row| {
            let parameters: Vec<&str> = row.parameters.iter().map(|(name, _)| name.as_str()).collect();
            let order = if row.order == "descending" { ", descending" } else { "" };
            let filters: String = row.filters.iter().map(|filter| format!(", filter {filter}")).collect();
            let page = row.page.map_or(String::new(), |page| format!(" ({page} items)"));
            vec![
                format!("{}({})", row.name, parameters.join(", ")),
                row.returns.clone(),
                format!("{} {}", row.request, row.place),
                format!("`{}`{order}{filters}", row.key_condition),
                format!("{}{page}", row.requests),
                row.units.map_or("?".to_owned(), |units| units.to_string()),
                row.consistency.to_owned(),
            ]
        })
        .collect()
}

fn key_head(key: &[String]) -> Vec<String> {
    let mut head = vec!["item".to_owned()];
    head.extend(key.iter().cloned());
    head.push("for example".to_owned());
    head
}

fn key_rows(rows: &[KeyRow], columns: usize) -> Vec<Vec<String>> {
    rows.iter()
        .map(|row| {
            let only = row.only.as_ref().map_or(String::new(), |only| format!(" ({only})"));
            let mut cells = vec![format!("{}{only}", row.kind)];
            cells.extend(row.templates.iter().map(|template| format!("`{template}`")));
            cells.resize(columns + 1, String::new());
            cells.push(row.sample.iter().map(|sample| format!("`{sample}`")).collect::<Vec<_>>().join(" "));
            cells
        })
        .collect()
}

fn attribute_rows(entity: &Entity) -> Vec<Vec<String>> {
    entity
        .attributes
        .iter()
        .map(|attribute| {
            let optional = if attribute.optional { "?" } else { "" };
            let refers = attribute.refers.as_ref().map(|(entity, name)| format!("of {entity}.{name}"));
            let kept = attribute.is_kept.then(|| "kept by the model".to_owned());
            let default = attribute.default.as_ref().filter(|_| !attribute.is_kept);
            let default = default.map(|default| format!("default {}", default_text(default)));
            let notes: Vec<String> = refers.into_iter().chain(default).chain(kept).collect();
            vec![attribute.name.clone(), format!("{}{optional}", attribute.kind), notes.join(", ")]
        })
        .collect()
}

/// A default as the language writes it.
pub(crate) fn default_text(default: &DefaultValue) -> String {
    match default {
        DefaultValue::Value(value) => value::display(value),
        DefaultValue::Now => "now".to_owned(),
        DefaultValue::New => "new".to_owned(),
    }
}

/// The nested types of a model, by name, with their fields.
fn records(model: &Model) -> Vec<Vec<String>> {
    let mut found: Vec<&Record> = Vec::new();
    let mut open: Vec<&Type> = model.entities.iter().flat_map(|e| &e.attributes).map(|a| &a.kind).collect();
    while let Some(kind) = open.pop() {
        match kind {
            Type::List(of) | Type::Map(of) | Type::Set(of) => open.push(of),
            Type::Record(record) if !found.iter().any(|known| known.name == record.name) => {
                found.push(record);
                open.extend(record.fields.iter().map(|(_, kind, _)| kind));
            }
            _ => {}
        }
    }
    found.sort_by(|one, two| one.name.cmp(&two.name));
    let fields = |record: &Record| {
        let each = record
            .fields
            .iter()
            .map(|(name, kind, optional)| format!("{name}: {kind}{}", if *optional { "?" } else { "" }));
        each.collect::<Vec<_>>().join(", ")
    };
    found.into_iter().map(|record| vec![record.name.clone(), fields(record)]).collect()
}

/// What else is declared of an entity, a sentence each.
fn facts(model: &Model, entity: &Entity) -> Vec<String> {
    let mut facts: Vec<String> =
        entity.uniques.iter().map(|unique| format!("unique: {}", unique.join(" with "))).collect();
    facts.extend(aggregates(model, entity).into_iter().map(|one| format!("keeps {one}")));
    facts.extend(entity.ttl.iter().map(|ttl| format!("expires at {ttl}")));
    facts.extend(entity.version.iter().map(|version| format!("versions are counted in {version}")));
    facts.extend(
        entity.split.iter().map(|(name, count)| format!("{name} is split, {count} elements an item")),
    );
    let expected = &entity.expected;
    let numbers = [
        expected.items.map(|count| format!("{count} items")),
        expected.bytes.map(|count| format!("{count} bytes")),
        expected.writes.map(|count| format!("{count} writes a second")),
    ];
    let per = expected.per.iter().map(|(name, count)| format!("{count} per {name}"));
    let numbers: Vec<String> = numbers.into_iter().flatten().chain(per).collect();
    if !numbers.is_empty() {
        facts.push(format!("expected: {}", numbers.join(", ")));
    }
    if !entity.compressed.is_empty() {
        facts.push(format!("stored as GZIP: {}", entity.compressed.join(", ")));
    }
    facts
}

fn table<H: AsRef<str>>(out: &mut String, head: &[H], rows: &[Vec<String>]) {
    // A bar would end the cell.
    let cell = |text: &str| text.replace('|', "\\|");
    let head: Vec<String> = head.iter().map(|one| cell(one.as_ref())).collect();
    let _infallible = writeln!(out, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|one| cell(one)).collect();
        let _infallible = writeln!(out, "| {} |", cells.join(" | "));
    }
}

/// The document as one HTML page, without anything from elsewhere.
pub fn html(model: &Model, warnings: &[Diagnostic]) -> String {
    let chart = Chart::of(model);
    let mut body = format!("<h1>{} <small>{}</small></h1>\n", escape(&chart.model), chart.version);
    body.push_str("<h2>Access patterns</h2>\n");
    html_table(&mut body, &PATTERN_HEAD, &pattern_rows(&chart));
    body.push_str("<h2>Entities and references</h2>\n");
    body.push_str(&references(model));
    for one in &chart.tables {
        let _infallible = writeln!(
            body,
            "<h2>Table {} <small>({})</small></h2>",
            escape(&one.name),
            escape(&one.key.join(", "))
        );
        body.push_str(&collections(one));
        html_table(&mut body, &key_head(&one.key), &key_rows(&one.rows, one.key.len()));
        for index in &one.indexes {
            let read =
                if index.patterns.is_empty() { "no pattern".to_owned() } else { index.patterns.join(", ") };
            let _infallible = writeln!(
                body,
                "<h3>Index {} <small>({}), {}, read by {}</small></h3>",
                escape(&index.name),
                escape(&index.key_text()),
                index.kind,
                escape(&read)
            );
            html_table(&mut body, &key_head(&index.key), &key_rows(&index.rows, index.key.len()));
        }
    }
    body.push_str("<h2>Entities</h2>\n");
    for entity in &model.entities {
        let _infallible = writeln!(body, "<h3>{}</h3>", escape(&entity.name));
        html_table(&mut body, &["attribute", "type", ""], &attribute_rows(entity));
        let facts: String =
            facts(model, entity).iter().map(|fact| format!("<li>{}</li>\n", escape(fact))).collect();
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
        let rows: Vec<Vec<String>> = chart
            .writes
            .iter()
            .map(|write| {
                let parameters: Vec<String> =
                    write.parameters.iter().map(|(name, kind)| format!("{name}: {kind}")).collect();
                vec![write.name.clone(), parameters.join(", "), write.actions.join("; ")]
            })
            .collect();
        html_table(&mut body, &["write", "parameters", "in one transaction"], &rows);
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
:root { color-scheme: light dark; --line: #8886; --soft: #8882; --accent: #2a7ab0; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
small { font-weight: normal; opacity: .7; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: 600; opacity: .7; }
code { font: 13px/1.4 ui-monospace, monospace; background: var(--soft); padding: .05rem .25rem; border-radius: 3px; }
svg { max-width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: currentColor; }
svg rect { fill: var(--soft); stroke: var(--line); }
svg path { fill: none; stroke: var(--accent); }
";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn html_table<H: AsRef<str>>(out: &mut String, head: &[H], rows: &[Vec<String>]) {
    let head: String = head.iter().map(|one| format!("<th>{}</th>", escape(one.as_ref()))).collect();
    let _infallible = writeln!(out, "<table>\n<tr>{head}</tr>");
    for row in rows {
        let cells: String = row.iter().map(|one| format!("<td>{}</td>", code(one))).collect();
        let _infallible = writeln!(out, "<tr>{cells}</tr>");
    }
    out.push_str("</table>\n");
}

/// Text with what stands between backticks as code.
fn code(text: &str) -> String {
    let mut out = String::new();
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            let _infallible = write!(out, "<code>{}</code>", escape(piece));
        } else {
            out.push_str(&escape(piece));
        }
    }
    out
}

const BOX_WIDTH: usize = 150;
const BOX_HEIGHT: usize = 34;
const GAP_X: usize = 70;
const GAP_Y: usize = 18;

/// Entities as boxes, in columns by how far they are from one that refers to nothing; references as lines.
fn references(model: &Model) -> String {
    let parents = |entity: &Entity| -> Vec<usize> {
        let names = entity.attributes.iter().filter_map(|a| a.refers.as_ref()).map(|(parent, _)| parent);
        let places = names.filter_map(|name| model.entities.iter().position(|other| other.name == *name));
        places.filter(|at| model.entities.get(*at).is_some_and(|other| other.name != entity.name)).collect()
    };
    let mut depth: Vec<usize> = vec![0; model.entities.len()];
    // As many rounds as there are entities settle every depth, unless references go round.
    for _ in 0..model.entities.len() {
        for (at, entity) in model.entities.iter().enumerate() {
            let below = parents(entity)
                .into_iter()
                .filter_map(|parent| depth.get(parent))
                .max()
                .map_or(0, |most| most + 1);
            if let Some(own) = depth.get_mut(at) {
                *own = below.min(model.entities.len());
            }
        }
    }
    let mut rows: BTreeMap<usize, usize> = BTreeMap::new();
    let places: Vec<(usize, usize)> = depth
        .iter()
        .map(|depth| {
            let row = rows.entry(*depth).or_insert(0);
            *row += 1;
            (depth * (BOX_WIDTH + GAP_X), (*row - 1) * (BOX_HEIGHT + GAP_Y))
        })
        .collect();
    let width = places.iter().map(|(x, _)| x + BOX_WIDTH).max().unwrap_or(0) + 2;
    let height = places.iter().map(|(_, y)| y + BOX_HEIGHT).max().unwrap_or(0) + 2;
    let mut out = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"entities and references\">\n"
    );
    for (at, entity) in model.entities.iter().enumerate() {
        for parent in parents(entity) {
            if let (Some((x, y)), Some((px, py))) = (places.get(at), places.get(parent)) {
                let (from, to) = (x, px + BOX_WIDTH);
                let (y, py) = (y + BOX_HEIGHT / 2, py + BOX_HEIGHT / 2);
                let middle = (from + to) / 2;
                let _infallible =
                    writeln!(out, "<path d=\"M{from} {y}C{middle} {y} {middle} {py} {to} {py}\"/>");
            }
        }
    }
    for (entity, (x, y)) in model.entities.iter().zip(&places) {
        let _infallible = writeln!(
            out,
            "<rect x=\"{}\" y=\"{}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/><text x=\"{}\" y=\"{}\">{}</text>",
            x + 1,
            y + 1,
            x + 12,
            y + 22,
            escape(&entity.name)
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Item collections: kinds whose partition keys look alike, side by side.
fn collections(table: &crate::chart::TableChart) -> String {
    let mut groups: Vec<(String, Vec<&KeyRow>)> = Vec::new();
    for row in &table.rows {
        let partition = row.templates.first().cloned().unwrap_or_default();
        match groups.iter_mut().find(|(known, _)| *known == partition) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((partition, vec![row])),
        }
    }
    let columns = groups.iter().map(|(_, rows)| rows.len()).max().unwrap_or(0);
    let (label, cell) = (240, 210);
    let width = label + columns * (cell + 8) + 2;
    let height = groups.len() * (BOX_HEIGHT + 12) + 2;
    let mut out = format!(
        "<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" aria-label=\"item collections\">\n"
    );
    for (line, (partition, rows)) in groups.iter().enumerate() {
        let y = line * (BOX_HEIGHT + 12) + 1;
        let _infallible = writeln!(out, "<text x=\"0\" y=\"{}\">{}</text>", y + 21, escape(partition));
        for (at, row) in rows.iter().enumerate() {
            let x = label + at * (cell + 8);
            let sort = row.templates.get(1).cloned().unwrap_or_default();
            let _infallible = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{cell}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/><text x=\"{}\" y=\"{}\">{} {}</text>",
                x + 8,
                y + 21,
                escape(&row.kind),
                escape(&short(&sort))
            );
        }
    }
    out.push_str("</svg>\n");
    out
}

fn short(text: &str) -> String {
    if text.chars().count() <= 22 {
        return text.to_owned();
    }
    let kept: String = text.chars().take(21).collect();
    format!("{kept}…")
}
