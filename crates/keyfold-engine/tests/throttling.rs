//! Enforced capacity: requests above it are refused until time has passed, and write nothing.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ManualClock, ask, on_clock};
use keyfold_engine::Engine;
use serde_json::{Value, json};
use std::sync::Arc;

struct Place {
    engine: Engine,
    clock: Arc<ManualClock>,
}

impl Place {
    fn new(enforce_capacity: bool) -> Place {
        let (engine, clock) = on_clock(|options| options.enforce_capacity = enforce_capacity);
        Place { engine, clock }
    }

    fn advance(&self, ms: u64) {
        self.clock.advance(ms);
    }

    fn ask(&self, operation: &str, body: &Value) -> Value {
        ask(&self.engine, operation, body)
    }

    /// A table of `p` with the index `ByG` of `g`, with units of its own.
    fn table(&self, units: Option<(i64, i64)>) {
        let key = |name: &str| json!([{"AttributeName": name, "KeyType": "HASH"}]);
        let throughput =
            |units: i64| json!({"ReadCapacityUnits": units, "WriteCapacityUnits": units});
        let mut index = json!({"IndexName": "ByG", "KeySchema": key("g"), "Projection": {"ProjectionType": "ALL"}});
        let mut body = json!({
            "TableName": "Tab",
            "AttributeDefinitions": [
                {"AttributeName": "p", "AttributeType": "S"},
                {"AttributeName": "g", "AttributeType": "S"},
            ],
            "KeySchema": key("p"),
        });
        match units {
            Some((table, of_index)) => {
                body["ProvisionedThroughput"] = throughput(table);
                index["ProvisionedThroughput"] = throughput(of_index);
            }
            None => body["BillingMode"] = json!("PAY_PER_REQUEST"),
        }
        body["GlobalSecondaryIndexes"] = json!([index]);
        assert!(self.ask("CreateTable", &body)["TableDescription"].is_object());
    }

    /// Puts an item. Returns the error of a refusal.
    fn put(&self, n: usize, index: bool) -> Result<(), Value> {
        let mut item = json!({"p": {"S": format!("{n}")}});
        if index {
            item["g"] = json!({"S": format!("{n}")});
        }
        let answer = self.ask("PutItem", &json!({"TableName": "Tab", "Item": item}));
        if answer == json!({}) {
            Ok(())
        } else {
            Err(answer)
        }
    }

    /// The number of admitted puts.
    fn puts(&self, index: bool) -> (usize, Value) {
        (0..)
            .find_map(|n| self.put(n, index).err().map(|told| (n, told)))
            .unwrap()
    }

    fn get(&self, n: usize) -> Value {
        let key = json!({"TableName": "Tab", "Key": {"p": {"S": format!("{n}")}}, "ConsistentRead": true});
        self.ask("GetItem", &key)
    }
}

const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab";

#[test]
fn provisioned_writes_have_a_burst_of_five_minutes_and_recover_with_time() {
    let place = Place::new(true);
    place.table(Some((2, 1000)));
    let (done, told) = place.puts(false);
    assert_eq!(done, 600);
    assert_eq!(
        told,
        json!({
            "__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
            "ThrottlingReasons": [{"reason": "TableWriteProvisionedThroughputExceeded", "resource": ARN}],
            "message": "The level of configured provisioned throughput for the table was exceeded. Consider \
                        increasing your provisioning level with the UpdateTable API.",
        })
    );
    assert_eq!(place.get(599)["Item"]["p"]["S"], "599");
    assert_eq!(place.get(600), json!({}));
    place.advance(499);
    // Half a unit is enough for the admission, and leaves a debt.
    assert!(place.put(600, false).is_ok());
    assert!(place.put(601, false).is_err());
    place.advance(3000);
    assert_eq!(place.puts(false).0, 6);
}

#[test]
fn an_exhausted_index_refuses_writes_to_its_table() {
    let place = Place::new(true);
    place.table(Some((1000, 1)));
    let (done, told) = place.puts(true);
    assert_eq!(done, 300);
    let reason = json!({"reason": "IndexWriteProvisionedThroughputExceeded", "resource": format!("{ARN}/index/ByG")});
    assert_eq!(told["ThrottlingReasons"], json!([reason]));
    assert!(
        told["message"]
            .as_str()
            .unwrap()
            .contains("global secondary indexes")
    );
    assert!(
        place.put(9999, false).is_ok(),
        "the table has capacity left"
    );
    let request = |n: usize, g: bool| match g {
        true => json!({"PutRequest": {"Item": {"p": {"S": format!("b{n}")}, "g": {"S": "g"}}}}),
        false => json!({"PutRequest": {"Item": {"p": {"S": format!("b{n}")}}}}),
    };
    let batch = json!({"RequestItems": {"Tab": [request(1, true), request(2, false)]}});
    let answer = place.ask("BatchWriteItem", &batch);
    assert_eq!(answer["UnprocessedItems"]["Tab"], json!([request(1, true)]));
    let batch = json!({"RequestItems": {"Tab": [request(3, true)]}});
    let told = place.ask("BatchWriteItem", &batch);
    assert_eq!(told["ThrottlingReasons"], json!([reason]));
    let transaction = json!({"TransactItems": [
        {"Put": {"TableName": "Tab", "Item": {"p": {"S": "t1"}}}},
        {"Put": {"TableName": "Tab", "Item": {"p": {"S": "t2"}, "g": {"S": "g"}}}},
    ]});
    let told = place.ask("TransactWriteItems", &transaction);
    assert_eq!(told["CancellationReasons"][0]["Code"], "None");
    assert_eq!(
        told["CancellationReasons"][1]["Code"],
        "ProvisionedThroughputExceeded"
    );
    let count = |body: Value| place.ask("Scan", &body)["Count"].clone();
    assert_eq!(count(json!({"TableName": "Tab"})), 302);
    assert_eq!(count(json!({"TableName": "Tab", "IndexName": "ByG"})), 300);
}

#[test]
fn reads_have_a_limit_of_their_own() {
    let place = Place::new(true);
    place.table(Some((1, 1)));
    assert!(place.put(0, false).is_ok());
    let done = (0..).find(|_| place.get(0).get("Item").is_none()).unwrap();
    assert_eq!(done, 300);
    assert_eq!(
        place.get(0)["ThrottlingReasons"][0]["reason"],
        "TableReadProvisionedThroughputExceeded"
    );
    let scan = place.ask("Scan", &json!({"TableName": "Tab"}));
    assert_eq!(
        scan["ThrottlingReasons"][0]["reason"],
        "TableReadProvisionedThroughputExceeded"
    );
    assert!(
        place.ask("Scan", &json!({"TableName": "Tab", "IndexName": "ByG"}))["Count"].is_number()
    );
    let keys = json!({"RequestItems": {"Tab": {"Keys": [{"p": {"S": "0"}}]}}});
    assert!(place.ask("BatchGetItem", &keys)["ThrottlingReasons"].is_array());
    let get = json!({"TransactItems": [{"Get": {"TableName": "Tab", "Key": {"p": {"S": "0"}}}}]});
    let told = place.ask("TransactGetItems", &get);
    assert_eq!(
        told["CancellationReasons"][0]["Code"],
        "ProvisionedThroughputExceeded"
    );
    let statements = json!({"Statements": [{"Statement": "SELECT * FROM Tab WHERE p = '0'"}]});
    let told = place.ask("BatchExecuteStatement", &statements);
    assert_eq!(
        told["Responses"][0]["Error"]["Code"],
        "ProvisionedThroughputExceeded"
    );
    place.advance(2000);
    assert_eq!(place.get(0)["Item"]["p"]["S"], "0");
}

#[test]
fn a_failed_condition_costs_as_much_as_the_write() {
    let place = Place::new(true);
    place.table(Some((1, 1)));
    assert!(place.put(0, false).is_ok());
    let body = json!({
        "TableName": "Tab",
        "Item": {"p": {"S": "0"}},
        "ConditionExpression": "attribute_not_exists(p)",
    });
    let refused = |kind: &str| {
        place.ask("PutItem", &body)["__type"]
            .as_str()
            .unwrap()
            .ends_with(kind)
    };
    assert!((0..299).all(|_| refused("#ConditionalCheckFailedException")));
    assert!(refused("#ProvisionedThroughputExceededException"));
}

#[test]
fn a_partition_key_has_a_limit_of_its_own() {
    let place = Place::new(true);
    place.table(Some((30_000, 30_000)));
    let done = (0..).find(|_| place.put(0, false).is_err()).unwrap();
    assert_eq!(done, 1000);
    let told = place.put(0, false).unwrap_err();
    assert_eq!(
        told["ThrottlingReasons"][0]["reason"],
        "TableWriteKeyRangeThroughputExceeded"
    );
    assert!(
        place.put(1, false).is_ok(),
        "another key has a limit of its own"
    );
    place.advance(1000);
    assert!(place.put(0, false).is_ok());
}

#[test]
fn on_demand_tables_warm_up_and_may_have_a_maximum() {
    let place = Place::new(true);
    place.table(None);
    let (done, told) = place.puts(false);
    assert_eq!(done, 4000);
    assert_eq!(
        told["__type"],
        "com.amazon.coral.service#ThrottlingException"
    );
    assert_eq!(
        told["throttlingReasons"][0]["reason"],
        "TableWriteKeyRangeThroughputExceeded"
    );
    // After half an hour the capacity is twice the peak.
    place.advance(30 * 60 * 1000);
    assert_eq!(place.puts(false).0, 8000);
    let most = json!({"TableName": "Tab", "OnDemandThroughput": {"MaxWriteRequestUnits": 5, "MaxReadRequestUnits": 5}});
    assert!(place.ask("UpdateTable", &most)["TableDescription"].is_object());
    place.advance(5000);
    let (done, told) = place.puts(false);
    assert_eq!(done, 5);
    assert_eq!(
        told["throttlingReasons"][0]["reason"],
        "TableWriteMaxOnDemandThroughputExceeded"
    );
}

#[test]
fn without_enforcement_capacity_is_only_counted() {
    let place = Place::new(false);
    place.table(Some((1, 1)));
    assert!((0..1000).all(|n| place.put(n, true).is_ok()));
}
