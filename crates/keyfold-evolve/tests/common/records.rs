//! Records of values, of which versions know different fields.

use keyfold_model::Type;
use keyfold_types::Value;

/// A value without the fields of records that a type does not have.
pub(crate) fn known_fields(kind: &Type, held: &Value) -> Value {
    match (kind, held) {
        (Type::List(of), Value::L(all)) => {
            Value::L(all.iter().map(|one| known_fields(of, one)).collect())
        }
        (Type::Record(record), Value::M(all)) => {
            let field = |(name, held): (&String, &Value)| {
                let mut fields = record.fields.iter();
                let (_, kind, _) = fields.find(|(known, ..)| known == name)?;
                Some((name.clone(), known_fields(kind, held)))
            };
            Value::M(all.iter().filter_map(field).collect())
        }
        (_, held) => held.clone(),
    }
}

/// The text of a value of one type as one of another: without the fields of records that this one does not have.
pub(crate) fn retyped(one: &Type, two: &Type, text: &str) -> String {
    let is_of_records = |kind: &Type| {
        let is_list = matches!(kind, Type::List(of) if matches!(**of, Type::Record(_)));
        is_list || matches!(kind, Type::Record(_))
    };
    match is_of_records(one) && is_of_records(two) {
        false => text.to_owned(),
        true => {
            let held = keyfold_model::value::parse("", one, text).unwrap();
            json(&known_fields(two, &held))
        }
    }
}

/// A value as JSON, of the types that are drawn inside of records.
pub(crate) fn json(held: &Value) -> String {
    match held {
        Value::S(text) => format!("\"{text}\""),
        Value::L(all) => format!("[{}]", all.iter().map(json).collect::<Vec<_>>().join(", ")),
        Value::M(all) => {
            let field = |(name, held): (&String, &Value)| format!("\"{name}\": {}", json(held));
            format!(
                "{{{}}}",
                all.iter().map(field).collect::<Vec<_>>().join(", ")
            )
        }
        Value::N(_)
        | Value::B(_)
        | Value::Bool(_)
        | Value::Null
        | Value::Ss(_)
        | Value::Ns(_)
        | Value::Bs(_) => keyfold_model::value::display(held),
    }
}
