//! The attributes that the model keeps in items: they collide with no declared attribute, and follow
//! every change.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::Place;
use keyfold_client::write;
use keyfold_model::value;
use keyfold_types::Value;

/// A model with a split list of this type.
fn split(of: &str) -> String {
    format!(
        "model split 1\ntable Split (PK, SK)\nentity Doc\n  id: string, parts: list of {of}\n  key \"DOC#{{id}}\" \"META\"\n  \
         split parts by 2\npattern doc(id) -> Doc?\n"
    )
}

fn list(elements: &[Value]) -> Value {
    Value::L(elements.to_vec())
}

/// The lists differ in type but print alike.
#[test]
fn every_change_of_a_split_list_is_written() {
    let texts = |texts: [&str; 3]| texts.map(Value::from);
    let binaries = |bytes: [u8; 3]| bytes.map(|byte| Value::B(vec![byte; 3]));
    let pairs = [
        (
            "string",
            texts(["x", "a, b", "c"]),
            texts(["x", "a", "b, c"]),
        ),
        (
            "string",
            texts(["x, y", "z", "c"]),
            texts(["x", "y, z", "c"]),
        ),
        ("binary", binaries([1, 2, 3]), binaries([1, 2, 4])),
        ("binary", binaries([1, 2, 3]), binaries([0, 2, 3])),
    ];
    for (of, before, after) in pairs {
        let place = Place::new(&split(of));
        let doc = place.model.entity("Doc").unwrap();
        let with = |elements: &[Value]| {
            let mut values = place.values("Doc", &[("id", "1"), ("parts", "[]")]);
            values.insert("parts".to_owned(), list(elements));
            values
        };
        place.put_values("Doc", &with(&before));
        for elements in [&after, &before] {
            write::update(&place.backend, &place.model, doc, &with(elements), &[]).unwrap();
            let mut items = place.stored();
            items.sort_by_key(|item| item.get("SK").map(value::display));
            let parts = items.iter().map(|item| match item.get("parts") {
                Some(Value::L(part)) => part.clone(),
                other => panic!("{other:?}"),
            });
            assert_eq!(parts.collect::<Vec<_>>().concat(), *elements, "{of}");
        }
    }
}

/// Declared attributes with names similar to those of kept ones.
const BESIDE: &str = r##"
model beside 1
table Beside (PK, SK)
entity Account
  id: string, total_items: int?, log: list of string?, log_parts: int?, log_digest: string?
  key "ACCOUNT#{id}" "META"
  sum total of Entry.amount
  split log by 2
entity Entry
  account: Account.id, n: int, amount: int
  key "ACCOUNT#{account}" "ENTRY#{n:04}"
pattern account(id) -> Account?
"##;

#[test]
fn kept_attributes_have_names_that_cannot_be_declared() {
    let place = Place::new(BESIDE);
    let own = [
        ("total_items", "70"),
        ("log_parts", "80"),
        ("log_digest", "mine"),
    ];
    let mut account = place.values(
        "Account",
        &[&[("id", "1"), ("log", "[]")], &own[..]].concat(),
    );
    account.insert("log".to_owned(), list(&["a", "b", "c"].map(Value::from)));
    place.put_values("Account", &account);
    for n in ["1", "2"] {
        place.put("Entry", &[("account", "1"), ("n", n), ("amount", "5")]);
    }
    for (name, value) in own {
        assert_eq!(
            place.found("account", &[("id", "1")], name),
            [value],
            "{name}"
        );
    }
    assert_eq!(place.found("account", &[("id", "1")], "total"), ["10"]);
    assert_eq!(place.found("account", &[("id", "1")], "log"), ["[a, b, c]"]);
}

/// Other programs store attributes that the model does not name.
const OTHERS: &str = r##"
model others 1
table Beside (PK, SK) type kind
  gsi GSI1 (A, B)
entity Thing
  id: string, name: string, note: string?
  key  "THING#{id}" "META"
  GSI1 "NAME#{name}" "{id}"
pattern thing(id) -> Thing?
"##;

#[test]
fn a_put_keeps_attributes_that_the_model_does_not_name() {
    let place = Place::new(OTHERS);
    place.put("Thing", &[("id", "1"), ("name", "a"), ("note", "n")]);
    let mut stored = place.stored().remove(0);
    for (name, value) in [
        ("_version", Value::from(7)),
        ("_deleted", Value::Bool(false)),
    ] {
        stored.insert(name, value);
    }
    let table_name = Some("Beside".to_owned());
    let input = keyfold_api::PutItemInput {
        table_name,
        item: Some(Ok(stored.clone())),
        ..Default::default()
    };
    place.backend.call(input.into()).unwrap();
    place.put("Thing", &[("id", "1"), ("name", "b")]);
    stored.remove("note");
    stored.insert("name", "b");
    stored.insert("A", "NAME#b");
    assert_eq!(place.stored(), [stored]);
}
