//! Complete answers: required items are present, no item is missed, and lists with missing parts are
//! refused.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Place;
use keyfold_api::DeleteItemInput;
use keyfold_client::{ClientError, PageRequest};
use keyfold_types::{Item, Value};

const MODEL: &str = r##"
model answers 1
table Tab (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity Order
  id: string, shop: string
  key  "O#{id}"    "META"
  GSI1 "SHOP#{shop}" "ORDER#{id}"
entity Line
  id: string, n: int
  key "O#{id}" "LINE#{n:04}"
entity Zone
  id: string, n: int
  key "O#{id}" "ZONE#{n:04}"
entity Report
  name: string, lines: list of string
  key "REPORTS" "R#{name}"
  split lines by 2
entity Event
  source: string, at: time
  key "SOURCE#{source}" "{at}" bucket day
entity Score
  game: string, points: int, price: number, tag: string
  key "GAME#{game}" "P#{points:04}#{tag}"
  copy back   "BACK#{game}"  "P#{points:04:reverse}#{tag}"
  copy prices "PRICE#{game}" "{price:03.2}#{points:04}#{tag}"
  copy tags   "TAG#{game}"   "{points:04}#{tag}"
pattern order(id)                                -> Order + Line[] + Zone[]
pattern reports()                                -> Report[] page 2
pattern report_names()                           -> Report[] only name
pattern events(source, at >= at)                 -> Event[] oldest
pattern events_until_now(source, at in since..now)  -> Event[] newest page 2
pattern scores(game, points >= low?, points <= high?)   -> Score[]
pattern between(game, points in low..high)       -> Score[]
pattern best(game, points in low..high)          -> Score.back[]
pattern priced(game, price in low..high)         -> Score.prices[]
pattern tagged(game, points, tag in low..high)   -> Score.tags[]
"##;

fn page(limit: u32) -> PageRequest {
    PageRequest {
        limit: Some(limit),
        ..PageRequest::default()
    }
}

#[test]
fn a_collection_without_its_required_item_is_not_found() {
    let place = Place::new(MODEL);
    for n in ["1", "2", "3"] {
        place.put("Line", &[("id", "1"), ("n", n)]);
        place.put("Zone", &[("id", "1"), ("n", n)]);
    }
    let of = [("id", "1")];
    let is_missing = |answer: Result<_, ClientError>| matches!(answer.map(|_: keyfold_client::read::Found| ()), Err(ClientError::NotFound(why)) if why.message.contains("there is no Order"));
    assert!(is_missing(place.ask("order", &of, &PageRequest::default())));
    assert!(is_missing(place.ask(
        "order",
        &[("id", "2")],
        &PageRequest::default()
    )));
    // The required key lies between the third line and the first zone: only a page that covers it
    // detects its absence.
    let first = place.ask("order", &of, &page(2)).unwrap();
    let second = PageRequest {
        after: first.next.clone(),
        ..page(2)
    };
    assert!(is_missing(place.ask("order", &of, &second)));
    let backward = PageRequest {
        backward: true,
        ..page(3)
    };
    let zones = place.ask("order", &of, &backward).unwrap();
    assert!(is_missing(place.ask(
        "order",
        &of,
        &PageRequest {
            after: zones.next,
            ..backward
        }
    )));
    place.put("Order", &[("id", "1"), ("shop", "s")]);
    assert_eq!(
        place
            .ask("order", &of, &PageRequest::default())
            .unwrap()
            .items
            .len(),
        7
    );
    assert_eq!(place.ask("order", &of, &second).unwrap().items.len(), 2);
}

#[test]
fn a_list_that_lacks_a_part_is_refused() {
    let place = Place::new(MODEL);
    for name in ["a", "b", "c"] {
        place.put(
            "Report",
            &[("name", name), ("lines", r#"["1","2","3","4","5"]"#)],
        );
    }
    assert_eq!(place.found("reports", &[], "lines"), ["[1, 2, 3, 4, 5]"; 3]);
    let mut key = Item::new();
    key.insert("PK", Value::from("REPORTS"));
    key.insert("SK", Value::from("R#b#0001"));
    let input = DeleteItemInput {
        table_name: Some("Tab".to_owned()),
        key: Some(Ok(key)),
        ..Default::default()
    };
    place.backend.call(input.into()).unwrap();
    let refusal = place
        .ask("reports", &[], &PageRequest::default())
        .unwrap_err()
        .to_string();
    assert!(refusal.contains("do not belong together"), "{refusal}");
    // A pattern that does not return the list needs none of its parts.
    assert_eq!(place.found("report_names", &[], "name"), ["a", "b", "c"]);
}

#[test]
fn a_range_of_times_starts_at_the_given_time() {
    let place = Place::new(MODEL);
    for at in [
        "2024-01-01T10:00:00Z",
        "2024-01-01T12:00:00Z",
        "2024-01-02T09:00:00Z",
    ] {
        place.put("Event", &[("source", "s"), ("at", at)]);
    }
    // The parameter has the name of the attribute whose days are read.
    let found = place.found(
        "events",
        &[("source", "s"), ("at", "2024-01-01T11:00:00Z")],
        "at",
    );
    assert_eq!(
        found,
        ["2024-01-01T12:00:00.000Z", "2024-01-02T09:00:00.000Z"]
    );
    let until = |now: &str| {
        place
            .found(
                "events_until_now",
                &[("source", "s"), ("since", "2024-01-01"), ("now", now)],
                "at",
            )
            .len()
    };
    assert_eq!(until("2024-01-01T12:00:00Z"), 2);
    assert_eq!(until("2024-01-03"), 3);
    place.put("Event", &[("source", "f"), ("at", "2999-01-01")]);
    assert_eq!(
        place
            .found(
                "events_until_now",
                &[("source", "f"), ("since", "2024-01-01")],
                "at"
            )
            .len(),
        0
    );
}

#[test]
fn an_end_that_no_key_contains_still_bounds_a_range() {
    let place = Place::new(MODEL);
    for (points, price) in [("0", "0"), ("7", "9.99"), ("9999", "999.99")] {
        place.put(
            "Score",
            &[
                ("game", "g"),
                ("points", points),
                ("price", price),
                ("tag", "t"),
            ],
        );
    }
    let found = |pattern: &str, low: &str, high: &str| {
        place.found(
            pattern,
            &[("game", "g"), ("low", low), ("high", high)],
            "points",
        )
    };
    for (low, high, expected) in [
        ("-5", "99999", &["0", "7", "9999"][..]),
        ("-5", "-1", &[]),
        ("10000", "99999", &[]),
        ("7", "123456", &["7", "9999"]),
        ("8", "7", &[]),
    ] {
        assert_eq!(found("between", low, high), expected, "{low} to {high}");
        let mut back = found("best", low, high);
        back.reverse();
        assert_eq!(back, expected, "{low} to {high}, reversed");
    }
    assert_eq!(found("priced", "9.985", "1000000"), ["7", "9999"]);
    assert_eq!(found("priced", "9.991", "999.985"), Vec::<String>::new());
    assert_eq!(found("priced", "-0.5", "9.999"), ["0", "7"]);
    let at_least = place.found("scores", &[("game", "g"), ("low", "-1")], "points");
    assert_eq!(at_least, ["0", "7", "9999"]);
    // No key contains a text with a delimiter, but keys sort before and after it.
    let tagged = |low: &str, high: &str| {
        place.found(
            "tagged",
            &[("game", "g"), ("points", "7"), ("low", low), ("high", high)],
            "tag",
        )
    };
    assert_eq!(tagged("a#", "z#z"), ["t"]);
    assert_eq!(tagged("", "z"), ["t"]);
    assert_eq!(tagged("", "").len(), 0);
}

const FOLLOWERS: &str = r##"
model followers 1
table Tab (PK, SK)
entity User
  id: string
  key "U#{id}" "U"
  count following of Follow by from
  count followers of Follow by to
entity Follow
  from: User.id, to: User.id
  key "U#{from}" "FOLLOWS#{to}"
pattern user(id) -> User?
"##;

#[test]
fn each_counter_follows_the_reference_that_is_named() {
    let place = Place::new(FOLLOWERS);
    for id in ["a", "b", "c"] {
        place.put("User", &[("id", id)]);
    }
    for (from, to) in [("a", "b"), ("a", "c"), ("b", "c"), ("a", "a")] {
        place.put("Follow", &[("from", from), ("to", to)]);
    }
    place
        .delete("Follow", &[("from", "a"), ("to", "b")])
        .unwrap();
    let counts = |id: &str| {
        let of = |name: &str| place.found("user", &[("id", id)], name).concat();
        (of("following"), of("followers"))
    };
    let expected = |following: &str, followers: &str| (following.to_owned(), followers.to_owned());
    assert_eq!(counts("a"), expected("2", "1"));
    assert_eq!(counts("b"), expected("1", "0"));
    assert_eq!(counts("c"), expected("0", "2"));
}

/// A filter may drop the one item of a collection where that is optional, and a filter by an absent
/// parameter drops nothing.
#[test]
fn filters_may_drop_optional_items() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\nentity O\n  o: string, price: int\n  key \"O#{o}\" \"M\"\nentity I\n  o: string, i: string, price: int\n  key \"O#{o}\" \"I#{i}\"\n  expect 9 per o\npattern both(o, least: int) -> O? + I[] filter price >= least page 5\npattern items(o, least: int?) -> I[] filter price >= least page 5\n",
    );
    place.put("O", &[("o", "1"), ("price", "1")]);
    place.put("I", &[("o", "1"), ("i", "a"), ("price", "9")]);
    assert_eq!(
        place.found("both", &[("o", "1"), ("least", "5")], "price"),
        ["9"]
    );
    assert_eq!(place.found("items", &[("o", "1")], "price"), ["9"]);
    assert!(
        place
            .found("items", &[("o", "1"), ("least", "10")], "price")
            .is_empty()
    );
}

#[test]
fn tables_of_periods_with_a_common_prefix_are_distinguished() {
    let place = Place::new(
        "model m 1\ntable Log (PK, SK) per month\ntable Log_eu (EPK, ESK) per month\nentity A in Log\n  a: string, t: time\n  key \"A#{a}\" \"{t}\"\nentity B in Log_eu\n  b: string, t: time\n  key \"B#{b}\" \"{t}\"\npattern bs(b, month of t) -> B[] page 5\n",
    );
    place.put("B", &[("b", "1"), ("t", "2024-01-05T00:00:00Z")]);
    assert_eq!(
        place.found("bs", &[("b", "1"), ("month", "2024-01")], "b"),
        ["1"]
    );
}
