//! Named writes of the model, and the transaction of entities that undoes one.
//!
//! The items of a named write are read before it is sent and once more behind it. Its inverse is what
//! leads their entities back: what was made is deleted, what was changed gets its attributes of before,
//! what was deleted is made again; copies, guards and counters follow as in every write.

use super::edit::{Verb, anew};
use super::exchange::send;
use super::fault::Fault;
use super::place::Place;
use super::shown::{self, Shown};
use super::step::touched;
use super::tables::of_model;
use super::typed;
use keyfold_api::{Request, Response, TransactGet, TransactGetItemsInput};
use keyfold_client::arguments;
use keyfold_client::kinds::{Kinds, Role};
use keyfold_lower::arguments::Values;
use keyfold_lower::kind_name::says_another;
use keyfold_lower::stored::values_of;
use keyfold_lower::write::{self, Part};
use keyfold_model::{Entity, Model};
use keyfold_types::Item;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// What the page asks.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) file: Option<usize>,
    write: String,
    /// The arguments as they were typed.
    values: BTreeMap<String, String>,
    /// What was shown, to carry it out; nothing is written without it.
    shown: Option<Shown>,
    /// Whether somebody has agreed a second time.
    #[serde(default, rename = "isSure")]
    is_sure: bool,
}

/// Shows what a named write does, or carries out what was shown.
pub(super) fn run(place: &Place, model: &Model, asked: &Asked) -> Result<Json, Fault> {
    let named = model
        .write(&asked.write)
        .ok_or_else(|| Fault::because(format!("the stored model has no write {}", asked.write)))?;
    let values = arguments::of_write(named, &asked.values)?;
    let make = |origin| write::run(origin, model, named, &values);
    let mut notes = Vec::new();
    let answered = match &asked.shown {
        None => shown::show(place, model, make, &mut notes).map(|(said, _)| said),
        Some(shown) => place.consent(asked.is_sure).and_then(|()| {
            let mut seen = None;
            let see = |request: &Request, notes: &mut Vec<Json>| {
                let keys = touched(model, request);
                let before = items(place, &keys, notes);
                seen = before.map(|before| (keys, before));
            };
            let mut said = shown::carry_out(place, make, shown, &mut notes, see)?;
            let back = seen.and_then(|(keys, before)| {
                let after = items(place, &keys, &mut notes)?;
                inverse(model, &keys, (&before, &after))
            });
            if let Some((parts, anew)) = back {
                said["inverse"] = json!({ "parts": parts });
                said["anew"] = anew.into();
            }
            Ok(said)
        }),
    };
    shown::noted(answered, notes)
}

/// Several writes of entities, in one transaction.
#[derive(Deserialize)]
pub(super) struct AskedParts {
    pub(super) file: Option<usize>,
    parts: Vec<OfEntity>,
    shown: Option<Shown>,
    #[serde(default, rename = "isSure")]
    is_sure: bool,
}

#[derive(Deserialize)]
struct OfEntity {
    verb: Verb,
    entity: String,
    values: BTreeMap<String, String>,
    #[serde(default)]
    removed: Vec<String>,
}

/// Shows what several writes do, or carries out what was shown.
pub(super) fn transact(place: &Place, model: &Model, asked: &AskedParts) -> Result<Json, Fault> {
    let of = |part: &OfEntity| {
        let entity = model.entity(&part.entity).ok_or_else(|| {
            Fault::because(format!("the stored model has no entity {}", part.entity))
        })?;
        let values = match part.verb {
            Verb::Create | Verb::Put => arguments::of_entity(entity, &part.values)?,
            Verb::Update | Verb::Delete => arguments::some_of_entity(entity, &part.values)?,
        };
        Ok((entity, values))
    };
    let given: Vec<(&Entity, Values)> = asked.parts.iter().map(of).collect::<Result<_, Fault>>()?;
    let parts: Vec<Part<'_>> = std::iter::zip(&asked.parts, &given)
        .map(|(asked, (entity, values))| part_of(asked, entity, values))
        .collect();
    let make = |origin| write::transact_at_once(origin, model, &parts);
    let mut notes = Vec::new();
    let answered = match &asked.shown {
        None => shown::show(place, model, make, &mut notes).map(|(said, _)| said),
        Some(shown) => place
            .consent(asked.is_sure)
            .and_then(|()| shown::carry_out(place, make, shown, &mut notes, |_, _| {})),
    };
    shown::noted(answered, notes)
}

fn part_of<'p>(asked: &'p OfEntity, entity: &'p Entity, values: &'p Values) -> Part<'p> {
    match asked.verb {
        Verb::Create => Part::Create { entity, values },
        Verb::Put => Part::Put { entity, values },
        Verb::Update => Part::Update {
            entity,
            changes: values,
            removed: &asked.removed,
        },
        Verb::Delete => Part::Delete {
            entity,
            key: values,
        },
    }
}

/// The items of these keys as they are at one moment; `None` where the place does not say.
pub(super) fn items(
    place: &Place,
    keys: &[(String, Item)],
    notes: &mut Vec<Json>,
) -> Option<Vec<Option<Item>>> {
    let one = |(table, key): &(String, Item)| TransactGet {
        table_name: Some(table.clone()),
        key: Some(Ok(key.clone())),
        ..TransactGet::default()
    };
    let input = TransactGetItemsInput {
        transact_items: Some(keys.iter().map(one).collect()),
        ..TransactGetItemsInput::default()
    };
    match send(place, input.into(), notes) {
        Ok(Response::TransactGetItems(found)) => {
            let found = found.responses.into_iter();
            Some(found.map(|one| one.map(|raw| raw.to_item())).collect())
        }
        Ok(_) | Err(_) => None,
    }
}

/// The writes that lead the entities of these items back, the last one first, and the attributes that
/// start anew; `None` where one of them cannot be led back.
fn inverse(
    model: &Model,
    keys: &[(String, Item)],
    (before, after): (&[Option<Item>], &[Option<Item>]),
) -> Option<(Vec<Json>, Vec<String>)> {
    let (mut parts, mut all_anew) = (Vec::new(), Vec::new());
    let pairs = std::iter::zip(before, after);
    for ((table, _), (before, after)) in std::iter::zip(keys, pairs).rev() {
        let (at, table) = of_model(model, table)?;
        let kinds = Kinds::of(model, at, table);
        let Some(item) = before.as_ref().or(after.as_ref()) else {
            continue;
        };
        let kind = kinds.kind_of(item)?;
        if kind.role != Role::Main || says_another(table, kind.name_of(table, item), item) {
            continue;
        }
        let entity = model.entities.get(kind.at)?;
        if entity.split.is_some() || entity.moves() {
            return None;
        }
        let names = || entity.attributes.iter().map(|one| one.name.as_str());
        let read = |item: &Option<Item>| match item {
            Some(item) => {
                let items = std::slice::from_ref(item);
                values_of(table, entity, None, names(), items)
                    .ok()
                    .map(Some)
            }
            None => Some(None),
        };
        let (before, after) = (read(before)?, read(after)?);
        if before.is_some() && after.is_none() {
            let kept = anew(entity, Verb::Delete).into_iter();
            all_anew.extend(kept.map(|name| format!("{}.{name}", entity.name)));
        }
        parts.extend(back(entity, before, after));
    }
    (!parts.is_empty()).then_some((parts, all_anew))
}

/// The write that leads an entity from its attributes of afterwards to those of before.
fn back(entity: &Entity, before: Option<Values>, after: Option<Values>) -> Option<Json> {
    let identity = entity.identity();
    let is_key = |name: &String| identity.contains(&name.as_str());
    let own = entity.attributes.iter().filter(|one| !one.is_kept);
    let own: Vec<&String> = own.map(|one| &one.name).collect();
    let is_own = |name: &String| own.contains(&name);
    let (verb, given, removed): (Verb, Values, Vec<&String>) = match (before, after) {
        (None, None) => return None,
        (None, Some(mut after)) => {
            after.retain(|name, _| is_key(name));
            (Verb::Delete, after, Vec::new())
        }
        (Some(mut before), None) => {
            before.retain(|name, _| is_own(name));
            (Verb::Create, before, Vec::new())
        }
        (Some(mut before), Some(after)) => {
            let is_new = |name: &&String| after.contains_key(*name) && !before.contains_key(*name);
            let removed: Vec<&String> = own.iter().copied().filter(is_new).collect();
            let is_same = |name: &String| after.get(name) == before.get(name);
            if removed.is_empty() && own.iter().all(|name| is_same(name)) {
                return None;
            }
            before.retain(|name, held| {
                is_key(name) || (is_own(name) && after.get(name) != Some(&*held))
            });
            (Verb::Update, before, removed)
        }
    };
    let given = given.iter().map(|(name, held)| (name.as_str(), held));
    Some(json!({
        "verb": verb,
        "entity": entity.name,
        "values": typed::pairs(given),
        "removed": removed,
    }))
}
