//! Where a name is declared, and where it is said.

use crate::context::{Context, piece};
use crate::files::folder_of;
use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};
use keyfold_model::Span;

/// The declarations of the names at a place. One place may say several: a parameter is an attribute
/// of each entity in the result.
pub(crate) fn definition(context: &mut Context<'_>, path: &str, at: Position) -> Vec<Location> {
    let mentions = context.mentions(path, at);
    let names = context.workspace.model_of(path).names();
    let mut spans: Vec<Span> = Vec::new();
    for mention in mentions {
        let declared = names.all().get(mention.name).map(|name| name.span);
        spans.extend(declared.filter(|span| !spans.contains(span)));
    }
    if spans.is_empty() {
        spans = used_file(context, path, at).into_iter().collect();
    }
    if spans.is_empty() {
        spans = by_text(context, path, at);
    }
    context.locations(path, &spans)
}

/// The start of the file behind a `use` at a place.
fn used_file(context: &mut Context<'_>, path: &str, at: Position) -> Option<Span> {
    let document = context.workspace.document(path)?;
    let line = document.text.line(at.line as usize);
    let written = line.strip_prefix("use")?.split('"').nth(1)?;
    let folder = folder_of(path);
    let parts = written.split('/').filter(|part| !matches!(*part, "" | "."));
    let wanted = format!("{folder}{}", parts.collect::<Vec<_>>().join("/"));
    let start = context.workspace.model_of(path).file_span(&wanted)?.start;
    Some(Span { start, end: start })
}

/// The declarations of the word at a place in a line that cannot be read.
fn by_text(context: &mut Context<'_>, path: &str, at: Position) -> Vec<Span> {
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let Some(place) = model.place(path, at, encoding) else {
        return Vec::new();
    };
    let word = piece(model, word_at(model.sources.text(), place)).to_owned();
    let all = model.names().all().iter();
    let global = all.filter(|name| name.owner.is_none() && name.text == word);
    global.map(|name| name.span).collect()
}

/// The letters, digits and `_` around a place.
pub(crate) fn word_at(text: &str, place: usize) -> Span {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let (before, behind) = text.split_at_checked(place).unwrap_or((text, ""));
    let start = before.trim_end_matches(is_letter).len();
    let length = behind.len() - behind.trim_start_matches(is_letter).len();
    Span {
        start,
        end: before.len() + length,
    }
}

/// The places that say the names at a place, with or without those that declare them.
pub(crate) fn references(
    context: &mut Context<'_>,
    path: &str,
    at: Position,
    with_declarations: bool,
) -> Vec<Location> {
    let spans = linked(context, path, at, with_declarations);
    context.locations(path, &spans)
}

fn linked(
    context: &mut Context<'_>,
    path: &str,
    at: Position,
    with_declarations: bool,
) -> Vec<Span> {
    let mentions = context.mentions(path, at);
    let names = context.workspace.model_of(path).names();
    let Some(first) = mentions.first() else {
        return Vec::new();
    };
    let all = names.linked_mentions(first.name).into_iter();
    all.filter(|one| with_declarations || !one.is_declaration)
        .map(|one| one.span)
        .collect()
}

/// The places in a document that say the name at a place.
pub(crate) fn highlights(
    context: &mut Context<'_>,
    path: &str,
    at: Position,
) -> Vec<DocumentHighlight> {
    let spans = linked(context, path, at, true);
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let ranges = spans.iter().filter_map(|span| model.range(*span, encoding));
    let own = ranges.filter(|(file, _)| file == path);
    own.map(|(_, range)| DocumentHighlight {
        range,
        kind: Some(DocumentHighlightKind::Text),
    })
    .collect()
}
