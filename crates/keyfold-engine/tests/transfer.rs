//! Exports to a folder that stands for a bucket, and imports from it: exported items are imported
//! unchanged.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{ManualClock, ask, on_clock};
use flate2::read::GzDecoder;
use keyfold_engine::{Durability, Engine, EngineOptions, StoreOptions};
use serde_json::{Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Place {
    engine: Engine,
    clock: Arc<ManualClock>,
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let (engine, clock) = on_clock(|options| options.buckets = Some(folder.path().to_owned()));
        Place {
            engine,
            clock,
            folder,
        }
    }

    fn ask(&self, operation: &str, body: &Value) -> Value {
        ask(&self.engine, operation, body)
    }

    fn table(&self, name: &str) {
        let key = json!([{"AttributeName": "p", "KeyType": "HASH"}]);
        let kinds = json!([{"AttributeName": "p", "AttributeType": "S"}]);
        self.ask("CreateTable", &json!({"TableName": name, "AttributeDefinitions": kinds, "KeySchema": key, "BillingMode": "PAY_PER_REQUEST"}));
        self.ask("UpdateContinuousBackups", &json!({"TableName": name, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}}));
    }

    fn put(&self, item: Value) {
        assert_eq!(
            self.ask("PutItem", &json!({"TableName": "Tab", "Item": item})),
            json!({})
        );
    }

    fn items(&self, table: &str) -> Vec<String> {
        let answer = self.ask("Scan", &json!({"TableName": table}));
        let mut items: Vec<String> = answer["Items"]
            .as_array()
            .unwrap_or_else(|| panic!("{answer}"))
            .iter()
            .map(Value::to_string)
            .collect();
        items.sort();
        items
    }

    fn export(&self, extra: Value) -> Value {
        let mut body = json!({"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tab", "S3Bucket": "out"});
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let begun = self.ask("ExportTableToPointInTime", &body)["ExportDescription"].clone();
        assert_eq!(begun["ExportStatus"], "IN_PROGRESS", "{begun}");
        self.engine.work().unwrap();
        let done = self.ask("DescribeExport", &json!({"ExportArn": begun["ExportArn"]}))["ExportDescription"]
            .clone();
        assert_eq!(done["ExportStatus"], "COMPLETED", "{done}");
        done
    }

    fn import(&self, table: &str, extra: Value) -> Value {
        let key = json!([{"AttributeName": "p", "KeyType": "HASH"}]);
        let kinds = json!([{"AttributeName": "p", "AttributeType": "S"}]);
        let mut body = json!({
            "TableCreationParameters": {"TableName": table, "AttributeDefinitions": kinds, "KeySchema": key, "BillingMode": "PAY_PER_REQUEST"},
        });
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let begun = self.ask("ImportTable", &body)["ImportTableDescription"].clone();
        assert_eq!(begun["ImportStatus"], "IN_PROGRESS", "{begun}");
        self.engine.work().unwrap();
        self.ask("DescribeImport", &json!({"ImportArn": begun["ImportArn"]}))["ImportTableDescription"]
            .clone()
    }

    fn read(&self, key: &str) -> String {
        std::fs::read_to_string(self.folder.path().join("out").join(key)).unwrap()
    }
}

/// The server stops before an export and an import begin: the next start does them.
#[test]
fn waiting_transfers_are_done_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let store = StoreOptions::folder(folder.path().join("data"), Durability::Synced);
        // Nothing is done behind requests.
        let options = EngineOptions {
            background: false,
            ..EngineOptions::new(store)
        };
        Engine::open(EngineOptions {
            buckets: Some(folder.path().to_owned()),
            ..options
        })
        .unwrap()
    };
    let definition = |name: &str| {
        json!({
            "TableName": name, "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
        })
    };
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let export =
        json!({"TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/Tab", "S3Bucket": "out"});
    let import = json!({
        "TableCreationParameters": definition("Filled"), "InputFormat": "ION", "S3BucketSource": {"S3Bucket": "in"},
    });
    let (export, import) = {
        let engine = start();
        ask(&engine, "CreateTable", &definition("Tab"));
        let recover = json!({"TableName": "Tab", "PointInTimeRecoverySpecification": recovery});
        ask(&engine, "UpdateContinuousBackups", &recover);
        let export = ask(&engine, "ExportTableToPointInTime", &export)["ExportDescription"].clone();
        let import = ask(&engine, "ImportTable", &import)["ImportTableDescription"].clone();
        let begun = json!("IN_PROGRESS");
        assert_eq!(
            (&export["ExportStatus"], &import["ImportStatus"]),
            (&begun, &begun)
        );
        (export["ExportArn"].clone(), import["ImportArn"].clone())
    };
    std::fs::create_dir(folder.path().join("in")).unwrap();
    std::fs::write(
        folder.path().join("in/a.ion"),
        "$ion_1_0 {Item:{p:\"imported\"}}",
    )
    .unwrap();
    for _ in 0..2 {
        let engine = start();
        engine.work().unwrap();
        let export =
            &ask(&engine, "DescribeExport", &json!({"ExportArn": export}))["ExportDescription"];
        let import = &ask(&engine, "DescribeImport", &json!({"ImportArn": import}))["ImportTableDescription"];
        for (told, status) in [(export, "ExportStatus"), (import, "ImportStatus")] {
            assert_eq!(told[status], "COMPLETED", "{told}");
        }
        let get = json!({"TableName": "Filled", "Key": {"p": {"S": "imported"}}});
        assert!(ask(&engine, "GetItem", &get)["Item"].is_object());
    }
}

/// Rows that a client could not have written are counted, and later rows are imported.
#[test]
fn hostile_rows_are_counted_and_others_imported() {
    let place = Place::new();
    let folder = place.folder.path().join("hostile");
    std::fs::create_dir(&folder).unwrap();
    let deep = format!("{{Item:{{p:{}1{}}}}}", "[".repeat(1_500), "]".repeat(1_500));
    std::fs::write(
        folder.join("a.ion"),
        format!("{deep}\n$ion_1_0 {{Item:{{p:\"after\"}}}}"),
    )
    .unwrap();
    let body = json!({"InputFormat": "ION", "S3BucketSource": {"S3Bucket": "hostile"}});
    let told = place.import("Filled", body);
    assert_eq!(
        (&told["ImportStatus"], &told["ErrorCount"]),
        (&json!("FAILED"), &json!(1)),
        "{told}"
    );
    let get = json!({"TableName": "Filled", "Key": {"p": {"S": "after"}}});
    assert!(place.ask("GetItem", &get)["Item"].is_object());
    // A line without an end that unpacks to much more than the buffer, and one after it.
    let folder = place.folder.path().join("long");
    std::fs::create_dir(&folder).unwrap();
    let file = std::fs::File::create(folder.join("a.json.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::copy(
        &mut std::io::repeat(b'x').take(200 * 1024 * 1024),
        &mut packed,
    )
    .unwrap();
    std::io::Write::write_all(&mut packed, b"\n{\"Item\":{\"p\":{\"S\":\"after\"}}}\n").unwrap();
    packed.finish().unwrap();
    let body = json!({"InputFormat": "DYNAMODB_JSON", "InputCompressionType": "GZIP", "S3BucketSource": {"S3Bucket": "long"}});
    let told = place.import("Other", body);
    assert_eq!(
        (&told["ErrorCount"], &told["ImportedItemCount"]),
        (&json!(1), &json!(1)),
        "{told}"
    );
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text
}

fn everything() -> Value {
    json!({
        "p": {"S": "a\"\n\u{1F600}"}, "n": {"N": "-12345678901234567890123456789.012345678"}, "big": {"N": "1E+100"},
        "b": {"B": "aGk="}, "t": {"BOOL": true}, "z": {"NULL": true}, "l": {"L": [{"N": "1.50"}, {"L": []}]},
        "m": {"M": {"x y": {"S": ""}}}, "ss": {"SS": ["u", "v"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["aGk="]},
    })
}

#[test]
fn exported_items_are_imported_unchanged() {
    let place = Place::new();
    place.table("Tab");
    place.put(everything());
    (0..50)
        .for_each(|n| place.put(json!({"p": {"S": format!("{n}")}, "n": {"N": format!("{n}")}})));
    for (format, ending) in [("DYNAMODB_JSON", "json.gz"), ("ION", "ion.gz")] {
        let done =
            place.export(json!({"ExportFormat": format, "S3Prefix": format!("to/{format}")}));
        assert_eq!(done["ItemCount"], 51);
        let manifest = done["ExportManifest"].as_str().unwrap();
        let summary: Value = serde_json::from_str(&place.read(manifest)).unwrap();
        assert_eq!(
            (&summary["itemCount"], &summary["outputFormat"]),
            (&json!(51), &json!(format))
        );
        let files = place.read(summary["manifestFilesS3Key"].as_str().unwrap());
        let file: Value = serde_json::from_str(files.lines().next().unwrap()).unwrap();
        let key = file["dataFileS3Key"].as_str().unwrap();
        assert!(key.ends_with(ending) && file["itemCount"] == 51, "{file}");
        let lines = unpacked(&place.folder.path().join("out").join(key));
        let first = if format == "ION" {
            "$ion_1_0 {Item: {"
        } else {
            "{\"Item\":{"
        };
        assert!(
            lines.lines().count() == 51 && lines.lines().all(|line| line.starts_with(first)),
            "{lines}"
        );
        let data = key.rsplit_once('/').unwrap().0;
        let source = json!({"S3Bucket": "out", "S3KeyPrefix": data});
        let table = format!("From{}", &format[..3]);
        let done = place.import(
            &table,
            json!({"InputFormat": format, "InputCompressionType": "GZIP", "S3BucketSource": source}),
        );
        assert_eq!(
            (&done["ImportStatus"], &done["ImportedItemCount"]),
            (&json!("COMPLETED"), &json!(51)),
            "{done}"
        );
        assert_eq!(place.items(&table), place.items("Tab"));
    }
}

#[test]
fn an_export_has_the_items_of_a_moment_or_the_changes_between_two() {
    let place = Place::new();
    place.table("Tab");
    place.put(json!({"p": {"S": "stays"}, "v": {"N": "1"}}));
    place.put(json!({"p": {"S": "goes"}}));
    place.clock.advance(10_000);
    place.put(json!({"p": {"S": "stays"}, "v": {"N": "2"}}));
    place.put(json!({"p": {"S": "comes"}}));
    place.put(json!({"p": {"S": "short"}}));
    for p in ["goes", "short"] {
        place.ask(
            "DeleteItem",
            &json!({"TableName": "Tab", "Key": {"p": {"S": p}}}),
        );
    }
    place.clock.advance(10_000);
    let files = |place: &Place, manifest: &Value| -> Vec<PathBuf> {
        let summary: Value = serde_json::from_str(&place.read(manifest.as_str().unwrap())).unwrap();
        let list = place.read(summary["manifestFilesS3Key"].as_str().unwrap());
        let key = |line: &str| {
            serde_json::from_str::<Value>(line).unwrap()["dataFileS3Key"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        list.lines()
            .map(|line| place.folder.path().join("out").join(key(line)))
            .collect()
    };
    let before = place.export(json!({"ExportTime": 1_700_000_005}));
    let mut lines: Vec<String> = unpacked(&files(&place, &before["ExportManifest"])[0])
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    assert_eq!(
        lines,
        [
            r#"{"Item":{"p":{"S":"goes"}}}"#,
            r#"{"Item":{"p":{"S":"stays"},"v":{"N":"1"}}}"#
        ]
    );

    let window = json!({"ExportFromTime": 1_700_000_010, "ExportToTime": 1_700_000_020});
    let between = place.export(
        json!({"ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": window}),
    );
    let mut lines: Vec<String> = unpacked(&files(&place, &between["ExportManifest"])[0])
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    let at = r#"{"Metadata":{"WriteTimestampMicros":{"N":"1700000010000000"}},"#;
    assert_eq!(
        lines,
        [
            format!(r#"{at}"Keys":{{"p":{{"S":"comes"}}}},"NewImage":{{"p":{{"S":"comes"}}}}}}"#),
            format!(r#"{at}"Keys":{{"p":{{"S":"goes"}}}},"OldImage":{{"p":{{"S":"goes"}}}}}}"#),
            format!(
                r#"{at}"Keys":{{"p":{{"S":"stays"}}}},"NewImage":{{"p":{{"S":"stays"}},"v":{{"N":"2"}}}},"OldImage":{{"p":{{"S":"stays"}},"v":{{"N":"1"}}}}}}"#
            ),
        ]
    );
}

#[test]
fn files_of_other_tools_are_imported() {
    let place = Place::new();
    let bucket = place.folder.path().join("in");
    std::fs::create_dir_all(bucket.join("csv")).unwrap();
    std::fs::write(bucket.join("csv/a.csv"), "p;name\n1;\"one; and\"\n2;\n").unwrap();
    std::fs::write(bucket.join("csv/b.csv"), "p;name\n;no key\n").unwrap();
    let done = place.import(
        "Csv",
        json!({
            "InputFormat": "CSV", "S3BucketSource": {"S3Bucket": "in", "S3KeyPrefix": "csv/"},
            "InputFormatOptions": {"Csv": {"Delimiter": ";"}},
        }),
    );
    assert_eq!(
        (&done["ImportStatus"], &done["FailureCode"]),
        (&json!("FAILED"), &json!("ItemValidationError"))
    );
    assert_eq!(
        (&done["ErrorCount"], &done["ImportedItemCount"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(
        place.items("Csv"),
        [
            r#"{"name":{"S":""},"p":{"S":"2"}}"#,
            r#"{"name":{"S":"one; and"},"p":{"S":"1"}}"#
        ]
    );

    let lines = "{\"Item\":{\"p\":{\"S\":\"z\"}}}\nno json\n";
    let packed = ruzstd::encoding::compress_to_vec(
        lines.as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    std::fs::write(bucket.join("z.json.zst"), packed).unwrap();
    let source = json!({"S3Bucket": "in", "S3KeyPrefix": "z."});
    let done = place.import(
        "Zstd",
        json!({"InputFormat": "DYNAMODB_JSON", "InputCompressionType": "ZSTD", "S3BucketSource": source}),
    );
    assert_eq!(
        (&done["ErrorCount"], &done["ProcessedItemCount"]),
        (&json!(1), &json!(2)),
        "{done}"
    );
    assert_eq!(place.items("Zstd"), [r#"{"p":{"S":"z"}}"#]);

    let nowhere = json!({"InputFormat": "ION", "S3BucketSource": {"S3Bucket": "absent"}});
    assert_eq!(
        place.import("Nowhere", nowhere)["FailureCode"],
        "S3NoSuchBucket"
    );
}

#[test]
fn invalid_transfers_are_refused() {
    let place = Place::new();
    let ask = |body: Value| {
        place.ask("ExportTableToPointInTime", &body)["__type"]
            .as_str()
            .unwrap_or_default()
            .rsplit('#')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        ask(json!({"TableArn": "Tab", "S3Bucket": "out"})),
        "TableNotFoundException"
    );
    place.table("Tab");
    assert_eq!(
        ask(json!({"TableArn": "Tab", "S3Bucket": "out", "ExportTime": 1})),
        "InvalidExportTimeException"
    );
    assert_eq!(
        ask(json!({"TableArn": "Tab", "S3Bucket": "out", "ExportType": "INCREMENTAL_EXPORT"})),
        "ValidationException"
    );
    assert_eq!(
        ask(json!({"TableArn": "Tab", "S3Bucket": "out", "ClientToken": "t"})),
        ""
    );
    assert_eq!(
        ask(json!({"TableArn": "Tab", "S3Bucket": "out", "ClientToken": "t"})),
        ""
    );
    assert_eq!(
        ask(json!({"TableArn": "Tab", "S3Bucket": "other", "ClientToken": "t"})),
        "ExportConflictException"
    );
    assert_eq!(
        place.ask("ListExports", &json!({}))["ExportSummaries"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    // A bucket's name that leads out of the folder fails the export, which writes nothing there.
    place.ask(
        "ExportTableToPointInTime",
        &json!({"TableArn": "Tab", "S3Bucket": "..", "ClientToken": "u"}),
    );
    place.engine.work().unwrap();
    let states: Vec<Value> = place.ask("ListExports", &json!({}))["ExportSummaries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["ExportStatus"].clone())
        .collect();
    assert!(states.contains(&json!("FAILED")), "{states:?}");
}

fn data_lines(place: &Place, done: &Value) -> Vec<String> {
    let summary: Value =
        serde_json::from_str(&place.read(done["ExportManifest"].as_str().unwrap())).unwrap();
    let list = place.read(summary["manifestFilesS3Key"].as_str().unwrap());
    let mut lines: Vec<String> = Vec::new();
    for file in list.lines() {
        let file: Value = serde_json::from_str(file).unwrap();
        let path = place
            .folder
            .path()
            .join("out")
            .join(file["dataFileS3Key"].as_str().unwrap());
        lines.extend(unpacked(&path).lines().map(str::to_owned));
    }
    lines.sort();
    lines
}

#[test]
fn an_export_has_the_items_of_its_filter() {
    let place = Place::new();
    place.table("Tab");
    (0..5).for_each(|n| {
        let kind = if n % 2 == 0 { "even" } else { "odd" };
        place.put(
            json!({"p": {"S": format!("k{n}")}, "n": {"N": format!("{n}")}, "kind": {"S": kind}}),
        );
    });
    place.clock.advance(10_000);
    place.put(json!({"p": {"S": "k1"}, "n": {"N": "1"}, "kind": {"S": "even"}}));
    place.put(json!({"p": {"S": "k3"}, "n": {"N": "30"}, "kind": {"S": "odd"}}));
    place.clock.advance(10_000);
    let even = json!({
        "FilterExpression": "kind = :even", "ProjectionExpression": "p, #n",
        "ExpressionAttributeNames": {"#n": "n"}, "ExpressionAttributeValues": {":even": {"S": "even"}},
    });
    let line = |n: u32| format!(r#"{{"Item":{{"n":{{"N":"{n}"}},"p":{{"S":"k{n}"}}}}}}"#);
    let now = place.export(json!({"FilterSpecification": even}));
    assert_eq!(data_lines(&place, &now), [0, 1, 2, 4].map(line));
    assert_eq!(
        (&now["ItemCount"], &now["FilterSpecification"]),
        (&json!(4), &even)
    );
    let before = place.export(json!({"FilterSpecification": even, "ExportTime": 1_700_000_005}));
    assert_eq!(
        data_lines(&place, &before),
        [0, 2, 4].map(line),
        "the items of that moment"
    );
    let one = json!({
        "KeyConditionExpression": "p = :p", "FilterExpression": "n < :n",
        "ExpressionAttributeValues": {":p": {"S": "k3"}, ":n": {"N": "10"}},
    });
    let now = place.export(json!({"FilterSpecification": one}));
    assert_eq!(
        (data_lines(&place, &now), &now["ItemCount"]),
        (vec![], &json!(0))
    );
    let before = place.export(json!({"FilterSpecification": one, "ExportTime": 1_700_000_005}));
    assert_eq!(data_lines(&place, &before).len(), 1);
    // An incremental export has the changes of items that match before or after.
    let window = json!({"ExportFromTime": 1_700_000_010, "ExportToTime": 1_700_000_020});
    let between = place.export(json!({
        "FilterSpecification": even, "ExportType": "INCREMENTAL_EXPORT", "IncrementalExportSpecification": window
    }));
    let lines = data_lines(&place, &between);
    assert!(
        lines.len() == 1 && lines[0].contains(r#""Keys":{"p":{"S":"k1"}}"#),
        "{lines:?}"
    );
    let refused = |filter: Value| {
        let body = json!({"TableArn": "Tab", "S3Bucket": "out", "FilterSpecification": filter});
        place.ask("ExportTableToPointInTime", &body)["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(
        refused(json!({"FilterExpression": "kind ="}))
            .starts_with("Invalid FilterExpression: Syntax error")
    );
    let unused = json!({"FilterExpression": "attribute_exists(kind)", "ExpressionAttributeValues": {":x": {"S": ""}}});
    assert!(refused(unused).contains("unused in expressions: keys: {:x}"));
    let keys = json!({
        "KeyConditionExpression": "p = :p", "FilterExpression": "p = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}
    });
    assert!(refused(keys).contains("can only contain non-primary key attributes"));
    let other = json!({"KeyConditionExpression": "kind = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}});
    assert_eq!(
        refused(other),
        "Query condition missed key schema element: p"
    );
}
