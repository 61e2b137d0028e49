//! Formatting, as `keyfold fmt` does it. The edits are those of the lines that differ, so that the
//! places in other lines stay.

use crate::text::{Encoding, Text, number};
use gen_lsp_types::{Position, Range, TextEdit};
use keyfold_model::format;

/// The edits that format a text.
pub(crate) fn edits(text: &Text, encoding: Encoding) -> Vec<TextEdit> {
    let formatted = format(text.as_str());
    if formatted == text.as_str() {
        return Vec::new();
    }
    let before: Vec<&str> = text.as_str().split_inclusive('\n').collect();
    let after: Vec<&str> = formatted.split_inclusive('\n').collect();
    let same_start = common(before.iter(), after.iter());
    let rest = before.len().min(after.len()) - same_start;
    let same_end = common(before.iter().rev(), after.iter().rev()).min(rest);
    let range = |from: usize, to: usize| Range {
        start: line_start(text, &before, from, encoding),
        end: line_start(text, &before, to, encoding),
    };
    let (old_end, new_end) = (before.len() - same_end, after.len() - same_end);
    let new = after.get(same_start..new_end).unwrap_or_default();
    // Lines that only changed get an edit each.
    if old_end == new_end {
        let lines = (same_start..old_end).zip(new);
        let changed = lines.filter(|(at, new)| before.get(*at) != Some(new));
        return changed
            .map(|(at, new)| TextEdit::new(range(at, at + 1), (*new).to_owned()))
            .collect();
    }
    vec![TextEdit::new(range(same_start, old_end), new.concat())]
}

/// The edits of [`edits`] whose lines touch a range.
pub(crate) fn edits_in(text: &Text, range: Range, encoding: Encoding) -> Vec<TextEdit> {
    let mut all = edits(text, encoding);
    all.retain(|edit| edit.range.start <= range.end && range.start < edit.range.end);
    all
}

/// The number of equal elements at the beginning.
fn common<'l>(
    one: impl Iterator<Item = &'l &'l str>,
    other: impl Iterator<Item = &'l &'l str>,
) -> usize {
    one.zip(other)
        .take_while(|(one, other)| one == other)
        .count()
}

/// Where a line starts that ends with `\n`: a lone `\r` ends a line of the protocol, too.
fn line_start(text: &Text, lines: &[&str], line: usize, encoding: Encoding) -> Position {
    let is_plain = text.line_count() == lines.len() + 1 || !text.as_str().contains('\r');
    if is_plain && line < lines.len() {
        return Position::new(number(line), 0);
    }
    let before = lines.iter().take(line).map(|line| line.len()).sum();
    text.position(before, encoding)
}
