//! Items of another model, which shares the tables: nothing is written over them, and no table goes with them.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fails, Faulty, Row, create, items, model, opened, options, rows, run, run_in, texts};
use keyfold_api::PutItemInput;
use keyfold_client::kinds::Kinds;
use keyfold_client::{Backend, tables};
use keyfold_evolve::{Course, Ended, Evolving, Options, ProblemKind, Progress, models_digest};
use keyfold_model::Model;
use keyfold_types::{Item, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

const KIND: &str = "kindOfItem";

/// A pair of models whose items say of which kind they are, in its tables.
fn with_kinds(text: &str) -> Option<Model> {
    let line = |line: &str| match line.strip_prefix("table ") {
        Some(rest) if !rest.contains(" type ") => match rest.split_once(')') {
            Some((key, more)) => format!("table {key}) type {KIND}{more}"),
            None => line.to_owned(),
        },
        Some(_) | None => line.to_owned(),
    };
    let text: Vec<String> = text.lines().map(line).collect();
    keyfold_model::compile(&text.join("\n")).model
}

/// The pairs that a run carries out, with their kinds in each item where `has_kinds` says so.
fn all(has_kinds: bool) -> Vec<(String, Model, Model)> {
    let mut all = Vec::new();
    for (name, old, new) in texts() {
        let both = match has_kinds {
            true => with_kinds(&old).zip(with_kinds(&new)),
            false => Some((model(&old), model(&new))),
        };
        let Some((old, new)) = both else { continue };
        let mut entities = new.entities.iter().chain(&old.entities);
        if Course::of(&old, &new).refusals().is_empty() && !entities.any(|one| one.view.is_some()) {
            all.push((name, old, new));
        }
    }
    all
}

type Stored = BTreeMap<(String, String), (Item, Item)>;

/// The items of all tables of both models, by table and key.
fn stored(backend: &Backend, old: &Model, new: &Model) -> Stored {
    let mut all = Stored::new();
    let there = tables::names(backend).unwrap();
    for table in old.tables.iter().chain(&new.tables) {
        if !there.contains(&table.name) {
            continue;
        }
        for item in items(backend, &table.name) {
            let columns = table.columns().map(|one| one.name.as_str());
            let key: Item = columns
                .map(|name| (name, item.get(name).unwrap().clone()))
                .collect();
            all.insert((table.name.clone(), format!("{key:?}")), (key, item));
        }
    }
    all
}

fn put(backend: &Backend, table: &str, item: &Item) {
    let input = PutItemInput {
        table_name: Some(table.to_owned()),
        item: Some(Ok(item.clone())),
        ..PutItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

/// An item of another model, which says its kind where the tables have an attribute for that.
fn foreign((old, new): (&Model, &Model), key: &Item) -> Item {
    let mut item = key.clone();
    item.insert("sum", Value::from(99_i64));
    for table in old.tables.iter().chain(&new.tables) {
        if let Some(name) = &table.type_attribute {
            item.insert(name.as_str(), "Invoice");
        }
    }
    item
}

/// Whether the old model takes an item, which does not say its kind, for one of its own by its key.
fn is_of_old(old: &Model, table: &str, item: &Item) -> bool {
    let mut tables = old.tables.iter().enumerate();
    let own = tables.find(|(_, own)| own.name == table && own.type_attribute.is_none());
    own.is_some_and(|(at, own)| Kinds::of(old, at, own).kind_of(item).is_some())
}

/// Each key that a run writes to and where nothing of the old version was is taken by an item of another model. The dry
/// run names it, and the run leaves it as it is, also where it comes between the dry run and the write.
#[test]
fn what_is_of_another_model_is_not_written_over() {
    let mut checked = (0, 0);
    for has_kinds in [true, false] {
        for (name, old, new) in all(has_kinds) {
            let seed = 11;
            let made = rows(&old, &new, seed, 8);
            let before = stored(&made.old, &old, &new);
            let world = Faulty::new(&made.old, Fails::Never, None);
            if !matches!(run_in((&old, &new), &world, &options()), Ok(Ended::Ready)) {
                continue;
            }
            let after = stored(&made.old, &old, &new);
            let put_by_it = after.iter().filter(|(at, _)| !before.contains_key(*at));
            let seen: Vec<(&str, &Item)> = put_by_it
                .map(|((table, _), (key, _))| (table.as_str(), key))
                .step_by(3)
                .collect();
            for (table, key) in seen {
                let own = foreign((&old, &new), key);
                if is_of_old(&old, table, &own) {
                    continue;
                }
                let of = format!("{name}, {key:?}");
                let again = rows(&old, &new, seed, 8);
                if !tables::names(&again.old)
                    .unwrap()
                    .iter()
                    .any(|one| one == table)
                {
                    tables::ensure(&again.old, &new).unwrap();
                }
                put(&again.old, table, &own);
                let world = Faulty::new(&again.old, Fails::Never, None);
                let ended = run_in((&old, &new), &world, &options());
                let Ok(Ended::Problems(dry)) = ended else {
                    panic!("{of}: {ended:#?}");
                };
                let mut taken = dry.examples.iter();
                assert!(taken.any(|one| one.kind == ProblemKind::KeyTaken), "{of}");
                let found = stored(&again.old, &old, &new);
                assert_eq!(
                    found[&(table.to_owned(), format!("{key:?}"))].1,
                    own,
                    "{of}"
                );
                checked.0 += 1;
                checked.1 += u32::from(comes_meanwhile((&old, &new), seed, (table, key, &own)));
            }
        }
    }
    assert!(checked.0 > 100 && checked.1 > 60, "{checked:?}");
}

/// Lets the item come when the phases begin. Returns whether it came before the run wrote to its key.
fn comes_meanwhile(
    (old, new): (&Model, &Model),
    seed: u64,
    (table, key, own): (&str, &Item, &Item),
) -> bool {
    let made = rows(old, new, seed, 8);
    let at = (table.to_owned(), format!("{key:?}"));
    let world = Faulty::new(&made.old, Fails::Never, None);
    let backend = Arc::clone(&made.old);
    let mut is_there = false;
    let mut pages = 0;
    world.watch(Box::new(move |request| {
        let keyfold_api::Request::BatchGetItem(_) = request else {
            return;
        };
        pages += 1;
        // Those before are of the dry runs.
        if pages < 5 || is_there || !tables::names(&backend).unwrap().contains(&at.0) {
            return;
        }
        is_there = true;
        if !stored(&backend, old, new).contains_key(&at) {
            put(&backend, &at.0, own);
        }
    }));
    drop(run_in((old, new), &world, &options()));
    drop(world);
    let found = stored(&made.old, old, new);
    let found = found.get(&(table.to_owned(), format!("{key:?}")));
    let has_come = found.is_some_and(|(_, item)| item.get("sum") == Some(&Value::from(99_i64)));
    if has_come {
        assert_eq!(found.map(|(_, item)| item), Some(own));
    }
    has_come
}

const OLD: &str = r#"
model people 1
table People (PK, SK) type entity
entity User
  userId: string, name: string
  key "USER#{userId}" "PROFILE"
pattern user(userId) -> User?
"#;

fn user(backend: &Backend, model: &Model, id: &str) {
    let row: Row = [("userId", id), ("name", "Ada")]
        .map(|(name, held)| (name.to_owned(), held.to_owned()))
        .into();
    assert!(create(backend, model, model.entity("User").unwrap(), &row));
}

/// A table that only the old model has goes with what that model wrote alone.
#[test]
fn a_table_stays_with_what_is_not_to_be_deleted() {
    let (old, new) = (model(OLD), model(&OLD.replace("People", "Users")));
    let backend = opened(&old);
    user(&backend, &old, "1");
    let invoice: Item = [("PK", "INV#1"), ("SK", "x"), ("entity", "Invoice")]
        .into_iter()
        .collect();
    put(&backend, "People", &invoice);
    let world = Faulty::new(&backend, Fails::Never, None);
    let (options, progress): (Options, Progress) = (options(), Progress::default());
    let course = Course::of(&old, &new);
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (&world, &options, &progress));
    assert_eq!(run(&evolving, &|_| {}), Ended::Ready);
    // A writer of the old version that nobody has stopped.
    user(&backend, &old, "late");
    let before = items(&backend, "People");
    let Ended::Differences(found) = evolving.complete(false).unwrap() else {
        panic!("it was completed");
    };
    let keys: Vec<_> = found.examples.iter().map(|one| one.key.get("PK")).collect();
    let texts = ["INV#1", "USER#late"].map(Value::from);
    assert!(
        found.differences == 2 && texts.iter().all(|text| keys.contains(&Some(text))),
        "{found:#?}"
    );
    assert_eq!(progress.figures().unknown, 1);
    assert_eq!(items(&backend, "People"), before);
    assert!(evolving.status().unwrap().run.is_some());
    // What is accepted stays, and the same models bring the late item to its place.
    assert_eq!(evolving.complete(true).unwrap(), Ended::Ready);
    assert_eq!(items(&backend, "People"), before);
    assert_eq!(run(&evolving, &|_| {}), Ended::Ready);
    assert_eq!(items(&backend, "Users").len(), 2);
    assert_eq!(items(&backend, "People"), [invoice]);
    assert!(matches!(
        evolving.complete(false).unwrap(),
        Ended::Differences(_)
    ));
    let input = keyfold_api::DeleteItemInput {
        table_name: Some("People".to_owned()),
        key: Some(Ok([("PK", "INV#1"), ("SK", "x")].into_iter().collect())),
        ..keyfold_api::DeleteItemInput::default()
    };
    backend.call(input.into()).unwrap();
    assert_eq!(evolving.complete(false).unwrap(), Ended::Ready);
    assert!(
        !tables::names(&backend)
            .unwrap()
            .contains(&"People".to_owned())
    );
}
