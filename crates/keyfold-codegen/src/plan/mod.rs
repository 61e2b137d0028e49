//! The plan document: a checked model as JSON, for runtimes that carry it out without a compiler.
//!
//! It holds what a runtime needs and nothing else: tables, entities with their key templates and
//! whatever follows from a write of them, the plans of each pattern, the actions of each named
//! write. `docs/plan.md` describes it, `docs/plan.schema.json` is its JSON Schema. A member whose
//! value would be `false`, `null` or an empty array is left out.

mod condition;
mod entity;
mod key;
mod members;
mod pattern;
mod table;
mod types;
mod write;

use keyfold_model::{Model, value};
use members::object;
use serde_json::{Value as Json, json};

/// The version of the document's form. A runtime refuses a version that it does not know.
pub const VERSION: u32 = 1;

/// The plan document of a model.
pub fn document(model: &Model) -> Json {
    let Model {
        name,
        version,
        // Clients need no owners.
        files: _,
        tables,
        entities,
        // It follows from the entities.
        counted: _,
        patterns,
        writes,
    } = model;
    let mut records = types::Records::default();
    let entities: Vec<Json> = entities
        .iter()
        .map(|one| entity::json(model, one, &mut records))
        .collect();
    let patterns: Vec<Json> = patterns
        .iter()
        .map(|one| pattern::json(model, one, &mut records))
        .collect();
    let writes: Vec<Json> = writes
        .iter()
        .map(|one| write::json(model, one, &mut records))
        .collect();
    let tables: Vec<Json> = tables.iter().map(table::json).collect();
    let mut document = object([
        ("keyfoldPlan", json!(VERSION)),
        ("model", json!({ "name": name, "version": version })),
        ("records", records.json()),
        ("tables", json!(tables)),
        ("entities", json!(entities)),
        ("patterns", json!(patterns)),
        ("writes", json!(writes)),
    ]);
    let hash = value::digest(&document.to_string());
    if let Some(about) = document.get_mut("model").and_then(Json::as_object_mut) {
        about.insert("hash".to_owned(), json!(hash));
    }
    document
}
