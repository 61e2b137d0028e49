//! Parts of the schema as texts, which differ when the parts differ.

use keyfold_model::schema::{KeyPair, Record};
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

/// A type with the fields of its records, and with its words in the order of the alphabet.
pub(super) fn type_text(kind: &Type) -> String {
    match kind {
        Type::List(of) => format!("list of {}", type_text(of)),
        Type::Map(of) => format!("map of {}", type_text(of)),
        // A reference changes no stored value.
        Type::Record(Record { name, fields, refers: _ }) => {
            let each = fields
                .iter()
                .map(|(name, kind, optional)| named(name, kind, *optional));
            format!("{name} {{{}}}", each.collect::<Vec<_>>().join(", "))
        }
        Type::Words(words) => {
            let mut sorted = words.clone();
            sorted.sort();
            sorted.join(" | ")
        }
        Type::String
        | Type::Int
        | Type::Number
        | Type::Bool
        | Type::Time(_)
        | Type::Date
        | Type::Period(_)
        | Type::Binary
        | Type::Ulid
        | Type::Uuid
        // The elements of a set have no parts.
        | Type::Set(_) => kind.to_string(),
    }
}

/// A field or parameter with its type.
pub(super) fn named(name: &str, kind: &Type, optional: bool) -> String {
    let mark = if optional { "?" } else { "" };
    format!("{name}: {}{mark}", type_text(kind))
}
