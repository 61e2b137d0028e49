//! Writes JSON into a byte vector. It adds commas and quotes, nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use keyfold_codec::plain::is_plain;
use keyfold_types::Number;
use std::fmt::Display;
use std::io::Write as _;

pub(crate) struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// Whether the next member or element needs a comma before it.
    comma: bool,
}

/// Appends UTF-8 text in quotes, with a fast path for text that needs no escapes.
#[inline]
pub(super) fn append_quoted(out: &mut Vec<u8>, text: &[u8]) {
    if is_plain(text) {
        append_plain(out, text);
        return;
    }
    let text = String::from_utf8_lossy(text);
    serde_json::to_writer(out, &text).expect("writing to memory does not fail");
}

/// Appends text in quotes that is known to need no escapes.
#[inline]
pub(super) fn append_plain(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

/// Appends bytes as base64 in quotes.
pub(super) fn append_base64(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    let at = out.len();
    out.resize(at + bytes.len().div_ceil(3) * 4, 0);
    let written = STANDARD.encode_slice(bytes, out.get_mut(at..).unwrap_or_default());
    out.truncate(at + written.unwrap_or(0));
    out.push(b'"');
}

impl<'o> Writer<'o> {
    pub(crate) fn new(out: &'o mut Vec<u8>) -> Writer<'o> {
        Writer { out, comma: false }
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.push(b',');
        }
        self.comma = true;
    }

    /// Returns the vector for a caller that appends the next value itself.
    pub(super) fn value(&mut self) -> &mut Vec<u8> {
        self.separate();
        self.out
    }

    /// Writes the name of the next member; its value must follow.
    pub(crate) fn name(&mut self, name: &str) {
        self.separate();
        append_quoted(self.out, name.as_bytes());
        self.out.push(b':');
        self.comma = false;
    }

    pub(crate) fn string(&mut self, text: &str) {
        self.separate();
        append_quoted(self.out, text.as_bytes());
    }

    /// Writes an object of one member whose name needs no escapes: a value with its type.
    pub(crate) fn tagged(&mut self, tag: &str, fill: impl FnOnce(&mut Writer<'_>)) {
        self.separate();
        self.out.extend_from_slice(b"{\"");
        self.out.extend_from_slice(tag.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.comma = false;
        fill(self);
        self.out.push(b'}');
        self.comma = true;
    }

    /// Writes a number or word as it displays.
    pub(crate) fn plain(&mut self, value: impl Display) {
        self.separate();
        write!(self.out, "{value}").expect("writing to memory does not fail");
    }

    /// Writes a value in quotes that needs no escapes.
    pub(crate) fn quoted_plain(&mut self, value: impl Display) {
        self.separate();
        write!(self.out, "\"{value}\"").expect("writing to memory does not fail");
    }

    /// Writes a number as DynamoDB does: digits in quotes.
    pub(crate) fn number(&mut self, number: &Number) {
        self.separate();
        self.out.push(b'"');
        number.append_to(self.out);
        self.out.push(b'"');
    }

    /// Reserves memory for further bytes.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.out.reserve(bytes);
    }

    fn nested(&mut self, open: u8, close: u8, fill: impl FnOnce(&mut Writer<'_>)) {
        self.separate();
        self.out.push(open);
        self.comma = false;
        fill(self);
        self.out.push(close);
        self.comma = true;
    }

    pub(crate) fn object(&mut self, fill: impl FnOnce(&mut Writer<'_>)) {
        self.nested(b'{', b'}', fill);
    }

    pub(crate) fn array(&mut self, fill: impl FnOnce(&mut Writer<'_>)) {
        self.nested(b'[', b']', fill);
    }

    pub(crate) fn string_member(&mut self, name: &str, text: &str) {
        self.name(name);
        self.string(text);
    }

    pub(crate) fn plain_member(&mut self, name: &str, value: impl Display) {
        self.name(name);
        self.plain(value);
    }
}
