//! A text with its lines, and places in it: bytes here, lines and columns in the protocol.
//!
//! The protocol counts the columns of a line in UTF-16 code units, unless server and client agree on
//! bytes or characters. Lines end with `\n`, `\r\n` or `\r`.
//!
//! ```text
//! key "É#{id}"      the brace is at byte 8, character 7, and UTF-16 unit 7
//! ```

use gen_lsp_types::{Position, PositionEncodingKind, Range};
use keyfold_model::Span;

/// The unit in which the columns of a line are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every client knows.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// The one that a client offers and that costs least; UTF-16 where it offers none that is known.
    pub fn negotiated<'o>(offered: impl IntoIterator<Item = &'o str>) -> Encoding {
        let mut best = Encoding::Utf16;
        for offer in offered {
            match offer {
                "utf-8" => return Encoding::Utf8,
                "utf-32" => best = Encoding::Utf32,
                _ => {}
            }
        }
        best
    }

    /// Its name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// The number of units of a character.
    fn units(self, character: char) -> usize {
        match self {
            Encoding::Utf8 => character.len_utf8(),
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// A text with the places of its lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    text: String,
    /// Where each line starts, in bytes. The first is 0.
    starts: Vec<usize>,
}

impl Text {
    /// A text with its lines.
    pub fn new(text: impl Into<String>) -> Text {
        let text = text.into();
        let starts = line_starts(&text);
        Text { text, starts }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The number of lines; an empty text has one.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Replaces a range, as a client that edits reports it. A place behind the end of its line is the
    /// end of the line, and one behind the last line is the end of the text.
    pub fn edit(&mut self, range: Range, new: &str, encoding: Encoding) {
        let one = self.offset(range.start, encoding);
        let other = self.offset(range.end, encoding);
        self.text.replace_range(one.min(other)..one.max(other), new);
        self.starts = line_starts(&self.text);
    }

    /// The byte of a position, at the start of a character.
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else {
            return self.text.len();
        };
        let mut left = position.character as usize;
        let mut at = start;
        for character in self.line(line).chars() {
            let units = encoding.units(character);
            if left < units {
                break;
            }
            left -= units;
            at += character.len_utf8();
        }
        at
    }

    /// The position of a byte. One inside a character, or behind the text, is that of the place
    /// before.
    pub fn position(&self, at: usize, encoding: Encoding) -> Position {
        let at = at.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= at) - 1;
        let start = self.starts.get(line).copied().unwrap_or_default();
        let mut units = 0;
        let mut place = start;
        for character in self.text.get(start..).unwrap_or_default().chars() {
            place += character.len_utf8();
            if place > at {
                break;
            }
            units += encoding.units(character);
        }
        Position::new(number(line), number(units))
    }

    /// The range of a piece.
    pub fn range(&self, span: Span, encoding: Encoding) -> Range {
        Range {
            start: self.position(span.start, encoding),
            end: self.position(span.end.max(span.start), encoding),
        }
    }

    /// The range of the whole text.
    pub fn whole(&self, encoding: Encoding) -> Range {
        let end = self.text.len();
        self.range(Span { start: 0, end }, encoding)
    }

    /// The place where a line starts, in bytes; the end of the text behind the last line.
    pub fn line_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// The number of the line of a byte, from 0.
    pub fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at).max(1) - 1
    }

    /// A line without its end; empty behind the last line.
    pub fn line(&self, line: usize) -> &str {
        let (start, end) = (self.line_start(line), self.line_start(line + 1));
        let line = self.text.get(start..end).unwrap_or_default();
        line.trim_end_matches(['\n', '\r'])
    }
}

/// A number of the protocol. No text has as many lines or columns as it cannot hold.
pub(crate) fn number(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Where the lines of a text start.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    std::iter::once(0)
        .chain(ends.map(|(at, _)| at + 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    #[test]
    fn columns_are_counted_in_the_units_of_the_encoding() {
        let text = Text::new("a\nÉ😀b\r\nc\rd");
        let brace = text.as_str().find('b').unwrap();
        let columns = ALL.map(|encoding| text.position(brace, encoding).character);
        assert_eq!(columns, [6, 3, 2]);
        assert_eq!(text.line_count(), 4);
        for encoding in ALL {
            for (at, _) in text.as_str().char_indices() {
                let position = text.position(at, encoding);
                let is_line_end = text.line(position.line as usize).len()
                    < at - text.line_start(position.line as usize);
                if !is_line_end {
                    assert_eq!(text.offset(position, encoding), at, "{encoding:?} {at}");
                }
            }
        }
    }

    #[test]
    fn a_place_that_no_text_has_is_the_nearest_one() {
        let text = Text::new("😀\nab");
        let at = |line, character| text.offset(Position::new(line, character), Encoding::Utf16);
        assert_eq!(at(0, 1), 0, "inside a character");
        assert_eq!(at(0, 9), 4, "behind the line");
        assert_eq!(at(1, 9), 7, "behind the last line's end");
        assert_eq!(at(7, 0), 7, "behind the last line");
        assert_eq!(text.position(99, Encoding::Utf16), Position::new(1, 2));
        assert_eq!(text.position(2, Encoding::Utf16), Position::new(0, 0));
    }

    #[test]
    fn an_edit_replaces_its_range_and_moves_the_lines_behind() {
        let mut text = Text::new("one\ntwo\nthree");
        let range = Range {
            start: Position::new(1, 3),
            end: Position::new(0, 1),
        };
        text.edit(range, "x\ny\n", Encoding::Utf16);
        assert_eq!(text, Text::new("ox\ny\n\nthree"));
        assert_eq!(text.line(3), "three");
    }
}
