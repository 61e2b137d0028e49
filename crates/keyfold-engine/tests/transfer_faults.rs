//! Reads of the store that fail during exports and imports: a transfer continues where it was, and
//! ends as failed, with the reason, only when the failure lasts.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ManualClock, ask};
use keyfold_engine::{Durability, Engine, EngineOptions, Environment, FolderOptions, StoreOptions};
use keyfold_faults::Machine;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

const ITEMS: usize = 1_200;
/// Attempts after which a transfer that keeps failing must have ended.
const ATTEMPTS_MAX: usize = 20;

/// A data folder and buckets, on a machine whose reads can fail.
struct Place {
    folder: tempfile::TempDir,
    machine: Machine,
}

impl Place {
    fn new() -> Place {
        let folder = keyfold_testkit::folder::in_memory().unwrap();
        std::fs::create_dir_all(folder.path().join("data")).unwrap();
        std::fs::create_dir_all(folder.path().join("buckets/in")).unwrap();
        let machine = Machine::watch(&folder.path().join("data")).unwrap();
        Place { folder, machine }
    }

    /// An engine whose reads go to the device. No writer waits for a flush or a compaction that
    /// failed: the memtables are few.
    fn open(&self, memtable_bytes: u64) -> Engine {
        let store = FolderOptions {
            durability: Durability::Synced,
            memtable_bytes,
            cache_bytes: 1024,
            ..FolderOptions::new(self.folder.path().join("data/store"))
        };
        let environment = Environment {
            clock: ManualClock::new(),
            ..Environment::system()
        };
        let options = EngineOptions {
            background: false,
            buckets: Some(self.folder.path().join("buckets")),
            environment,
            ..EngineOptions::new(StoreOptions::Folder(store))
        };
        Engine::open(options).unwrap()
    }

    /// Works with failing reads, counted from now, and without them afterwards. Returns whether a
    /// read failed.
    fn work(&self, engine: &Engine, from: u64) -> bool {
        let (before, first) = (self.machine.injected(), self.machine.reads() + from);
        self.machine.fail_reads(first, first);
        drop(engine.work());
        self.machine.clear_faults();
        engine.work().unwrap();
        self.machine.injected() > before
    }
}

fn definition(name: &str) -> Value {
    json!({
        "TableName": name, "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    })
}

fn put(engine: &Engine, n: usize, version: usize) {
    let item = json!({"p": {"S": format!("{n:04}")}, "v": {"N": version.to_string()}, "t": {"S": "x".repeat(100)}});
    ask(
        engine,
        "PutItem",
        &json!({"TableName": "Tab", "Item": item}),
    );
}

/// A table whose items were changed since recovery was switched on, so that an export reads both
/// items and changes.
fn with_items(engine: &Engine) {
    ask(engine, "CreateTable", &definition("Tab"));
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let body = json!({"TableName": "Tab", "PointInTimeRecoverySpecification": recovery});
    ask(engine, "UpdateContinuousBackups", &body);
    (0..ITEMS).for_each(|n| put(engine, n, 1));
    (0..ITEMS).step_by(3).for_each(|n| put(engine, n, 2));
}

fn begin_export(engine: &Engine) -> Value {
    let begun = ask(
        engine,
        "ExportTableToPointInTime",
        &json!({"TableArn": "Tab", "S3Bucket": "out"}),
    );
    begun["ExportDescription"]["ExportArn"].clone()
}

fn export(engine: &Engine, arn: &Value) -> Value {
    ask(engine, "DescribeExport", &json!({"ExportArn": arn}))["ExportDescription"].clone()
}

/// The number of lines of each key in the files of an export.
fn exported(out: &Path, done: &Value) -> BTreeMap<String, usize> {
    let read = |key: &Value| std::fs::read_to_string(out.join(key.as_str().unwrap())).unwrap();
    let summary: Value = serde_json::from_str(&read(&done["ExportManifest"])).unwrap();
    let mut keys = BTreeMap::new();
    for line in read(&summary["manifestFilesS3Key"]).lines() {
        let file: Value = serde_json::from_str(line).unwrap();
        let file = std::fs::File::open(out.join(file["dataFileS3Key"].as_str().unwrap())).unwrap();
        let mut text = String::new();
        flate2::read::GzDecoder::new(file)
            .read_to_string(&mut text)
            .unwrap();
        for line in text.lines() {
            let item: Value = serde_json::from_str(line).unwrap();
            *keys.entry(item["Item"]["p"]["S"].to_string()).or_default() += 1;
        }
    }
    keys
}

#[test]
fn an_export_continues_after_a_failed_read() {
    let place = Place::new();
    let engine = place.open(50_000);
    with_items(&engine);
    let mut failures = 0;
    // Each read of the first ones, and some of the later ones.
    for step in 1..24u64 {
        let arn = begin_export(&engine);
        let has_failed = place.work(&engine, step * step + 1);
        let done = export(&engine, &arn);
        assert_eq!(done["ExportStatus"], "COMPLETED", "step {step}: {done}");
        let keys = exported(&place.folder.path().join("buckets/out"), &done);
        assert_eq!(keys.len(), ITEMS, "step {step}");
        assert!(keys.values().all(|count| *count == 1), "step {step}");
        if !has_failed {
            break;
        }
        failures += 1;
    }
    assert!(failures > 5, "{failures} reads failed");
}

#[test]
fn an_export_whose_reads_keep_failing_ends_as_failed() {
    let place = Place::new();
    let engine = place.open(50_000);
    with_items(&engine);
    let arn = begin_export(&engine);
    place
        .machine
        .fail_reads(place.machine.reads() + 1, u64::MAX);
    let attempts = (1..=ATTEMPTS_MAX).find(|_| {
        drop(engine.work());
        export(&engine, &arn)["ExportStatus"] == "FAILED"
    });
    let done = export(&engine, &arn);
    assert!(
        attempts.is_some_and(|attempts| attempts > 3),
        "{attempts:?}: {done}"
    );
    let reason = done["FailureMessage"].as_str().unwrap();
    assert!(reason.contains("storage device"), "{reason}");
}

#[test]
fn an_import_continues_after_a_failed_read() {
    let place = Place::new();
    // Each key several times, so that the import reads what it wrote.
    let mut lines = String::new();
    for n in 0..3 * ITEMS {
        let (p, t) = (n % ITEMS, "x".repeat(100));
        lines.push_str(&format!("{{\"Item\":{{\"p\":{{\"S\":\"{p:04}\"}},\"v\":{{\"N\":\"{n}\"}},\"t\":{{\"S\":\"{t}\"}}}}}}\n"));
    }
    std::fs::write(place.folder.path().join("buckets/in/a.json"), lines).unwrap();
    let engine = place.open(250_000);
    let mut failures = 0;
    for step in 1..16u64 {
        let body = json!({
            "TableCreationParameters": definition(&format!("Tab{step}")),
            "InputFormat": "DYNAMODB_JSON", "S3BucketSource": {"S3Bucket": "in"},
        });
        let begun = ask(&engine, "ImportTable", &body)["ImportTableDescription"].clone();
        let has_failed = place.work(&engine, step * step + 1);
        let done = &ask(
            &engine,
            "DescribeImport",
            &json!({"ImportArn": begun["ImportArn"]}),
        )["ImportTableDescription"];
        assert_eq!(done["ImportStatus"], "COMPLETED", "step {step}: {done}");
        let counts = ["ProcessedItemCount", "ImportedItemCount", "ErrorCount"];
        assert_eq!(
            counts.map(|count| done[count].as_u64().unwrap_or(0)),
            [3 * ITEMS as u64, 3 * ITEMS as u64, 0],
            "step {step}"
        );
        let scanned = ask(
            &engine,
            "Scan",
            &json!({"TableName": format!("Tab{step}"), "Select": "COUNT"}),
        );
        assert_eq!(scanned["Count"], ITEMS, "step {step}");
        if !has_failed {
            break;
        }
        failures += 1;
    }
    assert!(failures > 3, "{failures} reads failed");
    assert!(engine.examine().unwrap().is_well());
}
