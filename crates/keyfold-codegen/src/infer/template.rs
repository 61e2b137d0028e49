//! Templates for the keys of an entity.

use super::attributes::Attributes;
use super::definition::{IndexDefinition, KeyColumn};
use super::form::Form;
use super::made::last_word;
use super::majority;
use super::names::{is_key_name, title};
use super::regroup;
use super::shape::{self, Piece, Shape};
use super::source::Source;
use crate::texts::{text_of, texts_of};
use keyfold_model::in_braces;
use keyfold_types::{Item, KeyKind};
use std::collections::BTreeMap;

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

/// The template of a key attribute that always has the value of another attribute.
fn copied(column: &str, items: &[&Item], attributes: &mut Attributes) -> Option<String> {
    let texts = texts_of(items, column).filter(|texts| !texts.is_empty())?;
    match attributes.giving(&texts)? {
        (name, Form::Plain) => Some(format!("\"{{{name}}}\"")),
        (name, Form::Padded(width)) => Some(format!("\"{{{name}:0{width}}}\"")),
        (_, Form::Day) => None,
    }
}

/// The word that is a key attribute of an index in all items.
fn constant(column: &str, items: &[&Item], attributes: &mut Attributes) -> Option<Shape> {
    let texts = texts_of(items, column)?;
    let (first, _) = *texts.first()?;
    let is_one = texts.iter().all(|(text, _)| *text == first);
    let is_constant = is_one && regroup::is_constant(first, items.len());
    (is_constant && attributes.giving(&texts).is_none())
        .then(|| vec![Piece::Fixed(first.to_owned())])
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

/// The line of an entity's key in an index, if it needs one: with templates if all items are in the
/// index. If only some are, the key attributes become optional attributes of the entity.
pub(super) fn index_line(
    source: Source<'_>,
    index: &IndexDefinition,
    items: &[&Item],
    attributes: &mut Attributes,
) -> Option<String> {
    let own = index
        .columns()
        .filter(|(name, _)| !source.table.is_key(name));
    let columns: Vec<&KeyColumn> = own.collect();
    let unknown = columns.iter().filter(|(name, _)| !attributes.has(name));
    let unknown: Vec<&KeyColumn> = unknown.copied().collect();
    let is_held = |(name, _): &&KeyColumn| items.iter().any(|item| item.get(name).is_some());
    // The entity has them from another index, or as attributes of its own.
    if unknown.is_empty() || !columns.iter().any(is_held) {
        return None;
    }
    let has_all = |item: &&Item| columns.iter().all(|(name, _)| item.get(name).is_some());
    let is_from_another = |(name, _): &&KeyColumn| {
        attributes.has(name) && (is_key_name(name) || attributes.is_optional(name))
    };
    let (within, outside): (Vec<&Item>, Vec<&Item>) = items.iter().copied().partition(has_all);
    if columns.iter().any(is_from_another) || !majority::are_few(outside.len(), items.len()) {
        for column in unknown.into_iter().filter(is_held) {
            attributes.add_optional_column(column);
        }
        return None;
    }
    let mut regular = within.clone();
    let mut shapes = Vec::new();
    for (name, _) in &columns {
        let shape = common_shape(source, name, &within);
        shapes.push(if shape == [Piece::Open] {
            let constant = constant(name, &within, attributes);
            constant.filter(|_| !attributes.has(name)).unwrap_or(shape)
        } else {
            regular.retain(|item| has_shape(item, name, &shape));
            shape
        });
    }
    let is_odd = |item: &&&Item| !regular.iter().any(|one| std::ptr::eq(*one, **item));
    let odd: Vec<&Item> = within.iter().filter(is_odd).copied().collect();
    for (some, what) in [(&outside, "no key"), (&odd, "another key")] {
        let what = format!("{what} in {}", index.name);
        let comment = majority::comment(source.table, (some, items.len()), &what);
        attributes.notes.extend(comment);
    }
    let templates = columns.iter().zip(&shapes).map(|(column, shape)| {
        if attributes.has(&column.0) {
            in_braces(&column.0)
        } else {
            template(column, shape, &regular, attributes)
        }
    });
    let templates: Vec<String> = templates.collect();
    // Attributes that are the key themselves need no line.
    let are_bare = templates.iter().all(|template| template.starts_with('{'));
    (!are_bare).then(|| format!("  {} {}", title(&index.name), templates.join(" ")))
}

/// The shape that an attribute has in nearly every item; an open piece if they differ.
fn common_shape(source: Source<'_>, name: &str, items: &[&Item]) -> Shape {
    // An index may have the type attribute in its key.
    let source = Source {
        kind_attribute: None,
        ..source
    };
    let texts = texts_of(items, name).unwrap_or_default();
    let mut counts: BTreeMap<Shape, usize> = BTreeMap::new();
    for (text, item) in &texts {
        let values = shape::values_of(item, source);
        let mut shape = shape::pieces(text, &values);
        if regroup::is_hyphened(&shape) && values.contains(text) {
            shape = vec![Piece::Open];
        }
        *counts.entry(shape).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.filter(|(_, count)| majority::are_few(texts.len() - count, texts.len()))
        .map_or_else(|| vec![Piece::Open], |(shape, _)| shape)
}

/// Whether an item's text in a key attribute has a shape.
fn has_shape(item: &Item, name: &str, shape: &[Piece]) -> bool {
    text_of(item, name).is_some_and(|text| shape::values(text, shape).is_some())
}
