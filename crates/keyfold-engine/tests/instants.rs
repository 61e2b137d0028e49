//! Every filling begins from a snapshot that has all writes staged before its definition, and that is
//! the state of one instant. The tests interleave writes before and after the definition with the
//! syncs of the device, for every kind of filling.
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

use common::{ManualClock, ask};
use disk::Disk;
use flate2::read::GzDecoder;
use keyfold_api::{Operation, Response};
use keyfold_engine::{Engine, EngineOptions, Environment, FolderOptions, Pending, StoreOptions};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// A kind of filling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Index,
    Expiry,
    Backup,
    Restore,
    Export,
    Incremental,
}

const KINDS: [Kind; 6] = [
    Kind::Index,
    Kind::Expiry,
    Kind::Backup,
    Kind::Restore,
    Kind::Export,
    Kind::Incremental,
];

type Items = BTreeMap<String, String>;

struct Place {
    engine: Arc<Engine>,
    disk: Disk,
    clock: Arc<ManualClock>,
    folder: tempfile::TempDir,
}

/// A change of an item: to a value, or its deletion.
#[derive(Debug, Clone, Copy)]
struct Change(&'static str, Option<&'static str>);

/// A creation, a replacement and a deletion.
const CHANGES: [Change; 3] = [
    Change("new", Some("1")),
    Change("old", Some("2")),
    Change("gone", None),
];

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let (disk, clock) = (Disk::default(), ManualClock::new());
        let store = FolderOptions {
            log_files: Some(Arc::new(disk.clone())),
            ..FolderOptions::new(folder.path().join("data"))
        };
        let options = EngineOptions {
            environment: Environment {
                clock: clock.clone(),
                ..Environment::system()
            },
            background: false,
            buckets: Some(folder.path().to_owned()),
            ..EngineOptions::new(StoreOptions::Folder(store))
        };
        let place = Place {
            engine: Arc::new(Engine::open(options).unwrap()),
            disk,
            clock,
            folder,
        };
        let created = place.ask(
            "CreateTable",
            json!({
                "TableName": "Tab", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
            }),
        );
        assert!(created["TableDescription"].is_object(), "{created}");
        place
    }

    fn ask(&self, operation: &str, body: Value) -> Value {
        self.clock.advance(1);
        ask(&self.engine, operation, &body)
    }

    fn begin(&self, operation: Operation, body: &Value) -> Pending<Response> {
        self.clock.advance(1);
        self.engine
            .execute(keyfold_wire::decode(operation, body.to_string().as_bytes()).unwrap())
    }

    fn change(&self, change: Change) -> Pending<Response> {
        let Change(key, value) = change;
        let key = json!({"p": {"S": key}});
        match value {
            None => self.begin(
                Operation::DeleteItem,
                &json!({"TableName": "Tab", "Key": key}),
            ),
            Some(value) => {
                let mut item = key;
                item["g"] = json!({"S": value});
                item["e"] = json!({"N": "1600000000"});
                self.begin(
                    Operation::PutItem,
                    &json!({"TableName": "Tab", "Item": item}),
                )
            }
        }
    }

    /// Creates the items from before the filling.
    fn prepare(&self, kind: Kind) {
        if matches!(kind, Kind::Restore | Kind::Export | Kind::Incremental) {
            let recovery = json!({"PointInTimeRecoveryEnabled": true});
            self.ask(
                "UpdateContinuousBackups",
                json!({"TableName": "Tab", "PointInTimeRecoverySpecification": recovery}),
            );
        }
        for key in ["old", "gone", "kept"] {
            self.change(Change(key, Some("0"))).wait().unwrap();
        }
    }

    fn define(&self, kind: Kind, from_epoch_ms: u64) -> Pending<Response> {
        let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab";
        match kind {
            Kind::Index => {
                let index = json!({"IndexName": "ByG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}});
                let body = json!({
                    "TableName": "Tab", "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
                    "GlobalSecondaryIndexUpdates": [{"Create": index}],
                });
                self.begin(Operation::UpdateTable, &body)
            }
            Kind::Expiry => {
                let setting = json!({"AttributeName": "e", "Enabled": true});
                self.begin(
                    Operation::UpdateTimeToLive,
                    &json!({"TableName": "Tab", "TimeToLiveSpecification": setting}),
                )
            }
            Kind::Backup => {
                self.begin(Operation::CreateBackup, &json!({"TableName": "Tab", "BackupName": "kept"}))
            }
            Kind::Restore => self.begin(
                Operation::RestoreTableToPointInTime,
                &json!({"SourceTableName": "Tab", "TargetTableName": "Again", "UseLatestRestorableTime": true}),
            ),
            Kind::Export => self.begin(
                Operation::ExportTableToPointInTime,
                &json!({"TableArn": arn, "S3Bucket": "out"}),
            ),
            Kind::Incremental => {
                let from = from_epoch_ms as f64 / 1000.0;
                let window = json!({"ExportFromTime": from});
                self.begin(
                    Operation::ExportTableToPointInTime,
                    &json!({"TableArn": arn, "S3Bucket": "out", "ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": window}),
                )
            }
        }
    }

    fn scan(&self, table: &str) -> Items {
        let items = self.ask("Scan", json!({"TableName": table}))["Items"].clone();
        items
            .as_array()
            .unwrap_or_else(|| panic!("{table} cannot be read"))
            .iter()
            .map(item)
            .collect()
    }

    /// The lines of all data files in the bucket.
    fn exported(&self) -> Vec<Value> {
        let mut lines = Vec::new();
        let mut folders = vec![self.folder.path().join("out")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "gz") {
                    let mut text = String::new();
                    GzDecoder::new(std::fs::File::open(path).unwrap())
                        .read_to_string(&mut text)
                        .unwrap();
                    lines.extend(text.lines().map(|line| serde_json::from_str(line).unwrap()));
                }
            }
        }
        lines
    }
}

fn item(item: &Value) -> (String, String) {
    (
        item["p"]["S"].as_str().unwrap().to_owned(),
        item["g"]["S"].as_str().unwrap().to_owned(),
    )
}

fn after(items: &mut Items, Change(key, value): Change) {
    match value {
        Some(value) => items.insert(key.to_owned(), value.to_owned()),
        None => items.remove(key),
    };
}

/// The moment at which the device continues to sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Release {
    BeforeDefinition,
    BehindDefinition,
    BehindAll,
}

/// Tests an interleaving: the number of changes before the definition, and when the device
/// continues.
fn walk(kind: Kind, before: usize, release: Release) {
    let what = format!("{kind:?}, {before} before, {release:?}");
    let place = Place::new();
    place.prepare(kind);
    let mut state: Items = ["old", "gone", "kept"]
        .map(|key| (key.to_owned(), "0".to_owned()))
        .into();
    let begun = state.clone();
    place.clock.advance(1);
    let from = keyfold_engine::Clock::now_ms(&*place.clock);
    let mut held = Some(place.disk.block_syncs());
    let mut pending = Vec::new();
    for change in &CHANGES[..before] {
        pending.push(place.change(*change));
        after(&mut state, *change);
    }
    if release == Release::BeforeDefinition {
        held = None;
    }
    let defined_at = state.clone();
    // Settings that wait for a sync would block this thread.
    let defined = {
        let (engine, disk, clock) = (
            Arc::clone(&place.engine),
            place.disk.clone(),
            Arc::clone(&place.clock),
        );
        let folder = tempfile::tempdir().unwrap();
        let other = Place {
            engine,
            disk,
            clock,
            folder,
        };
        let (begins, begun) = std::sync::mpsc::channel();
        let defined = std::thread::spawn(move || {
            begins.send(()).unwrap();
            let defined = other.define(kind, from);
            // Nobody waits any more when the definition has waited for a sync.
            let _nobody_waits = begins.send(());
            defined.wait().map(|_| ())
        });
        // The definition is staged when its call returns. One that waits for a sync has been staged
        // long before the limit.
        begun.recv().unwrap();
        let _held = begun.recv_timeout(Duration::from_millis(150));
        defined
    };
    let engine = Arc::clone(&place.engine);
    let worker = std::thread::spawn(move || engine.work());
    // The background thread begins the filling while the writes are under way.
    std::thread::sleep(Duration::from_millis(10));
    if release == Release::BehindDefinition {
        held = None;
    }
    for change in &CHANGES[before..] {
        pending.push(place.change(*change));
        after(&mut state, *change);
    }
    std::thread::sleep(Duration::from_millis(5));
    drop(held);
    defined
        .join()
        .unwrap()
        .unwrap_or_else(|error| panic!("{what}: {error:?}"));
    pending
        .into_iter()
        .for_each(|pending| drop(pending.wait().unwrap()));
    worker.join().unwrap().unwrap();
    place.engine.work().unwrap();
    let examination = place.engine.examine().unwrap();
    assert!(examination.is_well(), "{what}: {:?}", examination.problems);
    match kind {
        Kind::Index => assert_eq!(examination.entries, state.len() as u64, "{what}"),
        Kind::Expiry => assert_eq!(place.scan("Tab"), Items::new(), "{what}: all have expired"),
        Kind::Backup => {
            let backup =
                place.ask("ListBackups", json!({}))["BackupSummaries"][0]["BackupArn"].clone();
            let restore = json!({"BackupArn": backup, "TargetTableName": "Again"});
            place.ask("RestoreTableFromBackup", restore);
            place.engine.work().unwrap();
            assert_eq!(place.scan("Again"), defined_at, "{what}");
        }
        Kind::Restore => assert_eq!(place.scan("Again"), defined_at, "{what}"),
        Kind::Export => {
            let items: Items = place
                .exported()
                .iter()
                .map(|line| item(&line["Item"]))
                .collect();
            assert_eq!(items, defined_at, "{what}");
        }
        Kind::Incremental => {
            // The changes, applied to the items from before, give the state at the end.
            let mut items = begun;
            for line in place.exported() {
                let key = line["Keys"]["p"]["S"].as_str().unwrap().to_owned();
                match line["NewImage"].is_object() {
                    true => items.extend([item(&line["NewImage"])]),
                    false => drop(items.remove(&key)),
                }
            }
            assert_eq!(items, defined_at, "{what}");
        }
    }
}

#[test]
fn a_filling_has_all_writes_staged_before_its_definition() {
    for kind in KINDS {
        for before in 0..=CHANGES.len() {
            for release in [
                Release::BeforeDefinition,
                Release::BehindDefinition,
                Release::BehindAll,
            ] {
                walk(kind, before, release);
            }
        }
    }
}

/// Adjacent windows of incremental exports have every change once, while others write.
#[test]
fn adjacent_windows_have_every_change_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = FolderOptions::new(folder.path().join("data"));
    let options = EngineOptions {
        buckets: Some(folder.path().to_owned()),
        ..EngineOptions::new(StoreOptions::Folder(store))
    };
    let place = Place {
        engine: Arc::new(Engine::open(options).unwrap()),
        disk: Disk::default(),
        clock: ManualClock::new(),
        folder,
    };
    let table = json!({
        "TableName": "Tab", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    });
    place.ask("CreateTable", table);
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let on = json!({"TableName": "Tab", "PointInTimeRecoverySpecification": recovery});
    let described = place.ask("UpdateContinuousBackups", on);
    let since = &described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"];
    let mut from = since["EarliestRestorableDateTime"].clone();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let written: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (place, is_over) = (&place, &is_over);
                scope.spawn(move || {
                    let mut count = 0;
                    while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                        let item =
                            json!({"p": {"S": format!("{writer} {count}")}, "g": {"S": "x"}});
                        ask(
                            &place.engine,
                            "PutItem",
                            &json!({"TableName": "Tab", "Item": item}),
                        );
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        for window in 0..12 {
            std::thread::sleep(Duration::from_millis(20));
            if window == 11 {
                is_over.store(true, std::sync::atomic::Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(50));
            }
            let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab";
            let begun = place.ask(
                "ExportTableToPointInTime",
                json!({"TableArn": arn, "S3Bucket": "out", "ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": {"ExportFromTime": from}}),
            );
            let begun = &begun["ExportDescription"];
            from = begun["IncrementalExportSpecification"]["ExportToTime"].clone();
            assert!(from.is_number(), "{begun}");
            let status = || {
                let described =
                    place.ask("DescribeExport", json!({"ExportArn": begun["ExportArn"]}));
                described["ExportDescription"]["ExportStatus"].clone()
            };
            while status() == "IN_PROGRESS" {
                std::thread::sleep(Duration::from_millis(2));
            }
            assert_eq!(status(), "COMPLETED");
        }
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .sum()
    });
    let mut keys: Vec<String> = place
        .exported()
        .iter()
        .map(|line| line["Keys"]["p"]["S"].as_str().unwrap().to_owned())
        .collect();
    keys.sort_unstable();
    let all = keys.len();
    keys.dedup();
    assert_eq!(
        (keys.len(), all),
        (written, written),
        "each change is in one window"
    );
}

/// No restorable moment divides a batch, and a clock that is set back causes no refusal.
#[test]
fn no_moment_divides_a_batch_and_a_clock_may_be_set_back() {
    /// A clock that advances with every reading.
    struct Restless(std::sync::atomic::AtomicU64);
    impl keyfold_engine::Clock for Restless {
        fn now_ms(&self) -> u64 {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst)
        }
    }
    let clock = Arc::new(Restless(1_700_000_000_000.into()));
    let open = |folder: &std::path::Path| {
        let environment = Environment {
            clock: clock.clone(),
            ..Environment::system()
        };
        let store = StoreOptions::Folder(FolderOptions::new(folder));
        let options = EngineOptions {
            environment,
            background: false,
            ..EngineOptions::new(store)
        };
        Engine::open(options).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    let table = json!({
        "TableName": "Tab", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    });
    ask(&engine, "CreateTable", &table);
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    ask(
        &engine,
        "UpdateContinuousBackups",
        &json!({"TableName": "Tab", "PointInTimeRecoverySpecification": recovery}),
    );
    let first = clock.0.load(std::sync::atomic::Ordering::SeqCst);
    for round in 0..3 {
        let put = |n: usize| json!({"Put": {"TableName": "Tab", "Item": {"p": {"S": format!("{round} {n}")}}}});
        let actions: Vec<Value> = (0..10).map(put).collect();
        assert_eq!(
            ask(
                &engine,
                "TransactWriteItems",
                &json!({"TransactItems": actions})
            ),
            json!({})
        );
        let put =
            |n: usize| json!({"PutRequest": {"Item": {"p": {"S": format!("batch {round} {n}")}}}});
        let puts: Vec<Value> = (0..10).map(put).collect();
        ask(
            &engine,
            "BatchWriteItem",
            &json!({"RequestItems": {"Tab": puts}}),
        );
    }
    let last = clock.0.load(std::sync::atomic::Ordering::SeqCst);
    for moment in first..last {
        let name = format!("At{moment}");
        let body = json!({"SourceTableName": "Tab", "TargetTableName": name, "RestoreDateTime": moment as f64 / 1000.0});
        let described = ask(&engine, "RestoreTableToPointInTime", &body);
        assert!(described["TableDescription"].is_object(), "{described}");
        engine.work().unwrap();
        let count = ask(
            &engine,
            "Scan",
            &json!({"TableName": name, "Select": "COUNT"}),
        )["Count"]
            .as_u64()
            .unwrap();
        assert_eq!(count % 10, 0, "{moment}");
    }
    drop(engine);
    // Twelve minutes.
    clock
        .0
        .fetch_sub(720_000, std::sync::atomic::Ordering::SeqCst);
    let engine = open(folder.path());
    ask(
        &engine,
        "PutItem",
        &json!({"TableName": "Tab", "Item": {"p": {"S": "later"}}}),
    );
    let body = json!({"SourceTableName": "Tab", "TargetTableName": "Latest", "UseLatestRestorableTime": true});
    let described = ask(&engine, "RestoreTableToPointInTime", &body);
    assert!(described["TableDescription"].is_object(), "{described}");
    engine.work().unwrap();
    let count = ask(
        &engine,
        "Scan",
        &json!({"TableName": "Latest", "Select": "COUNT"}),
    )["Count"]
        .clone();
    assert_eq!(count, 61);
}

/// A restore leaves items out of an index that do not fit it.
#[test]
fn items_that_an_index_skipped_are_restored() {
    let place = Place::new();
    let item = json!({"p": {"S": "odd"}, "g": {"N": "7"}});
    place.ask("PutItem", json!({"TableName": "Tab", "Item": item}));
    place.define(Kind::Index, 0).wait().unwrap();
    place.engine.work().unwrap();
    place.ask(
        "CreateBackup",
        json!({"TableName": "Tab", "BackupName": "kept"}),
    );
    place.engine.work().unwrap();
    let backup = place.ask("ListBackups", json!({}))["BackupSummaries"][0]["BackupArn"].clone();
    place.ask(
        "RestoreTableFromBackup",
        json!({"BackupArn": backup, "TargetTableName": "Again"}),
    );
    place.engine.work().unwrap();
    assert_eq!(
        place.ask("Scan", json!({"TableName": "Again"}))["Items"],
        json!([item])
    );
}

/// An export fails when its changes are removed before it begins.
#[test]
fn an_export_whose_changes_are_no_longer_kept_fails() {
    for is_deleted in [false, true] {
        let place = Place::new();
        place.prepare(Kind::Export);
        let begun = place.define(Kind::Export, 0).wait().unwrap();
        let Response::ExportTableToPointInTime(begun) = begun else {
            panic!("another answer")
        };
        if is_deleted {
            place.ask("DeleteTable", json!({"TableName": "Tab"}));
        } else {
            let off = json!({"PointInTimeRecoveryEnabled": false});
            place.ask(
                "UpdateContinuousBackups",
                json!({"TableName": "Tab", "PointInTimeRecoverySpecification": off}),
            );
        }
        drop(place.engine.work());
        let arn = begun.export_description.unwrap().export_arn.unwrap();
        let described =
            place.ask("DescribeExport", json!({"ExportArn": arn}))["ExportDescription"].clone();
        assert_eq!(described["ExportStatus"], "FAILED", "{described}");
        assert!(
            described["FailureMessage"]
                .as_str()
                .unwrap()
                .contains("switched off"),
            "{described}"
        );
    }
}

/// A consumer that has read everything continues after more than a day without changes.
#[test]
fn an_idle_stream_loses_nothing() {
    let place = Place::new();
    let on = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    let described = place.ask(
        "UpdateTable",
        json!({"TableName": "Tab", "StreamSpecification": on}),
    );
    let arn = described["TableDescription"]["LatestStreamArn"].clone();
    let shard =
        place.ask("DescribeStream", json!({"StreamArn": arn}))["StreamDescription"]["Shards"][0]["ShardId"]
            .clone();
    let begin = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let old = place.ask("GetShardIterator", begin.clone())["ShardIterator"].clone();
    place.change(CHANGES[0]).wait().unwrap();
    let read = place.ask("GetRecords", json!({"ShardIterator": old}));
    let last = read["Records"][0]["dynamodb"]["SequenceNumber"].clone();
    for _ in 0..30 {
        place.clock.advance(60 * 60 * 1000);
        place.engine.work().unwrap();
    }
    place.change(CHANGES[1]).wait().unwrap();
    let at = |kind: &str, sequence: &Value| {
        place.ask("GetShardIterator", json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": kind, "SequenceNumber": sequence}))
    };
    let next = at("AFTER_SEQUENCE_NUMBER", &last);
    assert_eq!(
        next["__type"].as_str().map(|kind| kind.contains("Trimmed")),
        None,
        "{next}"
    );
    let read = place.ask(
        "GetRecords",
        json!({"ShardIterator": next["ShardIterator"]}),
    );
    assert_eq!(read["Records"].as_array().map(Vec::len), Some(1), "{read}");
    let lost = at("AT_SEQUENCE_NUMBER", &last);
    assert!(
        lost["__type"]
            .as_str()
            .unwrap()
            .contains("TrimmedDataAccess"),
        "{lost}"
    );
    // An iterator from a time also works.
    let time = (keyfold_engine::Clock::now_ms(&*place.clock) - 1000) as f64 / 1000.0;
    let from = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "AT_TIMESTAMP", "Timestamp": time});
    let next = place.ask("GetShardIterator", from)["ShardIterator"].clone();
    let read = place.ask("GetRecords", json!({"ShardIterator": next}));
    assert_eq!(read["Records"].as_array().map(Vec::len), Some(1), "{read}");
}
