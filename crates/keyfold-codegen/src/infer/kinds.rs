//! The items of a table by kind.

use super::definition::TableDefinition;
pub(super) use super::kind::{Kind, KindKey};
use super::majority;
use super::names::identifier;
use super::regroup;
use super::shape::{self, Piece, Shape};
use super::source::Source;
use crate::texts::text_of;
use keyfold_types::Item;
use std::collections::BTreeMap;

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

/// The attribute that names each item's kind: one with a usual name, and with a text on every item,
/// or on those that are not from before it was there.
pub(super) fn type_attribute(table: &TableDefinition, items: &[Item]) -> Option<&'static str> {
    let names = || {
        let names = TYPE_ATTRIBUTES.into_iter();
        names.filter(|name| !table.is_any_key(name) && !items.is_empty())
    };
    let has_all = |name: &&str| items.iter().all(|item| word_of(item, name).is_some());
    let mut named = names().filter(has_all);
    named
        .next()
        .or_else(|| names().find(|name| names_most(table, items, name)))
}

/// The name of a kind in an attribute.
pub(super) fn word_of<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    text_of(item, name).filter(|text| text.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Whether an attribute that some items lack names the kinds of the others: nearly all have it, or
/// most, and items with keys of one shape say one kind.
fn names_most(table: &TableDefinition, items: &[Item], name: &'static str) -> bool {
    let with: Vec<&Item> = items
        .iter()
        .filter(|item| word_of(item, name).is_some())
        .collect();
    if majority::are_few(items.len() - with.len(), items.len()) {
        return true;
    }
    let source = Source {
        table,
        kind_attribute: Some(name),
        is_declared: true,
    };
    let mut known: BTreeMap<Vec<Shape>, &str> = BTreeMap::new();
    let says_one = with.iter().all(|item| {
        let word = text_of(item, name).unwrap_or_default();
        *known.entry(shapes_of(source, item)).or_insert(word) == word
    });
    2 * with.len() >= items.len()
        && says_one
        && known
            .values()
            .any(|word| Some(word) != known.values().next())
}

/// The shape of each attribute of an item's key.
fn shapes_of(source: Source<'_>, item: &Item) -> Vec<Shape> {
    let values = shape::values_of(item, source);
    let key = source.table.key.iter();
    let shapes = key.map(|(name, _)| match text_of(item, name) {
        Some(text) => shape::pieces(text, &values),
        None => vec![Piece::Open],
    });
    shapes.collect()
}

/// Groups items by the value of their type attribute, and by the shape of their keys.
pub(super) fn by_kind<'i>(source: Source<'_>, items: &'i [Item]) -> Vec<Kind<'i>> {
    let mut groups: BTreeMap<KindKey, Vec<&Item>> = BTreeMap::new();
    for item in items {
        let name = source.kind_attribute.and_then(|name| word_of(item, name));
        let key = (name.map(str::to_owned), shapes_of(source, item));
        groups.entry(key).or_default().push(item);
    }
    let mut kinds = as_kinds(groups);
    regroup::join_unnamed(&mut kinds);
    regroup::merge_words(source, &mut kinds);
    regroup::fix_constants(source, &mut kinds);
    regroup::keep_whole(source, &mut kinds);
    let mut groups: BTreeMap<KindKey, Vec<&Item>> = BTreeMap::new();
    for kind in kinds {
        let items = groups.entry((kind.name, kind.shapes)).or_default();
        items.extend(kind.items);
    }
    as_kinds(groups)
}

fn as_kinds(groups: BTreeMap<KindKey, Vec<&Item>>) -> Vec<Kind<'_>> {
    let kinds = groups.into_iter().map(|((name, shapes), items)| Kind {
        name,
        shapes,
        items,
    });
    kinds.collect()
}

/// Whether each kind's name is one that an entity can have, which no other kind has, and which
/// nearly all of its items say.
pub(super) fn are_names(source: Source<'_>, kinds: &[Kind<'_>], taken: &[String]) -> bool {
    let mut known: Vec<&str> = taken.iter().map(String::as_str).collect();
    let says = |item: &&&Item| {
        let name = source.kind_attribute;
        name.is_some_and(|name| word_of(item, name).is_some())
    };
    kinds.iter().all(|kind| {
        let Some(name) = kind.name.as_deref() else {
            return false;
        };
        let without = kind.items.len() - kind.items.iter().filter(says).count();
        let is_free = identifier(name) == name && !known.contains(&name);
        known.push(name);
        is_free && majority::are_few(without, kind.items.len())
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
