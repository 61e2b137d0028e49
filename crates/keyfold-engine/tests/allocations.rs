//! The number of allocations of a request, from its bytes to the bytes of the answer. The bounds are
//! close, so that a change that adds a copy fails here. A change that allocates less lowers them.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::create_table;
use keyfold_api::Operation;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};

const GET_MAX: u64 = 11;
const PUT_MAX: u64 = 59;
const UPDATE_MAX: u64 = 106;
const QUERY_MAX: u64 = 37;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn ask(engine: &Engine, operation: Operation, body: &str) -> Vec<u8> {
    let request = keyfold_wire::decode(operation, body.as_bytes()).unwrap();
    let response = engine.execute(request).wait().unwrap();
    let mut out = Vec::with_capacity(256);
    keyfold_wire::encode_response(&mut out, &response);
    out
}

/// Allocations of one request with warm caches. The few of other threads do not count.
fn blocks(engine: &Engine, operation: Operation, body: &str) -> u64 {
    (0..10).for_each(|_| drop(ask(engine, operation, body)));
    let before = dhat::HeapStats::get().total_blocks;
    (0..100).for_each(|_| drop(ask(engine, operation, body)));
    (dhat::HeapStats::get().total_blocks - before + 50) / 100
}

#[test]
fn requests_allocate_little() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(StoreOptions::Memory)
    };
    let engine = Engine::open(options).unwrap();
    create_table(&engine, "Tab");
    let item = |n: usize| {
        format!(
            r#"{{"pk":{{"S":"p"}},"sk":{{"S":"{n:03}"}},"count":{{"N":"{n}"}},"name":{{"S":"item {n}"}},"payload":{{"S":"{}"}}}}"#,
            "x".repeat(200)
        )
    };
    let put = |n: usize| format!(r#"{{"TableName":"Tab","Item":{}}}"#, item(n));
    for n in 0..20 {
        ask(&engine, Operation::PutItem, &put(n));
    }
    let key = r#""Key":{"pk":{"S":"p"},"sk":{"S":"007"}}"#;
    let get = format!(r#"{{"TableName":"Tab",{key}}}"#);
    let update = format!(
        r##"{{"TableName":"Tab",{key},"UpdateExpression":"SET #c = #c + :one","ExpressionAttributeNames":{{"#c":"count"}},"ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}}"##
    );
    let query = r#"{"TableName":"Tab","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}}"#;
    let found = [
        (
            "GetItem",
            blocks(&engine, Operation::GetItem, &get),
            GET_MAX,
        ),
        (
            "PutItem",
            blocks(&engine, Operation::PutItem, &put(7)),
            PUT_MAX,
        ),
        (
            "UpdateItem",
            blocks(&engine, Operation::UpdateItem, &update),
            UPDATE_MAX,
        ),
        (
            "Query of 20",
            blocks(&engine, Operation::Query, query),
            QUERY_MAX,
        ),
    ];
    let over: Vec<_> = found
        .iter()
        .filter(|(_, blocks, most)| blocks > most)
        .collect();
    assert!(
        over.is_empty(),
        "blocks, and how many there may be: {over:?} of {found:?}"
    );
}
