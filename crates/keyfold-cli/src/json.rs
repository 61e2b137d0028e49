//! JSON for programs: the document that a command prints with `--json`, of the schema
//! `docs/json.schema.json`, and items as plain JSON values.

use crate::terminal;
use keyfold_client::FoundItem;
use keyfold_types::{Item, Number, Value};
use serde_json::{Map, Value as Json};

/// Prints the result of a command.
pub(crate) fn print(result: &Json) {
    terminal::exactly(&serde_json::json!({ "ok": true, "result": result }).to_string());
}

/// Prints the error of a command, with the report of a command that has a bad verdict.
pub(crate) fn print_failure((error, result): (Json, Option<Json>)) {
    let mut document = serde_json::json!({ "ok": false, "error": error });
    if let Some(result) = result {
        document["result"] = result;
    }
    terminal::exactly(&document.to_string());
}

/// A value as plain JSON: sets as arrays, binary values as base64, and numbers as JSON numbers, or
/// as texts if a JSON number would be another number.
pub(crate) fn value(value: &Value) -> Json {
    keyfold_client::json::plain(value, number)
}

fn number(number: &Number) -> Json {
    let text = number.to_string();
    match number.to_i64() {
        Some(integer) => Json::from(integer),
        // A double holds 15 digits exactly.
        None if number.digits() <= 15 => text
            .parse::<f64>()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .map_or(Json::from(text), Json::Number),
        None => Json::from(text),
    }
}

/// An item with its kind.
pub(crate) fn found(item: &FoundItem) -> Json {
    let attributes = item
        .attributes
        .iter()
        .map(|(name, stored)| (name.clone(), value(stored)));
    serde_json::json!({ "kind": item.kind, "attributes": Json::Object(attributes.collect::<Map<_, _>>()) })
}

/// An item in DynamoDB's typed JSON, as a cursor that `--after` takes.
pub(crate) fn typed(item: &Item) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    serde_json::from_slice(&out).unwrap_or(Json::Null)
}
