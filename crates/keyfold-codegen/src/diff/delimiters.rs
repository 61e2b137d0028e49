//! Differences of the characters that separate the parts of a table's keys.
//!
//! No value in a key may contain one, and `:escape` encodes them. All entities of a table share
//! them: a new one also concerns entities that did not change.

use super::change::{Change, Changes, Migration};
use keyfold_model::{Entity, Format, Model, Part, Table, Type};

/// Compares the delimiters of a table, and reports the texts in its keys that are affected.
pub(super) fn delimiters(
    (old_model, old): (&Model, &Table),
    (new_model, new): (&Model, &Table),
    all: &mut Vec<Change>,
) {
    let (added, removed) = (missing_in(old, new), missing_in(new, old));
    let mut changes = Changes::of(format!("table {}", new.name), all);
    if !added.is_empty() {
        let texts = texts_in_keys(old_model, old);
        if !texts.plain.is_empty() {
            changes.add(
                format!("{added} separates the parts of keys now"),
                Migration::Rewrite,
                format!(
                    "items with it in {} can no longer be read or written: give them other values, or write another sign",
                    texts.plain.join(", ")
                ),
            );
        }
        if !texts.escaped.is_empty() {
            changes.add(
                format!("{added} is escaped in keys now"),
                Migration::Rewrite,
                move_items(&texts.escaped),
            );
        }
    }
    let texts = texts_in_keys(new_model, new);
    if !removed.is_empty() && !texts.escaped.is_empty() {
        changes.add(
            format!("{removed} is no longer escaped in keys"),
            Migration::Rewrite,
            move_items(&texts.escaped),
        );
    }
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

/// The texts that the keys of a table contain, in the order of their names.
#[derive(Default)]
struct TextsInKeys {
    /// Those whose value stands in the key.
    plain: Vec<String>,
    /// Those that are escaped in the key.
    escaped: Vec<String>,
}

fn texts_in_keys(model: &Model, table: &Table) -> TextsInKeys {
    let is_of_table = |entity: &&Entity| {
        model
            .tables
            .get(entity.table)
            .is_some_and(|own| own.name == table.name)
    };
    let mut texts = TextsInKeys::default();
    for entity in model.entities.iter().filter(is_of_table) {
        collect(entity, &mut texts);
    }
    for names in [&mut texts.plain, &mut texts.escaped] {
        names.sort();
        names.dedup();
    }
    texts
}

fn collect(entity: &Entity, texts: &mut TextsInKeys) {
    let keys = std::iter::once(&entity.key)
        .chain(entity.indexes.iter().map(|index| &index.key))
        .chain(entity.copies.iter().map(|copy| &copy.key));
    let parts = keys
        .flat_map(|key| std::iter::once(&key.partition).chain(&key.sort))
        .flat_map(|template| &template.parts);
    for part in parts {
        let Part::Field {
            name,
            kind: Type::String,
            format,
        } = part
        else {
            continue;
        };
        let text = format!("{}.{name}", entity.name);
        match format {
            Format::Plain | Format::Lower => texts.plain.push(text),
            Format::Escaped => texts.escaped.push(text),
            // The text does not stand in the key, or it is all of the key.
            Format::Hash
            | Format::Bare
            | Format::Padded { .. }
            | Format::Truncated(_)
            | Format::Reversed => {}
        }
    }
    // Guards escape unique texts.
    let is_text = |name: &&String| {
        entity
            .attribute(name)
            .is_some_and(|attribute| attribute.kind == Type::String)
    };
    let guarded = entity.uniques.iter().flatten().filter(is_text);
    let guarded = guarded.map(|name| format!("{}.{name} (unique)", entity.name));
    texts.escaped.extend(guarded);
}
