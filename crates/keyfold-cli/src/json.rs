//! JSON for programs: the one document that a command prints with `--json`, whose schema is
//! `docs/json.schema.json`; and plain values, not DynamoDB's typed ones.

use crate::terminal;
use keyfold_client::FoundItem;
use keyfold_types::{Item, Number, Value};
use serde_json::{Map, Value as Json};

/// Prints what a command found or did.
pub(crate) fn print(result: &Json) {
    terminal::line(&serde_json::json!({ "ok": true, "result": result }).to_string());
}

/// Prints why a command failed, and what it reports nevertheless.
pub(crate) fn print_failure(error: Json, result: Option<Json>) {
    let mut document = serde_json::json!({ "ok": false, "error": error });
    if let Some(result) = result {
        document["result"] = result;
    }
    terminal::line(&document.to_string());
}

/// A value: numbers as JSON numbers (exact when they fit 64 bits, texts beyond), sets as arrays,
/// binary as base64.
pub(crate) fn value(held: &Value) -> Json {
    keyfold_client::json::plain(held, number)
}

fn number(number: &Number) -> Json {
    let text = number.to_string();
    match number.to_i64() {
        Some(whole) => Json::from(whole),
        // A double keeps 15 digits; more would be another number.
        None if number.digits() <= 15 => text
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .map_or(Json::from(text), Json::Number),
        None => Json::from(text),
    }
}

/// An item and what it is.
pub(crate) fn found(item: &FoundItem) -> Json {
    let attributes = item
        .attributes
        .iter()
        .map(|(name, held)| (name.clone(), value(held)));
    serde_json::json!({ "kind": item.kind, "attributes": Json::Object(attributes.collect::<Map<_, _>>()) })
}

/// An item in DynamoDB's typed JSON: a cursor that can be given back.
pub(crate) fn typed(item: &Item) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    serde_json::from_slice(&out).unwrap_or(Json::Null)
}
