//! Text for people: styles, and tables of items. Colours go away when nobody is looking.

use anstyle::{AnsiColor, Style};
use keyfold_client::FoundItem;
use keyfold_model::value;
use std::io::Write as _;

/// Names and headings.
pub(crate) const STRONG: Style = Style::new().bold();
/// What is less important.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Operations.
pub(crate) const ACCENT: Style = AnsiColor::Cyan.on_default();
/// What went well.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What went wrong.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Widest column of a table, in characters.
const COLUMN_CHARS_MAX: usize = 36;

/// The exit code when the output cannot be written.
const UNWRITTEN: i32 = 5;

/// Prints a line. A closed pipe ends the command quietly, as it does for others; any other failure is an error: whoever reads the output
/// must not take half of it for all.
pub(crate) fn line(text: &str) {
    ended(writeln!(anstream::stdout(), "{text}"));
}

/// Prints bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) {
    let mut out = std::io::stdout();
    ended(out.write_all(bytes).and_then(|()| out.flush()));
}

fn ended(written: std::io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            error_line(&format!("{ERROR}error{ERROR:#}: the output cannot be written: {error}"));
            std::process::exit(UNWRITTEN);
        }
    }
}

/// Prints a line to the error stream.
pub(crate) fn error_line(text: &str) {
    if writeln!(anstream::stderr(), "{text}").is_err() {
        std::process::exit(1);
    }
}

/// Whether the error stream shows colours.
pub(crate) fn error_has_color() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
}

/// A stored text as it can be shown: what would move the cursor, break the line or turn the direction of writing is written as `\\u{..}`.
fn shown(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|c| if is_hidden(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

fn clip(text: &str) -> String {
    if text.chars().count() <= COLUMN_CHARS_MAX {
        return text.to_owned();
    }
    let kept: String = text.chars().take(COLUMN_CHARS_MAX - 1).collect();
    format!("{kept}…")
}

/// Widest line of running text, in characters.
const LINE_CHARS_MAX: usize = 96;

/// Prints running text, broken between words.
pub(crate) fn paragraph(text: &str) {
    let mut current = String::new();
    for word in text.split(' ') {
        if !current.is_empty() && current.chars().count() + 1 + word.chars().count() > LINE_CHARS_MAX {
            line(&current);
            current.clear();
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    line(&current);
}

/// Items as tables, one for each run of items of one kind.
pub(crate) fn items(indent: &str, found: &[&FoundItem]) {
    for run in found.chunk_by(|one, two| one.kind == two.kind) {
        let mut names: Vec<&str> = Vec::new();
        for item in run {
            for (name, _) in &item.attributes {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
        }
        let kind = run.first().map_or("", |item| item.kind.as_str());
        let mut rows = vec![
            std::iter::once(kind.to_owned()).chain(names.iter().map(|name| (*name).to_owned())).collect(),
        ];
        for item in run {
            let mut row = vec![String::new()];
            row.extend(names.iter().map(|name| {
                let held = item.attributes.iter().find(|(known, _)| known == name);
                held.map_or(String::new(), |(_, held)| clip(&shown(&value::display(held))))
            }));
            rows.push(row);
        }
        table(indent, &rows);
    }
}

/// Rows as aligned columns, the first row as heading.
pub(crate) fn table(indent: &str, rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| {
        rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (place, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            // A format takes no width above 65,535.
            let missing = width.saturating_sub(cell.chars().count());
            format!("{cell}{}", " ".repeat(missing))
        });
        let text = cells.collect::<Vec<_>>().join("  ");
        let text = text.trim_end();
        if place == 0 {
            line(&format!("{indent}{FAINT}{text}{FAINT:#}"));
        } else {
            line(&format!("{indent}{text}"));
        }
    }
}

/// `1 item`, `2 items`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
