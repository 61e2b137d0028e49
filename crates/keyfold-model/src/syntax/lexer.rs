//! Text to lines of tokens. A declaration starts in the first column; its members are indented. A
//! line that ends with a comma or inside parentheses continues in the next line. `#` outside quotes
//! starts a comment.

use crate::diagnostic::{Diagnostic, Edit, Span};
use std::ops::Range;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TokenKind {
    Word(String),
    Number(String),
    /// A quoted text, without its quotes.
    Text(String),
    /// The text inside braces: a bare field of a template.
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
    /// The numbers of tokens before each further line of the file that continues it.
    pub(crate) breaks: Vec<usize>,
    /// Whether it has characters that are no tokens.
    pub(crate) is_garbled: bool,
    /// The end of its last line of the file.
    pub(crate) end: usize,
}

/// The signs of the language, and those of others that `foreign.rs` explains.
const SIGNS: [&str; 27] = [
    "->", ">=", "<=", "<>", "..", "[]", "!=", "==", "=>", "=<", "&&", "||", "(", ")", ",", ":",
    "?", "|", ".", "+", "-", "*", "=", "<", ">", "[", "]",
];

/// Most characters without meaning that a message shows.
const SHOWN_MAX: usize = 20;

/// The byte order mark that some editors put before a text.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Splits a text into lines of tokens. `start` is its place. Lines without tokens are left out.
pub(crate) fn lines(text: &str, start: usize, diagnostics: &mut Vec<Diagnostic>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut start, mut depth, mut continued) = (start, 0i32, false);
    for text in text.split_inclusive('\n') {
        let (mut tokens, known) = (Vec::new(), diagnostics.len());
        scan(text, start, &mut tokens, diagnostics);
        start += text.len();
        let is_garbled = diagnostics.len() > known;
        let Some(last) = tokens.last() else { continue };
        let ends_open = last.kind == TokenKind::Sign(",");
        let opened: i32 = tokens.iter().map(opens).sum();
        let indented = is_indented(text);
        // Only an indented line continues the line before: a missing parenthesis affects one
        // declaration.
        match lines.last_mut() {
            Some(line) if continued && indented => {
                depth += opened;
                line.breaks.push(line.tokens.len());
                line.tokens.append(&mut tokens);
                line.is_garbled |= is_garbled;
                line.end = start;
            }
            _ => {
                lines.push(Line {
                    indented,
                    tokens,
                    breaks: Vec::new(),
                    is_garbled,
                    end: start,
                });
                depth = opened;
            }
        }
        continued = ends_open || depth > 0;
        if depth < 0 || !continued {
            depth = 0;
        }
    }
    lines
}

/// The runs of words, numbers and `-` without space between, which have a `-` inside: `in-progress`.
/// Most are names that should stand in quotes, some are calculations.
pub(super) fn hyphenated(tokens: &[Token]) -> Vec<Range<usize>> {
    let is_minus = |token: &Token| token.kind == TokenKind::Sign("-");
    let is_part = |token: &Token| {
        matches!(token.kind, TokenKind::Word(_) | TokenKind::Number(_)) || is_minus(token)
    };
    let mut runs = Vec::new();
    let mut start = 0;
    while let Some(first) = tokens.get(start) {
        let mut end = start + 1;
        let mut last = first;
        while let Some(next) = tokens.get(end)
            && is_part(last)
            && is_part(next)
            && last.span.end == next.span.start
        {
            last = next;
            end += 1;
        }
        let inside = tokens.get(start + 1..end - 1).unwrap_or_default();
        if inside.iter().any(is_minus) {
            runs.push(start..end);
        }
        start = end;
    }
    runs
}

/// By how many parentheses a token makes the text deeper.
fn opens(token: &Token) -> i32 {
    i32::from(token.kind == TokenKind::Sign("(")) - i32::from(token.kind == TokenKind::Sign(")"))
}

/// Whether a line belongs to the declaration above it.
pub(super) fn is_indented(text: &str) -> bool {
    text.trim_start_matches(BYTE_ORDER_MARK)
        .starts_with([' ', '\t'])
}

/// The length of a number: digits, which `_` may group, and digits after a point. `1..2` is a range,
/// whose first number ends before the points.
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

/// The length, in bytes, of the characters at the beginning that start no token. The first is one of
/// them.
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

/// Splits a line into tokens. `start` is the place of the line in the source. A quote or brace that
/// is not closed ends the line.
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
        let length = match token(rest, first) {
            Scanned::Token(kind, length) => {
                tokens.push(Token {
                    kind,
                    span: span(length),
                });
                length
            }
            Scanned::Meaningless(length) => {
                let (diagnostic, length, ends) = foreign_sign((text, rest), length, start + at);
                diagnostics.push(diagnostic);
                if ends {
                    return;
                }
                length
            }
            Scanned::Quoted(text, length) => {
                diagnostics.push(other_quotes(&text, span(length)));
                tokens.push(Token {
                    kind: TokenKind::Text(text),
                    span: span(length),
                });
                length
            }
            Scanned::NoNumber(length) => {
                let shown = rest.get(..length).unwrap_or_default();
                diagnostics.push(no_number(shown, span(length)));
                length
            }
            Scanned::Open(Open::Braces) if rest.trim_end() == "{" => {
                diagnostics.push(no_block(rest.trim_end(), span(1)));
                return;
            }
            Scanned::Open(open) => {
                diagnostics.push(not_closed(open, span(rest.trim_end().len())));
                return;
            }
        };
        at += length;
    }
}

/// The beginning of a text, with its length in bytes.
enum Scanned {
    Token(TokenKind, usize),
    /// Characters that start no token.
    Meaningless(usize),
    /// A text between quotes of other languages.
    Quoted(String, usize),
    /// Digits with letters behind them.
    NoNumber(usize),
    /// A quote or brace that is not closed in its line.
    Open(Open),
}

enum Open {
    Text,
    Braces,
}

/// Scans the token at the beginning of a text, whose first character is given.
fn token(text: &str, first: char) -> Scanned {
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
    if first == '"' {
        let end = text.get(1..).and_then(|body| body.find(['"', '\n']));
        return match end {
            Some(end) if text.get(1 + end..2 + end) == Some("\"") => {
                Scanned::Token(TokenKind::Text(piece(1, 1 + end)), end + 2)
            }
            Some(_) | None => Scanned::Open(Open::Text),
        };
    }
    if first == '{' {
        return match braces_end(text) {
            Some(end) => Scanned::Token(TokenKind::Braces(piece(1, end)), end + 1),
            None => Scanned::Open(Open::Braces),
        };
    }
    if first.is_ascii_digit() {
        let end = number_end(text);
        let longer = end + word_end(text.get(end..).unwrap_or_default());
        if longer > end {
            return Scanned::NoNumber(longer);
        }
        return Scanned::Token(TokenKind::Number(piece(0, end).replace('_', "")), end);
    }
    let word = word_end(text);
    if word > 0 {
        return Scanned::Token(TokenKind::Word(piece(0, word)), word);
    }
    if let Some((quoted, length)) = quoted(text, first) {
        return Scanned::Quoted(quoted, length);
    }
    match SIGNS.iter().find(|sign| text.starts_with(**sign)) {
        Some(sign) => Scanned::Token(TokenKind::Sign(sign), sign.len()),
        None => Scanned::Meaningless(meaningless(text)),
    }
}

/// Quotes of other languages and of word processors, with those that close them.
const OTHER_QUOTES: [(char, char); 4] = [('\'', '\''), ('`', '`'), ('‘', '’'), ('“', '”')];

/// The text between quotes of other languages at the beginning, with its length in bytes.
fn quoted(text: &str, first: char) -> Option<(String, usize)> {
    let (open, close) = OTHER_QUOTES.iter().find(|(open, _)| *open == first)?;
    let line = text.lines().next()?.get(open.len_utf8()..)?;
    let (inside, _) = line.split_once(*close)?;
    let length = open.len_utf8() + inside.len() + close.len_utf8();
    (!inside.contains('"')).then(|| (inside.to_owned(), length))
}

fn other_comment(span: Span) -> Diagnostic {
    let message = "a comment begins with `#`";
    Diagnostic::error("KF001", span, message, "a comment of other languages")
        .help("write `#`")
        .repair(vec![Edit::replace(span, "#")])
}

fn other_quotes(text: &str, span: Span) -> Diagnostic {
    let quoted = format!("\"{text}\"");
    let message = "a text stands between double quotes";
    Diagnostic::error("KF001", span, message, "between other quotes")
        .help(format!("write {quoted}"))
        .repair(vec![Edit::replace(span, quoted)])
}

/// The place of the brace that closes the one at the beginning. A name in quotes may contain braces.
fn braces_end(text: &str) -> Option<usize> {
    let quoted = text.strip_prefix("{\"").and_then(|name| {
        let end = name.find(['"', '\n']).map(|end| end + 2)?;
        let behind = text.get(end..)?;
        behind.starts_with("\"}").then_some(end + 1).or_else(|| {
            behind
                .starts_with("\":")
                .then(|| text.get(end..)?.find('}').map(|at| end + at))
                .flatten()
        })
    });
    quoted.or_else(|| text.find('}'))
}

/// The length of the letters, digits and `_` at the beginning.
fn word_end(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

/// The error about signs of other languages at the beginning of `rest`, their length, and whether the
/// rest of the line is left out. `length` is that of characters without a meaning.
fn foreign_sign((line, rest): (&str, &str), length: usize, at: usize) -> (Diagnostic, usize, bool) {
    let span = |length: usize| Span {
        start: at,
        end: at + length,
    };
    let piece = |length: usize| rest.get(..length).unwrap_or_default();
    if rest.starts_with("//") {
        (other_comment(span(2)), 2, true)
    } else if is_decorated(rest) {
        let length = decorator(rest);
        (decorated(piece(length), span(length)), length, false)
    } else if line.trim() == "}" {
        (no_block("}", span(length)), length, true)
    } else {
        (no_meaning(piece(length), span(length)), length, false)
    }
}

/// Whether a text begins with a mark such as `@id`.
fn is_decorated(text: &str) -> bool {
    let name = text.trim_start_matches('@');
    name.len() < text.len() && name.starts_with(char::is_alphabetic)
}

/// The length of a mark such as `@id`, `@@index([a, b])` or `@db.VarChar(20)`.
fn decorator(text: &str) -> usize {
    let name = |c: char| !(c.is_alphanumeric() || matches!(c, '@' | '_' | '.'));
    let end = text.find(name).unwrap_or(text.len());
    let behind = text.get(end..).unwrap_or_default();
    let arguments = match (behind.starts_with('('), behind.rfind(')')) {
        (true, Some(close)) => close + 1,
        _ => 0,
    };
    end + arguments
}

/// A mark of another language behind an attribute or in a line of its own.
fn decorated(mark: &str, span: Span) -> Diagnostic {
    let name = mark.trim_start_matches('@');
    let name = name.split(['(', '.']).next().unwrap_or_default();
    let help = match name.to_ascii_lowercase().as_str() {
        "id" | "primarykey" | "partitionkey" | "sortkey" | "hashkey" | "rangekey" => {
            "the key is a line of its own, with a template for each key attribute of the table: `key \"USER#{userId}\" \"PROFILE\"`"
        }
        "unique" => "what is unique stands in a line of its own: `unique email`",
        "default" | "updatedat" | "createdat" => {
            "a default stands behind the type: `createdAt: time = now`; `= now always` is set by every write"
        }
        "index" => {
            "an index is a `gsi` of the table; in an entity its name begins the line of its key: `GSI1 \"EMAIL#{email}\" \"USER\"`"
        }
        "relation" => "a reference is the type of an attribute: `userId: User.userId`",
        _ => "remove it",
    };
    let message = format!("`{mark}` has no meaning here");
    Diagnostic::error("KF001", span, message, "a mark of other languages").help(help)
}

/// A brace that opens or closes a block of another language.
fn no_block(brace: &str, span: Span) -> Diagnostic {
    let message = format!("`{brace}` has no meaning here: no block begins or ends with it");
    Diagnostic::error("KF001", span, message, "a sign of other languages")
        .help("remove it: the lines of a declaration are those that are indented")
        .repair(vec![Edit::replace(span, "")])
}

fn no_number(text: &str, span: Span) -> Diagnostic {
    let message = format!("`{text}` is not a number");
    Diagnostic::error("KF001", span, message, "neither a number nor a name")
        .note("a number has digits and a point, and no exponent")
        .help(format!(
            "write its digits; a name or word stands in quotes: \"{text}\""
        ))
}

fn not_closed(open: Open, span: Span) -> Diagnostic {
    match open {
        Open::Text => Diagnostic::error(
            "KF001",
            span,
            "a text is not closed",
            "no closing quote in this line",
        )
        .help("add `\"` where the text ends"),
        Open::Braces => Diagnostic::error(
            "KF001",
            span,
            "a brace is not closed",
            "no `}` in this line",
        ),
    }
}
