//! The differences between two models, and the migration of existing data that each asks for.

mod entity;
mod table;

use crate::chart::{promise, write_row as row};
use entity::entity;
use keyfold_model::{Entity, Format, Model, Part, Pattern, Table, Type};
use serde_json::{Value as Json, json};
use table::table;

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
    if (&old.name, old.version) != (&new.name, new.version) {
        let how = format!(
            "{} {} becomes {} {}",
            old.name, old.version, new.name, new.version
        );
        changes.push(change("model".to_owned(), how, Migration::None, ""));
    }
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
            Pair::Both(one, two) => {
                table(one, two, &mut changes);
                signs((old, one), (new, two), &mut changes);
            }
        },
    );
    entities(old, new, &mut changes);
    pairs(
        &old.patterns,
        &new.patterns,
        |pattern: &Pattern| pattern.name.clone(),
        |pair| match pair {
            Pair::Added(pattern) => changes.push(change(
                format!("pattern {}", pattern.name),
                "added",
                Migration::None,
                "",
            )),
            Pair::Removed(pattern) => {
                changes.push(change(
                    format!("pattern {}", pattern.name),
                    "removed",
                    Migration::None,
                    "",
                ));
            }
            Pair::Both(one, two) => pattern((old, one), (new, two), &mut changes),
        },
    );
    pairs(
        &old.writes,
        &new.writes,
        |write| write.name.clone(),
        |pair| match pair {
            Pair::Added(write) => changes.push(change(
                format!("write {}", write.name),
                "added",
                Migration::None,
                "",
            )),
            Pair::Removed(write) => changes.push(change(
                format!("write {}", write.name),
                "removed",
                Migration::None,
                "",
            )),
            Pair::Both(one, two) => {
                let shape = |model: &Model, write: &keyfold_model::Write| {
                    // With the fields of records: they are what a caller gives.
                    let one = |parameter: &keyfold_model::schema::WriteParameter| {
                        let optional = if parameter.optional { "?" } else { "" };
                        format!(
                            "{}: {}{optional}",
                            parameter.name,
                            entity::fields(&parameter.kind)
                        )
                    };
                    let mut parameters: Vec<String> = write.parameters.iter().map(one).collect();
                    parameters.sort();
                    format!(
                        "({}) {}",
                        parameters.join(", "),
                        row(model, write).actions.join("; ")
                    )
                };
                let (before, after) = (shape(old, one), shape(new, two));
                if before != after {
                    let how = format!("{before} becomes {after}");
                    changes.push(change(
                        format!("write {}", two.name),
                        how,
                        Migration::None,
                        "",
                    ));
                }
            }
        },
    );
    changes
}

/// Signs that stand between the parts of keys: no value in a key may hold one, and `:escape` writes
/// them in another way. They are those of a whole table, so a new one concerns kinds that have not
/// changed.
fn signs(
    (old_model, old): (&Model, &Table),
    (new_model, new): (&Model, &Table),
    changes: &mut Vec<Change>,
) {
    let differ = |one: &Table, two: &Table| -> Vec<char> {
        two.delimiters
            .iter()
            .filter(|sign| !one.delimiters.contains(sign))
            .copied()
            .collect()
    };
    let (added, removed) = (differ(old, new), differ(new, old));
    let shown = |signs: &[char]| {
        signs
            .iter()
            .map(|sign| format!("`{sign}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let what = || format!("table {}", new.name);
    if !added.is_empty() {
        let (plain, escaped) = (
            texts_in_keys(old_model, old, false),
            texts_in_keys(old_model, old, true),
        );
        if !plain.is_empty() {
            changes.push(change(
                what(),
                format!("{} separates the parts of keys now", shown(&added)),
                Migration::Rewrite,
                format!(
                    "items with it in {} can no longer be read or written: give them other values, or write another sign",
                    plain.join(", ")
                ),
            ));
        }
        if !escaped.is_empty() {
            changes.push(change(
                what(),
                format!("{} is escaped in keys now", shown(&added)),
                Migration::Rewrite,
                format!(
                    "put items with it in {} under their new keys, and delete the old ones",
                    escaped.join(", ")
                ),
            ));
        }
    }
    let escaped = texts_in_keys(new_model, new, true);
    if !removed.is_empty() && !escaped.is_empty() {
        changes.push(change(
            what(),
            format!("{} is no longer escaped in keys", shown(&removed)),
            Migration::Rewrite,
            format!(
                "put items with it in {} under their new keys, and delete the old ones",
                escaped.join(", ")
            ),
        ));
    }
}

/// The texts that keys of a table's entities are made of: those that are escaped, or those that are
/// not.
fn texts_in_keys(model: &Model, table: &Table, escaped: bool) -> Vec<String> {
    let of_table = |entity: &&Entity| {
        model
            .tables
            .get(entity.table)
            .is_some_and(|own| own.name == table.name)
    };
    let mut names: Vec<String> = Vec::new();
    for entity in model.entities.iter().filter(of_table) {
        let keys = std::iter::once(&entity.key)
            .chain(entity.indexes.iter().map(|index| &index.key))
            .chain(entity.copies.iter().map(|copy| &copy.key));
        let parts = keys
            .flat_map(|key| std::iter::once(&key.partition).chain(&key.sort))
            .flat_map(|one| &one.parts);
        for part in parts {
            if let Part::Field {
                name,
                kind: Type::String,
                format,
            } = part
                && (*format == Format::Escaped) == escaped
                && matches!(format, Format::Plain | Format::Lower | Format::Escaped)
            {
                names.push(format!("{}.{name}", entity.name));
            }
        }
        // The guards of unique texts are escaped, too.
        let guarded = entity.uniques.iter().flatten().filter(|name| {
            escaped
                && entity
                    .attribute(name)
                    .is_some_and(|attribute| attribute.kind == Type::String)
        });
        names.extend(guarded.map(|name| format!("{}.{name} (unique)", entity.name)));
    }
    names.sort();
    names.dedup();
    names
}

/// The differences for programs.
pub fn json(changes: &[Change]) -> Json {
    changes
        .iter()
        .map(|one| json!({ "what": one.what, "how": one.how, "migration": one.migration.word(), "todo": one.todo }))
        .collect()
}

fn change(
    what: String,
    how: impl Into<String>,
    migration: Migration,
    todo: impl Into<String>,
) -> Change {
    Change {
        what,
        how: how.into(),
        migration,
        todo: todo.into(),
    }
}

enum Pair<'p, T> {
    Added(&'p T),
    Removed(&'p T),
    Both(&'p T, &'p T),
}

fn pairs<'p, T>(
    old: &'p [T],
    new: &'p [T],
    name: impl Fn(&T) -> String,
    mut each: impl FnMut(Pair<'p, T>),
) {
    for one in old {
        match new.iter().find(|two| name(two) == name(one)) {
            Some(two) => each(Pair::Both(one, two)),
            None => each(Pair::Removed(one)),
        }
    }
    for two in new
        .iter()
        .filter(|two| !old.iter().any(|one| name(one) == name(two)))
    {
        each(Pair::Added(two));
    }
}

/// Everything that is said of a pattern, for each choice of its optional parameters.
fn pattern(
    (old_model, old): (&Model, &Pattern),
    (new_model, new): (&Model, &Pattern),
    changes: &mut Vec<Change>,
) {
    let shape = |model: &Model, pattern: &Pattern| {
        let parameters = pattern.parameters.iter().map(|parameter| {
            let optional = if parameter.optional { "?" } else { "" };
            format!(
                "{}: {}{optional}",
                parameter.name,
                entity::fields(&parameter.kind)
            )
        });
        let parameters: Vec<String> = parameters.collect();
        let plans = pattern.plans().map(|(without, plan)| {
            let order = if plan.descending { " descending" } else { "" };
            let strong = if plan.strong { " strong" } else { "" };
            let without = if without.is_empty() {
                String::new()
            } else {
                format!(" without {}", without.join(", "))
            };
            let page = plan
                .page
                .map_or(String::new(), |page| format!(" page {page}"));
            let filters: String = plan
                .filters
                .iter()
                .map(|filter| format!(" filter {filter}"))
                .collect();
            format!(
                "{} {} {}{order}{page}{strong}{filters}, {} a page{without}",
                plan.request,
                plan.place(),
                plan.key_condition(),
                plan.requests()
            )
        });
        let plans: Vec<String> = plans.collect();
        format!(
            "({}) -> {} by {}",
            parameters.join(", "),
            promise(model, pattern),
            plans.join("; ")
        )
    };
    let (before, after) = (shape(old_model, old), shape(new_model, new));
    if before != after {
        changes.push(change(
            format!("pattern {}", new.name),
            format!("{before} becomes {after}"),
            Migration::None,
            "read the new way when the data is there",
        ));
    }
}

/// Entities by name; one that is gone and one that is new under the same key are one that was
/// renamed.
fn entities(old: &Model, new: &Model, changes: &mut Vec<Change>) {
    let gone = |entity: &&Entity| new.entity(&entity.name).is_none();
    let mut renamed: Vec<(&str, &str)> = Vec::new();
    for one in old.entities.iter().filter(gone) {
        let two = new.entities.iter().find(|two| {
            old.entity(&two.name).is_none()
                && entity::key_text(one) == entity::key_text(two)
                && !renamed.iter().any(|(_, name)| *name == two.name)
        });
        if let Some(two) = two {
            renamed.push((&one.name, &two.name));
            let table = new.tables.get(two.table);
            let is_marked = table.is_some_and(|table| table.type_attribute.is_some());
            let (migration, todo) = match (is_marked, two.uniques.is_empty()) {
                (false, true) => (Migration::None, ""),
                (true, true) => (
                    Migration::Backfill,
                    "write the new name into the attribute of the kind",
                ),
                (false, false) => (
                    Migration::Rewrite,
                    "put the guards of unique values under the new name, and delete the old ones",
                ),
                (true, false) => (
                    Migration::Rewrite,
                    "write the new name into the attribute of the kind; put the guards of unique values under it, and delete the old ones",
                ),
            };
            changes.push(change(
                format!("entity {}", one.name),
                format!("becomes {}, under the same key", two.name),
                migration,
                todo,
            ));
            entity(old, new, one, two, changes);
        }
    }
    pairs(
        &old.entities,
        &new.entities,
        |entity: &Entity| entity.name.clone(),
        |pair| match pair {
            Pair::Added(two) if renamed.iter().any(|(_, name)| *name == two.name) => {}
            Pair::Removed(one) if renamed.iter().any(|(name, _)| *name == one.name) => {}
            Pair::Added(two) => changes.push(change(
                format!("entity {}", two.name),
                "added",
                Migration::None,
                "",
            )),
            Pair::Removed(one) => changes.push(change(
                format!("entity {}", one.name),
                "removed",
                Migration::Delete,
                "delete its items with their copies and guards",
            )),
            Pair::Both(one, two) => entity(old, new, one, two, changes),
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(text: &str) -> Model {
        let compiled = keyfold_model::compile(text);
        compiled
            .model
            .unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics))
    }

    #[test]
    fn what_a_difference_means_is_what_happens_to_the_data() {
        let head = "model m 1\ntable Shop (PK, SK) type kind\n  gsi GSI1 (A, B)\nrecord Line\n  sku: string\nentity User\n  id: string, city: string, state: on | off\n  key \"U#{id}\" \"P\"\n  GSI1 \"C#{city}\" \"{id}\"\nentity Race\n  race: string, path: string\n  key \"R#{race}\" \"P#{path:escape}\"\nwrite add(lines: list of Line)\n  check User\n";
        let changed = |from: &str, to: &str| {
            let new = head.replace(from, to);
            assert_ne!(new, head);
            diff(&model(head), &model(&new))
        };
        let is = |changes: &[Change], how: &str, migration: Migration, todo: &str| {
            let found = changes.iter().any(|one| {
                one.how.contains(how) && one.migration == migration && one.todo.contains(todo)
            });
            assert!(found, "{how}: {changes:#?}");
        };
        // A sign of one kind's key is forbidden in the values of all, and escaped where that is
        // said.
        let signs = changed("\"R#{race}\"", "\"R-{race}\"");
        is(
            &signs,
            "`-` separates",
            Migration::Rewrite,
            "Race.race, User.city, User.id",
        );
        is(&signs, "`-` is escaped", Migration::Rewrite, "Race.path");
        // With the attributes of its key an item stays in the index.
        is(
            &changed("  GSI1 \"C#{city}\" \"{id}\"\n", ""),
            "makes A no more",
            Migration::Backfill,
            "remove it",
        );
        // Words are texts already.
        is(
            &changed("state: on | off", "state: string"),
            "becomes string",
            Migration::None,
            "",
        );
        is(
            &changed("city: string", "city: on | off"),
            "becomes off | on",
            Migration::Backfill,
            "settle",
        );
        is(
            &changed(" type kind", ""),
            "not written to kind",
            Migration::None,
            "keep it",
        );
        is(
            &changed("  sku: string", "  sku: string, n: int"),
            "n: int",
            Migration::None,
            "",
        );
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
                found
                    .iter()
                    .any(|(what, is)| what.contains(text) && *is == migration),
                "{text}: {found:#?}"
            );
        };
        has("key \"U#{id}\" \"P\" becomes", Migration::Rewrite);
        has("attribute age added", Migration::Backfill);
        has("attribute name added", Migration::None);
        has("makes A as \"C#{city}\"", Migration::Backfill);
        has("unique city added", Migration::Backfill);
        has("entity Gone: removed", Migration::Delete);
        has(
            "pattern user: (id: string) -> User? by GetItem",
            Migration::None,
        );
        assert_eq!(diff(&model(old), &model(old)), []);
    }
}
