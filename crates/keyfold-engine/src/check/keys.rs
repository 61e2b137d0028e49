//! Checks of items and keys against a table's keys and indexes.

use crate::table::{Index, Table};
use keyfold_api::Validation;
use keyfold_expr::{Condition, Path, Projection, Update};
use keyfold_types::key::key_value_bytes;
use keyfold_types::limits::{
    ATTRIBUTE_NAME_BYTES_MAX, ITEM_BYTES_MAX, NESTING_LEVELS_MAX, PARTITION_KEY_BYTES_MAX,
    SORT_KEY_BYTES_MAX,
};
use keyfold_types::{Item, KeyAttribute, KeySchema, Value, ValueKind};

fn is_empty(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::S | ValueKind::B) && key_value_bytes(value) == 0
}

/// Checks the lengths of the partition and the sort part.
fn check_sizes(schema: &KeySchema, item: &Item) -> Result<(), Validation> {
    let total = |attributes: &[keyfold_types::KeyAttribute]| -> usize {
        attributes
            .iter()
            .filter_map(|attribute| item.get(&attribute.name))
            .map(key_value_bytes)
            .sum()
    };
    if total(&schema.partition) > PARTITION_KEY_BYTES_MAX {
        return Err(Validation::PartitionKeySize);
    }
    if total(&schema.sort) > SORT_KEY_BYTES_MAX {
        return Err(Validation::SortKeySize);
    }
    Ok(())
}

/// Checks a `Key` argument: exactly the key attributes, each of its type, none empty or too long.
pub(crate) fn check_key(schema: &KeySchema, key: &Item) -> Result<(), Validation> {
    if key.len() != schema.len() {
        return Err(Validation::KeySchemaMismatch);
    }
    for attribute in schema.attributes() {
        let value = key
            .get(&attribute.name)
            .ok_or(Validation::KeySchemaMismatch)?;
        if value.kind() != attribute.kind.value_kind() {
            return Err(Validation::KeySchemaMismatch);
        }
        if is_empty(value) {
            return Err(Validation::EmptyKey {
                name: attribute.name.clone(),
                kind: value.kind(),
            });
        }
    }
    check_sizes(schema, key)
}

/// Checks the key attributes of an item to put.
pub(crate) fn check_item_key(schema: &KeySchema, item: &Item) -> Result<(), Validation> {
    for attribute in schema.attributes() {
        let name = || attribute.name.clone();
        let value = item
            .get(&attribute.name)
            .ok_or_else(|| Validation::MissingKey(name()))?;
        if value.kind() != attribute.kind.value_kind() {
            let (expected, actual) = (attribute.kind.descriptor(), value.kind().descriptor());
            return Err(Validation::KeyType {
                name: name(),
                expected,
                actual,
            });
        }
        if is_empty(value) {
            return Err(Validation::EmptyKey {
                name: name(),
                kind: value.kind(),
            });
        }
    }
    check_sizes(schema, item)
}

/// The kind of write that made an item. Messages differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Maker {
    Put,
    Update,
}

/// Checks the key attributes of an item for every index.
pub(crate) fn check_index_keys(table: &Table, item: &Item, maker: Maker) -> Result<(), Validation> {
    table
        .indexes
        .iter()
        .try_for_each(|index| check_index_key(index, item, maker))
}

/// Checks the types of the values that an update assigns to key attributes of indexes.
pub(crate) fn check_literals(table: &Table, update: &Update) -> Result<(), Validation> {
    for (name, value) in update.literals() {
        for index in &table.indexes {
            let is_wrong =
                |one: &&KeyAttribute| one.name == name && one.kind.value_kind() != value.kind();
            let Some(attribute) = index.key.attributes().find(is_wrong) else {
                continue;
            };
            let (expected, actual) = (attribute.kind.descriptor(), value.kind().descriptor());
            let (name, index) = (name.to_owned(), index.name.clone());
            return Err(Validation::IndexKeyType {
                name,
                expected,
                actual,
                index,
            });
        }
    }
    Ok(())
}

/// Refuses a path into an attribute of the key: keys are scalars.
fn check_path(schema: &KeySchema, path: &Path, member: &'static str) -> Result<(), Validation> {
    if path.as_attribute().is_none() && schema.contains(path.root()) {
        return Err(Validation::KeyPath {
            name: path.root().to_owned(),
            member,
        });
    }
    Ok(())
}

/// Refuses paths into the table's key.
pub(crate) fn check_paths(
    schema: &KeySchema,
    filter: Option<&Condition>,
    projection: Option<&Projection>,
) -> Result<(), Validation> {
    let mut found = Ok(());
    let mut look = |path: &Path| {
        if found.is_ok() {
            found = check_path(schema, path, "Key");
        }
    };
    if let Some(filter) = filter {
        filter.visit_paths(&mut look);
    }
    projection
        .into_iter()
        .flat_map(Projection::paths)
        .for_each(look);
    found
}

/// Refuses paths of an update into the key of the table, and targets in those of its indexes.
pub(crate) fn check_update_paths(table: &Table, update: &Update) -> Result<(), Validation> {
    let mut found = Ok(());
    update.visit_paths(&mut |path| {
        if found.is_ok() {
            found = check_path(&table.key, path, "Key");
        }
    });
    found?;
    for target in update.targets() {
        table
            .indexes
            .iter()
            .try_for_each(|index| check_path(&index.key, target, "IndexKey"))?;
    }
    Ok(())
}

/// Checks a new item: attribute names, size and nesting, and after an update the key attributes of
/// every index.
pub(crate) fn check_new_item(
    table: &Table,
    item: &Item,
    size_bytes: u64,
    maker: Maker,
) -> Result<(), Validation> {
    if let Some((name, _)) = item
        .iter()
        .find(|(name, _)| !(1..=ATTRIBUTE_NAME_BYTES_MAX).contains(&name.len()))
    {
        return Err(Validation::AttributeName { bytes: name.len() });
    }
    // Index keys of a put item were checked before its condition.
    if maker == Maker::Update {
        check_index_keys(table, item, maker)?;
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
    let is_complete = index
        .key
        .attributes()
        .all(|attribute| item.get(&attribute.name).is_some());
    if !is_complete {
        return Ok(());
    }
    check_sizes(&index.key, item).map_err(|error| match maker {
        Maker::Put => error,
        Maker::Update => Validation::UpdatedIndexKeySize,
    })
}

fn check_index_attributes(index: &Index, item: &Item, maker: Maker) -> Result<(), Validation> {
    let parts = [
        (&index.key.partition, PARTITION_KEY_BYTES_MAX),
        (&index.key.sort, SORT_KEY_BYTES_MAX),
    ];
    for (attributes, max) in parts {
        for attribute in attributes {
            let Some(value) = item.get(&attribute.name) else {
                continue;
            };
            let (name, index) = (attribute.name.clone(), index.name.clone());
            if value.kind() != attribute.kind.value_kind() {
                let (expected, actual) = (attribute.kind.descriptor(), value.kind().descriptor());
                return Err(match maker {
                    Maker::Put => Validation::IndexKeyType {
                        name,
                        expected,
                        actual,
                        index,
                    },
                    Maker::Update => Validation::UpdatedIndexKeyType,
                });
            }
            if is_empty(value) {
                let kind = value.kind();
                return Err(match maker {
                    Maker::Put => Validation::EmptyIndexKey { name, index, kind },
                    Maker::Update => Validation::UpdatedEmptyIndexKey { name, index, kind },
                });
            }
            let actual = key_value_bytes(value);
            if actual > max && attributes.len() == 1 {
                return Err(match maker {
                    Maker::Put => Validation::IndexKeySize {
                        name,
                        actual,
                        max,
                        index,
                    },
                    Maker::Update => Validation::UpdatedIndexKeySize,
                });
            }
        }
    }
    Ok(())
}
