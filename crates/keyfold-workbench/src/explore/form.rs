//! What the page needs of a model to make its forms.

use keyfold_codegen::chart::Chart;
use keyfold_model::schema::{Attribute, Limit, Parameter};
use keyfold_model::{Entity, Model, Pattern, Type};
use serde_json::{Value as Json, json};

/// The patterns with their parameters, and the entities with their attributes.
pub(super) fn of(model: &Model) -> Json {
    let chart = Chart::of(model);
    let patterns = model.patterns.iter().map(|one| pattern(&chart, one));
    let entities = model.entities.iter().map(entity);
    json!({
        "name": model.name,
        "patterns": patterns.collect::<Vec<_>>(),
        "entities": entities.collect::<Vec<_>>(),
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
