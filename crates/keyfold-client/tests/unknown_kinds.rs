//! Items that say another kind than their keys: the cases that all clients share, with what events and
//! `verify` say of the same items.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::Place;
use common::verifying::verify;
use keyfold_api::{PutItemInput, StreamEvent, StreamRecord};
use keyfold_client::event::Events;
use keyfold_client::read::{self, Pages};
use keyfold_client::verify::Options;
use keyfold_client::{ClientError, PageRequest, arguments, write};
use keyfold_lower::read::{Many, many as lower_many};
use keyfold_lower::{OnUnknown, Origin, Step};
use keyfold_model::Entity;
use keyfold_types::{Item, Value};
use serde_json::Value as Json;
use std::collections::BTreeMap;

const MODEL: &str = include_str!("../../../clients/cases/unknown.keyfold");
const CASES: &str = include_str!("../../../clients/cases/unknown.json");

/// A text as S, a number as N, a list as L.
fn value(plain: &Json) -> Value {
    match plain {
        Json::String(text) => Value::from(text.as_str()),
        Json::Number(number) => Value::from(number.as_i64().unwrap()),
        Json::Array(elements) => Value::L(elements.iter().map(value).collect()),
        Json::Null | Json::Bool(_) | Json::Object(_) => panic!("{plain}"),
    }
}

fn item(plain: &Json) -> Item {
    let members = plain.as_object().unwrap().iter();
    members
        .map(|(name, held)| (name.clone(), value(held)))
        .collect()
}

/// Arguments as a command line gives them.
fn given(plain: &Json) -> BTreeMap<String, String> {
    let members = plain.as_object().unwrap().iter();
    let text = |held: &Json| {
        held.as_str()
            .map_or_else(|| held.to_string(), str::to_owned)
    };
    members
        .map(|(name, held)| (name.clone(), text(held)))
        .collect()
}

/// What comes of a call, as the cases say it.
fn outcome(done: Result<Json, ClientError>) -> Json {
    match done {
        Ok(found) => found,
        Err(ClientError::UnknownItem(_)) => Json::from("unknown"),
        Err(ClientError::NotFound(_)) => Json::from("not_found"),
        Err(other) => panic!("{other}"),
    }
}

/// The id of an item; of a row its place.
fn shown(item: &keyfold_lower::FoundItem) -> Json {
    match item.get("id").or_else(|| item.get("place")) {
        Some(Value::S(text)) => Json::from(text.as_str()),
        other => panic!("{other:?}"),
    }
}

/// Entities by their keys.
fn many(
    place: &Place,
    entity: &Entity,
    keys: &[arguments::Values],
    on_unknown: OnUnknown,
) -> Result<Many, ClientError> {
    let origin = Origin {
        now_epoch_ms: 0,
        seed: 0,
    };
    let mut call = lower_many(origin, &place.model, entity, keys, (false, on_unknown));
    let mut answers = Vec::new();
    loop {
        match call.next(answers) {
            Step::Ask(requests) => {
                let answer = requests.into_iter().map(|one| place.backend.call(one));
                answers = answer.collect();
            }
            Step::Done(done) => return done,
            Step::Pause(_) => panic!("nothing is waited for"),
        }
    }
}

fn read(place: &Place, case: &Json, on_unknown: OnUnknown) -> Result<Json, ClientError> {
    if let Some(name) = case["get"].as_str() {
        let entity = place.entity(name);
        let keys = case["keys"].as_array().unwrap().iter();
        let keys = keys.map(|key| arguments::some_of_entity(entity, &given(key)));
        let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
        let found = many(place, entity, &keys, on_unknown)?;
        let shown = |one: &Option<_>| one.as_ref().map_or(Json::Null, shown);
        return Ok(found.items.iter().map(shown).collect());
    }
    let pattern = place.model.pattern(case["pattern"].as_str().unwrap());
    let pattern = pattern.unwrap();
    let values = arguments::of_pattern(pattern, &given(&case["arguments"]))?;
    let start = PageRequest {
        on_unknown,
        ..PageRequest::default()
    };
    let (backend, model) = (&place.backend, &place.model);
    let found = read::run(backend, model, pattern, &values, &start, Pages::All)?;
    Ok(found.items.iter().map(shown).collect())
}

/// Carries out the write of a case; `None` for a case that reads.
fn written(place: &Place, case: &Json) -> Option<Result<Json, ClientError>> {
    let (backend, model) = (&place.backend, &place.model);
    let values = || given(&case["values"]);
    let of = |verb: &str| case[verb].as_str().map(|name| place.entity(name));
    let done = if let Some(entity) = of("update") {
        let changes = arguments::some_of_entity(entity, &values()).unwrap();
        write::update(backend, model, entity, &changes, &[])
    } else if let Some(entity) = of("put") {
        let values = arguments::of_entity(entity, &values()).unwrap();
        write::put(backend, model, entity, &values)
    } else if let Some(entity) = of("delete") {
        let key = arguments::some_of_entity(entity, &values()).unwrap();
        write::delete(backend, model, entity, &key)
    } else {
        let named = model.write(case["write"].as_str()?).unwrap();
        let values = arguments::of_write(named, &values()).unwrap();
        write::run(backend, model, named, &values)
    };
    Some(done.map(|_| Json::Bool(true)))
}

/// The kind of the event of a record of this item.
fn event(place: &Place, image: Item) -> Result<Json, ClientError> {
    let record = StreamRecord {
        new_image: Some(Ok(image)),
        ..StreamRecord::default()
    };
    let record = StreamEvent {
        dynamodb: Some(record),
        ..StreamEvent::default()
    };
    let change = Events::new(&place.model).change(&record)?;
    Ok(change.map_or(Json::Null, |change| Json::from(change.kind)))
}

#[test]
fn reads_writes_events_and_verify_agree() {
    let cases: Json = serde_json::from_str(CASES).unwrap();
    for case in cases["cases"].as_array().unwrap() {
        let name = &case["name"];
        let place = Place::new(MODEL);
        let items = case["items"].as_array().unwrap();
        for one in items {
            let input = PutItemInput {
                table_name: Some(case["table"].as_str().unwrap_or("Main").to_owned()),
                item: Some(Ok(item(one))),
                ..PutItemInput::default()
            };
            place.backend.call(input.into()).unwrap();
        }
        let last = item(items.last().unwrap());
        assert_eq!(
            outcome(event(&place, last.clone())),
            case["event"],
            "{name}"
        );
        let (findings, _) = verify(&place, Options::default());
        let at = |key: &str| last.get(key).cloned();
        let mut findings = findings.iter();
        let is_found = findings.any(|one| {
            ["PK", "SK"]
                .iter()
                .all(|key| one.key.get(key).cloned() == at(key))
        });
        assert!(is_found || case["event"] != "unknown", "{name}");
        if let Some(done) = written(&place, case) {
            assert_eq!(outcome(done), case["done"], "{name}");
            continue;
        }
        let found = outcome(read(&place, case, OnUnknown::Error));
        assert_eq!(found, case["found"], "{name}");
        let skipped = case.get("skipped").unwrap_or(&case["found"]);
        let left_out = outcome(read(&place, case, OnUnknown::Skip));
        assert_eq!(left_out, *skipped, "{name}");
    }
}
