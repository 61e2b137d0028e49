//! Items of other programs with a compressed value or a split list that cannot be read: the error
//! names entity and item, and the item can be deleted, replaced and corrected through the model.
//! `clients/typescript/test/unreadable-values.test.mjs` and `clients/python/tests/test_unreadable.py`
//! do the same.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Place, Text, given};
use keyfold_client::verify::Options;
use keyfold_client::{ClientError, PageRequest, arguments, write};
use keyfold_types::{Item, Value};

const MODEL: &str = r##"
model m 1
table Tab (PK, SK) type kind
entity Doc
  id: string, state: string, note: string?, size: int?
  lines: list of string?
  key  "D#{id}" "D"
  copy card "C#{id}" "C" only id, note
  compress note, size
  split lines by 2
entity Sum
  id: string, code: string?
  key  "S#{id}" "S"
  compress code
  unique code
pattern doc(id) -> Doc?
pattern sum(id) -> Sum?
write close(id)
  update Doc set state = "closed"
write renew(id, note: string)
  update Doc set note = note
write drop_closed(id)
  delete Doc when state = "closed" or exists note
write drop_open(id)
  delete Doc when state = "open"
"##;

/// The item with this key.
fn at(place: &Place, partition: &str, sort: &str) -> Option<Item> {
    let is_it = |item: &Item| {
        item.get("PK") == Some(&Value::from(partition))
            && item.get("SK") == Some(&Value::from(sort))
    };
    place.stored().into_iter().find(is_it)
}

const ID: Text<'_> = &[("id", "1")];
const WHOLE: Text<'_> = &[
    ("id", "1"),
    ("state", "open"),
    ("note", "long"),
    ("lines", r#"["a","b","c","d","e"]"#),
];

/// A table with an item whose attribute another program wrote.
fn broken(attribute: &str, held: Value) -> Place {
    let place = Place::new(MODEL);
    place.put("Doc", WHOLE);
    let mut item = at(&place, "D#1", "D#0000").unwrap();
    item.insert(attribute, held);
    item.insert("extra", "kept");
    place.put_item(item);
    place
}

/// The places of the tests, with the name of the attribute.
fn places() -> Vec<(&'static str, Place)> {
    let cut = |place: &Place| {
        let item = at(place, "D#1", "D#0000").unwrap();
        let Some(Value::B(bytes)) = item.get("note") else {
            panic!("{item:?}")
        };
        Value::B(bytes[..bytes.len() - 9].to_vec())
    };
    let whole = broken("state", Value::from("open"));
    let cut = cut(&whole);
    vec![
        ("note", broken("note", Value::from("long"))),
        ("note", broken("note", Value::B(vec![0; 3]))),
        ("note", broken("note", cut)),
        ("lines", broken("lines", Value::from("a"))),
        ("lines", broken("lines", Value::L(vec![Value::from("x")]))),
        ("lines", broken("lines:digest", Value::from("x"))),
    ]
}

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<write::Written, ClientError> {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text)).unwrap();
    write::run(&place.backend, &place.model, named, &values)
}

/// Whether an error names entity, item and attribute.
fn names_it(error: &ClientError, attribute: &str) {
    let text = error.to_string();
    let start = format!("Doc (PK = \"D#1\", SK = \"D#0000\"): {attribute} is stored, but ");
    assert!(text.starts_with(&start), "{text}");
    let ClientError::UnknownItem(unknown) = error else {
        panic!("{error:?}")
    };
    assert_eq!(unknown.entity.as_deref(), Some("Doc"));
    assert_eq!(unknown.attribute.as_deref(), Some(attribute));
    assert_eq!(unknown.key.get("PK"), Some(&Value::from("D#1")));
}

#[test]
fn what_needs_the_value_is_refused_with_entity_and_item() {
    for (attribute, place) in places() {
        let error = place.ask("doc", ID, &PageRequest::default()).unwrap_err();
        match error.to_string().contains("belong together") {
            true => assert_eq!(attribute, "lines"),
            false => names_it(&error, attribute),
        }
        let changes = [("id", "1"), ("state", "closed")];
        names_it(&place.update("Doc", &changes).unwrap_err(), attribute);
        if attribute == "note" {
            names_it(&run(&place, "drop_closed", ID).unwrap_err(), attribute);
        }
        assert_eq!(
            at(&place, "D#1", "D#0000").unwrap().get("state"),
            Some(&Value::from("open"))
        );
    }
}

#[test]
fn the_item_is_deleted_with_all_that_follows_from_it() {
    for (attribute, place) in places() {
        place.delete("Doc", ID).unwrap();
        assert_eq!(place.stored(), [], "{attribute}");
    }
    for (attribute, place) in places() {
        run(&place, "drop_open", ID).unwrap();
        assert_eq!(place.stored(), [], "{attribute}");
    }
}

#[test]
fn the_item_is_replaced() {
    let short: Text<'_> = &[("id", "1"), ("state", "new")];
    for new in [WHOLE, short] {
        for (attribute, place) in places() {
            place.put("Doc", new);
            let fresh = Place::new(MODEL);
            fresh.put("Doc", new);
            let without = |mut item: Item| {
                item.remove("extra");
                item
            };
            let stored: Vec<Item> = place.stored().into_iter().map(without).collect();
            assert_eq!(stored, fresh.stored(), "{attribute}");
            let item = at(&place, "D#1", "D#0000").unwrap();
            assert_eq!(item.get("extra"), Some(&Value::from("kept")));
            let (found, _) = common::verifying::verify(&place, Options::default());
            assert_eq!(found, []);
        }
    }
}

#[test]
fn the_value_is_corrected() {
    for (attribute, place) in places() {
        let new = match attribute {
            "note" => ("note", "new"),
            _ => ("lines", r#"["x","y","z"]"#),
        };
        place.update("Doc", &[("id", "1"), new]).unwrap();
        let (found, _) = common::verifying::verify(&place, Options::default());
        assert_eq!(found, [], "{attribute}");
        if attribute == "note" {
            assert_eq!(place.found("doc", ID, "note"), ["new"]);
            assert_eq!(place.found("doc", ID, "lines"), ["[a, b, c, d, e]"]);
        }
    }
    let place = broken("note", Value::from("long"));
    run(&place, "renew", &[("id", "1"), ("note", "new")]).unwrap();
    assert_eq!(place.found("doc", ID, "note"), ["new"]);
}

/// What decides where other items lie must be known.
#[test]
fn an_item_whose_guard_is_not_known_stays() {
    let place = Place::new(MODEL);
    place.put("Sum", &[("id", "1"), ("code", "c")]);
    let mut item = at(&place, "S#1", "S").unwrap();
    item.insert("code", "c");
    place.put_item(item);
    let error = place.delete("Sum", ID).unwrap_err().to_string();
    assert!(
        error.starts_with("Sum (PK = \"S#1\", SK = \"S\"): code is stored"),
        "{error}"
    );
    assert_eq!(place.stored().len(), 2);
}
