//! Work is proportional to the answer, not to the table: the tests count store reads, not time.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::create_table;
use keyfold_api::{
    BatchWriteItemInput, ExpressionAttributes, GetItemInput, PutItemInput, QueryInput, ScanInput,
    WriteRequest,
};
use keyfold_engine::{Durability, Engine, EngineOptions, StoreCounts, StoreOptions};
use keyfold_types::{Item, Value};

fn item(at: i64) -> Item {
    [
        ("pk", Value::from("p")),
        ("sk", Value::from(format!("{at:08}"))),
        ("g", Value::from("all")),
        ("n", Value::from(at)),
    ]
    .into_iter()
    .collect()
}

fn fill(engine: &Engine, from: i64, to: i64) {
    let items: Vec<Item> = (from..to).map(item).collect();
    let mut last = None;
    for chunk in items.chunks(25) {
        let requests = chunk.iter().cloned().map(WriteRequest::put).collect();
        let input = BatchWriteItemInput {
            request_items: Some(vec![("Big".to_owned(), requests)]),
            ..Default::default()
        };
        last = Some(engine.batch_write_item(input));
    }
    last.unwrap().wait().unwrap();
}

fn counted(engine: &Engine, work: impl FnOnce(&Engine)) -> StoreCounts {
    let before = engine.store_counts();
    work(engine);
    let after = engine.store_counts();
    StoreCounts {
        gets: after.gets - before.gets,
        range_opens: after.range_opens - before.range_opens,
        range_steps: after.range_steps - before.range_steps,
        batches: 0,
        commits: 0,
    }
}

fn first_page(engine: &Engine, index: Option<&str>, partition: &str, value: &str, forward: bool) {
    let input = QueryInput {
        table_name: Some("Big".to_owned()),
        index_name: index.map(str::to_owned),
        key_condition_expression: Some("#p = :p".to_owned()),
        expression_attributes: ExpressionAttributes::default()
            .name("#p", partition)
            .value(":p", value),
        scan_index_forward: Some(forward),
        limit: Some(20),
        ..QueryInput::default()
    };
    assert_eq!(engine.query(input).wait().unwrap().count, 20);
}

/// The reads of each operation, by name.
fn profile(engine: &Engine) -> Vec<(&'static str, StoreCounts)> {
    let table = || Some("Big".to_owned());
    vec![
        (
            "query forward",
            counted(engine, |e| first_page(e, None, "pk", "p", true)),
        ),
        (
            "query backward",
            counted(engine, |e| first_page(e, None, "pk", "p", false)),
        ),
        (
            "query a global index",
            counted(engine, |e| first_page(e, Some("ByG"), "g", "all", false)),
        ),
        (
            "query a local index",
            counted(engine, |e| first_page(e, Some("ByN"), "pk", "p", true)),
        ),
        (
            "scan a page",
            counted(engine, |e| {
                let input = ScanInput {
                    table_name: table(),
                    limit: Some(20),
                    ..ScanInput::default()
                };
                assert_eq!(e.scan(input).wait().unwrap().count, 20);
            }),
        ),
        (
            "get",
            counted(engine, |e| {
                let mut key = item(500);
                key.remove("g");
                key.remove("n");
                let input = GetItemInput {
                    table_name: table(),
                    key: Some(Ok(key)),
                    ..GetItemInput::default()
                };
                assert!(e.get_item(input).wait().unwrap().item.is_some());
            }),
        ),
        (
            "conditional put",
            counted(engine, |e| {
                let input = PutItemInput {
                    table_name: table(),
                    item: Some(Ok(item(500))),
                    condition_expression: Some("attribute_exists(pk)".to_owned()),
                    ..PutItemInput::default()
                };
                e.put_item(input).wait().unwrap();
            }),
        ),
    ]
}

#[test]
fn a_page_costs_the_same_on_a_thousand_items_and_on_a_hundred_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreOptions::folder(folder.path(), Durability::Buffered);
    // Reads of the background thread would be counted.
    let engine = Engine::open(EngineOptions {
        background: false,
        ..EngineOptions::new(store)
    })
    .unwrap();
    create_table(&engine, "Big");
    fill(&engine, 0, 1_000);
    let small = profile(&engine);
    fill(&engine, 1_000, 100_000);
    let large = profile(&engine);
    assert_eq!(small, large);
    let query = small.first().unwrap().1;
    assert_eq!(
        (query.gets, query.range_opens, query.range_steps),
        (0, 1, 20)
    );
}
