//! Prints Rust as rustfmt would with its own settings.

use crate::generate::text::{Layout, Text, turns, undirected};

/// Longest line of code.
const WIDTH: usize = 100;
/// The most characters of the arguments of a call that stay in its line.
const CALL_WIDTH: usize = 60;
/// The most characters of the members of a struct literal that stay in its line.
const LITERAL_WIDTH: usize = 18;
/// Longest line of a comment.
const COMMENT_WIDTH: usize = 90;

/// The layout of Rust.
pub(super) enum Rust {}

impl Layout for Rust {
    const INDENT: &'static str = "    ";
}

/// A text of Rust.
pub(super) type Printer = Text<Rust>;

impl Printer {
    /// Lets a program leave out any of the types and methods that were printed: a private module would warn of those.
    pub(super) fn allow_unused(&mut self) {
        let may_warn = |line: &&str| {
            let is_trait = line.starts_with("impl") && line.contains(" for ");
            ["pub struct ", "pub enum ", "impl ", "impl<"]
                .iter()
                .any(|start| line.starts_with(start))
                && !is_trait
        };
        let lines = self
            .text
            .split_inclusive('\n')
            .map(|line| match may_warn(&line) {
                true => format!("#[allow(dead_code)]\n{line}"),
                false => line.to_owned(),
            });
        self.text = lines.collect();
    }

    /// An empty line, unless a block has just begun.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("{\n") {
            self.text.push('\n');
        }
    }

    /// A doc comment of paragraphs and list items.
    pub(super) fn doc(&mut self, depth: usize, paragraphs: &[String]) {
        let width = COMMENT_WIDTH - 4 * depth;
        let mut was_item = false;
        for paragraph in paragraphs {
            let is_item = paragraph.starts_with("- ");
            if was_item && !is_item && !paragraph.is_empty() {
                self.line(depth, "///");
            }
            was_item = is_item;
            if paragraph.is_empty() {
                self.line(depth, "///");
            }
            let shown = escaped(&undirected(paragraph));
            for (at, line) in wrapped(&shown, width).iter().enumerate() {
                let indent = if is_item && at > 0 { "  " } else { "" };
                self.line(depth, &format!("/// {indent}{line}"));
            }
        }
    }

    /// `start[members]end`, whose members are longer than ten characters: shorter ones would share
    /// lines.
    pub(super) fn array(&mut self, depth: usize, (start, end): (&str, &str), members: &[String]) {
        self.enclosed(
            depth,
            (&format!("{start}["), &format!("]{end}")),
            members,
            CALL_WIDTH,
        );
    }

    /// Members in one line, or a line each where they do not fit. `most` is the most characters that
    /// they have in one line.
    fn enclosed(
        &mut self,
        depth: usize,
        (open, close): (&str, &str),
        members: &[String],
        most: usize,
    ) {
        let joined = members.join(", ");
        let line = format!("{open}{joined}{close}");
        if joined.chars().count() <= most && 4 * depth + line.chars().count() <= WIDTH {
            self.line(depth, &line);
            return;
        }
        self.line(depth, open);
        for member in members {
            self.line(depth + 1, &format!("{member},"));
        }
        self.line(depth, close);
    }

    /// A call.
    pub(super) fn call(&mut self, depth: usize, (start, end): (&str, &str), members: &[String]) {
        self.enclosed(
            depth,
            (&format!("{start}("), &format!("){end}")),
            members,
            CALL_WIDTH,
        );
    }

    /// The beginning of a function.
    pub(super) fn open_fn(
        &mut self,
        depth: usize,
        (start, end): (&str, &str),
        parameters: &[String],
    ) {
        self.enclosed(
            depth,
            (&format!("{start}("), &format!("){end}")),
            parameters,
            WIDTH,
        );
    }

    /// `start { members }end`
    pub(super) fn literal(&mut self, depth: usize, (start, end): (&str, &str), members: &[String]) {
        let joined = members.join(", ");
        let line = format!("{start} {{ {joined} }}{end}");
        if joined.chars().count() <= LITERAL_WIDTH && 4 * depth + line.chars().count() <= WIDTH {
            self.line(depth, &line);
            return;
        }
        self.line(depth, &format!("{start} {{"));
        for member in members {
            self.line(depth + 1, &format!("{member},"));
        }
        self.line(depth, &format!("}}{end}"));
    }

    /// A call of a macro with braces, which rustfmt leaves as it is.
    pub(super) fn table(&mut self, open: &str, rows: &[String], close: &str) {
        if rows.is_empty() {
            self.line(0, &format!("{open}{close}"));
            return;
        }
        self.line(0, open);
        for row in rows {
            self.line(1, row);
        }
        self.line(0, close);
    }
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    format!("{text:?}")
}

/// A long text as a literal: raw where its characters allow it.
pub(super) fn raw_literal(text: &str) -> String {
    // A carriage return cannot stand in a raw literal, and characters that turn the direction of
    // writing are refused in any.
    let is_plain = |c: char| c == '\n' || !(c.is_control() || turns(c));
    if !text.chars().all(is_plain) {
        return literal(text);
    }
    let mut signs = "#".to_owned();
    while text.contains(&format!("\"{signs}")) {
        signs.push('#');
    }
    format!("r{signs}\"{text}\"{signs}")
}

/// A sentence without signs that mean something in Markdown, outside of code.
fn escaped(text: &str) -> String {
    let mut is_code = false;
    let mut made = String::new();
    for c in text.chars() {
        if c == '`' {
            is_code = !is_code;
        } else if !is_code && matches!(c, '[' | ']' | '<' | '>' | '*' | '\\') {
            made.push('\\');
        }
        made.push(c);
    }
    made
}

/// A sentence in lines. A word that begins a block in Markdown stays behind the one before it.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let fits = |line: &String| line.chars().count() + 1 + word.chars().count() <= width;
        match lines.last_mut() {
            Some(line) if fits(line) || begins_block(word) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn begins_block(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = digits.len() < word.len() && digits.starts_with(['.', ')']);
    is_number || word.starts_with(['-', '+', '*', '>', '#', '=', '|', '~', '<', ':', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_model_ends_a_literal_of_rust() {
        assert_eq!(raw_literal("a\"#b"), "r##\"a\"#b\"##");
        assert_eq!(raw_literal("a\rb"), "\"a\\rb\"");
        assert_eq!(raw_literal("a\u{202E}b"), "\"a\\u{202e}b\"");
    }

    #[test]
    fn no_line_of_a_comment_begins_a_block() {
        let lines = wrapped("`Order + OrderItem[]` 1. > a", 8);
        assert_eq!(lines, ["`Order +", "OrderItem[]` 1. >", "a"]);
    }

    #[test]
    fn signs_of_markdown_are_escaped_outside_of_code() {
        assert_eq!(escaped("a[b] `c[d]` <e>"), "a\\[b\\] `c[d]` \\<e\\>");
    }
}
