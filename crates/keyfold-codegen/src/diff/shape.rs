//! Parts of the schema as texts, which differ when the parts differ.

use keyfold_model::schema::KeyPair;
use keyfold_model::{Entity, Type};

/// An entity or a view, as the model declares it.
pub(super) fn title(entity: &Entity) -> String {
    let word = entity.view.as_ref().map_or("entity", |_| "view");
    format!("{word} {}", entity.name)
}

/// The templates of a key.
pub(super) fn key_text(key: &KeyPair) -> String {
    let KeyPair {
        partition,
        sort,
        span: _,
    } = key;
    match sort {
        Some(sort) => format!("{partition} {sort}"),
        None => partition.to_string(),
    }
}

/// A field or parameter with its type.
pub(super) fn named(name: &str, kind: &Type, optional: bool) -> String {
    let mark = if optional { "?" } else { "" };
    format!("{name}: {}{mark}", kind.in_full())
}
