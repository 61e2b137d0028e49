//! Entities of two models: added, removed, renamed or changed.

use super::change::{Change, Changes, Migration, Place};
use super::entity::entity;
use super::pairs::{Pair, pairs};
use super::shape::key_text;
use keyfold_model::{Entity, Model};

/// Compares the entities of two models. They are matched by name; an entity that is gone and a new
/// one with the same key count as one that was renamed.
pub(super) fn entities(old: &Model, new: &Model, all: &mut Vec<Change>) {
    let renamed = renamed(old, new);
    for (one, two) in &renamed {
        rename(
            new,
            two,
            &mut Changes::of(title(one), Place::New(two.span), all),
        );
        entity((old, one), (new, two), all);
    }
    let is_renamed = |name: &str| {
        renamed
            .iter()
            .any(|(one, two)| one.name == name || two.name == name)
    };
    for pair in pairs(&old.entities, &new.entities, |entity| &entity.name) {
        match pair {
            Pair::Added(one) | Pair::Removed(one) if is_renamed(&one.name) => {}
            Pair::Added(two) => {
                let mut changes = Changes::of(title(two), Place::New(two.span), all);
                match two.view {
                    None => changes.add_harmless("added"),
                    Some(_) => changes.add(
                        "added",
                        Migration::Backfill,
                        format!("build it: `keyfold views rebuild FILE {}`", two.name),
                    ),
                }
            }
            Pair::Removed(one) => Changes::of(title(one), Place::Old(one.span), all).add(
                "removed",
                Migration::Delete,
                if one.view.is_some() {
                    "stop its upkeep, and delete its rows"
                } else {
                    "delete its items with their copies and guards"
                },
            ),
            Pair::Both(one, two) => entity((old, one), (new, two), all),
        }
    }
}

/// An entity or a view, as the model declares it.
pub(super) fn title(entity: &Entity) -> String {
    let word = entity.view.as_ref().map_or("entity", |_| "view");
    format!("{word} {}", entity.name)
}

/// The entities that got another name, each with its new form.
fn renamed<'m>(old: &'m Model, new: &'m Model) -> Vec<(&'m Entity, &'m Entity)> {
    let mut renamed: Vec<(&Entity, &Entity)> = Vec::new();
    let is_gone = |one: &&Entity| new.entity(&one.name).is_none();
    for one in old.entities.iter().filter(is_gone) {
        let two = new.entities.iter().find(|two| {
            old.entity(&two.name).is_none()
                && key_text(&one.key) == key_text(&two.key)
                && !renamed.iter().any(|(_, taken)| taken.name == two.name)
        });
        renamed.extend(two.map(|two| (one, two)));
    }
    renamed
}

/// Reports a new name. Items have the name of their entity in the type attribute, and in the keys
/// of guards.
fn rename(model: &Model, new: &Entity, changes: &mut Changes<'_>) {
    let table = model.tables.get(new.table);
    let has_type_attribute = table.is_some_and(|table| table.type_attribute.is_some());
    let has_guards = !new.uniques.is_empty();
    let (migration, todo) = match (has_type_attribute, has_guards) {
        (false, false) => (Migration::None, ""),
        (true, false) => (
            Migration::Backfill,
            "write the new name into the attribute of the kind",
        ),
        (false, true) => (
            Migration::Rewrite,
            "put the guards of unique values under the new name, and delete the old ones",
        ),
        (true, true) => (
            Migration::Rewrite,
            "write the new name into the attribute of the kind; put the guards of unique values under it, and delete the old ones",
        ),
    };
    changes.add(
        format!("becomes {}, under the same key", new.name),
        migration,
        todo,
    );
}
