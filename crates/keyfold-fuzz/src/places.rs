//! An engine with a table, for targets that carry requests out.

use keyfold_api::Operation;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};
use serde_json::{Value, json};
use std::cell::RefCell;

/// Inputs after which a target starts with a new engine, so that none becomes large.
const INPUTS: u32 = 2_000;

thread_local! {
    static PLACE: RefCell<Option<(Engine, u32)>> = const { RefCell::new(None) };
}

/// Carries a request out; the answer as it goes over the wire, when the body could be read.
pub(crate) fn ask(engine: &Engine, operation: Operation, body: &[u8]) -> Option<Vec<u8>> {
    let request = keyfold_wire::decode(operation, body).ok()?;
    let mut out = Vec::new();
    match engine.execute(request).wait() {
        Ok(response) => keyfold_wire::encode_response(&mut out, &response),
        Err(error) => {
            assert!(!matches!(error, keyfold_api::ApiError::Internal(_)), "{error:?}");
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
    let options = EngineOptions { background: false, ..EngineOptions::new(StoreOptions::Memory) };
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
    ask_json(&engine, Operation::PutItem, &json!({"TableName": "Tab", "Item": item()}));
    engine
}

/// Lends the engine of this thread.
pub(crate) fn with_engine<T>(use_it: impl FnOnce(&Engine) -> T) -> T {
    PLACE.with_borrow_mut(|place| {
        let (engine, uses) = match place.take() {
            Some((engine, uses)) if uses < INPUTS => (engine, uses + 1),
            _ => (filled(), 0),
        };
        let outcome = use_it(&engine);
        *place = Some((engine, uses));
        outcome
    })
}
