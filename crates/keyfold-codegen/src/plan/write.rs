//! Named writes and their actions.

use super::condition;
use super::members::object;
use super::types::{self, Records};
use keyfold_model::Model;
use keyfold_model::plan::upsert::Upserted;
use keyfold_model::schema::{
    Action, Assignment, Joint, Path, Source, Taken, Verb, Write, WriteParameter,
};
use serde_json::{Map, Value as Json, json};

pub(super) fn json(model: &Model, write: &Write, records: &mut Records) -> Json {
    let Write {
        name,
        span: _,
        parameters,
        actions,
    } = write;
    let optional = write.optional_parameters();
    object([
        ("name", json!(name)),
        (
            "parameters",
            parameters
                .iter()
                .map(|one| parameter(one, records))
                .collect(),
        ),
        (
            "actions",
            actions
                .iter()
                .map(|one| action(model, one, &optional))
                .collect(),
        ),
    ])
}

fn parameter(parameter: &WriteParameter, records: &mut Records) -> Json {
    let WriteParameter {
        name,
        kind,
        optional,
        is_now,
    } = parameter;
    object([
        ("name", json!(name)),
        ("type", types::json(kind, records)),
        ("optional", json!(optional)),
        ("now", json!(is_now)),
    ])
}

fn action(model: &Model, action: &Action, optional: &[String]) -> Json {
    let Action {
        verb,
        entity,
        alias,
        taken,
        each,
        assignments,
        otherwise,
        removed,
        conditions,
    } = action;
    let (whole, inner): (Vec<&Path>, Vec<&Path>) = removed.iter().partition(|path| path.is_whole());
    object([
        ("verb", json!(word(*verb))),
        (
            "entity",
            json!(model.entities.get(*entity).map(|one| &one.name)),
        ),
        ("as", json!(alias)),
        ("taken", taken.iter().map(taking).collect()),
        ("each", json!(each)),
        ("set", assignments.iter().map(assignment).collect()),
        ("otherwise", otherwise.iter().map(assignment).collect()),
        (
            "remove",
            whole.iter().map(|path| json!(path.attribute)).collect(),
        ),
        (
            "removeFields",
            inner.into_iter().map(condition::path).collect(),
        ),
        ("when", condition::all(conditions)),
        ("upserts", upserts(model, action, optional)),
    ])
}

fn word(verb: Verb) -> &'static str {
    match verb {
        Verb::Create => "create",
        Verb::Put => "put",
        Verb::Update => "update",
        Verb::Upsert => "upsert",
        Verb::Delete => "delete",
        Verb::Check => "check",
    }
}

fn taking(taken: &Taken) -> Json {
    let Taken {
        attribute,
        source,
        is_declared,
    } = taken;
    let source = match source {
        Source::Parameter(name) => json!({ "parameter": name }),
        Source::Literal(held) => json!({ "value": types::value(held) }),
        Source::Attribute { action, attribute } => {
            json!({ "action": action, "attribute": attribute })
        }
    };
    object([
        ("attribute", json!(attribute)),
        ("from", source),
        ("declared", json!(is_declared)),
    ])
}

fn assignment(assignment: &Assignment) -> Json {
    let Assignment {
        attribute,
        fields,
        left,
        right,
    } = assignment;
    let (joint, right) = match right {
        None => (Json::Null, Json::Null),
        Some((joint, right)) => {
            let joint = match joint {
                Joint::Plus => "plus",
                Joint::Minus => "minus",
                Joint::Before => "before",
            };
            (json!(joint), condition::operand(right))
        }
    };
    object([
        ("attribute", json!(attribute)),
        ("fields", json!(fields)),
        ("left", condition::operand(left)),
        ("joint", joint),
        ("right", right),
    ])
}

/// What an upsert as one update does to each stored attribute, for each choice of optional
/// parameters that the action uses; empty where the item is read first.
fn upserts(model: &Model, action: &Action, optional: &[String]) -> Json {
    if action.verb != Verb::Upsert {
        return Json::Null;
    }
    let assigned = action.assignments.iter().chain(&action.otherwise);
    let mut used: Vec<&String> = assigned.flat_map(Assignment::parameters).collect();
    let compared = action.conditions.iter().flat_map(|one| one.parameters());
    let compared: Vec<String> = compared.map(str::to_owned).collect();
    used.extend(&compared);
    let choices: Vec<&String> = optional.iter().filter(|name| used.contains(name)).collect();
    let subsets = (0_u32..1 << choices.len().min(CHOICES_MAX)).map(|bits| {
        let absent = choices.iter().enumerate();
        let absent = absent.filter(|(at, _)| bits & (1 << at) != 0);
        absent.map(|(_, name)| (*name).clone()).collect::<Vec<_>>()
    });
    subsets
        .filter_map(|absent| {
            let plan = model.upsert_plan(&action.without(&absent))?;
            let fates: Map<String, Json> = plan
                .into_iter()
                .map(|(name, fate)| (name, json!(fate_word(fate))))
                .collect();
            Some(object([
                ("without", json!(absent)),
                ("attributes", Json::Object(fates)),
            ]))
        })
        .collect()
}

/// Most optional parameters of which every choice is listed.
const CHOICES_MAX: usize = 10;

fn fate_word(fate: Upserted) -> &'static str {
    match fate {
        Upserted::Same => "same",
        Upserted::First => "first",
        Upserted::Moved => "moved",
        Upserted::Added => "added",
    }
}
