//! Values as people read them.

use keyfold_types::{Number, Value};

/// The text of a value as people read and type it.
pub fn display(value: &Value) -> String {
    match value {
        Value::S(text) => text.clone(),
        Value::N(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null => "null".to_owned(),
        Value::B(bytes) => format!("{} bytes", bytes.len()),
        Value::L(values) => format!(
            "[{}]",
            values.iter().map(display).collect::<Vec<_>>().join(", ")
        ),
        Value::M(map) => {
            let entries = map
                .iter()
                .map(|(name, value)| format!("{name}: {}", display(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Ss(set) => format!("<{}>", set.members().join(", ")),
        Value::Ns(set) => {
            format!(
                "<{}>",
                set.members()
                    .iter()
                    .map(Number::to_string)
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        Value::Bs(set) => format!("<{} binary values>", set.members().len()),
    }
}
