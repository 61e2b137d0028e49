//! Entities and attributes with other names: those of which the new model says so (`was`), and those whose
//! items are the same bytes. Neither the name of an entity nor that of an attribute which is stored in keys
//! only is in its items.

use super::change::{Change, Changes, Migration, Place};
use super::shape::{key_text, title};
use keyfold_model::schema::{KeyPair, NewNames};
use keyfold_model::template::Part;
use keyfold_model::{Entity, Model, value};
use std::collections::BTreeMap;

/// The entities that got another name, each with its new form: their items lie under the same keys.
/// An entity with the same names in its key comes before one with other names.
pub(super) fn renamed<'m>(old: &'m Model, new: &'m Model) -> Vec<(&'m Entity, &'m Entity)> {
    let is_gone = |one: &&Entity| new.entity(&one.name).is_none();
    let is_new = |two: &&Entity| old.entity(&two.name).is_none();
    let has_table = |one: &Entity, two: &Entity| {
        let name = |model: &Model, at: usize| model.tables.get(at).map(|one| one.name.clone());
        name(old, one.table) == name(new, two.table)
    };
    let is_same_text = |one: &Entity, two: &Entity| key_text(&one.key) == key_text(&two.key);
    let is_same_key = |one: &Entity, two: &Entity| {
        has_table(one, two)
            && names_of_key(&one.key, &two.key).is_some_and(|names| are_free(&names, one, two))
    };
    // What the new model says comes before what the keys suggest.
    let said = new.entities.iter().filter_map(|two| {
        // Of several that become one, none is it under another name.
        let [was] = two.was.as_slice() else {
            return None;
        };
        let one = old.entity(was).filter(|_| two.part.is_none());
        Some((one.filter(is_gone)?, two))
    });
    let mut renamed: Vec<(&Entity, &Entity)> = said.filter(|(_, two)| is_new(two)).collect();
    for is_same in [
        &is_same_text as &dyn Fn(&Entity, &Entity) -> bool,
        &is_same_key,
    ] {
        for one in old.entities.iter().filter(is_gone) {
            if renamed.iter().any(|(known, _)| known.name == one.name) {
                continue;
            }
            let two = new.entities.iter().filter(is_new).find(|two| {
                is_same(one, two) && !renamed.iter().any(|(_, taken)| taken.name == two.name)
            });
            renamed.extend(two.map(|two| (one, two)));
        }
    }
    renamed
}

/// By entity of the old model, the new names of its attributes: those that the new model says (`was`), and
/// those of attributes that are stored in keys only. `changes` get a line about each.
pub(super) fn attributes(
    old: &Model,
    new: &Model,
    all: &mut Vec<Change>,
) -> BTreeMap<String, NewNames> {
    let renamed = renamed(old, new);
    let mut found = BTreeMap::new();
    for one in &old.entities {
        let other = renamed.iter().find(|(known, _)| known.name == one.name);
        let two = other.map(|(_, two)| *two).or_else(|| new.entity(&one.name));
        let Some(two) = two.filter(|_| !has_view(old, one)) else {
            continue;
        };
        let mut names = names_of_key(&one.key, &two.key).unwrap_or_default();
        names.retain(|before, after| {
            before != after && is_in_keys_only((one, before), (two, after))
        });
        let mut changes = Changes::of(title(two), Place::New(two.span), all);
        for (before, after) in &names {
            changes.add_harmless(format!(
                "attribute {before} is called {after}: it is stored in keys only"
            ));
        }
        for (before, after) in said(one, two) {
            if names.contains_key(before) {
                continue;
            }
            names.insert(before.to_owned(), after.to_owned());
            changes.add(
                format!("attribute {before} is called {after}"),
                Migration::Rewrite,
                "write each item with the new name, and without the old one: `keyfold evolve run` does it",
            );
        }
        if !names.is_empty() {
            found.insert(one.name.clone(), names);
        }
    }
    found
}

/// The attributes of which the new model says the former name, with it.
fn said<'m>(old: &'m Entity, new: &'m Entity) -> impl Iterator<Item = (&'m str, &'m str)> {
    new.attributes.iter().filter_map(|two| {
        let mut was = two.was.iter().map(String::as_str);
        let before = was.find(|was| old.attribute(was).is_some())?;
        let is_free = new.attribute(before).is_none() && old.attribute(&two.name).is_none();
        let is_there = old.attribute(before).is_some_and(|one| !one.is_kept);
        (is_free && is_there).then_some((before, two.name.as_str()))
    })
}

/// Whether an entity is a view, or the rows of one follow from its items: the names of its attributes
/// are part of what the rows are kept from.
fn has_view(model: &Model, entity: &Entity) -> bool {
    let is_it = |at: usize| {
        model
            .entities
            .get(at)
            .is_some_and(|one| one.name == entity.name)
    };
    let mut views = model.entities.iter().filter_map(|one| one.view.as_ref());
    entity.view.is_some()
        || views.any(|view| is_it(view.source) || view.joined().into_iter().any(is_it))
}

/// By field of an old key, the field at its place in a new one; `None` where the keys of the same
/// values are not the same texts.
fn names_of_key(old: &KeyPair, new: &KeyPair) -> Option<NewNames> {
    let mut names = NewNames::new();
    let [before, after] = [old, new].map(|key| key.templates().collect::<Vec<_>>());
    let is_same = before.len() == after.len()
        && before
            .iter()
            .zip(&after)
            .all(|(one, two)| add_names(&one.parts, &two.parts, &mut names));
    let mut targets: Vec<&String> = names.values().collect();
    targets.sort_unstable();
    targets.dedup();
    (is_same && targets.len() == names.len()).then_some(names)
}

fn add_names(old: &[Part], new: &[Part], names: &mut NewNames) -> bool {
    let mut pairs = old.iter().zip(new);
    old.len() == new.len()
        && pairs.all(|pair| match pair {
            (
                Part::Field {
                    name: before,
                    kind,
                    format,
                    excluded: _,
                },
                Part::Field {
                    name: after,
                    kind: new_kind,
                    format: new_format,
                    excluded: _,
                },
            ) => {
                let known = names.entry(before.clone()).or_insert_with(|| after.clone());
                known == after && format == new_format && kind.in_full() == new_kind.in_full()
            }
            (
                Part::Shard { count, of },
                Part::Shard {
                    count: new_count,
                    of: new_of,
                },
            ) => count == new_count && add_names(of, new_of, names),
            (Part::Text(one), Part::Text(other)) => one == other,
            (Part::Chunk, Part::Chunk) | (Part::Break, Part::Break) => true,
            (
                Part::Text(_) | Part::Field { .. } | Part::Shard { .. } | Part::Chunk | Part::Break,
                _,
            ) => false,
        })
}

/// Whether each name that differs is gone from the entity, and its new name was not there before.
fn are_free(names: &NewNames, old: &Entity, new: &Entity) -> bool {
    let mut differing = names.iter().filter(|(before, after)| before != after);
    differing
        .all(|(before, after)| new.attribute(before).is_none() && old.attribute(after).is_none())
}

/// Whether an attribute that got another name is nowhere in the items under either of them, and has
/// the same values.
fn is_in_keys_only((old, before): (&Entity, &str), (new, after): (&Entity, &str)) -> bool {
    let (Some(one), Some(two)) = (old.attribute(before), new.attribute(after)) else {
        return false;
    };
    // The guard of an `id` holds the values of the key that may change, under their names.
    let is_in_guard =
        |entity: &Entity, name: &str| entity.moves() && !entity.id.iter().any(|one| one == name);
    if is_in_guard(old, before) || is_in_guard(new, after) {
        return false;
    }
    let is_hidden = |entity: &Entity, name: &str| {
        let held = |copy: &&keyfold_model::Copy| copy.attributes.iter().any(|own| own == name);
        let mut copies = entity.copies.iter().filter(held);
        value::is_left_out(entity, &entity.key, name)
            && copies.all(|copy| value::is_left_out(entity, &copy.key, name))
    };
    new.attribute(before).is_none()
        && old.attribute(after).is_none()
        && one.kind.in_full() == two.kind.in_full()
        && one.optional == two.optional
        && is_hidden(old, before)
        && is_hidden(new, after)
}
