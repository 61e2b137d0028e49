//! The items of a table by kind.

use super::definition::TableDefinition;
use super::names::identifier;
use super::shape::{self, Piece, Shape};
use super::source::Source;
use crate::texts::text_of;
use keyfold_types::Item;
use std::collections::BTreeMap;

/// Items that become one entity.
pub(super) struct Kind<'i> {
    /// The value of their type attribute.
    pub(super) name: Option<String>,
    /// The shape of each attribute of their key.
    pub(super) shapes: Vec<Shape>,
    /// The items.
    pub(super) items: Vec<&'i Item>,
}

/// What tells a kind from the others: its name and the shapes of its keys.
pub(super) type KindKey = (Option<String>, Vec<Shape>);

/// Usual names of the attribute that names each item's kind.
const TYPE_ATTRIBUTES: [&str; 10] = [
    "entity",
    "type",
    "Type",
    "_type",
    "entityType",
    "EntityType",
    "__typename",
    "kind",
    "_et",
    "itemType",
];

/// The attribute that names each item's kind: one with a usual name, and with a text on every item.
pub(super) fn type_attribute(table: &TableDefinition, items: &[Item]) -> Option<&'static str> {
    let is_word = |item: &Item, name: &str| {
        text_of(item, name).is_some_and(|text| text.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    TYPE_ATTRIBUTES.into_iter().find(|name| {
        !table.is_any_key(name) && !items.is_empty() && items.iter().all(|item| is_word(item, name))
    })
}

/// Groups items by the value of their type attribute, and by the shape of their keys.
pub(super) fn by_kind<'i>(source: Source<'_>, items: &'i [Item]) -> Vec<Kind<'i>> {
    let mut groups: BTreeMap<(Option<String>, Vec<Shape>), Vec<&Item>> = BTreeMap::new();
    for item in items {
        let name = source.kind_attribute.and_then(|name| text_of(item, name));
        let values = shape::values_of(item, source);
        let key = source.table.key.iter();
        let shapes = key.map(|(name, _)| match text_of(item, name) {
            Some(text) => shape::pieces(text, &values),
            None => vec![Piece::Open],
        });
        groups
            .entry((name.map(str::to_owned), shapes.collect()))
            .or_default()
            .push(item);
    }
    groups
        .into_iter()
        .map(|((name, shapes), items)| Kind {
            name,
            shapes,
            items,
        })
        .collect()
}

/// Whether each kind's name is one that an entity can have, which no other kind has.
pub(super) fn are_names(kinds: &[Kind<'_>], taken: &[String]) -> bool {
    let mut known: Vec<&str> = taken.iter().map(String::as_str).collect();
    kinds.iter().all(|kind| {
        let Some(name) = kind.name.as_deref() else {
            return true;
        };
        let is_free = identifier(name) == name && !known.contains(&name);
        known.push(name);
        is_free
    })
}

/// Takes all items as one kind, with the key attributes as they are.
pub(super) fn as_one<'i>(table: &TableDefinition, items: &'i [Item]) -> Vec<Kind<'i>> {
    vec![Kind {
        name: None,
        shapes: table.key.iter().map(|_| vec![Piece::Open]).collect(),
        items: items.iter().collect(),
    }]
}
