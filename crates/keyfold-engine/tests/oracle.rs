//! Random operations against the oracle. After each, every index equals the projection of its table,
//! the pages of any size and direction together equal the complete result, and the counts agree.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{create_table, memory_and_durable};
use fastrand::Rng;
use keyfold_api::{
    BatchWriteItemInput, DeleteItemInput, DescribeTableInput, ExpressionAttributes, GetItemInput,
    PutItemInput, QueryInput, ScanInput, TransactPut, TransactWriteItem, TransactWriteItemsInput,
    UpdateItemInput, WriteRequest,
};
use keyfold_engine::Engine;
use keyfold_testkit::oracle::{Oracle, OracleIndex};
use keyfold_testkit::workload;
use keyfold_types::{Item, Value};

const INDEXES: [(Option<&str>, &str, &str); 3] = [
    (None, "pk", "sk"),
    (Some("ByG"), "g", "n"),
    (Some("ByN"), "pk", "n"),
];

/// Makes a random change to the engine and to the oracle.
fn change(engine: &Engine, oracle: &mut Oracle, rng: &mut Rng) {
    let name = || Some("Tab".to_owned());
    match rng.u8(..10) {
        0..=3 => {
            let item = workload::item(rng);
            let input = PutItemInput {
                table_name: name(),
                item: Some(Ok(item.clone())),
                ..PutItemInput::default()
            };
            engine.put_item(input).wait().unwrap();
            oracle.put(item);
        }
        4 => {
            let key = workload::key(rng);
            let input = DeleteItemInput {
                table_name: name(),
                key: Some(Ok(key.clone())),
                ..DeleteItemInput::default()
            };
            engine.delete_item(input).wait().unwrap();
            oracle.delete(&key);
        }
        5 | 6 => {
            // Moves index keys: sets one, removes the other.
            let (key, number) = (workload::key(rng), workload::number(rng));
            let input = UpdateItemInput {
                table_name: name(),
                key: Some(Ok(key.clone())),
                update_expression: Some("SET n = :n REMOVE g".to_owned()),
                expression_attributes: ExpressionAttributes::default().value(":n", number.clone()),
                ..UpdateItemInput::default()
            };
            engine.update_item(input).wait().unwrap();
            let mut item = oracle.get(&key).cloned().unwrap_or(key);
            item.insert("n", number);
            item.remove("g");
            oracle.put(item);
        }
        7 => {
            // Insert if absent.
            let item = workload::item(rng);
            let input = PutItemInput {
                table_name: name(),
                item: Some(Ok(item.clone())),
                condition_expression: Some("attribute_not_exists(pk)".to_owned()),
                ..PutItemInput::default()
            };
            let done = engine.put_item(input).wait();
            assert_eq!(done.is_ok(), oracle.get(&item).is_none());
            if done.is_ok() {
                oracle.put(item);
            }
        }
        8 => {
            let items = distinct(rng);
            let input = BatchWriteItemInput {
                request_items: Some(vec![(
                    "Tab".to_owned(),
                    items.iter().cloned().map(WriteRequest::put).collect(),
                )]),
                ..BatchWriteItemInput::default()
            };
            engine.batch_write_item(input).wait().unwrap();
            items.into_iter().for_each(|item| oracle.put(item));
        }
        _ => {
            // The last condition decides whether the transaction happens.
            let items = distinct(rng);
            let put = |(at, item): (usize, &Item)| TransactWriteItem {
                put: Some(TransactPut {
                    table_name: name(),
                    item: Some(Ok(item.clone())),
                    condition_expression: (at + 1 == items.len())
                        .then(|| "attribute_exists(pk)".to_owned()),
                    ..TransactPut::default()
                }),
                ..TransactWriteItem::default()
            };
            let actions = items.iter().enumerate().map(put).collect();
            let input = TransactWriteItemsInput {
                transact_items: Some(actions),
                ..TransactWriteItemsInput::default()
            };
            let done = engine.transact_write_items(input).wait();
            let expected = items.last().is_some_and(|item| oracle.get(item).is_some());
            assert_eq!(done.is_ok(), expected);
            if expected {
                items.into_iter().for_each(|item| oracle.put(item));
            }
        }
    }
}

fn distinct(rng: &mut Rng) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for _ in 0..rng.usize(1..4) {
        let item = workload::item(rng);
        if !items
            .iter()
            .any(|other| other.get("pk") == item.get("pk") && other.get("sk") == item.get("sk"))
        {
            items.push(item);
        }
    }
    items
}

/// All pages of a query, `limit` items each.
fn query(
    engine: &Engine,
    index: Option<&str>,
    name: &str,
    partition: &Value,
    forward: bool,
    limit: Option<i64>,
) -> Vec<Item> {
    let mut found = Vec::new();
    let mut start = None;
    loop {
        let input = QueryInput {
            table_name: Some("Tab".to_owned()),
            index_name: index.map(str::to_owned),
            key_condition_expression: Some("#p = :p".to_owned()),
            expression_attributes: ExpressionAttributes::default()
                .name("#p", name)
                .value(":p", partition.clone()),
            scan_index_forward: Some(forward),
            limit,
            exclusive_start_key: start.map(Ok),
            ..QueryInput::default()
        };
        let page = engine.query(input).wait().unwrap();
        found.extend(page.items.unwrap().iter().map(|item| item.to_item()));
        match page.last_evaluated_key {
            Some(key) => start = Some(key),
            None => return found,
        }
    }
}

fn compare(engine: &Engine, oracle: &Oracle, rng: &mut Rng) {
    for (index, partition, sort) in INDEXES {
        for text in ["a", "A", "ab"] {
            let value = Value::from(text);
            let mut expected = oracle.query(index.map(|_| OracleIndex { partition, sort }), &value);
            assert_eq!(
                query(engine, index, partition, &value, true, None),
                expected,
                "{index:?} {text}"
            );
            let limit = Some(rng.i64(1..4));
            assert_eq!(
                query(engine, index, partition, &value, true, limit),
                expected,
                "{index:?} {text} {limit:?}"
            );
            expected.reverse();
            assert_eq!(
                query(engine, index, partition, &value, false, limit),
                expected,
                "{index:?} {text} backward"
            );
        }
    }
    let key = workload::key(rng);
    let input = GetItemInput {
        table_name: Some("Tab".to_owned()),
        key: Some(Ok(key.clone())),
        ..GetItemInput::default()
    };
    let item = engine
        .get_item(input)
        .wait()
        .unwrap()
        .item
        .map(|item| item.to_item());
    assert_eq!(item.as_ref(), oracle.get(&key));
}

fn compare_counts(engine: &Engine, oracle: &Oracle) {
    let input = DescribeTableInput {
        table_name: Some("Tab".to_owned()),
    };
    let table = engine.describe_table(input).wait().unwrap();
    assert_eq!(table.item_count, Some(oracle.items().len() as i64));
    assert_eq!(
        table.table_size_bytes,
        Some(oracle.items().iter().map(Item::size_bytes).sum::<u64>() as i64)
    );
    for index in table
        .global_secondary_indexes
        .iter()
        .chain(&table.local_secondary_indexes)
        .flatten()
    {
        let (_, partition, sort) = INDEXES
            .into_iter()
            .find(|(name, _, _)| *name == index.index_name.as_deref())
            .unwrap();
        let entries = oracle
            .items()
            .iter()
            .filter(|item| item.get(partition).is_some() && item.get(sort).is_some());
        assert_eq!(
            index.item_count,
            Some(entries.count() as i64),
            "{:?}",
            index.index_name
        );
    }
    // The segments of a scan together are the table.
    let total = 3;
    let scanned: u64 = (0..total)
        .map(|segment| {
            let input = ScanInput {
                table_name: Some("Tab".to_owned()),
                segment: Some(segment),
                total_segments: Some(total),
                ..ScanInput::default()
            };
            engine.scan(input).wait().unwrap().count
        })
        .sum();
    assert_eq!(scanned, oracle.items().len() as u64);
}

#[test]
fn random_operations_agree_with_the_oracle() {
    for seed in 0..12 {
        let (engines, _folder) = memory_and_durable();
        for engine in &engines {
            let mut rng = Rng::with_seed(seed);
            create_table(engine, "Tab");
            let mut oracle = Oracle::new("pk", "sk");
            for _ in 0..60 {
                change(engine, &mut oracle, &mut rng);
                compare(engine, &oracle, &mut rng);
            }
            compare_counts(engine, &oracle);
        }
    }
}
