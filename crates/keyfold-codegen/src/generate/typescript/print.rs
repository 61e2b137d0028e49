//! TypeScript as prettier prints it, 80 columns wide.

use crate::generate::sentence;
use crate::generate::text::{Layout, Text, undirected};

/// Longest line.
const WIDTH: usize = 80;

/// The layout of TypeScript.
pub(super) enum TypeScript {}

impl Layout for TypeScript {
    const INDENT: &'static str = "  ";
}

/// A text of TypeScript.
pub(super) type Printer = Text<TypeScript>;

impl Printer {
    /// An empty line.
    pub(super) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// A doc comment: on one line where it fits.
    pub(super) fn doc(&mut self, depth: usize, lines: &[String]) {
        let lines: Vec<String> = lines.iter().flat_map(|line| wrapped(line, depth)).collect();
        match lines.as_slice() {
            [] => {}
            [one] => self.line(depth, &format!("/** {one} */")),
            several => {
                self.line(depth, "/**");
                for line in several {
                    self.line(depth, format!(" * {line}").trim_end());
                }
                self.line(depth, " */");
            }
        }
    }

    /// A construct with members in brackets, each on a line of its own where they do not fit on one:
    /// parameters or arguments.
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

    /// A type with arguments, each on a line of its own where they do not fit on one.
    pub(super) fn generic(&mut self, depth: usize, open: &str, members: &[String], close: &str) {
        let line = format!("{open}<{}>{close}", members.join(", "));
        if fits(depth, &line) {
            self.line(depth, &line);
            return;
        }
        self.line(depth, &format!("{open}<"));
        for (at, member) in members.iter().enumerate() {
            let end = if at + 1 == members.len() { "" } else { "," };
            self.line(depth + 1, &format!("{member}{end}"));
        }
        self.line(depth, &format!(">{close}"));
    }

    /// `export type NAME = A | B;`
    pub(super) fn union(&mut self, name: &str, members: &[String]) {
        self.either(0, &format!("export type {name} ="), members);
    }

    /// A type of one of these members behind what begins its line.
    pub(super) fn either(&mut self, depth: usize, start: &str, members: &[String]) {
        let all = format!("{};", members.join(" | "));
        let line = format!("{start} {all}");
        if fits(depth, &line) {
            self.line(depth, &line);
            return;
        }
        self.line(depth, start);
        if fits(depth + 1, &all) {
            self.line(depth + 1, &all);
            return;
        }
        for (at, member) in members.iter().enumerate() {
            let end = if at + 1 == members.len() { ";" } else { "" };
            self.line(depth + 1, &format!("| {member}{end}"));
        }
    }
}

/// Whether a line at a depth is not too long.
pub(super) fn fits(depth: usize, text: &str) -> bool {
    2 * depth + text.chars().count() <= WIDTH
}

/// A sentence of a comment in lines that fit. It cannot end the comment.
fn wrapped(text: &str, depth: usize) -> Vec<String> {
    let text = undirected(text).replace("*/", "*\\/");
    // `/** ` or ` * `, and ` */` behind a single line.
    sentence::wrapped(&text, WIDTH - 2 * depth - 7)
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    // Line separators are part of a JSON text, and end a line of an editor.
    undirected(&json)
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// The name of a property: in quotes where it is no plain word.
pub(super) fn property(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let is_word = !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_plain);
    if is_word && !name.is_empty() {
        name.to_owned()
    } else {
        literal(name)
    }
}
