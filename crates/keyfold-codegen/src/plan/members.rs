//! Objects of the document.

use serde_json::{Map, Value as Json};

/// An object without the members that are `false`, `null` or empty arrays.
pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
    let is_said = |value: &Json| match value {
        Json::Null | Json::Bool(false) => false,
        Json::Array(elements) => !elements.is_empty(),
        Json::Bool(true) | Json::Number(_) | Json::String(_) | Json::Object(_) => true,
    };
    let said = members.into_iter().filter(|(_, value)| is_said(value));
    let members: Map<String, Json> = said.map(|(name, value)| (name.to_owned(), value)).collect();
    Json::Object(members)
}
