//! Writes JSON into a byte vector: commas and quotes, nothing more.

use keyfold_types::Number;
use std::fmt::Display;
use std::io::Write as _;

pub(crate) struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// Whether the next member or element needs a comma before it.
    comma: bool,
}

/// Whether JSON has another way to write some of the text. Looks at whole blocks, which processors do at once.
fn needs_escapes(text: &[u8]) -> bool {
    let is_special = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    text.chunks(64).any(|block| block.iter().fold(false, |found, byte| found | is_special(*byte)))
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

    /// UTF-8 text, which is not looked at a second time where it needs no escapes.
    fn quoted(&mut self, text: &[u8]) {
        if needs_escapes(text) {
            let text = String::from_utf8_lossy(text);
            serde_json::to_writer(&mut *self.out, &text).expect("writing to memory does not fail");
            return;
        }
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        self.out.extend_from_slice(text);
        self.out.push(b'"');
    }

    /// The name of the next member; its value must follow.
    pub(crate) fn name(&mut self, name: &str) {
        self.stored_name(name.as_bytes());
    }

    /// The same of a stored item, which is UTF-8.
    pub(crate) fn stored_name(&mut self, name: &[u8]) {
        self.separate();
        self.quoted(name);
        self.out.push(b':');
        self.comma = false;
    }

    pub(crate) fn string(&mut self, text: &str) {
        self.stored_string(text.as_bytes());
    }

    /// The same of a stored item, which is UTF-8.
    pub(crate) fn stored_string(&mut self, text: &[u8]) {
        self.separate();
        self.quoted(text);
    }

    /// An object of one member whose name needs no escaping: a value with its type.
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

    /// A number or word, as it prints.
    pub(crate) fn plain(&mut self, value: impl Display) {
        self.separate();
        write!(self.out, "{value}").expect("writing to memory does not fail");
    }

    /// A value in quotes that needs no escaping.
    pub(crate) fn quoted_plain(&mut self, value: impl Display) {
        self.separate();
        write!(self.out, "\"{value}\"").expect("writing to memory does not fail");
    }

    /// A number as DynamoDB writes it: digits in quotes.
    pub(crate) fn number(&mut self, number: &Number) {
        self.separate();
        self.out.push(b'"');
        number.append_to(self.out);
        self.out.push(b'"');
    }

    /// Makes room for so many bytes more.
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
