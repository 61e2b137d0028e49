//! Text attributes of items.

use keyfold_types::{Item, Value};

/// The text of a value; `None` if it has another type.
pub(crate) fn text(value: &Value) -> Option<&str> {
    if let Value::S(text) = value {
        Some(text)
    } else {
        None
    }
}

/// The text of an attribute; `None` if the item lacks it or it has another type.
pub(crate) fn text_of<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    item.get(name).and_then(text)
}

/// The text of an attribute of each item; `None` if one lacks it.
pub(crate) fn texts_of<'i>(items: &[&'i Item], name: &str) -> Option<Vec<(&'i str, &'i Item)>> {
    items
        .iter()
        .map(|item| Some((text_of(item, name)?, *item)))
        .collect()
}
