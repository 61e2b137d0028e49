//! Cuts an Ion text into its values and measures them before they are parsed.

use super::limits::{DEPTH_MAX, NUMBER_BYTES_MAX, NUMBER_TOO_LONG, TOO_DEEP, TOO_LONG};
use crate::source::VALUE_BYTES_MAX;

/// The syntax around the next byte of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Inside {
    #[default]
    Plain,
    /// A string or symbol, which ends with this quote.
    Quoted(&'static [u8]),
    Blob,
    /// A comment, which ends with these bytes.
    Comment(&'static [u8]),
}

/// Finds the end of one value of a text: the bracket that closes the first one.
#[derive(Default)]
pub(super) struct Scanner {
    /// The bytes of the value; of one that is too long, the first ones and the last three.
    pub(super) value: Vec<u8>,
    /// The reason for which the value is refused.
    pub(super) fault: Option<&'static str>,
    inside: Inside,
    /// The bytes at the end of the value that the next mark may be made of: those since the last
    /// mark. A star that began a comment does not end it, too.
    unmarked: usize,
    /// Whether the quotes are those of text within a blob's brackets.
    is_in_blob: bool,
    is_escaped: bool,
    depth: usize,
    /// The length so far of the current word or number.
    word_bytes: usize,
    is_number: bool,
}

impl Scanner {
    /// Scans a part of a text; returns how many bytes belong to the value, and whether it ends
    /// there.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, bool) {
        for (at, byte) in bytes.iter().enumerate() {
            self.keep(*byte);
            if self.step(*byte) {
                return (at + 1, true);
            }
        }
        (bytes.len(), false)
    }

    /// Appends a byte to the value. A value that is too long keeps only its last three bytes up to
    /// date, by which its end is still found.
    fn keep(&mut self, byte: u8) {
        if self.value.len() < VALUE_BYTES_MAX {
            self.value.push(byte);
            return;
        }
        self.refuse(TOO_LONG);
        let kept = self.value.len() - 3;
        self.value.copy_within(kept + 1.., kept);
        if let Some(last) = self.value.last_mut() {
            *last = byte;
        }
    }

    /// Keeps the first reason.
    fn refuse(&mut self, fault: &'static str) {
        self.fault.get_or_insert(fault);
    }

    /// Whether a mark ends here: a quote, or the begin or end of a blob or comment.
    fn ends_with(&self, mark: &[u8]) -> bool {
        self.unmarked >= mark.len() && self.value.ends_with(mark)
    }

    /// Enters another part of the text behind a mark.
    fn enter(&mut self, inside: Inside) {
        self.inside = inside;
        self.unmarked = 0;
    }

    /// Leaves quotes with their last byte.
    fn leave_quotes(&mut self, end: &[u8]) {
        // Two quotes are an empty symbol; with the third they begin a long string.
        let is_empty_symbol = end == b"'" && self.unmarked == 1;
        self.enter(if self.is_in_blob {
            Inside::Blob
        } else {
            Inside::Plain
        });
        self.unmarked = if is_empty_symbol { 2 } else { 0 };
    }

    /// Advances by one byte; returns whether the value ends with it.
    fn step(&mut self, byte: u8) -> bool {
        self.unmarked += 1;
        match self.inside {
            Inside::Plain => return self.plain(byte),
            Inside::Quoted(_) if self.is_escaped => {
                self.is_escaped = false;
                // An escaped quote is no part of the end.
                self.unmarked = 0;
            }
            Inside::Quoted(_) if byte == b'\\' => self.is_escaped = true,
            Inside::Quoted(end) => {
                if self.ends_with(end) {
                    self.leave_quotes(end);
                }
            }
            Inside::Comment(end) => {
                if self.ends_with(end) {
                    self.enter(Inside::Plain);
                }
            }
            Inside::Blob => return self.blob(byte),
        }
        false
    }

    /// Advances by one byte of a blob, or of a clob: its text is in quotes.
    fn blob(&mut self, byte: u8) -> bool {
        self.is_in_blob = true;
        match byte {
            b'"' => self.enter(Inside::Quoted(b"\"")),
            b'\'' if self.ends_with(b"'''") => self.enter(Inside::Quoted(b"'''")),
            b'}' if self.ends_with(b"}}") => {
                self.is_in_blob = false;
                self.enter(Inside::Plain);
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// Advances by one byte outside of quotes, blobs and comments.
    fn plain(&mut self, byte: u8) -> bool {
        self.measure_number(byte);
        match byte {
            b'"' => self.enter(Inside::Quoted(b"\"")),
            b'\'' if self.ends_with(b"'''") => self.enter(Inside::Quoted(b"'''")),
            b'\'' => self.enter(Inside::Quoted(b"'")),
            b'/' if self.ends_with(b"//") => self.enter(Inside::Comment(b"\n")),
            b'*' if self.ends_with(b"/*") => self.enter(Inside::Comment(b"*/")),
            b'{' if self.ends_with(b"{{") => self.enter(Inside::Blob),
            b'{' | b'[' | b'(' => {
                self.depth += 1;
                if self.depth > DEPTH_MAX {
                    self.refuse(TOO_DEEP);
                }
            }
            b'}' | b']' | b')' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// Refuses a number that is too long.
    fn measure_number(&mut self, byte: u8) {
        let is_in_word = byte.is_ascii_alphanumeric() || b"_.+-$".contains(&byte);
        if !is_in_word {
            self.word_bytes = 0;
            return;
        }
        if self.word_bytes == 0 {
            self.is_number = byte.is_ascii_digit() || byte == b'-';
        }
        self.word_bytes += 1;
        if self.is_number && self.word_bytes > NUMBER_BYTES_MAX {
            self.refuse(NUMBER_TOO_LONG);
        }
    }
}
