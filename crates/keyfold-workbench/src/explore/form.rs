//! What the page needs of a model to make its forms.

use keyfold_codegen::chart::Chart;
use keyfold_model::schema::{Attribute, Limit, Parameter, WriteParameter};
use keyfold_model::{Entity, Model, Pattern, Type, Write};
use serde_json::{Value as Json, json};

/// The patterns and writes with their parameters, and the entities with their attributes.
pub(super) fn of(model: &Model) -> Json {
    let chart = Chart::of(model);
    let patterns = model.patterns.iter().map(|one| pattern(&chart, one));
    let entities = model.entities.iter().map(entity);
    let writes = model.writes.iter().map(|one| write(&chart, one));
    json!({
        "name": model.name,
        "patterns": patterns.collect::<Vec<_>>(),
        "entities": entities.collect::<Vec<_>>(),
        "writes": writes.collect::<Vec<_>>(),
    })
}

fn entity(entity: &Entity) -> Json {
    let attribute = |one: &Attribute| {
        json!({
            "name": one.name,
            "kind": one.kind.to_string(),
            "input": input(&one.kind),
            "words": words(&one.kind),
            "isOptional": one.optional || one.default.is_some(),
            "isKept": one.is_kept,
        })
    };
    json!({
        "name": entity.name,
        // The rows of a view follow from its source.
        "isWritten": entity.view.is_none(),
        "identity": entity.identity(),
        "attributes": entity.attributes.iter().map(attribute).collect::<Vec<_>>(),
    })
}

fn write(chart: &Chart, write: &Write) -> Json {
    let row = chart.writes.iter().find(|row| row.name == write.name);
    let parameter = |one: &WriteParameter| {
        json!({
            "name": one.name,
            "kind": one.kind.to_string(),
            "input": input(&one.kind),
            "words": words(&one.kind),
            "isOptional": one.optional,
            "isNow": one.is_now,
            "example": (input(&one.kind) == "json").then(|| example(&one.kind)),
        })
    };
    json!({
        "name": write.name,
        "actions": row.map(|row| &row.actions),
        "requests": row.map(|row| &row.requests),
        "parameters": write.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

/// A value of a type, for somebody to write over.
fn example(kind: &Type) -> Json {
    match kind {
        Type::Int | Type::Number => json!(0),
        Type::Bool => json!(false),
        Type::Words(words) => json!(words.first()),
        Type::Time(_) => json!("2026-01-31T12:00:00Z"),
        Type::Date => json!("2026-01-31"),
        Type::Period(_) => json!("2026-01"),
        Type::String | Type::Binary | Type::Ulid | Type::Uuid => json!(""),
        Type::List(of) | Type::Set(of) => json!([example(of)]),
        Type::Map(of) => json!({ "name": example(of) }),
        Type::Record(record) => {
            let fields = record
                .fields
                .iter()
                .filter(|(_, _, is_optional)| !is_optional);
            fields
                .map(|(name, kind, _)| (name.clone(), example(kind)))
                .collect()
        }
    }
}

fn pattern(chart: &Chart, pattern: &Pattern) -> Json {
    let row = chart.patterns.iter().find(|row| row.name == pattern.name);
    json!({
        "name": pattern.name,
        "returns": row.map(|row| &row.returns),
        "request": row.map(|row| &row.request),
        "place": row.map(|row| &row.place),
        "keyCondition": row.map(|row| &row.key_condition),
        "page": pattern.plan.page,
        "parameters": pattern.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

fn parameter(parameter: &Parameter) -> Json {
    let is_list = parameter.limit == Limit::Among;
    json!({
        "name": parameter.name,
        "kind": parameter.kind.to_string(),
        "input": input(&parameter.kind),
        "words": words(&parameter.kind),
        "isList": is_list,
        "isOptional": parameter.optional || parameter.is_now(),
        "isNow": parameter.is_now(),
    })
}

/// The kind of input of a type.
fn input(kind: &Type) -> &'static str {
    match kind {
        Type::Int | Type::Number => "number",
        Type::Bool => "bool",
        Type::Words(_) => "words",
        Type::Time(_) => "time",
        Type::Date => "date",
        Type::Period(_) => "period",
        Type::String | Type::Binary | Type::Ulid | Type::Uuid => "text",
        Type::List(_) | Type::Map(_) | Type::Set(_) | Type::Record(_) => "json",
    }
}

fn words(kind: &Type) -> Option<&[String]> {
    match kind {
        Type::Words(words) => Some(words),
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
        | Type::List(_)
        | Type::Map(_)
        | Type::Set(_)
        | Type::Record(_) => None,
    }
}
