//! An engine with a table, for targets that carry requests out.

use keyfold_api::Operation;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};

/// Inputs after which a target starts with a new engine, so that none becomes large.
const INPUTS: u32 = 1_000;

thread_local! {
    static GOOD: Cell<u64> = const { Cell::new(0) };
    static PLACE: RefCell<Option<(Engine, u32)>> = const { RefCell::new(None) };
}

/// How many requests of this thread were answered with what they asked for, and not with an error.
pub fn good_answers() -> u64 {
    GOOD.get()
}

/// Carries a request out; the answer as it goes over the wire, when the body could be read.
pub(crate) fn ask(engine: &Engine, operation: Operation, body: &[u8]) -> Option<Vec<u8>> {
    let request = keyfold_wire::decode(operation, body).ok()?;
    let mut out = Vec::new();
    match engine.execute(request).wait() {
        Ok(response) => {
            GOOD.set(GOOD.get() + 1);
            keyfold_wire::encode_response(&mut out, &response);
        }
        Err(error) => {
            assert!(
                !matches!(error, keyfold_api::ApiError::Internal(_)),
                "{error:?}"
            );
            keyfold_wire::encode_error(&mut out, &error);
        }
    }
    if !out.is_empty() {
        let told: Result<Value, _> = serde_json::from_slice(&out);
        assert!(told.is_ok(), "an answer is JSON: {}", out.escape_ascii());
    }
    Some(out)
}

pub(crate) fn ask_json(engine: &Engine, operation: Operation, body: &Value) -> Option<Vec<u8>> {
    ask(engine, operation, body.to_string().as_bytes())
}

/// The table's stream.
pub(crate) fn stream(engine: &Engine) -> String {
    let answer = ask_json(
        engine,
        Operation::DescribeTable,
        &json!({"TableName": "Tab"}),
    )
    .unwrap_or_default();
    let told: Value = serde_json::from_slice(&answer).unwrap_or_default();
    told["Table"]["LatestStreamArn"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// The stream's only shard.
pub(crate) fn shard(engine: &Engine, stream: &str) -> String {
    let answer = ask_json(
        engine,
        Operation::DescribeStream,
        &json!({"StreamArn": stream}),
    )
    .unwrap_or_default();
    let told: Value = serde_json::from_slice(&answer).unwrap_or_default();
    told["StreamDescription"]["Shards"][0]["ShardId"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// Bytes as the protocol writes them.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_value(&mut out, &keyfold_types::Value::B(bytes.to_vec()));
    let told: Value = serde_json::from_slice(&out).unwrap_or_default();
    told["B"].as_str().unwrap_or_default().to_owned()
}

/// Carries a request out in which `$stream`, `$shard`, `$iterator`, `$table` and `$backup` stand
/// for what there is.
pub(crate) fn ask_known(engine: &Engine, operation: Operation, body: &[u8]) -> Option<Vec<u8>> {
    let Ok(text) = std::str::from_utf8(body) else {
        return ask(engine, operation, body);
    };
    if !text.contains('$') {
        return ask(engine, operation, body);
    }
    let stream = stream(engine);
    let shard = shard(engine, &stream);
    let from = json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let told = |operation, body: &Value| -> Value {
        let answer = ask_json(engine, operation, body).unwrap_or_default();
        serde_json::from_slice(&answer).unwrap_or_default()
    };
    let iterator = told(Operation::GetShardIterator, &from);
    let backups = told(Operation::ListBackups, &json!({}));
    let table = stream
        .split("/stream/")
        .next()
        .unwrap_or_default()
        .to_owned();
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let text = text
        .replace("$stream", &stream)
        .replace("$shard", &shard)
        .replace("$iterator", &of(&iterator["ShardIterator"]))
        .replace("$table", &table)
        .replace("$backup", &of(&backups["BackupSummaries"][0]["BackupArn"]));
    ask(engine, operation, text.as_bytes())
}

/// An item that has everything.
pub(crate) fn item() -> Value {
    json!({
        "pk": {"S": "p"}, "sk": {"S": "s"}, "g": {"S": "g"}, "n": {"N": "12.5"}, "b": {"B": "AAEC"}, "t": {"BOOL": true},
        "z": {"NULL": true}, "l": {"L": [{"N": "1"}, {"S": "two"}, {"L": []}]},
        "m": {"M": {"a": {"S": "x"}, "deep": {"M": {"n": {"N": "7"}}}}},
        "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AA==", "AQ=="]},
    })
}

fn filled() -> Engine {
    let options = EngineOptions {
        background: false,
        ..EngineOptions::new(StoreOptions::Memory)
    };
    let engine = Engine::open(options).expect("an engine in memory opens");
    let key = |hash: &str, range: &str| json!([{"AttributeName": hash, "KeyType": "HASH"}, {"AttributeName": range, "KeyType": "RANGE"}]);
    let index = |name: &str, hash: &str| json!({"IndexName": name, "KeySchema": key(hash, "n"), "Projection": {"ProjectionType": "ALL"}});
    let attributes = [("pk", "S"), ("sk", "S"), ("g", "S"), ("n", "N")]
        .map(|(name, kind)| json!({"AttributeName": name, "AttributeType": kind}));
    let table = json!({
        "TableName": "Tab", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": attributes,
        "KeySchema": key("pk", "sk"), "GlobalSecondaryIndexes": [index("ByG", "g")],
        "LocalSecondaryIndexes": [index("ByN", "pk")],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    });
    ask_json(&engine, Operation::CreateTable, &table);
    ask_json(
        &engine,
        Operation::PutItem,
        &json!({"TableName": "Tab", "Item": item()}),
    );
    ask_json(
        &engine,
        Operation::CreateBackup,
        &json!({"TableName": "Tab", "BackupName": "first"}),
    );
    let recovery = json!({"TableName": "Tab", "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}});
    ask_json(&engine, Operation::UpdateContinuousBackups, &recovery);
    engine.work().expect("an engine in memory does its work");
    engine
}

/// Lets the next input begin with a new engine.
pub fn start_anew() {
    PLACE.with_borrow_mut(|place| *place = None);
}

/// Lends the engine of this thread.
pub(crate) fn with_engine<T>(use_it: impl FnOnce(&Engine) -> T) -> T {
    PLACE.with_borrow_mut(|place| {
        let (engine, uses) = match place.take() {
            Some((engine, uses)) if uses < INPUTS => (engine, uses + 1),
            used => {
                if let Some((engine, _)) = used {
                    let found = engine
                        .work()
                        .and_then(|()| engine.examine())
                        .expect("it works and can be examined");
                    assert!(found.is_well(), "{:?}", found.problems);
                }
                (filled(), 0)
            }
        };
        let outcome = use_it(&engine);
        *place = Some((engine, uses));
        outcome
    })
}
