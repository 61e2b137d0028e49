//! Pieces of Terraform's language: texts, assignments and blocks.

use std::fmt::Write as _;

/// A text as Terraform's language writes it. Names of tables, indexes and attributes and the
/// texts of tags need no escapes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{text}\"")
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
