//! The order of values, by code that shares nothing with the client.

use keyfold_types::Value;
use std::cmp::Ordering;

/// The order of two values of one type; equal for types without an order.
pub(crate) fn order(one: &Value, two: &Value) -> Ordering {
    match (one, two) {
        (Value::S(one), Value::S(two)) => one.as_bytes().cmp(two.as_bytes()),
        (Value::N(one), Value::N(two)) => one.cmp(two),
        (Value::B(one), Value::B(two)) => one.cmp(two),
        _ => Ordering::Equal,
    }
}
