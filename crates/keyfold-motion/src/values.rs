//! Numbers and texts as attributes of rows.

use keyfold_types::{Item, Value};

pub(crate) fn whole(number: u64) -> Value {
    Value::N(number.into())
}

pub(crate) fn text<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    match item.get(name) {
        Some(Value::S(text)) => Some(text),
        Some(_) | None => None,
    }
}

pub(crate) fn number(item: &Item, name: &str) -> Option<u64> {
    match item.get(name) {
        Some(Value::N(number)) => number.to_string().parse().ok(),
        Some(_) | None => None,
    }
}
