//! Lists in pages: the pages together are the list, whatever the names are, and an entry that goes
//! between two pages takes no other with it.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ask, on_clock};
use keyfold_engine::Engine;
use serde_json::{Value, json};

/// Names whose next byte sorts on both sides of `/`: `-` and `.` before it, digits and letters
/// behind.
const NAMES: [&str; 6] = ["Tab", "Tab-1", "Tab.1", "Tab01", "TabA", "Tab_1"];

/// A paged list: the operation, its rows, the member that limits a page, and both cursors.
struct List {
    operation: &'static str,
    rows: &'static str,
    limit: &'static str,
    after: &'static str,
    last: &'static str,
}

const LISTS: [List; 6] = [
    List {
        operation: "ListTables",
        rows: "TableNames",
        limit: "Limit",
        after: "ExclusiveStartTableName",
        last: "LastEvaluatedTableName",
    },
    List {
        operation: "ListStreams",
        rows: "Streams",
        limit: "Limit",
        after: "ExclusiveStartStreamArn",
        last: "LastEvaluatedStreamArn",
    },
    List {
        operation: "ListBackups",
        rows: "BackupSummaries",
        limit: "Limit",
        after: "ExclusiveStartBackupArn",
        last: "LastEvaluatedBackupArn",
    },
    List {
        operation: "ListExports",
        rows: "ExportSummaries",
        limit: "MaxResults",
        after: "NextToken",
        last: "NextToken",
    },
    List {
        operation: "ListImports",
        rows: "ImportSummaryList",
        limit: "PageSize",
        after: "NextToken",
        last: "NextToken",
    },
    List {
        operation: "ListContributorInsights",
        rows: "ContributorInsightsSummaries",
        limit: "MaxResults",
        after: "NextToken",
        last: "NextToken",
    },
];

fn definition(name: &str) -> Value {
    let key = |name: &str| json!([{"AttributeName": name, "KeyType": "HASH"}]);
    let index = |name: &str| json!({"IndexName": name, "KeySchema": key("g"), "Projection": {"ProjectionType": "ALL"}});
    json!({
        "TableName": name, "BillingMode": "PAY_PER_REQUEST", "KeySchema": key("p"),
        "AttributeDefinitions": [
            {"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
        "GlobalSecondaryIndexes": [index("By-G"), index("By.G"), index("By0")],
    })
}

/// An engine with two of each listed thing for each name.
fn filled(buckets: &std::path::Path) -> Engine {
    std::fs::create_dir(buckets.join("in")).unwrap();
    let (engine, clock) = on_clock(|options| options.buckets = Some(buckets.to_owned()));
    let done = |operation: &str, body: Value| {
        let answer = ask(&engine, operation, &body);
        assert!(answer.get("__type").is_none(), "{operation}: {answer}");
    };
    for name in NAMES {
        let mut with_stream = definition(name);
        with_stream["StreamSpecification"] =
            json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
        done("CreateTable", with_stream);
        let recovery = json!({"PointInTimeRecoveryEnabled": true});
        let body = json!({"TableName": name, "PointInTimeRecoverySpecification": recovery});
        done("UpdateContinuousBackups", body);
        for backup in ["one", "two"] {
            clock.advance(10);
            done(
                "CreateBackup",
                json!({"TableName": name, "BackupName": backup}),
            );
            done(
                "ExportTableToPointInTime",
                json!({"TableArn": name, "S3Bucket": "out"}),
            );
        }
        for index in [None, Some("By-G"), Some("By.G"), Some("By0")] {
            let mut body = json!({"TableName": name, "ContributorInsightsAction": "ENABLE"});
            if let Some(index) = index {
                body["IndexName"] = json!(index);
            }
            done("UpdateContributorInsights", body);
        }
        let (source, table) = (json!({"S3Bucket": "in"}), definition(&format!("{name}i")));
        let body = json!({"TableCreationParameters": table, "InputFormat": "ION", "S3BucketSource": source});
        done("ImportTable", body);
        engine.work().unwrap();
    }
    engine
}

/// The rows of all pages.
fn pages(engine: &Engine, list: &List, size: usize) -> Vec<Value> {
    let (mut rows, mut after) = (Vec::new(), Value::Null);
    for _ in 0..100 {
        let mut body = json!({ list.limit: size });
        if !after.is_null() {
            body[list.after] = after;
        }
        let page = ask(engine, list.operation, &body);
        let some = page[list.rows].as_array();
        let some = some.unwrap_or_else(|| panic!("{}: {page}", list.operation));
        assert!(some.len() <= size, "{}: {page}", list.operation);
        rows.extend(some.clone());
        after = page[list.last].clone();
        if after.is_null() {
            return rows;
        }
    }
    panic!("{} has no end: {rows:?}", list.operation);
}

#[test]
fn the_pages_of_a_list_are_together_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let engine = filled(folder.path());
    for list in LISTS {
        let all = pages(&engine, &list, 25);
        assert!(all.len() >= NAMES.len(), "{}: {all:?}", list.operation);
        for size in [1, 2, 3, 7] {
            let paged = pages(&engine, &list, size);
            assert_eq!(paged, all, "{} in pages of {size}", list.operation);
        }
    }
}

#[test]
fn a_cursor_that_no_answer_has_given_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = filled(folder.path());
    for list in LISTS.iter().filter(|list| list.after == "NextToken") {
        for token in ["", "Tab", "no/table/1"] {
            let answer = ask(&engine, list.operation, &json!({"NextToken": token}));
            let kind = answer["__type"].as_str().unwrap_or_default();
            assert!(kind.ends_with("ValidationException"), "{token}: {answer}");
        }
    }
}

#[test]
fn tags_are_listed_on_when_the_last_listed_one_was_removed() {
    let folder = tempfile::tempdir().unwrap();
    let engine = filled(folder.path());
    let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/Tab";
    let keys: Vec<String> = (0..25).map(|n| format!("k{n:02}")).collect();
    let tags: Vec<Value> = keys
        .iter()
        .map(|key| json!({"Key": key, "Value": ""}))
        .collect();
    ask(
        &engine,
        "TagResource",
        &json!({"ResourceArn": arn, "Tags": tags}),
    );
    let (mut listed, mut body) = (Vec::new(), json!({"ResourceArn": arn}));
    loop {
        let page = ask(&engine, "ListTagsOfResource", &body);
        let tags = page["Tags"].as_array().unwrap_or_else(|| panic!("{page}"));
        listed.extend(
            tags.iter()
                .map(|tag| tag["Key"].as_str().unwrap().to_owned()),
        );
        if page["NextToken"].is_null() {
            break;
        }
        body["NextToken"] = page["NextToken"].clone();
        let removed = json!({"ResourceArn": arn, "TagKeys": [listed.last().unwrap()]});
        ask(&engine, "UntagResource", &removed);
    }
    assert_eq!(listed, keys);
    for token in ["", "no\u{0}tag"] {
        body["NextToken"] = json!(token);
        let answer = ask(&engine, "ListTagsOfResource", &body);
        assert_eq!(answer["message"], "Invalid NextToken", "{token:?}");
    }
}
