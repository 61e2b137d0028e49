//! Values in messages for people.

use keyfold_model::value;
use keyfold_types::Value;

/// A comparison for people.
pub(crate) fn print(attribute: &str, comparison: &str, value: &Value) -> String {
    let text = if let Value::S(text) = value {
        format!("\"{}\"", text.replace(char::MAX, "…"))
    } else {
        value::shown(value)
    };
    format!("{attribute}{comparison}{text}")
}
