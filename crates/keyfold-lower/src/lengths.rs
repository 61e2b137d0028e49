//! The lengths of keys. DynamoDB refuses a longer key without a word about where it came from, so
//! it is refused before it is sent.

use crate::error::ClientError;
use keyfold_model::schema::{Column, Entity, IndexKey, KeyPair};
use keyfold_model::value::ValueError;
use keyfold_model::{KeyTemplate, Part, Table};
use keyfold_types::key::key_value_bytes;
use keyfold_types::limits::{PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX};
use keyfold_types::{Item, Value};

/// A part of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPart {
    Partition,
    Sort,
}

impl KeyPart {
    fn most_bytes(self) -> usize {
        match self {
            KeyPart::Partition => PARTITION_KEY_BYTES_MAX,
            KeyPart::Sort => SORT_KEY_BYTES_MAX,
        }
    }

    fn word(self) -> &'static str {
        match self {
            KeyPart::Partition => "partition",
            KeyPart::Sort => "sort",
        }
    }
}

/// Checks one attribute of a key. `of` names the entity or pattern that it is a key of.
///
/// # Errors
/// `Value` when it is too long.
pub(crate) fn check(
    of: impl FnOnce() -> String,
    part: KeyPart,
    (column, parts): (&str, &[Part]),
    held: &Value,
) -> Result<(), ClientError> {
    let bytes = key_value_bytes(held);
    if bytes <= part.most_bytes() {
        return Ok(());
    }
    Err(too_long(
        &of(),
        part,
        (column.to_owned(), fields(parts)),
        bytes,
    ))
}

fn too_long(
    of: &str,
    part: KeyPart,
    (column, mut names): (String, Vec<String>),
    bytes: usize,
) -> ClientError {
    names.dedup();
    ClientError::Value(ValueError::Long {
        of: of.to_owned(),
        name: if names.is_empty() {
            column.clone()
        } else {
            names.join(", ")
        },
        column,
        bytes,
        part: part.word(),
        most: part.most_bytes(),
    })
}

/// The attributes or parameters that parts are made of.
fn fields(parts: &[Part]) -> Vec<String> {
    let name = |part: &Part| match part {
        Part::Field { name, .. } => Some(name.clone()),
        Part::Text(_) | Part::Break | Part::Shard { .. } | Part::Chunk => None,
    };
    parts.iter().filter_map(name).collect()
}

/// Checks the keys of an item in the indexes that it is in. `pair` makes its key in the table, and
/// `indexes` those of its entity in indexes.
///
/// # Errors
/// `Value` when a key is too long.
pub(crate) fn check_indexes(
    table: &Table,
    of: &str,
    own: (&KeyPair, &[IndexKey]),
    item: &Item,
) -> Result<(), ClientError> {
    (0..table.indexes.len()).try_for_each(|at| check_index((table, at), of, own, item))
}

/// Checks the key of an item in the index of a table at a place; an item that is not in it is good.
///
/// # Errors
/// `Value` when the key is too long.
pub fn check_index(
    (table, at): (&Table, usize),
    of: &str,
    (pair, indexes): (&KeyPair, &[IndexKey]),
    item: &Item,
) -> Result<(), ClientError> {
    let Some(index) = table.indexes.get(at) else {
        return Ok(());
    };
    let mut columns = index.columns();
    if !columns.all(|column| item.get(&column.name).is_some()) {
        return Ok(());
    }
    let own = indexes.iter().find(|key| key.index == at);
    let groups = [
        (KeyPart::Partition, &index.partition),
        (KeyPart::Sort, &index.sort),
    ];
    for (part, columns) in groups {
        let bytes = |column: &Column| item.get(&column.name).map_or(0, key_value_bytes);
        let total: usize = columns.iter().map(bytes).sum();
        if total <= part.most_bytes() {
            continue;
        }
        let names: Vec<&str> = columns.iter().map(|one| one.name.as_str()).collect();
        let sources = names.iter().flat_map(|name| {
            let parts =
                parts_of(table, pair, name).or_else(|| parts_in(index.columns(), &own?.key, name));
            parts.map_or_else(|| vec![(*name).to_owned()], fields)
        });
        let column = format!("{} of {}", names.join(" and "), index.name);
        return Err(too_long(of, part, (column, sources.collect()), total));
    }
    Ok(())
}

/// The parts of a template of the table's own key.
fn parts_of<'k>(table: &Table, pair: &'k KeyPair, name: &str) -> Option<&'k [Part]> {
    parts_in(table.columns(), pair, name)
}

fn parts_in<'k, 'c>(
    columns: impl Iterator<Item = &'c Column>,
    pair: &'k KeyPair,
    name: &str,
) -> Option<&'k [Part]> {
    let all = pair.templates().flat_map(KeyTemplate::columns);
    let mut zipped = columns.zip(all);
    let found = zipped.find(|(column, _)| column.name == name);
    found.map(|(_, parts)| parts)
}

/// The name of a guard in messages.
pub(crate) fn guard_name(entity: &Entity, attributes: &str) -> String {
    format!("the guard of {attributes} of {}", entity.name)
}
