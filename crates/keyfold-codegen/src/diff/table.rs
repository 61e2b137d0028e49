//! Differences of a table.

use super::change::{Change, Changes, Migration, Place};
use super::columns::columns_text;
use super::index::index;
use super::owners::sharing;
use super::pairs::pairs;
use super::settings::{capacity_change, cooled_change, settings};
use keyfold_model::Table;

/// Compares a table of the old model with that of the new.
pub(super) fn table(old: &Table, new: &Table, all: &mut Vec<Change>) {
    let Table {
        name,
        span,
        end: _,
        is_shared,
        // `key_text` shows both.
        partition: _,
        sort: _,
        type_attribute: new_type_attribute,
        ttl_attribute,
        period,
        capacity,
        cooled,
        settings: new_settings,
        indexes,
        // `delimiters` compares them, with the keys that contain them.
        delimiters: _,
    } = new;
    let mut changes = Changes::of(format!("table {name}"), Place::New(*span), all);
    sharing(old.is_shared, *is_shared, &mut changes);
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
    capacity_change(old.capacity, *capacity, &mut changes);
    cooled_change(old.cooled, *cooled, &mut changes);
    settings(&old.settings, new_settings, &mut changes);
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

/// The key attributes of a table with their types.
fn key_text(table: &Table) -> String {
    columns_text(std::iter::once(&table.partition).chain(&table.sort))
}
