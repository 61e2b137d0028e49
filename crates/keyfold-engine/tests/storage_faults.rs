//! Failing file calls of a store, including those of the storage engine: SSTables, the manifest, the
//! log, names of files and folders. A seeded workload runs once without faults. Then it runs again
//! and again, and at one of the calls the process stops, the device fails or is full. A machine that
//! crashes keeps everything that was synced, names and contents separately, and any part of the
//! rest. After it all acknowledged changes exist, completely. Other tests fail single reads: an
//! answer is right, or it is an error.
//!
//! `crash_points.rs` crashes at every call of the log; this file chooses calls at random.
//! `KEYFOLD_CRASH_SEEDS=1000 cargo test -p keyfold-engine --test storage_faults` runs longer.
#![cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;
#[path = "common/history.rs"]
mod history;

use common::{CountingRandom, ManualClock, ask};
use fastrand::Rng;
use history::{States, is_failure, seeds, seen, work};
use keyfold_engine::{
    Durability, Engine, EngineOptions, Environment, FolderOptions, OpenError, StoreOptions,
};
use keyfold_faults::{Fault, Machine, Tail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

const CRASHES: usize = 30;
const FAILING_READS: u64 = 12;

fn open(folder: &Path, cache_bytes: u64) -> Result<Engine, OpenError> {
    let environment = Environment {
        clock: ManualClock::new(),
        random: CountingRandom::new(),
    };
    // Small, so that a workload makes many SSTables, and compacts them.
    let store = FolderOptions {
        durability: Durability::Synced,
        memtable_bytes: 20_000,
        cache_bytes,
        ..FolderOptions::new(folder.join("data"))
    };
    let options = EngineOptions::new(StoreOptions::Folder(store));
    Engine::open(EngineOptions {
        environment,
        background: false,
        ..options
    })
}

const CACHE: u64 = 1024 * 1024;
/// A cache so small that reads go to the device.
const NO_CACHE: u64 = 1024;

/// A folder on a machine of its own.
fn machine(place: &Path, name: &str) -> (std::path::PathBuf, Machine) {
    let folder = place.join(name);
    std::fs::create_dir(&folder).unwrap();
    let machine = Machine::watch(&folder).unwrap();
    (folder, machine)
}

/// Crashes at some calls. Returns how often each state was found.
fn crashes_of(seed: u64) -> BTreeMap<usize, usize> {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let (folder, faultless) = machine(place.path(), "faultless");
    let engine = open(&folder, CACHE).unwrap();
    let states = States::of(&engine, seed);
    drop(engine);
    let mut rng = Rng::with_seed(seed);
    let (mut found, mut strikes) = (BTreeMap::new(), 0);
    for turn in 0..CRASHES {
        let at = rng.u64(1..=faultless.changes());
        let fault = [Fault::Stop, Fault::Stop, Fault::Error, Fault::Full][rng.usize(..4)];
        let tail = [Tail::Kept, Tail::Lost, Tail::Torn, Tail::Torn][rng.usize(..4)];
        let context = format!(
            "seed {seed}, turn {turn}: {fault:?} at {at} of {}, {tail:?}",
            faultless.changes()
        );
        let (folder, struck) = machine(place.path(), &format!("struck{turn}"));
        struck.inject(at, fault);
        let mut done = 0;
        // The store may also fail to open.
        if let Ok(engine) = open(&folder, CACHE) {
            let progress = work(&engine, seed, |_| {});
            done = progress.acknowledged;
            if progress.is_settled {
                assert_eq!(
                    seen(&engine),
                    states.seen[done],
                    "{context}, read on after it"
                );
            }
        }
        strikes += usize::from(struck.injected() > 0);
        let mut may = done..done + 2;
        if fault != Fault::Stop {
            // The process continues, ends, and is restarted on the same device. It then sees the same
            // state.
            struck.clear_faults();
            let engine = open(&folder, CACHE).unwrap_or_else(|error| panic!("{context}: {error}"));
            engine.work().unwrap();
            let state = states.find(&engine, may.clone());
            may.start = state.unwrap_or_else(|| {
                panic!("{context}, in the same folder: not the state after {done} changes")
            });
            may.end = may.start + 1;
        }
        let (left, again) = if tail == Tail::Kept {
            // The machine goes on, and has still not synced everything.
            struck.clear_faults();
            (folder, struck)
        } else {
            let left = place.path().join(format!("left{turn}"));
            struck.after_crash(tail, &left, &mut || rng.bool()).unwrap();
            let again = Machine::watch(&left).unwrap();
            (left, again)
        };
        let engine = open(&left, CACHE).unwrap_or_else(|error| panic!("{context}: {error}"));
        let state = states.check(&engine, may, &context, &mut rng);
        *found.entry(state).or_insert(0) += 1;
        // Later writes are durable, too.
        let after = seen(&engine);
        again.inject(again.changes() + 1, Fault::Stop);
        drop(engine);
        let last = place.path().join(format!("last{turn}"));
        again.after_crash(Tail::Lost, &last, &mut || false).unwrap();
        let engine = open(&last, CACHE).unwrap_or_else(|error| panic!("{context}, again: {error}"));
        assert_eq!(seen(&engine), after, "{context}, after the second crash");
    }
    assert!(
        strikes > CRASHES / 2,
        "seed {seed}: {strikes} of {CRASHES} calls came"
    );
    found
}

#[test]
fn a_store_whose_calls_fail_or_stop_loses_nothing_that_was_acknowledged() {
    for seed in 0..seeds() {
        let found = crashes_of(seed);
        assert!(
            found.len() > CRASHES / 4,
            "the crashes of seed {seed} left few states: {found:?}"
        );
    }
}

/// Requests that read in every way.
fn questions(engine: &Engine) -> Vec<(&'static str, Value)> {
    let tab = json!({"TableName": "Tab"});
    let faultless = json!({"TableName": "Tab", "ConsistentRead": true});
    let of = |index: &str, forward: bool| {
        let name = if index == "ByG" { "g" } else { "pk" };
        json!({
            "TableName": "Tab", "IndexName": index, "ScanIndexForward": forward,
            "KeyConditionExpression": format!("{name} = :v"),
            "ExpressionAttributeValues": {":v": {"S": if index == "ByG" { "g" } else { "tokens" }}},
        })
    };
    let tokens = json!({
        "TableName": "Tab", "KeyConditionExpression": "pk = :v", "Select": "COUNT",
        "ExpressionAttributeValues": {":v": {"S": "tokens"}},
    });
    let items = ask(engine, "Scan", &faultless)["Items"].clone();
    let key = |item: &Value| json!({"pk": item["pk"], "sk": item["sk"]});
    let keys: Vec<Value> = items.as_array().unwrap().iter().take(20).map(key).collect();
    let get = |key: &Value| ("GetItem", json!({"TableName": "Tab", "Key": key}));
    let stream = ask(engine, "DescribeTable", &tab)["Table"]["LatestStreamArn"].clone();
    let shard = ask(engine, "DescribeStream", &json!({"StreamArn": stream}));
    let shard = &shard["StreamDescription"]["Shards"][0]["ShardId"];
    let from = json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = &ask(engine, "GetShardIterator", &from)["ShardIterator"];
    let mut all = vec![
        ("Scan", faultless),
        ("Scan", json!({"TableName": "Tab", "IndexName": "ByG"})),
        ("Query", of("ByG", true)),
        ("Query", of("ByN", false)),
        ("Query", tokens),
        (
            "BatchGetItem",
            json!({"RequestItems": {"Tab": {"Keys": keys}}}),
        ),
        ("GetRecords", json!({"ShardIterator": iterator})),
    ];
    all.extend(keys.iter().take(5).map(get));
    all.push(get(&json!({"pk": {"S": "nobody"}, "sk": {"S": "x"}})));
    all
}

#[test]
fn an_answer_is_right_or_an_error_whichever_read_fails() {
    let mut failures = 0u64;
    for seed in 0..seeds() {
        let place = keyfold_testkit::folder::in_memory().unwrap();
        let (folder, machine) = machine(place.path(), "store");
        work(&open(&folder, CACHE).unwrap(), seed, |_| {});
        let engine = open(&folder, NO_CACHE).unwrap();
        let without_next = |operation: &str, body: &Value| {
            let mut answer = ask(&engine, operation, body);
            // Each answer has another iterator.
            answer
                .as_object_mut()
                .map(|answer| answer.remove("NextShardIterator"));
            answer
        };
        for (operation, body) in questions(&engine) {
            let right = without_next(operation, &body);
            assert!(!is_failure(&right), "{right}");
            for read in 1.. {
                machine.fail_reads(machine.reads() + read, machine.reads() + read);
                let before = machine.injected();
                let answer = without_next(operation, &body);
                machine.clear_faults();
                if is_failure(&answer) {
                    failures += 1;
                } else {
                    assert_eq!(
                        answer, right,
                        "seed {seed}: {operation} {body}, read {read} failed"
                    );
                }
                assert_eq!(
                    without_next(operation, &body),
                    right,
                    "{operation} {body}, after it"
                );
                if machine.injected() == before {
                    break;
                }
            }
        }
    }
    assert!(failures > 5 * seeds(), "{failures} reads failed a request");
}

#[test]
fn a_change_whose_reads_fail_is_complete_or_absent() {
    let (mut failures, mut went_on) = (0, 0);
    for seed in 0..seeds() {
        let place = keyfold_testkit::folder::in_memory().unwrap();
        let (folder, faultless) = machine(place.path(), "faultless");
        let states = States::of(&open(&folder, CACHE).unwrap(), seed);
        let reads = faultless.reads();
        let mut rng = Rng::with_seed(seed);
        for turn in 0..FAILING_READS {
            let (folder, struck) = machine(place.path(), &format!("struck{turn}"));
            let engine = open(&folder, NO_CACHE).unwrap();
            let from = struck.reads() + rng.u64(1..=reads);
            let count = rng.u64(1..20);
            struck.fail_reads(from, from + count - 1);
            let done = work(&engine, seed, |_| {}).acknowledged;
            failures += u64::from(struck.injected() > 0);
            struck.clear_faults();
            let context = format!(
                "seed {seed}, turn {turn}: {count} reads from {from} on failed after {done} changes"
            );
            // Failed background work is retried, unless an SSTable could not be written.
            if engine.work().is_ok() {
                assert!(states.find(&engine, done..done + 2).is_some(), "{context}");
                went_on += 1;
            }
            drop(engine);
            let engine = open(&folder, CACHE).unwrap();
            engine.work().unwrap();
            assert!(
                states.find(&engine, done..done + 2).is_some(),
                "{context}, and opened again"
            );
        }
    }
    let most = FAILING_READS * seeds();
    assert!(
        failures > most / 4,
        "{failures} of {most} met a read that failed"
    );
    assert!(went_on > most / 2, "{went_on} of {most} went on");
}

/// The disk is full from a call on, until a request is refused. The same engine then goes on with what was
/// acknowledged, and takes writes again.
#[test]
fn an_engine_whose_disk_was_full_takes_writes_again() {
    const TURNS: u64 = 3;
    let mut refused = 0;
    for seed in 0..seeds() {
        let place = keyfold_testkit::folder::in_memory().unwrap();
        let (folder, faultless) = machine(place.path(), "faultless");
        let states = States::of(&open(&folder, CACHE).unwrap(), seed);
        let changes = faultless.changes();
        let mut rng = Rng::with_seed(seed);
        for turn in 0..TURNS {
            let (folder, struck) = machine(place.path(), &format!("full{turn}"));
            let engine = open(&folder, CACHE).unwrap();
            let at = struck.changes() + rng.u64(1..=changes);
            struck.inject(at, Fault::Full);
            let done = work(&engine, seed, |_| {}).acknowledged;
            let context =
                format!("seed {seed}, turn {turn}: full from {at} on, after {done} changes");
            let full = ask(&engine, "CreateTable", &other_table());
            if !is_failure(&full) {
                continue;
            }
            refused += 1;
            let message = full["message"].as_str().unwrap();
            assert!(
                message.contains("The disk under the data folder is full"),
                "{message}"
            );
            struck.clear_faults();
            let began = std::time::Instant::now();
            while engine.work().is_err() {
                let waited = began.elapsed();
                assert!(waited < std::time::Duration::from_secs(60), "{context}");
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
            assert!(states.find(&engine, done..done + 2).is_some(), "{context}");
            let state = seen(&engine);
            // The table that was refused is not there, and can be made.
            let made = ask(&engine, "CreateTable", &other_table());
            assert!(made["__type"].is_null(), "{context}: {made}");
            let item = json!({"TableName": "Other", "Item": {"pk": {"S": "a"}}});
            let put = ask(&engine, "PutItem", &item);
            assert!(put["__type"].is_null(), "{context}: {put}");
            drop(engine);
            let engine = open(&folder, CACHE).unwrap();
            let got = json!({"TableName": "Other", "Key": {"pk": {"S": "a"}}});
            assert!(
                !ask(&engine, "GetItem", &got)["Item"].is_null(),
                "{context}"
            );
            ask(&engine, "DeleteTable", &json!({"TableName": "Other"}));
            engine.work().unwrap();
            assert_eq!(seen(&engine), state, "{context}, opened again");
        }
    }
    assert!(refused > 0, "{refused} were refused");
}

/// A restore and a backup that were refused have begun nothing: no item comes under the number of a table that
/// is not there, which the next table gets after a restart.
#[test]
fn jobs_of_requests_that_a_full_disk_refused_do_nothing() {
    let place = keyfold_testkit::folder::in_memory().unwrap();
    let (folder, machine) = machine(place.path(), "jobs");
    let engine = open(&folder, CACHE).unwrap();
    work(&engine, 0, |_| {});
    let backup = ask(
        &engine,
        "CreateBackup",
        &json!({"TableName": "Tab", "BackupName": "first"}),
    );
    engine.work().unwrap();
    machine.inject(machine.changes() + 1, Fault::Full);
    let restore = json!({
        "BackupArn": backup["BackupDetails"]["BackupArn"], "TargetTableName": "Back",
    });
    for (operation, input) in [
        ("RestoreTableFromBackup", &restore),
        (
            "CreateBackup",
            &json!({"TableName": "Tab", "BackupName": "second"}),
        ),
    ] {
        let refused = ask(&engine, operation, input);
        assert!(is_failure(&refused), "{operation}: {refused}");
    }
    machine.clear_faults();
    let began = std::time::Instant::now();
    while engine.work().is_err() {
        assert!(began.elapsed() < std::time::Duration::from_secs(60));
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    for _ in 0..20 {
        engine.work().unwrap();
    }
    let backups = ask(&engine, "ListBackups", &json!({}));
    let all = backups["BackupSummaries"].as_array().unwrap();
    assert_eq!(all.len(), 1, "{backups}");
    drop(engine);
    let engine = open(&folder, CACHE).unwrap();
    ask(&engine, "CreateTable", &other_table());
    let found = ask(&engine, "Scan", &json!({"TableName": "Other"}));
    assert_eq!(found["Count"], 0, "{found}");
    let examination = engine.examine().unwrap();
    assert!(examination.is_well(), "{:?}", examination.problems.first());
}

fn other_table() -> Value {
    json!({
        "TableName": "Other",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    })
}
