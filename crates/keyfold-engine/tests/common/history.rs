//! A seeded workload on an engine, and the state that a client sees after each change.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::common::ask;
use fastrand::Rng;
use keyfold_engine::Engine;
use keyfold_testkit::workload;
use serde_json::{Value, json};

const CHANGES: usize = 40;
const SEEDS: u64 = 4;

/// The number of workloads: `KEYFOLD_CRASH_SEEDS`, or a few.
pub(crate) fn seeds() -> u64 {
    std::env::var("KEYFOLD_CRASH_SEEDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(SEEDS)
}

/// The states after each number of changes.
pub(crate) struct States {
    /// The state that a client sees.
    pub(crate) seen: Vec<Value>,
    /// The items of the backup, if there is one.
    pub(crate) kept: Vec<Value>,
}

impl States {
    /// Runs the workload on an empty engine without faults.
    pub(crate) fn of(engine: &Engine, seed: u64) -> States {
        let mut states = States {
            seen: vec![seen(engine)],
            kept: vec![Value::Null],
        };
        work(engine, seed, |engine| {
            states.seen.push(seen(engine));
            let last = states.kept.last().unwrap().clone();
            states
                .kept
                .push(match backups(engine).as_array().unwrap().is_empty() {
                    true => Value::Null,
                    false if last.is_null() => {
                        ask(engine, "Scan", &json!({"TableName": "Tab"}))["Items"].clone()
                    }
                    false => last,
                });
        });
        states
    }

    /// Checks the state after a crash: it is the state after one of these numbers of changes, a client
    /// without an answer can repeat its request, and the backup is unchanged.
    pub(crate) fn check(
        &self,
        engine: &Engine,
        may: std::ops::Range<usize>,
        context: &str,
        rng: &mut Rng,
    ) -> usize {
        engine.work().unwrap();
        let state = self.find(engine, may.clone());
        let state = state
            .unwrap_or_else(|| panic!("{context}: not the state after any of {may:?} changes"));
        if state > 0 {
            ask_again(engine, rng.usize(..CHANGES));
        }
        assert_eq!(
            restored(engine),
            self.kept[state],
            "{context}, restored from the backup"
        );
        state
    }

    /// Finds the engine's state among these.
    pub(crate) fn find(&self, engine: &Engine, may: std::ops::Range<usize>) -> Option<usize> {
        let now = seen(engine);
        may.rev().find(|state| self.seen.get(*state) == Some(&now))
    }
}

/// The state that a client sees. Asserts that the examination finds no problem.
pub(crate) fn seen(engine: &Engine) -> Value {
    let tables = ask(engine, "ListTables", &json!({}));
    let mut all = vec![tables.clone()];
    for table in tables["TableNames"].as_array().unwrap() {
        let described = &ask(engine, "DescribeTable", &json!({"TableName": table}))["Table"];
        let globals = described["GlobalSecondaryIndexes"].as_array().unwrap();
        for index in globals
            .iter()
            .map(|index| &index["IndexName"])
            .chain([&Value::Null, &json!("ByN")])
        {
            let mut body = json!({"TableName": table});
            if !index.is_null() {
                body["IndexName"] = index.clone();
            }
            all.push(ask(engine, "Scan", &body));
        }
        let globals = globals
            .iter()
            .map(|index| json!([index["ItemCount"], index["IndexStatus"]]));
        let globals: Vec<Value> = globals.collect();
        all.push(json!([
            described["ItemCount"],
            described["TableSizeBytes"],
            described["TableId"],
            globals
        ]));
        all.push(ask(
            engine,
            "DescribeTimeToLive",
            &json!({"TableName": table}),
        ));
        let arn = &described["LatestStreamArn"];
        let shard = ask(engine, "DescribeStream", &json!({"StreamArn": arn}));
        let shard = &shard["StreamDescription"]["Shards"][0]["ShardId"];
        let from = json!({"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = &ask(engine, "GetShardIterator", &from)["ShardIterator"];
        all.push(ask(engine, "GetRecords", &json!({"ShardIterator": iterator}))["Records"].clone());
    }
    all.push(backups(engine));
    let examination = engine.examine().unwrap();
    assert!(examination.is_well(), "{:?}", examination.problems);
    all.into()
}

pub(crate) fn backups(engine: &Engine) -> Value {
    ask(engine, "ListBackups", &json!({}))["BackupSummaries"].clone()
}

/// The items of the table's backup, by restoring it; null without a backup.
fn restored(engine: &Engine) -> Value {
    let Some(backup) = backups(engine).as_array().unwrap().first().cloned() else {
        return Value::Null;
    };
    let restore = json!({"BackupArn": backup["BackupArn"], "TargetTableName": "Restored"});
    let answer = ask(engine, "RestoreTableFromBackup", &restore);
    assert!(answer["__type"].is_null(), "{answer}");
    engine.work().unwrap();
    ask(engine, "Scan", &json!({"TableName": "Restored"}))["Items"].clone()
}

/// Whether the answer is a failure of the device.
pub(crate) fn is_failure(answer: &Value) -> bool {
    answer["__type"]
        .as_str()
        .is_some_and(|kind| kind.contains("InternalServerError"))
}

fn wire(item: &keyfold_types::Item) -> Value {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    serde_json::from_slice(&out).unwrap()
}

fn token(at: usize) -> Value {
    json!({
        "ClientRequestToken": format!("token-{at}"),
        "TransactItems": [{"Update": {
            "TableName": "Tab", "Key": {"pk": {"S": "tokens"}, "sk": {"S": format!("{at}")}},
            "UpdateExpression": "ADD times :one", "ExpressionAttributeValues": {":one": {"N": "1"}},
        }}],
    })
}

pub(crate) fn table(name: &str) -> Value {
    let index = |name: &str, hash: &str, range: &str| {
        let key = json!([{"AttributeName": hash, "KeyType": "HASH"}, {"AttributeName": range, "KeyType": "RANGE"}]);
        json!({"IndexName": name, "KeySchema": key, "Projection": {"ProjectionType": "ALL"}})
    };
    let attributes = [("pk", "S"), ("sk", "S"), ("g", "S"), ("n", "N")];
    let attributes =
        attributes.map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind}));
    json!({
        "TableName": name,
        "AttributeDefinitions": attributes,
        "KeySchema": index("", "pk", "sk")["KeySchema"],
        "GlobalSecondaryIndexes": [index("ByG", "g", "n")],
        "LocalSecondaryIndexes": [index("ByN", "pk", "n")],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    })
}

/// Creates an index of the table, or deletes it.
fn change_indexes(engine: &Engine) -> Value {
    let described = ask(engine, "DescribeTable", &json!({"TableName": "Tab"}));
    if is_failure(&described) {
        return described;
    }
    let has_two = described["Table"]["GlobalSecondaryIndexes"]
        .as_array()
        .unwrap()
        .len()
        > 1;
    let index = json!({
        "IndexName": "Late",
        "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    });
    let update = if has_two {
        json!({"Delete": {"IndexName": "Late"}})
    } else {
        json!({"Create": index})
    };
    let attributes = json!([{"AttributeName": "sk", "AttributeType": "S"}]);
    let body = json!({"TableName": "Tab", "AttributeDefinitions": attributes, "GlobalSecondaryIndexUpdates": [update]});
    ask(engine, "UpdateTable", &body)
}

/// Creates a backup of the table, or deletes it.
fn change_backups(engine: &Engine) -> Value {
    let described = ask(engine, "ListBackups", &json!({}));
    if is_failure(&described) {
        return described;
    }
    match described["BackupSummaries"].as_array().unwrap().first() {
        Some(backup) => ask(
            engine,
            "DeleteBackup",
            &json!({"BackupArn": backup["BackupArn"]}),
        ),
        None => ask(
            engine,
            "CreateBackup",
            &json!({"TableName": "Tab", "BackupName": "kept"}),
        ),
    }
}

/// Makes a change. Returns whether it was acknowledged.
fn change(engine: &Engine, rng: &mut Rng, at: usize) -> bool {
    let put = |item: &Value| json!({"PutRequest": {"Item": item}});
    let expiring = json!({"AttributeName": "expires", "Enabled": true});
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let answer = match rng.u8(..15) {
        _ if at == 0 => ask(engine, "CreateTable", &table("Tab")),
        _ if at == 1 => {
            let body = json!({"TableName": "Tab", "TimeToLiveSpecification": expiring});
            ask(engine, "UpdateTimeToLive", &body)
        }
        _ if at == 2 => {
            let body = json!({"TableName": "Tab", "PointInTimeRecoverySpecification": recovery});
            ask(engine, "UpdateContinuousBackups", &body)
        }
        12 => change_indexes(engine),
        13 => change_backups(engine),
        14 => {
            // The item has expired when it is written.
            let item = json!({"pk": {"S": "old"}, "sk": {"S": format!("{at}")}, "g": {"S": "g"}, "n": {"N": "1"}, "expires": {"N": "1690000000"}});
            ask(
                engine,
                "PutItem",
                &json!({"TableName": "Tab", "Item": item}),
            )
        }
        0..4 => ask(
            engine,
            "PutItem",
            &json!({"TableName": "Tab", "Item": wire(&workload::item(rng))}),
        ),
        4 => ask(
            engine,
            "DeleteItem",
            &json!({"TableName": "Tab", "Key": wire(&workload::key(rng))}),
        ),
        5 | 6 => {
            let values = json!({":n": {"N": format!("{}", rng.i8(..))}, ":type": {"S": "N"}});
            let update = json!({
                "TableName": "Tab", "Key": wire(&workload::key(rng)), "UpdateExpression": "ADD n :n",
                "ConditionExpression": "attribute_not_exists(n) OR attribute_type(n, :type)",
                "ExpressionAttributeValues": values,
            });
            ask(engine, "UpdateItem", &update)
        }
        7 => {
            let item = |n: usize, part: u8| {
                let (part, n) = (format!("batch{part}"), format!("{n}"));
                json!({"pk": {"S": part}, "sk": {"S": n}, "g": {"S": "g"}, "n": {"N": n}})
            };
            let puts: Vec<Value> = (0..rng.usize(2..20))
                .map(|n| put(&item(n, rng.u8(..3))))
                .collect();
            ask(
                engine,
                "BatchWriteItem",
                &json!({"RequestItems": {"Tab": puts}}),
            )
        }
        8 | 9 => ask(engine, "TransactWriteItems", &token(at)),
        10 => {
            let tables = ask(engine, "ListTables", &json!({}));
            // The request failed.
            let Some(names) = tables["TableNames"].as_array() else {
                return false;
            };
            match names.iter().find(|name| **name != "Tab" && rng.bool()) {
                Some(name) => ask(engine, "DeleteTable", &json!({"TableName": name})),
                None => ask(engine, "CreateTable", &table(&format!("Other{at}"))),
            }
        }
        _ => {
            let big = "x".repeat(rng.usize(..40_000));
            let item = json!({"pk": {"S": "big"}, "sk": {"S": "x"}, "g": {"S": "g"}, "n": {"N": "1"}, "x": {"S": big}});
            ask(
                engine,
                "PutItem",
                &json!({"TableName": "Tab", "Item": item}),
            )
        }
    };
    if is_failure(&answer) {
        return false;
    }
    // A failed condition and a sum of too many digits change nothing, and count as changes.
    let answer = answer.to_string();
    let is_refused = ["ConditionalCheckFailed", "significant digits", "overflow"];
    let is_refused = is_refused.iter().any(|reason| answer.contains(reason));
    assert!(is_refused || !answer.contains("__type"), "{answer}");
    true
}

/// Repeats the request of a client without an answer: it is done once, whether it was done before or
/// not.
fn ask_again(engine: &Engine, at: usize) {
    assert_eq!(ask(engine, "TransactWriteItems", &token(at)), json!({}));
    let key =
        json!({"TableName": "Tab", "Key": {"pk": {"S": "tokens"}, "sk": {"S": format!("{at}")}}});
    assert_eq!(
        ask(engine, "GetItem", &key)["Item"]["times"],
        json!({"N": "1"}),
        "done once"
    );
}

/// The progress of a workload.
pub(crate) struct Progress {
    /// The number of acknowledged changes.
    pub(crate) acknowledged: usize,
    /// Whether the background work of the last one was done, too.
    pub(crate) is_settled: bool,
}

/// Makes changes until one is not acknowledged. Calls `after` for each, after its background work.
pub(crate) fn work(engine: &Engine, seed: u64, mut after: impl FnMut(&Engine)) -> Progress {
    let mut rng = Rng::with_seed(seed);
    let mut progress = Progress {
        acknowledged: 0,
        is_settled: true,
    };
    while progress.acknowledged < CHANGES && change(engine, &mut rng, progress.acknowledged) {
        progress.acknowledged += 1;
        progress.is_settled = engine.work().is_ok();
        if !progress.is_settled {
            break;
        }
        after(engine);
    }
    progress
}
