//! What changed between two models, and what that means for data that is there already.

use keyfold_model::schema::{Aggregate, Projection};
use keyfold_model::{Attribute, Entity, Index, Model, Pattern, Table};
use serde_json::{Value as Json, json};

/// What has to be done with existing data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Migration {
    /// Nothing.
    None,
    /// The table's definition changes: an index is built or dropped, a table is made.
    Definition,
    /// Every item of an entity gets something more: attributes, index keys, copies, guards.
    Backfill,
    /// Every item of an entity is written anew under another key or in another form.
    Rewrite,
    /// Items are deleted.
    Delete,
}

impl Migration {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Migration::None => "nothing",
            Migration::Definition => "definition",
            Migration::Backfill => "backfill",
            Migration::Rewrite => "rewrite",
            Migration::Delete => "delete",
        }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What changed: `entity Order`, `pattern orders_of_user`.
    pub what: String,
    /// How.
    pub how: String,
    /// What it means for data.
    pub migration: Migration,
    /// What is to be done, in words.
    pub todo: String,
}

/// The differences from one model to another.
pub fn diff(old: &Model, new: &Model) -> Vec<Change> {
    let mut changes = Vec::new();
    pairs(
        &old.tables,
        &new.tables,
        |table: &Table| table.name.clone(),
        |pair| match pair {
            Pair::Added(table) => changes.push(change(
                format!("table {}", table.name),
                "added",
                Migration::Definition,
                "create it",
            )),
            Pair::Removed(table) => changes.push(change(
                format!("table {}", table.name),
                "removed",
                Migration::Delete,
                "delete it when nothing reads it any more",
            )),
            Pair::Both(one, two) => table(one, two, &mut changes),
        },
    );
    pairs(
        &old.entities,
        &new.entities,
        |entity: &Entity| entity.name.clone(),
        |pair| match pair {
            Pair::Added(entity) => {
                changes.push(change(format!("entity {}", entity.name), "added", Migration::None, ""))
            }
            Pair::Removed(entity) => changes.push(change(
                format!("entity {}", entity.name),
                "removed",
                Migration::Delete,
                "delete its items with their copies and guards",
            )),
            Pair::Both(one, two) => entity(old, new, one, two, &mut changes),
        },
    );
    pairs(
        &old.patterns,
        &new.patterns,
        |pattern: &Pattern| pattern.name.clone(),
        |pair| match pair {
            Pair::Added(pattern) => {
                changes.push(change(format!("pattern {}", pattern.name), "added", Migration::None, ""))
            }
            Pair::Removed(pattern) => {
                changes.push(change(format!("pattern {}", pattern.name), "removed", Migration::None, ""));
            }
            Pair::Both(one, two) => pattern(one, two, &mut changes),
        },
    );
    pairs(
        &old.writes,
        &new.writes,
        |write| write.name.clone(),
        |pair| match pair {
            Pair::Added(write) => {
                changes.push(change(format!("write {}", write.name), "added", Migration::None, ""))
            }
            Pair::Removed(write) => {
                changes.push(change(format!("write {}", write.name), "removed", Migration::None, ""))
            }
            Pair::Both(one, two) => {
                let shape = |write: &keyfold_model::Write| {
                    let parameters: Vec<String> =
                        write.parameters.iter().map(|p| format!("{}: {}", p.name, p.kind)).collect();
                    let actions: Vec<String> = write
                        .actions
                        .iter()
                        .map(|a| {
                            format!(
                                "{} {} {:?} {:?} {:?}",
                                a.verb.word(),
                                a.entity,
                                a.assignments,
                                a.removed,
                                a.conditions.len()
                            )
                        })
                        .collect();
                    (parameters, actions)
                };
                if shape(one) != shape(two) {
                    changes.push(change(format!("write {}", two.name), "changed", Migration::None, ""));
                }
            }
        },
    );
    changes
}

/// The differences for programs.
pub fn json(changes: &[Change]) -> Json {
    changes
        .iter()
        .map(|one| json!({ "what": one.what, "how": one.how, "migration": one.migration.word(), "todo": one.todo }))
        .collect()
}

fn change(what: String, how: impl Into<String>, migration: Migration, todo: impl Into<String>) -> Change {
    Change { what, how: how.into(), migration, todo: todo.into() }
}

enum Pair<'p, T> {
    Added(&'p T),
    Removed(&'p T),
    Both(&'p T, &'p T),
}

fn pairs<'p, T>(old: &'p [T], new: &'p [T], name: impl Fn(&T) -> String, mut each: impl FnMut(Pair<'p, T>)) {
    for one in old {
        match new.iter().find(|two| name(two) == name(one)) {
            Some(two) => each(Pair::Both(one, two)),
            None => each(Pair::Removed(one)),
        }
    }
    for two in new.iter().filter(|two| !old.iter().any(|one| name(one) == name(two))) {
        each(Pair::Added(two));
    }
}

fn columns(table: &Table) -> String {
    let all = std::iter::once(&table.partition).chain(&table.sort);
    all.map(|column| format!("{}: {}", column.name, column.kind.descriptor())).collect::<Vec<_>>().join(", ")
}

fn table(old: &Table, new: &Table, changes: &mut Vec<Change>) {
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
    if old.type_attribute != new.type_attribute {
        changes.push(change(
            what(),
            "the attribute of the kind changes",
            Migration::Backfill,
            "write it into every item",
        ));
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
        changes.push(change(what(), "its capacity changes", Migration::Definition, "update the table"));
    }
    pairs(
        &old.indexes,
        &new.indexes,
        |index: &Index| index.name.clone(),
        |pair| match pair {
            Pair::Added(index) => {
                let todo = if index.kind == keyfold_model::IndexKind::Local {
                    "a local index is made with its table only: make a new table and move every item"
                } else {
                    "create it; it is filled while the table works"
                };
                let migration = if index.kind == keyfold_model::IndexKind::Local {
                    Migration::Rewrite
                } else {
                    Migration::Definition
                };
                changes.push(change(format!("index {}", index.name), "added", migration, todo));
            }
            Pair::Removed(index) => changes.push(change(
                format!("index {}", index.name),
                "removed",
                Migration::Definition,
                "delete it when nothing reads it any more",
            )),
            Pair::Both(one, two) => {
                let shape = |index: &Index| {
                    let key: Vec<String> =
                        index.columns().map(|c| format!("{}: {}", c.name, c.kind.descriptor())).collect();
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

fn entity(old_model: &Model, new_model: &Model, old: &Entity, new: &Entity, changes: &mut Vec<Change>) {
    let what = || format!("entity {}", new.name);
    let table_of =
        |model: &Model, entity: &Entity| model.tables.get(entity.table).map(|table| table.name.clone());
    if table_of(old_model, old) != table_of(new_model, new) {
        changes.push(change(what(), "lies in another table", Migration::Rewrite, "move every item"));
    }
    let print = |entity: &Entity| {
        let sort = entity.key.sort.as_ref().map_or(String::new(), |sort| format!(" {sort}"));
        format!("{}{sort}", entity.key.partition)
    };
    if print(old) != print(new) {
        changes.push(change(
            what(),
            format!("key {} becomes {}", print(old), print(new)),
            Migration::Rewrite,
            "put every item under its new key, and delete the old one",
        ));
    }
    pairs(
        &old.attributes,
        &new.attributes,
        |attribute: &Attribute| attribute.name.clone(),
        |pair| {
            attribute(&new.name, pair, changes);
        },
    );
    indexes(old_model, new_model, old, new, changes);
    let shape = |copy: &keyfold_model::Copy| {
        let sort = copy.key.sort.as_ref().map_or(String::new(), |sort| format!(" {sort}"));
        format!("{}{sort} only {}", copy.key.partition, copy.attributes.join(", "))
    };
    pairs(
        &old.copies,
        &new.copies,
        |copy| copy.name.clone(),
        |pair| match pair {
            Pair::Added(copy) => changes.push(change(
                what(),
                format!("copy {} added", copy.name),
                Migration::Backfill,
                "write it for every item",
            )),
            Pair::Removed(copy) => changes.push(change(
                what(),
                format!("copy {} removed", copy.name),
                Migration::Delete,
                "delete it for every item",
            )),
            Pair::Both(one, two) if shape(one) != shape(two) => changes.push(change(
                what(),
                format!("copy {}: {} becomes {}", two.name, shape(one), shape(two)),
                Migration::Rewrite,
                "write it anew for every item, and delete the old one",
            )),
            Pair::Both(..) => {}
        },
    );
    for unique in new.uniques.iter().filter(|unique| !old.uniques.contains(unique)) {
        changes.push(change(
            what(),
            format!("unique {} added", unique.join(", ")),
            Migration::Backfill,
            "write a guard for every item; values that are there twice must be settled first",
        ));
    }
    for unique in old.uniques.iter().filter(|unique| !new.uniques.contains(unique)) {
        changes.push(change(
            what(),
            format!("unique {} removed", unique.join(", ")),
            Migration::Delete,
            "delete its guards",
        ));
    }
    let print = |aggregate: &Aggregate| {
        format!("{} {} {:?} {:?}", aggregate.kind.word(), aggregate.entity, aggregate.of, aggregate.condition)
    };
    pairs(
        &old.aggregates,
        &new.aggregates,
        |aggregate| aggregate.attribute.clone(),
        |pair| match pair {
            Pair::Added(one) => changes.push(change(
                what(),
                format!("{} {} added", one.kind.word(), one.attribute),
                Migration::Backfill,
                "compute it for every item",
            )),
            Pair::Removed(one) => changes.push(change(
                what(),
                format!("{} {} removed", one.kind.word(), one.attribute),
                Migration::Backfill,
                "remove the attribute from every item",
            )),
            Pair::Both(one, two) if print(one) != print(two) => {
                changes.push(change(
                    what(),
                    format!("{} {} changed", two.kind.word(), two.attribute),
                    Migration::Backfill,
                    "compute it anew for every item",
                ));
            }
            Pair::Both(..) => {}
        },
    );
    let forms = |entity: &Entity| (entity.split.clone(), entity.compressed.clone());
    if forms(old) != forms(new) {
        changes.push(change(
            what(),
            "is split or compressed in another way",
            Migration::Rewrite,
            "put every item anew",
        ));
    }
    if old.ttl != new.ttl {
        changes.push(change(what(), "expires in another way", Migration::Backfill, "put every item anew"));
    }
    if old.version != new.version {
        changes.push(change(
            what(),
            "counts versions in another way",
            Migration::Backfill,
            "write a first version into every item",
        ));
    }
}

fn attribute(entity: &str, pair: Pair<'_, Attribute>, changes: &mut Vec<Change>) {
    let what = format!("entity {entity}");
    let shape =
        |attribute: &Attribute| format!("{}{}", attribute.kind, if attribute.optional { "?" } else { "" });
    match pair {
        Pair::Added(one) if one.optional || one.is_kept => {
            changes.push(change(
                what,
                format!("attribute {} added, {}", one.name, shape(one)),
                Migration::None,
                "",
            ));
        }
        Pair::Added(one) => changes.push(change(
            what,
            format!("attribute {} added, {}", one.name, shape(one)),
            Migration::Backfill,
            "write it into every item: it is required",
        )),
        Pair::Removed(one) => changes.push(change(
            what,
            format!("attribute {} removed", one.name),
            Migration::None,
            "items that are there keep it until they are put anew",
        )),
        Pair::Both(one, two) if one.kind != two.kind => changes.push(change(
            what,
            format!("attribute {}: {} becomes {}", two.name, shape(one), shape(two)),
            Migration::Rewrite,
            "write its values in the new form into every item",
        )),
        Pair::Both(one, two) if one.optional && !two.optional => changes.push(change(
            what,
            format!("attribute {} becomes required", two.name),
            Migration::Backfill,
            "write it into every item that lacks it",
        )),
        Pair::Both(..) => {}
    }
}

fn indexes(old_model: &Model, new_model: &Model, old: &Entity, new: &Entity, changes: &mut Vec<Change>) {
    let shapes = |model: &Model, entity: &Entity| -> Vec<(String, String)> {
        let table = model.tables.get(entity.table);
        entity
            .indexes
            .iter()
            .filter_map(|key| {
                let index = table?.indexes.get(key.index)?;
                let sort = key.key.sort.as_ref().map_or(String::new(), |sort| format!(" {sort}"));
                let sparse = key.sparse.as_ref().map_or(String::new(), |sparse| {
                    let value = sparse.value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
                    format!(" sparse when {}{value}", sparse.attribute)
                });
                Some((index.name.clone(), format!("{}{sort}{sparse}", key.key.partition)))
            })
            .collect()
    };
    let (one, two) = (shapes(old_model, old), shapes(new_model, new));
    pairs(
        &one,
        &two,
        |(name, _)| name.clone(),
        |pair| {
            let what = format!("entity {}", new.name);
            match pair {
                Pair::Added((name, shape)) => {
                    changes.push(change(
                        what,
                        format!("enters {name} as {shape}"),
                        Migration::Backfill,
                        "write the key attributes into every item",
                    ));
                }
                Pair::Removed((name, _)) => {
                    changes.push(change(
                        what,
                        format!("leaves {name}"),
                        Migration::Backfill,
                        "remove the key attributes from every item",
                    ));
                }
                Pair::Both((name, before), (_, after)) if before != after => changes.push(change(
                    what,
                    format!("in {name}: {before} becomes {after}"),
                    Migration::Backfill,
                    "write the key attributes anew into every item",
                )),
                Pair::Both(..) => {}
            }
        },
    );
}

fn pattern(old: &Pattern, new: &Pattern, changes: &mut Vec<Change>) {
    let plan = |pattern: &Pattern| {
        let plan = &pattern.plan;
        let order = if plan.descending { " descending" } else { "" };
        format!(
            "{} {} {}{order}, {} a page",
            plan.request,
            plan.place(),
            plan.key_condition(),
            plan.requests()
        )
    };
    if plan(old) != plan(new) {
        changes.push(change(
            format!("pattern {}", new.name),
            format!("{} becomes {}", plan(old), plan(new)),
            Migration::None,
            "read the new way when the data is there",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> Model {
        let compiled = keyfold_model::compile(text);
        compiled.model.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics))
    }

    #[test]
    fn each_change_says_what_it_means_for_data() {
        let old = "model m 1\ntable Shop (PK, SK)\n  gsi GSI1 (A, B)\nentity User\n  id: string, city: string\n  key \"U#{id}\" \"P\"\nentity Gone\n  g: string\n  key \"G#{g}\" \"P\"\npattern user(id) -> User?\n";
        let new = "model m 2\ntable Shop (PK, SK)\n  gsi GSI1 (A, B)\nentity User\n  id: string, city: string, age: int, name: string?\n  key \"U#{id}\" \"PROFILE\"\n  GSI1 \"C#{city}\" \"{id}\"\n  unique city\npattern user(id) -> User?\n";
        let found: Vec<(String, Migration)> = diff(&model(old), &model(new))
            .into_iter()
            .map(|one| (format!("{}: {}", one.what, one.how), one.migration))
            .collect();
        let has = |text: &str, migration: Migration| {
            assert!(
                found.iter().any(|(what, is)| what.contains(text) && *is == migration),
                "{text}: {found:#?}"
            );
        };
        has("key \"U#{id}\" \"P\" becomes", Migration::Rewrite);
        has("attribute age added", Migration::Backfill);
        has("attribute name added", Migration::None);
        has("enters GSI1", Migration::Backfill);
        has("unique city added", Migration::Backfill);
        has("entity Gone: removed", Migration::Delete);
        has("pattern user: GetItem", Migration::None);
        assert_eq!(diff(&model(old), &model(old)), []);
    }
}
