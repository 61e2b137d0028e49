//! Stored values as plain JSON. `keyfold-wire` writes DynamoDB's typed JSON.

use keyfold_types::{Number, Value};
use serde_json::Value as Json;

/// Returns a value as plain JSON: sets as arrays, binary as base64, numbers as `of_number` makes
/// them.
pub fn plain(value: &Value, of_number: fn(&Number) -> Json) -> Json {
    match value {
        Value::S(text) => Json::from(text.as_str()),
        Value::N(number) => of_number(number),
        Value::Bool(truth) => Json::from(*truth),
        Value::Null => Json::Null,
        Value::L(all) => all.iter().map(|one| plain(one, of_number)).collect(),
        Value::M(map) => map
            .iter()
            .map(|(name, entry)| (name.clone(), plain(entry, of_number)))
            .collect(),
        Value::Ss(set) => set
            .members()
            .iter()
            .map(|text| Json::from(text.as_str()))
            .collect(),
        Value::Ns(set) => set.members().iter().map(of_number).collect(),
        Value::B(_) | Value::Bs(_) => {
            let mut out = Vec::new();
            keyfold_wire::encode::encode_value(&mut out, value);
            // The typed JSON is `{"B": ".."}`, whose one member's value is the base64.
            let typed: Json = serde_json::from_slice(&out).unwrap_or(Json::Null);
            typed
                .as_object()
                .and_then(|one| one.values().next().cloned())
                .unwrap_or(Json::Null)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_is_base64_at_every_depth() {
        let bytes = Value::B(vec![0, 1, 2]);
        let list = Value::L(vec![bytes.clone(), Value::Bool(true)]);
        let of_number = |number: &Number| Json::from(number.to_string());
        assert_eq!(plain(&bytes, of_number), "AAEC");
        assert_eq!(plain(&list, of_number), serde_json::json!(["AAEC", true]));
    }
}
