//! Differences of a table and its indexes.

use super::change::{Change, Changes, Migration};
use super::pairs::{Pair, pairs};
use keyfold_model::schema::{Column, Projection};
use keyfold_model::{Index, IndexKind, Table};

/// Compares a table of the old model with that of the new.
pub(super) fn table(old: &Table, new: &Table, all: &mut Vec<Change>) {
    let Table {
        name,
        span: _,
        end: _,
        // `key_text` shows both.
        partition: _,
        sort: _,
        type_attribute: new_type_attribute,
        ttl_attribute,
        period,
        capacity,
        cooled,
        indexes,
        // `delimiters` compares them, with the keys that contain them.
        delimiters: _,
    } = new;
    let mut changes = Changes::of(format!("table {name}"), all);
    let (before, after) = (key_text(old), key_text(new));
    if before != after {
        changes.add(
            format!("key ({before}) becomes ({after})"),
            Migration::Rewrite,
            "a table's key cannot change: make a new table and move every item",
        );
    }
    if old.period != *period {
        changes.add(
            "its periods change",
            Migration::Rewrite,
            "make the new tables and move every item",
        );
    }
    type_attribute(
        old.type_attribute.as_deref(),
        new_type_attribute.as_deref(),
        &mut changes,
    );
    if old.ttl_attribute != *ttl_attribute {
        changes.add(
            "the attribute of expiry changes",
            Migration::Backfill,
            "switch it in the table, and write it into every item that expires",
        );
    }
    if old.capacity != *capacity || old.cooled != *cooled {
        changes.add(
            "its capacity changes",
            Migration::Definition,
            "update the table",
        );
    }
    for pair in pairs(&old.indexes, indexes, |index| &index.name) {
        index(pair, all);
    }
}

/// Reports a change of the attribute that names the entity of each item.
fn type_attribute(old: Option<&str>, new: Option<&str>, changes: &mut Changes<'_>) {
    match (old, new) {
        (one, two) if one == two => {}
        (Some(name), None) => changes.add(
            format!("the kind is not written to {name} any more"),
            Migration::None,
            "items that are there keep it",
        ),
        (_, Some(name)) => changes.add(
            format!("the kind is written to {name}"),
            Migration::Backfill,
            "write it into every item",
        ),
        (None, None) => {}
    }
}

fn index(pair: Pair<'_, Index>, all: &mut Vec<Change>) {
    let mut add = |index: &Index, how: String, migration: Migration, todo: &str| {
        Changes::of(format!("index {}", index.name), all).add(how, migration, todo);
    };
    match pair {
        Pair::Added(index) => {
            let (migration, todo) = match index.kind {
                IndexKind::Local => (
                    Migration::Rewrite,
                    "a local index is made with its table only: make a new table and move every item",
                ),
                IndexKind::Global => (
                    Migration::Definition,
                    "create it; it is filled while the table works",
                ),
            };
            add(index, "added".to_owned(), migration, todo);
        }
        Pair::Removed(index) => add(
            index,
            "removed".to_owned(),
            Migration::Definition,
            "delete it when nothing reads it any more",
        ),
        Pair::Both(one, two) => {
            let (before, after) = (index_text(one), index_text(two));
            if before != after {
                add(
                    two,
                    format!("{} becomes {}", before.1, after.1),
                    Migration::Definition,
                    "an index cannot change: create it under another name, switch, and delete the old one",
                );
            }
        }
    }
}

/// The key attributes of a table with their types.
fn key_text(table: &Table) -> String {
    columns_text(std::iter::once(&table.partition).chain(&table.sort))
}

/// The kind of an index, and its key and projection in words.
fn index_text(index: &Index) -> (IndexKind, String) {
    let Index {
        name: _,
        span: _,
        kind,
        partition,
        sort,
        projection,
        projection_span: _,
    } = index;
    let held = match projection {
        Projection::All => "all".to_owned(),
        Projection::Keys => "keys".to_owned(),
        Projection::Only(names) => names.join(", "),
    };
    let key = columns_text(partition.iter().chain(sort));
    (*kind, format!("({key}) project {held}"))
}

fn columns_text<'c>(columns: impl Iterator<Item = &'c Column>) -> String {
    let one = |Column { name, kind }: &Column| format!("{name}: {}", kind.descriptor());
    columns.map(one).collect::<Vec<_>>().join(", ")
}
