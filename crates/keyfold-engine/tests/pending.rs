//! Staged writes that are not durable yet: other callers do not see them early, and do not miss them
//! later.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;
#[path = "common/disk.rs"]
mod disk;

use common::ask;
use disk::{Disk, Fault};
use keyfold_api::{Operation, Response};
use keyfold_engine::{Durability, Engine, EngineOptions, FolderOptions, Pending, StoreOptions};
use serde_json::{Value, json};
use std::sync::Arc;

fn open(folder: &tempfile::TempDir) -> (Engine, Disk) {
    let disk = Disk::default();
    let store = FolderOptions {
        durability: Durability::Synced,
        log_files: Some(Arc::new(disk.clone())),
        ..FolderOptions::new(folder.path())
    };
    (
        Engine::open(EngineOptions::new(StoreOptions::Folder(store))).unwrap(),
        disk,
    )
}

/// Begins a request without waiting for its answer.
fn begin(engine: &Engine, operation: Operation, body: &Value) -> Pending<Response> {
    engine.execute(keyfold_wire::decode(operation, body.to_string().as_bytes()).unwrap())
}

fn table() -> Value {
    json!({
        "TableName": "Tab", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"},
    })
}

#[test]
fn a_closed_stream_ends_after_the_writes_staged_before() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, disk) = open(&folder);
    let table = ask(&engine, "CreateTable", &table());
    let arn = &table["TableDescription"]["LatestStreamArn"];
    let shard = ask(&engine, "DescribeStream", &json!({"StreamArn": arn}));
    let shard = &shard["StreamDescription"]["Shards"][0]["ShardId"];
    let from = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = ask(&engine, "GetShardIterator", &from)["ShardIterator"].clone();

    let held = disk.block_syncs();
    let item = json!({"TableName": "Tab", "Item": {"p": {"S": "last"}}});
    let put = begin(&engine, Operation::PutItem, &item);
    let closing = json!({"TableName": "Tab", "StreamSpecification": {"StreamEnabled": false}});
    let closed = begin(&engine, Operation::UpdateTable, &closing);
    let records = ask(&engine, "GetRecords", &json!({"ShardIterator": iterator}));
    assert_eq!(records["Records"], json!([]), "not durable yet");
    let iterator = records["NextShardIterator"].clone();
    assert!(iterator.is_string(), "there is more to come: {records}");

    drop(held);
    put.wait().unwrap();
    closed.wait().unwrap();
    let records = ask(&engine, "GetRecords", &json!({"ShardIterator": iterator}));
    assert_eq!(
        records["Records"][0]["dynamodb"]["Keys"],
        json!({"p": {"S": "last"}})
    );
    assert!(records["NextShardIterator"].is_null(), "{records}");
}

#[test]
fn a_backup_has_the_writes_staged_before_it_and_blocks_no_request() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, disk) = open(&folder);
    ask(&engine, "CreateTable", &table());
    let held = disk.block_syncs();
    let item = |key: &str| json!({"TableName": "Tab", "Item": {"p": {"S": key}}});
    let before = begin(&engine, Operation::PutItem, &item("before"));
    let backup = begin(
        &engine,
        Operation::CreateBackup,
        &json!({"TableName": "Tab", "BackupName": "kept"}),
    );
    let after = begin(&engine, Operation::PutItem, &item("after"));
    // Requests are answered while the device is busy.
    let get = json!({"TableName": "Tab", "Key": {"p": {"S": "before"}}});
    assert_eq!(ask(&engine, "GetItem", &get), json!({}));
    drop(held);
    before.wait().unwrap();
    after.wait().unwrap();
    let Response::CreateBackup(created) = backup.wait().unwrap() else {
        panic!("another answer")
    };
    let arn = created.backup_details.unwrap().backup_arn.unwrap();
    let described = loop {
        let described = ask(&engine, "DescribeBackup", &json!({"BackupArn": arn}));
        let described = &described["BackupDescription"];
        if described["BackupDetails"]["BackupStatus"] == "AVAILABLE" {
            break described.clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    };
    assert_eq!(
        described["SourceTableDetails"]["ItemCount"], 1,
        "{described}"
    );
    ask(
        &engine,
        "RestoreTableFromBackup",
        &json!({"BackupArn": arn, "TargetTableName": "Again"}),
    );
    engine.work().unwrap();
    let scan = ask(&engine, "Scan", &json!({"TableName": "Again"}));
    assert_eq!(scan["Items"], json!([{"p": {"S": "before"}}]), "{scan}");
}

/// The entries of a deleted index are removed after its deletion is durable. They must not be taken
/// for those of a new index.
#[test]
fn an_index_does_not_get_the_id_of_one_whose_deletion_is_not_durable() {
    let folder = tempfile::tempdir().unwrap();
    let (engine, disk) = open(&folder);
    ask(&engine, "CreateTable", &table());
    let create = |name: &str| {
        let key = json!([{"AttributeName": "g", "KeyType": "HASH"}]);
        let index =
            json!({"IndexName": name, "KeySchema": key, "Projection": {"ProjectionType": "ALL"}});
        json!({
            "TableName": "Tab", "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
            "GlobalSecondaryIndexUpdates": [{"Create": index}],
        })
    };
    ask(&engine, "UpdateTable", &create("First"));
    for n in 0..10 {
        let item = json!({"p": {"S": n.to_string()}, "g": {"S": "g"}});
        ask(
            &engine,
            "PutItem",
            &json!({"TableName": "Tab", "Item": item}),
        );
    }
    let wait_until_built = || {
        let status = || {
            let described = ask(&engine, "DescribeTable", &json!({"TableName": "Tab"}));
            described["Table"]["GlobalSecondaryIndexes"][0]["IndexStatus"].clone()
        };
        while status() != "ACTIVE" {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    };
    wait_until_built();
    let held = disk.block_syncs();
    let delete = json!({
        "TableName": "Tab", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "First"}}],
    });
    let deleted = begin(&engine, Operation::UpdateTable, &delete);
    let created = begin(&engine, Operation::UpdateTable, &create("Second"));
    drop(held);
    deleted.wait().unwrap();
    created.wait().unwrap();
    wait_until_built();
    engine.work().unwrap();
    let examination = engine.examine().unwrap();
    assert!(examination.is_well(), "{:?}", examination.problems.first());
    assert_eq!(examination.entries, 10);
}

/// An export and an import whose writes failed have not begun.
#[test]
fn transfers_whose_writes_failed_are_not_listed() {
    let folder = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let store = FolderOptions {
        log_files: Some(Arc::new(disk.clone())),
        ..FolderOptions::new(folder.path().join("data"))
    };
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(StoreOptions::Folder(store))
    };
    let options = EngineOptions {
        buckets: Some(folder.path().join("buckets")),
        ..options
    };
    let engine = Engine::open(options).unwrap();
    let created = ask(&engine, "CreateTable", &table());
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let recover = json!({"TableName": "Tab", "PointInTimeRecoverySpecification": recovery});
    ask(&engine, "UpdateContinuousBackups", &recover);

    let held = disk.block_syncs();
    let arn = &created["TableDescription"]["TableArn"];
    let export = json!({"TableArn": arn, "S3Bucket": "out"});
    let export = begin(&engine, Operation::ExportTableToPointInTime, &export);
    let mut filled = table();
    filled
        .as_object_mut()
        .unwrap()
        .remove("StreamSpecification");
    filled["TableName"] = json!("Filled");
    let import = json!({
        "InputFormat": "ION", "S3BucketSource": {"S3Bucket": "out"}, "TableCreationParameters": filled,
    });
    let import = begin(&engine, Operation::ImportTable, &import);
    let count = |list: &str, member: &str| {
        ask(&engine, list, &json!({}))[member]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(
        (
            count("ListExports", "ExportSummaries"),
            count("ListImports", "ImportSummaryList")
        ),
        (1, 1)
    );

    disk.strike(disk.calls() + 1, Fault::Error);
    drop(held);
    assert!(export.wait().is_err() && import.wait().is_err());
    assert_eq!(
        (
            count("ListExports", "ExportSummaries"),
            count("ListImports", "ImportSummaryList")
        ),
        (0, 0)
    );
    assert_eq!(
        ask(&engine, "ListTables", &json!({})),
        json!({"TableNames": ["Tab"]})
    );
}
