//! Differences of a secondary index.

use super::change::{Change, Changes, Migration, Place};
use super::columns::columns_text;
use super::pairs::Pair;
use keyfold_model::schema::{Column, Projection};
use keyfold_model::{Index, IndexKind};

/// Compares an index of the old model with that of the new.
pub(super) fn index(pair: Pair<'_, Index>, all: &mut Vec<Change>) {
    let (Pair::Added(shown) | Pair::Removed(shown) | Pair::Both(_, shown)) = &pair;
    let place = match &pair {
        Pair::Removed(index) => Place::Old(index.span),
        Pair::Added(index) | Pair::Both(_, index) => Place::New(index.span),
    };
    let mut changes = Changes::of(format!("index {}", shown.name), place, all);
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
            changes.add("added", migration, todo);
        }
        Pair::Removed(index) => changes.add(
            "removed",
            Migration::Definition,
            match index.kind {
                IndexKind::Local => {
                    "a local index stays as long as its table: only a new table is without it"
                }
                IndexKind::Global => "delete it when nothing reads it any more",
            },
        ),
        Pair::Both(one, two) => changed(one, two, &mut changes),
    }
}

/// Reports the differences of an index that both models have.
fn changed(old: &Index, new: &Index, changes: &mut Changes<'_>) {
    let (before, after) = (index_text(old), index_text(new));
    let how = match (old.kind, new.kind) {
        (one, two) if one == two => format!("{before} becomes {after}"),
        (one, two) => format!(
            "{} {before} becomes {} {after}",
            kind_word(one),
            kind_word(two)
        ),
    };
    let (is_same, was_local) = (before == after, old.kind == IndexKind::Local);
    match new.kind {
        IndexKind::Local if !is_same || !was_local => changes.add(
            how,
            Migration::Rewrite,
            "a local index is made with its table only: make a new table and move every item",
        ),
        IndexKind::Global if was_local => changes.add(
            how,
            Migration::Definition,
            "create the global index under another name: the local one stays as long as its table",
        ),
        IndexKind::Global if !is_same => changes.add(
            how,
            Migration::Definition,
            "an index cannot change: create it under another name, switch, and delete the old one",
        ),
        IndexKind::Local | IndexKind::Global => {}
    }
    if old.capacity != new.capacity {
        let text = |index: &Index| {
            index
                .capacity
                .map_or("that of its table".to_owned(), |capacity| {
                    capacity.to_string()
                })
        };
        changes.add(
            format!("its capacity {} becomes {}", text(old), text(new)),
            Migration::Definition,
            "update the index in place",
        );
    }
}

fn kind_word(kind: IndexKind) -> &'static str {
    match kind {
        IndexKind::Local => "local",
        IndexKind::Global => "global",
    }
}

/// The key and projection of an index in words. Several attributes of a part stand in parentheses.
fn index_text(index: &Index) -> String {
    let Index {
        name: _,
        span: _,
        // The caller shows it.
        kind: _,
        partition,
        sort,
        projection,
        projection_span: _,
        // It can be changed in place.
        capacity: _,
    } = index;
    let held = match projection {
        Projection::All => "all".to_owned(),
        Projection::Keys => "keys".to_owned(),
        Projection::Only(names) => names.join(", "),
    };
    let parts: Vec<String> = [partition, sort]
        .into_iter()
        .filter(|columns| !columns.is_empty())
        .map(|columns| part_text(columns))
        .collect();
    format!("({}) project {held}", parts.join(", "))
}

fn part_text(columns: &[Column]) -> String {
    let text = columns_text(columns.iter());
    if columns.len() > 1 {
        format!("({text})")
    } else {
        text
    }
}
