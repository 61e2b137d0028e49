//! Templates for the keys of an entity.

use super::attributes::Attributes;
use super::definition::KeyColumn;
use super::form::Form;
use super::made::last_word;
use super::shape::{self, Piece};
use crate::texts::texts_of;
use keyfold_model::in_braces;
use keyfold_types::{Item, KeyKind};

/// The template of a key attribute. The attribute itself is the template if it is no text, or if
/// its texts are not understood.
pub(super) fn template(
    column: &KeyColumn,
    shape: &[Piece],
    items: &[&Item],
    attributes: &mut Attributes,
) -> String {
    let (name, kind) = column;
    let found = match (kind, shape) {
        (KeyKind::N | KeyKind::B, _) => None,
        (KeyKind::S, [Piece::Open]) => copied(name, items, attributes),
        (KeyKind::S, pieces) => composed(name, pieces, items, attributes),
    };
    found.unwrap_or_else(|| {
        attributes.add_column(column, items);
        in_braces(name)
    })
}

/// The template of a key attribute that always has the value of another attribute, which the items
/// may have in another key only.
fn copied(column: &str, items: &[&Item], attributes: &mut Attributes) -> Option<String> {
    let texts = texts_of(items, column).filter(|texts| !texts.is_empty())?;
    match attributes.giving(&texts) {
        Some((name, Form::Plain)) => Some(format!("\"{{{name}}}\"")),
        Some((name, Form::Padded(width))) => Some(format!("\"{{{name}:0{width}}}\"")),
        Some((_, Form::Day)) => None,
        None => Some(format!("\"{}\"", attributes.made_of(&texts)?)),
    }
}

/// The template of a key attribute whose texts have this shape.
fn composed(
    column: &str,
    shape: &[Piece],
    items: &[&Item],
    attributes: &mut Attributes,
) -> Option<String> {
    let texts = texts_of(items, column)?;
    let each: Vec<(Vec<&str>, &Item)> = texts
        .into_iter()
        .map(|(text, item)| Some((shape::values(text, shape)?, item)))
        .collect::<Option<_>>()?;
    let mut text = String::new();
    let (mut at, mut word) = (0, "");
    for piece in shape {
        match piece {
            Piece::Fixed(fixed) => {
                text.push_str(fixed);
                // `ORDER#` is before both fields of `ORDER#{date}#{id}`.
                word = Some(last_word(fixed))
                    .filter(|word| !word.is_empty())
                    .unwrap_or(word);
            }
            Piece::Open => {
                let pieces: Vec<(&str, &Item)> = each
                    .iter()
                    .filter_map(|(values, item)| Some((values.get(at).copied()?, *item)))
                    .collect();
                text.push_str(&field(&pieces, word, attributes));
                at += 1;
            }
        }
    }
    Some(format!("\"{text}\""))
}

/// The field for an open piece: an attribute that always has its value, or a new one that is named
/// for the last word before it.
fn field(pieces: &[(&str, &Item)], word: &str, attributes: &mut Attributes) -> String {
    match attributes.giving(pieces) {
        Some((name, Form::Plain)) => format!("{{{name}}}"),
        Some((name, Form::Padded(width))) => format!("{{{name}:0{width}}}"),
        Some((name, Form::Day)) => format!("{{{}}}", attributes.add_day(&name)),
        None => attributes.add_made(pieces, word),
    }
}
