//! Many threads on one item and on one table: no update is lost, one insert wins, and no read sees a
//! part of a transaction.
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
    ApiError, CancellationReason, ExpressionAttributes, GetItemInput, PutItemInput, QueryInput,
    TransactGet, TransactGetItemsInput, TransactUpdate, TransactWriteItem, TransactWriteItemsInput,
    UpdateItemInput,
};
use keyfold_engine::Engine;
use keyfold_types::{Item, Value};
use std::sync::Barrier;

const THREADS: usize = 8;

fn key(sk: &str) -> Item {
    [("pk", "p"), ("sk", sk)].into_iter().collect()
}

fn one() -> ExpressionAttributes {
    ExpressionAttributes::default().value(":one", 1)
}

/// Runs `work` on all threads at once.
fn together(work: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (barrier, work) = (&barrier, &work);
            scope.spawn(move || {
                barrier.wait();
                work(thread);
            });
        }
    });
}

fn number(engine: &Engine, sk: &str) -> i64 {
    let input = GetItemInput {
        table_name: Some("Tab".to_owned()),
        key: Some(Ok(key(sk))),
        ..GetItemInput::default()
    };
    let item = engine
        .get_item(input)
        .wait()
        .unwrap()
        .item
        .unwrap()
        .to_item();
    let Some(Value::N(number)) = item.get("n") else {
        panic!("no number")
    };
    number.to_i64().unwrap()
}

#[test]
fn no_update_is_lost_and_its_index_follows() {
    let (engines, _folder) = memory_and_durable();
    for engine in &engines {
        create_table(engine, "Tab");
        together(|_| {
            for _ in 0..100 {
                let input = UpdateItemInput {
                    table_name: Some("Tab".to_owned()),
                    key: Some(Ok(key("counter"))),
                    update_expression: Some("ADD n :one".to_owned()),
                    expression_attributes: one(),
                    ..UpdateItemInput::default()
                };
                engine.update_item(input).wait().unwrap();
            }
        });
        assert_eq!(number(engine, "counter"), 100 * THREADS as i64);
        let input = QueryInput {
            table_name: Some("Tab".to_owned()),
            index_name: Some("ByN".to_owned()),
            key_condition_expression: Some("pk = :p".to_owned()),
            expression_attributes: ExpressionAttributes::default().value(":p", "p"),
            ..QueryInput::default()
        };
        assert_eq!(
            engine.query(input).wait().unwrap().count,
            1,
            "entries of old values are left"
        );
    }
}

#[test]
fn one_insert_wins() {
    let (engines, _folder) = memory_and_durable();
    for engine in &engines {
        create_table(engine, "Tab");
        for round in 0..30 {
            let won = std::sync::atomic::AtomicUsize::new(0);
            together(|_| {
                let input = PutItemInput {
                    table_name: Some("Tab".to_owned()),
                    item: Some(Ok(key(&format!("{round}")))),
                    condition_expression: Some("attribute_not_exists(pk)".to_owned()),
                    ..PutItemInput::default()
                };
                if engine.put_item(input).wait().is_ok() {
                    won.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                }
            });
            assert_eq!(won.into_inner(), 1, "round {round}");
        }
    }
}

/// Transfers between three accounts, while others read one state of them: the sum is constant.
#[test]
fn no_read_sees_a_part_of_a_transaction() {
    let (engines, _folder) = memory_and_durable();
    for engine in &engines {
        create_table(engine, "Tab");
        let names = ["a", "b", "c"];
        let change = |sk: &str, sign: &str| TransactWriteItem {
            update: Some(TransactUpdate {
                table_name: Some("Tab".to_owned()),
                key: Some(Ok(key(sk))),
                update_expression: Some(format!("SET n = if_not_exists(n, :zero) {sign} :one")),
                expression_attributes: one().value(":zero", 0),
                ..TransactUpdate::default()
            }),
            ..TransactWriteItem::default()
        };
        together(|thread| {
            for round in 0..60 {
                if thread % 2 == 0 {
                    let (from, to) = (names[(thread + round) % 3], names[(thread + round + 1) % 3]);
                    let input = TransactWriteItemsInput {
                        transact_items: Some(vec![change(from, "-"), change(to, "+")]),
                        ..TransactWriteItemsInput::default()
                    };
                    // Another transaction may write an account.
                    while let Err(error) = engine.transact_write_items(input.clone()).wait() {
                        let ApiError::TransactionCanceled(reasons) = error else {
                            panic!("{error}")
                        };
                        assert!(
                            reasons.contains(&CancellationReason::TransactionConflict),
                            "{reasons:?}"
                        );
                    }
                } else {
                    let get = |sk: &str| TransactGet {
                        table_name: Some("Tab".to_owned()),
                        key: Some(Ok(key(sk))),
                        ..TransactGet::default()
                    };
                    let input = TransactGetItemsInput {
                        transact_items: Some(names.iter().map(|name| get(name)).collect()),
                        ..TransactGetItemsInput::default()
                    };
                    let read = engine.transact_get_items(input).wait().unwrap();
                    let sum: i64 = read
                        .responses
                        .into_iter()
                        .flatten()
                        .map(|item| match item.to_item().get("n") {
                            Some(Value::N(number)) => number.to_i64().unwrap(),
                            _ => 0,
                        })
                        .sum();
                    assert_eq!(sum, 0);
                }
            }
        });
        assert_eq!(
            names.iter().map(|name| number(engine, name)).sum::<i64>(),
            0
        );
    }
}
