//! Checks of items and keys against a table's keys and indexes.

use crate::table::{Index, Table};
use keyfold_api::Validation;
use keyfold_types::key::key_value_bytes;
use keyfold_types::limits::{
    ATTRIBUTE_NAME_BYTES_MAX, ITEM_BYTES_MAX, NESTING_LEVELS_MAX, PARTITION_KEY_BYTES_MAX, SORT_KEY_BYTES_MAX,
};
use keyfold_types::{Item, KeySchema, Value, ValueKind};

fn is_empty(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::S | ValueKind::B) && key_value_bytes(value) == 0
}

/// Lengths of the partition and the sort part.
fn check_sizes(schema: &KeySchema, item: &Item) -> Result<(), Validation> {
    let total = |attributes: &[keyfold_types::KeyAttribute]| -> usize {
        attributes.iter().filter_map(|attribute| item.get(&attribute.name)).map(key_value_bytes).sum()
    };
    if total(&schema.partition) > PARTITION_KEY_BYTES_MAX {
        return Err(Validation::PartitionKeySize);
    }
    if total(&schema.sort) > SORT_KEY_BYTES_MAX {
        return Err(Validation::SortKeySize);
    }
    Ok(())
}

/// A `Key` argument: exactly the key attributes, each of its type, none empty or too long.
pub(crate) fn check_key(schema: &KeySchema, key: &Item) -> Result<(), Validation> {
    if key.len() != schema.len() {
        return Err(Validation::KeySchemaMismatch);
    }
    for attribute in schema.attributes() {
        let value = key.get(&attribute.name).ok_or(Validation::KeySchemaMismatch)?;
        if value.kind() != attribute.kind.value_kind() {
            return Err(Validation::KeySchemaMismatch);
        }
        if is_empty(value) {
            return Err(Validation::EmptyKey(attribute.name.clone()));
        }
    }
    check_sizes(schema, key)
}

/// The key attributes of an item to put.
pub(crate) fn check_item_key(schema: &KeySchema, item: &Item) -> Result<(), Validation> {
    for attribute in schema.attributes() {
        let name = || attribute.name.clone();
        let value = item.get(&attribute.name).ok_or_else(|| Validation::MissingKey(name()))?;
        if value.kind() != attribute.kind.value_kind() {
            let (expected, actual) = (attribute.kind.descriptor(), value.kind().descriptor());
            return Err(Validation::KeyType { name: name(), expected, actual });
        }
        if is_empty(value) {
            return Err(Validation::EmptyKey(name()));
        }
    }
    check_sizes(schema, item)
}

/// Which write made an item; messages differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Maker {
    Put,
    Update,
}

/// The whole of a new item: size, nesting, and the key attributes of every index it is in.
pub(crate) fn check_new_item(
    table: &Table,
    item: &Item,
    size_bytes: u64,
    maker: Maker,
) -> Result<(), Validation> {
    if let Some((name, _)) =
        item.iter().find(|(name, _)| !(1..=ATTRIBUTE_NAME_BYTES_MAX).contains(&name.len()))
    {
        return Err(Validation::AttributeName { bytes: name.len() });
    }
    for index in &table.indexes {
        check_index_key(index, item, maker)?;
    }
    if size_bytes > ITEM_BYTES_MAX {
        return Err(match maker {
            Maker::Put => Validation::ItemSize,
            Maker::Update => Validation::UpdatedItemSize,
        });
    }
    if item.depth() > NESTING_LEVELS_MAX {
        return Err(Validation::Nesting);
    }
    Ok(())
}

fn check_index_key(index: &Index, item: &Item, maker: Maker) -> Result<(), Validation> {
    check_index_attributes(index, item, maker)?;
    // The attributes of one part share its limit.
    let is_whole = index.key.attributes().all(|attribute| item.get(&attribute.name).is_some());
    match check_sizes(&index.key, item) {
        Err(_) if is_whole && maker == Maker::Update => Err(Validation::UpdatedIndexKeySize),
        Err(error) if is_whole => Err(error),
        _ => Ok(()),
    }
}

fn check_index_attributes(index: &Index, item: &Item, maker: Maker) -> Result<(), Validation> {
    let parts = [(&index.key.partition, PARTITION_KEY_BYTES_MAX), (&index.key.sort, SORT_KEY_BYTES_MAX)];
    for (attributes, max) in parts {
        for attribute in attributes {
            let Some(value) = item.get(&attribute.name) else { continue };
            let (name, index) = (attribute.name.clone(), index.name.clone());
            if value.kind() != attribute.kind.value_kind() {
                let (expected, actual) = (attribute.kind.descriptor(), value.kind().descriptor());
                return Err(match maker {
                    Maker::Put => Validation::IndexKeyType { name, expected, actual, index },
                    Maker::Update => Validation::UpdatedIndexKeyType,
                });
            }
            if is_empty(value) {
                return Err(Validation::EmptyIndexKey { name, index });
            }
            let actual = key_value_bytes(value);
            if actual > max && attributes.len() == 1 {
                return Err(match maker {
                    Maker::Put => Validation::IndexKeySize { name, actual, max, index },
                    Maker::Update => Validation::UpdatedIndexKeySize,
                });
            }
        }
    }
    Ok(())
}
