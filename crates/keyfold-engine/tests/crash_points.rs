//! Every place where the log can end. A seeded workload runs once on a data folder; then the folder is laid out again
//! and again as a crash would have left it, with the log cut anywhere and something else behind the cut, and
//! opened. What was acknowledged before the cut is there, whole, and nothing of what came after: items, index entries,
//! counts, stream records, tokens, the catalog.
//!
//! `KEYFOLD_CRASH_SEEDS=1000 cargo test -p keyfold-engine --test crash_points` looks longer.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod common;

use common::{ManualClock, ask, create_table};
use fastrand::Rng;
use keyfold_engine::{Durability, Engine, EngineOptions, Environment, StoreOptions};
use keyfold_testkit::workload;
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const SEEDS: u64 = 6;
const CHANGES: usize = 40;
/// Crashes looked at for each seed.
const CUTS: usize = 24;
/// Zeros in a row that no entry of the log holds: what was never written.
const BLANK: usize = 8192;

fn open(folder: &Path) -> Engine {
    let environment = Environment { clock: ManualClock::new(), ..Environment::system() };
    let store = StoreOptions::Folder { path: folder.to_owned(), durability: Durability::Synced };
    Engine::open(EngineOptions { environment, background: false, ..EngineOptions::new(store) }).unwrap()
}

fn log_of(folder: &Path) -> PathBuf {
    let logs: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jnl"))
        .collect();
    assert_eq!(logs.len(), 1, "the workload is small enough for one log");
    logs[0].clone()
}

/// Where the log's written part ends, looked for from a place that is known to be written.
fn end_of_log(log: &Path, from: u64) -> u64 {
    let mut file = File::open(log).unwrap();
    file.seek(SeekFrom::Start(from)).unwrap();
    let (mut end, mut at, mut block) = (from, from, vec![0; BLANK]);
    loop {
        let read = file.read(&mut block).unwrap();
        let Some(last) = block[..read].iter().rposition(|byte| *byte != 0) else { return end };
        end = at + last as u64 + 1;
        at += read as u64;
    }
}

/// Everything a client can see, and what the doctor says.
fn seen(engine: &Engine) -> Value {
    let tables = ask(engine, "ListTables", &json!({}));
    let mut all = vec![tables.clone()];
    for table in tables["TableNames"].as_array().unwrap() {
        for index in [None, Some("ByG"), Some("ByN")] {
            let mut body = json!({"TableName": table});
            if let Some(index) = index {
                body["IndexName"] = json!(index);
            }
            all.push(ask(engine, "Scan", &body));
        }
        let told = &ask(engine, "DescribeTable", &json!({"TableName": table}))["Table"];
        let globals = told["GlobalSecondaryIndexes"].as_array().unwrap();
        all.push(json!([
            told["ItemCount"],
            told["TableSizeBytes"],
            told["TableId"],
            globals[0]["ItemCount"]
        ]));
        let arn = &told["LatestStreamArn"];
        let shard = ask(engine, "DescribeStream", &json!({"StreamArn": arn}));
        let shard = &shard["StreamDescription"]["Shards"][0]["ShardId"];
        let from = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = &ask(engine, "GetShardIterator", &from)["ShardIterator"];
        all.push(ask(engine, "GetRecords", &json!({"ShardIterator": iterator}))["Records"].clone());
    }
    let examination = engine.examine().unwrap();
    assert!(examination.is_well(), "{:?}", examination.problems);
    all.into()
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

/// One acknowledged change.
fn change(engine: &Engine, rng: &mut Rng, at: usize) {
    let put = |item: &Value| json!({"PutRequest": {"Item": item}});
    let answer = match rng.u8(..12) {
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
            create_table(engine, &format!("Other{at}"));
            json!({})
        }
        _ => {
            let big = "x".repeat(rng.usize(..60_000));
            let item = json!({"pk": {"S": "big"}, "sk": {"S": "x"}, "g": {"S": "g"}, "n": {"N": "1"}, "x": {"S": big}});
            ask(engine, "PutItem", &json!({"TableName": "Tab", "Item": item}))
        }
    };
    // A condition that does not hold and a sum of too many digits change nothing, which is a change to remember too.
    let answer = answer.to_string();
    let is_refused = ["ConditionalCheckFailed", "significant digits", "overflow"];
    let is_refused = is_refused.iter().any(|reason| answer.contains(reason));
    assert!(is_refused || !answer.contains("__type"), "{answer}");
}

fn stream(engine: &Engine) {
    let settings = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
    ask(engine, "UpdateTable", &json!({"TableName": "Tab", "StreamSpecification": settings}));
}

/// What lies behind a cut.
#[derive(Debug, Clone, Copy)]
enum Tail {
    /// Nothing was written there: zeros up to the log's length.
    Missing,
    /// The file ends there.
    Short,
}

/// Lays out the folder as a crash leaves it.
fn lay_out(image: &Path, to: &Path, log: &Path, bytes: &[u8], cut: usize, tail: Tail) {
    copy(image, to);
    let target = to.join(log.file_name().unwrap());
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(target).unwrap();
    file.write_all(&bytes[..cut]).unwrap();
    match tail {
        Tail::Short => {}
        Tail::Missing => file.set_len(64 * 1024 * 1024).unwrap(),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else if entry.path().extension().is_none_or(|extension| extension != "jnl") {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// What a client that never got an answer asks again: done once, whether it was done before or not.
fn ask_again(engine: &Engine, at: usize) {
    assert_eq!(ask(engine, "TransactWriteItems", &token(at)), json!({}));
    let key = json!({"TableName": "Tab", "Key": {"pk": {"S": "tokens"}, "sk": {"S": format!("{at}")}}});
    assert_eq!(ask(engine, "GetItem", &key)["Item"]["times"], json!({"N": "1"}), "done once");
}

/// Gives back how many different states the crashes left.
fn crashes_of(seed: u64, work: &Path) -> usize {
    let mut rng = Rng::with_seed(seed);
    let folder = work.join("data");
    let engine = open(&folder);
    let log = log_of(&folder);
    create_table(&engine, "Tab");
    stream(&engine);
    let mut end = end_of_log(&log, 0);
    let mut states = vec![(end, seen(&engine))];
    for at in 0..CHANGES {
        change(&engine, &mut rng, at);
        end = end_of_log(&log, end);
        states.push((end, seen(&engine)));
    }
    // The tables' own files are as they were made: nothing this small leaves the log.
    let bytes = {
        let mut bytes = vec![0; end as usize];
        File::open(&log).unwrap().read_exact(&mut bytes).unwrap();
        bytes
    };
    let image = work.join("image");
    copy(&folder, &image);
    drop(engine);
    let first = states[0].0 as usize;
    let mut met = std::collections::BTreeSet::new();
    for turn in 0..CUTS {
        let cut = match turn % 3 {
            // Right behind a change, right before its last byte, anywhere.
            0 => states[rng.usize(..states.len())].0 as usize,
            1 => (states[rng.usize(..states.len())].0 as usize - 1).max(first),
            _ => rng.usize(first..=bytes.len()),
        };
        let tail = [Tail::Missing, Tail::Short][rng.usize(..2)];
        let crashed = work.join(format!("crash{turn}"));
        lay_out(&image, &crashed, &log, &bytes, cut, tail);
        let engine = open(&crashed);
        met.insert(states.iter().filter(|(end, _)| *end as usize <= cut).count());
        let (_, expected) = states.iter().rev().find(|(end, _)| *end as usize <= cut).unwrap();
        let found = seen(&engine);
        assert_eq!(&found, expected, "seed {seed}, cut at {cut} of {}, {tail:?}", bytes.len());
        ask_again(&engine, rng.usize(..CHANGES));
        // What is written now lasts, too.
        let after = seen(&engine);
        drop(engine);
        assert_eq!(seen(&open(&crashed)), after, "seed {seed}, cut at {cut}, opened again");
        fs::remove_dir_all(&crashed).unwrap();
    }
    met.len()
}

#[test]
fn the_log_may_end_anywhere() {
    let seeds = std::env::var("KEYFOLD_CRASH_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(SEEDS);
    for seed in 0..seeds {
        let work = tempfile::tempdir().unwrap();
        let states = crashes_of(seed, work.path());
        assert!(states > CUTS / 3, "the crashes of seed {seed} left {states} states only");
    }
}
