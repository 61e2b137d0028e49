//! Values that are unique without regard of capitals.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text};
use keyfold_client::{ClientError, PageRequest, write};

const MODEL: &str = "model m 1
table Tab (PK, SK) type kind
  gsi ByMail (G1, G2)
entity User
  userId: string, email: string?, createdAt: time, org: string = \"o\"
  key \"USER#{userId}\" \"PROFILE\"
  ByMail \"EMAIL#{email:lower}\" \"{createdAt}\"
  unique lower(email), (org, lower(userId))
pattern by_email(email) -> User?
";

const DAY: &str = "2024-01-01T00:00:00.000Z";

fn create(place: &Place, id: &str, email: &str) -> Result<write::Written, ClientError> {
    let text: Text<'_> = &[("userId", id), ("email", email), ("createdAt", DAY)];
    let values = place.values("User", text);
    write::create(&place.backend, &place.model, place.entity("User"), &values)
}

fn guards(place: &Place) -> Vec<String> {
    let stored = place.stored();
    let keys = stored.iter().filter_map(|item| match item.get("PK") {
        Some(keyfold_types::Value::S(key)) if key.starts_with("UNIQUE") => Some(key.clone()),
        _ => None,
    });
    keys.collect()
}

#[test]
fn one_item_has_a_value_whatever_its_capitals() {
    let place = Place::new(MODEL);
    let of = |email: &str| place.found("by_email", &[("email", email)], "userId");
    create(&place, "a", "Jürgen@X.org").unwrap();
    for email in ["jürgen@x.org", "JÜRGEN@X.ORG", "Jürgen@X.org"] {
        let taken = create(&place, "b", email).unwrap_err();
        assert_eq!(
            taken.to_string(),
            format!("email `{email}` is taken: another User has it")
        );
        assert_eq!(of(email), ["a"]);
    }
    let taken = create(&place, "A", "other@x.org").unwrap_err();
    assert!(taken.to_string().contains("org `o`, userId `A`"), "{taken}");
    // The item keeps its own spelling, and changes it.
    assert_eq!(
        place.found("by_email", &[("email", "JÜRGEN@x.org")], "email"),
        ["Jürgen@X.org"]
    );
    place
        .update("User", &[("userId", "a"), ("email", "JÜRGEN@X.org")])
        .unwrap();
    assert_eq!(of("jürgen@x.org"), ["a"]);
    assert_eq!(
        guards(&place),
        [
            "UNIQUE#User#lower(email)#jürgen@x.org",
            "UNIQUE#User#org+lower(userId)#o#a"
        ]
    );
    place
        .update("User", &[("userId", "a"), ("email", "New@x.org")])
        .unwrap();
    create(&place, "b", "jürgen@x.org").unwrap();
    assert_eq!(of("NEW@X.ORG"), ["a"]);
    assert_eq!(of("Jürgen@x.org"), ["b"]);
}

/// An index that is late shows a former owner beside the present one: the table decides, without
/// regard of capitals.
#[test]
fn the_table_decides_between_entries_that_differ_in_capitals() {
    let place = Place::new(MODEL);
    create(&place, "a", "Ada@x.org").unwrap();
    place.put_raw(&[
        ("PK", "USER#z"),
        ("SK", "PROFILE"),
        ("kind", "User"),
        ("userId", "z"),
        ("email", "other@x.org"),
        ("org", "o"),
        ("createdAt", DAY),
        ("G1", "EMAIL#ada@x.org"),
        ("G2", DAY),
    ]);
    let found = place
        .ask(
            "by_email",
            &[("email", "ADA@x.org")],
            &PageRequest::default(),
        )
        .unwrap();
    assert_eq!(found.items.len(), 1);
    assert_eq!(
        place.found("by_email", &[("email", "aDa@x.org")], "userId"),
        ["a"]
    );
}
