//! Many writers of the same few items: nothing is sold twice, no container exceeds its capacity, no
//! writer waits for ever, and none waits much longer than others.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, or says why it ends"
)]

mod common;

use common::{ask, create_table, durable};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use serde_json::{Value, json};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

const WRITERS: u64 = 12;

/// The time limit of all writers. It is long enough that only a deadlock exceeds it.
const TIME_MAX: Duration = Duration::from_secs(180);

/// Does the work on one thread for each writer. A deadlock ends the test.
fn together(work: impl Fn(u64) + Sync) {
    let barrier = Barrier::new(WRITERS as usize);
    let (ended, end) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if end.recv_timeout(TIME_MAX) == Err(RecvTimeoutError::Timeout) {
            eprintln!("writers wait for each other: not done in {TIME_MAX:?}");
            std::process::abort();
        }
    });
    // Dropped at the end, also after a panic.
    let _ended = ended;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (barrier, work) = (&barrier, &work);
            scope.spawn(move || {
                barrier.wait();
                work(writer);
            });
        }
    });
}

fn key(pk: &str, sk: &str) -> Value {
    json!({"pk": {"S": pk}, "sk": {"S": sk}})
}

/// An attribute's number.
fn number(engine: &Engine, table: &str, key: &Value, name: &str) -> i64 {
    let item = ask(
        engine,
        "GetItem",
        &json!({"TableName": table, "Key": key, "ConsistentRead": true}),
    );
    item["Item"][name]["N"].as_str().unwrap().parse().unwrap()
}

fn count(engine: &Engine, table: &str, pk: &str) -> u64 {
    let query = json!({
        "TableName": table, "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": pk}},
        "Select": "COUNT",
    });
    ask(engine, "Query", &query)["Count"].as_u64().unwrap()
}

fn engines() -> (Vec<Engine>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let waits = |store| {
        Engine::open(EngineOptions {
            transaction_conflicts: false,
            ..EngineOptions::new(store)
        })
        .unwrap()
    };
    let on_disk = StoreOptions::folder(folder.path().join("waiting"), Durability::Buffered);
    let engines = vec![
        durable(&folder.path().join("refusing")),
        waits(on_disk),
        waits(StoreOptions::Memory),
    ];
    (engines, folder)
}

fn is_conflict(answer: &Value) -> bool {
    let text = answer.to_string();
    text.contains("TransactionConflict") || text.contains("Transaction is ongoing")
}

/// An order and its decrease of the stock happen together: the last piece is sold once.
#[test]
fn no_more_than_the_stock_is_sold() {
    const STOCK: i64 = 150;
    let (engines, _folder) = engines();
    for engine in &engines {
        create_table(engine, "Tab");
        let product =
            json!({"pk": {"S": "product"}, "sk": {"S": "info"}, "stock": {"N": STOCK.to_string()}});
        ask(
            engine,
            "PutItem",
            &json!({"TableName": "Tab", "Item": product}),
        );
        let sold = AtomicU64::new(0);
        together(|writer| {
            for order in 0.. {
                let order =
                    json!({"pk": {"S": "orders"}, "sk": {"S": format!("{writer}-{order}")}});
                let request = json!({"TransactItems": [
                    {"Put": {"TableName": "Tab", "Item": order, "ConditionExpression": "attribute_not_exists(pk)"}},
                    {"Update": {
                        "TableName": "Tab", "Key": key("product", "info"),
                        "UpdateExpression": "SET stock = stock - :one", "ConditionExpression": "stock >= :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}},
                    }},
                ]});
                let answer = loop {
                    let answer = ask(engine, "TransactWriteItems", &request);
                    if !is_conflict(&answer) {
                        break answer;
                    }
                };
                if answer != json!({}) {
                    let reasons = answer["CancellationReasons"].as_array().unwrap();
                    assert_eq!(reasons[1]["Code"], "ConditionalCheckFailed", "{answer}");
                    return;
                }
                sold.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert_eq!(sold.into_inner() as i64, STOCK);
        assert_eq!(number(engine, "Tab", &key("product", "info"), "stock"), 0);
        assert_eq!(count(engine, "Tab", "orders") as i64, STOCK);
        assert!(engine.examine().unwrap().is_well());
    }
}

/// The freight scenario: an item goes into one container with free capacity, or into none.
#[test]
fn no_container_exceeds_its_capacity_and_no_item_is_in_two() {
    const CONTAINERS: u64 = 4;
    const ROOM: u64 = 6;
    const ITEMS: u64 = 40;
    let (engines, _folder) = engines();
    for engine in &engines {
        create_table(engine, "Containers");
        create_table(engine, "Goods");
        for container in 0..CONTAINERS {
            let item = json!({"pk": {"S": format!("c{container}")}, "sk": {"S": "x"}, "places": {"N": ROOM.to_string()}, "shipment": {"L": []}});
            ask(
                engine,
                "PutItem",
                &json!({"TableName": "Containers", "Item": item}),
            );
        }
        for item in 0..ITEMS {
            ask(
                engine,
                "PutItem",
                &json!({"TableName": "Goods", "Item": key(&format!("g{item}"), "x")}),
            );
        }
        let assigned = AtomicU64::new(0);
        together(|writer| {
            let mut random = fastrand::Rng::with_seed(writer);
            for _ in 0..60 {
                let (item, container) = (random.u64(..ITEMS), random.u64(..CONTAINERS));
                let (item, container) = (format!("g{item}"), format!("c{container}"));
                let request = json!({"TransactItems": [
                    {"Update": {
                        "TableName": "Goods", "Key": key(&item, "x"), "UpdateExpression": "SET held_by = :c",
                        "ConditionExpression": "attribute_exists(pk) AND attribute_not_exists(held_by)",
                        "ExpressionAttributeValues": {":c": {"S": container}},
                    }},
                    {"Update": {
                        "TableName": "Containers", "Key": key(&container, "x"),
                        "UpdateExpression": "SET places = places - :one, shipment = list_append(shipment, :item)",
                        "ConditionExpression": "places >= :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}, ":item": {"L": [{"S": item}]}},
                    }},
                ]});
                let answer = ask(engine, "TransactWriteItems", &request);
                if answer == json!({}) {
                    assigned.fetch_add(1, Ordering::Relaxed);
                } else {
                    let codes: Vec<_> = answer["CancellationReasons"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|reason| &reason["Code"])
                        .collect();
                    assert!(
                        is_conflict(&answer)
                            || codes.iter().any(|code| **code == "ConditionalCheckFailed"),
                        "{answer}"
                    );
                }
            }
        });
        let mut loaded = 0;
        for container in 0..CONTAINERS {
            let name = format!("c{container}");
            let answer = ask(
                engine,
                "GetItem",
                &json!({"TableName": "Containers", "Key": key(&name, "x")}),
            );
            let shipment = answer["Item"]["shipment"]["L"].as_array().unwrap().clone();
            let free: u64 = answer["Item"]["places"]["N"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap();
            assert_eq!(free + shipment.len() as u64, ROOM, "{answer}");
            for item in &shipment {
                let item = item["S"].as_str().unwrap();
                let described = ask(
                    engine,
                    "GetItem",
                    &json!({"TableName": "Goods", "Key": key(item, "x")}),
                );
                assert_eq!(described["Item"]["held_by"]["S"], name, "{item}");
            }
            loaded += shipment.len() as u64;
        }
        assert_eq!(loaded, assigned.into_inner());
        assert!(loaded > CONTAINERS, "little was loaded: {loaded}");
    }
}

/// The addition to an item, alone or in a transaction over others.
fn add(sk: &str) -> Value {
    json!({
        "TableName": "Tab", "Key": key("p", sk), "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    })
}

/// Turns on the engines of [`engines`]: many where they are short, since a thread has its core for
/// many of them.
const TURNS: [u64; 3] = [120, 300, 1000];

/// Each writer repeats its work until the average is `turns` repetitions a writer. Asserts that no
/// writer's share is much smaller than the average, and returns the number of repetitions.
fn shared_fairly(
    engine: &Engine,
    turns: u64,
    turn: impl Fn(&mut fastrand::Rng) -> (&'static str, Value) + Sync,
) -> u64 {
    let done: Vec<AtomicU64> = (0..WRITERS).map(|_| AtomicU64::new(0)).collect();
    let total = || {
        done.iter()
            .map(|done| done.load(Ordering::Relaxed))
            .sum::<u64>()
    };
    together(|writer| {
        let mut random = fastrand::Rng::with_seed(writer);
        while total() < WRITERS * turns {
            let (operation, request) = turn(&mut random);
            let answer = ask(engine, operation, &request);
            assert!(answer == json!({}) || is_conflict(&answer), "{answer}");
            if answer == json!({}) {
                done[writer as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let least = done
        .iter()
        .map(|done| done.load(Ordering::Relaxed))
        .min()
        .unwrap();
    assert!(least >= turns / 5, "someone hardly gets a turn: {done:?}");
    total()
}

/// Transactions over the same items in any order end, and each writer of a hot item gets its share.
#[test]
fn transactions_over_a_hot_item_are_shared_fairly() {
    let (engines, _folder) = engines();
    for (engine, turns) in engines.iter().zip(TURNS) {
        create_table(engine, "Tab");
        let total = shared_fairly(engine, turns, |random| {
            let mut items = ["hot", "a", "b", "c", "d"];
            random.shuffle(&mut items[1..]);
            let mut three = [items[0], items[1], items[2]];
            random.shuffle(&mut three);
            let updates = three.map(|sk| json!({"Update": add(sk)}));
            ("TransactWriteItems", json!({"TransactItems": updates}))
        });
        assert_eq!(number(engine, "Tab", &key("p", "hot"), "n") as u64, total);
        let others: i64 = ["a", "b", "c", "d"]
            .iter()
            .map(|sk| number(engine, "Tab", &key("p", sk), "n"))
            .sum();
        assert_eq!(others as u64, 2 * total);
    }
}

#[test]
fn a_hot_counter_is_shared_fairly() {
    let (engines, _folder) = engines();
    for (engine, turns) in engines.iter().zip(TURNS) {
        create_table(engine, "Tab");
        let total = shared_fairly(engine, turns, |_| ("UpdateItem", add("hot")));
        assert_eq!(number(engine, "Tab", &key("p", "hot"), "n") as u64, total);
    }
}
