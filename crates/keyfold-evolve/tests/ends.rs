//! How an evolution ends, and what keeps it from its end.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Fails, Faulty, Row, create, items, model, opened, options, run};
use keyfold_api::{
    DeleteItemInput, DescribeTableInput, PutItemInput, Request, Response, TableStatus, known,
};
use keyfold_client::{Backend, tables};
use keyfold_evolve::world::World;
use keyfold_evolve::{Course, Ended, Evolving, Progress, ROWS, Said, models_digest};
use keyfold_model::Model;
use std::sync::Mutex;

const OLD: &str = r#"
model people 1
table People (PK, SK)
entity User
  userId: string, name: string
  key "USER#{userId}" "PROFILE"
pattern user(userId) -> User?
"#;

fn user(backend: &Backend, model: &Model, id: &str) {
    let row = [("userId", id), ("name", "Ada")];
    let row: Row = row
        .map(|(name, held)| (name.to_owned(), held.to_owned()))
        .into();
    assert!(create(backend, model, model.entity("User").unwrap(), &row));
}

/// A plan that deletes nothing in the end has no phase for it.
#[test]
fn completion_compares_also_where_nothing_is_deleted() {
    let new = OLD.replace("name: string", "fullName: string was name");
    let (old, new) = (model(OLD), model(&new));
    let backend = opened(&old);
    user(&backend, &old, "1");
    let world = Faulty::new(&backend, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let course = Course::of(&old, &new);
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (&world, &options, &progress));
    let passed = |word: &str| {
        if word == "start" {
            user(&backend, &old, "2");
        }
    };
    assert_eq!(run(&evolving, &passed), Ended::Ready);
    let ended = evolving.complete(false).unwrap();
    let Ended::Differences(found) = ended else {
        panic!("{ended:#?}");
    };
    assert_eq!(found.differences, 1, "{found:#?}");
    assert!(evolving.status().unwrap().run.is_some());
    assert_eq!(evolving.complete(true).unwrap(), Ended::Ready);
    assert_eq!(evolving.status().unwrap().run, None);
    // The same evolution brings the rest.
    assert_eq!(run(&evolving, &|_| {}), Ended::Ready);
    assert_eq!(evolving.complete(false).unwrap(), Ended::Ready);
}

/// The advice of a refused `abort` is followed: run to the end, complete, and go the way back.
#[test]
fn the_way_back_begins_when_the_evolution_is_complete() {
    let (old, new) = (model(OLD), model(&OLD.replace("USER#", "U#")));
    let backend = opened(&old);
    user(&backend, &old, "1");
    let before = items(&backend, "People");
    let world = Faulty::new(&backend, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let (there, back) = (Course::of(&old, &new), Course::of(&new, &old));
    let surroundings = (&world as &dyn World, &options, &progress);
    let forth = Evolving::new(&there, models_digest("old", "new"), surroundings);
    let back = Evolving::new(&back, models_digest("new", "old"), surroundings);
    let refused = Mutex::new(Vec::new());
    let passed = |word: &str| {
        if word == "start" {
            let error = forth.abort().unwrap_err().to_string();
            refused.lock().unwrap().push(error);
            let ended = back.run(&Said::default());
            assert!(ended.is_err(), "the first one is under way: {ended:?}");
        }
    };
    assert_eq!(run(&forth, &passed), Ended::Ready);
    let refused = refused.into_inner().unwrap();
    assert_eq!(refused.len(), 1);
    assert!(
        refused[0].contains("end the evolution with `keyfold evolve complete`"),
        "{refused:?}"
    );
    assert_eq!(forth.complete(false).unwrap(), Ended::Ready);
    assert_eq!(run(&back, &|_| {}), Ended::Ready);
    assert_eq!(back.complete(false).unwrap(), Ended::Ready);
    assert_eq!(items(&backend, "People"), before);
}

/// A wrong model in place of the old one: nothing would be brought, and all would seem to be done.
#[test]
fn a_run_is_refused_where_no_item_is_of_the_old_model() {
    let other = OLD.replace("USER#", "PERSON#");
    let new = OLD.replace("USER#", "U#");
    let (old, new, other) = (model(OLD), model(&new), model(&other));
    let backend = opened(&old);
    let world = Faulty::new(&backend, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let course = Course::of(&old, &new);
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (&world, &options, &progress));
    assert!(
        !evolving.dry_run().unwrap().is_of_another_model(),
        "it is empty"
    );
    user(&backend, &other, "1");
    user(&backend, &other, "2");
    let Ended::Problems(dry) = evolving.run(&Said::default()).unwrap() else {
        panic!("it was not refused");
    };
    assert!(dry.is_of_another_model(), "{dry:#?}");
    assert_eq!(
        (dry.problems, dry.unknown, dry.unknown_examples.len()),
        (0, 2, 2)
    );
    assert_eq!(tables::names(&backend).unwrap(), ["People"]);
    // Who knows that another model shares the table says so. Nothing of that model is touched.
    let others = items(&backend, "People");
    let shared = Said {
        is_shared: true,
        ..Said::default()
    };
    let ended = evolving.run(&shared).unwrap();
    assert!(matches!(ended, Ended::Gate(..)), "{ended:#?}");
    assert_eq!(run(&evolving, &|_| {}), Ended::Ready);
    assert_eq!(evolving.complete(false).unwrap(), Ended::Ready);
    assert_eq!(items(&backend, "People"), others);
    // One item of the old model is enough.
    user(&backend, &old, "1");
    let ended = evolving.run(&Said::default()).unwrap();
    assert!(matches!(ended, Ended::Gate(..)), "{ended:#?}");
}

/// An index is made when each item has its key attributes, and no other one is being made.
#[test]
fn indexes_come_one_at_a_time_behind_their_key_attributes() {
    let new =
        OLD.replace(
            "table People (PK, SK)\n",
            "table People (PK, SK)\n  gsi GSI1 (G1P, G1S)\n  gsi GSI2 (G2P, G2S)\n",
        )
        .replace(
            "\"PROFILE\"\n",
            "\"PROFILE\"\n  GSI1 \"NAME#{name}\" \"{userId}\"\n  GSI2 \"BY#{name}\" \"AT#{userId}\"\n",
        ) + "pattern named(name) -> User[]\n";
    let (old, new) = (model(OLD), model(&new));
    let backend = opened(&old);
    for id in ["1", "2", "3"] {
        user(&backend, &old, id);
    }
    let made: Mutex<Vec<String>> = Mutex::default();
    let world = Faulty::new(&backend, Fails::Never, None);
    world.watch(Box::new(|request| {
        let Request::UpdateTable(input) = request else {
            return;
        };
        let updates = input.global_secondary_index_updates.iter().flatten();
        let creates: Vec<_> = updates.filter_map(|one| one.create.as_ref()).collect();
        assert_eq!(creates.len(), 1, "{input:?}");
        let describe = DescribeTableInput {
            table_name: input.table_name.clone(),
        };
        let Response::DescribeTable(table) = backend.call(describe.into()).unwrap() else {
            panic!("no table");
        };
        for index in table.global_secondary_indexes.iter().flatten() {
            assert_eq!(
                known(&index.index_status),
                Some(TableStatus::Active),
                "{index:?}"
            );
        }
        let key = creates[0].key_schema.iter().flatten();
        for name in key.filter_map(|one| one.attribute_name.as_ref()) {
            for item in items(&backend, "People") {
                assert!(item.get(name).is_some(), "{name} of {item:?}");
            }
        }
        made.lock()
            .unwrap()
            .push(creates[0].index_name.clone().unwrap());
    }));
    let (options, progress) = (options(), Progress::default());
    let course = Course::of(&old, &new);
    let models = models_digest("old", "new");
    let evolving = Evolving::new(&course, models, (&world, &options, &progress));
    assert_eq!(run(&evolving, &|_| {}), Ended::Ready);
    drop(world);
    assert_eq!(made.into_inner().unwrap(), ["GSI1", "GSI2"]);
}

/// The models of two evolutions of one table have other names.
#[test]
fn one_table_takes_part_in_one_evolution_at_a_time() {
    let renamed = |model: &str| {
        OLD.replace("model people", &format!("model {model}"))
            .replace("USER#", &format!("{model}#"))
    };
    let [one, other] = ["one", "other"].map(renamed);
    let backend = opened(&model(&one));
    for text in [&one, &other] {
        user(&backend, &model(text), "1");
    }
    let world = Faulty::new(&backend, Fails::Never, None);
    let (options, progress) = (options(), Progress::default());
    let pairs = [&one, &other].map(|text| {
        let new = text.replace("name: string", "name: string, age: int = 0");
        (model(text), model(&new))
    });
    let [first, second] = pairs.each_ref().map(|(old, new)| Course::of(old, new));
    let surroundings = (&world as &dyn World, &options, &progress);
    let digests = |text: &str| models_digest(text, &format!("{text} new"));
    let first = Evolving::new(&first, digests("one"), surroundings);
    let second = Evolving::new(&second, digests("other"), surroundings);
    let refused = || {
        let error = second.run(&Said::default()).unwrap_err().to_string();
        assert!(
            error.contains("the table People takes part in the evolution of the model one,"),
            "{error}"
        );
        // The versions help to find its models.
        assert!(
            error.contains("under way, between one 1 and one 1, since 2"),
            "{error}"
        );
        assert_eq!(second.status().unwrap().run, None);
    };
    let Ended::Gate(..) = first.run(&Said::default()).unwrap() else {
        panic!("it did not begin");
    };
    refused();
    // The rows of an earlier version have no claim: the next run of that evolution takes its tables.
    claims_go(&backend);
    first.run(&Said::default()).unwrap();
    refused();
    assert_eq!(run(&first, &|_| {}), Ended::Ready);
    refused();
    assert_eq!(first.complete(false).unwrap(), Ended::Ready);
    // A claim that names nobody is not taken for a free one.
    claim_comes(&backend, None);
    let error = second.run(&Said::default()).unwrap_err().to_string();
    assert!(error.contains("does not say which evolution"), "{error}");
    // A claim that a killed command has left is none.
    claim_comes(&backend, Some("gone"));
    assert_eq!(run(&second, &|_| {}), Ended::Ready);
    assert_eq!(second.complete(false).unwrap(), Ended::Ready);
    assert!(items(&backend, ROWS).is_empty());
    // The table is free again.
    let ended = first.run(&Said::default()).unwrap();
    assert!(matches!(ended, Ended::Gate(..)), "{ended:#?}");
    first.abort().unwrap();
    assert!(items(&backend, ROWS).is_empty());
}

fn claims_go(backend: &Backend) {
    let input = DeleteItemInput {
        table_name: Some(ROWS.to_owned()),
        key: Some(Ok([("part", "table:People")].into_iter().collect())),
        ..DeleteItemInput::default()
    };
    backend.call(input.into()).unwrap();
}

fn claim_comes(backend: &Backend, model: Option<&str>) {
    let model = model.map(|model| ("model", model));
    let row = [("part", "table:People")].into_iter().chain(model);
    let input = PutItemInput {
        table_name: Some(ROWS.to_owned()),
        item: Some(Ok(row.collect())),
        ..PutItemInput::default()
    };
    backend.call(input.into()).unwrap();
}
