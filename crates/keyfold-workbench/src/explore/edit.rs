//! Writes of entities through the model.

use super::fault::Fault;
use super::place::Place;
use super::shown::{self, Shown};
use super::typed;
use keyfold_client::{OnUnknown, arguments, drive, origin};
use keyfold_lower::arguments::Values;
use keyfold_lower::write::{self, Made, Written};
use keyfold_lower::{Lowering, Origin, read};
use keyfold_model::{Entity, Model};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: Option<usize>,
    entity: String,
    verb: Verb,
    /// The attributes as they were typed.
    values: BTreeMap<String, String>,
    /// The attributes that a change takes away.
    #[serde(default)]
    removed: Vec<String>,
    /// What was shown, to carry it out; nothing is written without it.
    shown: Option<Shown>,
    /// Whether somebody has agreed a second time.
    #[serde(default, rename = "isSure")]
    is_sure: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verb {
    Create,
    Put,
    Update,
    Delete,
}

/// Shows what a write does, or carries out what was shown.
pub(super) fn write(place: &Place, model: &Model, asked: &Asked) -> Result<Json, Fault> {
    let entity = model.entity(&asked.entity).ok_or_else(|| {
        Fault::because(format!("the stored model has no entity {}", asked.entity))
    })?;
    let values = match asked.verb {
        Verb::Create | Verb::Put => arguments::of_entity(entity, &asked.values)?,
        Verb::Update | Verb::Delete => arguments::some_of_entity(entity, &asked.values)?,
    };
    let mut notes = Vec::new();
    let answered = match &asked.shown {
        None => show(place, model, (entity, asked, &values), &mut notes),
        Some(shown) => place.consent(asked.is_sure).and_then(|()| {
            let make = |origin| lowered(origin, model, (entity, asked, &values));
            shown::carry_out(place, make, shown, &mut notes, |_, _| {})
        }),
    };
    shown::noted(answered, notes)
}

/// A write: of an entity, as it was asked, with these values.
type Of<'w> = (&'w Entity, &'w Asked, &'w Values);

fn lowered<'w>(
    origin: Origin,
    model: &'w Model,
    (entity, asked, values): Of<'w>,
) -> Lowering<'w, Written> {
    match asked.verb {
        Verb::Create => write::create(origin, model, entity, values),
        Verb::Put => write::put(origin, model, entity, values),
        Verb::Update => write::update(origin, model, entity, values, &asked.removed),
        Verb::Delete => write::delete(origin, model, entity, values),
    }
}

fn show(place: &Place, model: &Model, of: Of<'_>, notes: &mut Vec<Json>) -> Result<Json, Fault> {
    let (entity, asked, values) = of;
    let before = match asked.verb {
        Verb::Create => None,
        Verb::Put | Verb::Update | Verb::Delete => stored(place, model, entity, values),
    };
    let (mut said, made) = shown::show(place, model, |origin| lowered(origin, model, of), notes)?;
    said["inverse"] = inverse(of, before.as_ref(), &made).into();
    said["anew"] = anew(entity, asked.verb).into();
    Ok(said)
}

/// The attributes of the stored entity; `None` where there is none, or where it is not one item.
fn stored(place: &Place, model: &Model, entity: &Entity, values: &Values) -> Option<Values> {
    let names = entity.identity();
    let key: Values = values
        .iter()
        .filter(|(name, _)| names.contains(&name.as_str()))
        .map(|(name, held)| (name.clone(), held.clone()))
        .collect();
    let (keys, how) = ([key], (true, OnUnknown::Skip));
    let read = drive(
        &place.backend,
        read::many(origin(), model, entity, &keys, how),
    );
    let found = read.ok()?.items.into_iter().next()??;
    Some(found.attributes.into_iter().collect())
}

/// The write that undoes another one.
fn inverse(
    (entity, asked, values): Of<'_>,
    before: Option<&Values>,
    made: &[Made],
) -> Option<Json> {
    let names = entity.identity();
    let is_own = |name: &str| {
        entity
            .attributes
            .iter()
            .any(|one| one.name == name && !one.is_kept)
    };
    let (verb, given, removed): (Verb, Values, Vec<&String>) = match (asked.verb, before) {
        (Verb::Create, _) | (Verb::Put, None) => {
            let made = made
                .iter()
                .map(|one| (one.attribute.clone(), one.value.clone()));
            let mut key: Values = values.clone().into_iter().chain(made).collect();
            key.retain(|name, _| names.contains(&name.as_str()));
            (Verb::Delete, key, Vec::new())
        }
        (Verb::Put, Some(before)) => (Verb::Put, before.clone(), Vec::new()),
        (Verb::Delete, before) => (Verb::Create, before?.clone(), Vec::new()),
        (Verb::Update, before) => {
            let (before, changed) = (before?, values.keys().chain(&asked.removed));
            let (there, absent): (Vec<&String>, Vec<&String>) =
                changed.partition(|name| before.contains_key(*name));
            let old = there
                .into_iter()
                .filter_map(|name| Some((name.clone(), before.get(name)?.clone())));
            (Verb::Update, old.collect(), absent)
        }
    };
    let given = given
        .iter()
        .filter(|(name, _)| is_own(name) || verb == Verb::Delete);
    Some(json!({
        "verb": verb,
        "entity": entity.name,
        "values": typed::pairs(given.map(|(name, held)| (name.as_str(), held))),
        "removed": removed,
    }))
}

/// The attributes that an entity which is created again has anew.
pub(super) fn anew(entity: &Entity, verb: Verb) -> Vec<&str> {
    let kept = entity
        .attributes
        .iter()
        .filter(|one| one.is_kept && verb == Verb::Delete);
    kept.map(|one| one.name.as_str()).collect()
}
