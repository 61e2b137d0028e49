//! Differences of a table and its indexes.

use super::{Change, Migration, Pair, change, pairs};
use keyfold_model::schema::Projection;
use keyfold_model::{Index, IndexKind, Table};

fn columns(table: &Table) -> String {
    let all = std::iter::once(&table.partition).chain(&table.sort);
    all.map(|column| format!("{}: {}", column.name, column.kind.descriptor()))
        .collect::<Vec<_>>()
        .join(", ")
}

pub(super) fn table(old: &Table, new: &Table, changes: &mut Vec<Change>) {
    let what = || format!("table {}", new.name);
    if columns(old) != columns(new) {
        changes.push(change(
            what(),
            format!("key ({}) becomes ({})", columns(old), columns(new)),
            Migration::Rewrite,
            "a table's key cannot change: make a new table and move every item",
        ));
    }
    if old.period != new.period {
        changes.push(change(
            what(),
            "its periods change",
            Migration::Rewrite,
            "make the new tables and move every item",
        ));
    }
    match (&old.type_attribute, &new.type_attribute) {
        (one, two) if one == two => {}
        (Some(name), None) => changes.push(change(
            what(),
            format!("the kind is not written to {name} any more"),
            Migration::None,
            "items that are there keep it",
        )),
        (_, Some(name)) => changes.push(change(
            what(),
            format!("the kind is written to {name}"),
            Migration::Backfill,
            "write it into every item",
        )),
        (None, None) => {}
    }
    if old.ttl_attribute != new.ttl_attribute {
        changes.push(change(
            what(),
            "the attribute of expiry changes",
            Migration::Backfill,
            "switch it in the table, and write it into every item that expires",
        ));
    }
    if old.capacity != new.capacity || old.cooled != new.cooled {
        changes.push(change(
            what(),
            "its capacity changes",
            Migration::Definition,
            "update the table",
        ));
    }
    pairs(
        &old.indexes,
        &new.indexes,
        |index: &Index| index.name.clone(),
        |pair| match pair {
            Pair::Added(index) => {
                let todo = if index.kind == IndexKind::Local {
                    "a local index is made with its table only: make a new table and move every item"
                } else {
                    "create it; it is filled while the table works"
                };
                let migration = if index.kind == IndexKind::Local {
                    Migration::Rewrite
                } else {
                    Migration::Definition
                };
                changes.push(change(
                    format!("index {}", index.name),
                    "added",
                    migration,
                    todo,
                ));
            }
            Pair::Removed(index) => changes.push(change(
                format!("index {}", index.name),
                "removed",
                Migration::Definition,
                "delete it when nothing reads it any more",
            )),
            Pair::Both(one, two) => {
                let shape = |index: &Index| {
                    let key: Vec<String> = index
                        .columns()
                        .map(|c| format!("{}: {}", c.name, c.kind.descriptor()))
                        .collect();
                    let held = match &index.projection {
                        Projection::All => "all".to_owned(),
                        Projection::Keys => "keys".to_owned(),
                        Projection::Only(names) => names.join(", "),
                    };
                    format!("({}) project {held}", key.join(", "))
                };
                if one.kind != two.kind || shape(one) != shape(two) {
                    changes.push(change(
                    format!("index {}", two.name),
                    format!("{} becomes {}", shape(one), shape(two)),
                    Migration::Definition,
                    "an index cannot change: create it under another name, switch, and delete the old one",
                ));
                }
            }
        },
    );
}
