//! JSON texts as values. Numbers are exact: none passes through floating point.

use jiter::{Jiter, Peek};
use keyfold_types::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The deepest nesting of lists and objects in a text.
const DEPTH_MAX: usize = 128;

/// The reason why a text is no value.
#[derive(Debug, PartialEq)]
pub(super) enum Fault {
    /// It is no JSON, is nested too deeply, or has a number that DynamoDB does not have.
    Form,
    /// An object has this key twice.
    Twice(String),
}

impl From<jiter::JsonError> for Fault {
    fn from(_: jiter::JsonError) -> Fault {
        Fault::Form
    }
}

impl From<jiter::JiterError> for Fault {
    fn from(_: jiter::JiterError) -> Fault {
        Fault::Form
    }
}

/// The value of a JSON text: lists and maps, texts, numbers, truth values and null.
pub(super) fn read(text: &str) -> Result<Value, Fault> {
    let mut reader = Jiter::new(text.as_bytes());
    let peek = reader.peek()?;
    let value = value(&mut reader, peek, DEPTH_MAX)?;
    reader.finish()?;
    Ok(value)
}

fn value(reader: &mut Jiter<'_>, peek: Peek, depth: usize) -> Result<Value, Fault> {
    let deeper = depth.checked_sub(1).ok_or(Fault::Form)?;
    Ok(match peek {
        Peek::Null => {
            reader.known_null()?;
            Value::Null
        }
        Peek::True | Peek::False => Value::Bool(reader.known_bool(peek)?),
        Peek::String => Value::from(reader.known_str()?),
        Peek::Array => {
            let mut elements = Vec::new();
            let mut next = reader.known_array()?;
            while let Some(peek) = next {
                elements.push(value(reader, peek, deeper)?);
                next = reader.array_step()?;
            }
            Value::L(elements)
        }
        Peek::Object => {
            let mut entries = BTreeMap::new();
            let mut next = reader.known_object()?.map(str::to_owned);
            while let Some(name) = next {
                let peek = reader.peek()?;
                let held = value(reader, peek, deeper)?;
                match entries.entry(name) {
                    Entry::Vacant(entry) => entry.insert(held),
                    Entry::Occupied(entry) => return Err(Fault::Twice(entry.key().clone())),
                };
                next = reader.next_key()?.map(str::to_owned);
            }
            Value::M(entries)
        }
        number if number.is_num() => {
            let digits = reader.known_number_bytes(number)?;
            let digits = std::str::from_utf8(digits).map_err(|_| Fault::Form)?;
            Value::n(digits).map_err(|_| Fault::Form)?
        }
        _ => return Err(Fault::Form),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::display;

    #[test]
    fn a_text_is_one_json_value_with_exact_numbers() {
        let text = r#" {"a": [1, -2.50, 1e3, null, true, "x\n\u00e9"], "b": {}, "n": 12345678901234567890.123456789} "#;
        assert_eq!(
            read(text).map(|value| display(&value)).as_deref(),
            Ok("{a: [1, -2.5, 1000, null, true, x\né], b: {}, n: 12345678901234567890.123456789}")
        );
        for wrong in [
            "",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{\"a\":1,}",
            "1 2",
            "NaN",
            "Infinity",
            "-Infinity",
            "[01]",
            "[1e999]",
            "\"\u{1}\"",
            "[",
            "{1: 2}",
            "[+1]",
            "[.5]",
            "nul",
        ] {
            assert_eq!(read(wrong), Err(Fault::Form), "{wrong}");
        }
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&deep(100)).is_ok());
        assert!(read(&deep(10_000)).is_err());
    }
}
