//! Keys of two versions: whether both make the same text of the same item, and example keys.

use super::pair::Pair;
use crate::check::exact::quote;
use crate::schema::{KeyPair, Type};
use crate::template::{Format, KeyTemplate, Part, language_of, print};

/// Whether the templates of two keys make the same texts of the same items.
pub(super) fn is_same_key(pair: &Pair<'_>, old: &KeyPair, new: &KeyPair) -> bool {
    let (before, after): (Vec<&KeyTemplate>, Vec<&KeyTemplate>) =
        (old.templates().collect(), new.templates().collect());
    before.len() == after.len()
        && before
            .iter()
            .zip(&after)
            .all(|(one, two)| is_same(pair, &one.parts, &two.parts))
}

/// Whether parts of the old and of the new version make the same text of the same item.
pub(super) fn is_same(pair: &Pair<'_>, old: &[Part], new: &[Part]) -> bool {
    let (old, new) = (joined(old), joined(new));
    old.len() == new.len()
        && old
            .iter()
            .zip(&new)
            .all(|(one, two)| is_same_part(pair, one, two))
}

/// The parts with neighbouring texts joined.
fn joined(parts: &[Part]) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    for part in parts {
        match (all.last_mut(), part) {
            (Some(Part::Text(before)), Part::Text(text)) => before.push_str(text),
            (_, part) => all.push(part.clone()),
        }
    }
    all
}

fn is_same_part(pair: &Pair<'_>, old: &Part, new: &Part) -> bool {
    match (old, new) {
        (Part::Text(one), Part::Text(two)) => one == two,
        (
            Part::Field {
                name,
                kind,
                format,
                excluded,
            },
            Part::Field {
                name: new_name,
                kind: new_kind,
                format: new_format,
                excluded: new_excluded,
            },
        ) => {
            let escapes = |all: &[char]| {
                let mut all = all.to_vec();
                all.sort_unstable();
                all.dedup();
                all
            };
            let is_escaped_alike =
                *format != Format::Escaped || escapes(excluded) == escapes(new_excluded);
            name == pair.old_name(new_name)
                && format == new_format
                && is_written_alike(kind, new_kind, *format)
                && is_escaped_alike
        }
        (
            Part::Shard { count, of },
            Part::Shard {
                count: new_count,
                of: new_of,
            },
        ) => count == new_count && is_same(pair, of, new_of),
        (Part::Chunk, Part::Chunk) | (Part::Break, Part::Break) => true,
        (
            Part::Text(_) | Part::Field { .. } | Part::Shard { .. } | Part::Chunk | Part::Break,
            _,
        ) => false,
    }
}

/// Whether a value that is of both types has the same text in a key.
fn is_written_alike(old: &Type, new: &Type, format: Format) -> bool {
    match (old, new) {
        (Type::Time(one), Type::Time(two)) => one == two || matches!(format, Format::Truncated(_)),
        _ => old.key_kind() == new.key_kind(),
    }
}

/// A key in words: its templates.
pub(super) fn key_text(key: &KeyPair) -> String {
    let all: Vec<String> = key.templates().map(|one| print(&one.parts)).collect();
    all.join(" ")
}

/// A short key that templates make.
pub(super) fn example(key: &KeyPair) -> String {
    let all: Vec<String> = key.templates().map(|one| example_of(&one.parts)).collect();
    all.join(" ")
}

/// A short text that parts make, in quotes.
pub(super) fn example_of(parts: &[Part]) -> String {
    let language = language_of(parts);
    quote(&language.common_text(&language).unwrap_or_default())
}

/// The example of a key that became another, and whether no key of the one is a key of the other.
pub(super) fn moved(old: &KeyPair, new: &KeyPair) -> String {
    let is_apart = old.templates().zip(new.templates()).any(|(one, two)| {
        let (one, two) = (one.language(), two.language());
        one.common_text(&two).is_none()
    });
    let (before, after) = (example(old), example(new));
    if is_apart {
        format!(
            "{before} is a key of the old version, {after} of the new one; no key is one of both"
        )
    } else {
        match before == after {
            true => "some values have other texts in the key".to_owned(),
            false => {
                format!("the old version makes keys like {before}, the new one like {after}")
            }
        }
    }
}
