//! The pieces of key texts: fixed texts, and values of attributes.

use super::names::is_key_name;
use super::source::Source;
use crate::texts::text;
use keyfold_model::{Precision, Type};
use keyfold_types::Item;

/// Delimiters between the pieces of a key, the most usual first. A key has one of them: others are
/// part of values, like the colons of a time.
pub(super) const DELIMITERS: [char; 4] = ['#', '|', ':', '/'];

/// The pieces of a key, from left to right.
pub(super) type Shape = Vec<Piece>;

/// A piece of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Piece {
    /// The same in every key of the kind, delimiters included.
    Fixed(String),
    /// The value of an attribute.
    Open,
}

/// The texts that an item has besides its keys and its type attribute.
pub(super) fn values_of<'i>(item: &'i Item, source: Source<'_>) -> Vec<&'i str> {
    let is_own = |name: &str| {
        !source.table.is_key(name) && !is_key_name(name) && Some(name) != source.kind_attribute
    };
    let own = item.iter().filter(|(name, _)| is_own(name));
    own.filter_map(|(_, value)| text(value)).collect()
}

/// Splits a key's text into pieces. A word of letters is fixed if it is in capitals, or if a
/// delimiter follows and it is no value of the item.
pub(super) fn pieces(key: &str, values: &[&str]) -> Shape {
    // The colons of a time are no delimiters.
    let times = [
        Precision::Millis,
        Precision::Seconds,
        Precision::Micros,
        Precision::Nanos,
    ]
    .map(Type::Time);
    if times
        .iter()
        .any(|kind| keyfold_model::value::parse("", kind, key).is_ok())
    {
        return vec![Piece::Open];
    }
    let mut found = Vec::new();
    for (word, delimiter) in split(key) {
        let is_name = !word.is_empty()
            && word.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
            && (word.chars().all(|c| !c.is_ascii_lowercase())
                || (delimiter.is_some() && !values.contains(&word)));
        if is_name || word.is_empty() {
            push_fixed(&mut found, word);
        } else {
            found.push(Piece::Open);
        }
        delimiter
            .iter()
            .for_each(|delimiter| push_fixed(&mut found, delimiter));
    }
    found
}

fn push_fixed(found: &mut Vec<Piece>, text: &str) {
    match found.last_mut() {
        Some(Piece::Fixed(before)) => before.push_str(text),
        Some(Piece::Open) | None if text.is_empty() => {}
        Some(Piece::Open) | None => found.push(Piece::Fixed(text.to_owned())),
    }
}

/// The words of a text, each with the delimiter behind it. A text without delimiters is split
/// behind its first word if a hyphen follows, like `race-17`.
fn split(text: &str) -> Vec<(&str, Option<&str>)> {
    let mut words = Vec::new();
    let mut start = 0;
    let delimiter = DELIMITERS
        .into_iter()
        .find(|delimiter| text.contains(*delimiter));
    for (at, c) in text.char_indices().filter(|(_, c)| Some(*c) == delimiter) {
        let end = at + c.len_utf8();
        words.push((text.get(start..at).unwrap_or_default(), text.get(at..end)));
        start = end;
    }
    if words.is_empty()
        && let Some((word, rest)) = text.split_once('-')
        && !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphabetic())
        && !rest.is_empty()
    {
        return vec![(word, text.get(word.len()..word.len() + 1)), (rest, None)];
    }
    words.push((text.get(start..).unwrap_or_default(), None));
    words
}

/// The values of the open pieces in a text of this shape; `None` if the text has another shape.
pub(super) fn values<'t>(text: &'t str, shape: &[Piece]) -> Option<Vec<&'t str>> {
    let mut rest = text;
    let mut found = Vec::new();
    for (at, piece) in shape.iter().enumerate() {
        match piece {
            Piece::Fixed(fixed) => rest = rest.strip_prefix(fixed.as_str())?,
            Piece::Open => {
                let end = match shape.get(at + 1) {
                    Some(Piece::Fixed(next)) => rest.find(next.as_str())?,
                    Some(Piece::Open) | None => rest.len(),
                };
                found.push(rest.get(..end)?);
                rest = rest.get(end..)?;
            }
        }
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_apart_at_their_delimiters() {
        let fixed = |text: &str| Piece::Fixed(text.to_owned());
        assert_eq!(pieces("USER#42", &[]), [fixed("USER#"), Piece::Open]);
        assert_eq!(pieces("PROFILE", &[]), [fixed("PROFILE")]);
        assert_eq!(pieces("race-17", &[]), [fixed("race-"), Piece::Open]);
        assert_eq!(
            pieces("Cust1:Book1:pdf", &[]),
            [
                Piece::Open,
                fixed(":"),
                Piece::Open,
                fixed(":"),
                Piece::Open
            ]
        );
        assert_eq!(
            values("ORDER#2024-01-01#7", &pieces("ORDER#2024-01-01#7", &[])),
            Some(vec!["2024-01-01", "7"])
        );
    }
}
