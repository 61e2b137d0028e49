//! Lines that a repair adds get the layout of the file: they stand behind the whole line, comment
//! included, with the indentation and the line ends of their neighbours, aligned as `keyfold fmt`
//! aligns them. Other lines stay as they are.

use crate::diagnostic::{Edit, Span};
use crate::syntax;

/// Fits an edit that adds lines into the layout of a text. Other edits stay as they are.
pub(crate) fn fit(source: &str, edit: &mut Edit) {
    let Some(added) = edit.text.strip_prefix('\n') else {
        return;
    };
    let at = edit.span.start;
    let (before, behind) = (before(source, at), source.get(at..).unwrap_or_default());
    let line_end = behind.find('\n').unwrap_or(behind.len());
    let has_return = behind
        .get(..line_end)
        .is_some_and(|rest| rest.ends_with('\r'));
    let line_end = at + line_end - usize::from(has_return);
    let neighbours = declaration(source, line_start(before), line_end);
    let last = neighbours.lines().last().unwrap_or_default();
    let indent: String = last
        .chars()
        .take_while(|c| matches!(c, ' ' | '\t'))
        .collect();
    let line_break = if has_return { "\r\n" } else { "\n" };
    let count = added.lines().count();
    let formatted = syntax::format(&format!("{neighbours}\n{added}"));
    let all: Vec<&str> = formatted.lines().collect();
    let lines = all
        .get(all.len().saturating_sub(count)..)
        .unwrap_or_default();
    let mut text = String::new();
    for line in lines {
        text.push_str(line_break);
        text.push_str(match line.strip_prefix("  ") {
            Some(_) if !indent.is_empty() => &indent,
            Some(_) => "  ",
            None => "",
        });
        text.push_str(line.trim_start());
    }
    edit.span = Span {
        start: line_end,
        end: line_end,
    };
    edit.text = text;
}

fn before(source: &str, at: usize) -> &str {
    source.get(..at).unwrap_or_default()
}

fn line_start(before: &str) -> usize {
    before.rfind('\n').map_or(0, |at| at + 1)
}

/// The lines of a declaration from its first to the one that starts and ends at these places.
fn declaration(source: &str, mut start: usize, end: usize) -> &str {
    while start > 0
        && source
            .get(start..end)
            .is_some_and(|text| text.starts_with([' ', '\t']))
    {
        start = line_start(before(source, start - 1));
    }
    source.get(start..end).unwrap_or_default()
}
