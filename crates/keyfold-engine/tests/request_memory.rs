//! The memory of a request, as a multiple of its size. In the bodies every few bytes make a
//! structure, a name or an error.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::create_table;
use keyfold_api::Operation;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};

/// Bytes of a body.
const BODY: usize = 1024 * 1024;
/// Bytes of memory for a body of that size that is decoded and refused.
const MOST: usize = 64 * BODY;
/// Bytes of the refusal.
const ANSWER: usize = 3 * BODY;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// A body with as many of the same elements as fit.
fn filled(before: &str, element: &str, after: &str) -> String {
    let elements = vec![element; BODY / (element.len() + 1)];
    format!("{before}{}{after}", elements.join(","))
}

fn numbered(before: &str, element: impl Fn(usize) -> String, after: &str) -> String {
    let length = element(100_000).len() + 1;
    let elements: Vec<String> = (0..BODY / length).map(element).collect();
    format!("{before}{}{after}", elements.join(","))
}

#[test]
fn a_request_takes_no_more_than_a_multiple_of_its_size() {
    let profiler = dhat::Profiler::builder().testing().build();
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(StoreOptions::Memory)
    };
    let engine = Engine::open(options).unwrap();
    create_table(&engine, "Tab");
    let condition = |n: usize| format!(r#""a{n}":{{"ComparisonOperator":"NULL"}}"#);
    let wrong = |n: usize| format!(r#""a{n}":{{"ComparisonOperator":"X"}}"#);
    let cases = [
        (
            Operation::TransactWriteItems,
            filled(r#"{"TransactItems":["#, "{}", "]}"),
        ),
        (
            Operation::TransactWriteItems,
            filled(r#"{"TransactItems":["#, r#"{"Put":{}}"#, "]}"),
        ),
        (
            Operation::TransactGetItems,
            filled(r#"{"TransactItems":["#, "{}", "]}"),
        ),
        (
            Operation::TransactGetItems,
            filled(r#"{"TransactItems":["#, r#"{"Get":{}}"#, "]}"),
        ),
        (
            Operation::BatchGetItem,
            filled(r#"{"RequestItems":{"Tab":{"Keys":["#, "{}", "]}}}"),
        ),
        (
            Operation::BatchGetItem,
            numbered(r#"{"RequestItems":{"#, |n| format!(r#""t{n}":{{}}"#), "}}"),
        ),
        (
            Operation::BatchWriteItem,
            filled(r#"{"RequestItems":{"Tab":["#, "{}", "]}}"),
        ),
        (
            Operation::BatchExecuteStatement,
            filled(r#"{"Statements":["#, "{}", "]}"),
        ),
        (
            Operation::ExecuteTransaction,
            filled(r#"{"TransactStatements":["#, "{}", "]}"),
        ),
        (
            Operation::CreateTable,
            filled(
                r#"{"TableName":"New","GlobalSecondaryIndexes":["#,
                "{}",
                "]}",
            ),
        ),
        (
            Operation::CreateTable,
            filled(r#"{"TableName":"New","AttributeDefinitions":["#, "{}", "]}"),
        ),
        (
            Operation::CreateTable,
            filled(r#"{"TableName":"New","Tags":["#, "{}", "]}"),
        ),
        (
            Operation::UpdateTable,
            filled(
                r#"{"TableName":"Tab","GlobalSecondaryIndexUpdates":["#,
                "{}",
                "]}",
            ),
        ),
        (
            Operation::Scan,
            numbered(r#"{"TableName":"Tab","ScanFilter":{"#, condition, "}}"),
        ),
        (
            Operation::Scan,
            numbered(r#"{"TableName":"Tab","ScanFilter":{"#, wrong, "}}"),
        ),
        (
            Operation::Scan,
            numbered(
                r#"{"TableName":"Tab","AttributesToGet":["#,
                |n| format!("\"a{n}\""),
                "]}",
            ),
        ),
        (
            Operation::Scan,
            numbered(
                r#"{"TableName":"Tab","FilterExpression":"a = :a","ExpressionAttributeValues":{"#,
                |n| format!(r#"":a{n}":{{"N":"1"}}"#),
                "}}",
            ),
        ),
    ];
    for (operation, body) in cases {
        let before = dhat::HeapStats::get();
        let outcome =
            keyfold_wire::decode(operation, body.as_bytes()).map_err(keyfold_api::ApiError::from);
        let refused = outcome.and_then(|request| engine.execute(request).wait().map(drop));
        let mut out = Vec::new();
        keyfold_wire::encode_error(&mut out, &refused.unwrap_err());
        // The peak is of this request, if it is greater than before.
        let after = dhat::HeapStats::get();
        let shown = body.get(..60).unwrap();
        let taken = after.max_bytes.saturating_sub(before.curr_bytes);
        assert!(taken < MOST, "{shown}: {taken} bytes");
        assert!(
            out.len() < ANSWER,
            "{shown}: an answer of {} bytes",
            out.len()
        );
    }
    drop(profiler);
}
