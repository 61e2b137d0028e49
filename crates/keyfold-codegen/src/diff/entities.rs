//! Entities of two models: added, removed, renamed or changed.

use super::change::{Change, Changes, Migration, Place};
use super::entity::entity;
use super::pairs::{Pair, pairs};
use super::renamed::renamed;
use super::shape::{key_text, title};
use keyfold_model::{Entity, Model, view_form};

/// Compares the entities of two models. They are matched by name, or by `was`; an entity that is gone and a
/// new one whose items lie under the same keys count as one that was renamed.
pub(super) fn entities(old: &Model, new: &Model, all: &mut Vec<Change>) {
    let renamed = renamed(old, new);
    for (one, two) in &renamed {
        rename(
            new,
            (one, two),
            &mut Changes::of(title(one), Place::New(two.span), all),
        );
        compared((old, one), (new, two), all);
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
            Pair::Both(one, two) => compared((old, one), (new, two), all),
        }
    }
}

/// Compares an entity or a view. Rows are nobody's to write: all that rows need is a new build.
fn compared((old, one): (&Model, &Entity), (new, two): (&Model, &Entity), all: &mut Vec<Change>) {
    let before = all.len();
    entity((old, one), (new, two), all);
    if two.view.is_none() {
        return;
    }
    let rebuild = format!("rebuild it: `keyfold views rebuild FILE {}`", two.name);
    let found = all.get_mut(before..).unwrap_or_default().iter_mut();
    let mut is_told = false;
    for change in found {
        match change.migration {
            Migration::Backfill | Migration::Rewrite | Migration::Delete => {
                change.migration = Migration::Rewrite;
                change.todo.clone_from(&rebuild);
                is_told = true;
            }
            Migration::None | Migration::Definition => {}
        }
    }
    let is_same = view_form::written(old, one) == view_form::written(new, two);
    if !is_told && !is_same && one.name == two.name {
        let how = "the items that its rows are made of changed";
        Changes::of(title(two), Place::New(two.span), all).add(how, Migration::Rewrite, rebuild);
    }
}

/// Reports a new name. Items have the name of their entity in the type attribute, and in the keys
/// of guards.
fn rename(model: &Model, (old, new): (&Entity, &Entity), changes: &mut Changes<'_>) {
    let how = match key_text(&old.key) == key_text(&new.key) {
        true => format!("becomes {}, under the same key", new.name),
        false => format!("becomes {}", new.name),
    };
    if new.view.is_some() {
        changes.add(
            how,
            Migration::Rewrite,
            format!(
                "stop the workers of the old one, then build it: `keyfold views rebuild FILE {}`",
                new.name
            ),
        );
        return;
    }
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
    changes.add(how, migration, todo);
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r#"
model shop 1
table Orders (PK, SK) type kind
  stream new and old images
entity Product
  product: string, name: string
  key "P#{product}" "P"
entity Order
  id: string, product: Product.product, total: int, state: open | paid, note: string?
  key "O#{id}" "O"
view Sold of Order where state = paid
  key "S#{product}" "S"
  orders: count, total: sum total, name: Product.name
"#;

    /// Whatever rows follow from asks for a build, and never for items that are written by hand.
    #[test]
    fn what_changes_a_view_asks_for_a_rebuild() {
        let model = |text: &str| {
            let compiled = keyfold_model::compile(text);
            match compiled.model {
                Some(model) => model,
                None => panic!("{text}\n{:#?}", compiled.diagnostics),
            }
        };
        let old = model(MODEL);
        for (before, after, is_rebuilt) in [
            ("total: int", "total: number", true),
            ("open | paid,", "open | paid | void,", true),
            ("name: string", "name: string?", true),
            (" type kind", "", true),
            ("\"S#{product}\" \"S\"", "\"T#{product}\" \"S\"", true),
            ("orders: count", "orders: max total", true),
            ("view Sold", "view Sales", true),
            ("note: string?", "note: int?", false),
            ("model shop 1", "model shop 2", false),
        ] {
            let new = model(&MODEL.replacen(before, after, 1));
            let mut all = Vec::new();
            entities(&old, &new, &mut all);
            let of_view: Vec<&Change> = all
                .iter()
                .filter(|one| one.what.contains("Sold") || one.how.contains("Sales"))
                .filter(|one| one.migration != Migration::None)
                .collect();
            let is_told = |one: &&&Change| one.todo.contains("keyfold views rebuild FILE S");
            assert_eq!(
                (of_view.iter().any(|one| is_told(&one)), of_view.len()),
                (is_rebuilt, of_view.iter().filter(is_told).count()),
                "{before} -> {after}: {all:#?}"
            );
        }
    }
}
