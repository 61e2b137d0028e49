//! Readers look at rows while 500 writes a second change their sources, rows come and go, and views are
//! rebuilt again and again: rows of counts and sums, rows of one item each, and what they have of another
//! entity's item. Each answer is right at some moment, and none is older than the one before. Each step of a
//! switch waits until all readers have looked. Half of the pages of the stream are empty, as those of a shard
//! with few records.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking, waits, and knows the requests that it looks at"
)]

mod common;

use common::views::{Order, compare, keys_of, make, model, put, remove, rows_of};
use common::{answer, request};
use keyfold_api::{ErrorKind, GetRecordsOutput, Request, Response, TransactWriteItem};
use keyfold_client::Backend;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_model::Model;
use keyfold_stream::views::{ViewOptions, ViewReport, ViewWorker, begin_rebuild, status};
use keyfold_stream::{Options, Sends, sends};
use keyfold_types::{Item, Value};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PRODUCTS: u64 = 4;
/// Not divided by what chooses a write, so that each order is written.
const ORDERS: u64 = 61;
const ROUNDS: u64 = 3;
/// One of so many writes is that of a product's name.
const NAMES: u64 = 12;

/// `KEYFOLD_STREAM_RATE=500` demands that as much is written; a machine that is busy writes less.
fn writes_a_second() -> u64 {
    std::env::var("KEYFOLD_STREAM_RATE").map_or(500, |text| text.parse().unwrap())
}

/// The share of the writes asked for that were written, which is asserted where a rate was asked for.
const REACHED: f64 = 0.95;

/// What was right, in the order of the writes; each write is noted before it.
#[derive(Default)]
struct History {
    /// The rows of each key, without what they have of products; `None` while there is none.
    rows: BTreeMap<String, Vec<Option<Item>>>,
    /// The names of each product.
    names: BTreeMap<u64, Vec<Option<String>>>,
}

impl History {
    fn note_row(&mut self, key: String, row: Option<Item>) {
        let rows = self.rows.entry(key).or_insert_with(|| vec![None]);
        if rows.last() != Some(&row) {
            rows.push(row);
        }
    }

    fn names_of(&mut self, product: u64) -> &mut Vec<Option<String>> {
        self.names.entry(product).or_insert_with(|| vec![None])
    }

    /// The keys of the rows that begin with a text.
    fn keys(&self, with: &str) -> BTreeSet<String> {
        let keys = self.rows.keys();
        keys.filter(|key| key.starts_with(with)).cloned().collect()
    }
}

type Noted = Arc<Mutex<History>>;

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

/// Writes at a pace, and notes what is right behind each write.
struct Writer<'w> {
    engine: &'w Engine,
    model: Arc<Model>,
    noted: &'w Noted,
    orders: BTreeMap<u64, Order>,
    written: u64,
}

impl Writer<'_> {
    /// Writes until it is stopped. Returns the number of writes.
    fn run(mut self, stops: &AtomicBool) -> u64 {
        let (began, rate) = (Instant::now(), writes_a_second());
        while !stops.load(Ordering::SeqCst) {
            let due = began + Duration::from_micros(self.written * 1_000_000 / rate);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            match self.written % NAMES {
                0 => self.name(),
                _ => self.order(),
            }
            self.written += 1;
        }
        self.written
    }

    /// Every second order stays with its product, so that its line never goes; the others wander. The last
    /// product has one order now and then, which goes again.
    fn order(&mut self) {
        let written = self.written;
        let is_lone = written % 5 == 4;
        let id = if is_lone { ORDERS } else { written % ORDERS };
        let order = Order {
            id,
            product: match is_lone {
                true => PRODUCTS,
                false if id.is_multiple_of(2) => id / 2 % PRODUCTS,
                false => (written + written / ORDERS) % PRODUCTS,
            },
            customer: written % 7,
            total: i64::try_from(written % 91).unwrap(),
        };
        let goes = is_lone && self.orders.contains_key(&order.id);
        let before = match goes {
            true => self.orders.remove(&order.id),
            false => self.orders.insert(order.id, order),
        };
        self.note(&order, before.as_ref(), goes);
        match goes {
            true => remove(self.engine, &self.model, &order),
            false => put(self.engine, &self.model, &order),
        }
    }

    fn note(&self, order: &Order, before: Option<&Order>, goes: bool) {
        let changed = [
            order.product,
            before.map_or(order.product, |one| one.product),
        ];
        let all = self.orders.values();
        let right = rows_of(all.filter(|one| changed.contains(&one.product)));
        let mut noted = self.noted.lock().unwrap();
        for key in changed.into_iter().flat_map(keys_of) {
            let row = right.get(&key).cloned();
            noted.note_row(key, row);
        }
        if let Some(before) = before {
            let (key, _) = line(before);
            if goes || key != line(order).0 {
                noted.note_row(key, None);
            }
        }
        if !goes {
            let (key, row) = line(order);
            noted.note_row(key, Some(row));
        }
    }

    /// Names a product anew; one of them goes, now and then.
    fn name(&self) {
        let number = self.written / NAMES;
        let product = number % (PRODUCTS + 1);
        let goes = product == 1 && number.is_multiple_of(3);
        let name = (!goes).then(|| format!("name {number}"));
        let mut noted = self.noted.lock().unwrap();
        noted.names_of(product).push(name.clone());
        drop(noted);
        let key = json!({"PK": {"S": format!("P#p{product}")}, "SK": {"S": "P"}});
        let (operation, body) = match &name {
            None => ("DeleteItem", json!({"TableName": "Products", "Key": key})),
            Some(name) => {
                let mut item = key;
                item["product"] = json!({"S": format!("p{product}")});
                item["name"] = json!({"S": name});
                ("PutItem", json!({"TableName": "Products", "Item": item}))
            }
        };
        // A row that is made at this moment holds the product.
        while let Err(error) = answer(self.engine, request(operation, &body)) {
            assert_eq!(
                error.kind(),
                Some(ErrorKind::TransactionConflict),
                "{error}"
            );
        }
    }
}

/// The line of an order, and its key.
fn line(order: &Order) -> (String, Item) {
    let (id, product) = (format!("{:03}", order.id), format!("p{}", order.product));
    let mut row = Item::from_iter([("product", product.as_str()), ("id", id.as_str())]);
    row.insert("total", order.total);
    (format!("L#{product} L#{id}"), row)
}

/// Compares rows with what was right, and remembers how new they were.
#[derive(Default)]
struct Compared {
    rows: BTreeMap<String, usize>,
    names: BTreeMap<String, usize>,
    reads: u64,
}

impl Compared {
    /// What was read of a row: it is right, and no older than what was read before.
    fn row(&mut self, noted: &Noted, key: &str, mut found: Option<Item>) -> Result<(), String> {
        let mut noted = noted.lock().unwrap();
        let name = match found.as_mut().and_then(|row| row.remove("name")) {
            Some(Value::S(name)) => Some(name),
            Some(other) => return Err(format!("the name in {key} is {other:?}")),
            None => None,
        };
        self.reads += 1;
        let rows = noted.rows.get(key);
        let rows = rows.ok_or_else(|| format!("nobody made {key}: {found:?}"))?;
        newest(&mut self.rows, key, rows, &found)?;
        if found.is_none() || key.starts_with('S') {
            return Ok(());
        }
        let product = key.split([' ', 'p']).nth(1).unwrap().parse().unwrap();
        newest(&mut self.names, key, noted.names_of(product), &name)
    }
}

/// Notes where in a history a value was found, which is not before the place where one was found last.
fn newest<T: PartialEq + std::fmt::Debug>(
    seen: &mut BTreeMap<String, usize>,
    key: &str,
    history: &[T],
    found: &T,
) -> Result<(), String> {
    let from = seen.get(key).copied().unwrap_or(0);
    let at = history.iter().skip(from).position(|one| one == found);
    let Some(at) = at else {
        let is_older = history.contains(found);
        let last = &history[from];
        return Err(format!(
            "{key} has {found:?} behind {last:?}; was right before: {is_older}"
        ));
    };
    seen.insert(key.to_owned(), from + at);
    Ok(())
}

/// The lines of a product, in one answer.
fn lines(engine: &Engine, product: u64) -> BTreeMap<String, Item> {
    let body = json!({
        "TableName": "Sales", "ConsistentRead": true, "KeyConditionExpression": "PK = :p",
        "ExpressionAttributeValues": {":p": {"S": format!("L#p{product}")}},
    });
    let Ok(Response::Query(page)) = answer(engine, request("Query", &body)) else {
        panic!("the lines of {product} are not read");
    };
    assert!(page.last_evaluated_key.is_none(), "more than a page");
    let items = page.items.unwrap_or_default().into_iter();
    let rows = items.map(|item| {
        let mut item = item.to_item();
        let names = ["PK", "SK"].map(|name| match item.remove(name) {
            Some(Value::S(text)) => text,
            other => panic!("{name} is {other:?}"),
        });
        let own = item.into_iter().filter(|(name, _)| !name.contains(':'));
        (names.join(" "), own.collect())
    });
    rows.collect()
}

/// What a reader asks for.
#[derive(Clone, Copy)]
enum Asks {
    /// The rows of counts, sums and all else that is made of several items.
    Groups,
    /// The rows of one item each.
    Lines,
}

/// How often each of the readers has looked at all rows.
#[derive(Default)]
struct Rounds {
    looks: [AtomicU64; 2],
    is_over: AtomicBool,
}

impl Rounds {
    /// Waits until each reader has looked at all rows, from its first request on. Returns whether they did.
    fn pass(&self) -> bool {
        let now = || self.looks.each_ref().map(|one| one.load(Ordering::SeqCst));
        let (from, began) = (now(), Instant::now());
        if from.contains(&0) {
            return false;
        }
        // Who waits for longer is slow, and not wrong: another builder follows.
        while began.elapsed() < Duration::from_secs(30) && !self.is_over.load(Ordering::SeqCst) {
            if now().iter().zip(&from).all(|(now, from)| *now > from + 1) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

/// Reads the rows again and again. Returns how many, or the first answer that was wrong.
fn read(
    engine: &Engine,
    noted: &Noted,
    (asks, rounds): (Asks, &Rounds),
    stops: &AtomicBool,
) -> Result<u64, String> {
    let mut compared = Compared::default();
    while !stops.load(Ordering::SeqCst) {
        match asks {
            Asks::Groups => {
                let known = noted.lock().unwrap();
                let keys = &known.keys("S#") | &known.keys("D#");
                drop(known);
                for key in keys {
                    let found = common::views::row(engine, &key);
                    compared.row(noted, &key, found)?;
                }
            }
            Asks::Lines => {
                for product in 0..=PRODUCTS {
                    let mut keys = noted.lock().unwrap().keys(&format!("L#p{product} "));
                    let mut found = lines(engine, product);
                    keys.extend(found.keys().cloned());
                    for key in keys {
                        compared.row(noted, &key, found.remove(&key))?;
                    }
                }
            }
        }
        rounds.looks[asks as usize].fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(compared.reads)
}

/// Whether a request is a step of a switch: it moves rows to their place, or deletes those that are left.
fn is_of_switch(request: &Request) -> bool {
    let input = match request {
        Request::TransactWriteItems(input) => input,
        Request::DeleteItem(input) => return input.table_name.as_deref() == Some("Sales"),
        _ => return false,
    };
    let table = |action: &TransactWriteItem| match (&action.put, &action.delete) {
        (Some(put), _) => put.table_name.clone(),
        (_, Some(delete)) => delete.table_name.clone(),
        (None, None) => None,
    };
    let all = input.transact_items.iter().flatten().map(table);
    let all: Option<BTreeSet<String>> = all.collect();
    let is_of = |name: &String| name == "Sales" || name == "keyfold_views";
    all.is_some_and(|all| all.contains("Sales") && all.iter().all(is_of))
}

/// Lets the records of products come late, to the next generation most of all, and those of orders to the live
/// one: that has a name in its rows which neither has read from the stream, and the next one made its rows
/// before.
#[derive(Default)]
struct Late {
    round: AtomicU64,
    /// The rounds in which the readers of iterators began, and whether they read products.
    iterators: Mutex<BTreeMap<String, (u64, bool)>>,
}

impl Late {
    const LAG: Duration = Duration::from_millis(40);

    /// Consumers that begin from now on are those of the next generation.
    fn begin(&self) {
        self.round.fetch_add(1, Ordering::SeqCst);
    }

    /// How late records come to a consumer that began in a round.
    fn lag(&self, (began, is_products): (u64, bool)) -> Duration {
        let round = self.round.load(Ordering::SeqCst);
        match (began == round, is_products) {
            _ if round == 0 => Duration::ZERO,
            (true, true) => Late::LAG * 2,
            (false, _) => Late::LAG,
            (true, false) => Duration::ZERO,
        }
    }

    fn wrap(self: &Arc<Late>, send: Sends) -> Sends {
        let late = Arc::clone(self);
        Arc::new(move |request| {
            let reader = match &request {
                Request::GetShardIterator(input) => {
                    let stream = input.stream_arn.as_deref().unwrap_or_default();
                    let round = late.round.load(Ordering::SeqCst);
                    Some((round, stream.contains("/Products/")))
                }
                Request::GetRecords(input) => {
                    let iterator = input.shard_iterator.as_deref().unwrap_or_default();
                    late.iterators.lock().unwrap().get(iterator).copied()
                }
                _ => None,
            };
            let answer = send(request)?;
            let next = match &answer {
                Response::GetShardIterator(output) => output.shard_iterator.clone(),
                Response::GetRecords(output) => {
                    if output.records.as_ref().is_some_and(|all| !all.is_empty()) {
                        // What is written meanwhile is not in the answer.
                        std::thread::sleep(reader.map_or(Duration::ZERO, |one| late.lag(one)));
                    }
                    output.next_shard_iterator.clone()
                }
                _ => None,
            };
            let mut iterators = late.iterators.lock().unwrap();
            iterators.extend(next.zip(reader));
            Ok(answer)
        })
    }
}

/// Sends requests; a step of a switch waits until all readers have looked, and is counted then.
fn watched(send: Sends, rounds: Arc<Rounds>, steps: Arc<AtomicU64>) -> Sends {
    Arc::new(move |request| {
        if is_of_switch(&request) && rounds.pass() {
            steps.fetch_add(1, Ordering::SeqCst);
        }
        send(request)
    })
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
    let (stops, live) = (AtomicBool::new(false), Arc::new(AtomicU64::new(0)));
    let (rounds, steps) = (Arc::<Rounds>::default(), Arc::<AtomicU64>::default());
    let send = sparse(Arc::new(Backend::Embedded(Arc::clone(&engine))));
    let late = Arc::<Late>::default();
    let send = watched(late.wrap(send), Arc::clone(&rounds), Arc::clone(&steps));
    let noted = Noted::default();
    std::thread::scope(|scope| {
        // Threads end also when the test fails.
        let stopper = Stopper(&stops);
        let began = Instant::now();
        let writer = Writer {
            engine: &engine,
            model: Arc::clone(&model),
            noted: &noted,
            orders: BTreeMap::new(),
            written: 0,
        };
        let writer = scope.spawn(|| writer.run(&stops));
        let worker = ViewWorker::start(Arc::clone(&send), &model, &options(&live)).unwrap();
        let other = ViewWorker::start(Arc::clone(&send), &model, &options(&live)).unwrap();
        until("the first generations", || live.load(Ordering::SeqCst) >= 6);
        let readers = [Asks::Groups, Asks::Lines].map(|asks| {
            let (engine, noted, rounds, stops) = (&engine, &noted, &rounds, &stops);
            scope.spawn(move || {
                let read = read(engine, noted, (asks, rounds), stops);
                rounds.is_over.store(true, Ordering::SeqCst);
                read
            })
        });
        until("all rows are read", || rounds.pass());
        for round in 1..=ROUNDS {
            late.begin();
            begin_rebuild(&send, &model, &options(&live).consumers, None).unwrap();
            until("the next generations", || {
                live.load(Ordering::SeqCst) >= 6 * (round + 1)
                    || readers.iter().any(|reader| reader.is_finished())
            });
        }
        drop(stopper);
        let (written, time) = (writer.join().unwrap(), began.elapsed());
        let reads: Result<Vec<u64>, String> = { readers }
            .map(|reader| reader.join().unwrap())
            .into_iter()
            .collect();
        let reads = reads.unwrap_or_else(|why| panic!("{why}"));
        assert!(reads.iter().all(|reads| *reads > 1_000), "{reads:?} reads");
        are_fast(written, time);
        let steps = steps.load(Ordering::SeqCst);
        assert!(
            steps >= 3 * ROUNDS,
            "the readers looked at {steps} steps of switches"
        );
        until("all records are handled", || is_handled(&send, &model));
        drop((worker, other));
    });
    // A line of each order, and two rows of each product.
    assert!(compare(&engine).unwrap() > ORDERS as usize);
}

/// Whether each record is in the rows.
fn is_handled(send: &Sends, model: &Arc<Model>) -> bool {
    let known = Options::new("views", "views");
    let all = status(send, model, &known).unwrap();
    all.iter().all(|view| view.behind == 0)
}

/// Where a rate was asked for, it was reached.
fn are_fast(written: u64, time: Duration) {
    let reached = written as f64 / time.as_secs_f64();
    if std::env::var_os("KEYFOLD_STREAM_RATE").is_some() {
        let wanted = writes_a_second() as f64 * REACHED;
        assert!(
            reached >= wanted,
            "{reached:.0} writes a second are fewer than {wanted:.0}"
        );
    }
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
