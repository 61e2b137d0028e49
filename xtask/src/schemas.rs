//! Values that the schemas of an API's description take, and values that they refuse.

use serde_json::{Map, Value, json};

/// The letters of a text that no key takes.
const LONG: usize = 5000;

/// A schema, also where it stands elsewhere in the description.
pub(crate) fn resolved<'d>(description: &'d Value, schema: &'d Value) -> &'d Value {
    let pointer = schema["$ref"]
        .as_str()
        .and_then(|text| text.strip_prefix('#'));
    pointer
        .and_then(|pointer| description.pointer(pointer))
        .unwrap_or(schema)
}

/// A value that a schema takes, as far as its type says.
pub(crate) fn good(description: &Value, schema: &Value) -> Value {
    let schema = resolved(description, schema);
    if let Some(one) = schema.pointer("/anyOf/0").or(schema.pointer("/enum/0")) {
        return match schema["anyOf"].is_array() {
            true => good(description, one),
            false => one.clone(),
        };
    }
    match schema["type"].as_str() {
        Some("object") => Value::Object(members(description, schema)),
        Some("array") => json!([good(description, &schema["items"])]),
        // A description may write the least whole number as `0.0`.
        Some("integer") => match schema["minimum"].as_f64() {
            Some(least) => serde_json::from_str(&format!("{least:.0}")).unwrap_or(json!(1)),
            None => json!(1),
        },
        Some("number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        _ if schema["format"] == "date-time" => json!("2026-11-28T10:00:00Z"),
        _ => json!("1"),
    }
}

fn members(description: &Value, schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, one)| (name.clone(), good(description, one)))
        .collect()
}

/// The paths of all members of a body, each item of an array as the first one: `lines[0].price`.
pub(crate) fn paths(description: &Value, schema: &Value, path: &str) -> Vec<String> {
    let schema = resolved(description, schema);
    let alternatives = schema["anyOf"].as_array().into_iter().flatten();
    let mut found: Vec<String> = alternatives
        .flat_map(|one| paths(description, one, path))
        .collect();
    if schema["items"].is_object() {
        let item = format!("{path}[0]");
        found.extend(paths(description, &schema["items"], &item));
        found.push(item);
    }
    for (name, one) in schema["properties"].as_object().into_iter().flatten() {
        let of = match path {
            "" => name.clone(),
            path => format!("{path}.{name}"),
        };
        found.extend(paths(description, one, &of));
        found.push(of);
    }
    found
}

/// Bodies with one value that no schema of a text or of a number takes, or that no key does, at each place.
pub(crate) fn spoilt(good: &Value) -> Vec<Value> {
    let wrong = [
        json!(null),
        json!({}),
        json!([]),
        json!("a".repeat(LONG)),
        json!("\u{0}"),
        json!("\u{10ffff}"),
        json!(1e300),
        json!(-1),
    ];
    let mut all = Vec::new();
    for place in places(good, "") {
        for value in &wrong {
            let mut body = good.clone();
            if let Some(held) = body.pointer_mut(&place) {
                *held = value.clone();
                all.push(body);
            }
        }
    }
    all
}

/// Bodies with a member that the schema does not have, and its path: one for each object.
pub(crate) fn with_unknown(good: &Value) -> Vec<(String, Value)> {
    let mut places = places(good, "");
    places.push(String::new());
    let mut all = Vec::new();
    for place in places {
        let mut body = good.clone();
        if let Some(Value::Object(members)) = body.pointer_mut(&place) {
            members.insert("zzz".to_owned(), json!(1));
            all.push((dotted(&format!("{place}/zzz")), body));
        }
    }
    all
}

/// A JSON pointer as the path that a problem names.
fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        match part.parse::<usize>() {
            Ok(at) => path.push_str(&format!("[{at}]")),
            Err(_) if path.is_empty() => path.push_str(part),
            Err(_) => path.push_str(&format!(".{part}")),
        }
    }
    path
}

/// The places of all values in a body, as JSON pointers.
fn places(value: &Value, at: &str) -> Vec<String> {
    let within: Vec<(String, &Value)> = match value {
        Value::Object(members) => (members.iter())
            .map(|(name, one)| (format!("{at}/{name}"), one))
            .collect(),
        Value::Array(items) => (items.iter().enumerate())
            .map(|(number, one)| (format!("{at}/{number}"), one))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    let own = within.iter().map(|(place, _)| place.clone());
    let mut all: Vec<String> = own.collect();
    all.extend(within.iter().flat_map(|(place, one)| places(one, place)));
    all
}

#[cfg(test)]
mod tests {
    use super::{good, paths, spoilt, with_unknown};
    use serde_json::json;

    #[test]
    fn bodies_are_made_of_a_description() {
        let line = json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 2.0 } } });
        let description = json!({ "line": line });
        let body = json!({
            "type": "object",
            "properties": {
                "lines": { "type": "array", "items": { "$ref": "#/line" } },
                "who": { "anyOf": [{ "type": "string" }, { "type": "null" }] },
            },
        });
        let made = good(&description, &body);
        assert_eq!(made, json!({ "lines": [{ "n": 2 }], "who": "1" }));
        let named = paths(&description, &body, "");
        assert_eq!(named, ["lines[0].n", "lines[0]", "lines", "who"]);
        let unknown = with_unknown(&made).into_iter().map(|(path, _)| path);
        assert_eq!(unknown.collect::<Vec<_>>(), ["lines[0].zzz", "zzz"]);
        assert!(spoilt(&made).contains(&json!({ "lines": [{ "n": null }], "who": "1" })));
    }
}
