//! Inlay hints: behind each pattern the table or index that it reads, and the units of a page.

use super::hover::of_pattern;
use crate::context::Context;
use gen_lsp_types::{InlayHint, Label, MarkupContent, MarkupKind, Range, Tooltip};
use keyfold_codegen::chart::PatternRow;
use keyfold_model::names::NameKind;

/// The hints of a range of a document.
pub(crate) fn hints(context: &mut Context<'_>, path: &str, range: Range) -> Vec<InlayHint> {
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let Some(asked) = model.span(path, range, encoding) else {
        return Vec::new();
    };
    let patterns = model.names().all().iter();
    let patterns = patterns.filter(|one| {
        one.kind == NameKind::Pattern
            && asked.start <= one.whole.end
            && one.whole.start <= asked.end
    });
    let patterns: Vec<(String, usize)> = patterns
        .map(|one| (one.text.clone(), one.whole.end))
        .collect();
    let mut hints = Vec::new();
    for (name, end) in patterns {
        let at = code_end(model.sources.text(), end);
        let place = keyfold_model::Span { start: at, end: at };
        let Some((_, range)) = model.range(place, encoding) else {
            continue;
        };
        let Some(chart) = model.chart() else {
            return Vec::new();
        };
        let Some(row) = chart.patterns.iter().find(|row| row.name == name) else {
            continue;
        };
        let tooltip = of_pattern(chart, &name).map(|value| {
            let kind = MarkupKind::Markdown;
            Tooltip::MarkupContent(MarkupContent { kind, value })
        });
        hints.push(InlayHint {
            position: range.start,
            label: Label::String(label(row)),
            kind: None,
            text_edits: None,
            tooltip,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
    }
    hints
}

/// `Query of Shop.GSI1, 0.5 units`.
fn label(row: &PatternRow) -> String {
    let units = match row.units {
        Some(1.0) => ", 1 unit".to_owned(),
        Some(units) => format!(", {units} units"),
        None => String::new(),
    };
    format!("{} of {}{units}", row.request, row.place)
}

/// The end of the line of a place, without a comment.
fn code_end(text: &str, place: usize) -> usize {
    let rest = text.get(place..).unwrap_or_default();
    let mut is_quoted = false;
    let end = rest.find(|c| {
        is_quoted ^= c == '"';
        matches!(c, '\n' | '\r') || (c == '#' && !is_quoted)
    });
    let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    place + line.trim_end().len()
}

#[cfg(test)]
mod tests {
    use super::code_end;

    #[test]
    fn a_comment_is_no_code() {
        let text = "-> A[]  filter a = \"#1\"  # first\nx";
        assert_eq!(&text[..code_end(text, 6)], "-> A[]  filter a = \"#1\"");
        assert_eq!(code_end("-> A", 4), 4);
    }
}
