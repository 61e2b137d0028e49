//! Types as texts that differ where stored values may.

use crate::schema::{Record, Type};

/// A type with the fields of its records, and its words in the order of the alphabet.
pub(super) fn type_text(kind: &Type) -> String {
    match kind {
        Type::List(of) => format!("list of {}", type_text(of)),
        Type::Map(of) => format!("map of {}", type_text(of)),
        Type::Record(Record {
            name,
            fields,
            refers: _,
        }) => {
            let one = |(name, kind, optional): &(String, Type, bool)| {
                let mark = if *optional { "?" } else { "" };
                format!("{name}: {}{mark}", type_text(kind))
            };
            let fields: Vec<String> = fields.iter().map(one).collect();
            format!("{name} {{{}}}", fields.join(", "))
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
        | Type::Set(_) => kind.to_string(),
    }
}
