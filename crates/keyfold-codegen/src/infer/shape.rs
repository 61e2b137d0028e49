//! Key texts taken apart: fixed pieces, and pieces that are values of attributes.

use super::TableDefinition;
use keyfold_model::{Precision, Type};
use keyfold_types::{Item, Value};

/// Characters that stand between the pieces of a key, the most usual first. A key has one of them:
/// others are part of values, like the colons of a time.
const DELIMITERS: [char; 4] = ['#', '|', ':', '/'];

/// A piece of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Piece {
    /// The same in every key of the kind, delimiters included.
    Fixed(String),
    /// Some value.
    Open,
}

/// The texts that an item has besides its keys and its mark.
pub(crate) fn values_of<'i>(
    item: &'i Item,
    mark: Option<&str>,
    table: &TableDefinition,
) -> Vec<&'i str> {
    let is_key =
        |name: &str| table.key.iter().any(|(key, _)| key == name) || super::is_key_name(name);
    let texts = item
        .iter()
        .filter(|(name, _)| !is_key(name) && Some(name.as_str()) != mark);
    texts
        .filter_map(|(_, held)| match held {
            Value::S(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// The pieces of a key's text. A word in mixed letters that is a value of the item is none of the
/// key's own.
pub(crate) fn pieces(text: &str, values: &[&str]) -> Vec<Piece> {
    // A time has colons, but no pieces.
    let times = [
        Precision::Millis,
        Precision::Seconds,
        Precision::Micros,
        Precision::Nanos,
    ]
    .map(Type::Time);
    if times
        .iter()
        .any(|kind| keyfold_model::value::parse("", kind, text).is_ok())
    {
        return vec![Piece::Open];
    }
    let mut found = Vec::new();
    for (word, delimiter) in split(text) {
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
        _ if text.is_empty() => {}
        _ => found.push(Piece::Fixed(text.to_owned())),
    }
}

/// The words of a text with the delimiter behind each. A text like `race-17` has its only delimiter
/// behind its first word.
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

/// The values of the open pieces in a text of this shape.
pub(crate) fn values<'t>(text: &'t str, shape: &[Piece]) -> Option<Vec<&'t str>> {
    let mut rest = text;
    let mut found = Vec::new();
    for (at, piece) in shape.iter().enumerate() {
        match piece {
            Piece::Fixed(fixed) => rest = rest.strip_prefix(fixed.as_str())?,
            Piece::Open => {
                let end = match shape.get(at + 1) {
                    Some(Piece::Fixed(next)) => rest.find(next.as_str())?,
                    _ => rest.len(),
                };
                found.push(rest.get(..end)?);
                rest = rest.get(end..)?;
            }
        }
    }
    rest.is_empty().then_some(found)
}

/// How an attribute's value is written in a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Written {
    /// As it is.
    Plain,
    /// Padded with zeros to so many digits.
    Padded(usize),
    /// Its first ten characters: a day.
    Day,
}

/// The attribute that gives a piece in every item, and how it is written. Where several do, a note
/// says so.
pub(crate) fn attribute_of(
    pieces: &[(&str, &Item)],
    names: &[String],
    notes: &mut Vec<String>,
) -> Option<(String, Written)> {
    let width = pieces.first().map_or(0, |(piece, _)| piece.len());
    let same_width = pieces.iter().all(|(piece, _)| piece.len() == width);
    let fits = |name: &&String| {
        let each = pieces
            .iter()
            .map(|(piece, item)| item.get(name).and_then(|value| written(piece, value)));
        let all: Vec<Written> = each.collect::<Option<_>>()?;
        let first = all.first()?.clone();
        if all.iter().all(|one| *one == first) {
            return Some(((*name).clone(), first));
        }
        // A number that fills its digits looks as if it were not padded.
        let padded = all
            .iter()
            .all(|one| matches!(one, Written::Padded(_) | Written::Plain));
        let is_number = pieces
            .iter()
            .all(|(_, item)| matches!(item.get(name), Some(Value::N(_))));
        (padded && is_number && same_width).then(|| ((*name).clone(), Written::Padded(width)))
    };
    let mut all = names.iter().filter_map(|name| fits(&name));
    let found = all.next()?;
    let others: Vec<String> = all.map(|(name, _)| format!("`{name}`")).collect();
    let note = format!(
        "the keys' `{}` could also be {}",
        found.0,
        others.join(" or ")
    );
    if !others.is_empty() && !notes.contains(&note) {
        notes.push(note);
    }
    Some(found)
}

fn written(piece: &str, value: &Value) -> Option<Written> {
    match value {
        Value::S(text) if text == piece => Some(Written::Plain),
        Value::S(text) if piece.len() == 10 && text.len() > 10 && text.starts_with(piece) => {
            Some(Written::Day)
        }
        Value::N(number) => {
            let text = number.to_string();
            if text == piece {
                return Some(Written::Plain);
            }
            let is_padded = piece.len() > text.len()
                && piece.bytes().all(|byte| byte.is_ascii_digit())
                && piece.trim_start_matches('0') == text;
            is_padded.then_some(Written::Padded(piece.len()))
        }
        Value::Bool(truth) if truth.to_string() == piece => Some(Written::Plain),
        _ => None,
    }
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
