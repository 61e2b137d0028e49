//! Python as `ruff format` prints it, 88 columns wide. A construct in brackets that does not fit on a
//! line has a member on each, with a comma behind the last, which the formatter leaves as it is.

use crate::generate::sentence;
use crate::generate::text::{Layout, Text, undirected};
use serde_json::Value as Json;

/// Longest line.
const WIDTH: usize = 88;

/// The layout of Python.
pub(super) enum Python {}

impl Layout for Python {
    const INDENT: &'static str = "    ";
}

/// A text of Python.
pub(super) type Printer = Text<Python>;

impl Printer {
    /// An empty line.
    pub(super) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// The empty lines between classes.
    pub(super) fn gaps(&mut self) {
        self.text.push_str("\n\n");
    }

    /// A doc string: on one line where it fits.
    pub(super) fn doc(&mut self, depth: usize, lines: &[String]) {
        let lines: Vec<String> = lines.iter().flat_map(|line| wrapped(line, depth)).collect();
        match lines.as_slice() {
            [] => {}
            [one] => self.line(depth, &format!("\"\"\"{one}\"\"\"")),
            [first, more @ ..] => {
                self.line(depth, &format!("\"\"\"{first}"));
                for line in more {
                    self.line(depth, line.trim_end());
                }
                self.line(depth, "\"\"\"");
            }
        }
    }

    /// A construct with members in brackets: on one line where it fits.
    pub(super) fn bracketed(&mut self, depth: usize, open: &str, members: &[String], close: &str) {
        let line = format!("{open}{}{close}", members.join(", "));
        if members.is_empty() || fits(depth, &line) {
            self.line(depth, &line);
            return;
        }
        self.line(depth, open);
        for member in members {
            self.line(depth + 1, &format!("{member},"));
        }
        self.line(depth, close);
    }

    /// A construct whose members may be constructs themselves: [`braced`] ones, which are opened where
    /// they do not fit.
    pub(super) fn nested(&mut self, depth: usize, open: &str, members: &[Member], close: &str) {
        let texts: Vec<String> = members.iter().map(Member::text).collect();
        let line = format!("{open}{}{close}", texts.join(", "));
        if fits(depth, &line) {
            self.line(depth, &line);
            return;
        }
        self.line(depth, open);
        for (member, text) in members.iter().zip(texts) {
            match member {
                Member::Braced(inner) if !fits(depth + 1, &format!("{text},")) => {
                    self.bracketed(depth + 1, "{", inner, "},");
                }
                Member::Called(name, inner) if !fits(depth + 1, &format!("{text},")) => {
                    self.bracketed(depth + 1, &format!("{name}("), inner, "),");
                }
                Member::Plain(_) | Member::Braced(_) | Member::Called(..) => {
                    self.line(depth + 1, &format!("{text},"))
                }
            }
        }
        self.line(depth, close);
    }

    /// `NAME: TypeAlias = A | B`
    pub(super) fn union(&mut self, name: &str, members: &[String]) {
        let start = format!("{name}: TypeAlias = ");
        let whole = members.join(" | ");
        if fits(0, &format!("{start}{whole}")) {
            self.line(0, &format!("{start}{whole}"));
            return;
        }
        self.line(0, &format!("{start}("));
        if fits(1, &whole) {
            self.line(1, &whole);
        } else {
            for (at, member) in members.iter().enumerate() {
                let sign = if at == 0 { "" } else { "| " };
                self.line(1, &format!("{sign}{member}"));
            }
        }
        self.line(0, ")");
    }
}

/// A member of a construct.
pub(super) enum Member {
    /// A name or value.
    Plain(String),
    /// A dictionary of entries.
    Braced(Vec<String>),
    /// A call with arguments.
    Called(String, Vec<String>),
}

impl Member {
    fn text(&self) -> String {
        match self {
            Member::Plain(text) => text.clone(),
            Member::Braced(entries) => format!("{{{}}}", entries.join(", ")),
            Member::Called(name, given) => format!("{name}({})", given.join(", ")),
        }
    }
}

/// A dictionary of entries.
pub(super) fn braced(entries: Vec<String>) -> Member {
    Member::Braced(entries)
}

/// Whether a line at a depth is not too long.
fn fits(depth: usize, text: &str) -> bool {
    4 * depth + text.chars().count() <= WIDTH
}

/// A sentence of a doc string in lines that fit. It cannot end the string.
fn wrapped(text: &str, depth: usize) -> Vec<String> {
    let text = undirected(text)
        .replace('\\', "\\\\")
        .replace("\"\"\"", "\\\"\\\"\\\"");
    // The quotes of a single line.
    sentence::wrapped(&text, WIDTH - 4 * depth - 6)
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    // The escapes of JSON mean the same in Python. A literal with quotes and no apostrophe would be
    // printed in apostrophes.
    let json = undirected(&Json::from(text).to_string());
    if text.contains('"') && !text.contains('\'') {
        let inner = json.get(1..json.len() - 1).unwrap_or_default();
        return format!("'{}'", inner.replace("\\\"", "\""));
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_literals() {
        for (text, shown) in [
            ("a", "\"a\""),
            ("it's", "\"it's\""),
            ("a\"b", "'a\"b'"),
            ("a\"b'c", "\"a\\\"b'c\""),
            ("\\\n", "\"\\\\\\n\""),
        ] {
            assert_eq!(literal(text), shown);
        }
    }

    #[test]
    fn what_does_not_fit_is_opened() {
        let mut out = Printer::default();
        let long = "x".repeat(50);
        let entries = vec![format!("\"{long}\": 1"), format!("\"{long}\": 2")];
        let members = [Member::Plain("a".to_owned()), braced(entries)];
        out.nested(0, "f(", &members, ")");
        let shown = format!(
            "f(\n    a,\n    {{\n        \"{long}\": 1,\n        \"{long}\": 2,\n    }},\n)\n"
        );
        assert_eq!(out.into_text(), shown);
    }
}
