//! Batches that were discarded: the records that are read for them, and why there are none.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Ahead, SOURCE, answer, follow, make_source, put_order, request};
use keyfold_api::Response;
use keyfold_engine::{Engine, EngineOptions};
use keyfold_stream::mapping::{Absence, Discard, Kept, Reader, Settings};
use keyfold_stream::{Sends, ShardKey};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A stream with some records, and what was asked of it.
struct Play {
    engine: Engine,
    records: AtomicUsize,
    requests: Mutex<Vec<&'static str>>,
}

impl Play {
    fn new(options: EngineOptions, records: usize) -> Arc<Play> {
        let engine = Engine::open(options).unwrap();
        make_source(&engine);
        for id in 0..records {
            put_order(&engine, &id.to_string(), "a", 1, 1);
        }
        Arc::new(Play {
            engine,
            records: AtomicUsize::new(0),
            requests: Mutex::default(),
        })
    }

    fn sends(self: &Arc<Play>) -> Sends {
        let play = Arc::clone(self);
        Arc::new(move |request| {
            play.requests
                .lock()
                .unwrap()
                .push(request.operation().name());
            let answer = answer(&play.engine, request);
            if let Ok(Response::GetRecords(page)) = &answer {
                let count = page.records.as_ref().map_or(0, Vec::len);
                play.records.fetch_add(count, Ordering::Relaxed);
            }
            answer
        })
    }

    /// The shard of the latest stream, and the numbers of its records.
    fn shard(self: &Arc<Play>) -> (ShardKey, Vec<String>) {
        let ask = |operation: &str, body| answer(&self.engine, request(operation, &body)).unwrap();
        let Response::ListStreams(streams) = ask("ListStreams", json!({"TableName": SOURCE}))
        else {
            panic!("no streams");
        };
        let streams = streams.streams.unwrap().into_iter();
        let stream = streams.filter_map(|one| one.stream_arn).max().unwrap();
        let Response::DescribeStream(found) = ask("DescribeStream", json!({"StreamArn": stream}))
        else {
            panic!("no stream");
        };
        let shards = found.stream_description.unwrap().shards.unwrap();
        let shard = shards[0].shard_id.clone().unwrap();
        let iterator = json!({
            "StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON",
        });
        let Response::GetShardIterator(at) = ask("GetShardIterator", iterator) else {
            panic!("no iterator");
        };
        let Response::GetRecords(page) =
            ask("GetRecords", json!({"ShardIterator": at.shard_iterator}))
        else {
            panic!("no records");
        };
        let records = page.records.unwrap().into_iter();
        let numbers = records.map(|one| one.dynamodb.unwrap().sequence_number.unwrap());
        (ShardKey { stream, shard }, numbers.collect())
    }
}

fn batch(shard: &ShardKey, numbers: &[String]) -> Discard {
    Discard {
        id: String::new(),
        mapping: None,
        function: None,
        condition: "RetryAttemptsExhausted".to_owned(),
        calls: 1,
        at: String::new(),
        first_at: None,
        shard: shard.clone(),
        first: numbers[0].clone(),
        last: numbers[numbers.len() - 1].clone(),
        count: numbers.len(),
    }
}

fn numbers(kept: &Kept) -> Vec<&str> {
    kept.records.iter().map(|one| one.number()).collect()
}

#[test]
fn a_batch_costs_its_records_and_batches_in_a_row_are_one_pass() {
    let play = Play::new(Arc::<Ahead>::default().engine(), 400);
    let (shard, all) = play.shard();
    let settings = Settings::new(SOURCE, "");
    let mut reader = Reader::new(&play.sends());
    let kept = reader.read(&batch(&shard, &all[..2]), &settings).unwrap();
    assert_eq!(numbers(&kept), all[..2]);
    assert_eq!(play.records.swap(0, Ordering::Relaxed), 3);

    // Single records far from one another.
    for one in all.chunks(40) {
        let kept = reader.read(&batch(&shard, &one[..1]), &settings).unwrap();
        assert_eq!(numbers(&kept), one[..1]);
    }
    assert_eq!(play.records.swap(0, Ordering::Relaxed), 20);

    // Side by side.
    play.requests.lock().unwrap().clear();
    for one in all.chunks(2) {
        let kept = reader.read(&batch(&shard, one), &settings).unwrap();
        assert_eq!(numbers(&kept), one);
    }
    assert_eq!(play.records.load(Ordering::Relaxed), 400);
    let requests = play.requests.lock().unwrap().len();
    assert!(requests < 12, "{requests}");
}

#[test]
fn what_is_absent_is_told_apart() {
    let clock = Arc::<Ahead>::default();
    let play = Play::new(clock.engine(), 3);
    let (shard, all) = play.shard();
    let mut reader = Reader::new(&play.sends());
    let mut absence = |batch: Discard| {
        let settings = Settings::new(SOURCE, "");
        reader.read(&batch, &settings).unwrap().absence
    };
    let good = batch(&shard, &all[..1]);
    assert_eq!(absence(good.clone()), None);
    let with = |stream: String, shard: String| Discard {
        shard: ShardKey { stream, shard },
        ..good.clone()
    };
    let (stream, name) = (shard.stream.clone(), shard.shard.clone());
    let gone = with(format!("{stream}x"), name);
    assert_eq!(absence(gone), Some(Absence::NoStream));
    let gone = with(stream, "shardId-00000000000000000000-00000000".to_owned());
    assert_eq!(absence(gone), Some(Absence::NoShard));
    follow(&play.engine);
    put_order(&play.engine, "old", "a", 1, 1);
    let (later, numbers) = play.shard();
    let found = absence(batch(&later, &all[..1]));
    assert!(matches!(found, Some(Absence::BeforeShard(_))), "{found:?}");

    clock.put_forward(Duration::from_secs(25 * 3_600));
    put_order(&play.engine, "new", "a", 1, 1);
    play.engine.work().unwrap();
    let old = batch(&later, &numbers[..1]);
    assert_eq!(absence(old), Some(Absence::Expired));
}
