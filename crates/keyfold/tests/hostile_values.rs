//! Values that nobody should send: nests without end, numbers and times out of range, texts of other
//! types. Each is refused before anything is sent, with its entity and attribute, and without a panic.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::wildcard_enum_match_arm,
    reason = "a test fails by panicking"
)]

use keyfold::{Database, Error, Keyfold, Values, values};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The levels of a deep nest: a program that follows it by recursion has no stack left.
const LEVELS: usize = 20_000;

const MODEL: &str = r#"
model m 1
table Tab (PK, SK)
record Line
  label: string, count: int
entity Doc
  id: string, n: int = 0, size: number?, at: time?, day: date?, truth: bool?, logo: binary?
  state: open | closed = open, names: set of string?, lines: list of Line = "[]"
  prices: map of number?
  key "D#{id}" "D"
pattern doc(id) -> Doc?
write fill(id, lines: list of Line)
  update Doc set lines = lines
"#;

/// A database that counts its requests.
fn counted() -> (Database, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let keyfold = Keyfold::memory().unwrap().on_request(move |_| {
        counter.fetch_add(1, Ordering::SeqCst);
    });
    let database = keyfold.model(MODEL).unwrap();
    sent.store(0, Ordering::SeqCst);
    (database, sent)
}

/// The attribute that an error names. Its sentence is for people: it is not as long as the value.
fn attribute<T: std::fmt::Debug>(result: Result<T, Error>, owner: &str) -> String {
    let error = result.unwrap_err();
    assert!(error.to_string().len() < 2_000, "a long sentence");
    match error {
        Error::Invalid { of, attribute, .. } => {
            assert_eq!(of.as_deref(), Some(owner));
            attribute.unwrap_or_default()
        }
        other => panic!("{other:?}"),
    }
}

/// Lists in lists, or maps in maps. Dropping it takes no recursion of ours: it is leaked.
fn nest(around: impl Fn(Json) -> Json) -> &'static Json {
    let nested = (0..LEVELS).fold(json!(1), |inner, _| around(inner));
    Box::leak(Box::new(nested))
}

#[test]
fn a_nest_without_end_is_refused() {
    let (database, sent) = counted();
    let in_map = |inner| Json::Object([("m".to_owned(), inner)].into_iter().collect());
    for nest in [nest(|inner| Json::Array(vec![inner])), nest(in_map)] {
        for name in ["n", "lines", "prices", "unknown"] {
            let given = [("id", &json!("a")), (name, nest)];
            let given = || {
                given
                    .iter()
                    .copied()
                    .collect::<std::collections::BTreeMap<_, _>>()
            };
            let made = || Values::from_iter([("id", &json!("a")), (name, nest)]);
            let path = attribute(database.put("Doc", given()), "Doc");
            assert!(path.starts_with(name) && path.len() < 500, "{path}");
            attribute(database.create("Doc", made()), "Doc");
            attribute(database.update("Doc", given()), "Doc");
        }
        attribute(database.put("Doc", nest), "Doc");
        let asked = database.query("doc").arg("id", nest).page();
        assert!(attribute(asked, "the pattern doc").starts_with("id"));
        let run = database
            .run("fill")
            .arg("id", "a")
            .arg("lines", nest)
            .send();
        assert!(attribute(run, "the write fill").starts_with("lines"));
    }
    assert_eq!(sent.load(Ordering::SeqCst), 0);
}

#[test]
fn a_value_of_another_type_is_refused() {
    let (database, sent) = counted();
    let wrong = [
        ("n", json!(1.5)),
        ("n", json!("NaN")),
        ("n", json!([1])),
        ("size", json!("NaN")),
        ("size", json!("Infinity")),
        ("size", json!("-inf")),
        ("size", json!("1e126")),
        ("size", json!("1e-131")),
        ("size", json!("1e999999999999999999999")),
        ("size", json!("9".repeat(1 << 20))),
        ("size", json!("0x10")),
        ("size", json!("١")),
        ("size", json!(1e300)),
        ("size", json!(true)),
        ("at", json!("2024-13-01T00:00:00Z")),
        ("at", json!("10000-01-01T00:00:00Z")),
        ("at", json!("-0001-01-01T00:00:00Z")),
        ("at", json!("2024-01-01T00:00:00+99:00")),
        ("at", json!(["2024-01-01T00:00:00Z"])),
        ("day", json!("2023-02-29")),
        ("day", json!("0000-00-00")),
        ("day", json!(20240101)),
        ("truth", json!("yes")),
        ("truth", json!(1)),
        ("logo", json!("no base64!")),
        ("state", json!("Open")),
        ("state", json!("open\u{0}")),
        ("names", json!(["a", 1])),
        ("names", json!(["a", "a"])),
        ("lines", json!([{ "label": "x" }])),
        ("lines", json!([{ "label": "x", "count": 1, "other": 2 }])),
        ("lines", json!({ "label": "x", "count": 1 })),
        ("prices", json!({ "a": "NaN" })),
        ("prices", json!([1])),
        ("other", json!(1)),
        ("", json!(1)),
    ];
    for (name, held) in wrong {
        let given = json!({ "id": "a", name: held });
        let puts = database.put("Doc", &given);
        let updates = database.update("Doc", &given);
        for path in [attribute(puts, "Doc"), attribute(updates, "Doc")] {
            assert!(path.starts_with(name), "{name} {held}: {path}");
        }
    }
    for float in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX] {
        let given = values! { "id": "a", "size": float };
        let error = database.put("Doc", given).unwrap_err();
        assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
        let said = error.to_string();
        assert!(said.contains("size"), "{said}");
    }
    let missing = attribute(database.create("Doc", json!({ "n": 1 })), "Doc");
    assert_eq!(missing, "id");
    for whole in [
        json!(null),
        json!(1),
        json!("text"),
        json!([]),
        json!([["id", "a"]]),
    ] {
        attribute(database.put("Doc", whole), "Doc");
    }
    assert_eq!(sent.load(Ordering::SeqCst), 0);
}
