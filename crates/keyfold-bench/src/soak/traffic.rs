//! The load of a soak: requests at a steady rate, and who follows the stream.

use crate::load::Connection;
use crate::request::{self, Protocol};
use hdrhistogram::Histogram;
use std::cell::RefCell;
use std::fmt::Write;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::LocalSet;
use tokio::time::Instant;

/// The requests that make the tables.
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

/// Partitions that are read and written.
const PARTITIONS: u64 = 5_000;
const PAYLOAD: &str = "A soak shows what a minute does not: what is kept and never let go, what grows with time, and what becomes slow. This text makes an item of about three hundred bytes, as most of them are.";
/// How long the minute's last answers may take.
const LATE_MAX: Duration = Duration::from_secs(60);

/// A minute's answers.
pub(super) struct Minute {
    pub(super) answers: u64,
    pub(super) errors: u64,
    pub(super) error: Option<String>,
    /// Nanoseconds from sending to the whole answer.
    pub(super) latency: Histogram<u64>,
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

fn item(n: u64, lifetime: u64, random: &mut fastrand::Rng) -> String {
    let expires = now() + lifetime + random.u64(..lifetime);
    format!(
        r#"{{"pk":{{"S":"p{}"}},"sk":{{"S":"{n:012}"}},"kind":{{"S":"k{}"}},"n":{{"N":"{n}"}},"expires":{{"N":"{expires}"}},"text":{{"S":"{PAYLOAD}"}}}}"#,
        n % PARTITIONS,
        n % 500,
    )
}

/// The next request: reads, writes of new items, changes and deletions of recent ones.
fn next(body: &mut String, random: &mut fastrand::Rng, lifetime: u64) -> io::Result<&'static str> {
    body.clear();
    // Numbers near the clock, so that what was written lately is what is read.
    let recent = now() * 1000 - random.u64(..lifetime * 1000);
    let key = format!(
        r#"{{"pk":{{"S":"p{}"}},"sk":{{"S":"{recent:012}"}}}}"#,
        recent % PARTITIONS
    );
    let fresh = now() * 1000 + random.u64(..1000);
    let (name, written) = match random.u32(..100) {
        0..30 => (
            "GetItem",
            write!(body, r#"{{"TableName":"Soak","Key":{key}}}"#),
        ),
        30..45 => (
            "Query",
            write!(
                body,
                r#"{{"TableName":"Soak","Limit":20,"ScanIndexForward":false,"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{{":p":{{"S":"p{}"}}}}}}"#,
                random.u64(..PARTITIONS)
            ),
        ),
        45..50 => (
            "Query",
            write!(
                body,
                r#"{{"TableName":"Soak","IndexName":"ByKind","Limit":20,"ScanIndexForward":false,"KeyConditionExpression":"kind = :k","ExpressionAttributeValues":{{":k":{{"S":"k{}"}}}}}}"#,
                random.u64(..500)
            ),
        ),
        50..75 => (
            "PutItem",
            write!(
                body,
                r#"{{"TableName":"Soak","Item":{}}}"#,
                item(fresh, lifetime, random)
            ),
        ),
        75..87 => (
            "UpdateItem",
            write!(
                body,
                r#"{{"TableName":"Followed","Key":{{"pk":{{"S":"p{}"}}}},"UpdateExpression":"ADD times :one","ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"#,
                random.u64(..PARTITIONS)
            ),
        ),
        87..92 => (
            "DeleteItem",
            write!(body, r#"{{"TableName":"Soak","Key":{key}}}"#),
        ),
        92..96 => {
            let puts = [0, 1, 2].map(|step| {
                format!(
                    r#"{{"Put":{{"TableName":"Soak","Item":{}}}}}"#,
                    item(fresh + step * 1000, lifetime, random)
                )
            });
            (
                "TransactWriteItems",
                write!(body, r#"{{"TransactItems":[{}]}}"#, puts.join(",")),
            )
        }
        _ => {
            let puts = [0, 1, 2, 3, 4].map(|step| {
                format!(
                    r#"{{"PutRequest":{{"Item":{}}}}}"#,
                    item(fresh + step * 1000, lifetime, random)
                )
            });
            (
                "BatchWriteItem",
                write!(
                    body,
                    r#"{{"RequestItems":{{"Soak":[{}]}}}}"#,
                    puts.join(",")
                ),
            )
        }
    };
    written.map_err(io::Error::other)?;
    Ok(name)
}

/// A minute of load.
pub(super) fn minute(
    address: SocketAddr,
    minute: u64,
    (rate, lanes): (u64, u64),
    lifetime: u64,
) -> io::Result<Minute> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let latency = Histogram::new_with_bounds(1, 60_000_000_000, 3).map_err(io::Error::other)?;
    let tally = Rc::new(RefCell::new(Minute {
        answers: 0,
        errors: 0,
        error: None,
        latency,
    }));
    let local = LocalSet::new();
    for lane in 0..lanes {
        let tally = Rc::clone(&tally);
        local.spawn_local(async move {
            let mut connection = Connection::new(address, Protocol::Http);
            let mut random = fastrand::Rng::with_seed(minute * lanes + lane + 1);
            let (mut sent, mut body) = (Vec::new(), String::new());
            let until = Instant::now() + Duration::from_secs(60);
            let mut pace =
                tokio::time::interval(Duration::from_secs_f64(lanes as f64 / rate as f64));
            while pace.tick().await < until && Instant::now() < until {
                let Ok(operation) = next(&mut body, &mut random, lifetime) else {
                    return;
                };
                sent.clear();
                request::http(&mut sent, operation, body.as_bytes());
                let begun = Instant::now();
                let outcome = connection.exchange(&sent).await;
                let took = begun.elapsed().as_nanos() as u64;
                let mut tally = tally.borrow_mut();
                tally.answers += 1;
                tally.latency.saturating_record(took);
                if !matches!(outcome, Ok(true)) {
                    let body = String::from_utf8_lossy(connection.body()).into_owned();
                    let told = outcome.map_or_else(|error| error.to_string(), |_| body);
                    // Two lanes may meet in a transaction, which is told so.
                    if !told.contains("TransactionConflict") {
                        tally.errors += 1;
                        tally.error.get_or_insert(told);
                    }
                }
            }
        });
    }
    let time = Duration::from_secs(60) + LATE_MAX;
    let late = |_| {
        io::Error::new(
            io::ErrorKind::TimedOut,
            "the server did not answer within a minute",
        )
    };
    runtime
        .block_on(async { tokio::time::timeout(time, local).await })
        .map_err(late)?;
    Rc::try_unwrap(tally)
        .map(RefCell::into_inner)
        .map_err(|_| io::Error::other("a connection is still running"))
}

/// Reads the stream as it grows, on a thread of its own.
pub(super) struct Follower {
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<io::Result<u64>>,
}

impl Follower {
    pub(super) fn start(address: SocketAddr) -> io::Result<Follower> {
        let stop = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&stop);
        let thread = std::thread::Builder::new()
            .name("follower".to_owned())
            .spawn(move || follow(address, &is_over))?;
        Ok(Follower { stop, thread })
    }

    /// Ends it; gives the number of records that it has read.
    pub(super) fn stop(self) -> io::Result<u64> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread
            .join()
            .map_err(|_| io::Error::other("the stream's follower panicked"))?
    }
}

fn follow(address: SocketAddr, is_over: &AtomicBool) -> io::Result<u64> {
    let ask = |operation: &str, body: serde_json::Value| -> io::Result<serde_json::Value> {
        let (is_ok, answer) = crate::load::ask(address, operation, &body.to_string())?;
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
        let is_last = is_over.load(Ordering::Relaxed);
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
