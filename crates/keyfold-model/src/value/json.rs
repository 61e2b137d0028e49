//! JSON texts as values. Numbers are exact: none passes through floating point.

use jiter::{Jiter, Peek};
use keyfold_types::Value;
use std::collections::BTreeMap;

/// The deepest nesting of lists and objects in a text.
const DEPTH_MAX: usize = 128;

/// The value of a JSON text: lists and maps, texts, numbers, truth values and null. `None` when the
/// text is no JSON, is nested too deeply, or has a number that DynamoDB does not have.
pub(super) fn read(text: &str) -> Option<Value> {
    let mut reader = Jiter::new(text.as_bytes());
    let peek = reader.peek().ok()?;
    let value = value(&mut reader, peek, DEPTH_MAX)?;
    reader.finish().ok()?;
    Some(value)
}

fn value(reader: &mut Jiter<'_>, peek: Peek, depth: usize) -> Option<Value> {
    let deeper = depth.checked_sub(1)?;
    Some(match peek {
        Peek::Null => {
            reader.known_null().ok()?;
            Value::Null
        }
        Peek::True | Peek::False => Value::Bool(reader.known_bool(peek).ok()?),
        Peek::String => Value::from(reader.known_str().ok()?),
        Peek::Array => {
            let mut elements = Vec::new();
            let mut next = reader.known_array().ok()?;
            while let Some(peek) = next {
                elements.push(value(reader, peek, deeper)?);
                next = reader.array_step().ok()?;
            }
            Value::L(elements)
        }
        Peek::Object => {
            let mut entries = BTreeMap::new();
            let mut next = reader.known_object().ok()?.map(str::to_owned);
            while let Some(name) = next {
                let peek = reader.peek().ok()?;
                entries.insert(name, value(reader, peek, deeper)?);
                next = reader.next_key().ok()?.map(str::to_owned);
            }
            Value::M(entries)
        }
        number if number.is_num() => {
            let digits = reader.known_number_bytes(number).ok()?;
            Value::n(std::str::from_utf8(digits).ok()?).ok()?
        }
        _ => return None,
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
            Some(
                "{a: [1, -2.5, 1000, null, true, x\né], b: {}, n: 12345678901234567890.123456789}"
            )
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
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&deep(100)).is_some());
        assert!(read(&deep(10_000)).is_none());
    }
}
