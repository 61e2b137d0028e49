//! The examination reports changes of others in the files: entries, counters, keys, records.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ask, create_table};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_store::{Batch, Direction, Store};
use serde_json::json;
use std::cell::RefCell;
use std::ops::Bound;
use std::path::Path;

fn tamper(
    path: &Path,
    choose: impl Fn(&[u8]) -> bool,
    change: impl Fn(&mut Batch, Vec<u8>, Vec<u8>),
) {
    let store = Store::open(StoreOptions::folder(path, Durability::Buffered)).unwrap();
    let mut batch = Batch::new();
    let snapshot = store.snapshot();
    for entry in snapshot.range(Bound::Unbounded, Bound::Unbounded, Direction::Forward) {
        let (key, value) = entry.unwrap();
        if choose(&key) {
            change(&mut batch, key.to_vec(), value.to_vec());
        }
    }
    assert!(!batch.is_empty());
    store.stage(batch).unwrap().wait().unwrap();
}

fn doctored(
    choose: impl Fn(&[u8]) -> bool,
    change: impl Fn(&mut Batch, Vec<u8>, Vec<u8>),
) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let open = || {
        Engine::open(EngineOptions {
            background: false,
            ..EngineOptions::new(StoreOptions::folder(path.clone(), Durability::Buffered))
        })
        .unwrap()
    };
    let engine = open();
    create_table(&engine, "Tab");
    ask(
        &engine,
        "UpdateTable",
        &json!({"TableName": "Tab", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}),
    );
    for n in 0..3 {
        ask(
            &engine,
            "PutItem",
            &json!({"TableName": "Tab", "Item": {"pk": {"S": "p"}, "sk": {"S": format!("{n}")}, "g": {"S": "x"}, "n": {"N": format!("{n}")}}}),
        );
    }
    assert!(engine.examine().unwrap().is_well());
    drop(engine);
    tamper(&path, choose, change);
    format!("{:?}", open().examine().unwrap().problems)
}

fn of_table(key: &[u8]) -> bool {
    key.starts_with(&[0, 0, 0, 1])
}

#[test]
fn an_entry_without_item_is_reported() {
    let told = doctored(
        |key| of_table(key) && key[4] == 0,
        |batch, key, _| batch.remove(key),
    );
    assert!(
        told.contains("Tab.ByG") && told.contains("an entry has no item"),
        "{told}"
    );
}

#[test]
fn an_entry_that_differs_is_reported() {
    let last: RefCell<Option<Vec<u8>>> = RefCell::new(None);
    let told = doctored(
        |key| of_table(key) && key[4] == 1,
        |batch, key, value| {
            if let Some(other) = last.replace(Some(value)) {
                batch.put(key, other);
            }
        },
    );
    assert!(told.contains("differs from its item"), "{told}");
}

#[test]
fn counters_of_an_index_are_checked() {
    let told = doctored(
        |key| key.starts_with(&[0, 0, 0, 0, b'C', 0, 0, 0, 1]) && key[9] != 0,
        |batch, key, _| batch.put(key, 7i64.to_le_bytes().to_vec()),
    );
    assert!(told.contains("the counters of ByG say"), "{told}");
}

#[test]
fn an_item_under_another_key_is_reported() {
    let told = doctored(
        |key| of_table(key) && key[4] == 0,
        |batch, mut key, value| {
            batch.remove(key.clone());
            key.push(1);
            batch.put(key, value);
        },
    );
    assert!(told.contains("lies under another key"), "{told}");
}

#[test]
fn an_unreadable_record_is_reported() {
    let told = doctored(
        |key| key.starts_with(&[0, 0, 0, 0, b'S']),
        |batch, key, value| batch.put(key, value[..5].to_vec()),
    );
    assert!(told.contains("a record cannot be read"), "{told}");
}
