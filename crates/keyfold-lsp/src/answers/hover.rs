//! What a name or a finding is, when the editor points at it: the request of a pattern, a sample of a
//! key, the type of an attribute, the reason of a rule.

use crate::context::{Context, piece};
use crate::model::Edited;
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};
use keyfold_codegen::chart::{Chart, KeyRow, PatternRow};
use keyfold_model::names::{Declared, NameKind, Names};
use keyfold_model::{Rule, Span};

/// What is known of a place.
pub(crate) fn hover(context: &mut Context<'_>, path: &str, at: Position) -> Option<Hover> {
    let encoding = context.client.encoding;
    let mentions = context.mentions(path, at);
    let model = context.workspace.model_of(path);
    let place = model.place(path, at, encoding)?;
    let mut parts: Vec<String> = Vec::new();
    let mut span = None;
    for mention in &mentions {
        let Some(one) = model.names().all().get(mention.name).cloned() else {
            continue;
        };
        span = Some(mention.span);
        let text = of_name(model, &one);
        if !parts.contains(&text) {
            parts.push(text);
        }
    }
    if parts.is_empty()
        && let Some((key, text)) = of_key(model, place)
    {
        span = Some(key);
        parts.push(text);
    }
    let found: Vec<(Span, &'static str)> = model
        .findings()
        .diagnostics
        .iter()
        .filter_map(|one| Some((one.labels.first()?.0, one.code)))
        .filter(|(span, _)| span.start <= place && place <= span.end)
        .collect();
    let mut codes: Vec<&str> = Vec::new();
    for (own, code) in found {
        span = span.or(Some(own));
        if !codes.contains(&code) {
            codes.push(code);
            parts.extend(Rule::of_code(code).map(of_rule));
        }
    }
    if parts.is_empty() {
        return None;
    }
    let (_, range) = model.range(span?, encoding)?;
    let value = parts.join("\n\n---\n\n");
    let kind = MarkupKind::Markdown;
    Some(Hover {
        contents: Contents::MarkupContent(MarkupContent { kind, value }),
        range: Some(range),
    })
}

/// A rule: what it demands, why, and an example.
fn of_rule(rule: &'static Rule) -> String {
    format!(
        "**{} {}**: {}\n\n{}\n\nThis breaks it:\n\n{}\n\nThis does not:\n\n{}",
        rule.code,
        rule.name,
        rule.summary,
        rule.why,
        code(rule.failing),
        code(rule.repaired)
    )
}

fn code(text: &str) -> String {
    format!("```keyfold\n{}\n```", text.trim_end())
}

fn of_name(model: &mut Edited, one: &Declared) -> String {
    let names = model.names().clone();
    let head = code(&declaration(model, &names, one));
    let about = match one.kind {
        NameKind::Pattern => with_chart(model, |chart| of_pattern(chart, &one.text)),
        NameKind::Write => with_chart(model, |chart| of_write(chart, &one.text)),
        NameKind::Entity | NameKind::View => with_chart(model, |chart| of_entity(chart, &one.text)),
        NameKind::Copy => {
            let owner = one.owner.and_then(|owner| names.all().get(owner));
            let kind = owner.map(|owner| format!("{}.{}", owner.text, one.text));
            with_chart(model, |chart| {
                keys_of(chart, |row| Some(&row.kind) == kind.as_ref())
            })
        }
        NameKind::Index => {
            let table = one.owner.and_then(|owner| names.all().get(owner));
            with_chart(model, |chart| of_index(chart, table, &one.text))
        }
        NameKind::Table => with_chart(model, |chart| of_table(chart, &one.text)),
        NameKind::Attribute => with_chart(model, |chart| of_attribute(chart, &names, one)),
        NameKind::Column
        | NameKind::Record
        | NameKind::Field
        | NameKind::Parameter
        | NameKind::Alias => None,
    };
    match about {
        Some(about) => format!("{head}\n\n{about}"),
        None => head,
    }
}

/// Takes something from the last version without errors, and says so if it is not the present one.
fn with_chart(model: &mut Edited, take: impl Fn(&Chart) -> Option<String>) -> Option<String> {
    let is_present = !model.has_errors();
    let text = take(model.chart()?).filter(|text| !text.is_empty())?;
    Some(match is_present {
        true => text,
        false => format!("{text}\n\n*of the last version without errors*"),
    })
}

/// A name as its declaration says it.
fn declaration(model: &Edited, names: &Names, one: &Declared) -> String {
    let owner = one.owner.and_then(|owner| names.all().get(owner));
    let of = owner.map_or(String::new(), |owner| format!("{}.", owner.text));
    let kind = one.written_type.map_or("", |span| piece(model, span));
    match one.kind {
        NameKind::Attribute | NameKind::Field | NameKind::Column if kind.is_empty() => {
            format!("{of}{}", one.text)
        }
        NameKind::Attribute | NameKind::Field | NameKind::Column => {
            format!("{of}{}: {kind}{}", one.text, optional(model, one))
        }
        NameKind::Parameter if kind.is_empty() => format!("parameter {}", one.text),
        NameKind::Parameter => format!("parameter {}: {kind}", one.text),
        NameKind::Alias => format!("{} in {}", one.text, of.trim_end_matches('.')),
        NameKind::Copy => format!("copy {of}{}", one.text),
        NameKind::Pattern => first_line(model, one).to_owned(),
        NameKind::Table
        | NameKind::Index
        | NameKind::Record
        | NameKind::Entity
        | NameKind::View
        | NameKind::Write => first_line(model, one).to_owned(),
    }
}

/// The `?` and the default behind a type.
fn optional(model: &Edited, one: &Declared) -> String {
    let Some(kind) = one.written_type else {
        return String::new();
    };
    let behind = Span {
        start: kind.end,
        end: one.whole.end,
    };
    piece(model, behind).to_owned()
}

/// The line of a declaration.
fn first_line<'m>(model: &'m Edited, one: &Declared) -> &'m str {
    let text = model.sources.text();
    let (before, behind) = text.split_at_checked(one.span.start).unwrap_or((text, ""));
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    let length = behind.find(['\n', '\r']).unwrap_or(behind.len());
    let line = text.get(start..before.len() + length).unwrap_or_default();
    line.trim()
}

/// The requests of a pattern: one, and one for each choice of parameters that are left out.
pub(super) fn of_pattern(chart: &Chart, name: &str) -> Option<String> {
    let rows = chart.patterns.iter().filter(|row| row.name == name);
    let texts: Vec<String> = rows.map(of_request).collect();
    Some(texts.join("\n\n"))
}

fn of_request(row: &PatternRow) -> String {
    let without = match row.without.as_slice() {
        [] => String::new(),
        absent => format!("without {}: ", absent.join(", ")),
    };
    let order = if row.is_descending {
        ", descending"
    } else {
        ""
    };
    let mut lines = vec![format!(
        "{without}**{}** of `{}`{order}\n\n```text\n{}\n```",
        row.request, row.place, row.key_condition
    )];
    let page = row
        .page
        .map_or(String::new(), |page| format!("{page} items a page; "));
    let units = row
        .units
        .map_or("not known".to_owned(), |units| units.to_string());
    lines.push(format!(
        "{page}requests a page: {}; read units a page: {units}; {}; returns `{}`",
        row.requests, row.consistency, row.returns
    ));
    if !row.filters.is_empty() {
        lines.push(format!(
            "filtered after reading: `{}`",
            row.filters.join("`, `")
        ));
    }
    lines.join("\n\n")
}

fn of_write(chart: &Chart, name: &str) -> Option<String> {
    let row = chart.writes.iter().find(|row| row.name == name)?;
    let parameters = row.parameters.iter();
    let parameters: Vec<String> = parameters
        .map(|(name, kind)| format!("`{name}: {kind}`"))
        .collect();
    let actions: Vec<String> = row
        .actions
        .iter()
        .map(|action| format!("- {action}"))
        .collect();
    let mut lines = vec![format!("**{}**", row.requests)];
    if !parameters.is_empty() {
        lines.push(format!("parameters: {}", parameters.join(", ")));
    }
    lines.push(actions.join("\n"));
    Some(lines.join("\n\n"))
}

/// The keys of an entity and its copies, and what a view costs.
fn of_entity(chart: &Chart, name: &str) -> Option<String> {
    let copy = format!("{name}.");
    let keys = keys_of(chart, |row| row.kind == name || row.kind.starts_with(&copy));
    let view = chart.views.iter().find(|view| view.name == name);
    let view = view.map(|view| format!("kept from {}; {}", view.of, view.cost));
    let parts: Vec<String> = view.into_iter().chain(keys).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// The keys of kinds of items, with samples, as a table.
fn keys_of(chart: &Chart, is_wanted: impl Fn(&KeyRow) -> bool) -> Option<String> {
    let mut lines = Vec::new();
    for table in &chart.tables {
        let indexes = table.indexes.iter().map(|index| {
            let place = format!("{}.{}", table.name, index.name);
            (place, &index.rows)
        });
        let all = std::iter::once((table.name.clone(), &table.rows)).chain(indexes);
        for (place, rows) in all {
            for row in rows.iter().filter(|row| is_wanted(row)) {
                lines.push(key_line(&place, row));
            }
        }
    }
    if lines.is_empty() {
        return None;
    }
    let head = "| | kind | key | sample |\n|---|---|---|---|\n";
    Some(format!("{head}{}", lines.join("\n")))
}

fn key_line(place: &str, row: &KeyRow) -> String {
    let cell = |text: &str| format!("`{}`", text.replace('|', "\\|"));
    let cells = |texts: &[String]| {
        let cells: Vec<String> = texts.iter().map(|text| cell(text)).collect();
        cells.join(" ")
    };
    let only = row
        .only
        .as_ref()
        .map_or(String::new(), |only| format!(" ({only})"));
    format!(
        "| {place} | {}{only} | {} | {} |",
        row.kind.replace('|', "\\|"),
        cells(&row.templates),
        cells(&row.sample)
    )
}

fn of_index(chart: &Chart, table: Option<&Declared>, name: &str) -> Option<String> {
    let table = chart
        .tables
        .iter()
        .find(|one| Some(&one.name) == table.map(|it| &it.text))?;
    let index = table.indexes.iter().find(|index| index.name == name)?;
    let place = format!("{}.{name}", table.name);
    let lines: Vec<String> = index.rows.iter().map(|row| key_line(&place, row)).collect();
    let patterns = match index.patterns.as_slice() {
        [] => "no pattern reads it".to_owned(),
        patterns => format!("read by {}", patterns.join(", ")),
    };
    let head = "| | kind | key | sample |\n|---|---|---|---|\n";
    Some(format!(
        "{} index; {patterns}\n\n{head}{}",
        index.kind,
        lines.join("\n")
    ))
}

fn of_table(chart: &Chart, name: &str) -> Option<String> {
    let table = chart.tables.iter().find(|table| table.name == name)?;
    let lines: Vec<String> = table.rows.iter().map(|row| key_line(name, row)).collect();
    let head = "| | kind | key | sample |\n|---|---|---|---|\n";
    Some(format!(
        "key: {}\n\n{head}{}",
        table.key.join(", "),
        lines.join("\n")
    ))
}

/// What the text of an attribute must not contain.
fn of_attribute(chart: &Chart, names: &Names, one: &Declared) -> Option<String> {
    let owner = names.all().get(one.owner?)?;
    let rows = chart.excluded.iter();
    let own = rows.filter(|row| row.entity == owner.text && row.attribute == one.text);
    let lines: Vec<String> = own
        .map(|row| {
            format!(
                "must not contain `{}`, because of `{}`",
                row.characters, row.template
            )
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n\n"))
}

/// The key whose templates are at a place, with a sample.
fn of_key(model: &mut Edited, place: usize) -> Option<(Span, String)> {
    let names = model.names().clone();
    let lines = model.sources.text();
    let start = lines.get(..place)?.rfind('\n').map_or(0, |end| end + 1);
    let length = lines
        .get(start..)?
        .find('\n')
        .unwrap_or(lines.len() - start);
    let line = lines.get(start..start + length)?;
    let first = line.split_whitespace().next()?.trim_matches('"').to_owned();
    let is_key = line.starts_with([' ', '\t']) && line.contains('"');
    let owner = names
        .all()
        .iter()
        .filter(|one| matches!(one.kind, NameKind::Entity | NameKind::View))
        .find(|one| one.whole.start <= place && place <= one.whole.end)?;
    if !is_key {
        return None;
    }
    let span = Span {
        start,
        end: start + line.trim_end().len(),
    };
    let kind = match first.as_str() {
        "copy" => {
            let copy = line.split_whitespace().nth(1)?;
            format!("{}.{copy}", owner.text)
        }
        _ => owner.text.clone(),
    };
    let is_index = !matches!(first.as_str(), "key" | "copy");
    let text = with_chart(model, |chart| {
        let mut chart = chart.clone();
        for table in &mut chart.tables {
            if is_index {
                table.rows.clear();
                table.indexes.retain(|index| index.name == first);
            } else {
                table.indexes.clear();
            }
        }
        keys_of(&chart, |row| row.kind == kind)
    })?;
    Some((span, text))
}
