//! Pieces of Terraform's language: texts, assignments and blocks.

use std::fmt::Write as _;

/// A text as Terraform's language writes it. Attributes may have any characters
/// in their names.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for (at, c) in text.char_indices() {
        let opens_template = text.get(at + 1..).is_some_and(|rest| rest.starts_with('{'));
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // `${` and `%{` start an interpolation; the doubled sign is the sign itself.
            '$' | '%' if opens_template => out.extend([c, c]),
            control if control.is_control() => {
                let _infallible = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

/// A block of assignments inside a resource.
pub(crate) fn block(out: &mut String, word: &str, pairs: &[(&str, String)]) {
    let _infallible = write!(out, "\n  {word} {{\n");
    assignments(out, "    ", pairs);
    out.push_str("  }\n");
}

/// Writes assignments, aligned as by Terraform's own formatter.
pub(crate) fn assignments(out: &mut String, indent: &str, pairs: &[(&str, String)]) {
    let width = pairs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in pairs {
        let _infallible = writeln!(out, "{indent}{name:<width$} = {value}");
    }
}
