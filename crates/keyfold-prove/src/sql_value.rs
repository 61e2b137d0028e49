//! Values in SQL: canonical texts of the prover's own. Two values of a type have the same text only
//! where they are equal, so that a comparison of texts is one of values.

use keyfold_model::Type;
use keyfold_types::{Number, Value};
use rusqlite::types::Value as Sql;
use std::fmt::Write as _;

/// A value in SQL: a number, or a text. Bytes are hexadecimal digits, whose order is theirs; what
/// holds other values is JSON, into which conditions look.
pub(crate) fn sql(value: Option<&Value>) -> Sql {
    match value {
        None | Some(Value::Null) => Sql::Null,
        Some(Value::S(text)) => Sql::Text(text.clone()),
        Some(Value::N(number)) => match number.to_i64() {
            Some(integer) => Sql::Integer(integer),
            None => number.to_string().parse().map_or(Sql::Null, Sql::Real),
        },
        Some(Value::Bool(truth)) => Sql::Integer(i64::from(*truth)),
        Some(Value::B(bytes)) => Sql::Text(hexadecimal(bytes)),
        Some(whole @ (Value::L(_) | Value::M(_) | Value::Ss(_) | Value::Ns(_) | Value::Bs(_))) => {
            Sql::Text(json(whole))
        }
    }
}

/// A value as JSON, in which an element or a field equals [`sql`] of the same value.
pub(crate) fn json(value: &Value) -> String {
    match value {
        Value::S(text) => json_text(text),
        Value::N(number) => json_number(number),
        Value::Bool(truth) => i64::from(*truth).to_string(),
        Value::Null => "null".to_owned(),
        Value::B(bytes) => json_text(&hexadecimal(bytes)),
        Value::L(values) => array(values.iter().map(json).collect()),
        Value::M(map) => {
            let members = map.iter();
            let members: Vec<String> = members
                .map(|(name, held)| format!("{}:{}", json_text(name), json(held)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Value::Ss(set) => set_of(set.members().iter().map(|one| json_text(one))),
        Value::Ns(set) => set_of(set.members().iter().map(json_number)),
        Value::Bs(set) => set_of(set.members().iter().map(|one| json_text(&hexadecimal(one)))),
    }
}

/// The value that a fixed text of the model is, in an attribute of this type.
pub(crate) fn of_text(kind: &Type, text: &str) -> Option<Value> {
    match kind {
        Type::Int | Type::Number => text.parse().ok().map(Value::N),
        Type::Bool => text.parse().ok().map(Value::Bool),
        Type::String
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Ulid
        | Type::Uuid
        | Type::Words(_) => Some(Value::from(text)),
        Type::Binary | Type::List(_) | Type::Map(_) | Type::Set(_) | Type::Record(_) => None,
    }
}

/// Whether a value is the one of a fixed text.
pub(crate) fn is_of_text(value: &Value, text: &str) -> bool {
    match value {
        Value::S(held) => held == text,
        Value::N(held) => text.parse::<Number>().is_ok_and(|number| number == *held),
        Value::Bool(held) => text.parse::<bool>().is_ok_and(|truth| truth == *held),
        Value::B(_)
        | Value::Null
        | Value::L(_)
        | Value::M(_)
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => false,
    }
}

fn array(elements: Vec<String>) -> String {
    format!("[{}]", elements.join(","))
}

/// A set has no order: its elements are in that of their texts.
fn set_of(elements: impl Iterator<Item = String>) -> String {
    let mut elements: Vec<String> = elements.collect();
    elements.sort_unstable();
    array(elements)
}

/// A number that SQLite reads as [`sql`] has it.
fn json_number(number: &Number) -> String {
    match sql(Some(&Value::N(*number))) {
        Sql::Real(real) => format!("{real:e}"),
        Sql::Integer(integer) => integer.to_string(),
        Sql::Null | Sql::Text(_) | Sql::Blob(_) => "null".to_owned(),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _infallible = write!(text, "{byte:02x}");
    }
    text
}

/// A JSON text.
fn json_text(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' => "\\\"".to_owned(),
            '\\' => "\\\\".to_owned(),
            c if (c as u32) < 32 => format!("\\u{:04x}", c as u32),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyfold_types::Set;

    #[test]
    fn different_values_have_different_texts() {
        let bytes = |all: &[&[u8]]| -> Vec<_> { all.iter().map(|one| one.to_vec()).collect() };
        let list = |all: &[&[u8]]| Value::L(bytes(all).into_iter().map(Value::B).collect());
        let set = |all: &[&[u8]]| Value::Bs(Set::new(bytes(all)).unwrap());
        let texts = |all: &[&str]| Value::L(all.iter().map(|one| Value::from(*one)).collect());
        let all = [
            list(&[b"a", b"b"]),
            list(&[b"b", b"a"]),
            list(&[b"ab"]),
            set(&[b"a", b"c"]),
            set(&[b"a", b"d"]),
            set(&[b"ac"]),
            texts(&["a, b"]),
            texts(&["a", "b"]),
            texts(&["a\",\"b"]),
            Value::L(vec![texts(&["a"]), texts(&[])]),
            Value::L(vec![texts(&[]), texts(&["a"])]),
        ];
        for (at, one) in all.iter().enumerate() {
            for other in all.iter().skip(at + 1) {
                assert_ne!(json(one), json(other), "{one:?} {other:?}");
            }
        }
        assert_eq!(json(&set(&[b"a", b"c"])), json(&set(&[b"c", b"a"])));
    }
}
