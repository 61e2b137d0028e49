//! Values and keys in the messages of findings.

use keyfold_model::value;
use keyfold_types::{Item, Value};

/// A value with its type in words: a text that looks like a number is none.
pub(super) fn of_its_type(value: &Value) -> String {
    let word = match value {
        Value::S(_) => "the text",
        Value::N(_) => "the number",
        Value::B(_) => "binary,",
        Value::Bool(_) | Value::Null => "",
        Value::L(_) => "the list",
        Value::M(_) => "the map",
        Value::Ss(_) | Value::Ns(_) | Value::Bs(_) => "the set",
    };
    format!("{word} `{}`", value::shown(value))
        .trim_start()
        .to_owned()
}

/// The difference of an attribute in words; `None` when there is none.
pub(super) fn difference(
    name: &str,
    expected: Option<&Value>,
    found: Option<&Value>,
) -> Option<String> {
    let show = |value: &Value| format!("`{}`", value::shown(value));
    match (expected, found) {
        (Some(one), Some(other)) if one == other => None,
        (None, None) => None,
        (Some(one), Some(other)) if one.kind() != other.kind() => Some(format!(
            "{name} is {} instead of {}",
            of_its_type(other),
            of_its_type(one)
        )),
        (Some(one), Some(other)) => Some(format!(
            "{name} is {} instead of {}",
            show(other),
            show(one)
        )),
        (Some(one), None) => Some(format!("{name} is missing, and should be {}", show(one))),
        (None, Some(other)) => Some(format!("{name} is {}, and should be absent", show(other))),
    }
}

/// A key as text.
pub(super) fn show(key: &Item) -> String {
    let each = key
        .iter()
        .map(|(name, held)| format!("{name}={}", value::shown(held)));
    each.collect::<Vec<_>>().join(" ")
}
