//! Types of attributes and parameters, and values.

use super::members::object;
use keyfold_model::schema::{Record, Type};
use keyfold_types::Value;
use serde_json::{Value as Json, json};

/// The records of a model that its types name, each once.
#[derive(Default)]
pub(super) struct Records {
    names: Vec<String>,
    all: Vec<Json>,
}

impl Records {
    pub(super) fn json(self) -> Json {
        Json::Array(self.all)
    }

    /// Adds a record and those that its fields name, which stand before it.
    fn add(&mut self, record: &Record) {
        // A reference is stored as the value that it is.
        let Record {
            name,
            fields,
            refers: _,
        } = record;
        if self.names.contains(name) {
            return;
        }
        self.names.push(name.clone());
        let fields: Vec<Json> = fields
            .iter()
            .map(|(name, kind, optional)| {
                object([
                    ("name", json!(name)),
                    ("type", json(kind, self)),
                    ("optional", json!(optional)),
                ])
            })
            .collect();
        self.all.push(json!({ "name": name, "fields": fields }));
    }
}

/// A type: a word, or an object that names the type inside. A record stands among the document's
/// records.
pub(super) fn json(kind: &Type, records: &mut Records) -> Json {
    match kind {
        Type::List(of) => json!({ "list": json(of, records) }),
        Type::Map(of) => json!({ "map": json(of, records) }),
        Type::Set(of) => json!({ "set": json(of, records) }),
        Type::Record(record) => {
            records.add(record);
            json!({ "record": record.name })
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
        | Type::Words(_) => scalar(kind),
    }
}

/// A type that fits into a key; of others, the word.
pub(super) fn scalar(kind: &Type) -> Json {
    match kind {
        Type::String => json!("string"),
        Type::Int => json!("int"),
        Type::Number => json!("number"),
        Type::Bool => json!("bool"),
        Type::Time(precision) => json!(format!("time.{}", precision.word())),
        Type::Date => json!("date"),
        Type::Period(unit) => json!(unit.word()),
        Type::Binary => json!("binary"),
        Type::Ulid => json!("ulid"),
        Type::Uuid => json!("uuid"),
        Type::Words(words) => json!({ "words": words }),
        Type::List(_) => json!("list"),
        Type::Map(_) => json!("map"),
        Type::Set(_) => json!("set"),
        Type::Record(_) => json!("record"),
    }
}

/// A value in DynamoDB's JSON: `{"S": "paid"}`.
pub(super) fn value(value: &Value) -> Json {
    let mut out = Vec::new();
    keyfold_wire::encode::encode_value(&mut out, value);
    serde_json::from_slice(&out).unwrap_or(Json::Null)
}
