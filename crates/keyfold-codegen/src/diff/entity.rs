//! Differences of an entity: key, attributes, indexes, copies, guards, aggregates, stored form.

use super::attribute::attribute;
use super::change::{Change, Changes, Migration, Place};
use super::index_keys::index_keys;
use super::owners::sharing;
use super::pairs::{Pair, pairs};
use super::renamed::renamed;
use super::shape::key_text;
use crate::view::view_text;
use keyfold_model::schema::{Aggregate, Condition, Expected, Unique, conjunction};
use keyfold_model::{Copy, Entity, Model};

/// Compares an entity of the old model with one of the new.
pub(super) fn entity(
    (old_model, old): (&Model, &Entity),
    (new_model, new): (&Model, &Entity),
    all: &mut Vec<Change>,
) {
    let Entity {
        name,
        was: _,
        part: _,
        span,
        end: _,
        is_shared,
        // `place` compares both.
        table: _,
        attributes,
        by_name: _,
        touched: _,
        key: _,
        // `identity` and `uniques` compare both.
        id: _,
        // `index_keys` compares the attributes that are made for them.
        indexes: _,
        copies: new_copies,
        uniques: _,
        ttl,
        version: new_version,
        aggregates: new_aggregates,
        split: _,
        unstored: _,
        compressed: _,
        expected,
        // It follows from the key.
        period_attribute: _,
        // `delimiters` compares it.
        excluded: _,
        // What rows items are made of changes nothing of what is stored.
        origin: _,
        // `view` compares both.
        view: _,
    } = new;
    let mut changes = Changes::of(format!("entity {name}"), Place::New(*span), all);
    sharing(old.is_shared, *is_shared, &mut changes);
    place((old_model, old), (new_model, new), &mut changes);
    for pair in pairs(&old.attributes, attributes, |one| &one.name) {
        attribute(new, pair, &mut changes);
    }
    index_keys((old_model, old), (new_model, new), &mut changes);
    view((old_model, old), (new_model, new), &mut changes);
    if numbers(&old.expected) != numbers(expected) {
        changes.add_harmless("expects other numbers");
    }
    copies(&old.copies, new_copies, &mut changes);
    identity(old, new, &mut changes);
    for pair in pairs(&old.aggregates, new_aggregates, |one| &one.attribute) {
        aggregate(old_model, new_model, pair, &mut changes);
    }
    stored_form(old, new, &mut changes);
    if old.ttl != *ttl {
        changes.add(
            "expires in another way",
            Migration::Backfill,
            "put every item again",
        );
    }
    version(old.version.as_deref(), new_version.as_deref(), &mut changes);
}

/// Compares what the rows of a view are kept from.
fn view(
    (old_model, old): (&Model, &Entity),
    (new_model, new): (&Model, &Entity),
    changes: &mut Changes<'_>,
) {
    let rebuild = format!("rebuild it: `keyfold views rebuild FILE {}`", new.name);
    let before = view_text(old_model, old).map(|one| (one.of, one.columns));
    let after = view_text(new_model, new).map(|one| (one.of, one.columns));
    match (before, after) {
        (None, None) => {}
        (None, Some(_)) => changes.add("becomes a view", Migration::Rewrite, rebuild),
        (Some(_), None) => {
            let todo = "stop its upkeep: its rows stay as they are";
            changes.add("is no view any more", Migration::Rewrite, todo);
        }
        (Some((old, _)), Some((new, _))) if old != new => {
            let what = format!("is kept from {new}, not from {old}");
            changes.add(what, Migration::Rewrite, rebuild);
        }
        (Some((_, old)), Some((_, new))) if old != new => {
            let changed = new.iter().filter(|one| !old.contains(one));
            let changed = changed.chain(old.iter().filter(|one| !new.contains(one)));
            let mut names: Vec<&str> = changed.map(|(name, _)| name.as_str()).collect();
            names.dedup();
            let what = format!("is made in another way: {}", names.join(", "));
            changes.add(what, Migration::Rewrite, rebuild);
        }
        (Some(_), Some(_)) => {}
    }
}

/// Compares the tables and keys of an entity.
fn place(
    (old_model, old): (&Model, &Entity),
    (new_model, new): (&Model, &Entity),
    changes: &mut Changes<'_>,
) {
    let table_name = |model: &Model, at: usize| model.tables.get(at).map(|one| one.name.clone());
    if table_name(old_model, old.table) != table_name(new_model, new.table) {
        changes.add(
            "lies in another table",
            Migration::Rewrite,
            "move every item",
        );
    }
    if key_text(&old.key) != key_text(&new.key) {
        changes.add(
            format!("key {} becomes {}", key_text(&old.key), key_text(&new.key)),
            Migration::Rewrite,
            "put every item under its new key, and delete the old one",
        );
    }
}

/// The numbers that an entity declares, without their place in the source.
fn numbers(expected: &Expected) -> ([Option<u64>; 3], &[(String, u64)]) {
    let Expected {
        items,
        bytes,
        writes,
        per,
        span: _,
    } = expected;
    ([*items, *bytes, *writes], per)
}

fn copies(old: &[Copy], new: &[Copy], changes: &mut Changes<'_>) {
    for pair in pairs(old, new, |copy| &copy.name) {
        match pair {
            Pair::Added(copy) => changes.add(
                format!("copy {} added", copy.name),
                Migration::Backfill,
                "write it for every item: delete and put it (a put of an item as it is writes the item only)",
            ),
            Pair::Removed(copy) => changes.add(
                format!("copy {} removed", copy.name),
                Migration::Delete,
                "delete it for every item",
            ),
            Pair::Both(one, two) => copy(one, two, changes),
        }
    }
}

fn copy(old: &Copy, new: &Copy, changes: &mut Changes<'_>) {
    let Copy {
        name,
        span: _,
        key,
        attributes,
        when,
    } = new;
    let sorted = |names: &[String]| {
        let mut sorted = names.to_vec();
        sorted.sort();
        sorted.join(", ")
    };
    let (key_before, key_after) = (key_text(&old.key), key_text(key));
    let (held_before, held_after) = (sorted(&old.attributes), sorted(attributes));
    if key_before != key_after {
        changes.add(
            format!(
                "copy {name}: {key_before} only {held_before} becomes {key_after} only {held_after}"
            ),
            Migration::Rewrite,
            "write it again for every item, and delete the old one",
        );
    } else if held_before != held_after {
        changes.add(
            format!(
                "copy {name} holds {}, and not {}",
                attributes.join(", "),
                old.attributes.join(", ")
            ),
            Migration::Backfill,
            "write it again for every item",
        );
    }
    let (when_before, when_after) = (condition(&old.when), condition(when));
    if when_before != when_after {
        changes.add(
            format!("copy {name}: {when_before} becomes {when_after}"),
            Migration::Rewrite,
            "write it for every item that has it now, and delete it for every other",
        );
    }
}

/// The condition of a copy in words.
fn condition(when: &[Condition]) -> String {
    if when.is_empty() {
        "always".to_owned()
    } else {
        format!("when {}", conjunction(when))
    }
}

/// Compares what identifies an item, the guards that say where it lies, and those of unique values.
fn identity(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    let (before, after) = (old.id.join(", "), new.id.join(", "));
    match (old.moves(), new.moves()) {
        (false, false) => {}
        (false, true) => changes.add(
            format!("id {after} added: {} of its key may change", new.moving().join(", ")),
            Migration::Backfill,
            "write a guard for every item, which says where it lies: delete and put it before the new model is used; ids that are there twice must be settled first",
        ),
        (true, false) => changes.add(
            format!("id {before} removed: its key does not change any more"),
            Migration::Delete,
            "delete its guards; updates, deletions and reads by the id give the whole key",
        ),
        (true, true) if before != after => changes.add(
            format!("id {before} becomes id {after}"),
            Migration::Rewrite,
            "put the guards of every item under the new id, and delete the old ones",
        ),
        (true, true) if old.moving() != new.moving() => changes.add(
            format!(
                "the guards of id {after} hold {}, and not {}",
                new.moving().join(", "),
                old.moving().join(", ")
            ),
            Migration::Backfill,
            "write the guard of every item again",
        ),
        (true, true) => {}
    }
    uniques(old, new, changes);
}

/// Compares the unique attributes beside the `id`.
fn uniques(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    fn others(entity: &Entity) -> Vec<&Unique> {
        let all = entity.uniques.iter();
        all.filter(|unique| !entity.is_id(unique)).collect()
    }
    let (old, new) = (others(old), others(new));
    for unique in new.iter().filter(|unique| !old.contains(unique)) {
        changes.add(
            format!("unique {} added", unique.joined(", ")),
            Migration::Backfill,
            "write a guard for every item: delete and put it (a put of an item as it is writes the item only); values that are there twice must be settled first",
        );
    }
    for unique in old.iter().filter(|unique| !new.contains(unique)) {
        changes.add(
            format!("unique {} removed", unique.joined(", ")),
            Migration::Delete,
            "delete its guards",
        );
    }
}

fn aggregate(
    old_model: &Model,
    new_model: &Model,
    pair: Pair<'_, Aggregate>,
    changes: &mut Changes<'_>,
) {
    let title = |one: &Aggregate| format!("{} {}", one.kind.word(), one.attribute);
    match pair {
        Pair::Added(one) => changes.add(
            format!("{} added", title(one)),
            Migration::Backfill,
            "compute it for every item",
        ),
        Pair::Removed(one) => changes.add(
            format!("{} removed", title(one)),
            Migration::None,
            "items that are there keep what was last computed, and nothing keeps it right",
        ),
        Pair::Both(one, two)
            if aggregate_text(one, child_now(old_model, new_model, one))
                != aggregate_text(two, child(new_model, two)) =>
        {
            changes.add(
                format!("{} changed", title(two)),
                Migration::Backfill,
                "compute it again for every item, with what is kept beside it (`:items`, `:changes`)",
            );
        }
        Pair::Both(..) => {}
    }
}

/// The name of the entity whose items an aggregate is made of.
fn child<'m>(model: &'m Model, aggregate: &Aggregate) -> Option<&'m str> {
    let child = model.entities.get(aggregate.entity);
    child.map(|child| child.name.as_str())
}

/// The name that this entity has in the new model.
fn child_now<'m>(old: &'m Model, new: &'m Model, aggregate: &Aggregate) -> Option<&'m str> {
    let name = child(old, aggregate)?;
    let renamed = renamed(old, new);
    let other = renamed.iter().find(|(one, _)| one.name == name);
    Some(other.map_or(name, |(_, two)| two.name.as_str()))
}

/// Everything that decides the value of an aggregate.
fn aggregate_text(aggregate: &Aggregate, child: Option<&str>) -> String {
    let Aggregate {
        kind,
        attribute: _,
        span: _,
        // `child` is its name.
        entity: _,
        of,
        // `link` follows from it.
        by: _,
        condition,
        link,
        // A plan, which the compiler derives from the model.
        next: _,
        next_copy: _,
    } = aggregate;
    format!("{} {child:?} {of:?} {link:?} {condition:?}", kind.word())
}

/// Reports a change of how items are stored: a list that is split, attributes that are compressed.
fn stored_form(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    unstored(old, new, changes);
    if old.split == new.split && old.compressed == new.compressed {
        return;
    }
    if let (Some(before), Some(after)) = (&old.split, &new.split)
        && before.0 == after.0
        && old.compressed == new.compressed
    {
        return changes.add(
            format!(
                "{} is split by {}, and not by {}",
                after.0, after.1, before.1
            ),
            Migration::None,
            "items that are there keep their parts, and get new ones when the list is written",
        );
    }
    let todo = if old.compressed == new.compressed {
        "put every item again"
    } else {
        "delete every item with the old model, and put it with the new one: neither reads the other's form"
    };
    changes.add(
        "is split or compressed in another way",
        Migration::Rewrite,
        todo,
    );
}

/// Reports attributes that are stored in keys only from now on, or in the items again.
fn unstored(old: &Entity, new: &Entity, changes: &mut Changes<'_>) {
    let only_in = |one: &Entity, other: &Entity| {
        let names = one.unstored.iter();
        let names = names.filter(|name| !other.unstored.contains(name));
        names.cloned().collect::<Vec<_>>()
    };
    let hidden = only_in(new, old);
    if !hidden.is_empty() {
        changes.add(
            format!("stores {} in keys only", hidden.join(", ")),
            Migration::None,
            "readers of the new model find them in the item or in its key; a reader of another kind may miss them",
        );
    }
    let mut shown = only_in(old, new);
    shown.retain(|name| new.attribute(name).is_some());
    if !shown.is_empty() {
        changes.add(
            format!("stores {} in items, and not in keys only", shown.join(", ")),
            Migration::Backfill,
            "put every item again: filters and conditions miss what is only in a key",
        );
    }
}

/// Reports a change of the attribute that counts versions.
fn version(old: Option<&str>, new: Option<&str>, changes: &mut Changes<'_>) {
    match (old, new) {
        (one, two) if one == two => {}
        (Some(name), None) => changes.add(
            format!("versions are not counted in {name} any more"),
            Migration::None,
            "items that are there keep it",
        ),
        (_, Some(name)) => changes.add(
            format!("versions are counted in {name}"),
            Migration::Backfill,
            "write a first version into every item",
        ),
        (None, None) => {}
    }
}
