//! Measures a verification of a big table beside a bare scan of it. `VERIFY_ITEMS` is the number of
//! items, `VERIFY_DATA` a folder that is kept between runs. With `VERIFY_TIMES`, only so many
//! verifications of the folder run, for a profiler.
//!
//! `cargo test --release -p keyfold-client --test verify_speed -- --ignored --nocapture`
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a measurement"
)]

use keyfold_api::{BatchWriteItemInput, Response, ScanInput};
use keyfold_client::verify::{self, Finding, Observer, Options};
use keyfold_client::{Backend, ClientError, arguments, derive, tables};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_server::{LatencyProfile, Server, ServerConfig};
use keyfold_types::{Item, Value};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const MODEL: &str = "\
model m 1
table Tab (PK, SK) type kind
  gsi One (GSI1PK, GSI1SK)

entity User
  userId: string, email: string, name: string, plan: free | paid
  key    \"USER#{userId}\" \"PROFILE\"
  One    \"MAIL#{email}\"  \"USER\"
  copy   card \"CARD#{userId}\" \"CARD\" only userId, name
  unique email
  count  orders of Order
  sum    spent of Order.total

entity Order
  userId: User.userId, orderId: ulid, createdAt: time, total: number, note: string
  key    \"USER#{userId}\" \"ORDER#{orderId}\"
  One    \"USER#{userId}\" \"{createdAt}\"

pattern user(userId) -> User?
pattern orders(userId) -> Order[]
";
/// The items of a user: itself, a copy, a guard, and the orders.
const OF_USER: usize = 8;

/// About what a page of 1 MB takes within a region.
const AWAY: LatencyProfile = LatencyProfile::Fixed(std::time::Duration::from_millis(25));

struct Unseen;

impl Observer for Unseen {
    fn progress(&mut self, _scan: u32, _items: u64) {}

    fn finding(&mut self, finding: &Finding) -> Result<(), ClientError> {
        panic!("{finding:?}")
    }
}

fn user_items(model: &Model, user: usize) -> Vec<Item> {
    let text = |text: String| Value::from(text.as_str());
    let id = format!("user-{user:08}");
    let mut values = arguments::Values::new();
    values.insert("userId".to_owned(), text(id.clone()));
    values.insert("email".to_owned(), text(format!("{id}@example.com")));
    values.insert("name".to_owned(), text(format!("Ada Lovelace {user}")));
    values.insert("plan".to_owned(), text("paid".to_owned()));
    values.insert("orders".to_owned(), Value::from(5));
    values.insert("spent".to_owned(), Value::from(62));
    let all = derive::derive(model, model.entity("User").unwrap(), &values).unwrap();
    let mut items: Vec<Item> = all.into_iter().map(|one| one.item).collect();
    items[0].insert("spent:items", 5);
    for order in 0..OF_USER - 3 {
        let mut values = arguments::Values::new();
        values.insert("userId".to_owned(), text(id.clone()));
        let number = format!("01HQ3K5M7N{user:08}{order:08}");
        values.insert("orderId".to_owned(), text(number));
        let at = format!("2024-01-{:02}T10:00:00.000Z", order + 1);
        values.insert("createdAt".to_owned(), text(at));
        let total = if order == 0 { 22 } else { 10 };
        values.insert("total".to_owned(), Value::from(total));
        values.insert("note".to_owned(), text("to be left at the door".to_owned()));
        let all = derive::derive(model, model.entity("Order").unwrap(), &values).unwrap();
        items.extend(all.into_iter().map(|one| one.item));
    }
    items
}

fn fill(backend: &Backend, model: &Model, items: usize) {
    tables::ensure(backend, model).unwrap();
    for user in 0..items / OF_USER {
        let puts = user_items(model, user).into_iter();
        let puts = puts.map(|item| keyfold_api::WriteRequest {
            put: Some(Some(Ok(item))),
            delete: None,
        });
        let input = BatchWriteItemInput {
            request_items: Some(vec![("Tab".to_owned(), puts.collect())]),
            ..BatchWriteItemInput::default()
        };
        backend.call(input.into()).unwrap();
    }
    backend.sync().unwrap();
}

fn open(folder: &Path) -> Arc<Engine> {
    let store = StoreOptions::folder(folder, keyfold_engine::Durability::Buffered);
    Arc::new(Engine::open(EngineOptions::new(store)).unwrap())
}

/// The engine behind HTTP, in this process.
fn served(
    engine: &Arc<Engine>,
    runtime: &tokio::runtime::Runtime,
    latency: Option<LatencyProfile>,
) -> Backend {
    let config = ServerConfig {
        latency: latency.map(|profile| (profile, 1)),
        ..ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)))
    };
    let server = runtime.block_on(Server::bind(Arc::clone(engine), config));
    let server = server.unwrap();
    let url = format!("http://{}", server.address());
    runtime.spawn(server.run(std::future::pending()));
    Backend::endpoint(&url, "us-east-1", "local", "local").unwrap()
}

/// Reads one segment, and drops the items as they are.
/// Decodes them too, if it is asked.
fn scan(backend: &Backend, segment: i64, of: i64, decodes: bool) -> usize {
    let (mut count, mut after) = (0, None);
    loop {
        let input = ScanInput {
            table_name: Some("Tab".to_owned()),
            segment: (of > 1).then_some(segment),
            total_segments: (of > 1).then_some(of),
            exclusive_start_key: after.take().map(Ok),
            ..ScanInput::default()
        };
        let Response::Scan(output) = backend.call(input.into()).unwrap() else {
            panic!("a scan is answered")
        };
        for item in output.items.unwrap_or_default() {
            count += if decodes { item.to_item().len() } else { 1 };
        }
        match output.last_evaluated_key {
            Some(key) => after = Some(key),
            None => return count,
        }
    }
}

/// The seconds that passed, and those that all threads have used.
fn seconds(work: impl FnOnce()) -> (f64, f64) {
    let (begin, used) = (Instant::now(), used());
    work();
    (begin.elapsed().as_secs_f64(), self::used() - used)
}

/// The seconds that the process has used, in hundredths.
fn used() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = behind_name.split_whitespace().skip(11).take(2);
    ticks.filter_map(|one| one.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn scanned(backend: &Backend, segments: u32, decodes: bool) {
    let of = i64::from(segments);
    std::thread::scope(|scope| {
        let read = |at: i64| scope.spawn(move || scan(backend, at, of, decodes));
        let threads: Vec<_> = (0..of).map(read).collect();
        let counts = threads.into_iter().map(|thread| thread.join().unwrap());
        assert!(counts.sum::<usize>() > 0);
    });
}

fn verified(backend: &Backend, model: &Model, segments: u32) {
    let tables = verify::sizes(backend, model).unwrap();
    let options = Options {
        segments,
        ..Options::default()
    };
    let report = verify::run(backend, model, &tables, &options, &mut Unseen).unwrap();
    assert_eq!((report.findings(), report.scans), (0, 1));
}

#[test]
#[ignore = "a measurement"]
fn a_verification_takes_little_more_than_a_scan() {
    let number = std::env::var("VERIFY_ITEMS");
    let number = number.ok().and_then(|text| text.parse().ok());
    let temporary = tempfile::tempdir().unwrap();
    let kept = std::env::var_os("VERIFY_DATA");
    let folder = kept.as_ref().map_or(temporary.path(), Path::new);
    let model = keyfold_model::compile(MODEL).model.unwrap();
    let is_new = std::fs::read_dir(folder).map_or(true, |mut all| all.next().is_none());
    if is_new {
        let empty = Backend::Embedded(open(folder));
        fill(&empty, &model, number.unwrap_or(1_000_000));
    }
    let engine = open(folder);
    let times = std::env::var("VERIFY_TIMES").ok();
    if let Some(times) = times.and_then(|text| text.parse::<u32>().ok()) {
        let backend = Backend::Embedded(engine);
        for _ in 0..times {
            let (passed, used) = seconds(|| verified(&backend, &model, 1));
            println!("{passed:.2} ({used:.2})");
        }
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    println!("seconds that passed (used by all threads)");
    for (name, backend) in [
        ("a data folder", Backend::Embedded(Arc::clone(&engine))),
        ("an endpoint", served(&engine, &runtime, None)),
        (
            "an endpoint 25 ms away",
            served(&engine, &runtime, Some(AWAY)),
        ),
    ] {
        scanned(&backend, 1, false);
        for segments in [1, 2, 4] {
            let scan = seconds(|| scanned(&backend, segments, false));
            let decode = seconds(|| scanned(&backend, segments, true));
            let verify = seconds(|| verified(&backend, &model, segments));
            let [scan, decode, verify] =
                [scan, decode, verify].map(|(passed, used)| format!("{passed:.2} ({used:.2})"));
            println!("{name}, {segments} segments: scan {scan}, decoded {decode}, verify {verify}");
        }
    }
}
