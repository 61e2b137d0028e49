//! A text of lines under construction, as the printers of all languages make it.

use super::form::{Form, Settings};
use super::head::OVERWRITTEN;
use std::marker::PhantomData;

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
