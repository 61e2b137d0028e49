//! Values of one type, where no other is expected.

use keyfold_types::Value;
use std::collections::BTreeMap;

pub(crate) fn text(held: &Value) -> Option<&str> {
    let Value::S(text) = held else { return None };
    Some(text)
}

pub(crate) fn members(held: &Value) -> Option<&BTreeMap<String, Value>> {
    let Value::M(members) = held else { return None };
    Some(members)
}

pub(crate) fn elements(held: &Value) -> Option<&[Value]> {
    let Value::L(elements) = held else {
        return None;
    };
    Some(elements)
}

pub(crate) fn bytes(held: &Value) -> Option<&[u8]> {
    let Value::B(bytes) = held else { return None };
    Some(bytes)
}

pub(crate) fn count(held: &Value) -> Option<u64> {
    let Value::N(number) = held else { return None };
    number.to_string().parse().ok()
}

pub(crate) fn whole(held: &Value) -> Option<i64> {
    let Value::N(number) = held else { return None };
    number.to_i64()
}
