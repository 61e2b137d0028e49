//! Random concurrent histories, checked for strict serializability.
//!
//! The checker is `keyfold_testkit::history`. Operations are single writes, conditional ones,
//! transactions, single reads, transactional ones, and queries of an index, which see all items at
//! one moment.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{create_table, memory_and_durable};
use keyfold_api::{
    ApiError, CancellationReason, ErrorKind, ExpressionAttributes, GetItemInput, QueryInput,
    ReturnValuesOnConditionCheckFailure, TransactGet, TransactGetItemsInput, TransactUpdate,
    TransactWriteItem, TransactWriteItemsInput, UpdateItemInput,
};
use keyfold_engine::Engine;
use keyfold_testkit::history::{Event, check};
use keyfold_types::{Item, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

const THREADS: u64 = 6;
const ROUNDS: usize = 120;
const ITEMS: u64 = 4;

fn key(item: u64) -> Item {
    [("pk", "p".to_owned()), ("sk", format!("{item}"))]
        .into_iter()
        .collect()
}

const APPEND: &str = "SET l = list_append(if_not_exists(l, :none), :one), g = :g, n = :n";

/// The values of an append, which also adds the item to the index.
fn appended(item: u64, number: i64) -> ExpressionAttributes {
    ExpressionAttributes::default()
        .value(":none", Value::L(vec![]))
        .value(":one", Value::L(vec![Value::from(number)]))
        .value(":g", Value::from("g"))
        .value(":n", Value::from(item as i64))
}

fn list(item: Option<&Item>) -> Vec<i64> {
    match item.and_then(|item| item.get("l")) {
        Some(Value::L(values)) => values
            .iter()
            .map(|value| {
                if let Value::N(number) = value {
                    number.to_i64().unwrap()
                } else {
                    panic!()
                }
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Appends to the items. Returns false after a conflict, which writes nothing.
fn write(engine: &Engine, wrote: &[(u64, i64)], alone: bool) -> bool {
    let table_name = Some("Tab".to_owned());
    let outcome = if alone {
        let (item, number) = wrote[0];
        let input = UpdateItemInput {
            table_name,
            key: Some(Ok(key(item))),
            update_expression: Some(APPEND.to_owned()),
            expression_attributes: appended(item, number),
            ..UpdateItemInput::default()
        };
        engine.update_item(input).wait().map(|_| ())
    } else {
        let action = |(item, number): &(u64, i64)| TransactWriteItem {
            update: Some(TransactUpdate {
                table_name: table_name.clone(),
                key: Some(Ok(key(*item))),
                update_expression: Some(APPEND.to_owned()),
                expression_attributes: appended(*item, *number),
                ..TransactUpdate::default()
            }),
            ..TransactWriteItem::default()
        };
        let input = TransactWriteItemsInput {
            transact_items: Some(wrote.iter().map(action).collect()),
            ..TransactWriteItemsInput::default()
        };
        engine.transact_write_items(input).wait().map(|_| ())
    };
    match outcome {
        Ok(()) => true,
        Err(ApiError::Plain(ErrorKind::TransactionConflict, _)) => false,
        Err(ApiError::TransactionCanceled(reasons)) => {
            assert!(
                reasons.contains(&CancellationReason::TransactionConflict),
                "{reasons:?}"
            );
            false
        }
        Err(error) => panic!("{error}"),
    }
}

fn read(engine: &Engine, items: &[u64], alone: bool) -> Vec<(u64, Vec<i64>)> {
    let table_name = Some("Tab".to_owned());
    if alone {
        let input = GetItemInput {
            table_name,
            key: Some(Ok(key(items[0]))),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        let item = engine
            .get_item(input)
            .wait()
            .unwrap()
            .item
            .map(|item| item.to_item());
        return vec![(items[0], list(item.as_ref()))];
    }
    let get = |item: &u64| TransactGet {
        table_name: table_name.clone(),
        key: Some(Ok(key(*item))),
        ..TransactGet::default()
    };
    let input = TransactGetItemsInput {
        transact_items: Some(items.iter().map(get).collect()),
        ..TransactGetItemsInput::default()
    };
    let output = engine.transact_get_items(input).wait().unwrap();
    let found = output
        .responses
        .into_iter()
        .map(|item| list(item.map(|item| item.to_item()).as_ref()));
    items.iter().copied().zip(found).collect()
}

/// Appends to an item if its list has this length. Otherwise returns the list.
fn write_if(engine: &Engine, (item, number): (u64, i64), length: usize) -> Result<bool, Vec<i64>> {
    let condition = if length == 0 {
        "attribute_not_exists(l)"
    } else {
        "size(l) = :length"
    };
    let mut attributes = appended(item, number);
    if length > 0 {
        attributes = attributes.value(":length", Value::from(length as i64));
    }
    let input = UpdateItemInput {
        table_name: Some("Tab".to_owned()),
        key: Some(Ok(key(item))),
        update_expression: Some(APPEND.to_owned()),
        condition_expression: Some(condition.to_owned()),
        expression_attributes: attributes,
        return_values_on_condition_check_failure: Some(
            ReturnValuesOnConditionCheckFailure::AllOld.into(),
        ),
        ..UpdateItemInput::default()
    };
    match engine.update_item(input).wait() {
        Ok(_) => Ok(true),
        Err(ApiError::Plain(ErrorKind::TransactionConflict, _)) => Ok(false),
        Err(ApiError::ConditionalCheckFailed(found)) => {
            Err(list(found.map(|item| item.to_item()).as_ref()))
        }
        Err(error) => panic!("{error}"),
    }
}

/// All items of the index.
fn query(engine: &Engine) -> Vec<(u64, Vec<i64>)> {
    let input = QueryInput {
        table_name: Some("Tab".to_owned()),
        index_name: Some("ByG".to_owned()),
        key_condition_expression: Some("g = :g".to_owned()),
        expression_attributes: ExpressionAttributes::default().value(":g", Value::from("g")),
        ..QueryInput::default()
    };
    let output = engine.query(input).wait().unwrap();
    let mut found: BTreeMap<u64, Vec<i64>> = (0..ITEMS).map(|item| (item, Vec::new())).collect();
    for item in output.items.unwrap().iter().map(|item| item.to_item()) {
        let Some(Value::N(number)) = item.get("n") else {
            panic!("{item:?}")
        };
        found.insert(number.to_i64().unwrap() as u64, list(Some(&item)));
    }
    found.into_iter().collect()
}

/// Random operations on all threads. Returns those that succeeded, and the refused numbers.
fn history(engine: &Engine, seed: u64) -> (Vec<Event>, Vec<i64>) {
    let (events, refused) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    let (clock, number) = (AtomicU64::new(0), AtomicI64::new(0));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (events, refused, clock, number) = (&events, &refused, &clock, &number);
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed * 100 + thread);
                for _ in 0..ROUNDS {
                    let count = random.usize(1..=3);
                    let items: BTreeSet<u64> = (0..count).map(|_| random.u64(0..ITEMS)).collect();
                    let items: Vec<u64> = items.into_iter().collect();
                    let alone = random.u8(0..3) == 0;
                    let used = if alone { 1 } else { items.len() };
                    // The condition is on the length that was read a moment ago.
                    let length = read(engine, &items[..1], true)[0].1.len();
                    let next = |item: &u64| (*item, number.fetch_add(1, Ordering::SeqCst));
                    let begun = clock.fetch_add(1, Ordering::SeqCst);
                    let mut event = Event {
                        begun,
                        ended: 0,
                        wrote: Vec::new(),
                        read: Vec::new(),
                        lengths: Vec::new(),
                    };
                    let is_done = match random.u8(0..6) {
                        0 | 1 => {
                            event.wrote = items[..used].iter().map(next).collect();
                            write(engine, &event.wrote, alone)
                        }
                        2 => {
                            let wanted = next(&items[0]);
                            match write_if(engine, wanted, length) {
                                Ok(is_done) => {
                                    event.wrote = vec![wanted];
                                    event.lengths = vec![(items[0], length)];
                                    is_done
                                }
                                Err(found) => {
                                    assert_ne!(found.len(), length, "the condition held");
                                    refused.lock().unwrap().push(wanted.1);
                                    event.read = vec![(items[0], found)];
                                    true
                                }
                            }
                        }
                        3 => {
                            event.read = query(engine);
                            true
                        }
                        _ => {
                            event.read = read(engine, &items[..used], alone);
                            true
                        }
                    };
                    if !is_done {
                        refused
                            .lock()
                            .unwrap()
                            .extend(event.wrote.iter().map(|(_, number)| *number));
                        continue;
                    }
                    event.ended = clock.fetch_add(1, Ordering::SeqCst);
                    events.lock().unwrap().push(event);
                }
            });
        }
    });
    (events.into_inner().unwrap(), refused.into_inner().unwrap())
}

#[test]
fn random_histories_are_serializable() {
    let mut conflicts = 0;
    for seed in 0..6 {
        let (engines, _folder) = memory_and_durable();
        for engine in &engines {
            create_table(engine, "Tab");
            let (events, refused) = history(engine, seed);
            conflicts += refused.len();
            let all: Vec<u64> = (0..ITEMS).collect();
            let last = read(engine, &all, false).into_iter().collect();
            check(&events, &refused, &last).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
    }
    // The durable engine syncs, so that conflicts with transactions occur.
    assert!(conflicts > 0, "no transaction was ever in another's way");
}
