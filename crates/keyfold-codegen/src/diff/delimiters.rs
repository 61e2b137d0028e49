//! Differences of the characters that separate the parts of keys.
//!
//! A text in a key must not contain those that its entity excludes, and `:escape` encodes those of
//! the whole table: a new one also concerns entities that did not change.

use super::change::{Change, Changes, Migration, Place};
use keyfold_model::schema::{KeyPair, Unique};
use keyfold_model::{Entity, Format, Model, Part, Table, Type};
use std::collections::BTreeMap;

/// Compares what texts in the keys of a table exclude and how they are escaped.
pub(super) fn delimiters(
    (old_model, old): (&Model, &Table),
    (new_model, new): (&Model, &Table),
    all: &mut Vec<Change>,
) {
    let mut changes = Changes::of(format!("table {}", new.name), Place::New(new.span), all);
    for (signs, texts) in newly_excluded((old_model, old), (new_model, new)) {
        changes.add(
            format!("{signs} must not be in {} now", texts.join(", ")),
            Migration::Rewrite,
            "items with it can no longer be read or written: give them other values, or write another sign"
                .to_owned(),
        );
    }
    let (added, removed) = (missing_in(old, new), missing_in(new, old));
    let escaped = escaped_texts(old_model, old);
    if !added.is_empty() && !escaped.is_empty() {
        changes.add(
            format!("{added} is escaped in keys now"),
            Migration::Rewrite,
            move_items(&escaped),
        );
    }
    let escaped = escaped_texts(new_model, new);
    if !removed.is_empty() && !escaped.is_empty() {
        changes.add(
            format!("{removed} is no longer escaped in keys"),
            Migration::Rewrite,
            move_items(&escaped),
        );
    }
}

/// The texts of a table that exclude characters which they did not exclude before, by those
/// characters in words.
fn newly_excluded(
    (old_model, old): (&Model, &Table),
    (new_model, new): (&Model, &Table),
) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entity in entities_of(new_model, new) {
        let Some(before) = entities_of(old_model, old).find(|one| one.name == entity.name) else {
            continue;
        };
        for attribute in &before.attributes {
            let excludes = |entity: &Entity, sign: char| {
                let mut all = entity.excluded.iter();
                all.any(|one| one.attribute == attribute.name && one.character == sign)
            };
            let mut signs: Vec<String> = entity
                .excluded
                .iter()
                .filter(|one| one.attribute == attribute.name && !excludes(before, one.character))
                .map(|one| format!("`{}`", one.character))
                .collect();
            signs.dedup();
            if !signs.is_empty() {
                let texts = found.entry(signs.join(", ")).or_default();
                texts.push(format!("{}.{}", entity.name, attribute.name));
            }
        }
    }
    found
}

/// The entities of a table, by its name.
fn entities_of<'m>(model: &'m Model, table: &'m Table) -> impl Iterator<Item = &'m Entity> {
    model.entities.iter().filter(|entity| {
        let own = model.tables.get(entity.table);
        own.is_some_and(|own| own.name == table.name)
    })
}

/// The delimiters of the second table that the first lacks, in words; empty if there are none.
fn missing_in(one: &Table, two: &Table) -> String {
    two.delimiters
        .iter()
        .filter(|sign| !one.delimiters.contains(sign))
        .map(|sign| format!("`{sign}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn move_items(texts: &[String]) -> String {
    format!(
        "put items with it in {} under their new keys, and delete the old ones",
        texts.join(", ")
    )
}

/// The texts that are escaped in the keys of a table, in the order of their names.
fn escaped_texts(model: &Model, table: &Table) -> Vec<String> {
    let mut texts: Vec<String> = entities_of(model, table).flat_map(escaped_of).collect();
    texts.sort();
    texts.dedup();
    texts
}

fn escaped_of(entity: &Entity) -> Vec<String> {
    let parts = entity
        .keys()
        .flat_map(KeyPair::templates)
        .flat_map(|template| &template.parts);
    let mut texts: Vec<String> = parts
        .filter_map(|part| match part {
            Part::Field {
                name,
                format: Format::Escaped,
                ..
            } => Some(format!("{}.{name}", entity.name)),
            Part::Field { .. } | Part::Text(_) | Part::Shard { .. } | Part::Chunk | Part::Break => {
                None
            }
        })
        .collect();
    // Guards escape unique texts.
    let is_text = |name: &&str| {
        let attribute = entity.attribute(name);
        attribute.is_some_and(|attribute| attribute.kind == Type::String)
    };
    let guarded = entity
        .uniques
        .iter()
        .flat_map(Unique::attributes)
        .filter(is_text);
    texts.extend(guarded.map(|name| format!("{}.{name} (unique)", entity.name)));
    texts
}
