//! A reader looks at rows while hundreds of writes a second change their source, rows come and go, and
//! the view is rebuilt again and again: each answer is right at some moment, and none is older than the
//! one before. Half of the pages of the stream are empty, as those of a shard with few records.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and waits"
)]

mod common;

use common::views::{Order, compare, keys_of, make, model, put, remove, rows_of};
use keyfold_api::{GetRecordsOutput, Request, Response};
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_stream::views::{ViewOptions, ViewReport, ViewWorker, begin_rebuild, status};
use keyfold_stream::{Options, Sends, sends};
use keyfold_types::Item;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PRODUCTS: u64 = 4;
const ORDERS: u64 = 60;
const ROUNDS: u64 = 2;

/// `KEYFOLD_STREAM_RATE=500 cargo test --release -p keyfold-stream --test rebuild` writes faster.
fn writes_a_second() -> u64 {
    std::env::var("KEYFOLD_STREAM_RATE").map_or(100, |text| text.parse().unwrap())
}

/// The share of the writes asked for that were written, which is asserted where a rate was asked for.
const REACHED: f64 = 0.95;

/// The right rows of each key, in the order of the writes; `None` while there is none.
type History = Arc<Mutex<BTreeMap<String, Vec<Option<Item>>>>>;

/// Sends requests to a database whose streams have empty pages before their records.
fn sparse(backend: Arc<Backend>) -> Sends {
    let (send, count) = (sends(backend), AtomicU64::new(0));
    Arc::new(move |request| {
        if let Request::GetRecords(input) = &request {
            // Runs of one to seven, one after the other.
            let count = count.fetch_add(1, Ordering::SeqCst);
            if !(count + count / 7).is_multiple_of(1 + count / 7 % 7) {
                return Ok(Response::GetRecords(GetRecordsOutput {
                    records: Some(Vec::new()),
                    next_shard_iterator: input.shard_iterator.clone(),
                }));
            }
        }
        send(request)
    })
}

fn options(live: &Arc<AtomicU64>) -> ViewOptions {
    let live = Arc::clone(live);
    ViewOptions {
        consumers: Options {
            poll_time: Duration::from_millis(5),
            retry_pause: Duration::from_millis(2),
            discovery_time: Duration::from_millis(200),
            lease_time: Duration::from_secs(2),
            batch: 100,
            ..Options::new("views", "views")
        },
        on_report: Arc::new(move |_, report| {
            if let ViewReport::Live(_) = report {
                live.fetch_add(1, Ordering::SeqCst);
            }
        }),
        ..ViewOptions::default()
    }
}

/// Writes orders at a pace, and notes the rows that are right behind each write, before it.
fn write(engine: &Engine, history: &History, stops: &AtomicBool) -> u64 {
    let model = model();
    let (mut orders, began) = (BTreeMap::new(), Instant::now());
    let rate = writes_a_second();
    let mut written = 0;
    while !stops.load(Ordering::SeqCst) {
        let due = began + Duration::from_micros(written * 1_000_000 / rate);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        // The last product has one order now and then, which goes again.
        let is_lone = written % 5 == 4;
        let order = Order {
            id: if is_lone { ORDERS } else { written % ORDERS },
            product: match is_lone {
                true => PRODUCTS,
                false => (written + written / ORDERS) % PRODUCTS,
            },
            customer: written % 7,
            total: i64::try_from(written % 91).unwrap(),
        };
        let goes = is_lone && orders.contains_key(&order.id);
        let before = match goes {
            true => orders.remove(&order.id),
            false => orders.insert(order.id, order),
        };
        let changed = [
            order.product,
            before.map_or(order.product, |one| one.product),
        ];
        let of = orders.values().filter(|one| changed.contains(&one.product));
        let right = rows_of(of);
        let mut noted = history.lock().unwrap();
        for product in changed {
            for key in keys_of(product) {
                let row = right.get(&key).cloned();
                let rows = noted.entry(key).or_insert_with(|| vec![None]);
                if rows.last() != Some(&row) {
                    rows.push(row);
                }
            }
        }
        drop(noted);
        match goes {
            true => remove(engine, &model, &order),
            false => put(engine, &model, &order),
        }
        written += 1;
    }
    written
}

/// Reads the rows again and again. Returns how often, or the first answer that was wrong.
fn read(engine: &Engine, history: &History, stops: &AtomicBool) -> Result<u64, String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut reads = 0;
    while !stops.load(Ordering::SeqCst) {
        let keys: Vec<String> = history.lock().unwrap().keys().cloned().collect();
        for key in keys {
            let found = common::views::row(engine, &key);
            let noted = history.lock().unwrap();
            let rows = &noted[&key];
            reads += 1;
            let from = seen.get(&key).copied().unwrap_or(0);
            let at = rows.iter().skip(from).position(|one| *one == found);
            let Some(at) = at else {
                let is_older = rows.contains(&found);
                return Err(format!("{key} is {found:?}; was right before: {is_older}"));
            };
            seen.insert(key, from + at);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(reads)
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(300), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Stops threads when it is dropped.
struct Stopper<'s>(&'s AtomicBool);

impl Drop for Stopper<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn no_reader_sees_a_wrong_or_missing_row_while_views_are_rebuilt() {
    let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
    make(&engine);
    let model = model();
    let send = sparse(Arc::new(Backend::Embedded(Arc::clone(&engine))));
    let (stops, live) = (AtomicBool::new(false), Arc::new(AtomicU64::new(0)));
    let history = History::default();
    std::thread::scope(|scope| {
        // Threads end also when the test fails.
        let stopper = Stopper(&stops);
        let began = Instant::now();
        let writer = scope.spawn(|| write(&engine, &history, &stops));
        let worker = ViewWorker::start(Arc::clone(&send), &model, &options(&live)).unwrap();
        let other = ViewWorker::start(Arc::clone(&send), &model, &options(&live)).unwrap();
        until("the first generations", || live.load(Ordering::SeqCst) >= 6);
        let reader = scope.spawn(|| read(&engine, &history, &stops));
        for round in 1..=ROUNDS {
            begin_rebuild(&send, &model, &options(&live).consumers, None).unwrap();
            until("the next generations", || {
                live.load(Ordering::SeqCst) >= 6 * (round + 1)
            });
        }
        drop(stopper);
        let (written, reads) = (writer.join().unwrap(), reader.join().unwrap());
        let time = began.elapsed();
        let reads = reads.unwrap_or_else(|why| panic!("{why}"));
        assert!(reads > 100, "{reads} reads");
        let reached = written as f64 / time.as_secs_f64();
        println!("{written} writes in {time:?}, {reached:.0} a second, {reads} reads");
        if std::env::var_os("KEYFOLD_STREAM_RATE").is_some() {
            let wanted = writes_a_second() as f64 * REACHED;
            assert!(
                reached >= wanted,
                "{reached:.0} writes a second are fewer than {wanted:.0}"
            );
        }
        let known = Options::new("views", "views");
        until("all records are handled", || {
            let all = status(&send, &model, &known).unwrap();
            all.iter().all(|view| view.behind == 0)
        });
        drop((worker, other));
    });
    assert!(compare(&engine).unwrap() > 20);
}

/// Nothing is written while views are rebuilt again and again: a reader of all rows finds each of them, once,
/// and no other, at every moment of a switch.
#[test]
fn a_reader_finds_the_whole_view_at_each_switch() {
    const SWITCHES: u64 = 12;
    let engine = Arc::new(Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap());
    make(&engine);
    let model = model();
    for id in 0..ORDERS {
        let order = Order {
            id,
            product: id % PRODUCTS,
            customer: id % 7,
            total: i64::try_from(id % 91).unwrap(),
        };
        put(&engine, &model, &order);
    }
    let send = sends(Arc::new(Backend::Embedded(Arc::clone(&engine))));
    let (stops, live) = (AtomicBool::new(false), Arc::new(AtomicU64::new(0)));
    std::thread::scope(|scope| {
        let stopper = Stopper(&stops);
        let worker = ViewWorker::start(Arc::clone(&send), &model, &options(&live)).unwrap();
        until("the first generations", || live.load(Ordering::SeqCst) == 3);
        let whole = compare(&engine).unwrap();
        assert!(whole > ORDERS as usize, "{whole} rows");
        let (engine, stops) = (&engine, &stops);
        let reader = scope.spawn(move || {
            let mut reads = 0;
            while !stops.load(Ordering::SeqCst) {
                assert_eq!(compare(engine), Ok(whole), "behind {reads} reads");
                reads += 1;
            }
            reads
        });
        for switch in 2..=SWITCHES {
            begin_rebuild(&send, &model, &options(&live).consumers, None).unwrap();
            until("the next generations", || {
                assert!(!reader.is_finished(), "the reader has failed");
                live.load(Ordering::SeqCst) == 3 * switch
            });
        }
        drop(stopper);
        let reads: u64 = reader.join().unwrap();
        assert!(reads > 10 * SWITCHES, "{reads} reads");
        drop(worker);
    });
}
