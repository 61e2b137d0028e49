//! Items with an `id` that another program wrote: they have no guard, and the first write that is
//! given their key makes it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::Place;
use keyfold_api::DeleteItemInput;
use keyfold_client::ClientError;
use keyfold_types::{Item, Value};

const MODEL: &str = r##"
model m 1
table Tab (PK, SK) type kind
entity Prod
  pid: string, cat: string, score: string
  key "CAT#{cat}" "{score}#{pid}"
  id pid
pattern p(pid) -> Prod?
"##;

/// An item at the key of `p`, with this `id`.
fn with_id(pid: &str) -> Place {
    let place = Place::new(MODEL);
    place.put_raw(&[
        ("PK", "CAT#c"),
        ("SK", "5#p"),
        ("pid", pid),
        ("cat", "c"),
        ("score", "5"),
        ("kind", "Prod"),
    ]);
    place
}

fn place() -> Place {
    with_id("p")
}

const OWN: [(&str, &str); 3] = [("pid", "p"), ("cat", "c"), ("score", "5")];

fn guards(place: &Place) -> usize {
    let is_guard =
        |item: &&Item| matches!(item.get("PK"), Some(Value::S(text)) if text.starts_with("UNIQUE"));
    place.stored().iter().filter(is_guard).count()
}

#[test]
fn a_put_at_its_own_key_makes_the_guard() {
    let place = place();
    assert!(place.found("p", &[("pid", "p")], "cat").is_empty());
    place.put("Prod", &OWN);
    assert_eq!(place.found("p", &[("pid", "p")], "cat"), ["c"]);
    // From now on it moves.
    place.update("Prod", &[("pid", "p"), ("cat", "d")]).unwrap();
    assert_eq!(place.found("p", &[("pid", "p")], "cat"), ["d"]);
    assert_eq!(place.stored().len(), 2);
}

#[test]
fn an_update_or_delete_by_its_whole_key_finds_it() {
    let first = place();
    first.update("Prod", &OWN).unwrap();
    assert_eq!((guards(&first), first.stored().len()), (1, 2));
    let second = place();
    let absent = second.delete("Prod", &[("pid", "p")]);
    assert!(matches!(absent, Err(ClientError::NotFound(_))));
    second.delete("Prod", &OWN).unwrap();
    assert!(second.stored().is_empty());
}

#[test]
fn an_item_of_another_id_is_not_put_over() {
    let place = with_id("q");
    let values = place.values("Prod", &OWN);
    let entity = place.entity("Prod");
    let refused = keyfold_client::write::put(&place.backend, &place.model, entity, &values);
    let reason = refused.unwrap_err().to_string();
    assert!(reason.contains("an item with another pid"), "{reason}");
    assert_eq!(place.stored().len(), 1);
}

/// The guard says the place; its other attributes are not compared.
#[test]
fn a_guard_without_the_attribute_of_types_follows() {
    let place = Place::new(MODEL);
    place.put("Prod", &OWN);
    let guard = place.stored().into_iter().find(guards_it).unwrap();
    let key = ["PK", "SK"].map(|name| (name, guard.get(name).cloned().unwrap()));
    let mut input = DeleteItemInput {
        table_name: Some("Tab".to_owned()),
        ..DeleteItemInput::default()
    };
    let mut of_guard = Item::new();
    for (name, value) in key {
        of_guard.insert(name, value);
    }
    input.key = Some(Ok(of_guard));
    place.backend.call(input.into()).unwrap();
    let texts: Vec<(String, String)> = guard
        .iter()
        .filter(|(name, _)| *name != "kind")
        .map(|(name, value)| (name.clone(), keyfold_model::value::display(value)))
        .collect();
    let texts: Vec<(&str, &str)> = texts
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    place.put_raw(&texts);
    place.update("Prod", &[("pid", "p"), ("cat", "d")]).unwrap();
    assert_eq!(place.found("p", &[("pid", "p")], "cat"), ["d"]);
}

fn guards_it(item: &Item) -> bool {
    matches!(item.get("kind"), Some(Value::S(kind)) if kind == "unique")
}
