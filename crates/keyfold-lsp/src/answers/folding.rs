//! Folding: each declaration with indented lines, and comments of several lines.

use crate::text::{Text, number};
use gen_lsp_types::{FoldingRange, FoldingRangeKind};

/// The ranges of a text that can be folded, by lines.
pub(crate) fn ranges(text: &Text) -> Vec<FoldingRange> {
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < text.line_count() {
        let line = text.line(start);
        let is_comment = line.starts_with('#');
        let belongs = |line: &str| match is_comment {
            true => line.starts_with('#'),
            false => line.starts_with([' ', '\t']) || line.is_empty(),
        };
        let mut end = start + 1;
        while end < text.line_count() && belongs(text.line(end)) {
            end += 1;
        }
        // Blank lines behind a declaration stay.
        let mut last = end - 1;
        while last > start && text.line(last).trim().is_empty() {
            last -= 1;
        }
        if last > start && !line.trim().is_empty() {
            ranges.push(FoldingRange {
                kind: is_comment.then_some(FoldingRangeKind::Comment),
                start_line: number(start),
                end_line: number(last),
                ..FoldingRange::default()
            });
        }
        start = end;
    }
    ranges
}
