//! Sentences of doc comments.

use super::form::Field;

/// A name with its article: an `Order`.
pub(super) fn one(name: &str) -> String {
    let is_vowel = name.starts_with(|c: char| "AEIOaeio".contains(c));
    let article = if is_vowel { "an" } else { "a" };
    format!("{article} `{name}`")
}

/// What the changes of an entity do, where `removed` removes an attribute: `null`.
pub(super) fn changes(name: &str, fields: &[Field], removed: &str) -> String {
    let start = format!("Changes of {}: what is not named stays as it is", one(name));
    if fields.iter().any(|field| field.optional) {
        return format!("{start}, and `{removed}` removes an optional attribute.");
    }
    format!("{start}.")
}

/// The promise, an empty line, the plans.
pub(super) fn paragraphs(about: &[String]) -> Vec<String> {
    let mut lines = about.to_vec();
    if lines.len() > 1 {
        lines.insert(1, String::new());
    }
    lines
}

/// A sentence in lines of at most so many characters, as far as its words allow.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
