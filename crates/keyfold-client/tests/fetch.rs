//! Attributes that an index does not project are fetched from the table, or read back from keys.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Place;
use keyfold_client::PageRequest;

const MODEL: &str = "model m 1
table Tab (PK, SK)
  lsi ByTotal (total: number) project keys
entity Order
  userId: string, orderId: string, total: int, note: string?, lines: list of int
  key \"USER#{userId}\" \"ORDER#{orderId}\"
  compress lines
pattern largest(userId) -> Order[] highest total page 2 fetch all
pattern notes(userId) -> Order[] only note, orderId highest total page 2 fetch all
pattern ids(userId) -> Order[] only total highest total page 2
";

#[test]
fn whole_items_are_read_behind_the_index() {
    let place = Place::new(MODEL);
    for (id, total, note) in [("a", "1", "x"), ("b", "3", "y"), ("c", "2", "z")] {
        let lines = format!("[{total}, 7]");
        place.put(
            "Order",
            &[
                ("userId", "u"),
                ("orderId", id),
                ("total", total),
                ("note", note),
                ("lines", &lines),
            ],
        );
    }
    let user = [("userId", "u")];
    assert_eq!(place.found("largest", &user, "note"), ["y", "z", "x"]);
    assert_eq!(
        place.found("largest", &user, "lines"),
        ["[3, 7]", "[2, 7]", "[1, 7]"]
    );
    assert_eq!(place.found("notes", &user, "note"), ["y", "z", "x"]);
    assert_eq!(place.found("notes", &user, "lines"), ["", "", ""]);
    let units = |pattern: &str| {
        let found = place.ask(pattern, &user, &PageRequest::default()).unwrap();
        assert_eq!(found.requests, 2);
        found.capacity.units()
    };
    // Half a unit for each page, and half a unit for each item that is fetched.
    assert_eq!(units("ids"), 1.0);
    assert_eq!(units("largest"), 2.5);
    assert_eq!(units("notes"), 2.5);
}

const IN_KEYS: &str = "model m 1
table Tab (PK, SK)
  lsi ByTotal (total: number) project keys
  gsi ByState (A, B) project (note)
entity Order
  userId: string, orderId: string, total: int, note: string, state: string
  key \"USER#{userId}\" \"ORDER#{orderId}\"
  ByState \"{state}\" \"{total:05}\"
  unstored orderId
pattern ids(userId) -> Order[] only orderId highest total page 2
pattern in_state(state) -> Order[] only orderId, note highest total page 2
pattern only_ids(state) -> Order[] only orderId page 2
";

#[test]
fn unstored_attributes_are_not_asked_of_an_index_that_lacks_them() {
    let place = Place::new(IN_KEYS);
    for (id, total) in [("a", "1"), ("b", "3"), ("c", "2")] {
        place.put(
            "Order",
            &[
                ("userId", "u"),
                ("orderId", id),
                ("total", total),
                ("note", id),
                ("state", "s"),
            ],
        );
    }
    let (user, state) = ([("userId", "u")], [("state", "s")]);
    assert_eq!(place.found("ids", &user, "orderId"), ["b", "c", "a"]);
    assert_eq!(place.found("in_state", &state, "orderId"), ["b", "c", "a"]);
    assert_eq!(place.found("in_state", &state, "note"), ["b", "c", "a"]);
    assert_eq!(place.found("only_ids", &state, "orderId"), ["a", "c", "b"]);
    // Half a unit for each of two pages: nothing is read from the table behind the local index.
    let found = place.ask("ids", &user, &PageRequest::default()).unwrap();
    assert_eq!((found.requests, found.capacity.units()), (2, 1.0));
}
