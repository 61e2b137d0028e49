//! Statements of resource-based policies that deny writes: which requests they refuse, and that no write is
//! acknowledged which a policy had denied before.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ask, memory_and_durable, on_clock};
use keyfold_api::{Operation, Request};
use keyfold_engine::{Caller, Engine};
use serde_json::{Value, json};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab";
const MOVER: &str = "mover/7";

fn create(engine: &Engine) {
    let table = json!({
        "TableName": "Tab", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{ "AttributeName": "p", "AttributeType": "S" }],
        "KeySchema": [{ "AttributeName": "p", "KeyType": "HASH" }],
        "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "NEW_IMAGE" },
    });
    let made = ask(engine, "CreateTable", &table);
    assert_eq!(made["TableDescription"]["TableName"], "Tab", "{made}");
}

/// A policy that denies an action to all but the mover.
fn denying(action: &Value) -> String {
    json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Sid": "Moving", "Effect": "Deny", "Principal": "*", "Action": action, "Resource": ARN,
            "Condition": { "StringNotLike": { "aws:UserAgent": ["mover/*"] } },
        }],
    })
    .to_string()
}

fn put_policy(engine: &Engine, policy: &str) -> Value {
    let body = json!({ "ResourceArn": ARN, "Policy": policy });
    ask(engine, "PutResourcePolicy", &body)
}

fn request(operation: &str, body: &Value) -> Request {
    let operation = Operation::ALL
        .iter()
        .find(|known| known.name() == operation)
        .unwrap();
    keyfold_wire::decode(*operation, body.to_string().as_bytes()).unwrap()
}

/// The message of the error of a request with an agent, if it fails.
fn refused(engine: &Engine, agent: Option<&str>, operation: &str, body: &Value) -> Option<String> {
    let caller = Caller {
        agent: agent.map(str::as_bytes),
        user: Some("ada"),
        ..Caller::default()
    };
    let answer = engine.execute_for(caller, request(operation, body)).wait();
    answer
        .err()
        .map(|error| error.message().unwrap_or_default())
}

/// The rights of writes, the operations that need them, and their requests.
fn writes() -> Vec<(&'static str, &'static str, Value)> {
    let key = json!({ "p": { "S": "a" } });
    let of = |kind: &str, more: Value| {
        let mut action = json!({ "TableName": "Tab" });
        action
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({ "TransactItems": [{ kind: action }] })
    };
    let update = json!({ "Key": key, "UpdateExpression": "SET v = p" });
    let check = json!({ "Key": key, "ConditionExpression": "attribute_exists(p)" });
    vec![
        (
            "PutItem",
            "PutItem",
            json!({ "TableName": "Tab", "Item": key }),
        ),
        (
            "UpdateItem",
            "UpdateItem",
            json!({ "TableName": "Tab", "Key": key }),
        ),
        (
            "PutItem",
            "TransactWriteItems",
            of("Put", json!({ "Item": key })),
        ),
        ("UpdateItem", "TransactWriteItems", of("Update", update)),
        (
            "ConditionCheckItem",
            "TransactWriteItems",
            of("ConditionCheck", check),
        ),
        (
            "BatchWriteItem",
            "BatchWriteItem",
            json!({ "RequestItems": { "Tab": [{ "PutRequest": { "Item": key } }] } }),
        ),
        (
            "PartiQLUpdate",
            "ExecuteStatement",
            json!({ "Statement": "UPDATE Tab SET v = 1 WHERE p = 'a'" }),
        ),
        (
            "PartiQLDelete",
            "ExecuteStatement",
            json!({ "Statement": "DELETE FROM Tab WHERE p = 'a'" }),
        ),
        (
            "PartiQLInsert",
            "ExecuteStatement",
            json!({ "Statement": "INSERT INTO Tab VALUE {'p': 'b'}" }),
        ),
        (
            "PartiQLInsert",
            "ExecuteTransaction",
            json!({ "TransactStatements": [{ "Statement": "INSERT INTO Tab VALUE {'p': 'c'}" }] }),
        ),
        (
            "DeleteItem",
            "TransactWriteItems",
            of("Delete", json!({ "Key": key })),
        ),
        (
            "DeleteItem",
            "DeleteItem",
            json!({ "TableName": "Tab", "Key": key }),
        ),
    ]
}

#[test]
fn a_policy_denies_each_write_by_its_right() {
    for (right, operation, body) in writes() {
        let (engine, _) = on_clock(|_| {});
        create(&engine);
        let item = json!({ "TableName": "Tab", "Item": { "p": { "S": "a" } } });
        ask(&engine, "PutItem", &item);
        put_policy(&engine, &denying(&json!([format!("dynamodb:{right}")])));
        let expected = format!(
            "User: arn:aws:iam::000000000000:user/ada is not authorized to perform: dynamodb:{right} on \
             resource: {ARN} with an explicit deny in a resource-based policy"
        );
        let of = |agent| refused(&engine, agent, operation, &body);
        assert_eq!(
            of(Some("aws-sdk/1")).as_ref(),
            Some(&expected),
            "{operation}"
        );
        assert_eq!(of(None), Some(expected), "{operation}");
        assert_eq!(of(Some(MOVER)), None, "{operation}");
        // Other rights are not denied.
        for (other, operation, body) in writes().iter().filter(|(other, ..)| *other != right) {
            let message = refused(&engine, None, operation, body).unwrap_or_default();
            assert!(
                !message.contains("not authorized"),
                "{right} {other}: {message}"
            );
        }
    }
}

#[test]
fn a_denied_statement_of_a_batch_fails_alone() {
    let (engine, _) = on_clock(|_| {});
    create(&engine);
    put_policy(&engine, &denying(&json!("dynamodb:PartiQLInsert")));
    let body = json!({ "Statements": [{ "Statement": "INSERT INTO Tab VALUE {'p': 'b'}" }] });
    let answer = ask(&engine, "BatchExecuteStatement", &body);
    assert_eq!(
        answer["Responses"][0]["Error"]["Code"], "AccessDenied",
        "{answer}"
    );
}

#[test]
fn reads_and_the_engine_of_another_agent_are_not_denied() {
    let (engine, _) = on_clock(|options| options.agent = MOVER.to_owned());
    create(&engine);
    put_policy(&engine, &denying(&json!("dynamodb:*")));
    let item = json!({ "TableName": "Tab", "Item": { "p": { "S": "a" } } });
    assert_eq!(ask(&engine, "PutItem", &item), json!({}));
    assert_eq!(
        refused(&engine, None, "Scan", &json!({ "TableName": "Tab" })),
        None
    );
}

#[test]
fn the_message_says_where_a_table_is_now() {
    let (engine, _) = on_clock(|_| {});
    create(&engine);
    let moved = denying(&json!("*")).replace(
        r#"["mover/*"]"#,
        r#"["mover/*","keyfold-moved-to http://10.0.0.5:8000"]"#,
    );
    put_policy(&engine, &moved);
    let item = json!({ "TableName": "Tab", "Item": { "p": { "S": "a" } } });
    let message = refused(&engine, None, "PutItem", &item).unwrap();
    let end = "resource-based policy. The table has moved to http://10.0.0.5:8000";
    assert!(message.ends_with(end), "{message}");
}

#[test]
fn a_policy_is_in_force_after_the_engine_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let item = json!({ "TableName": "Tab", "Item": { "p": { "S": "a" } } });
    {
        let engine = common::durable(folder.path());
        create(&engine);
        put_policy(&engine, &denying(&json!("dynamodb:PutItem")));
    }
    let engine = common::durable(folder.path());
    assert!(refused(&engine, None, "PutItem", &item).is_some());
    ask(
        &engine,
        "DeleteResourcePolicy",
        &json!({ "ResourceArn": ARN }),
    );
    assert_eq!(refused(&engine, None, "PutItem", &item), None);
}

/// All items, each with the number that its writer has put last.
fn stored(engine: &Engine) -> Value {
    ask(engine, "Scan", &json!({ "TableName": "Tab" }))
}

/// Ends the writers, also when the test fails.
struct Ends<'e>(&'e AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Writers go on while a policy comes and goes. When it is acknowledged, the table has all writes that are
/// ever acknowledged before it goes again.
#[test]
fn no_write_is_acknowledged_that_a_policy_had_denied_before() {
    let (engines, _folder) = memory_and_durable();
    for engine in &engines {
        create(engine);
        let ends = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let ends = &ends;
                scope.spawn(move || {
                    let mut number = 0;
                    while !ends.load(Ordering::SeqCst) {
                        number += 1;
                        let item = json!({ "p": { "S": thread.to_string() }, "v": { "N": number.to_string() } });
                        let (operation, body) = match number % 3 {
                            0 => ("PutItem", json!({ "TableName": "Tab", "Item": item })),
                            1 => (
                                "BatchWriteItem",
                                json!({ "RequestItems": { "Tab": [{ "PutRequest": { "Item": item } }] } }),
                            ),
                            _ => (
                                "TransactWriteItems",
                                json!({ "TransactItems": [{ "Put": { "TableName": "Tab", "Item": item } }] }),
                            ),
                        };
                        refused(engine, Some("writer"), operation, &body);
                    }
                });
            }
            let _ends = Ends(&ends);
            for _ in 0..15 {
                std::thread::yield_now();
                put_policy(engine, &denying(&json!("dynamodb:*")));
                let before = stored(engine);
                for _ in 0..20 {
                    std::thread::yield_now();
                    assert_eq!(stored(engine), before, "a write came after the policy");
                }
                ask(
                    engine,
                    "DeleteResourcePolicy",
                    &json!({ "ResourceArn": ARN }),
                );
                // Some writes happen.
                while stored(engine) == before {
                    std::thread::yield_now();
                }
            }
        });
    }
}

/// Of two changes of a policy that expect the same revision, one happens.
#[test]
fn an_expected_revision_is_compared_when_the_policy_changes() {
    let (engine, _) = on_clock(|_| {});
    create(&engine);
    for round in 0..200 {
        let before = ask(&engine, "GetResourcePolicy", &json!({ "ResourceArn": ARN }));
        let expected = before["RevisionId"]
            .as_str()
            .unwrap_or("NO_POLICY")
            .to_owned();
        let barrier = Barrier::new(2);
        let done: usize = std::thread::scope(|scope| {
            let both = [1, 2].map(|number| {
                let (barrier, expected, engine) = (&barrier, &expected, &engine);
                scope.spawn(move || {
                    let policy = denying(&json!("dynamodb:PutItem")).replace("Moving", &format!("S{round}x{number}"));
                    let body = json!({ "ResourceArn": ARN, "Policy": policy, "ExpectedRevisionId": expected });
                    barrier.wait();
                    usize::from(refused(engine, None, "PutResourcePolicy", &body).is_none())
                })
            });
            both.map(|one| one.join().unwrap()).iter().sum()
        });
        assert_eq!(done, 1, "round {round}");
    }
}
