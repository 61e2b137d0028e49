//! The differences between two models, and the migration of existing data that each asks for.
//!
//! Every struct of the schema is destructured without `..`: a new property does not compile until
//! each comparison names it.

mod attribute;
mod change;
mod columns;
mod delimiters;
mod entities;
mod entity;
mod index;
mod index_keys;
mod owners;
mod pairs;
mod pattern;
mod renamed;
mod settings;
mod shape;
mod table;
mod values;
mod write;

pub use change::{Change, Migration, Place};

use change::Changes;
use delimiters::delimiters;
use keyfold_model::{Model, Sources};
use owners::owners;
use pairs::{Pair, pairs};
use pattern::pattern;
use renamed::attributes;
use serde_json::{Value as Json, json};
use table::table;
use write::write;

/// The differences from one model to another: of the model itself, then of tables, entities,
/// patterns and writes.
pub fn diff(old: &Model, new: &Model) -> Vec<Change> {
    let Model {
        name,
        version,
        // `owners` compares those of the declarations.
        files: _,
        tables,
        // `entities` compares them.
        entities: _,
        // It follows from the entities.
        counted: _,
        // `patterns_and_writes` compares them.
        patterns: _,
        writes: _,
    } = new;
    let mut all = Vec::new();
    if (&old.name, &old.version) != (name, version) {
        Changes::of("model".to_owned(), None, &mut all).add_harmless(format!(
            "{} {} becomes {name} {version}",
            old.name, old.version
        ));
    }
    let mut of_names = Vec::new();
    let names = attributes(old, new, &mut of_names);
    let same_names = old.with_attribute_names(&names);
    for pair in pairs(&old.tables, tables, |table| &table.name) {
        match pair {
            Pair::Added(one) => Changes::of(
                format!("table {}", one.name),
                Place::New(one.span),
                &mut all,
            )
            .add("added", Migration::Definition, "create it"),
            Pair::Removed(one) => Changes::of(
                format!("table {}", one.name),
                Place::Old(one.span),
                &mut all,
            )
            .add(
                "removed",
                Migration::Delete,
                "delete it when nothing reads it any more",
            ),
            Pair::Both(one, two) => {
                table(one, two, &mut all);
                delimiters((&same_names, one), (new, two), &mut all);
            }
        }
    }
    all.append(&mut of_names);
    entities::entities(&same_names, new, &mut all);
    patterns_and_writes(old, new, &mut all);
    owners(old, new, &mut all);
    all
}

/// The differences of patterns, then of named writes.
fn patterns_and_writes(old: &Model, new: &Model, all: &mut Vec<Change>) {
    for pair in pairs(&old.patterns, &new.patterns, |pattern| &pattern.name) {
        match pair {
            Pair::Added(one) => {
                Changes::of(format!("pattern {}", one.name), Place::New(one.span), all)
                    .add_harmless("added");
            }
            Pair::Removed(one) => {
                Changes::of(format!("pattern {}", one.name), Place::Old(one.span), all)
                    .add_harmless("removed");
            }
            Pair::Both(one, two) => pattern((old, one), (new, two), all),
        }
    }
    for pair in pairs(&old.writes, &new.writes, |write| &write.name) {
        match pair {
            Pair::Added(one) => {
                Changes::of(format!("write {}", one.name), Place::New(one.span), all)
                    .add_harmless("added");
            }
            Pair::Removed(one) => {
                Changes::of(format!("write {}", one.name), Place::Old(one.span), all)
                    .add_harmless("removed");
            }
            Pair::Both(one, two) => write((old, one), (new, two), all),
        }
    }
}

/// The differences as JSON, for programs. The places are those of the texts.
pub fn json(changes: &[Change], old: &Sources, new: &Sources) -> Json {
    let one = |one: &Change| {
        let Change {
            what,
            place: _,
            how,
            migration,
            todo,
        } = one;
        let place = one.place_in(old, new);
        let place = place.as_ref();
        json!({
            "what": what,
            "how": how,
            "migration": migration.word(),
            "todo": todo,
            "file": place.map(|place| &place.path),
            "fileOwner": place.and_then(|place| place.owner),
            "line": place.map(|place| place.line),
            "column": place.map(|place| place.column),
        })
    };
    changes.iter().map(one).collect()
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
    fn migrations_match_the_effect_on_the_data() {
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
        // A delimiter of one entity's key is escaped in all fields with `:escape`. Only the fields
        // that it ends must not hold it.
        let signs = changed("\"R#{race}\"", "\"R-{race}\"");
        is(&signs, "`-` is escaped", Migration::Rewrite, "Race.path");
        assert!(
            !signs.iter().any(|one| one.how.contains("must not be in")),
            "{signs:#?}"
        );
        let ended = changed("\"U#{id}\" \"P\"", "\"U#{id}-x\" \"P\"");
        is(
            &ended,
            "`-` must not be in User.id now",
            Migration::Rewrite,
            "give them other values",
        );
        // An item that keeps the attributes of an index key stays in the index.
        is(
            &changed("  GSI1 \"C#{city}\" \"{id}\"\n", ""),
            "makes A no more",
            Migration::Backfill,
            "remove it",
        );
        // What the new model says about former names.
        let new = head.replace("city: string", "town: string was city");
        let new = new.replace("{city}", "{town}");
        let renamed = diff(&model(head), &model(&new));
        is(
            &renamed,
            "attribute city is called town",
            Migration::Rewrite,
            "evolve",
        );
        assert_eq!(renamed.len(), 1, "{renamed:#?}");
        let new = head
            .replace("entity User", "entity Person was User")
            .replace("check User", "check Person")
            .replace("U#{id}", "P#{id}");
        let renamed = diff(&model(head), &model(&new));
        assert!(
            !renamed
                .iter()
                .any(|one| one.how == "removed" || one.how == "added"),
            "{renamed:#?}"
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

    /// A model whose customers and orders are found by attributes that are in their keys only.
    const IN_KEYS: &str = "model m 1
table Tab (PK, SK)
  gsi Idx (A, B)
entity Cust
  custId: string, city: string, expires: time?
  key \"CUST#{custId}\" \"#META\"
  Idx \"CITY#{city}\" \"{custId}\"
  copy card \"CARD#{city}\" \"{custId}\" only custId
  unstored custId
  count orders of Order
entity Order
  custId: Cust.custId, orderId: string, note: string
  key \"CUST#{custId}\" \"ORDER#{orderId}\"
  unstored custId, orderId
pattern cust(custId) -> Cust?
";

    #[test]
    fn names_that_no_item_holds_are_no_work_on_the_data() {
        let renamed = IN_KEYS.replace("custId", "customerId");
        let other = renamed
            .replace("Cust", "Customer")
            .replace("Order", "Purchase");
        for text in [&renamed, &other] {
            for pair in [[IN_KEYS, text], [text, IN_KEYS]] {
                let [before, after] = pair.map(model);
                let changes = diff(&before, &after);
                assert!(!changes.is_empty());
                let works = changes
                    .iter()
                    .filter(|one| one.migration != Migration::None);
                assert_eq!(works.collect::<Vec<_>>(), [] as [&Change; 0], "{text}");
                let is_named = |one: &Change| {
                    one.how.contains("customerId: it is stored in keys only")
                        || one.how.contains("custId: it is stored in keys only")
                };
                assert!(changes.iter().any(is_named), "{changes:#?}");
            }
        }
    }

    #[test]
    fn names_that_items_hold_are_work_on_the_data() {
        let work = |text: &str, new: &str| {
            let changes = diff(&model(text), &model(new));
            let deletes = changes
                .iter()
                .filter(|one| one.migration == Migration::Delete);
            assert_eq!(deletes.collect::<Vec<_>>(), [] as [&Change; 0], "{new}");
            changes.iter().map(|one| one.migration).max()
        };
        let renamed = |text: &str| text.replace("custId", "customerId");
        let beside = IN_KEYS.replace("  unstored custId\n", "");
        assert_eq!(work(&beside, &renamed(&beside)), Some(Migration::Rewrite));
        let other = renamed(&beside).replace("Cust", "Customer");
        assert_eq!(work(&beside, &other), Some(Migration::Rewrite));
        // A guard has the name of its attribute.
        let unique = IN_KEYS.replace("  count", "  unique (custId, city)\n  count");
        let guards = diff(&model(&unique), &model(&renamed(&unique)));
        assert!(
            guards
                .iter()
                .any(|one| one.how == "unique customerId, city added")
        );
        // Other values.
        let number = renamed(IN_KEYS).replace("customerId: string", "customerId: int");
        assert_eq!(work(IN_KEYS, &number), Some(Migration::Rewrite));
        // The guard of an `id` has the names of what may change.
        let moves = "model m 1\ntable Shop (PK, SK)\nentity Product\n  productId: string, category: string\n  key \"CAT#{category}\" \"{productId}\"\n  id productId\n  unstored category\npattern p(category, productId) -> Product?\n";
        let other = moves.replace("category", "section");
        assert!(work(moves, &other) > Some(Migration::None), "{other}");
        // The attribute of the kind has the name of the entity.
        let kinds = IN_KEYS.replace("(PK, SK)", "(PK, SK) type kind");
        let other = renamed(&kinds).replace("Cust", "Customer");
        assert_eq!(work(&kinds, &other), Some(Migration::Backfill));
    }

    #[test]
    fn changes_of_indexes_and_rates_are_reported() {
        let head = "model m 1\ntable Shop (PK, SK)\n  INDEX\nentity User\n  id: string, a: string, b: string\n  key \"U#{id}\" \"P\"\npattern user(id) -> User?RATE\n";
        let made =
            |index: &str, rate: &str| model(&head.replace("INDEX", index).replace("RATE", rate));
        let one = |old: (&str, &str), new: (&str, &str)| -> Change {
            let mut found = diff(&made(old.0, old.1), &made(new.0, new.1));
            assert_eq!(found.len(), 1, "{old:?} {new:?}: {found:#?}");
            found.remove(0)
        };
        let moved = one(("gsi Idx (a, b)", ""), ("gsi Idx ((a, b))", ""));
        assert_eq!(moved.migration, Migration::Definition);
        assert!(moved.how.contains("((a: S, b: S))"), "{moved:?}");
        let rate = one(
            ("gsi Idx (a, b)", ""),
            ("gsi Idx (a, b)", " expect 5 a second"),
        );
        assert_eq!((rate.migration, rate.todo.as_str()), (Migration::None, ""));
        assert!(rate.how.contains("expected 5 times a second"), "{rate:?}");
        let again = (" expect 5 a second", " expect 6 a second");
        let rate = one(("gsi Idx (a, b)", again.0), ("gsi Idx (a, b)", again.1));
        assert!(
            rate.how.contains("5 times a second becomes expected 6"),
            "{rate:?}"
        );
        let local = one(("gsi Idx (PK, b)", ""), ("lsi Idx (b)", ""));
        assert_eq!(local.migration, Migration::Rewrite);
        assert!(local.todo.contains("make a new table"), "{local:?}");
        let global = one(("lsi Idx (b)", ""), ("gsi Idx (PK, b)", ""));
        assert_eq!(global.migration, Migration::Definition);
        assert!(global.todo.contains("another name"), "{global:?}");
        let key = one(("lsi Idx (a)", ""), ("lsi Idx (b)", ""));
        assert_eq!(key.migration, Migration::Rewrite);
        let gone = one(("lsi Idx (a)", ""), ("", ""));
        assert!(gone.todo.contains("new table"), "{gone:?}");
    }

    #[test]
    fn each_change_has_its_migration() {
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
