//! The examination finds changes that bypassed the engine, and a repair rebuilds indexes and
//! counters. A copy of the data folder made under load is complete.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::create_table;
use keyfold_api::ApiError;
use keyfold_api::{ExpressionAttributes, PutItemInput, QueryInput};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_store::{Batch, Direction, Store};
use keyfold_types::{Item, Value};
use std::ops::Bound;
use std::path::Path;

fn options(path: &Path) -> StoreOptions {
    StoreOptions::folder(path, Durability::Buffered)
}

fn open(path: &Path) -> Engine {
    Engine::open(EngineOptions {
        background: false,
        ..EngineOptions::new(options(path))
    })
    .unwrap()
}

fn put(engine: &Engine, n: i64) {
    let item: Item = [
        ("pk", Value::from("p")),
        ("sk", Value::from(format!("{n}"))),
        ("g", "x".into()),
        ("n", n.into()),
    ]
    .into_iter()
    .collect();
    let input = PutItemInput {
        table_name: Some("Tab".into()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    engine.put_item(input).wait().unwrap();
}

fn in_index(engine: &Engine) -> u64 {
    let input = QueryInput {
        table_name: Some("Tab".to_owned()),
        index_name: Some("ByG".to_owned()),
        key_condition_expression: Some("g = :g".to_owned()),
        expression_attributes: ExpressionAttributes::default().value(":g", "x"),
        ..QueryInput::default()
    };
    engine.query(input).wait().unwrap().count
}

/// Changes the keys that `choose` picks, bypassing the engine.
fn tamper(
    path: &Path,
    choose: impl Fn(&[u8]) -> bool,
    change: impl Fn(&mut Batch, Vec<u8>, Vec<u8>),
) {
    let store = Store::open(options(path)).unwrap();
    let mut batch = Batch::new();
    let snapshot = store.snapshot();
    for entry in snapshot.range(Bound::Unbounded, Bound::Unbounded, Direction::Forward) {
        let (key, value) = entry.unwrap();
        if choose(&key) {
            change(&mut batch, key.to_vec(), value.to_vec());
        }
    }
    store.stage(batch).unwrap().wait().unwrap();
}

#[test]
fn corruption_is_found_and_indexes_are_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let engine = open(&path);
    create_table(&engine, "Tab");
    (0..20).for_each(|n| put(&engine, n));
    let well = engine.examine().unwrap();
    assert!(well.is_well(), "{:?}", well.problems);
    assert_eq!((well.tables, well.items, well.entries), (1, 20, 40));
    drop(engine);

    // Table 1: half of the entries of an index are removed, an entry without an item is added, and
    // a counter is changed.
    let of_index = |key: &[u8]| key.starts_with(&[0, 0, 0, 1]) && key[4] != 0;
    tamper(
        &path,
        |key| of_index(key) && key.last().is_some_and(|last| last % 2 == 1),
        |batch, key, _| batch.remove(key),
    );
    let engine = open(&path);
    assert!(!engine.examine().unwrap().is_well());
    engine.rebuild_indexes().unwrap();
    let again = engine.examine().unwrap();
    assert!(again.is_well(), "{:?}", again.problems);
    assert_eq!(in_index(&engine), 20);
    drop(engine);

    let mut seen = false;
    tamper(
        &path,
        |key| key.starts_with(&[0, 0, 0, 0, b'C']),
        |batch, key, _| batch.put(key, 7i64.to_le_bytes().to_vec()),
    );
    let engine = open(&path);
    for problem in engine.examine().unwrap().problems {
        seen |= problem.what.contains("the counters of");
        assert!(problem.can_be_repaired);
    }
    assert!(seen);
    engine.rebuild_indexes().unwrap();
    assert!(engine.examine().unwrap().is_well());
    drop(engine);

    // A flipped bit in an item is reported, and cannot be repaired.
    tamper(
        &path,
        |key| key.starts_with(&[0, 0, 0, 1, 0]),
        |batch, key, mut value| {
            let middle = value.len() / 2;
            value[middle] ^= 1;
            batch.put(key, value);
        },
    );
    let engine = open(&path);
    let found = engine.examine().unwrap();
    assert!(
        found
            .problems
            .iter()
            .any(|problem| problem.what.contains("checksum") && !problem.can_be_repaired)
    );
    assert!(
        found.unlisted > 0,
        "ten of a kind are listed, the others counted"
    );
}

#[test]
fn a_copy_made_under_load_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(&folder.path().join("data"));
    create_table(&engine, "Tab");
    (0..200).for_each(|n| put(&engine, n));
    let copy = folder.path().join("copy");
    // A new copy replaces the rest of an interrupted copy, and refuses foreign files.
    std::fs::create_dir_all(copy.join("tables")).unwrap();
    std::fs::write(copy.join("keyfold"), "keyfold copy 3, not whole\n").unwrap();
    std::fs::write(copy.join("tables/rest"), "of it").unwrap();
    let foreign = folder.path().join("other");
    std::fs::create_dir(&foreign).unwrap();
    std::fs::write(foreign.join("letter.txt"), "dear").unwrap();
    assert!(engine.copy_to(&foreign).is_err());
    assert!(foreign.join("letter.txt").exists());
    std::thread::scope(|scope| {
        scope.spawn(|| (200..600).for_each(|n| put(&engine, n)));
        engine.copy_to(&copy).unwrap();
    });
    assert!(
        engine.copy_to(&copy).is_err(),
        "a folder that holds something is not written over"
    );
    // A copy inside its source is refused under any name.
    let data = folder.path().join("data");
    let mut inside = vec![
        data.clone(),
        data.join("copy"),
        data.join("new").join("copy"),
    ];
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&data, &link).unwrap();
        inside.push(link.join("copy"));
    }
    for to in inside {
        let error = engine.copy_to(&to).unwrap_err();
        assert!(matches!(error, ApiError::Validation(_)), "{error}");
        assert!(
            error
                .to_string()
                .contains("the data folder itself or lies in it"),
            "{error}"
        );
    }
    assert!(!data.join("copy").exists() && !data.join("new").exists());
    let file = foreign.join("letter.txt").join("copy");
    assert!(
        matches!(engine.copy_to(&file), Err(ApiError::Validation(_))),
        "what cannot be made"
    );
    let copied = open(&copy);
    let found = copied.examine().unwrap();
    assert!(found.is_well(), "{:?}", found.problems);
    assert!((200..=600).contains(&found.items), "{found:?}");
    put(&copied, 1000);
}
