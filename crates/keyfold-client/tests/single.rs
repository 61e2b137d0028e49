//! One item by a unique value, where an index still shows others.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Place;
use keyfold_client::PageRequest;

const MODEL: &str = "model m 1
table Tab (PK, SK) type kind
  gsi ByMail (G1, G2)
entity User
  userId: string, email: string, createdAt: time
  key \"USER#{userId}\" \"PROFILE\"
  ByMail \"EMAIL#{email}\" \"{createdAt}\"
  unique email
pattern by_email(email) -> User?
";

const DAY: &str = "2024-01-01T00:00:00.000Z";

/// A user whose entry in the index shows another e-mail than the item.
fn put_former(place: &Place, id: &str, email: &str, shown: &str) {
    let (key, shown) = (format!("USER#{id}"), format!("EMAIL#{shown}"));
    place.put_raw(&[
        ("PK", &key),
        ("SK", "PROFILE"),
        ("kind", "User"),
        ("userId", id),
        ("email", email),
        ("createdAt", DAY),
        ("G1", &shown),
        ("G2", DAY),
    ]);
}

#[test]
fn the_second_part_of_the_key_is_not_needed() {
    let place = Place::new(MODEL);
    let id = || place.found("by_email", &[("email", "e")], "userId");
    assert!(id().is_empty());
    place.put(
        "User",
        &[("userId", "a"), ("email", "e"), ("createdAt", "2024-01-02")],
    );
    assert_eq!(id(), ["a"]);
    place
        .update("User", &[("userId", "a"), ("createdAt", "2024-01-03")])
        .unwrap();
    assert_eq!(id(), ["a"]);
    // The guard keeps it single.
    let other = place.values(
        "User",
        &[("userId", "b"), ("email", "e"), ("createdAt", DAY)],
    );
    let taken =
        keyfold_client::write::create(&place.backend, &place.model, place.entity("User"), &other);
    assert_eq!(
        taken.unwrap_err().to_string(),
        "email `e` is taken: another User has it"
    );
    // The value goes to another user.
    place
        .update("User", &[("userId", "a"), ("email", "f")])
        .unwrap();
    place.put_values("User", &other);
    assert_eq!(id(), ["b"]);
}

#[test]
fn the_table_decides_between_the_entries_of_a_late_index() {
    let place = Place::new(MODEL);
    place.put(
        "User",
        &[("userId", "b"), ("email", "e"), ("createdAt", "2024-01-02")],
    );
    put_former(&place, "a", "f", "e");
    put_former(&place, "c", "g", "e");
    let found = place
        .ask("by_email", &[("email", "e")], &PageRequest::default())
        .unwrap();
    assert_eq!(found.items.len(), 1);
    assert_eq!(found.items[0].get("userId"), Some(&"b".into()));
    assert_eq!(found.requests, 2);
    // A limit does not hide that there are several.
    let one = PageRequest {
        limit: Some(1),
        ..PageRequest::default()
    };
    let found = place.ask("by_email", &[("email", "e")], &one).unwrap();
    assert_eq!(found.items[0].get("userId"), Some(&"b".into()));
    assert!(found.next.is_none());
    // None of those that the index shows has it any more.
    place
        .update("User", &[("userId", "b"), ("email", "h")])
        .unwrap();
    put_former(&place, "b", "h", "e");
    assert!(
        place
            .found("by_email", &[("email", "e")], "userId")
            .is_empty()
    );
}

#[test]
fn the_table_decides_between_the_shards_of_a_late_index() {
    let model = MODEL.replace("\"{createdAt}\"\n", "\"{createdAt}\" shard 4\n");
    let place = Place::new(&model);
    place.put(
        "User",
        &[("userId", "b"), ("email", "e"), ("createdAt", "2024-01-02")],
    );
    let found = |requests: u32| {
        let found = place
            .ask("by_email", &[("email", "e")], &PageRequest::default())
            .unwrap();
        assert_eq!(found.items.len(), 1);
        assert_eq!(found.items[0].get("userId"), Some(&"b".into()));
        assert_eq!(found.requests, requests);
    };
    found(4);
    for shard in 0..4 {
        put_former(&place, &format!("a{shard}"), "f", &format!("e#{shard}"));
    }
    found(5);
}

#[test]
fn two_items_that_have_the_value_are_refused() {
    let place = Place::new(MODEL);
    put_former(&place, "a", "e", "e");
    put_former(&place, "b", "e", "e");
    let refused = place
        .ask("by_email", &[("email", "e")], &PageRequest::default())
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "by_email promises one item and found 2: they were not written through the model"
    );
}
