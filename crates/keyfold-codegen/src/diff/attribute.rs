//! Differences of an entity's attributes.

use super::change::{Changes, Migration};
use super::pairs::Pair;
use super::values::{Nested, Work, values};
use crate::words::default_text;
use keyfold_model::schema::Unique;
use keyfold_model::{Attribute, Entity, Type};

/// Reports an attribute that was added to an entity, removed from it or changed.
pub(super) fn attribute(entity: &Entity, pair: Pair<'_, Attribute>, changes: &mut Changes<'_>) {
    match pair {
        Pair::Added(one) => {
            let how = format!("attribute {} added, {}", one.name, Shown::of(one).form);
            if one.optional || one.is_kept {
                return changes.add_harmless(how);
            }
            let todo = match Shown::of(one).default {
                Some(default) => {
                    format!("write it into every item, for instance its default {default}")
                }
                None => "write it into every item: it is required".to_owned(),
            };
            changes.add(how, Migration::Backfill, todo);
        }
        // The line of the aggregate or version says more about an attribute that the model keeps.
        Pair::Removed(one) if one.is_kept => {}
        Pair::Removed(one) => changes.add(
            format!("attribute {} removed", one.name),
            Migration::None,
            "items that are there keep it",
        ),
        Pair::Both(one, two) => changed(entity, one, two, changes),
    }
}

/// An attribute as text.
struct Shown {
    /// Its type, whether an item may lack it, and its reference.
    form: String,
    /// Its default; `None` if the model itself keeps the attribute.
    default: Option<String>,
}

impl Shown {
    fn of(attribute: &Attribute) -> Shown {
        let Attribute {
            name: _,
            span: _,
            kind,
            optional,
            mark: _,
            default,
            refers,
            is_kept,
            // It is no part of what is stored.
            was: _,
            former: _,
        } = attribute;
        let mark = if *optional { "?" } else { "" };
        let refers = refers
            .as_ref()
            .map_or(String::new(), |(to, of)| format!(" of {to}.{of}"));
        Shown {
            form: format!("{}{mark}{refers}", kind.in_full()),
            default: default.as_ref().filter(|_| !is_kept).map(default_text),
        }
    }
}

fn changed(entity: &Entity, old: &Attribute, new: &Attribute, changes: &mut Changes<'_>) {
    let (before, after) = (Shown::of(old), Shown::of(new));
    let name = &new.name;
    let how = format!("attribute {name}: {} becomes {}", before.form, after.form);
    match migration(entity, old, new) {
        Some((migration, todo)) => changes.add(how, migration, todo),
        None if before.form != after.form => changes.add_harmless(how),
        None => {}
    }
    if before.default != after.default {
        let text = |default: Option<String>| default.unwrap_or_else(|| "none".to_owned());
        changes.add_harmless(format!(
            "attribute {name}: default {} becomes {}",
            text(before.default),
            text(after.default)
        ));
    }
}

/// The migration of the values of an attribute whose type changed; `None` when the stored values
/// fit the new type.
fn migration(entity: &Entity, old: &Attribute, new: &Attribute) -> Option<(Migration, String)> {
    // A text of any form is a valid string. In a key it may hold delimiters, which guards escape.
    let is_free_now = old.kind.is_text() && old.kind != Type::String && new.kind == Type::String;
    if is_free_now && !matches!(old.kind, Type::Words(_) | Type::Ulid) {
        let in_keys = uses(entity, &new.name);
        if !in_keys.is_empty() {
            let todo = format!(
                "values in keys must hold no delimiter now, and guards escape it: put every item under its new keys{in_keys}"
            );
            return Some((Migration::Rewrite, todo));
        }
    }
    let mut work = Work::default();
    if old.optional && !new.optional {
        work.fill("write it into every item that lacks it".to_owned());
    }
    let place = Nested {
        path: new.name.clone(),
        is_inside: false,
    };
    values(&old.kind, &new.kind, &place, &mut work);
    if work.is_rewrite {
        let todo = format!(
            "write its values in the new form into every item{}",
            uses(entity, &new.name)
        );
        return Some((Migration::Rewrite, todo));
    }
    (!work.steps.is_empty()).then(|| (Migration::Backfill, work.steps.join("; ")))
}

/// The keys, copies and guards that contain an attribute, in words: a change of its form changes
/// them too. Empty when there are none.
fn uses(entity: &Entity, name: &str) -> String {
    let mut places: Vec<String> = Vec::new();
    if entity.key.fields().any(|field| field == name) {
        places.push("the key".to_owned());
    }
    let in_index = entity
        .indexes
        .iter()
        .any(|key| key.is_declared && key.key.fields().any(|field| field == name));
    if in_index {
        places.push("index keys".to_owned());
    }
    let mut copies = entity.copies.iter().collect::<Vec<_>>();
    copies.retain(|copy| copy.followed().any(|followed| followed == name));
    places.extend(copies.iter().map(|copy| format!("the copy {}", copy.name)));
    if entity
        .uniques
        .iter()
        .flat_map(Unique::attributes)
        .any(|unique| unique == name)
    {
        places.push("a guard".to_owned());
    }
    if places.is_empty() {
        String::new()
    } else {
        format!("; {} made of it with it", places.join(", "))
    }
}
