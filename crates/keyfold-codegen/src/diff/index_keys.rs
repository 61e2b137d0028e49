//! Differences of the key attributes that an entity's items have for indexes.

use super::change::{Changes, Migration};
use super::pairs::{Pair, pairs};
use crate::words::{key_columns, sparse_text};
use keyfold_model::template::print;
use keyfold_model::{Entity, IndexKey, Model};

/// Compares the key attributes that the items of an entity have for indexes.
pub(super) fn index_keys(
    (old_model, old): (&Model, &Entity),
    (new_model, new): (&Model, &Entity),
    changes: &mut Changes<'_>,
) {
    let (before, after) = (made(old_model, old), made(new_model, new));
    for pair in pairs(&before, &after, |(name, _)| name) {
        match pair {
            Pair::Added((name, template)) => changes.add(
                format!("makes {name} as {template}"),
                Migration::Backfill,
                "write the key attribute into every item",
            ),
            Pair::Removed((name, _)) => changes.add(
                format!("makes {name} no more"),
                Migration::Backfill,
                "remove it from every item: with it they stay in the index, and are found there",
            ),
            Pair::Both((name, before), (_, after)) if before != after => changes.add(
                format!("makes {name} as {after}, and not {before}"),
                Migration::Backfill,
                "write the key attribute again into every item",
            ),
            Pair::Both(..) => {}
        }
    }
}

/// The key attributes that are made for indexes, each with its template and the condition of a
/// sparse index. Attributes of the entity and of the table's own key are not made for an index.
fn made(model: &Model, entity: &Entity) -> Vec<(String, String)> {
    let Some(table) = model.tables.get(entity.table) else {
        return Vec::new();
    };
    let own: Vec<&str> = std::iter::once(&table.partition)
        .chain(&table.sort)
        .map(|column| column.name.as_str())
        .collect();
    let mut all: Vec<(String, String)> = Vec::new();
    for one in &entity.indexes {
        let IndexKey {
            index,
            key,
            sparse,
            // A key that is not declared consists of the entity's own attributes.
            is_declared: _,
        } = one;
        let Some(index) = table.indexes.get(*index) else {
            continue;
        };
        let condition = sparse.as_ref().map_or(String::new(), |sparse| {
            format!(" when {}", sparse_text(sparse))
        });
        for (column, parts) in key_columns(index, key) {
            let is_attribute =
                own.contains(&column.name.as_str()) || entity.attribute(&column.name).is_some();
            if !is_attribute && !all.iter().any(|(name, _)| *name == column.name) {
                all.push((column.name.clone(), format!("{}{condition}", print(parts))));
            }
        }
    }
    all
}
