//! Engines and tables that the tests of this folder share.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test uses its part, and fails by panicking"
)]

use keyfold_api::{
    AttributeDefinition, BillingMode, CreateTableInput, KeySchemaElement, KeyType, Operation,
    Projection, ProjectionType, ScalarAttributeType, SecondaryIndex,
};
use keyfold_engine::{Clock, Durability, Engine, EngineOptions, Environment, Random, StoreOptions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A clock that stands still until it is advanced.
pub(crate) struct ManualClock(AtomicU64);

impl ManualClock {
    pub(crate) fn new() -> Arc<ManualClock> {
        Arc::new(ManualClock(AtomicU64::new(1_700_000_000_000)))
    }

    pub(crate) fn advance(&self, ms: u64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// A random source that counts, so that every engine has the same values: 1, 2, 3 ...
pub(crate) struct CountingRandom(AtomicU64);

impl CountingRandom {
    pub(crate) fn new() -> Arc<CountingRandom> {
        Arc::new(CountingRandom(AtomicU64::new(1)))
    }
}

impl Random for CountingRandom {
    fn next_u128(&self) -> u128 {
        u128::from(self.0.fetch_add(1, Ordering::SeqCst))
    }
}

/// An engine in memory with a manual clock, whose tests start the background work.
pub(crate) fn on_clock(change: impl FnOnce(&mut EngineOptions)) -> (Engine, Arc<ManualClock>) {
    let clock = ManualClock::new();
    let environment = Environment {
        clock: clock.clone(),
        ..Environment::system()
    };
    let mut options = EngineOptions {
        environment,
        background: false,
        ..EngineOptions::new(StoreOptions::Memory)
    };
    change(&mut options);
    (Engine::open(options).unwrap(), clock)
}

/// The answer to a request in DynamoDB JSON.
pub(crate) fn ask(engine: &Engine, operation: &str, body: &serde_json::Value) -> serde_json::Value {
    let operation = Operation::ALL
        .iter()
        .find(|known| known.name() == operation)
        .unwrap();
    let request = keyfold_wire::decode(*operation, body.to_string().as_bytes()).unwrap();
    let mut out = Vec::new();
    match engine.execute(request).wait() {
        Ok(response) => keyfold_wire::encode_response(&mut out, &response),
        Err(error) => keyfold_wire::encode_error(&mut out, &error),
    }
    serde_json::from_slice(&out).unwrap_or(serde_json::Value::Null)
}

pub(crate) fn durable(folder: &Path) -> Engine {
    let store = StoreOptions::folder(folder, Durability::Synced);
    Engine::open(EngineOptions::new(store)).unwrap()
}

pub(crate) fn memory_and_durable() -> (Vec<Engine>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Engine::open(EngineOptions::new(StoreOptions::Memory)).unwrap();
    (vec![memory, durable(&folder.path().join("data"))], folder)
}

fn key(elements: &[(&str, KeyType)]) -> Option<Vec<KeySchemaElement>> {
    let element = |(name, part): &(&str, KeyType)| KeySchemaElement {
        attribute_name: Some((*name).to_owned()),
        key_type: Some((*part).into()),
    };
    Some(elements.iter().map(element).collect())
}

/// A table (`pk`, `sk`) with the global index `ByG` (`g`, `n`) and the local index `ByN` (`pk`,
/// `n`).
pub(crate) fn create_table(engine: &Engine, name: &str) {
    create_table_with(engine, name, ProjectionType::All);
}

/// Creates the same table with another projection of both indexes.
pub(crate) fn create_table_with(engine: &Engine, name: &str, projection: ProjectionType) {
    let index = |name: &str, elements: &[(&str, KeyType)]| SecondaryIndex {
        index_name: Some(name.to_owned()),
        key_schema: key(elements),
        projection: Some(Projection {
            projection_type: Some(projection.into()),
            non_key_attributes: None,
        }),
        ..SecondaryIndex::default()
    };
    let kinds = [
        ("pk", ScalarAttributeType::S),
        ("sk", ScalarAttributeType::S),
        ("g", ScalarAttributeType::S),
        ("n", ScalarAttributeType::N),
    ];
    let definition = |(name, kind): (&str, ScalarAttributeType)| AttributeDefinition {
        attribute_name: Some(name.to_owned()),
        attribute_type: Some(kind.into()),
    };
    let input = CreateTableInput {
        table_name: Some(name.to_owned()),
        attribute_definitions: Some(kinds.into_iter().map(definition).collect()),
        key_schema: key(&[("pk", KeyType::Hash), ("sk", KeyType::Range)]),
        global_secondary_indexes: Some(vec![index(
            "ByG",
            &[("g", KeyType::Hash), ("n", KeyType::Range)],
        )]),
        local_secondary_indexes: Some(vec![index(
            "ByN",
            &[("pk", KeyType::Hash), ("n", KeyType::Range)],
        )]),
        billing_mode: Some(BillingMode::PayPerRequest.into()),
        ..CreateTableInput::default()
    };
    engine.create_table(input).wait().unwrap();
}
