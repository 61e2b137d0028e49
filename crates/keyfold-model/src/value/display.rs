//! Values as people read them.

use keyfold_types::{Number, Value};

/// The most characters of a value in a message.
const SHOWN_MAX: usize = 120;

/// A value in a message: cut where it is long, and without characters that break the line, move the
/// cursor or change the direction of writing.
pub fn shown(value: &Value) -> String {
    shown_text(&display(value))
}

/// A value in a message, as [`shown`]; a text in quotes, so that `"5"` is not taken for a number.
pub(super) fn quoted(value: &Value) -> String {
    let text = shown(value);
    match value {
        Value::S(_) => format!("\"{text}\""),
        Value::N(_)
        | Value::Bool(_)
        | Value::Null
        | Value::B(_)
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => text,
    }
}

/// A text in a message, as [`shown`].
pub fn shown_text(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut out = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == SHOWN_MAX {
            out.push('…');
            break;
        }
        if is_hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

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
