//! Attributes that a local index does not project are fetched from the table.
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
