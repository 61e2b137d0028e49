//! The engine inside a program: a request from the bytes of its body to the bytes of its answer.

use crate::workload;
use keyfold_api::Operation;
use keyfold_engine::{Engine, EngineOptions, StoreOptions};

/// Why a request or an engine failed, for people.
pub type Failed = Box<dyn std::error::Error>;

/// Decodes and executes a request, and encodes its answer.
///
/// # Errors
/// If the body is none of the operation, or the engine refuses it.
pub fn ask(engine: &Engine, operation: Operation, body: &[u8]) -> Result<Vec<u8>, Failed> {
    let request = keyfold_wire::decode(operation, body).map_err(|error| format!("{error:?}"))?;
    let response = engine.execute(request).wait()?;
    let mut out = Vec::with_capacity(256);
    keyfold_wire::encode_response(&mut out, &response);
    Ok(out)
}

/// An engine with the table `Bench`, filled with `items` items.
///
/// # Errors
/// If the store cannot be opened or written.
pub fn filled(store: StoreOptions, items: u64) -> Result<Engine, Failed> {
    let engine = Engine::open(EngineOptions::new(store))?;
    let table = workload::TABLES[0].as_bytes();
    ask(&engine, Operation::CreateTable, table)?;
    for from in (0..items).step_by(25) {
        let batch = workload::load_batch(from, items);
        ask(&engine, Operation::BatchWriteItem, &batch)?;
    }
    Ok(engine)
}
