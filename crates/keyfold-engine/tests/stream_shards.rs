//! Streams of several shards: each change is in exactly one shard, the changes of an item are in
//! order when parents are read before their children, and what is trimmed is said.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ManualClock, ask, on_clock};
use keyfold_engine::{Durability, Engine, EngineOptions, Environment, StoreOptions, StreamShards};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const LIFETIME: Duration = Duration::from_secs(10);

fn shards(open_min: u32, open_max: u32) -> StreamShards {
    StreamShards {
        open_min,
        open_max,
        lifetime: Some(LIFETIME),
        ..StreamShards::default()
    }
}

fn on(shards: StreamShards) -> (Engine, Arc<ManualClock>, String) {
    let (engine, clock) = on_clock(|options| options.shards = shards);
    let stream = create(&engine);
    (engine, clock, stream)
}

/// Makes the table, and returns the name of its stream.
fn create(engine: &Engine) -> String {
    let table = json!({
        "TableName": "Tab", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    });
    let made = ask(engine, "CreateTable", &table);
    made["TableDescription"]["LatestStreamArn"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Writes the values from a number on, each to the next item in turn.
fn put(engine: &Engine, numbers: impl IntoIterator<Item = u64>, items: u64) {
    for n in numbers {
        let item = json!({"p": {"S": (n % items).to_string()}, "n": {"N": n.to_string()}});
        assert_eq!(
            ask(
                engine,
                "PutItem",
                &json!({"TableName": "Tab", "Item": item})
            ),
            json!({})
        );
    }
}

/// All shards of a stream, read in pages of two.
fn described(engine: &Engine, stream: &str) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), Value::Null);
    loop {
        let mut asked = json!({"StreamArn": stream, "Limit": 2});
        if after.is_string() {
            asked["ExclusiveStartShardId"] = after;
        }
        let page = ask(engine, "DescribeStream", &asked)["StreamDescription"].clone();
        all.extend(page["Shards"].as_array().unwrap().iter().cloned());
        after = page["LastEvaluatedShardId"].clone();
        if after.is_null() {
            return all;
        }
    }
}

fn is_open(shard: &Value) -> bool {
    shard["SequenceNumberRange"]["EndingSequenceNumber"].is_null()
}

fn iterator(engine: &Engine, stream: &str, shard: &Value) -> Value {
    let asked = json!({"StreamArn": stream, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"});
    ask(engine, "GetShardIterator", &asked)["ShardIterator"].clone()
}

/// The records of a shard up to its end, or up to now.
fn records(engine: &Engine, stream: &str, shard: &Value) -> Vec<Value> {
    let (mut found, mut next) = (Vec::new(), iterator(engine, stream, shard));
    while next.is_string() {
        let page = ask(
            engine,
            "GetRecords",
            &json!({"ShardIterator": next, "Limit": 7}),
        );
        let some = page["Records"].as_array().unwrap();
        if some.is_empty() && is_open(shard) {
            break;
        }
        found.extend(some.iter().cloned());
        next = page["NextShardIterator"].clone();
    }
    found
}

/// Reads a stream as a consumer does, parents first. Returns the numbers of each item in the order in
/// which they were read.
fn consume(engine: &Engine, stream: &str) -> BTreeMap<String, Vec<u64>> {
    let mut waiting: VecDeque<Value> = described(engine, stream).into();
    let names: BTreeSet<String> = waiting
        .iter()
        .map(|one| one["ShardId"].to_string())
        .collect();
    let (mut read, mut items) = (BTreeSet::new(), BTreeMap::<String, Vec<u64>>::new());
    while let Some(shard) = waiting.pop_back() {
        let parent = shard["ParentShardId"].to_string();
        if names.contains(&parent) && !read.contains(&parent) {
            waiting.push_front(shard);
            continue;
        }
        let mut last = String::new();
        for record in records(engine, stream, &shard) {
            let (keys, new) = (&record["dynamodb"]["Keys"], &record["dynamodb"]["NewImage"]);
            let number = new["n"]["N"].as_str().unwrap().parse().unwrap();
            items
                .entry(keys["p"]["S"].to_string())
                .or_default()
                .push(number);
            let sequence = record["dynamodb"]["SequenceNumber"]
                .as_str()
                .unwrap()
                .to_owned();
            assert!(sequence > last, "sequence numbers of a shard ascend");
            let range = &shard["SequenceNumberRange"];
            assert!(sequence.as_str() >= range["StartingSequenceNumber"].as_str().unwrap());
            if let Some(end) = range["EndingSequenceNumber"].as_str() {
                assert!(sequence.as_str() <= end, "no record is behind the end");
            }
            last = sequence;
        }
        read.insert(shard["ShardId"].to_string());
    }
    items
}

/// Each item has all its numbers, once and in order.
fn assert_whole(read: &BTreeMap<String, Vec<u64>>, items: u64, written: u64) {
    assert_eq!(read.len() as u64, items.min(written));
    for (item, numbers) in read {
        let first = numbers[0];
        let expected: Vec<u64> = (first..written).step_by(items as usize).collect();
        assert!(
            first < items && *numbers == expected,
            "item {item}: {numbers:?}"
        );
    }
}

#[test]
fn every_change_is_in_one_shard_and_in_order() {
    for (open_min, open_max) in [(1, 1), (4, 4), (1, 5), (3, 8)] {
        let (engine, clock, stream) = on(shards(open_min, open_max));
        assert_eq!(described(&engine, &stream).len(), open_min as usize);
        for round in 0..5 {
            put(&engine, round * 60..(round + 1) * 60, 23);
            clock.advance(10_000);
            engine.work().unwrap();
        }
        let all = described(&engine, &stream);
        let open = all.iter().filter(|shard| is_open(shard)).count();
        assert_eq!(open, open_max as usize);
        let names: Vec<&str> = all
            .iter()
            .map(|one| one["ShardId"].as_str().unwrap())
            .collect();
        assert!(names.is_sorted() && names.iter().all(|name| (28..=65).contains(&name.len())));
        for shard in &all {
            let filter = json!({"Type": "CHILD_SHARDS", "ShardId": shard["ShardId"]});
            let asked = json!({"StreamArn": stream, "ShardFilter": filter});
            let children =
                ask(&engine, "DescribeStream", &asked)["StreamDescription"]["Shards"].clone();
            let children = children.as_array().unwrap();
            assert_eq!(children.is_empty(), is_open(shard));
            assert!(
                children
                    .iter()
                    .all(|child| child["ParentShardId"] == shard["ShardId"])
            );
            assert!(
                children
                    .iter()
                    .all(|child| child["ShardId"].as_str() > shard["ShardId"].as_str())
            );
        }
        assert_whole(&consume(&engine, &stream), 23, 300);
    }
}

#[test]
fn writers_lose_nothing_while_shards_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = EngineOptions::new(StoreOptions::folder(folder.path(), Durability::Buffered));
    options.shards = StreamShards {
        lifetime: Some(Duration::from_millis(1)),
        ..shards(1, 6)
    };
    options.background = false;
    let engine = Engine::open(options.clone()).unwrap();
    let stream = create(&engine);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|writer| {
                // Each writer has its own items: 0, 3, 6 ...; 1, 4, 7 ...
                let engine = &engine;
                scope.spawn(move || put(engine, (0..900).filter(|n| n % 3 == writer), 30))
            })
            .collect();
        let (engine, is_over) = (&engine, &is_over);
        let background = scope.spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                engine.work().unwrap();
            }
        });
        writers
            .into_iter()
            .for_each(|writer| writer.join().unwrap());
        is_over.store(true, Ordering::Relaxed);
        background.join().unwrap();
    });
    assert!(described(&engine, &stream).len() > 20);
    assert_whole(&consume(&engine, &stream), 30, 900);
    // A restart continues with the same shards.
    let before = described(&engine, &stream);
    drop(engine);
    options.shards.lifetime = None;
    let engine = Engine::open(options).unwrap();
    assert_eq!(described(&engine, &stream), before);
    put(&engine, 900..960, 30);
    assert_whole(&consume(&engine, &stream), 30, 960);
}

fn is_a(exception: &str, answer: &Value) -> bool {
    answer["__type"]
        .as_str()
        .unwrap()
        .ends_with(&format!("#{exception}"))
}

#[test]
fn a_closed_shard_is_forgotten_when_its_records_are_trimmed() {
    let (engine, clock, stream) = on(StreamShards {
        retention: Duration::from_secs(25),
        ..shards(2, 2)
    });
    put(&engine, 0..40, 10);
    let first = described(&engine, &stream);
    let old = iterator(&engine, &stream, &first[0]);
    // Turns end the shards after 10, 20 and 30 seconds. 25 seconds after its end a shard is forgotten.
    for _ in 0..4 {
        clock.advance(10_000);
        engine.work().unwrap();
    }
    let left = described(&engine, &stream);
    assert!(
        first
            .iter()
            .all(|shard| left.iter().all(|one| one["ShardId"] != shard["ShardId"]))
    );
    // The children still say whose they are.
    assert!(
        left.iter()
            .any(|shard| shard["ParentShardId"] == first[0]["ShardId"])
    );
    let late = ask(&engine, "GetRecords", &json!({"ShardIterator": old}));
    assert!(is_a("TrimmedDataAccessException", &late), "{late}");
    let asked =
        json!({"StreamArn": stream, "ShardId": first[0]["ShardId"], "ShardIteratorType": "LATEST"});
    let late = ask(&engine, "GetShardIterator", &asked);
    assert!(is_a("ResourceNotFoundException", &late), "{late}");
    assert!(
        consume(&engine, &stream).is_empty(),
        "all records are trimmed"
    );
    put(&engine, 0..40, 10);
    assert_whole(&consume(&engine, &stream), 10, 40);
}

#[test]
fn a_stream_that_is_switched_off_closes_its_shards() {
    let (engine, clock, stream) = on(shards(2, 4));
    put(&engine, 0..20, 7);
    clock.advance(10_000);
    engine.work().unwrap();
    put(&engine, 20..50, 7);
    let off = json!({"TableName": "Tab", "StreamSpecification": {"StreamEnabled": false}});
    assert!(ask(&engine, "UpdateTable", &off)["TableDescription"].is_object());
    put(&engine, 50..60, 7);
    clock.advance(10_000);
    engine.work().unwrap();
    let all = described(&engine, &stream);
    assert_eq!(all.len(), 6);
    assert!(
        !all.iter().any(is_open),
        "no shard of a closed stream is divided"
    );
    assert_whole(&consume(&engine, &stream), 7, 50);
    clock.advance(24 * 3600 * 1000 + 1);
    engine.work().unwrap();
    assert_eq!(
        ask(&engine, "ListStreams", &json!({}))["Streams"],
        json!([])
    );
}

#[test]
fn a_folder_of_one_shard_goes_on_with_several() {
    let folder = tempfile::tempdir().unwrap();
    let clock = ManualClock::new();
    let open = |shards: StreamShards| {
        let store = StoreOptions::folder(folder.path(), Durability::Buffered);
        let environment = Environment {
            clock: clock.clone(),
            ..Environment::system()
        };
        let options = EngineOptions {
            shards,
            environment,
            background: false,
            ..EngineOptions::new(store)
        };
        Engine::open(options).unwrap()
    };
    let engine = open(StreamShards::default());
    let stream = create(&engine);
    put(&engine, 0..30, 9);
    drop(engine);
    let engine = open(shards(1, 4));
    for round in 1..4 {
        clock.advance(10_000);
        engine.work().unwrap();
        put(&engine, round * 30..(round + 1) * 30, 9);
    }
    assert_eq!(
        described(&engine, &stream)
            .iter()
            .filter(|one| is_open(one))
            .count(),
        4
    );
    assert_whole(&consume(&engine, &stream), 9, 120);
}
