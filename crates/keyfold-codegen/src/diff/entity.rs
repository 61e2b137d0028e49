//! Differences of an entity: key, attributes, indexes, copies, guards, aggregates, form.

use super::{Change, Migration, Pair, change, pairs};
use keyfold_model::schema::Aggregate;
use keyfold_model::{Attribute, Entity, Model};

pub(super) fn entity(
    old_model: &Model,
    new_model: &Model,
    old: &Entity,
    new: &Entity,
    changes: &mut Vec<Change>,
) {
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
    copies(old, new, changes);
    uniques(old, new, changes);
    aggregates((old_model, old), (new_model, new), changes);
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

fn copies(old: &Entity, new: &Entity, changes: &mut Vec<Change>) {
    let what = || format!("entity {}", new.name);
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
}

fn uniques(old: &Entity, new: &Entity, changes: &mut Vec<Change>) {
    let what = || format!("entity {}", new.name);
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
}

fn aggregates(
    (old_model, old): (&Model, &Entity),
    (new_model, new): (&Model, &Entity),
    changes: &mut Vec<Change>,
) {
    let what = || format!("entity {}", new.name);
    let print = |model: &Model, aggregate: &Aggregate| {
        let child = model.entities.get(aggregate.entity).map(|child| child.name.clone());
        format!("{} {child:?} {:?} {:?}", aggregate.kind.word(), aggregate.of, aggregate.condition)
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
            Pair::Both(one, two) if print(old_model, one) != print(new_model, two) => {
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
