//! A text of lines under construction, as the printers of all languages make it.

use super::form::{Form, Settings};
use super::head::OVERWRITTEN;
use std::marker::PhantomData;

/// A text whose characters stand in the order in which they are read: those that turn the direction
/// of writing are escaped, as texts of JSON, TypeScript and Python may have them. Reviewers would be
/// shown another program than the one that runs, and a compiler of Rust refuses them in comments.
pub(super) fn undirected(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for c in text.chars() {
        if turns(c) {
            made.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            made.push(c);
        }
    }
    made
}

/// Whether a character turns the direction of the writing behind it.
pub(super) fn turns(c: char) -> bool {
    matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The layout of a language.
pub(super) trait Layout {
    /// The indent of one level of nested blocks.
    const INDENT: &'static str;
}

/// A text in the layout of a language, whose own constructs its `print` adds.
pub(super) struct Text<L> {
    pub(super) text: String,
    layout: PhantomData<L>,
}

impl<L> Default for Text<L> {
    fn default() -> Text<L> {
        Text {
            text: String::new(),
            layout: PhantomData,
        }
    }
}

impl<L: Layout> Text<L> {
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// A line at a depth of nested blocks.
    pub(super) fn line(&mut self, depth: usize, text: &str) {
        if !text.is_empty() {
            self.text.push_str(&L::INDENT.repeat(depth));
            self.text.push_str(text);
        }
        self.text.push('\n');
    }

    /// The head of a file whose comments begin with two slashes: its maker, and the plan document
    /// that it belongs to.
    pub(super) fn head(&mut self, form: &Form) {
        let Form {
            model,
            version,
            hash,
            settings: Settings { generator, .. },
            ..
        } = form;
        let made = format!("// Made by {generator} of the model {model}, version {version}.");
        self.line(0, &made);
        self.line(0, &format!("// The plan document's hash: {hash}."));
        self.line(0, &format!("// {OVERWRITTEN}"));
        self.line(0, "");
    }
}
