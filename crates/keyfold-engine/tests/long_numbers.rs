//! Numbers whose text is thirty times as long as their stored form: answers end early, and the
//! following pages have the rest.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ask, create_table};
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use serde_json::{Value, json};

const ITEMS: usize = 7;
/// The items of an answer, and one more.
const ANSWER_BYTES: usize = 26 * 1024 * 1024;

/// Puts items of 200 KB, each 5.5 MB of text.
fn fill(engine: &Engine) {
    let numbers = vec![json!({"N": "1e125"}); 40_000];
    for n in 0..ITEMS {
        let item = json!({"pk": {"S": "a"}, "sk": {"S": format!("{n}")}, "l": {"L": numbers}});
        assert_eq!(
            ask(
                engine,
                "PutItem",
                &json!({"TableName": "Tab", "Item": item})
            ),
            json!({})
        );
    }
}

/// Requests all pages. Returns the sort keys of all items in order, and the number of requests.
fn all(
    engine: &Engine,
    operation: &str,
    body: Value,
    next: fn(&Value) -> Option<(&'static str, Value)>,
) -> (Vec<String>, usize) {
    let (mut found, mut body) = (Vec::new(), body);
    for requests in 1.. {
        let answer = ask(engine, operation, &body);
        let bytes = answer.to_string().len();
        assert!(bytes < ANSWER_BYTES, "{operation}: {bytes} bytes");
        let items = answer["Items"]
            .as_array()
            .or_else(|| answer["Responses"]["Tab"].as_array())
            .unwrap();
        found.extend(
            items
                .iter()
                .map(|item| item["sk"]["S"].as_str().unwrap().to_owned()),
        );
        match next(&answer) {
            Some((name, rest)) => body[name] = rest,
            None => {
                found.sort();
                return (found, requests);
            }
        }
    }
    unreachable!()
}

#[test]
fn pages_of_long_numbers_end_early_and_have_all_items() {
    let engine = Engine::open(EngineOptions {
        background: false,
        ..EngineOptions::new(StoreOptions::Memory)
    })
    .unwrap();
    create_table(&engine, "Tab");
    fill(&engine);
    let key = |n: usize| json!({"pk": {"S": "a"}, "sk": {"S": format!("{n}")}});
    let last = |answer: &Value| {
        Some(("ExclusiveStartKey", answer["LastEvaluatedKey"].clone()))
            .filter(|(_, key)| !key.is_null())
    };
    let token = |answer: &Value| {
        Some(("NextToken", answer["NextToken"].clone())).filter(|(_, token)| !token.is_null())
    };
    let left = |answer: &Value| {
        let left = &answer["UnprocessedKeys"];
        (!left["Tab"].is_null()).then(|| ("RequestItems", left.clone()))
    };
    let query = json!({"TableName": "Tab", "KeyConditionExpression": "pk = :a", "ExpressionAttributeValues": {":a": {"S": "a"}}});
    let keys: Vec<Value> = (0..ITEMS).map(key).collect();
    let expected: Vec<String> = (0..ITEMS).map(|n| n.to_string()).collect();
    for (operation, body, next) in [
        (
            "Query",
            query,
            last as fn(&Value) -> Option<(&'static str, Value)>,
        ),
        ("Scan", json!({"TableName": "Tab"}), last),
        (
            "ExecuteStatement",
            json!({"Statement": "SELECT * FROM Tab"}),
            token,
        ),
        (
            "BatchGetItem",
            json!({"RequestItems": {"Tab": {"Keys": keys}}}),
            left,
        ),
    ] {
        let (found, requests) = all(&engine, operation, body, next);
        assert_eq!(found, expected, "{operation}");
        assert!(requests >= 2, "{operation}: {requests} requests");
    }
}
