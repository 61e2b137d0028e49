//! Rows and items of the places, what their attributes say, and the errors of a place.

use keyfold_api::ErrorKind;
use keyfold_client::ClientError;
use keyfold_types::{Item, Value};

pub(crate) fn item(key: usize, value: i64) -> Item {
    let mut item = Item::from_iter([("id", format!("k{key}"))]);
    item.insert("v", value);
    item
}

/// The row of the move of another table.
pub(crate) const OTHER: &str = "U run";

/// Whether a row is that of another table, or of a move which has made no table.
pub(crate) fn is_only_begun(row: &Item) -> bool {
    part_of(row) == OTHER || (part_of(row) == "T run" && row.get("target").is_none())
}

/// The order of a phase.
pub(crate) fn order(phase: &Value) -> usize {
    let all = ["copying", "following", "aborting", "completing"];
    all.iter().position(|one| *one == text(phase)).unwrap()
}

pub(crate) fn part_of(item: &Item) -> &str {
    text(item.get("part").unwrap())
}

pub(crate) fn text(value: &Value) -> &str {
    match value {
        Value::S(text) => text,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn value<'a>(
    attributes: &'a keyfold_api::ExpressionAttributes,
    name: &str,
) -> &'a Value {
    attributes
        .values
        .as_ref()
        .unwrap()
        .as_ref()
        .unwrap()
        .get(name)
        .unwrap()
}

pub(crate) fn condition_failed() -> ClientError {
    service(ErrorKind::ConditionalCheckFailed)
}

pub(crate) fn not_found() -> ClientError {
    service(ErrorKind::ResourceNotFound)
}

pub(crate) fn service(kind: ErrorKind) -> ClientError {
    ClientError::Service {
        kind: Some(kind),
        exception: String::new(),
        message: kind.exception().to_owned(),
        reasons: Vec::new(),
        found: Vec::new(),
    }
}
