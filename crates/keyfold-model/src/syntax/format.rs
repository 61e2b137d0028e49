//! The formatter: spaces and aligns declarations evenly. Comments and blank lines keep their places;
//! a line with an error stays as it is.
//!
//! Formatting works on the tokens of each line, so that it formats a half-written file too. It is
//! idempotent.

use super::lexer::{self, Token, TokenKind};
use super::parser::MEMBER_WORDS;
use std::ops::Range;

/// Width, in characters, up to which the header of a pattern is aligned with others.
const ALIGNED_MAX: usize = 64;
const INDENT: &str = "  ";

/// A line of the file.
enum Line {
    Blank,
    /// A line with nothing but a comment, and whether it is indented.
    Comment(String, bool),
    /// A line with an error.
    Verbatim(String),
    Code(Code),
}

struct Code {
    indented: bool,
    /// Pieces that are aligned with those of neighbouring lines.
    cells: Vec<String>,
    /// The kind of lines that it is aligned with.
    group: Group,
    comment: Option<String>,
}

/// The group of a line: consecutive lines of one group are aligned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    None,
    Index,
    Key,
    Pattern,
}

/// Formats the text of a model.
pub fn format(source: &str) -> String {
    formatted(source.lines().map(line).collect())
}

/// The text of a model as [`format()`] formats it, without its comments: the same for two texts that
/// differ in comments and layout only.
pub fn format_without_comments(source: &str) -> String {
    let without = |line: Line| match line {
        Line::Blank | Line::Comment(..) => None,
        Line::Verbatim(text) => Some(Line::Verbatim(text)),
        Line::Code(code) => Some(Line::Code(Code {
            comment: None,
            ..code
        })),
    };
    let mut lines: Vec<Line> = Vec::new();
    for line in source.lines().map(line).filter_map(without) {
        let is_apart = match (lines.last(), &line) {
            (Some(Line::Code(above)), Line::Code(code)) => {
                !code.indented && (above.indented || code.group != above.group)
            }
            _ => false,
        };
        if is_apart {
            lines.push(Line::Blank);
        }
        lines.push(line);
    }
    formatted(lines)
}

fn formatted(mut lines: Vec<Line>) -> String {
    while matches!(lines.last(), Some(Line::Blank)) {
        lines.pop();
    }
    for group in [Group::Index, Group::Key, Group::Pattern] {
        align(&mut lines, group);
    }
    let mut out = String::new();
    let mut was_blank = true;
    for line in &lines {
        let text = match line {
            // Blank lines are merged into one, and removed at the start.
            Line::Blank if was_blank => continue,
            Line::Blank => String::new(),
            Line::Comment(text, indented) => {
                format!("{}{text}", if *indented { INDENT } else { "" })
            }
            Line::Verbatim(text) => text.clone(),
            Line::Code(code) => {
                let comment = code
                    .comment
                    .as_ref()
                    .map_or(String::new(), |comment| format!("  {comment}"));
                let indent = if code.indented { INDENT } else { "" };
                format!("{indent}{}{comment}", code.cells.join("").trim_end())
            }
        };
        was_blank = matches!(line, Line::Blank);
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}

/// Classifies a line and splits it into cells.
fn line(text: &str) -> Line {
    let trimmed = trim(text);
    let indented = lexer::is_indented(text);
    if trimmed.is_empty() {
        return Line::Blank;
    }
    if trimmed.starts_with('#') {
        return Line::Comment(trimmed.to_owned(), indented);
    }
    let (mut tokens, mut diagnostics) = (Vec::new(), Vec::new());
    lexer::scan(text, 0, &mut tokens, &mut diagnostics);
    if !diagnostics.is_empty() || tokens.is_empty() {
        return Line::Verbatim(text.trim_end().to_owned());
    }
    let end = tokens.last().map_or(0, |token| token.span.end);
    let tail = trim(text.get(end..).unwrap_or_default());
    let comment = tail.starts_with('#').then(|| tail.to_owned());
    let (group, breaks) = shape(&tokens, indented);
    let cells = cells(text, &tokens, &breaks);
    // Signs that do not belong together may become another sign when the space between them is
    // removed.
    if !is_read_as(&cells.join(" "), &tokens) {
        return Line::Verbatim(text.trim_end().to_owned());
    }
    Line::Code(Code {
        indented,
        cells,
        group,
        comment,
    })
}

/// The text without surrounding whitespace; a byte order mark counts as whitespace, as in the lexer.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == lexer::BYTE_ORDER_MARK)
}

/// Whether a text has exactly these tokens.
fn is_read_as(text: &str, tokens: &[Token]) -> bool {
    let (mut again, mut diagnostics) = (Vec::new(), Vec::new());
    lexer::scan(text, 0, &mut again, &mut diagnostics);
    diagnostics.is_empty()
        && again
            .iter()
            .map(|token| &token.kind)
            .eq(tokens.iter().map(|token| &token.kind))
}

fn word(token: Option<&Token>) -> Option<&str> {
    match token.map(|token| &token.kind) {
        Some(TokenKind::Word(word)) => Some(word),
        _ => None,
    }
}

fn is_template(token: &Token) -> bool {
    matches!(token.kind, TokenKind::Text(_) | TokenKind::Braces(_))
}

/// The group of a line, and the indexes of the tokens that start a new cell.
fn shape(tokens: &[Token], indented: bool) -> (Group, Vec<usize>) {
    let first = word(tokens.first()).unwrap_or_default();
    if !indented {
        let arrow = tokens
            .iter()
            .position(|token| token.kind == TokenKind::Sign("->"));
        return match arrow {
            Some(at) if first == "pattern" => (Group::Pattern, vec![at]),
            _ => (Group::None, Vec::new()),
        };
    }
    if matches!(first, "gsi" | "lsi") {
        return (
            Group::Index,
            if tokens.len() > 2 {
                vec![2]
            } else {
                Vec::new()
            },
        );
    }
    // The first tag may stand in quotes, as a template does.
    let is_tag = tokens
        .get(2)
        .is_some_and(|token| token.kind == TokenKind::Sign("="));
    if first == "tags" && is_tag {
        return (Group::None, Vec::new());
    }
    // `key` and `copy` have templates, which are aligned below.
    if MEMBER_WORDS.contains(&first)
        && !matches!(first, "key" | "copy")
        && tokens
            .get(1)
            .is_some_and(|token| token.kind != TokenKind::Sign(":"))
    {
        return (Group::Key, vec![1]);
    }
    let head = if first == "copy" { 2 } else { 1 };
    // The name of an index may stand in quotes.
    let is_named = tokens
        .first()
        .is_some_and(|token| matches!(token.kind, TokenKind::Word(_) | TokenKind::Text(_)));
    let starts_key = tokens.get(head).is_some_and(is_template) && is_named;
    if !starts_key {
        return (Group::None, Vec::new());
    }
    let mut breaks: Vec<usize> = (head..tokens.len())
        .take_while(|at| tokens.get(*at).is_some_and(is_template))
        .collect();
    let behind = breaks.last().map_or(head, |last| last + 1);
    if behind < tokens.len() {
        breaks.push(behind);
    }
    (Group::Key, breaks)
}

fn cells(text: &str, tokens: &[Token], breaks: &[usize]) -> Vec<String> {
    let mut joined = lexer::hyphenated(tokens);
    joined.retain(|run| !is_calculation(tokens, run));
    let mut cells = vec![String::new()];
    for (at, token) in tokens.iter().enumerate() {
        let written = text
            .get(token.span.start..token.span.end)
            .unwrap_or_default();
        if breaks.contains(&at) && !is_inside(&joined, at) {
            cells.push(String::new());
        } else if at > 0 {
            let gap = gap(tokens, &joined, at);
            cells
                .last_mut()
                .into_iter()
                .for_each(|cell| cell.push_str(gap));
        }
        cells
            .last_mut()
            .into_iter()
            .for_each(|cell| cell.push_str(written));
    }
    cells
}

/// Whether the place before a token is inside one of these runs.
fn is_inside(joined: &[Range<usize>], at: usize) -> bool {
    joined.iter().any(|run| run.start < at && at < run.end)
}

/// The space before a token. Words joined by `-`, whose places are given, stay as they are.
fn gap(tokens: &[Token], joined: &[Range<usize>], at: usize) -> &'static str {
    let sign = |token: Option<&Token>| match token.map(|token| &token.kind) {
        Some(TokenKind::Sign(sign)) => *sign,
        _ => "",
    };
    let (before, this) = (
        at.checked_sub(1).and_then(|at| tokens.get(at)),
        tokens.get(at),
    );
    let earlier = at.checked_sub(2).and_then(|at| tokens.get(at));
    let first = match (word(tokens.first()), word(tokens.get(1))) {
        (Some("shared"), Some(next)) => next,
        (first, _) => first.unwrap_or_default(),
    };
    let tight = matches!(sign(this), "," | ")" | "?" | "[]" | ":" | "." | "..")
        || matches!(sign(before), "(" | "." | "..");
    // A minus without a left operand belongs to its number.
    let touches_joined = joined.iter().any(|run| run.start <= at && at <= run.end);
    let is_negative = sign(before) == "-"
        && !touches_joined
        && (!matches!(sign(earlier), "" | ")") || is_comparison(tokens, at))
        && matches!(this.map(|t| &t.kind), Some(TokenKind::Number(_)));
    // No space between a name and its parameters; a space before other parentheses.
    let called = sign(this) == "("
        && (word(before) == Some("time")
            || (matches!(first, "pattern" | "write") && at == 2)
            || (first == "unique" && word(before) == Some("lower"))
            || (!matches!(first, "table" | "gsi" | "lsi")
                && word(before).is_some_and(is_function)));
    // The result clause of a pattern.
    let returned = first == "pattern" && word(this).is_some() && is_result_end(tokens, at);
    match (
        tight || is_negative || is_inside(joined, at) || called,
        returned,
    ) {
        (true, _) => "",
        (false, true) => "  ",
        (false, false) => " ",
    }
}

/// Whether a comparison's word stands two tokens before, as `in` of `n in -5..-1`. Behind `=` it is
/// a name.
fn is_comparison(tokens: &[Token], at: usize) -> bool {
    let back = |count: usize| at.checked_sub(count).and_then(|at| tokens.get(at));
    let is_value = back(3).is_some_and(|token| token.kind == TokenKind::Sign("="));
    matches!(word(back(2)), Some("in" | "contains")) && !is_value
}

/// Whether a run of words joined by `-` is a calculation: two operands in the value of a `set`.
fn is_calculation(tokens: &[Token], run: &Range<usize>) -> bool {
    let before = tokens.get(..run.start).unwrap_or_default();
    let is_sign =
        |token: &Token, sign: &str| matches!(token.kind, TokenKind::Sign(it) if it == sign);
    let is_value = before
        .iter()
        .rev()
        .find(|token| word(Some(token)).is_none() && !is_sign(token, "."))
        .is_some_and(|token| is_sign(token, "="));
    let clause = before.windows(2).rev().find_map(|pair| {
        let clause = word(pair.first()).filter(|word| matches!(*word, "set" | "when"))?;
        pair.last().filter(|next| !is_sign(next, "="))?;
        Some(clause)
    });
    let first = word(tokens.first());
    let is_write = matches!(first, Some("create" | "put" | "update"));
    run.len() == 3 && is_value && is_write && clause == Some("set")
}

/// Whether a word takes its arguments in parentheses.
fn is_function(word: &str) -> bool {
    matches!(word, "size" | "contains" | "starts" | "exists" | "missing")
}

/// Whether the result clause of a pattern ends before this token.
fn is_result_end(tokens: &[Token], at: usize) -> bool {
    let Some(arrow) = tokens
        .iter()
        .position(|token| token.kind == TokenKind::Sign("->"))
    else {
        return false;
    };
    let is_part = |place: usize| match tokens.get(place).map(|token| &token.kind) {
        Some(TokenKind::Word(_)) => {
            place == arrow + 1
                || place
                    .checked_sub(1)
                    .and_then(|before| tokens.get(before))
                    .is_some_and(|token| matches!(token.kind, TokenKind::Sign("." | "+")))
        }
        Some(TokenKind::Sign(sign)) => matches!(*sign, "." | "+" | "[]" | "?"),
        _ => false,
    };
    let end = (arrow + 1..tokens.len()).find(|place| !is_part(*place));
    end == Some(at)
}

/// Pads the cells of consecutive lines of a group.
fn align(lines: &mut [Line], group: Group) {
    let mut start = 0;
    while start < lines.len() {
        let mut end = start + 1;
        if group_of(lines.get(start)) == group {
            // Comments and blank lines separate groups, except between patterns.
            while end < lines.len() {
                let same = group_of(lines.get(end)) == group;
                let between = group == Group::Pattern
                    && matches!(lines.get(end), Some(Line::Comment(..) | Line::Blank));
                let skipped = group == Group::Key && is_member(lines.get(end));
                if !same && !between && !skipped {
                    break;
                }
                end += 1;
            }
            pad(lines.get_mut(start..end).unwrap_or_default(), group);
        }
        start = end;
    }
}

fn group_of(line: Option<&Line>) -> Group {
    match line {
        Some(Line::Code(code)) => code.group,
        _ => Group::None,
    }
}

/// Whether the line is an indented line of code.
fn is_member(line: Option<&Line>) -> bool {
    matches!(line, Some(Line::Code(code)) if code.indented)
}

fn pad(lines: &mut [Line], group: Group) {
    let code = |line: &Line| match line {
        Line::Code(code) if code.group == group => {
            Some(code.cells.iter().map(|cell| cell.chars().count()).collect())
        }
        Line::Blank | Line::Comment(..) | Line::Verbatim(_) | Line::Code(_) => None,
    };
    let rows: Vec<Vec<usize>> = lines.iter().filter_map(code).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let gap = if group == Group::Index { 1 } else { 2 };
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            // The last cell of a line pads nothing.
            let used = rows
                .iter()
                .filter(|row| row.len() > column + 1)
                .filter_map(|row| row.get(column));
            used.copied()
                .filter(|width| group != Group::Pattern || *width <= ALIGNED_MAX)
                .max()
                .unwrap_or(0)
        })
        .collect();
    for line in lines {
        let Line::Code(code) = line else { continue };
        if code.group != group {
            continue;
        }
        let last = code.cells.len().saturating_sub(1);
        for (cell, width) in code.cells.iter_mut().zip(&widths).take(last) {
            let missing = width.saturating_sub(cell.chars().count()) + gap;
            cell.push_str(&" ".repeat(missing));
        }
    }
}
