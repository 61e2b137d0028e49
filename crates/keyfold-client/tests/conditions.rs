//! Conditions of filters and writes: what holds, and what a refusal says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::{ClientError, arguments, write};

const MODEL: &str = "model m 1
table Tab (PK, SK) type kind
record Address
  city: string, floor: int?
entity Lock
  name: string, holder: string?, until: time?, address: Address?
  key \"LOCK#{name}\" \"LOCK\"
entity Item
  owner: string, n: int, total: int?, note: string?
  key \"OWNER#{owner}\" \"ITEM#{n:03}\"
  version edition
entity Note
  owner: string, n: int, total: int?
  key \"OWNER#{owner}\" \"NOTE#{n:03}\"
pattern lock(name) -> Lock?
pattern items(owner, least: int?, text: string?) -> Item[] filter not (total < least or note = text) page 10
pattern some(owner) -> Item[] + Note[] filter kind = Note or total in 2..1
write take(by: string)
  put Lock set holder = by when (missing until or until < now)
write move(city: string)
  update Lock set holder = \"moved\" when address.city = city or address.floor in (1, 2) and exists holder
write raise(least: int)
  update Item set total = total + 1 when total >= least and (missing note or size(note) < 3)
";

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<(), ClientError> {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text))?;
    write::run(&place.backend, &place.model, named, &values).map(|_| ())
}

#[test]
fn a_put_is_conditional() {
    let place = Place::new(MODEL);
    let take = |by: &str, until: &str, now: &str| {
        let now = [("name", "a"), ("by", by), ("until", until), ("now", now)];
        run(&place, "take", &now)
    };
    let holder = || place.found("lock", &[("name", "a")], "holder");
    take("ada", "2024-01-01T10:00:00Z", "2024-01-01T09:00:00Z").unwrap();
    assert_eq!(holder(), ["ada"]);
    let refused = take("bob", "2024-01-01T11:00:00Z", "2024-01-01T09:30:00Z").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "put Lock: the Lock with name = a does not meet the condition missing until or until < now (now = 2024-01-01T09:30:00.000Z)"
    );
    assert_eq!(holder(), ["ada"]);
    take("bob", "2024-01-01T11:00:00Z", "2024-01-01T10:30:00Z").unwrap();
    assert_eq!(holder(), ["bob"]);
    // The clock is read where the caller gives no moment.
    let args = [
        ("name", "a"),
        ("by", "eve"),
        ("until", "2024-01-01T12:00:00Z"),
    ];
    run(&place, "take", &args).unwrap();
    assert_eq!(holder(), ["eve"]);
}

#[test]
fn a_refusal_names_the_action_and_the_condition() {
    let place = Place::new(MODEL);
    place.put(
        "Lock",
        &[("name", "a"), ("address", r#"{"city":"Bonn","floor":1}"#)],
    );
    let refused = run(&place, "move", &[("name", "a"), ("city", "Ulm")]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "update Lock: the Lock with name = a does not meet the condition address.city = city or (address.floor in (1, 2) and exists holder) (city = Ulm)"
    );
    let absent = run(&place, "move", &[("name", "b"), ("city", "Ulm")]).unwrap_err();
    assert!(matches!(absent, ClientError::NotFound(_)), "{absent:?}");
    assert_eq!(absent.to_string(), "there is no Lock with name = b");
    run(&place, "move", &[("name", "a"), ("city", "Bonn")]).unwrap();
    run(&place, "move", &[("name", "a"), ("city", "Ulm")]).unwrap();
    let raise = |n: &str| {
        let outcome = run(&place, "raise", &[("owner", "o"), ("n", n), ("least", "5")]);
        outcome.map_err(|error| error.to_string())
    };
    place.put("Item", &[("owner", "o"), ("n", "1"), ("total", "5")]);
    place.put(
        "Item",
        &[("owner", "o"), ("n", "2"), ("total", "5"), ("note", "long")],
    );
    raise("1").unwrap();
    assert_eq!(
        raise("2").unwrap_err(),
        "update Item: the Item with owner = o, n = 2 does not meet the condition total >= least and (missing note or size(note) < 3) (least = 5)"
    );
}

#[test]
fn comparisons_without_their_argument_are_left_out() {
    let place = Place::new(MODEL);
    for (n, more) in [
        ("1", ("total", "3")),
        ("2", ("note", "x")),
        ("3", ("total", "9")),
    ] {
        place.put("Item", &[("owner", "o"), ("n", n), more]);
    }
    let items = |more: &[(&str, &str)]| {
        let all = [&[("owner", "o")], more].concat();
        place.found("items", &all, "n")
    };
    assert_eq!(items(&[]), ["1", "2", "3"]);
    // An absent total is not below 5.
    assert_eq!(items(&[("least", "5")]), ["2", "3"]);
    assert_eq!(items(&[("least", "5"), ("text", "x")]), ["3"]);
}

#[test]
fn kinds_are_filtered_and_an_empty_range_holds_nothing() {
    let place = Place::new(MODEL);
    place.put("Item", &[("owner", "o"), ("n", "1"), ("total", "1")]);
    place.put("Item", &[("owner", "o"), ("n", "2"), ("total", "2")]);
    place.put("Note", &[("owner", "o"), ("n", "3")]);
    assert_eq!(place.found("some", &[("owner", "o")], "n"), ["3"]);
}
