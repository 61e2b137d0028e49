//! Text to lines of tokens. A declaration starts in the first column; what belongs to it is
//! indented. A line that ends with a comma, or inside parentheses, goes on in the next. `#` outside
//! quotes starts a comment.

use crate::diagnostic::{Diagnostic, Span};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind {
    Word(String),
    Number(String),
    /// A quoted text, without its quotes.
    Text(String),
    /// Braces with what is inside: a bare field of a template.
    Braces(String),
    Sign(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) indented: bool,
    pub(crate) tokens: Vec<Token>,
}

const SIGNS: [&str; 20] = [
    "->", ">=", "<=", "<>", "..", "[]", "(", ")", ",", ":", "?", "|", ".", "+", "-", "=", "<", ">",
    "[", "]",
];

/// Characters without meaning that a message shows.
const SHOWN_MAX: usize = 20;

/// The byte order mark that some editors put before a text.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

pub(crate) fn lines(source: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut start, mut depth, mut continued) = (0, 0i32, false);
    for text in source.split_inclusive('\n') {
        let mut tokens = Vec::new();
        scan(text, start, &mut tokens, diagnostics);
        start += text.len();
        let Some(last) = tokens.last() else { continue };
        let ends_open = last.kind == TokenKind::Sign(",");
        for token in &tokens {
            match token.kind {
                TokenKind::Sign("(") => depth += 1,
                TokenKind::Sign(")") => depth -= 1,
                _ => {}
            }
        }
        let indented = is_indented(text);
        // Only an indented line goes on with the one before: a lost parenthesis stops at the next
        // declaration.
        match lines.last_mut() {
            Some(line) if continued && indented => line.tokens.append(&mut tokens),
            _ => {
                lines.push(Line { indented, tokens });
                if !indented {
                    depth = depth.min(1);
                }
            }
        }
        continued = ends_open || depth > 0;
        if depth < 0 || !continued {
            depth = 0;
        }
    }
    lines
}

/// Whether a line belongs to the declaration above it.
pub(super) fn is_indented(text: &str) -> bool {
    text.trim_start_matches(BYTE_ORDER_MARK)
        .starts_with([' ', '\t'])
}

/// Digits, perhaps grouped by `_`, and digits behind a point; `1..2` is a range of numbers.
fn number_end(text: &str) -> usize {
    let digits = |from: usize| {
        let tail = text.get(from..).unwrap_or_default();
        from + tail
            .find(|c: char| !(c.is_ascii_digit() || c == '_'))
            .unwrap_or(tail.len())
    };
    let whole = digits(0);
    let tail = text.get(whole..).unwrap_or_default();
    match tail.strip_prefix('.') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => digits(whole + 1),
        _ => whole,
    }
}

/// Bytes of the characters at the beginning that can begin nothing; the first is one.
fn meaningless(text: &str) -> usize {
    let begins_something = |(at, c): (usize, char)| {
        let is_sign = || {
            SIGNS
                .iter()
                .any(|sign| text.get(at..).is_some_and(|rest| rest.starts_with(sign)))
        };
        c.is_whitespace()
            || c.is_alphanumeric()
            || matches!(c, '"' | '{' | '#' | '_' | BYTE_ORDER_MARK)
            || is_sign()
    };
    text.char_indices()
        .skip(1)
        .find(|one| begins_something(*one))
        .map_or(text.len(), |(at, _)| at)
}

fn no_meaning(text: &str, span: Span) -> Diagnostic {
    let (what, verb, it) = match text.chars().count() {
        1 => ("character", "has", "it"),
        _ => ("characters", "have", "them"),
    };
    let shown: String = text.chars().take(SHOWN_MAX).collect();
    let rest = if shown.len() < text.len() { "…" } else { "" };
    Diagnostic::error(
        "KF001",
        span,
        format!("the {what} `{shown}{rest}` {verb} no meaning here"),
        format!("remove {it}"),
    )
}

pub(super) fn scan(
    text: &str,
    start: usize,
    tokens: &mut Vec<Token>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let first = rest.chars().next().unwrap_or(' ');
        let span = |length: usize| Span {
            start: start + at,
            end: start + at + length,
        };
        // A byte order mark is no text.
        if first.is_whitespace() || first == BYTE_ORDER_MARK {
            at += first.len_utf8();
            continue;
        }
        if first == '#' {
            return;
        }
        let word = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        let (kind, length) = if first == '"' {
            match rest.get(1..).and_then(|body| body.find(['"', '\n'])) {
                Some(end) if rest.get(1 + end..2 + end) == Some("\"") => (
                    TokenKind::Text(rest.get(1..=end).unwrap_or_default().to_owned()),
                    end + 2,
                ),
                _ => {
                    let whole = rest.trim_end().len();
                    diagnostics.push(
                        Diagnostic::error(
                            "KF001",
                            span(whole),
                            "a text is not closed",
                            "no closing quote in this line",
                        )
                        .help("add `\"` where the text ends"),
                    );
                    return;
                }
            }
        } else if first == '{' {
            match rest.find('}') {
                Some(end) => (
                    TokenKind::Braces(rest.get(1..end).unwrap_or_default().to_owned()),
                    end + 1,
                ),
                None => {
                    let whole = rest.trim_end().len();
                    diagnostics.push(Diagnostic::error(
                        "KF001",
                        span(whole),
                        "a brace is not closed",
                        "no `}` in this line",
                    ));
                    return;
                }
            }
        } else if first.is_ascii_digit() {
            let end = number_end(rest);
            (
                TokenKind::Number(rest.get(..end).unwrap_or_default().replace('_', "")),
                end,
            )
        } else if word > 0 {
            (
                TokenKind::Word(rest.get(..word).unwrap_or_default().to_owned()),
                word,
            )
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (TokenKind::Sign(sign), sign.len())
        } else {
            let length = meaningless(rest);
            diagnostics.push(no_meaning(
                rest.get(..length).unwrap_or_default(),
                span(length),
            ));
            at += length;
            continue;
        };
        tokens.push(Token {
            kind,
            span: span(length),
        });
        at += length;
    }
}
