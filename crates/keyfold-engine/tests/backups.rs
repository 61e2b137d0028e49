//! A backup has the items of its moment, also when the process ends before they are copied.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::create_table;
use keyfold_api::{
    CreateBackupInput, DeleteItemInput, DeleteTableInput, PutItemInput, Request, Response,
    RestoreTableFromBackupInput, ScanInput,
};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use keyfold_types::{Item, Value};
use std::path::Path;

fn open(path: &Path) -> Engine {
    let store = StoreOptions::folder(path, Durability::Buffered);
    Engine::open(EngineOptions {
        background: false,
        ..EngineOptions::new(store)
    })
    .unwrap()
}

fn key(n: i64) -> Item {
    [
        ("pk", Value::from("p")),
        ("sk", Value::from(format!("{n:04}"))),
    ]
    .into_iter()
    .collect()
}

fn put(engine: &Engine, n: i64, value: i64) {
    let mut item = key(n);
    item.insert("n", Value::from(value));
    let input = PutItemInput {
        table_name: Some("Tab".into()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    engine.put_item(input).wait().unwrap();
}

fn delete(engine: &Engine, n: i64) {
    let input = DeleteItemInput {
        table_name: Some("Tab".into()),
        key: Some(Ok(key(n))),
        ..DeleteItemInput::default()
    };
    engine.delete_item(input).wait().unwrap();
}

fn back_up(engine: &Engine) -> String {
    let input = CreateBackupInput {
        table_name: Some("Tab".into()),
        backup_name: Some("first".into()),
    };
    let answer = engine.execute(Request::CreateBackup(input)).wait().unwrap();
    let Response::CreateBackup(answer) = answer else {
        panic!("{answer:?}");
    };
    answer.backup_details.unwrap().backup_arn.unwrap()
}

/// The items of a backup, by restoring it.
fn items(engine: &Engine, arn: &str) -> Vec<String> {
    let input = RestoreTableFromBackupInput {
        target_table_name: Some("Copy".into()),
        backup_arn: Some(arn.to_owned()),
        ..RestoreTableFromBackupInput::default()
    };
    engine
        .execute(Request::RestoreTableFromBackup(input))
        .wait()
        .unwrap();
    engine.work().unwrap();
    let input = ScanInput {
        table_name: Some("Copy".into()),
        ..ScanInput::default()
    };
    let page = engine.scan(input).wait().unwrap();
    page.items
        .unwrap()
        .iter()
        .map(|item| format!("{:?}", item.to_item()))
        .collect()
}

fn expected(count: i64) -> Vec<String> {
    (0..count)
        .map(|n| {
            let mut item = key(n);
            item.insert("n", Value::from(n));
            format!("{item:?}")
        })
        .collect()
}

#[test]
fn an_interrupted_backup_has_the_items_of_its_moment() {
    let folder = tempfile::tempdir().unwrap();
    let arn = {
        let engine = open(folder.path());
        create_table(&engine, "Tab");
        (0..700).for_each(|n| put(&engine, n, n));
        let arn = back_up(&engine);
        put(&engine, 3, -3);
        delete(&engine, 600);
        put(&engine, 9000, 1);
        arn
    };
    let engine = open(folder.path());
    put(&engine, 4, -4);
    put(&engine, 3, -33);
    delete(&engine, 0);
    engine.work().unwrap();
    assert_eq!(items(&engine, &arn), expected(700));
    // No changes are kept for a complete backup.
    let found = engine.examine().unwrap();
    assert_eq!(found.records, 0);
}

#[test]
fn its_table_can_be_deleted_during_the_copy() {
    let folder = tempfile::tempdir().unwrap();
    let arn = {
        let engine = open(folder.path());
        create_table(&engine, "Tab");
        (0..700).for_each(|n| put(&engine, n, n));
        let arn = back_up(&engine);
        put(&engine, 3, -3);
        let input = DeleteTableInput {
            table_name: Some("Tab".into()),
        };
        engine.delete_table(input).wait().unwrap();
        arn
    };
    let engine = open(folder.path());
    engine.work().unwrap();
    assert_eq!(items(&engine, &arn), expected(700));
}
