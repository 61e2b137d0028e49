//! The load of a soak: requests at a steady rate, and a follower of the stream.

use crate::load::{self, Connection, LATE_MAX, histogram};
use hdrhistogram::Histogram;
use keyfold_workload::request::{self, Protocol};
use std::cell::RefCell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::LocalSet;
use tokio::time::Instant;

/// The requests that create the tables.
pub(super) const SETTING_UP: [(&str, &str); 3] = [
    (
        "CreateTable",
        r#"{"TableName":"Soak","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},{"AttributeName":"kind","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"GlobalSecondaryIndexes":[{"IndexName":"ByKind","KeySchema":[{"AttributeName":"kind","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}]}"#,
    ),
    (
        "CreateTable",
        r#"{"TableName":"Followed","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"}}"#,
    ),
    (
        "UpdateTimeToLive",
        r#"{"TableName":"Soak","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"expires"}}"#,
    ),
];

/// The connections of the load.
const LANES: u64 = 8;
/// The partitions that are read and written.
const PARTITIONS: u64 = 5_000;
/// The partitions of the index.
const KINDS: u64 = 500;
const PAYLOAD: &str = "A soak shows what a minute does not: leaks, files that grow with time, and requests that become slower. This text makes an item of about three hundred bytes, a size that is rather common.";

/// The load of a soak.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    /// Requests a second.
    pub(super) rate: u64,
    /// The least time until an item expires; the longest is twice as much.
    pub(super) lifetime_s: u64,
}

/// The answers of a minute.
pub(super) struct Minute {
    pub(super) answers: u64,
    pub(super) errors: u64,
    /// The text of the first error.
    pub(super) error: Option<String>,
    /// Nanoseconds from sending a request to the end of its answer.
    pub(super) latency: Histogram<u64>,
}

impl Minute {
    fn record(&mut self, took: Duration, failed: Option<String>) {
        self.answers += 1;
        self.latency.saturating_record(took.as_nanos() as u64);
        // Two connections may write the same item in transactions: a conflict is no error.
        if let Some(error) = failed.filter(|error| !error.contains("TransactionConflict")) {
            self.errors += 1;
            self.error.get_or_insert(error);
        }
    }
}

/// Seconds since the epoch.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// An item that expires after one to two lifetimes.
fn item(n: u64, lifetime_s: u64, random: &mut fastrand::Rng) -> String {
    let expires = now() + lifetime_s + random.u64(..lifetime_s);
    format!(
        r#"{{"pk":{{"S":"p{}"}},"sk":{{"S":"{n:012}"}},"kind":{{"S":"k{}"}},"n":{{"N":"{n}"}},"expires":{{"N":"{expires}"}},"text":{{"S":"{PAYLOAD}"}}}}"#,
        n % PARTITIONS,
        n % KINDS,
    )
}

/// The next request: reads, writes of new items, changes and deletions of recent ones. Returns the
/// operation and its body.
fn next(random: &mut fastrand::Rng, lifetime_s: u64) -> (&'static str, String) {
    // Keys are near the clock, so that reads find recent writes.
    let recent = now() * 1000 - random.u64(..lifetime_s * 1000);
    let fresh = now() * 1000 + random.u64(..1000);
    let key = format!(
        r#"{{"pk":{{"S":"p{}"}},"sk":{{"S":"{recent:012}"}}}}"#,
        recent % PARTITIONS
    );
    match random.u32(..100) {
        0..30 => ("GetItem", format!(r#"{{"TableName":"Soak","Key":{key}}}"#)),
        30..45 => {
            let partition = format!("p{}", random.u64(..PARTITIONS));
            ("Query", query("", "pk", &partition))
        }
        45..50 => {
            let kind = format!("k{}", random.u64(..KINDS));
            ("Query", query(r#""IndexName":"ByKind","#, "kind", &kind))
        }
        50..75 => (
            "PutItem",
            format!(
                r#"{{"TableName":"Soak","Item":{}}}"#,
                item(fresh, lifetime_s, random)
            ),
        ),
        75..87 => (
            "UpdateItem",
            format!(
                r#"{{"TableName":"Followed","Key":{{"pk":{{"S":"p{}"}}}},"UpdateExpression":"ADD times :one","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#,
                random.u64(..PARTITIONS)
            ),
        ),
        87..92 => (
            "DeleteItem",
            format!(r#"{{"TableName":"Soak","Key":{key}}}"#),
        ),
        92..96 => {
            let puts = [0, 1, 2].map(|step| {
                let item = item(fresh + step * 1000, lifetime_s, random);
                format!(r#"{{"Put":{{"TableName":"Soak","Item":{item}}}}}"#)
            });
            (
                "TransactWriteItems",
                format!(r#"{{"TransactItems":[{}]}}"#, puts.join(",")),
            )
        }
        _ => {
            let puts = [0, 1, 2, 3, 4].map(|step| {
                let item = item(fresh + step * 1000, lifetime_s, random);
                format!(r#"{{"PutRequest":{{"Item":{item}}}}}"#)
            });
            (
                "BatchWriteItem",
                format!(r#"{{"RequestItems":{{"Soak":[{}]}}}}"#, puts.join(",")),
            )
        }
    }
}

/// The body of a query for the newest twenty items of which an attribute has a value. `index` is
/// the member that names the index, or empty.
fn query(index: &str, attribute: &str, value: &str) -> String {
    format!(
        r#"{{"TableName":"Soak",{index}"Limit":20,"ScanIndexForward":false,"KeyConditionExpression":"{attribute} = :v","ExpressionAttributeValues":{{":v":{{"S":"{value}"}}}}}}"#
    )
}

/// Runs a minute of load.
pub(super) fn minute(address: SocketAddr, minute: u64, load: Load) -> io::Result<Minute> {
    let tally = Rc::new(RefCell::new(Minute {
        answers: 0,
        errors: 0,
        error: None,
        latency: histogram()?,
    }));
    let local = LocalSet::new();
    for lane in 0..LANES {
        let tally = Rc::clone(&tally);
        local.spawn_local(async move {
            let mut connection = Connection::new(address, Protocol::Http);
            let mut random = fastrand::Rng::with_seed(minute * LANES + lane + 1);
            let mut sent = Vec::new();
            let until = Instant::now() + Duration::from_secs(60);
            let pace = Duration::from_secs_f64(LANES as f64 / load.rate as f64);
            let mut pace = tokio::time::interval(pace);
            while pace.tick().await < until && Instant::now() < until {
                let (operation, body) = next(&mut random, load.lifetime_s);
                sent.clear();
                request::http(&mut sent, operation, body.as_bytes());
                let begun = Instant::now();
                let failed = connection.exchange_or_error(&sent).await;
                tally.borrow_mut().record(begun.elapsed(), failed);
            }
        });
    }
    load::finish(local, Duration::from_secs(60) + LATE_MAX)?;
    Rc::try_unwrap(tally)
        .map(RefCell::into_inner)
        .map_err(|_| io::Error::other("a connection is still running"))
}

/// A thread that reads the stream as it grows.
pub(super) struct Follower {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<io::Result<u64>>,
}

impl Follower {
    pub(super) fn start(address: SocketAddr) -> io::Result<Follower> {
        let stop = Arc::new(AtomicBool::new(false));
        let is_stopped = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("follower".to_owned())
            .spawn(move || follow(address, &is_stopped))?;
        Ok(Follower { stop, thread })
    }

    /// Ends the thread; returns the number of records that it has read.
    pub(super) fn stop(self) -> io::Result<u64> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread
            .join()
            .map_err(|_| io::Error::other("the stream's follower panicked"))?
    }
}

/// Reads the stream until it is empty after the stop; returns the number of records.
fn follow(address: SocketAddr, is_stopped: &AtomicBool) -> io::Result<u64> {
    let ask = |operation: &str, body: serde_json::Value| -> io::Result<serde_json::Value> {
        let (is_ok, answer) = load::ask(address, operation, &body.to_string())?;
        if is_ok {
            Ok(serde_json::from_str(&answer)?)
        } else {
            Err(io::Error::other(answer))
        }
    };
    let table = ask(
        "DescribeTable",
        serde_json::json!({"TableName": "Followed"}),
    )?;
    let arn = &table["Table"]["LatestStreamArn"];
    let stream = ask("DescribeStream", serde_json::json!({"StreamArn": arn}))?;
    let shard = &stream["StreamDescription"]["Shards"][0]["ShardId"];
    let from = serde_json::json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let mut iterator = ask("GetShardIterator", from)?["ShardIterator"].clone();
    let mut count = 0;
    loop {
        let is_last = is_stopped.load(Ordering::Relaxed);
        let page = ask("GetRecords", serde_json::json!({"ShardIterator": iterator}))?;
        let records = page["Records"].as_array().map_or(0, Vec::len);
        count += records as u64;
        iterator = page["NextShardIterator"].clone();
        if records == 0 {
            if is_last {
                return Ok(count);
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}
