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

    fn ends_with(&self, text: &[u8]) -> bool {
        self.value.ends_with(text)
    }

    /// Advances by one byte; returns whether the value ends with it.
    fn step(&mut self, byte: u8) -> bool {
        match self.inside {
            Inside::Plain => return self.plain(byte),
            Inside::Quoted(_) if self.is_escaped => self.is_escaped = false,
            Inside::Quoted(_) if byte == b'\\' => self.is_escaped = true,
            Inside::Quoted(end) | Inside::Comment(end) => {
                if self.ends_with(end) {
                    self.inside = Inside::Plain;
                }
            }
            Inside::Blob => {
                if byte == b'}' && self.ends_with(b"}}") {
                    self.inside = Inside::Plain;
                    self.depth -= 1;
                    return self.depth == 0;
                }
            }
        }
        false
    }

    /// Advances by one byte outside of quotes, blobs and comments.
    fn plain(&mut self, byte: u8) -> bool {
        self.measure_number(byte);
        match byte {
            b'"' => self.inside = Inside::Quoted(b"\""),
            // Two quotes are an empty symbol; with the third they begin a long string.
            b'\'' if self.ends_with(b"'''") => self.inside = Inside::Quoted(b"'''"),
            b'\'' => self.inside = Inside::Quoted(b"'"),
            b'/' if self.ends_with(b"//") => self.inside = Inside::Comment(b"\n"),
            b'*' if self.ends_with(b"/*") => self.inside = Inside::Comment(b"*/"),
            b'{' if self.ends_with(b"{{") && !self.ends_with(b"{{{") => self.inside = Inside::Blob,
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
