//! Every place where a crash can meet the log and the memory tables behind it. A seeded workload runs once, and what a client sees is kept after each
//! change. Then it runs again and again on a disk that stops, fails or fills up at one of the places where the store asks it
//! for something: a write, a sync, a new segment, a retired one. What is found after the crash (all that was written, or
//! torn and missing tails) is opened. What was acknowledged is there, whole, and nothing else but perhaps, whole too, the change
//! that was under way: items, index entries, counts, stream records, tokens, backups, the catalog. What an acknowledged change
//! leaves to the background (an index to fill, what has expired, a backup to copy) is done after the crash.
//!
//! The first seed crashes at every place, the others at some. `KEYFOLD_CRASH_SEEDS=1000 cargo test -p keyfold-engine --test crash_points` looks longer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod common;
#[path = "common/disk.rs"]
mod disk;

use common::{CountingRandom, ManualClock, ask};
use disk::{Disk, Fault, Tail};
use fastrand::Rng;
use keyfold_api::ApiError;
use keyfold_engine::{Durability, Engine, EngineOptions, Environment, FolderOptions, StoreOptions};
use keyfold_testkit::workload;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

const SEEDS: u64 = 4;
const CHANGES: usize = 40;
/// Crashes looked at for each seed but the first, which crashes everywhere.
const CRASHES: usize = 24;

fn seeds() -> u64 {
    std::env::var("KEYFOLD_CRASH_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SEEDS)
}

fn open(folder: &Path, disk: &Disk, durability: Durability) -> Result<Engine, ApiError> {
    let environment = Environment { clock: ManualClock::new(), random: CountingRandom::new() };
    // Small, so that a workload meets many segments and tables.
    let store = FolderOptions {
        durability,
        memtable_bytes: 30_000,
        log_files: Some(Arc::new(disk.clone())),
        ..FolderOptions::new(folder)
    };
    let options = EngineOptions::new(StoreOptions::Folder(store));
    Engine::open(EngineOptions { environment, background: false, ..options })
}

/// Everything a client can see, and what the doctor says.
fn seen(engine: &Engine) -> Value {
    let tables = ask(engine, "ListTables", &json!({}));
    let mut all = vec![tables.clone()];
    for table in tables["TableNames"].as_array().unwrap() {
        let told = &ask(engine, "DescribeTable", &json!({"TableName": table}))["Table"];
        let globals = told["GlobalSecondaryIndexes"].as_array().unwrap();
        for index in globals.iter().map(|index| &index["IndexName"]).chain([&Value::Null, &json!("ByN")]) {
            let mut body = json!({"TableName": table});
            if !index.is_null() {
                body["IndexName"] = index.clone();
            }
            all.push(ask(engine, "Scan", &body));
        }
        let globals = globals.iter().map(|index| json!([index["ItemCount"], index["IndexStatus"]]));
        let globals: Vec<Value> = globals.collect();
        all.push(json!([told["ItemCount"], told["TableSizeBytes"], told["TableId"], globals]));
        all.push(ask(engine, "DescribeTimeToLive", &json!({"TableName": table})));
        let arn = &told["LatestStreamArn"];
        let shard = ask(engine, "DescribeStream", &json!({"StreamArn": arn}));
        let shard = &shard["StreamDescription"]["Shards"][0]["ShardId"];
        let from = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = &ask(engine, "GetShardIterator", &from)["ShardIterator"];
        all.push(ask(engine, "GetRecords", &json!({"ShardIterator": iterator}))["Records"].clone());
    }
    all.push(backups(engine));
    let examination = engine.examine().unwrap();
    assert!(examination.is_well(), "{:?}", examination.problems);
    all.into()
}

fn backups(engine: &Engine) -> Value {
    ask(engine, "ListBackups", &json!({}))["BackupSummaries"].clone()
}

/// The items of the table's backup, as a restore brings them back; nothing if there is no backup.
fn restored(engine: &Engine) -> Value {
    let Some(backup) = backups(engine).as_array().unwrap().first().cloned() else { return Value::Null };
    let restore = json!({"BackupArn": backup["BackupArn"], "TargetTableName": "Restored"});
    let answer = ask(engine, "RestoreTableFromBackup", &restore);
    assert!(answer["__type"].is_null(), "{answer}");
    engine.work().unwrap();
    ask(engine, "Scan", &json!({"TableName": "Restored"}))["Items"].clone()
}

fn wire(item: &keyfold_types::Item) -> Value {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    serde_json::from_slice(&out).unwrap()
}

fn token(at: usize) -> Value {
    json!({
        "ClientRequestToken": format!("token-{at}"),
        "TransactItems": [{"Update": {
            "TableName": "Tab", "Key": {"pk": {"S": "tokens"}, "sk": {"S": format!("{at}")}},
            "UpdateExpression": "ADD times :one", "ExpressionAttributeValues": {":one": {"N": "1"}},
        }}],
    })
}

fn table(name: &str) -> Value {
    let index = |name: &str, hash: &str, range: &str| {
        let key =
            json!([{"AttributeName": hash, "KeyType": "HASH"}, {"AttributeName": range, "KeyType": "RANGE"}]);
        json!({"IndexName": name, "KeySchema": key, "Projection": {"ProjectionType": "ALL"}})
    };
    let attributes = [("pk", "S"), ("sk", "S"), ("g", "S"), ("n", "N")];
    let attributes = attributes.map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind}));
    json!({
        "TableName": name,
        "AttributeDefinitions": attributes,
        "KeySchema": index("", "pk", "sk")["KeySchema"],
        "GlobalSecondaryIndexes": [index("ByG", "g", "n")],
        "LocalSecondaryIndexes": [index("ByN", "pk", "n")],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    })
}

/// Makes an index of the table, or removes it.
fn change_indexes(engine: &Engine) -> Value {
    let told = ask(engine, "DescribeTable", &json!({"TableName": "Tab"}));
    let has_two = told["Table"]["GlobalSecondaryIndexes"].as_array().unwrap().len() > 1;
    let index = json!({
        "IndexName": "Late",
        "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    });
    let update = if has_two { json!({"Delete": {"IndexName": "Late"}}) } else { json!({"Create": index}) };
    let attributes = json!([{"AttributeName": "sk", "AttributeType": "S"}]);
    let body = json!({"TableName": "Tab", "AttributeDefinitions": attributes, "GlobalSecondaryIndexUpdates": [update]});
    ask(engine, "UpdateTable", &body)
}

/// Backs the table up, or removes the backup.
fn change_backups(engine: &Engine) -> Value {
    match backups(engine).as_array().unwrap().first() {
        Some(backup) => ask(engine, "DeleteBackup", &json!({"BackupArn": backup["BackupArn"]})),
        None => ask(engine, "CreateBackup", &json!({"TableName": "Tab", "BackupName": "kept"})),
    }
}

/// One change; gives back whether it was acknowledged.
fn change(engine: &Engine, rng: &mut Rng, at: usize) -> bool {
    let put = |item: &Value| json!({"PutRequest": {"Item": item}});
    let expiring = json!({"AttributeName": "expires", "Enabled": true});
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let answer = match rng.u8(..15) {
        _ if at == 0 => ask(engine, "CreateTable", &table("Tab")),
        _ if at == 1 => {
            let body = json!({"TableName": "Tab", "TimeToLiveSpecification": expiring});
            ask(engine, "UpdateTimeToLive", &body)
        }
        _ if at == 2 => {
            let body = json!({"TableName": "Tab", "PointInTimeRecoverySpecification": recovery});
            ask(engine, "UpdateContinuousBackups", &body)
        }
        12 => change_indexes(engine),
        13 => change_backups(engine),
        14 => {
            // Expired when it is written.
            let item = json!({"pk": {"S": "old"}, "sk": {"S": format!("{at}")}, "g": {"S": "g"}, "n": {"N": "1"}, "expires": {"N": "1690000000"}});
            ask(engine, "PutItem", &json!({"TableName": "Tab", "Item": item}))
        }
        0..4 => ask(engine, "PutItem", &json!({"TableName": "Tab", "Item": wire(&workload::item(rng))})),
        4 => ask(engine, "DeleteItem", &json!({"TableName": "Tab", "Key": wire(&workload::key(rng))})),
        5 | 6 => {
            let values = json!({":n": {"N": format!("{}", rng.i8(..))}, ":type": {"S": "N"}});
            let update = json!({
                "TableName": "Tab", "Key": wire(&workload::key(rng)), "UpdateExpression": "ADD n :n",
                "ConditionExpression": "attribute_not_exists(n) OR attribute_type(n, :type)",
                "ExpressionAttributeValues": values,
            });
            ask(engine, "UpdateItem", &update)
        }
        7 => {
            let item = |n: usize, part: u8| {
                let (part, n) = (format!("batch{part}"), format!("{n}"));
                json!({"pk": {"S": part}, "sk": {"S": n}, "g": {"S": "g"}, "n": {"N": n}})
            };
            let puts: Vec<Value> = (0..rng.usize(2..20)).map(|n| put(&item(n, rng.u8(..3)))).collect();
            ask(engine, "BatchWriteItem", &json!({"RequestItems": {"Tab": puts}}))
        }
        8 | 9 => ask(engine, "TransactWriteItems", &token(at)),
        10 => {
            let tables = ask(engine, "ListTables", &json!({}));
            let names = tables["TableNames"].as_array().unwrap();
            match names.iter().find(|name| **name != "Tab" && rng.bool()) {
                Some(name) => ask(engine, "DeleteTable", &json!({"TableName": name})),
                None => ask(engine, "CreateTable", &table(&format!("Other{at}"))),
            }
        }
        _ => {
            let big = "x".repeat(rng.usize(..40_000));
            let item = json!({"pk": {"S": "big"}, "sk": {"S": "x"}, "g": {"S": "g"}, "n": {"N": "1"}, "x": {"S": big}});
            ask(engine, "PutItem", &json!({"TableName": "Tab", "Item": item}))
        }
    };
    if answer["__type"].as_str().is_some_and(|kind| kind.contains("InternalServerError")) {
        return false;
    }
    // A condition that does not hold and a sum of too many digits change nothing, which is a change to remember too.
    let answer = answer.to_string();
    let is_refused = ["ConditionalCheckFailed", "significant digits", "overflow"];
    let is_refused = is_refused.iter().any(|reason| answer.contains(reason));
    assert!(is_refused || !answer.contains("__type"), "{answer}");
    true
}

/// What a client that never got an answer asks again: done once, whether it was done before or not.
fn ask_again(engine: &Engine, at: usize) {
    assert_eq!(ask(engine, "TransactWriteItems", &token(at)), json!({}));
    let key = json!({"TableName": "Tab", "Key": {"pk": {"S": "tokens"}, "sk": {"S": format!("{at}")}}});
    assert_eq!(ask(engine, "GetItem", &key)["Item"]["times"], json!({"N": "1"}), "done once");
}

/// How far a workload came.
struct Progress {
    /// How many changes were acknowledged.
    acknowledged: usize,
    /// Whether what the last one left to the background was done, too.
    is_settled: bool,
}

/// Changes until one is not acknowledged. `after` sees each, and what was left to the background is done then.
fn work(engine: &Engine, seed: u64, mut after: impl FnMut(&Engine)) -> Progress {
    let mut rng = Rng::with_seed(seed);
    let mut progress = Progress { acknowledged: 0, is_settled: true };
    while progress.acknowledged < CHANGES && change(engine, &mut rng, progress.acknowledged) {
        progress.acknowledged += 1;
        progress.is_settled = engine.work().is_ok();
        if !progress.is_settled {
            break;
        }
        after(engine);
    }
    progress
}

/// One crash: where, how, and what is found after it.
struct Crash {
    at: u64,
    fault: Fault,
    tail: Tail,
    durability: Durability,
}

impl Crash {
    fn at(at: u64, rng: &mut Rng) -> Crash {
        let fault = [Fault::Stop, Fault::Stop, Fault::Error, Fault::Full][rng.usize(..4)];
        let durability = [Durability::Synced, Durability::Synced, Durability::Buffered][rng.usize(..3)];
        // A process that goes on after a failure is not a machine that ended.
        let tails: &[Tail] = if fault == Fault::Stop {
            &[Tail::Kept, Tail::Lost, Tail::Cut, Tail::Torn]
        } else {
            &[Tail::Kept]
        };
        Crash { at, fault, tail: tails[rng.usize(..tails.len())], durability }
    }

    /// What the next crash does.
    fn tail_after(&self) -> Tail {
        if self.at.is_multiple_of(2) { Tail::Lost } else { Tail::Torn }
    }

    /// Which of the states may be found, when `done` changes were acknowledged.
    fn may_leave(&self, done: usize, states: usize) -> std::ops::Range<usize> {
        let is_lost = self.durability == Durability::Buffered && self.tail != Tail::Kept;
        let first = if is_lost { 0 } else { done };
        // The change that was not acknowledged may be there all the same.
        first..(done + 2).min(states)
    }
}

/// Gives back how often each state was found.
fn crashes_of(seed: u64) -> BTreeMap<usize, usize> {
    let work_folder = tempfile::tempdir().unwrap();
    let disk = Disk::default();
    let engine = open(&work_folder.path().join("whole"), &disk, Durability::Synced).unwrap();
    let first = disk.asked();
    let mut states = vec![seen(&engine)];
    // What was in the table when the backup was made.
    let mut kept = vec![Value::Null];
    work(&engine, seed, |engine| {
        states.push(seen(engine));
        let is_new = kept.last() == Some(&Value::Null);
        kept.push(match backups(engine).as_array().unwrap().is_empty() {
            true => Value::Null,
            false if is_new => ask(engine, "Scan", &json!({"TableName": "Tab"}))["Items"].clone(),
            false => kept.last().unwrap().clone(),
        });
    });
    drop(engine);
    let mut rng = Rng::with_seed(seed);
    let (mut found, mut strikes) = (BTreeMap::new(), 0);
    let places: Vec<u64> = match seed {
        0 => (first + 1..=disk.asked()).collect(),
        _ => (0..CRASHES).map(|_| rng.u64(first + 1..=disk.asked())).collect(),
    };
    for (turn, at) in places.iter().enumerate() {
        let mut crash = Crash::at(*at, &mut rng);
        if seed == 0 {
            // The same requests of the disk as before, up to the last of them.
            (crash.fault, crash.durability) = (Fault::Stop, Durability::Synced);
        }
        let told = format!(
            "seed {seed}, turn {turn}: {:?} at {} of {}, tail {:?}, {:?}",
            crash.fault,
            crash.at,
            disk.asked(),
            crash.tail,
            crash.durability
        );
        let folder = work_folder.path().join(format!("crash{turn}"));
        let struck = Disk::default();
        let engine = open(&folder, &struck, crash.durability).unwrap();
        struck.strike(crash.at, crash.fault);
        let progress = work(&engine, seed, |_| {});
        let done = progress.acknowledged;
        strikes += usize::from(struck.has_struck());
        // Readers go on, and see nothing that was not acknowledged.
        if progress.is_settled {
            assert_eq!(seen(&engine), states[done], "{told}, read on after it");
        }
        drop(engine);

        let left = struck.after_crash(crash.tail, &mut rng);
        if rng.u8(..4) == 0 {
            // The log cannot be read: the store is not opened, and nothing is lost by trying.
            left.strike(left.asked() + rng.u64(1..3), Fault::Error);
            let told = open(&folder, &left, crash.durability).map(drop).unwrap_err().to_string();
            assert!(told.contains("the device failed"), "{told}");
            assert!(left.has_struck());
        }
        let engine = open(&folder, &left, crash.durability).unwrap();
        engine.work().unwrap();
        let now = seen(&engine);
        let may = crash.may_leave(done, states.len());
        let state = may.clone().rev().find(|state| states[*state] == now);
        let state = state.unwrap_or_else(|| panic!("{told}: not the state after any of {may:?} changes"));
        *found.entry(state).or_insert(0) += 1;
        if state > 0 {
            ask_again(&engine, rng.usize(..CHANGES));
        }
        assert_eq!(restored(&engine), kept[state], "{told}, restored from the backup");
        // What is written now lasts, too.
        let after = seen(&engine);
        drop(engine);
        // The second crash takes the machine, too, where everything is synced.
        let tail = if crash.durability == Durability::Synced { crash.tail_after() } else { Tail::Kept };
        let again = left.after_crash(tail, &mut rng);
        let engine = open(&folder, &again, crash.durability).unwrap();
        assert_eq!(seen(&engine), after, "{told}, opened again after {tail:?}");
    }
    // Unsynced runs ask less often, and retiring comes when it comes.
    let least = if seed == 0 { places.len() * 9 / 10 } else { places.len() / 2 };
    assert!(strikes > least, "seed {seed}: {strikes} crashes of {} happened", places.len());
    found
}

const WRITERS: usize = 4;

/// Two items of a writer, changed together, and an item of all.
fn writers_turn(writer: usize, turn: usize) -> Value {
    let item = |part: &str| {
        json!({"Put": {"TableName": "Tab", "Item": {
            "pk": {"S": format!("w{writer}")}, "sk": {"S": part}, "g": {"S": "g"}, "n": {"N": turn.to_string()},
        }}})
    };
    json!({"TransactItems": [item("one"), item("other")]})
}

/// Several write at once, so that groups of writes are under way when it happens.
#[test]
fn a_crash_under_several_writers_loses_nothing_that_was_acknowledged() {
    for seed in 0..seeds() * 6 {
        let mut rng = Rng::with_seed(seed);
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::default();
        let engine = open(folder.path(), &disk, Durability::Synced).unwrap();
        ask(&engine, "CreateTable", &table("Tab"));
        let crash = Crash::at(disk.asked() + rng.u64(1..120), &mut rng);
        disk.strike(crash.at, crash.fault);
        let acknowledged: Vec<(usize, usize)> = std::thread::scope(|scope| {
            let write = |writer: usize| {
                let engine = &engine;
                move || {
                    let is_done = |answer: Value| !answer.to_string().contains("InternalServerError");
                    let add = json!({
                        "TableName": "Tab", "Key": {"pk": {"S": "all"}, "sk": {"S": "x"}},
                        "UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}},
                    });
                    let turns = (1..=60).take_while(|turn| {
                        is_done(ask(engine, "TransactWriteItems", &writers_turn(writer, *turn)))
                    });
                    let mut added = 0;
                    let turns = turns
                        .take_while(|_| {
                            let is_done = is_done(ask(engine, "UpdateItem", &add));
                            added += usize::from(is_done);
                            is_done
                        })
                        .count();
                    (turns, added)
                }
            };
            let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(write(writer))).collect();
            writers.into_iter().map(|writer| writer.join().unwrap()).collect()
        });
        drop(engine);
        let left = disk.after_crash(crash.tail, &mut rng);
        let engine = open(folder.path(), &left, Durability::Synced).unwrap();
        let told =
            format!("seed {seed}: {:?} at {}, {:?}: {acknowledged:?}", crash.fault, crash.at, crash.tail);
        let number = |pk: &str, sk: &str| -> usize {
            let get = json!({"TableName": "Tab", "Key": {"pk": {"S": pk}, "sk": {"S": sk}}});
            let n = ask(&engine, "GetItem", &get)["Item"]["n"]["N"].clone();
            n.as_str().map_or(0, |n| n.parse().unwrap())
        };
        for (writer, (turns, _)) in acknowledged.iter().enumerate() {
            let [one, other] = ["one", "other"].map(|sk| number(&format!("w{writer}"), sk));
            assert_eq!(one, other, "{told}: half a transaction of writer {writer}");
            // The turn that was not acknowledged, and one whose addition was not.
            assert!((*turns..=turns + 1).contains(&one), "{told}: writer {writer} has {one}");
        }
        let added: usize = acknowledged.iter().map(|(_, added)| added).sum();
        assert!((added..=added + WRITERS).contains(&number("all", "x")), "{told}");
        let examination = engine.examine().unwrap();
        assert!(examination.is_well(), "{told}: {:?}", examination.problems);
    }
}

#[test]
fn a_crash_anywhere_loses_nothing_that_was_acknowledged() {
    for seed in 0..seeds() {
        let found = crashes_of(seed);
        assert!(found.len() > CRASHES / 4, "the crashes of seed {seed} left few states: {found:?}");
    }
}
