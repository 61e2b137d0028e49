//! Errors that a program can switch on, by their variants and fields. Those of the generated clients
//! for TypeScript and Python have the same words.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use keyfold::api::{PutItemInput, TransactPut, TransactWriteItem, TransactWriteItemsInput};
use keyfold::types::{Item, Value};
use keyfold::{Database, Error, Keyfold, OnUnknown, values};

/// The key attributes come behind all others in the order of names.
const MODEL: &str = r##"
model errors 1
table Docs (zp, zs)
record Line
  label: string, count: int
entity Doc
  id: string, n: int, lines: list of Line = "[]"
  key "D#{id}" "N#{n:04}"
pattern docs(id) -> Doc[] page 10
write count(id, n: int, lines: list of Line)
  update Doc set lines = lines
"##;

fn opened() -> (Keyfold, Database) {
    let keyfold = Keyfold::memory().unwrap();
    let database = keyfold.model(MODEL).unwrap();
    (keyfold, database)
}

/// Where an error says that a value is wrong.
fn place<T: std::fmt::Debug>(result: Result<T, Error>) -> (Option<String>, Option<String>) {
    match result {
        Err(Error::Invalid { of, attribute, .. }) => (of, attribute),
        other => panic!("{other:?}"),
    }
}

fn both(of: &str, attribute: &str) -> (Option<String>, Option<String>) {
    (Some(of.to_owned()), Some(attribute.to_owned()))
}

#[test]
fn a_wrong_value_names_its_entity_pattern_or_write_and_its_attribute() {
    let (_, docs) = opened();
    let put = docs.put("Doc", values! { "id": "a", "n": "many" });
    assert_eq!(place(put), both("Doc", "n"));
    let lines = values! { "id": "a", "n": 1, "lines": [values! { "label": "x", "count": "y" }] };
    assert_eq!(place(docs.put("Doc", lines)), both("Doc", "lines[0].count"));
    let missing = docs.create("Doc", values! { "id": "a" });
    assert_eq!(place(missing), both("Doc", "n"));
    let asked = docs.query("docs").arg("id", [1]).page();
    assert_eq!(place(asked), both("the pattern docs", "id"));
    let run = docs
        .run("count")
        .arg("id", "a")
        .arg("n", 1)
        .arg("lines", 5)
        .send();
    assert_eq!(place(run), both("the write count", "lines"));
    let many = docs.put_many("Doc", [values! { "id": "a", "n": true }]);
    assert_eq!(place(many), both("Doc", "n"));
}

#[test]
fn an_item_that_the_model_does_not_know_is_an_error_with_its_key_or_left_out() {
    let (keyfold, docs) = opened();
    docs.put("Doc", values! { "id": "1", "n": 1 }).unwrap();
    let mut item = Item::new();
    for (name, text) in [
        ("a", "first"),
        ("b", "next"),
        ("zp", "D#1"),
        ("zs", "N#other"),
    ] {
        item.insert(name, Value::from(text));
    }
    let input = PutItemInput {
        table_name: Some("Docs".to_owned()),
        item: Some(Ok(item)),
        ..PutItemInput::default()
    };
    keyfold.send(input).unwrap();
    let query = || docs.query("docs").arg("id", "1");
    let Err(Error::UnknownItem(unknown)) = query().page() else {
        panic!("it is unknown")
    };
    assert_eq!(unknown.key.get("zs"), Some(&Value::from("N#other")));
    assert_eq!((&unknown.entity, &unknown.attribute), (&None, &None));
    let said = unknown.to_string();
    assert!(said.contains("(zp = \"D#1\", zs = \"N#other\")"), "{said}");
    assert_eq!(query().on_unknown(OnUnknown::Skip).all().unwrap().len(), 1);
    let skipping = docs.on_unknown(OnUnknown::Skip);
    let query = || skipping.query("docs").arg("id", "1");
    assert_eq!(query().all().unwrap().len(), 1);
    let strict = query().on_unknown(OnUnknown::Error).all();
    assert!(matches!(strict, Err(Error::UnknownItem(_))), "{strict:?}");
    // What follows the first item does not matter to who asks for the first.
    let first = docs.query("docs").arg("id", "1").one();
    assert!(matches!(first, Ok(Some(_))), "{first:?}");
    docs.delete("Doc", values! { "id": "1", "n": 1 }).unwrap();
    let first = docs.query("docs").arg("id", "1").one();
    assert!(matches!(first, Err(Error::UnknownItem(_))), "{first:?}");
    assert_eq!(query().one(), Ok(None));
}

#[test]
fn a_cancelled_transaction_of_the_service_has_its_reasons() {
    let (keyfold, _) = opened();
    let put = |id: &str, condition: &str| {
        let mut item = Item::new();
        item.insert("zp", Value::from(id));
        item.insert("zs", Value::from("x"));
        TransactWriteItem {
            put: Some(TransactPut {
                table_name: Some("Docs".to_owned()),
                item: Some(Ok(item)),
                condition_expression: Some(condition.to_owned()),
                ..TransactPut::default()
            }),
            ..TransactWriteItem::default()
        }
    };
    let input = TransactWriteItemsInput {
        transact_items: Some(vec![
            put("a", "attribute_not_exists(zp)"),
            put("b", "attribute_exists(zp)"),
        ]),
        ..TransactWriteItemsInput::default()
    };
    let Err(Error::Service {
        exception, reasons, ..
    }) = keyfold.send(input)
    else {
        panic!("it is cancelled")
    };
    assert_eq!(exception, "TransactionCanceledException");
    let codes: Vec<&str> = reasons.iter().map(|one| one.code.as_str()).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);
    assert!(reasons[1].message.is_some());
}
