//! Writes JSON into a byte vector: commas and quotes, nothing more.

use std::fmt::Display;
use std::io::Write as _;

pub(crate) struct Writer<'o> {
    out: &'o mut Vec<u8>,
    /// Whether the next member or element needs a comma before it.
    comma: bool,
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

    fn quoted(&mut self, text: &str) {
        serde_json::to_writer(&mut *self.out, text).expect("writing to memory does not fail");
    }

    /// The name of the next member; its value must follow.
    pub(crate) fn name(&mut self, name: &str) {
        self.separate();
        self.quoted(name);
        self.out.push(b':');
        self.comma = false;
    }

    pub(crate) fn string(&mut self, text: &str) {
        self.separate();
        self.quoted(text);
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
