//! Differences of an entity: key, attributes, indexes, copies, guards, aggregates, form.

use super::{Change, Migration, Pair, change, pairs};
use keyfold_model::schema::Aggregate;
use keyfold_model::template::print;
use keyfold_model::{Attribute, Entity, KeyTemplate, Model, Type};

pub(super) fn entity(
    old_model: &Model,
    new_model: &Model,
    old: &Entity,
    new: &Entity,
    changes: &mut Vec<Change>,
) {
    let what = || format!("entity {}", new.name);
    let table_of = |model: &Model, entity: &Entity| {
        model
            .tables
            .get(entity.table)
            .map(|table| table.name.clone())
    };
    if table_of(old_model, old) != table_of(new_model, new) {
        changes.push(change(
            what(),
            "lies in another table",
            Migration::Rewrite,
            "move every item",
        ));
    }
    if key_text(old) != key_text(new) {
        changes.push(change(
            what(),
            format!("key {} becomes {}", key_text(old), key_text(new)),
            Migration::Rewrite,
            "put every item under its new key, and delete the old one",
        ));
    }
    pairs(
        &old.attributes,
        &new.attributes,
        |attribute: &Attribute| attribute.name.clone(),
        |pair| {
            attribute(new, pair, changes);
        },
    );
    indexes(old_model, new_model, old, new, changes);
    let expected = |entity: &Entity| {
        let expected = &entity.expected;
        (
            expected.items,
            expected.bytes,
            expected.writes,
            expected.per.clone(),
        )
    };
    if expected(old) != expected(new) {
        changes.push(change(what(), "expects other numbers", Migration::None, ""));
    }
    copies(old, new, changes);
    uniques(old, new, changes);
    aggregates((old_model, old), (new_model, new), changes);
    let forms = |entity: &Entity| (entity.split.clone(), entity.compressed.clone());
    if forms(old) != forms(new) {
        let todo = if old.compressed == new.compressed {
            "put every item anew"
        } else {
            "delete every item with the old model, and put it with the new one: neither reads the other's form"
        };
        changes.push(change(
            what(),
            "is split or compressed in another way",
            Migration::Rewrite,
            todo,
        ));
    }
    if old.ttl != new.ttl {
        changes.push(change(
            what(),
            "expires in another way",
            Migration::Backfill,
            "put every item anew",
        ));
    }
    match (&old.version, &new.version) {
        (one, two) if one == two => {}
        (Some(name), None) => changes.push(change(
            what(),
            format!("versions are not counted in {name} any more"),
            Migration::None,
            "items that are there keep it",
        )),
        (_, Some(name)) => changes.push(change(
            what(),
            format!("versions are counted in {name}"),
            Migration::Backfill,
            "write a first version into every item",
        )),
        (None, None) => {}
    }
}

/// The key of an entity as text.
pub(super) fn key_text(entity: &Entity) -> String {
    let sort = entity
        .key
        .sort
        .as_ref()
        .map_or(String::new(), |sort| format!(" {sort}"));
    format!("{}{sort}", entity.key.partition)
}

fn copies(old: &Entity, new: &Entity, changes: &mut Vec<Change>) {
    let place = |copy: &keyfold_model::Copy| {
        (
            copy.key.partition.to_string(),
            copy.key.sort.as_ref().map(ToString::to_string),
        )
    };
    let what = || format!("entity {}", new.name);
    let shape = |copy: &keyfold_model::Copy| {
        let sort = copy
            .key
            .sort
            .as_ref()
            .map_or(String::new(), |sort| format!(" {sort}"));
        let mut held = copy.attributes.clone();
        held.sort();
        format!("{}{sort} only {}", copy.key.partition, held.join(", "))
    };
    pairs(
        &old.copies,
        &new.copies,
        |copy| copy.name.clone(),
        |pair| {
            match pair {
            Pair::Added(copy) => changes.push(change(
                what(),
                format!("copy {} added", copy.name),
                Migration::Backfill,
                "write it for every item: delete and put it (a put of an item as it is writes the item only)",
            )),
            Pair::Removed(copy) => changes.push(change(
                what(),
                format!("copy {} removed", copy.name),
                Migration::Delete,
                "delete it for every item",
            )),
            Pair::Both(one, two) if shape(one) != shape(two) && place(one) == place(two) => {
                changes.push(change(
                    what(),
                    format!(
                        "copy {} holds {}, and not {}",
                        two.name,
                        two.attributes.join(", "),
                        one.attributes.join(", ")
                    ),
                    Migration::Backfill,
                    "write it anew for every item",
                ))
            }
            Pair::Both(one, two) if shape(one) != shape(two) => changes.push(change(
                what(),
                format!("copy {}: {} becomes {}", two.name, shape(one), shape(two)),
                Migration::Rewrite,
                "write it anew for every item, and delete the old one",
            )),
            Pair::Both(..) => {}
        }
        },
    );
}

fn uniques(old: &Entity, new: &Entity, changes: &mut Vec<Change>) {
    let what = || format!("entity {}", new.name);
    for unique in new
        .uniques
        .iter()
        .filter(|unique| !old.uniques.contains(unique))
    {
        changes.push(change(
            what(),
            format!("unique {} added", unique.join(", ")),
            Migration::Backfill,
            "write a guard for every item: delete and put it (a put of an item as it is writes the item only); values that are there twice must be settled first",
        ));
    }
    for unique in old
        .uniques
        .iter()
        .filter(|unique| !new.uniques.contains(unique))
    {
        changes.push(change(
            what(),
            format!("unique {} removed", unique.join(", ")),
            Migration::Delete,
            "delete its guards",
        ));
    }
}

fn aggregates(
    (old_model, old): (&Model, &Entity),
    (new_model, new): (&Model, &Entity),
    changes: &mut Vec<Change>,
) {
    let what = || format!("entity {}", new.name);
    let print = |model: &Model, aggregate: &Aggregate| {
        let child = model
            .entities
            .get(aggregate.entity)
            .map(|child| child.name.clone());
        let Aggregate {
            of,
            link,
            condition,
            ..
        } = aggregate;
        format!(
            "{} {child:?} {of:?} {link:?} {condition:?}",
            aggregate.kind.word()
        )
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
                Migration::None,
                "items that are there keep what was last computed, and nothing keeps it right",
            )),
            Pair::Both(one, two) if print(old_model, one) != print(new_model, two) => {
                changes.push(change(
                    what(),
                    format!("{} {} changed", two.kind.word(), two.attribute),
                    Migration::Backfill,
                    "compute it anew for every item, with what is kept beside it (`:items`, `:changes`)",
                ));
            }
            Pair::Both(..) => {}
        },
    );
}

/// What an attribute is part of, in words: a change of its form changes all of that.
fn uses(entity: &Entity, name: &str) -> String {
    let mut places: Vec<String> = Vec::new();
    if entity.key.fields().any(|field| field == name) {
        places.push("the key".to_owned());
    }
    let in_index = entity
        .indexes
        .iter()
        .filter(|key| key.is_declared && key.key.fields().any(|field| field == name));
    if in_index.count() > 0 {
        places.push("index keys".to_owned());
    }
    let copies = entity.copies.iter().filter(|copy| {
        copy.attributes.iter().any(|held| held == name)
            || copy.key.fields().any(|field| field == name)
    });
    places.extend(copies.map(|copy| format!("the copy {}", copy.name)));
    if entity.uniques.iter().flatten().any(|unique| unique == name) {
        places.push("a guard".to_owned());
    }
    if places.is_empty() {
        String::new()
    } else {
        format!("; {} made of it with it", places.join(", "))
    }
}

fn attribute(entity: &Entity, pair: Pair<'_, Attribute>, changes: &mut Vec<Change>) {
    let what = format!("entity {}", entity.name);
    let shape = |attribute: &Attribute| {
        let optional = if attribute.optional { "?" } else { "" };
        let refers = attribute
            .refers
            .as_ref()
            .map_or(String::new(), |(e, a)| format!(" of {e}.{a}"));
        format!("{}{optional}{refers}", fields(&attribute.kind))
    };
    let default = |attribute: &Attribute| {
        attribute
            .default
            .as_ref()
            .filter(|_| !attribute.is_kept)
            .map(crate::document::default_text)
    };
    match pair {
        Pair::Added(one) if one.optional || one.is_kept => {
            changes.push(change(
                what,
                format!("attribute {} added, {}", one.name, shape(one)),
                Migration::None,
                "",
            ));
        }
        Pair::Added(one) => {
            let todo = match default(one) {
                Some(default) => {
                    format!("write it into every item, for instance its default {default}")
                }
                None => "write it into every item: it is required".to_owned(),
            };
            changes.push(change(
                what,
                format!("attribute {} added, {}", one.name, shape(one)),
                Migration::Backfill,
                todo,
            ));
        }
        // Of what is kept up to date, its own line says more.
        Pair::Removed(one) if one.is_kept => {}
        Pair::Removed(one) => changes.push(change(
            what,
            format!("attribute {} removed", one.name),
            Migration::None,
            "items that are there keep it",
        )),
        Pair::Both(one, two) => {
            if let Some((migration, todo)) = form(entity, one, two) {
                let how = format!(
                    "attribute {}: {} becomes {}",
                    two.name,
                    shape(one),
                    shape(two)
                );
                changes.push(change(what.clone(), how, migration, todo));
            } else if shape(one) != shape(two) {
                let how = format!(
                    "attribute {}: {} becomes {}",
                    two.name,
                    shape(one),
                    shape(two)
                );
                changes.push(change(what.clone(), how, Migration::None, ""));
            }
            if default(one) != default(two) {
                let text = |default: Option<String>| default.unwrap_or_else(|| "none".to_owned());
                let how = format!(
                    "attribute {}: default {} becomes {}",
                    two.name,
                    text(default(one)),
                    text(default(two))
                );
                changes.push(change(what, how, Migration::None, ""));
            }
        }
    }
}

/// What a change of an attribute's form means for its values; `None` when they stay as they are.
fn form(entity: &Entity, one: &Attribute, two: &Attribute) -> Option<(Migration, String)> {
    let becomes_required = one.optional && !two.optional;
    let required = || {
        (
            Migration::Backfill,
            "write it into every item that lacks it".to_owned(),
        )
    };
    match (&one.kind, &two.kind) {
        (one, two) if one == two => becomes_required.then(required),
        (Type::Int, Type::Number) => becomes_required.then(required),
        (Type::Number, Type::Int) => Some((
            Migration::Backfill,
            "settle the items whose value is no whole number".to_owned(),
        )),
        // What was a text of some form is a text as it is; but its signs may be delimiters, and
        // guards escape it.
        (before, Type::String) if before.is_text() => {
            let in_keys = uses(entity, &two.name);
            if in_keys.is_empty() || matches!(before, Type::Words(_) | Type::Ulid) {
                return becomes_required.then(required);
            }
            let todo = format!(
                "values in keys must hold no delimiter now, and guards escape it: put every item under its new keys{in_keys}"
            );
            Some((Migration::Rewrite, todo))
        }
        (Type::String, after) if after.is_text() => {
            let form = fields(after);
            Some((
                Migration::Backfill,
                format!(
                    "write every value that is not written as a {form} is stored in that form; settle those that are none"
                ),
            ))
        }
        (Type::Words(before), Type::Words(after)) => {
            let gone: Vec<&str> = before
                .iter()
                .filter(|word| !after.contains(word))
                .map(String::as_str)
                .collect();
            if gone.is_empty() {
                return becomes_required.then(required);
            }
            Some((
                Migration::Backfill,
                format!("settle the items that have {}", gone.join(", ")),
            ))
        }
        _ => {
            let todo = format!(
                "write its values in the new form into every item{}",
                uses(entity, &two.name)
            );
            Some((Migration::Rewrite, todo))
        }
    }
}

/// A type with the fields of its records, so that a change of one is seen.
pub(super) fn fields(kind: &Type) -> String {
    match kind {
        Type::List(of) => format!("list of {}", fields(of)),
        Type::Map(of) => format!("map of {}", fields(of)),
        Type::Record(record) => {
            let each = record.fields.iter().map(|(name, kind, optional)| {
                format!(
                    "{name}: {}{}",
                    fields(kind),
                    if *optional { "?" } else { "" }
                )
            });
            format!(
                "{} {{{}}}",
                record.name,
                each.collect::<Vec<_>>().join(", ")
            )
        }
        Type::Words(words) => {
            let mut sorted = words.clone();
            sorted.sort();
            sorted.join(" | ")
        }
        other => other.to_string(),
    }
}

/// The key attributes that an entity's items have for indexes: what they are made of, and when.
fn made(model: &Model, entity: &Entity) -> Vec<(String, String)> {
    let Some(table) = model.tables.get(entity.table) else {
        return Vec::new();
    };
    let mut all: Vec<(String, String)> = Vec::new();
    for key in entity.indexes.iter() {
        let Some(index) = table.indexes.get(key.index) else {
            continue;
        };
        let sparse = key.sparse.as_ref().map_or(String::new(), |sparse| {
            let value = sparse
                .value
                .as_ref()
                .map_or(String::new(), |value| format!(" = {value}"));
            format!(" when {}{value}", sparse.attribute)
        });
        let templates = std::iter::once(&key.key.partition).chain(&key.key.sort);
        for (column, parts) in index
            .columns()
            .zip(templates.flat_map(KeyTemplate::columns))
        {
            let own = column.name == table.partition.name
                || table
                    .sort
                    .as_ref()
                    .is_some_and(|sort| sort.name == column.name);
            let itself = entity.attribute(&column.name).is_some();
            if !own && !itself && !all.iter().any(|(name, _)| *name == column.name) {
                all.push((column.name.clone(), format!("{}{sparse}", print(parts))));
            }
        }
    }
    all
}

fn indexes(
    old_model: &Model,
    new_model: &Model,
    old: &Entity,
    new: &Entity,
    changes: &mut Vec<Change>,
) {
    let (one, two) = (made(old_model, old), made(new_model, new));
    pairs(
        &one,
        &two,
        |(name, _)| name.clone(),
        |pair| {
            let what = format!("entity {}", new.name);
            match pair {
                Pair::Added((name, shape)) => changes.push(change(
                    what,
                    format!("makes {name} as {shape}"),
                    Migration::Backfill,
                    "write the key attribute into every item",
                )),
                Pair::Removed((name, _)) => changes.push(change(
                    what,
                    format!("makes {name} no more"),
                    Migration::Backfill,
                    "remove it from every item: with it they stay in the index, and are found there",
                )),
                Pair::Both((name, before), (_, after)) if before != after => changes.push(change(
                    what,
                    format!("makes {name} as {after}, and not {before}"),
                    Migration::Backfill,
                    "write the key attribute anew into every item",
                )),
                Pair::Both(..) => {}
            }
        },
    );
}
