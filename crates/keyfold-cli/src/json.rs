//! JSON for programs: plain values, not DynamoDB's typed ones.

use keyfold_client::FoundItem;
use keyfold_types::{Item, Value};
use serde_json::{Map, Value as Json};

/// A value: numbers as JSON numbers (exact when they fit 64 bits, texts beyond), sets as arrays, binary as base64.
pub(crate) fn value(value_: &Value) -> Json {
    match value_ {
        Value::S(text) => Json::from(text.as_str()),
        Value::N(number) => {
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
        Value::Bool(truth) => Json::from(*truth),
        Value::Null => Json::Null,
        Value::L(values) => values.iter().map(value).collect(),
        Value::M(map) => map.iter().map(|(name, entry)| (name.clone(), value(entry))).collect(),
        Value::Ss(set) => set.members().iter().map(|text| Json::from(text.as_str())).collect(),
        Value::Ns(set) => set.members().iter().map(|number| value(&Value::N(*number))).collect(),
        Value::B(_) | Value::Bs(_) => {
            let mut out = Vec::new();
            keyfold_wire::encode::encode_value(&mut out, value_);
            serde_json::from_slice(&out).unwrap_or(Json::Null)
        }
    }
}

/// An item and what it is.
pub(crate) fn found(item: &FoundItem) -> Json {
    let attributes = item.attributes.iter().map(|(name, held)| (name.clone(), value(held)));
    serde_json::json!({ "kind": item.kind, "attributes": Json::Object(attributes.collect::<Map<_, _>>()) })
}

/// An item in DynamoDB's typed JSON: a cursor that can be given back.
pub(crate) fn typed(item: &Item) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    serde_json::from_slice(&out).unwrap_or(Json::Null)
}
