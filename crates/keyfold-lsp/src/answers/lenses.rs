//! Code lenses: *run* above each pattern and write, *prove* above the model. The editor carries the
//! commands out: the server starts nothing.
//!
//! ```text
//! keyfold.run    [{ "model": path, "name": pattern or write, "parameters": [names] }]
//! keyfold.prove  [{ "model": path }]
//! ```

use crate::context::Context;
use gen_lsp_types::{CodeLens, Command};
use keyfold_model::Span;
use keyfold_model::names::NameKind;
use serde_json::{Value as Json, json};

/// The lenses of a document.
pub(crate) fn lenses(context: &mut Context<'_>, path: &str) -> Vec<CodeLens> {
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let first = model.paths().first().cloned().unwrap_or_default();
    let Some(file) = model.file_span(path) else {
        return Vec::new();
    };
    let text = model.sources.text().get(file.start..file.end);
    let head = text.and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model "))?;
        let at = file.start + (line.as_ptr() as usize - text.as_ptr() as usize);
        Some(Span {
            start: at,
            end: at + line.trim_end().len(),
        })
    });
    let proved = json!({ "model": first });
    let mut all: Vec<(Span, &str, Json)> = Vec::new();
    all.extend(head.map(|span| (span, "prove", proved)));
    let names = model.names().clone();
    for one in names.all() {
        let is_here = file.start <= one.span.start && one.span.end <= file.end;
        if !is_here || !matches!(one.kind, NameKind::Pattern | NameKind::Write) {
            continue;
        }
        let parameters = parameters(model.chart(), one.kind, &one.text);
        let run = json!({ "model": first, "name": one.text, "parameters": parameters });
        all.push((one.span, "run", run));
    }
    let lens = |(span, title, argument): (Span, &str, Json)| {
        let (_, range) = model.range(span, encoding)?;
        Some(CodeLens {
            range,
            command: Some(Command {
                title: title.to_owned(),
                tooltip: None,
                command: format!("keyfold.{title}"),
                arguments: Some(vec![argument]),
            }),
            data: None,
        })
    };
    all.into_iter().filter_map(lens).collect()
}

/// The names of the parameters of a pattern or a write; one that may be left out ends in `?`.
fn parameters(
    chart: Option<&keyfold_codegen::chart::Chart>,
    kind: NameKind,
    name: &str,
) -> Vec<String> {
    let Some(chart) = chart else {
        return Vec::new();
    };
    let found = if kind == NameKind::Pattern {
        let row = chart.patterns.iter().find(|row| row.name == name);
        row.map(|row| &row.parameters)
    } else {
        let row = chart.writes.iter().find(|row| row.name == name);
        row.map(|row| &row.parameters)
    };
    let all = found.into_iter().flatten();
    all.map(|(name, _)| name.clone()).collect()
}
