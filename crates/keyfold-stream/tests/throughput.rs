//! Records a second that one worker turns into a view, and their delay: embedded, and over HTTP.
//! Run it with `cargo test --release -p keyfold-stream --test throughput -- --ignored --nocapture`;
//! `KEYFOLD_STREAM_RATE=20000` before it names the rate that must be reached.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test fails by panicking, and measures"
)]

mod common;

use common::{SOURCE, VIEW, add, answer, make_tables, request, scan, whole};
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_server::{Server, ServerConfig};
use keyfold_stream::{Effects, Options, Record, Report, Worker, sends};
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const RECORDS: u64 = 300_000;

/// Adds the totals of a batch to the rows of its products.
fn totals(records: &[Record]) -> Effects {
    let mut totals: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for record in records {
        let images = record.dynamodb.as_ref().unwrap();
        if let Some(Ok(order)) = &images.new_image {
            let sum = totals.entry(common::text(order, "product")).or_default();
            sum.0 += whole(order, "total");
            sum.1 += 1;
        }
    }
    let rows = totals.into_iter();
    Effects::of(
        rows.map(|(product, (total, count))| add(&product, total, count))
            .collect(),
    )
}

fn write(engine: &Engine, from: u64, to: u64) {
    let numbers: Vec<u64> = (from..to).collect();
    for some in numbers.chunks(25) {
        let puts = some.iter().map(|n| {
            json!({"PutRequest": {"Item": {
                "id": {"S": n.to_string()}, "product": {"S": format!("p{}", n % 50)},
                "total": {"N": "3"},
            }}})
        });
        let body = json!({"RequestItems": {SOURCE: puts.collect::<Vec<_>>()}});
        answer(engine, request("BatchWriteItem", &body)).unwrap();
    }
}

fn measure(name: &str, engine: &Engine, backend: Arc<Backend>) {
    write(engine, 0, RECORDS);
    let handled = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&handled);
    let options = Options {
        poll_time: Duration::from_millis(20),
        ..Options::new(name, SOURCE)
    }
    .on_report(move |report| {
        if let Report::Handled { records, .. } = report {
            count.fetch_add(*records as u64, Ordering::SeqCst);
        }
    });
    let began = Instant::now();
    let worker = Worker::start(sends(backend), options, |records: &[Record]| {
        Ok(totals(records))
    })
    .unwrap();
    let until = |wanted: u64| {
        while handled.load(Ordering::SeqCst) < wanted {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    until(RECORDS);
    let rate = RECORDS as f64 / began.elapsed().as_secs_f64();
    let mut delays = Vec::new();
    for n in 0..300 {
        let began = Instant::now();
        write(engine, RECORDS + n, RECORDS + n + 1);
        until(RECORDS + n + 1);
        delays.push(began.elapsed());
    }
    worker.stop().unwrap();
    delays.sort();
    let sold: i64 = scan(engine, VIEW)
        .values()
        .map(|row| whole(row, "count"))
        .sum();
    assert_eq!(sold, i64::try_from(RECORDS + 300).unwrap());
    println!(
        "{name}: {rate:.0} records a second; from the write to the view: median {:?}, 99 % {:?}",
        delays[delays.len() / 2],
        delays[delays.len() * 99 / 100]
    );
    if let Ok(wanted) = std::env::var("KEYFOLD_STREAM_RATE") {
        let wanted: f64 = wanted.parse().unwrap();
        assert!(
            rate >= wanted,
            "{name}: {rate:.0} records a second are fewer than {wanted:.0}"
        );
    }
}

#[test]
#[ignore = "measures"]
fn a_worker_keeps_a_view() {
    let open = || {
        let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
        make_tables(&engine);
        engine
    };
    let engine = open();
    measure(
        "embedded",
        &engine,
        Arc::new(Backend::Embedded(Arc::clone(&engine))),
    );
    let engine = open();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = ServerConfig::new(SocketAddr::from(([127, 0, 0, 1], 0)));
    let server = runtime
        .block_on(Server::bind(Arc::clone(&engine), config))
        .unwrap();
    let url = format!("http://{}", server.address());
    runtime.spawn(server.run(std::future::pending()));
    let backend = Backend::endpoint(&url, "us-east-1", "local", "local").unwrap();
    measure("http", &engine, Arc::new(backend));
}
