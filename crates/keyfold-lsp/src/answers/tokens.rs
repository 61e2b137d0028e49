//! Semantic tokens: names by what they are names of, the words of the grammar, texts with their
//! fields, numbers, comments.

use crate::context::Context;
use crate::legend::TYPES;
use crate::model::Edited;
use crate::text::number;
use gen_lsp_types::{SemanticToken, SemanticTokens};
use keyfold_model::names::{Mention, NameKind};
use keyfold_model::{GRAMMAR, Span};
use std::collections::BTreeSet;

/// The words that name a type.
const TYPE_WORDS: [&str; 12] = [
    "string", "number", "int", "bool", "time", "date", "binary", "ulid", "uuid", "list", "map",
    "set",
];

/// A piece of the text, its type, and whether it declares a name.
type Piece = (Span, &'static str, bool);

/// The tokens of a document.
pub(crate) fn tokens(context: &mut Context<'_>, path: &str) -> SemanticTokens {
    let encoding = context.client.encoding;
    let model = context.workspace.model_of(path);
    let Some(file) = model.file_span(path) else {
        return SemanticTokens::default();
    };
    model.names();
    let pieces = pieces(model, file);
    let Some(text) = model.text_of(path) else {
        return SemanticTokens::default();
    };
    let mut data = Vec::new();
    let mut last = gen_lsp_types::Position::new(0, 0);
    for (span, kind, is_declaration) in pieces {
        let own = Span {
            start: span.start - file.start,
            end: span.end - file.start,
        };
        let range = text.range(own, encoding);
        let token_type = TYPES.iter().position(|one| *one == kind);
        // A token lies in one line.
        if range.start.line != range.end.line || range.start == range.end {
            continue;
        }
        let is_same_line = range.start.line == last.line;
        let before = if is_same_line { last.character } else { 0 };
        data.push(SemanticToken {
            delta_line: range.start.line - last.line,
            delta_start: range.start.character - before,
            length: range.end.character - range.start.character,
            token_type: number(token_type.unwrap_or_default()),
            token_modifiers_bitset: u32::from(is_declaration),
        });
        last = range.start;
    }
    SemanticTokens {
        result_id: None,
        data,
    }
}

/// The pieces of a file, in its order.
fn pieces(model: &mut Edited, file: Span) -> Vec<Piece> {
    let names = model.names().clone();
    let mentions = names.mentions();
    let from = mentions.partition_point(|mention| mention.span.start < file.start);
    let mut named: Vec<Piece> = Vec::new();
    for mention in mentions.get(from..).unwrap_or_default() {
        if mention.span.end > file.end {
            break;
        }
        let is_new = named
            .last()
            .is_none_or(|last| last.0.end <= mention.span.start);
        if is_new && let Some(one) = names.all().get(mention.name) {
            named.push(piece(mention, one.kind));
        }
    }
    let text = model.sources.text().get(file.start..file.end);
    let others = scan(text.unwrap_or_default(), file.start, &words());
    merged(named, others)
}

fn piece(mention: &Mention, kind: NameKind) -> Piece {
    let word = match kind {
        NameKind::Table | NameKind::Index => "namespace",
        NameKind::Entity | NameKind::View => "class",
        NameKind::Record => "struct",
        NameKind::Attribute | NameKind::Field | NameKind::Column => "property",
        NameKind::Copy | NameKind::Alias => "variable",
        NameKind::Parameter => "parameter",
        NameKind::Pattern => "function",
        NameKind::Write => "method",
    };
    (mention.span, word, mention.is_declaration)
}

/// The words of the grammar.
fn words() -> BTreeSet<&'static str> {
    let quoted = GRAMMAR.split('"').skip(1).step_by(2);
    quoted
        .filter(|word| word.chars().all(|c| c.is_ascii_lowercase()))
        .collect()
}

/// The tokens of a text that are no names of the model.
fn scan(text: &str, start: usize, words: &BTreeSet<&str>) -> Vec<Piece> {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let word = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
        let (length, kind) = match first {
            '#' => (line, Some("comment")),
            '"' => {
                let body = rest.get(1..line).unwrap_or_default();
                let end = body.find('"').map_or(line, |end| end + 2);
                (end, Some("string"))
            }
            c if c.is_ascii_digit() => (word, Some("number")),
            c if is_letter(c) => {
                let written = rest.get(..word).unwrap_or_default();
                // `set of` is a type, `set` begins changes.
                let is_set = written == "set" && !rest.starts_with("set of ");
                let kind = match () {
                    () if TYPE_WORDS.contains(&written) && !is_set => Some("type"),
                    () if words.contains(written) => Some("keyword"),
                    () => None,
                };
                (word, kind)
            }
            c => (c.len_utf8(), None),
        };
        if let Some(kind) = kind {
            let span = Span {
                start: start + at,
                end: start + at + length,
            };
            pieces.push((span, kind, false));
        }
        at += length;
    }
    pieces
}

/// Both in the order of the text. A name goes before a word, and divides a text that it lies in.
fn merged(named: Vec<Piece>, others: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut named = named.into_iter().peekable();
    for (span, kind, _) in others {
        let mut from = span.start;
        while let Some(name) = named.next_if(|name| name.0.start < span.end) {
            if name.0.start > from {
                let before = Span {
                    start: from,
                    end: name.0.start,
                };
                out.push((before, kind, false));
            }
            from = from.max(name.0.end);
            out.push(name);
        }
        if from < span.end {
            let rest = Span {
                start: from,
                end: span.end,
            };
            out.push((rest, kind, false));
        }
    }
    out.extend(named);
    // A name before a piece that it does not touch leaves nothing of the piece behind.
    out.retain(|(span, ..)| span.start < span.end);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_divides_the_text_that_it_lies_in() {
        let span = |start, end| Span { start, end };
        let named = vec![(span(0, 2), "class", true), (span(6, 8), "property", false)];
        let others = vec![(span(3, 10), "string", false)];
        let all: Vec<(usize, usize)> = merged(named, others)
            .iter()
            .map(|(span, ..)| (span.start, span.end))
            .collect();
        assert_eq!(all, [(0, 2), (3, 6), (6, 8), (8, 10)]);
    }

    #[test]
    fn the_words_are_those_of_the_grammar() {
        let words = words();
        assert!(
            ["entity", "pattern", "newest", "unstored"]
                .iter()
                .all(|word| words.contains(word))
        );
    }
}
