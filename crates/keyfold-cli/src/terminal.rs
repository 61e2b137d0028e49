//! Text for people: styles, and tables of items. Output that is no terminal gets no colours.

use anstyle::{AnsiColor, Style};
use keyfold_client::FoundItem;
use keyfold_model::value;
use keyfold_types::{Item, Value};
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Names and headings.
pub(crate) const STRONG: Style = Style::new().bold();
/// Less important text.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// Operations.
pub(crate) const ACCENT: Style = AnsiColor::Cyan.on_default();
/// Success.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Errors.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();

/// The widest column of a table, in characters.
const COLUMN_CHARS_MAX: usize = 36;

/// The exit code if the output cannot be written.
const UNWRITTEN: i32 = 5;

/// The exit code of the verdict; 0 as long as there is none.
static VERDICT: AtomicU8 = AtomicU8::new(0);

/// Whether the command has changed stored items.
static HAS_WRITTEN: AtomicBool = AtomicBool::new(false);

/// Lets output that is not taken end the command with the exit code of its verdict: of
/// `keyfold generate --check | head -2`, a script must not take the first lines for success.
pub(crate) fn end_untaken_with(code: u8) {
    VERDICT.store(code, Ordering::Relaxed);
}

/// Notes that the command has changed stored items: if the report of it cannot be written, the
/// message says that the write is not to be repeated.
pub(crate) fn note_written() {
    HAS_WRITTEN.store(true, Ordering::Relaxed);
}

/// Prints a text for programs or files as it is. A closed pipe ends the command quietly, as it ends
/// other commands, with the code of its verdict where it has one. Any other failure is an error: the
/// reader must not take half of the output for all of it.
pub(crate) fn exactly(text: &str) {
    check_written(writeln!(anstream::stdout(), "{text}"));
}

/// Prints a line for people, or several. One that is wider than the terminal is broken between words.
pub(crate) fn line(text: &str) {
    exactly(&wrapped(text, width()));
}

/// Prints a help or version to the output, or wrong arguments to the error stream, and returns the
/// exit code.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render().ansi().to_string();
    if error.use_stderr() {
        error_line(text.trim_end());
    } else {
        line(text.trim_end_matches('\n'));
    }
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Whether somebody can be asked: both the question and the answer have a terminal.
pub(crate) fn can_confirm() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks whether to begin, and returns the answer; `None` where no terminal could answer.
pub(crate) fn is_confirmed() -> Option<bool> {
    if !can_confirm() {
        return None;
    }
    error_line("Begin? [y/N]");
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    Some(read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Ends the command if a write to the output failed. A bad verdict is worse than a lost report of it,
/// and keeps its exit code.
fn check_written(written: std::io::Result<()>) {
    let Err(error) = written else { return };
    let verdict = VERDICT.load(Ordering::Relaxed);
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        std::process::exit(verdict.into());
    }
    let done = if HAS_WRITTEN.load(Ordering::Relaxed) {
        "; the write was carried out, so do not repeat it"
    } else {
        ""
    };
    error_line(&format!(
        "{ERROR}error{ERROR:#}: the output cannot be written: {error}{done}"
    ));
    std::process::exit(match verdict {
        0 => UNWRITTEN,
        verdict => verdict.into(),
    });
}

/// Prints a line to the error stream. One that is wider than the terminal is broken between words.
/// Nobody may be there to read it; what the command does and its exit code do not depend on that.
pub(crate) fn error_line(text: &str) {
    let text = wrapped(text, width());
    drop(writeln!(anstream::stderr(), "{text}"));
}

/// Whether the error stream shows colours.
pub(crate) fn error_has_color() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never
}

/// A stored text for the terminal. Characters that move the cursor, break the line or change the
/// direction of writing are written as `\\u{..}`.
pub(crate) fn shown(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars()
        .map(|c| {
            if is_hidden(c) {
                c.escape_default().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// A text of at most [`COLUMN_CHARS_MAX`] characters.
fn clip(text: &str) -> String {
    if text.chars().count() <= COLUMN_CHARS_MAX {
        return text.to_owned();
    }
    let kept: String = text.chars().take(COLUMN_CHARS_MAX - 1).collect();
    format!("{kept}…")
}

/// The widest line of running text, in characters.
const LINE_CHARS_MAX: usize = 96;
/// The narrowest column of a table, in characters.
const COLUMN_CHARS_MIN: usize = 8;

/// The width of a line in characters: that of COLUMNS, or of the terminal. Output that is no
/// terminal has no limit.
fn width() -> usize {
    known_width().unwrap_or(usize::MAX)
}

/// As [`width`]; `None` without a limit. A terminal of no columns or rows does not know its size.
pub(crate) fn known_width() -> Option<usize> {
    let configured = std::env::var("COLUMNS")
        .ok()
        .and_then(|text| text.parse().ok())
        .filter(|width| *width > 0);
    let measured = || {
        let (width, height) = terminal_size::terminal_size()?;
        (width.0 > 0 && height.0 > 0).then_some(usize::from(width.0))
    };
    configured.or_else(measured)
}

/// The widest line of the help, in characters.
const HELP_CHARS_MAX: usize = 100;

/// The width of the help.
pub(crate) fn help_width() -> usize {
    width().min(HELP_CHARS_MAX)
}

/// The lines of a text, those that are wider than `width` broken between words; the rest of a line is
/// indented. Styles take no place.
fn wrapped(text: &str, width: usize) -> String {
    if width == usize::MAX {
        return text.to_owned();
    }
    let lines = text.split('\n').map(|line| {
        let indent = line.chars().take_while(|c| *c == ' ').count() + 2;
        wrapped_line(line, width, indent)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Prints a line whose rest is indented by so many characters if it is wider than the terminal.
pub(crate) fn hanging(text: &str, indent: usize) {
    exactly(&wrapped_line(text, width(), indent));
}

fn wrapped_line(line: &str, width: usize, indent: usize) -> String {
    let indent = if indent > width / 2 { 0 } else { indent };
    let mut out = String::new();
    let (mut taken, mut spaces, mut is_begun) = (0, 0, false);
    for (at, word) in line.split(' ').enumerate() {
        spaces += usize::from(at > 0);
        if word.is_empty() {
            continue;
        }
        let chars = visible(word);
        if is_begun && taken + spaces + chars > width {
            out.push('\n');
            (taken, spaces) = (0, indent);
        }
        out.push_str(&" ".repeat(spaces));
        taken += spaces;
        spaces = 0;
        is_begun = is_begun || chars > 0;
        let mut is_style = false;
        for c in word.chars() {
            is_style = is_style || c == ESCAPE;
            if !is_style && taken >= width {
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                taken = indent;
            }
            out.push(c);
            taken += usize::from(!is_style);
            is_style = is_style && c != STYLE_END;
        }
    }
    out
}

/// The first and the last character of a style.
const ESCAPE: char = '\u{1b}';
const STYLE_END: char = 'm';

/// The characters of a text without its styles.
fn visible(text: &str) -> usize {
    let mut is_style = false;
    let mut count = 0;
    for c in text.chars() {
        is_style = is_style || c == ESCAPE;
        count += usize::from(!is_style);
        is_style = is_style && c != STYLE_END;
    }
    count
}

/// The lines of a text, broken between words; within a word only if it is longer than a line.
fn broken(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut current = String::new();
    for word in text.split(' ') {
        if !current.is_empty() && current.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut current));
        }
        if !current.is_empty() {
            current.push(' ');
        }
        for letter in word.chars() {
            if current.chars().count() == width {
                lines.push(std::mem::take(&mut current));
            }
            current.push(letter);
        }
    }
    lines.push(current);
    lines
}

/// Prints running text, broken between words.
pub(crate) fn paragraph(text: &str) {
    broken(text, width().min(LINE_CHARS_MAX))
        .iter()
        .for_each(|one| line(one));
}

/// Prints a heading with a text behind it. A text that does not fit into the line is printed below,
/// indented.
pub(crate) fn entry(style: Style, heading: &str, text: &str, indent: &str) {
    let taken = heading.chars().count() + 2;
    let all = broken(
        text,
        width()
            .saturating_sub(indent.len() + 2)
            .max(COLUMN_CHARS_MIN),
    );
    let fits = width().saturating_sub(indent.len() + taken);
    match all.as_slice() {
        [one] if one.chars().count() <= fits => {
            line(&format!("{indent}{style}{heading}{style:#}  {one}"))
        }
        _ => {
            line(&format!("{indent}{style}{heading}{style:#}"));
            all.iter().for_each(|one| line(&format!("{indent}  {one}")));
        }
    }
}

/// The length of values in tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// At most [`COLUMN_CHARS_MAX`] characters.
    Clipped,
    /// All characters.
    Full,
}

/// Prints items as tables, one for each run of items of one kind.
pub(crate) fn items(indent: &str, found: &[&FoundItem], length: Length) {
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
            std::iter::once(kind.to_owned())
                .chain(names.iter().map(|name| (*name).to_owned()))
                .collect(),
        ];
        for item in run {
            let mut row = vec![String::new()];
            row.extend(names.iter().map(|name| {
                let stored = item.attributes.iter().find(|(known, _)| known == name);
                let text =
                    stored.map_or(String::new(), |(_, stored)| shown(&value::display(stored)));
                match length {
                    Length::Full => text,
                    Length::Clipped => clip(&text),
                }
            }));
            rows.push(row);
        }
        if fits(indent, &rows) {
            table(indent, &rows);
        } else {
            stacked(indent, &rows);
        }
    }
}

/// Whether a table of the rows fits into lines of the terminal without breaking cells.
pub(crate) fn fits(indent: &str, rows: &[Vec<String>]) -> bool {
    let widths = widths(rows);
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1) + indent.len() <= width()
}

/// Prints rows below each other, with a line for each attribute, so that identifiers and times are
/// not broken.
fn stacked(indent: &str, rows: &[Vec<String>]) {
    let Some((heading, rows)) = rows.split_first() else {
        return;
    };
    let kind = heading.first().map_or("", String::as_str);
    let names: Vec<&String> = heading.iter().skip(1).collect();
    let widest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    for row in rows {
        line(&format!("{indent}{FAINT}{kind}{FAINT:#}"));
        for (name, cell) in names
            .iter()
            .zip(row.iter().skip(1))
            .filter(|(_, cell)| !cell.is_empty())
        {
            let columns = width()
                .saturating_sub(indent.len() + widest + 4)
                .max(COLUMN_CHARS_MIN);
            for (at, piece) in broken(cell, columns).iter().enumerate() {
                let name = if at == 0 { name.as_str() } else { "" };
                line(&format!(
                    "{indent}  {FAINT}{name:widest$}{FAINT:#}  {piece}"
                ));
            }
        }
    }
}

/// The characters of each column's widest cell.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |at: usize| {
        rows.iter()
            .filter_map(|row| row.get(at))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    (0..columns).map(widest).collect()
}

/// Prints rows as aligned columns; the first row is the heading.
pub(crate) fn table(indent: &str, rows: &[Vec<String>]) {
    let widths = fitted(widths(rows), width().saturating_sub(indent.len()));
    for (place, row) in rows.iter().enumerate() {
        let cells: Vec<Vec<String>> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| broken(cell, *width))
            .collect();
        for at in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let pieces = cells.iter().zip(&widths).map(|(cell, width)| {
                let piece = cell.get(at).map_or("", String::as_str);
                // A format takes no width above 65,535.
                let missing = width.saturating_sub(piece.chars().count());
                format!("{piece}{}", " ".repeat(missing))
            });
            let text = pieces.collect::<Vec<_>>().join("  ");
            let text = text.trim_end();
            if place == 0 {
                line(&format!("{indent}{FAINT}{text}{FAINT:#}"));
            } else {
                line(&format!("{indent}{text}"));
            }
        }
    }
}

/// Reduces the widths of columns until they fit into a line, the widest first.
fn fitted(mut widths: Vec<usize>, limit: usize) -> Vec<usize> {
    let between = 2 * widths.len().saturating_sub(1);
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + between;
    while total(&widths) > limit {
        let over = total(&widths) - limit;
        let mut sorted = widths.clone();
        sorted.sort_unstable_by(|one, two| two.cmp(one));
        let (most, second) = (
            sorted.first().copied().unwrap_or(0),
            sorted.get(1).copied().unwrap_or(0),
        );
        if most <= COLUMN_CHARS_MIN {
            break;
        }
        // Down to the second width, or as far as needed.
        let least = most
            .saturating_sub(over)
            .max(second.min(most - 1))
            .max(COLUMN_CHARS_MIN);
        if let Some(width) = widths.iter_mut().find(|width| **width == most) {
            *width = least;
        }
    }
    widths
}

/// A key as text.
pub(crate) fn key(key: &Item) -> String {
    let each = key.iter().map(|(name, held)| {
        let text = value::display(held);
        // A blank at an end may be the fault that is looked for.
        let is_quoted =
            matches!(held, Value::S(_)) && (text.is_empty() || text.contains([' ', '"']));
        let text = if is_quoted { quoted(&text) } else { text };
        format!("{name}={}", shown(&text))
    });
    each.collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// As [`counted`], of what machines with small addresses count, too.
pub(crate) fn counted_u64(count: u64, noun: &str) -> String {
    counted(usize::try_from(count).unwrap_or(usize::MAX), noun)
}

/// `1 item`, `2 items`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}
