//! Generated clients make the same changes of records as all other clients, those of copies too.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::typed::{Change, Error, Events, Keyfold, OnUnknown};
use keyfold_generated::shared_events::{
    Ages, BasketImage, EventsClient, EventsEvent, EventsEventWithCopies, Log, User, UserCard,
    UserPerson,
};
use serde_json::{Value as Json, json};

/// A change as the cases show it: a kind, and images that have exactly the attributes of their struct.
fn shown<T>(kind: &str, change: &Change<T>, image: impl Fn(&T) -> Json) -> Json {
    let mut all = serde_json::Map::new();
    all.insert("kind".to_owned(), Json::from(kind));
    for (name, held) in [("old", &change.old), ("new", &change.new)] {
        if let Some(held) = held {
            let mut held = image(held);
            // An optional attribute that is absent.
            held.as_object_mut()
                .unwrap()
                .retain(|_, one| !one.is_null());
            all.insert(name.to_owned(), held);
        }
    }
    Json::Object(all)
}

fn user(of: &User) -> Json {
    let User {
        id,
        mail,
        age,
        words,
    } = of;
    json!({ "id": id.to_string(), "mail": mail, "age": age, "words": words })
}

fn basket(of: &BasketImage) -> Json {
    let BasketImage { id, note, lines } = of;
    json!({ "id": id.to_string(), "note": note, "lines": lines })
}

fn log(of: &Log) -> Json {
    let Log { id, at } = of;
    json!({ "id": id.to_string(), "at": format!("{at:.3}") })
}

/// The average has all digits.
fn ages(of: &Ages) -> Json {
    let Ages { mail, mean } = of;
    let mean = mean.as_ref().map(|mean| {
        assert_eq!(mean.to_string(), "25.863636363636363636363636363636363636");
        mean.to_string().parse::<f64>().unwrap()
    });
    json!({ "mail": mail, "mean": mean })
}

fn card(of: &UserCard) -> Json {
    let UserCard { mail } = of;
    json!({ "mail": mail })
}

fn person(of: &UserPerson) -> Json {
    let UserPerson {
        id,
        mail,
        age,
        words,
    } = of;
    json!({ "id": id.to_string(), "mail": mail, "age": age, "words": words })
}

fn entity(event: &EventsEvent) -> Json {
    match event {
        EventsEvent::User(change) => shown("User", change, user),
        EventsEvent::Basket(change) => shown("Basket", change, basket),
        EventsEvent::Log(change) => shown("Log", change, log),
        EventsEvent::Ages(change) => shown("Ages", change, ages),
    }
}

fn any(event: &EventsEventWithCopies) -> Json {
    match event {
        EventsEventWithCopies::User(change) => shown("User", change, user),
        EventsEventWithCopies::Basket(change) => shown("Basket", change, basket),
        EventsEventWithCopies::Log(change) => shown("Log", change, log),
        EventsEventWithCopies::Ages(change) => shown("Ages", change, ages),
        EventsEventWithCopies::UserCard(change) => shown("User.card", change, card),
        EventsEventWithCopies::UserPerson(change) => shown("User.person", change, person),
    }
}

/// What a reader makes of a record.
fn of_json<E: keyfold::typed::OfEvent>(
    events: &Events<'_, E>,
    record: &Json,
    show: fn(&E) -> Json,
) -> Result<Option<Json>, Error> {
    let json = json!({ "Records": [record] }).to_string();
    let found = events.of_json(json.as_bytes())?;
    Ok(found.first().map(show))
}

#[test]
fn generated_clients_make_the_events_of_all_clients() {
    let cases: Json =
        serde_json::from_str(include_str!("../../../clients/cases/events.json")).unwrap();
    let client = EventsClient::new(&Keyfold::memory().unwrap()).unwrap();
    let call = |case: &Json, skips: bool| {
        let on_unknown = if skips {
            OnUnknown::Skip
        } else {
            OnUnknown::Error
        };
        let record = &case["record"];
        if case["copies"] == true {
            let events = client.events_with_copies().on_unknown(on_unknown);
            of_json(&events, record, any)
        } else {
            of_json(&client.events().on_unknown(on_unknown), record, entity)
        }
    };
    let mut copies = 0;
    for case in cases["cases"].as_array().unwrap() {
        let name = &case["name"];
        let found = call(case, false);
        match case["event"].as_str() {
            Some("unknown") => {
                assert!(
                    matches!(found, Err(Error::UnknownItem(_))),
                    "{name}: {found:?}"
                );
                assert_eq!(call(case, true).unwrap(), None, "{name}");
            }
            Some(_) => assert!(
                matches!(found, Err(Error::Invalid { .. })),
                "{name}: {found:?}"
            ),
            None => {
                let event = &case["event"];
                copies += usize::from(
                    event["kind"]
                        .as_str()
                        .is_some_and(|kind| kind.contains('.')),
                );
                assert_eq!(found.unwrap().unwrap_or(Json::Null), *event, "{name}");
            }
        }
    }
    assert!(copies >= 2, "{copies} changes of copies");
}

#[test]
fn a_copy_is_told_from_its_entity() {
    let client = EventsClient::new(&Keyfold::memory().unwrap()).unwrap();
    let record = json!({ "dynamodb": {
        "Keys": { "PK": { "S": "CARDS" }, "SK": { "S": "a@x#a" } },
        "NewImage": { "entity": { "S": "User.card" }, "mail": { "S": "a@x" } },
    } });
    let json = json!({ "Records": [record] }).to_string();
    let found = client
        .events_with_copies()
        .of_json(json.as_bytes())
        .unwrap();
    let [EventsEventWithCopies::UserCard(change)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(change.old, None);
    assert_eq!(change.new.as_ref().unwrap().mail, "a@x");
    assert_eq!(client.events().of_json(json.as_bytes()).unwrap(), []);
}
