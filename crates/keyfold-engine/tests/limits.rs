//! Size limits at their edges: items of 400 KB, pages of 1 MB, batches of 16 MB, transactions of
//! 4 MB, item collections, expressions.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{create_table, create_table_with, memory_and_durable};
use keyfold_api::{
    ApiError, BatchGetItemInput, CancellationReason, ExpressionAttributes, KeysAndAttributes,
    ProjectionType, PutItemInput, QueryInput, Select, TransactPut, TransactWriteItem,
    TransactWriteItemsInput, UpdateItemInput,
};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use keyfold_types::{Item, Value};

fn key(at: usize) -> Item {
    [("pk", "p".to_owned()), ("sk", format!("{at:04}"))]
        .into_iter()
        .collect()
}

/// An item of exactly `bytes` bytes.
fn item_of(at: usize, bytes: usize) -> Item {
    let mut item = key(at);
    let rest = bytes - item.size_bytes() as usize - "body".len();
    item.insert("body", "x".repeat(rest));
    assert_eq!(item.size_bytes(), bytes as u64);
    item
}

fn put(engine: &Engine, item: Item) -> Result<(), ApiError> {
    let input = PutItemInput {
        table_name: Some("Tab".to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    engine.put_item(input).wait().map(drop)
}

fn message(outcome: Result<(), ApiError>) -> String {
    outcome.unwrap_err().message().unwrap()
}

#[test]
fn an_item_holds_400_kb_with_its_names_and_its_local_entries() {
    let (engines, _folder) = memory_and_durable();
    for engine in &engines {
        create_table(engine, "Tab");
        put(engine, item_of(0, 400 * 1024)).unwrap();
        assert_eq!(
            message(put(engine, item_of(0, 400 * 1024 + 1))),
            "Item size has exceeded the maximum allowed size"
        );
        // The local index has a copy of it.
        let mut twice = item_of(1, 201 * 1024);
        twice.insert("n", 1);
        assert_eq!(
            message(put(engine, twice)),
            "Item size has exceeded the maximum allowed size"
        );
        let grow = UpdateItemInput {
            table_name: Some("Tab".to_owned()),
            key: Some(Ok(key(0))),
            update_expression: Some("SET more = :m".to_owned()),
            expression_attributes: ExpressionAttributes::default().value(":m", "m"),
            ..UpdateItemInput::default()
        };
        let refused = engine.update_item(grow).wait().map(drop);
        assert_eq!(
            message(refused),
            "Item size to update has exceeded the maximum allowed size"
        );
    }
}

fn query(engine: &Engine, index: Option<&str>, start: Option<Item>) -> (usize, Option<Item>) {
    let input = QueryInput {
        table_name: Some("Tab".to_owned()),
        index_name: index.map(str::to_owned),
        key_condition_expression: Some("pk = :p".to_owned()),
        expression_attributes: ExpressionAttributes::default().value(":p", "p"),
        exclusive_start_key: start.map(Ok),
        ..QueryInput::default()
    };
    let page = engine.query(input).wait().unwrap();
    (page.items.unwrap().len(), page.last_evaluated_key)
}

#[test]
fn a_page_ends_with_the_item_that_crosses_1_mb() {
    let (engines, _folder) = memory_and_durable();
    for engine in &engines {
        create_table(engine, "Tab");
        for at in 0..12 {
            let mut item = item_of(at, 100 * 1024);
            item.insert("n", at as i64);
            put(engine, item).unwrap();
        }
        for index in [None, Some("ByN")] {
            let (first, next) = query(engine, index, None);
            let (second, end) = query(engine, index, next);
            assert_eq!((first, second, end), (11, 1, None), "{index:?}");
        }
    }
}

#[test]
fn fetched_items_of_a_local_index_count_for_the_page() {
    let (engines, _folder) = memory_and_durable();
    for engine in &engines {
        create_table_with(engine, "Tab", ProjectionType::KeysOnly);
        for at in 0..12 {
            let mut item = item_of(at, 100 * 1024);
            item.insert("n", at as i64);
            put(engine, item).unwrap();
        }
        let page = |select: Select, start: Option<Item>| {
            let input = QueryInput {
                table_name: Some("Tab".to_owned()),
                index_name: Some("ByN".to_owned()),
                select: Some(select.into()),
                key_condition_expression: Some("pk = :p".to_owned()),
                expression_attributes: ExpressionAttributes::default().value(":p", "p"),
                exclusive_start_key: start.map(Ok),
                ..QueryInput::default()
            };
            let page = engine.query(input).wait().unwrap();
            (page.items.unwrap().len(), page.last_evaluated_key)
        };
        let (first, next) = page(Select::AllAttributes, None);
        assert_eq!((first, page(Select::AllAttributes, next)), (11, (1, None)));
        assert_eq!(page(Select::AllProjectedAttributes, None), (12, None));
    }
}

#[test]
fn a_batch_returns_16_mb_and_leaves_the_rest_unprocessed() {
    let (engines, _folder) = memory_and_durable();
    let engine = &engines[0];
    create_table(engine, "Tab");
    for at in 0..45 {
        put(engine, item_of(at, 400 * 1024)).unwrap();
    }
    // A small item after the last one that fits is unprocessed too.
    put(engine, item_of(45, 100)).unwrap();
    let keys = KeysAndAttributes {
        keys: Some((0..46).map(|at| Ok(key(at))).collect()),
        ..KeysAndAttributes::default()
    };
    let input = BatchGetItemInput {
        request_items: Some(vec![("Tab".to_owned(), keys)]),
        ..BatchGetItemInput::default()
    };
    let answer = engine.batch_get_item(input).wait().unwrap();
    assert_eq!(answer.responses[0].1.len(), 40);
    assert_eq!(answer.unprocessed_keys[0].1.keys.as_ref().unwrap().len(), 6);
}

#[test]
fn a_transaction_holds_4_mb_and_a_collection_its_limit() {
    let options = EngineOptions {
        item_collection_bytes_max: 300_000,
        ..EngineOptions::new(StoreOptions::Memory)
    };
    let engine = Engine::open(options).unwrap();
    create_table(&engine, "Tab");
    let transact = |items: Vec<Item>| {
        let action = |item| TransactWriteItem {
            put: Some(TransactPut {
                table_name: Some("Tab".to_owned()),
                item: Some(Ok(item)),
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        };
        let input = TransactWriteItemsInput {
            transact_items: Some(items.into_iter().map(action).collect()),
            ..TransactWriteItemsInput::default()
        };
        engine.transact_write_items(input).wait()
    };
    let many = (0..11).map(|at| item_of(at, 400 * 1024)).collect();
    assert!(transact(many).unwrap_err().to_string().contains("4 MB"));
    put(&engine, item_of(0, 200_000)).unwrap();
    assert_eq!(
        put(&engine, item_of(1, 200_000)),
        Err(ApiError::ItemCollectionSizeLimitExceeded)
    );
    let other = [("pk", Value::from("q")), ("sk", Value::from("s"))]
        .into_iter()
        .collect();
    let Err(ApiError::TransactionCanceled(reasons)) = transact(vec![other, item_of(1, 200_000)])
    else {
        panic!("done")
    };
    assert_eq!(
        reasons,
        [
            CancellationReason::None,
            CancellationReason::ItemCollectionSizeLimitExceeded
        ]
    );
    // A smaller item is accepted.
    put(&engine, item_of(0, 100_000)).unwrap();
    put(&engine, item_of(1, 150_000)).unwrap();
}

#[test]
fn placeholders_hold_2_mb_in_total() {
    let (engines, _folder) = memory_and_durable();
    create_table(&engines[0], "Tab");
    let input = PutItemInput {
        table_name: Some("Tab".to_owned()),
        item: Some(Ok(key(0))),
        condition_expression: Some("body <> :a".to_owned()),
        expression_attributes: ExpressionAttributes::default()
            .value(":a", "x".repeat(2 * 1024 * 1024)),
        ..PutItemInput::default()
    };
    assert!(message(engines[0].put_item(input).wait().map(drop)).contains("exceed 2097152 bytes"));
}
