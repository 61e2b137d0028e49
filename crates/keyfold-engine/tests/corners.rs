//! Corner cases of the engine: limits, ends of ranges, costs, conflicts.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ManualClock, ask, create_table, durable, on_clock};
use keyfold_engine::Engine;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::sync::Arc;

struct Place {
    engine: Engine,
    clock: Arc<ManualClock>,
    folder: tempfile::TempDir,
}

impl Place {
    fn new(enforce: bool) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let (engine, clock) = on_clock(|options| {
            options.buckets = Some(folder.path().to_owned());
            options.enforce_capacity = enforce;
        });
        Place {
            engine,
            clock,
            folder,
        }
    }
    fn ask(&self, operation: &str, body: Value) -> Value {
        ask(&self.engine, operation, &body)
    }
    fn create(&self, name: &str, extra: Value) {
        let mut body = json!({"TableName": name, "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}]});
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let a = self.ask("CreateTable", body);
        assert!(a["TableDescription"].is_object(), "{a}");
    }
    fn put(&self, item: Value) -> Value {
        self.ask("PutItem", json!({"TableName": "Tab", "Item": item}))
    }
    fn export(&self, extra: Value) -> Vec<Value> {
        let mut body = json!({"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tab", "S3Bucket": "out"});
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let begun = self.ask("ExportTableToPointInTime", body)["ExportDescription"].clone();
        self.engine.work().unwrap();
        let done =
            self.ask("DescribeExport", json!({"ExportArn": begun["ExportArn"]}))["ExportDescription"].clone();
        assert_eq!(done["ExportStatus"], "COMPLETED", "{done} {begun}");
        let read = |key: &str| std::fs::read(self.folder.path().join("out").join(key)).unwrap();
        let summary: Value =
            serde_json::from_slice(&read(done["ExportManifest"].as_str().unwrap())).unwrap();
        let files =
            String::from_utf8(read(summary["manifestFilesS3Key"].as_str().unwrap())).unwrap();
        let mut out = Vec::new();
        for file in files.lines() {
            let file: Value = serde_json::from_str(file).unwrap();
            let mut text = String::new();
            flate2::read::GzDecoder::new(read(file["dataFileS3Key"].as_str().unwrap()).as_slice())
                .read_to_string(&mut text)
                .unwrap();
            out.extend(
                text.lines()
                    .map(|line| serde_json::from_str::<Value>(line).unwrap()),
            );
        }
        out
    }
}

fn demand() -> Value {
    json!({"BillingMode": "PAY_PER_REQUEST"})
}

#[test]
fn an_incremental_export_excludes_its_end_and_has_the_requested_images() {
    let place = Place::new(false);
    place.create("Tab", demand());
    place.ask(
        "UpdateContinuousBackups",
        json!({"TableName": "Tab", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}),
    );
    place.put(json!({"p": {"S": "a"}, "v": {"N": "1"}}));
    place.clock.advance(10_000);
    place.put(json!({"p": {"S": "a"}, "v": {"N": "2"}}));
    place.clock.advance(10_000);
    place.put(json!({"p": {"S": "b"}}));
    place.clock.advance(10_000);
    let window = json!({"ExportFromTime": 1_700_000_010, "ExportToTime": 1_700_000_020, "ExportViewType": "NEW_IMAGE"});
    let rows = place.export(
        json!({"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": window}),
    );
    assert_eq!(rows.len(), 1, "e1 {rows:?}");
    assert!(rows[0].get("OldImage").is_none(), "e2 {rows:?}");
}

#[test]
fn a_token_is_free_again_after_eight_hours() {
    let place = Place::new(false);
    place.create("Tab", demand());
    place.ask(
        "UpdateContinuousBackups",
        json!({"TableName": "Tab", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}),
    );
    let ask = || {
        place.ask(
            "ExportTableToPointInTime",
            json!({"TableArn": "Tab", "S3Bucket": "out", "ClientToken": "t"}),
        )["ExportDescription"]["ExportArn"]
            .clone()
    };
    let first = ask();
    assert_eq!(ask(), first);
    place.clock.advance(8 * 3600 * 1000);
    assert_ne!(ask(), first);
}

fn import(place: &Place, file: &[u8], extra: Value) -> Value {
    let bucket = place.folder.path().join("in");
    std::fs::create_dir_all(&bucket).unwrap();
    std::fs::write(bucket.join("x"), file).unwrap();
    let mut body = json!({"S3BucketSource": {"S3Bucket": "in"}, "TableCreationParameters": {"TableName": "Imp", "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "N"}], "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}], "BillingMode": "PAY_PER_REQUEST",
        "GlobalSecondaryIndexes": [{"IndexName": "ByG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}]}});
    body.as_object_mut()
        .unwrap()
        .extend(extra.as_object().unwrap().clone());
    let begun = place.ask("ImportTable", body)["ImportTableDescription"].clone();
    place.engine.work().unwrap();
    place.ask("DescribeImport", json!({"ImportArn": begun["ImportArn"]}))["ImportTableDescription"]
        .clone()
}

#[test]
fn values_of_csv_have_the_types_of_index_keys() {
    let place = Place::new(false);
    let done = import(&place, b"p,g\n1,7\n", json!({"InputFormat": "CSV"}));
    assert_eq!(done["ImportedItemCount"], 1, "{done}");
}

#[test]
fn gzip_files_may_have_several_members() {
    let place = Place::new(false);
    let mut bytes = Vec::new();
    for line in [
        "{\"Item\":{\"p\":{\"S\":\"1\"}}}\n",
        "{\"Item\":{\"p\":{\"S\":\"2\"}}}\n",
    ] {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(line.as_bytes()).unwrap();
        bytes.extend(out.finish().unwrap());
    }
    let done = import(
        &place,
        &bytes,
        json!({"InputFormat": "DYNAMODB_JSON", "InputCompressionType": "GZIP"}),
    );
    assert_eq!(done["ImportedItemCount"], 2, "{done}");
}

#[test]
fn the_last_row_of_a_key_wins() {
    let place = Place::new(false);
    import(&place, b"p,g\n1,7\n1,8\n", json!({"InputFormat": "CSV"}));
    let scan = |index: Option<&str>| {
        let mut b = json!({"TableName": "Imp"});
        if let Some(i) = index {
            b["IndexName"] = json!(i);
        }
        place.ask("Scan", b)
    };
    let table = place.ask("DescribeTable", json!({"TableName": "Imp"}))["Table"].clone();
    assert_eq!(
        (
            &scan(None)["Count"],
            &scan(Some("ByG"))["Count"],
            &table["ItemCount"],
            place.engine.examine().unwrap().is_well()
        ),
        (&json!(1), &json!(1), &json!(1), true),
        "{:?}",
        place.engine.examine().unwrap().problems
    );
}

#[test]
fn a_page_of_records_is_a_megabyte_long() {
    let place = Place::new(false);
    place.create("Tab", json!({"BillingMode": "PAY_PER_REQUEST", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"}}));
    for n in 0..5 {
        place.put(json!({"p": {"S": format!("{n}")}, "x": {"S": "x".repeat(300_000)}}));
    }
    let arn = place.ask("ListStreams", json!({}))["Streams"][0]["StreamArn"].clone();
    let shard =
        place.ask("DescribeStream", json!({"StreamArn": arn}))["StreamDescription"]["Shards"][0]["ShardId"]
            .clone();
    let it = place.ask(
        "GetShardIterator",
        json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}),
    )["ShardIterator"]
        .clone();
    let page = place.ask("GetRecords", json!({"ShardIterator": it}));
    assert_eq!(page["Records"].as_array().unwrap().len(), 3);
    let page = place.ask(
        "GetRecords",
        json!({"ShardIterator": page["NextShardIterator"]}),
    );
    assert_eq!(page["Records"].as_array().unwrap().len(), 2);
}

#[test]
fn a_page_over_partitions_is_a_megabyte_long() {
    let place = Place::new(false);
    place.create("Tab", demand());
    for n in 0..5 {
        place.put(json!({"p": {"S": format!("{n}")}, "x": {"S": "x".repeat(300_000)}}));
    }
    let page = place.ask(
        "ExecuteStatement",
        json!({"Statement": "SELECT * FROM Tab WHERE p IN ['0','1','2','3','4']"}),
    );
    assert_eq!(
        (
            page["Items"].as_array().unwrap().len(),
            page["NextToken"].is_string()
        ),
        (4, true)
    );
}

fn throughput(n: i64) -> Value {
    json!({"ReadCapacityUnits": n, "WriteCapacityUnits": n})
}

#[test]
fn expiry_uses_no_capacity() {
    let place = Place::new(true);
    place.create("Tab", json!({"ProvisionedThroughput": throughput(1)}));
    place.ask(
        "UpdateTimeToLive",
        json!({"TableName": "Tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "e"}}),
    );
    for n in 0..300 {
        assert_eq!(
            place.put(json!({"p": {"S": format!("{n}")}, "e": {"N": "1700000000"}})),
            json!({})
        );
    }
    assert!(place.put(json!({"p": {"S": "no"}}))["__type"].is_string());
    place.clock.advance(1);
    place.engine.work().unwrap();
    assert_eq!(
        place.ask("Scan", json!({"TableName": "Tab", "Select": "COUNT"}))["Count"],
        0
    );
}

#[test]
fn a_partition_has_a_read_limit() {
    let place = Place::new(true);
    place.create("Tab", json!({"ProvisionedThroughput": throughput(30_000)}));
    place.put(json!({"p": {"S": "a"}, "x": {"S": "x".repeat(399_000)}}));
    let get = || {
        place.ask("GetItem", json!({"TableName": "Tab", "Key": {"p": {"S": "a"}}, "ConsistentRead": true, "ProjectionExpression": "p"}))
    };
    let done = (0..).find(|_| get().get("Item").is_none()).unwrap();
    assert_eq!(done, 31);
    assert_eq!(
        get()["ThrottlingReasons"][0]["reason"],
        "TableReadKeyRangeThroughputExceeded"
    );
}

#[test]
fn entries_of_local_indexes_cost_the_table() {
    let place = Place::new(true);
    place.ask("CreateTable", json!({"TableName": "Tab", "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "s", "AttributeType": "S"}, {"AttributeName": "n", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "s", "KeyType": "RANGE"}], "ProvisionedThroughput": throughput(1),
        "LocalSecondaryIndexes": [{"IndexName": "ByN", "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}, {"AttributeName": "n", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}));
    let done = (0..)
        .find(|n| {
            place.put(json!({"p": {"S": "a"}, "s": {"S": format!("{n}")}, "n": {"S": "x"}}))
                != json!({})
        })
        .unwrap();
    assert_eq!(done, 150);
}

#[test]
fn a_partition_of_a_global_index_is_limited_too() {
    let place = Place::new(true);
    place.create("Tab", json!({"ProvisionedThroughput": throughput(30_000), "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
        "GlobalSecondaryIndexes": [{"IndexName": "ByG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}, "ProvisionedThroughput": throughput(30_000)}]}));
    let done = (0..2000)
        .find(|n| place.put(json!({"p": {"S": format!("{n}")}, "g": {"S": "x"}})) != json!({}));
    assert_eq!(done, Some(1000));
    assert_eq!(
        place.put(json!({"p": {"S": "z"}, "g": {"S": "x"}}))["ThrottlingReasons"][0]["reason"],
        "IndexWriteKeyRangeThroughputExceeded"
    );
}

#[test]
fn on_demand_capacity_follows_its_peak() {
    let place = Place::new(true);
    place.create("Tab", demand());
    let puts = || {
        (0..)
            .find(|n| place.put(json!({"p": {"S": format!("{n}")}})) != json!({}))
            .unwrap()
    };
    assert_eq!(puts(), 4000);
    place.clock.advance(30 * 60 * 1000);
    assert_eq!(place.put(json!({"p": {"S": "one"}})), json!({}));
    place.clock.advance(30 * 60 * 1000);
    assert_eq!(puts(), 8000);
}

#[test]
fn writes_in_conflict_with_a_transaction_under_way_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = durable(&folder.path().join("data"));
    create_table(&engine, "Tab");
    let (mut single, mut both, mut batch) = (0, 0, 0);
    let go = |name: &str, body: Value| {
        let operation = keyfold_api::Operation::ALL
            .iter()
            .find(|known| known.name() == name)
            .unwrap();
        engine.execute(keyfold_wire::decode(*operation, body.to_string().as_bytes()).unwrap())
    };
    let item = json!({"pk": {"S": "a"}, "sk": {"S": "a"}});
    let transaction = || {
        go(
            "TransactWriteItems",
            json!({"TransactItems": [{"Put": {"TableName": "Tab", "Item": item}}]}),
        )
    };
    for _ in 0..50 {
        let open = transaction();
        single += usize::from(
            format!(
                "{:?}",
                go("PutItem", json!({"TableName": "Tab", "Item": item})).wait()
            )
            .contains("Transaction is ongoing"),
        );
        drop(open.wait());
        let open = transaction();
        both += usize::from(format!("{:?}", transaction().wait()).contains("TransactionConflict"));
        drop(open.wait());
        let open = transaction();
        batch += usize::from(
            format!(
                "{:?}",
                go(
                    "BatchWriteItem",
                    json!({"RequestItems": {"Tab": [{"PutRequest": {"Item": item}}]}})
                )
                .wait()
            )
            .contains("unprocessed_items: [("),
        );
        drop(open.wait());
    }
    assert!(
        single > 0 && both > 0 && batch > 0,
        "{single} {both} {batch}"
    );
}
