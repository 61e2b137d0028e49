//! Verifies tables of several models: filters, definitions, indexes and sets.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod common;

use common::Place;
use common::verifying::{item, put, verify};
use keyfold_client::verify::{Finding, FindingKind, Options};
use keyfold_types::{Item, Set, Value};
use std::collections::BTreeSet;

/// A filter sees what is stored: an item that has the attribute only in its key is never found by it.
#[test]
fn an_attribute_in_the_key_only_that_a_filter_compares_is_found() {
    let model = "model m 1\ntable Tab (PK, SK)\nentity A\n  a: string, b: string\n  key \"A#{a}\" \"B#{b}\"\n";
    let keys = [("PK", "A#1"), ("SK", "B#x")];
    for (pattern, findings) in [
        ("pattern all(a) -> A[]\n", 0),
        ("pattern all(a, x: string) -> A[] filter b = x\n", 1),
    ] {
        let place = Place::new(&format!("{model}{pattern}"));
        place.put_raw(&keys);
        let (found, _) = verify(&place, Options::default());
        assert_eq!(found.len(), findings, "{pattern}: {found:#?}");
        if let Some(first) = found.first() {
            assert_eq!(first.kind, FindingKind::MissingAttribute);
            assert!(first.message.contains("all compares"), "{}", first.message);
        }
    }
}

#[test]
fn a_table_of_another_definition_is_found_with_the_line_of_the_model() {
    const WANTED: &str = "\
model m 1
table Tab (PK, SK) ttl gone
  gsi Gee (A, B)
  gsi Hay (C) project keys
  gsi New (D)
  lsi Loc (L)
  stream new and old images
  tags team = \"a\", \"cost:center\" = \"x 1\"
  tags other = \"b\"
  class infrequent access
  point in time recovery
  deletion protection
";
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK: number)\n  gsi Gee (A, Z)\n  gsi Hay (C)\n  lsi Loc (L)\n",
    );
    let wanted = keyfold_model::compile(WANTED);
    let wanted = Place {
        model: wanted
            .model
            .unwrap_or_else(|| panic!("{:#?}", wanted.diagnostics)),
        backend: place.backend,
    };
    let sources = keyfold_model::Sources::of_text("m.keyfold", WANTED);
    let lines = |found: &[Finding]| -> BTreeSet<(usize, String)> {
        let line = |one: &Finding| {
            assert_eq!(
                (one.kind, one.table.as_str()),
                (FindingKind::Definition, "Tab")
            );
            let subject = one.message.split(':').next().unwrap();
            (
                one.line.as_ref().unwrap().find(&sources).number,
                subject.to_owned(),
            )
        };
        found.iter().map(line).collect()
    };
    let expected = [
        (2, "key"),
        (2, "ttl"),
        (3, "gsi Gee"),
        (4, "gsi Hay"),
        (5, "gsi New"),
        (7, "stream"),
        (8, "tag team"),
        (8, "tag cost"),
        (9, "tag other"),
        (10, "class"),
        (11, "point in time recovery"),
        (12, "deletion protection"),
    ];
    let expected = expected.map(|(line, subject)| (line, subject.to_owned()));
    let (found, report) = verify(&wanted, Options::default());
    assert_eq!(lines(&found), BTreeSet::from(expected.clone()));
    assert_eq!(report.findings(), 12);
    let sample = Options {
        sample: Some(10),
        ..Options::default()
    };
    assert_eq!(lines(&verify(&wanted, sample).0), BTreeSet::from(expected));
}

/// What is read back from the table's key is in no index: an index holds what is stored.
#[test]
fn an_attribute_that_an_index_lacks_is_found() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\n  gsi ByCat (cat, pid)\n  gsi ByScore (GSI2PK, score: number)\n\
        entity Prod\n  pid: string, cat: string, score: int\n  key \"CAT#{cat}\" \"{score:06}#{pid}\"\n\
        \x20 ByScore \"P\" {score}\npattern of(cat, pid) -> Prod[] page 9\n",
    );
    let values = [("pid", "p"), ("cat", "c"), ("score", "7")];
    place.put("Prod", &values);
    assert!(verify(&place, Options::default()).0.is_empty());
    let whole = item(&place, "CAT#c", "000007#p");
    for (name, index) in [("cat", "ByCat"), ("pid", "ByCat"), ("score", "ByScore")] {
        let without = whole.clone().into_iter().filter(|(held, _)| held != name);
        put(&place, &without.collect());
        let (found, _) = verify(&place, Options::default());
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!(found[0].kind, FindingKind::IndexKey, "{found:?}");
        let message = &found[0].message;
        assert!(
            message.contains(index) && message.contains(name),
            "{message}"
        );
    }
}

#[test]
fn wrong_members_of_sets_are_found() {
    let place = Place::new(
        "model m 1\ntable Tab (PK)\nentity U\n  id: string, n: set of int?, d: map of set of date?, u: list of set of uuid?\n\
        \x20 key \"U#{id}\"\npattern u(id) -> U?\n",
    );
    let good = [
        ("n", r"[1, 20]"),
        ("d", r#"{"a":["2024-01-05"]}"#),
        ("u", r#"[["8c5c2f0e-92a5-4b3d-8a0e-0123456789ab"]]"#),
    ];
    place.put("U", &[[("id", "1")].as_slice(), &good].concat());
    assert!(verify(&place, Options::default()).0.is_empty());
    let texts = |text: &str| Value::Ss(Set::new(vec![text.to_owned()]).unwrap());
    let fraction = Set::new(vec!["1.5".parse().unwrap()]).unwrap();
    let days = [("a".to_owned(), texts("no day"))].into_iter().collect();
    let wrong = [
        ("n", Value::Ns(fraction), "n[0]"),
        ("d", Value::M(days), "d.a[0]"),
        ("u", Value::L(vec![texts("x")]), "u[0][0]"),
    ];
    let whole = place.stored().remove(0);
    for (name, held, path) in wrong {
        let mut changed = whole.clone();
        changed.insert(name, held);
        put(&place, &changed);
        let (found, _) = verify(&place, Options::default());
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!(found[0].kind, FindingKind::WrongType, "{found:?}");
        assert!(found[0].message.contains(path), "{}", found[0].message);
    }
}

/// A table of another program whose name only resembles a period is not read.
#[test]
fn a_table_named_after_no_period_of_the_calendar_is_not_of_the_model() {
    let place = Place::new(
        "model m 1\ntable Log_2024_12 (PK, SK)\ntable Log_2024_13 (PK, SK)\ntable Log_2024_00 (PK, SK)\n",
    );
    let model = keyfold_model::compile(
        "model m 1\ntable Log (PK, SK) per month\nentity Line\n  id: string, at: time\n  key \"L#{id}\" \"{at}\"\n",
    );
    let sizes = keyfold_client::verify::sizes(&place.backend, &model.model.unwrap()).unwrap();
    let names: Vec<&str> = sizes.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Log_2024_12"]);
}

/// A copy that no write can store is not missed: its key is too long for an index of the table's own
/// key attributes.
#[test]
fn a_copy_that_cannot_be_stored_is_not_missing() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\n  gsi Turned (SK, PK)\nentity User\n  userId: string, email: string\n  \
         key \"USER#{userId}\" \"PROFILE\"\n  copy card \"CARD#{email}\" \"CARD#{userId}\" only userId\n\
         pattern user(userId) -> User?\n",
    );
    let values = |email: &str| {
        let mut item = Item::new();
        for (name, held) in [
            ("PK", "USER#a"),
            ("SK", "PROFILE"),
            ("userId", "a"),
            ("email", email),
        ] {
            item.insert(name, held);
        }
        item
    };
    put(&place, &values("a@x"));
    let (found, _) = verify(&place, Options::default());
    let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::CopyMissing], "{found:?}");
    // As the key of the index's sort attribute, it would have more than 1,024 bytes.
    put(&place, &values(&"x".repeat(1100)));
    let (found, _) = verify(&place, Options::default());
    let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::CopyKey], "{found:?}");
    assert!(found[0].message.contains("email"), "{found:?}");
}

#[test]
fn a_guard_that_cannot_be_stored_is_told_and_not_missing() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\nentity User\n  userId: string, email: string, place: string\n  \
         key \"USER#{userId}\" \"PROFILE\"\n  unique email\n  unique place\n\
         pattern user(userId) -> User?\n",
    );
    let mut item = Item::new();
    for (name, held) in [("PK", "USER#a"), ("SK", "PROFILE"), ("userId", "a")] {
        item.insert(name, held);
    }
    item.insert("email", "a@x".repeat(800));
    item.insert("place", "P");
    put(&place, &item);
    let (found, _) = verify(&place, Options::default());
    let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
    let expected = [FindingKind::GuardKey, FindingKind::GuardMissing];
    assert_eq!(kinds, expected, "{found:?}");
    assert!(found[0].message.contains("email"), "{found:?}");
}

/// One value that no key holds is one finding, which names the index, copy and guard that it keeps
/// the item from; another value is another one.
#[test]
fn a_value_that_is_too_long_for_several_keys_is_one_finding() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\n  gsi GSI1 (GSI1PK, GSI1SK)\n  gsi GSI2 (GSI2PK)\nentity User\n  \
         userId: string, email: string, city: string\n  key \"USER#{userId}\" \"PROFILE\"\n  \
         GSI1 \"CITY#{city}\" \"{email}\"\n  GSI2 \"MAIL#{email}\"\n  \
         copy card \"CARD#{email}\" \"CARD#{userId}\" only userId\n  unique email\n  unique city\n\
         pattern user(userId) -> User?\n",
    );
    let long = "x".repeat(2100);
    // The copy and the guards of what the item was before stay behind.
    place.put("User", &[("userId", "a"), ("email", "a@x"), ("city", "P")]);
    let mut user = item(&place, "USER#a", "PROFILE");
    for name in ["GSI1PK", "GSI1SK", "GSI2PK"] {
        user.remove(name);
    }
    user.insert("email", long.as_str());
    put(&place, &user);
    let (found, _) = verify(&place, Options::default());
    let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [FindingKind::IndexKey], "{found:?}");
    assert!(
        found[0].message.contains("email makes")
            && found[0]
                .message
                .ends_with("; the same value keeps it from GSI2, copy card, unique email"),
        "{}",
        found[0].message
    );
    user.insert("city", long.as_str());
    put(&place, &user);
    let (found, _) = verify(&place, Options::default());
    let kinds: Vec<FindingKind> = found.iter().map(|one| one.kind).collect();
    assert_eq!(
        kinds,
        [FindingKind::IndexKey, FindingKind::IndexKey],
        "{found:?}"
    );
}
