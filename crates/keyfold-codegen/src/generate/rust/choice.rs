//! The enums of words.

use super::print::{Printer, literal};
use crate::generate::form::Choice;
use crate::generate::names::{Names, pascal};
use keyfold_model::written;

/// An enumeration, with the texts of its words.
pub(super) fn print(choice: &Choice, out: &mut Printer) {
    let Choice {
        type_name,
        of: (owner, attribute),
        words,
    } = choice;
    let mut names = Names::without(&["Self"]).spelled(Some(super::names::type_name));
    let variants: Vec<String> = words.iter().map(|word| names.take(pascal(word))).collect();
    out.gap();
    out.doc(
        0,
        &[format!("The words of `{owner}.{}`.", written(attribute))],
    );
    out.line(
        0,
        "#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]",
    );
    if are_alike(type_name, &variants) {
        out.line(0, "#[allow(clippy::enum_variant_names)]");
    }
    out.line(0, &format!("pub enum {type_name} {{"));
    for (word, variant) in words.iter().zip(&variants) {
        out.doc(1, &[format!("The word `{word}`.")]);
        out.line(1, &format!("{variant},"));
    }
    out.line(0, "}");
    let rows = words.iter().zip(&variants);
    let rows: Vec<String> = rows
        .map(|(word, variant)| format!("{variant} = {},", literal(word)))
        .collect();
    out.gap();
    out.table(&format!("typed::words! {{ {type_name} {{"), &rows, "} }");
}

/// Whether variants have a first or last word in common, which a lint dislikes.
fn are_alike(name: &str, variants: &[String]) -> bool {
    let starts = |one: &String| first_word(one).to_owned();
    let ends = |one: &String| last_word(one).to_owned();
    let same = |words: Vec<String>| words.windows(2).all(|pair| pair.first() == pair.last());
    let named = variants
        .iter()
        .any(|one| one.starts_with(name) || one.ends_with(name));
    let is_many = variants.len() >= 3;
    let is_same =
        same(variants.iter().map(starts).collect()) || same(variants.iter().map(ends).collect());
    named || (is_many && is_same)
}

/// The text up to the second capital letter.
fn first_word(name: &str) -> &str {
    let mut capitals = name
        .char_indices()
        .filter(|(_, c)| c.is_uppercase())
        .skip(1);
    let end = capitals.next().map_or(name.len(), |(at, _)| at);
    name.get(..end).unwrap_or(name)
}

/// The text from the last capital letter on.
fn last_word(name: &str) -> &str {
    let start = name.rfind(char::is_uppercase).unwrap_or(0);
    name.get(start..).unwrap_or(name)
}
