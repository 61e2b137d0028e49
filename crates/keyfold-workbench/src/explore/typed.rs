//! Items and values as DynamoDB's JSON, by `keyfold-wire`.

use super::fault::Fault;
use keyfold_types::{Item, Value};
use serde_json::{Value as Json, json};

pub(super) fn item(item: &Item) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_item(&mut out, item);
    serde_json::from_slice(&out).unwrap_or(Json::Null)
}

pub(super) fn value(value: &Value) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_value(&mut out, value);
    serde_json::from_slice(&out).unwrap_or(Json::Null)
}

/// Values with their names, in their order.
pub(super) fn pairs<'v>(all: impl IntoIterator<Item = (&'v str, &'v Value)>) -> Json {
    let pair = |(name, held)| json!([name, value(held)]);
    all.into_iter().map(pair).collect()
}

/// Reads an item that the page sends back.
pub(super) fn read(json: &Json) -> Result<Item, Fault> {
    keyfold_wire::client::decode_item(json.to_string().as_bytes())
        .map_err(|_| Fault::because("this is no item in JSON".to_owned()))
}
