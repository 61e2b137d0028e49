//! An engine with a table, on which targets carry requests out. Each thread has its own.

use keyfold_api::Operation;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};

/// Inputs after which a target gets a new engine, so that none becomes large.
const INPUTS_MAX: u32 = 1_000;

/// The name of the table.
pub(crate) const TABLE: &str = "Tab";

thread_local! {
    static SUCCESSES: Cell<u64> = const { Cell::new(0) };
    /// The engine, and the number of inputs that used it.
    static ENGINE: RefCell<Option<(Engine, u32)>> = const { RefCell::new(None) };
}

/// The number of requests of this thread that succeeded.
pub fn successes() -> u64 {
    SUCCESSES.get()
}

/// The operation of a name.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    let mut all = Operation::ALL.iter().copied();
    all.find(|known| known.name() == name)
}

/// Whether an operation writes files of the machine.
pub(crate) fn writes_files(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::ExportTableToPointInTime | Operation::ImportTable
    )
}

/// Carries a request out, and returns the answer as the wire encodes it; `None` if the body is not
/// decoded. An internal error, or an answer that is no JSON, is a finding.
pub(crate) fn ask(engine: &Engine, operation: Operation, body: &[u8]) -> Option<Vec<u8>> {
    let request = keyfold_wire::decode(operation, body).ok()?;
    let mut out = Vec::new();
    match engine.execute(request).wait() {
        Ok(response) => {
            SUCCESSES.set(SUCCESSES.get() + 1);
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
        let parsed: Result<Value, _> = serde_json::from_slice(&out);
        assert!(parsed.is_ok(), "an answer is JSON: {}", out.escape_ascii());
    }
    Some(out)
}

/// Carries out a request with this body.
pub(crate) fn ask_json(engine: &Engine, operation: Operation, body: &Value) -> Option<Vec<u8>> {
    ask(engine, operation, body.to_string().as_bytes())
}

/// The answer to a request as JSON; null if there is none.
fn answer(engine: &Engine, operation: Operation, body: &Value) -> Value {
    let answer = ask_json(engine, operation, body).unwrap_or_default();
    serde_json::from_slice(&answer).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The ARN of the table's stream.
pub(crate) fn stream(engine: &Engine) -> String {
    let description = answer(
        engine,
        Operation::DescribeTable,
        &json!({"TableName": TABLE}),
    );
    text(&description["Table"]["LatestStreamArn"])
}

/// The id of the stream's only shard.
pub(crate) fn shard(engine: &Engine, stream: &str) -> String {
    let description = answer(
        engine,
        Operation::DescribeStream,
        &json!({"StreamArn": stream}),
    );
    text(&description["StreamDescription"]["Shards"][0]["ShardId"])
}

/// Bytes in the protocol's base64.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_value(&mut out, &keyfold_types::Value::B(bytes.to_vec()));
    let encoded: Value = serde_json::from_slice(&out).unwrap_or_default();
    text(&encoded["B"])
}

/// Carries a request out in whose body `$stream`, `$shard`, `$iterator`, `$table` and `$backup`
/// stand for those of the engine.
pub(crate) fn ask_known(engine: &Engine, operation: Operation, body: &[u8]) -> Option<Vec<u8>> {
    let Some(template) = std::str::from_utf8(body)
        .ok()
        .filter(|one| one.contains('$'))
    else {
        return ask(engine, operation, body);
    };
    let stream = stream(engine);
    let shard = shard(engine, &stream);
    let from = json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = answer(engine, Operation::GetShardIterator, &from);
    let backups = answer(engine, Operation::ListBackups, &json!({}));
    let table = stream.split("/stream/").next().unwrap_or_default();
    let body = template
        .replace("$stream", &stream)
        .replace("$shard", &shard)
        .replace("$iterator", &text(&iterator["ShardIterator"]))
        .replace("$table", table)
        .replace(
            "$backup",
            &text(&backups["BackupSummaries"][0]["BackupArn"]),
        );
    ask(engine, operation, body.as_bytes())
}

/// An item with a value of each type.
pub(crate) fn item() -> Value {
    json!({
        "pk": {"S": "p"}, "sk": {"S": "s"}, "g": {"S": "g"}, "n": {"N": "12.5"}, "b": {"B": "AAEC"}, "t": {"BOOL": true},
        "z": {"NULL": true}, "l": {"L": [{"N": "1"}, {"S": "two"}, {"L": []}]},
        "m": {"M": {"a": {"S": "x"}, "deep": {"M": {"n": {"N": "7"}}}}},
        "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AA==", "AQ=="]},
    })
}

/// A new engine with the table, an item and a backup.
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
        "TableName": TABLE, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": attributes,
        "KeySchema": key("pk", "sk"), "GlobalSecondaryIndexes": [index("ByG", "g")],
        "LocalSecondaryIndexes": [index("ByN", "pk")],
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    });
    ask_json(&engine, Operation::CreateTable, &table);
    ask_json(
        &engine,
        Operation::PutItem,
        &json!({"TableName": TABLE, "Item": item()}),
    );
    ask_json(
        &engine,
        Operation::CreateBackup,
        &json!({"TableName": TABLE, "BackupName": "first"}),
    );
    let recovery = json!({"TableName": TABLE, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true}});
    ask_json(&engine, Operation::UpdateContinuousBackups, &recovery);
    engine.work().expect("an engine in memory does its work");
    engine
}

/// Drops this thread's engine: the next input gets a new one.
pub fn reset_engine() {
    ENGINE.with_borrow_mut(|engine| *engine = None);
}

/// Lends this thread's engine. An engine that has served its inputs is examined and replaced.
pub(crate) fn with_engine<T>(use_it: impl FnOnce(&Engine) -> T) -> T {
    ENGINE.with_borrow_mut(|current| {
        let (engine, inputs) = match current.take() {
            Some((engine, inputs)) if inputs < INPUTS_MAX => (engine, inputs + 1),
            Some((engine, _)) => {
                examine(&engine);
                (filled(), 0)
            }
            None => (filled(), 0),
        };
        let outcome = use_it(&engine);
        *current = Some((engine, inputs));
        outcome
    })
}

fn examine(engine: &Engine) {
    let found = engine
        .work()
        .and_then(|()| engine.examine())
        .expect("it works and can be examined");
    assert!(found.is_well(), "{:?}", found.problems);
}
