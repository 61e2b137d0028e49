//! Items that the model does not know, in patterns: an error that names the item's key, or left out.
//! `clients/typescript/test/unknown-items.test.mjs` and `clients/python/tests/test_unknown.py` do the
//! same.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Place, Text};
use keyfold_client::{ClientError, PageRequest};
use keyfold_lower::OnUnknown;
use keyfold_types::Value;

/// The key attributes come behind all others in the order of names.
const MODEL: &str = r##"
model m 1
table Tab (zp, zs)
entity Doc
  id: string, n: int, body: string
  key  "D#{id}" "N#{n:04}"
pattern docs(id) -> Doc[]
"##;

const ID: Text<'_> = &[("id", "1")];

fn skipping() -> PageRequest {
    PageRequest {
        on_unknown: OnUnknown::Skip,
        ..PageRequest::default()
    }
}

/// The error about one item of an answer.
fn unknown(place: &Place, key: &str) -> keyfold_lower::UnknownItem {
    let error = place.ask("docs", ID, &PageRequest::default()).unwrap_err();
    assert!(error.to_string().contains(key), "{error}");
    let ClientError::UnknownItem(unknown) = error else {
        panic!("{error:?}")
    };
    assert_eq!(unknown.key.get("zp"), Some(&Value::from("D#1")));
    assert_eq!(unknown.key.iter().count(), 2);
    *unknown
}

#[test]
fn an_item_of_no_kind_is_an_error_with_its_key_or_left_out() {
    let place = Place::new(MODEL);
    place.put("Doc", &[("id", "1"), ("n", "1"), ("body", "x")]);
    let strange: Text<'_> = &[
        ("zp", "D#1"),
        ("zs", "N#other"),
        ("a", "first"),
        ("b", "next"),
    ];
    place.put_raw(strange);
    let error = unknown(&place, "(zp = \"D#1\", zs = \"N#other\")");
    assert_eq!((error.entity, error.attribute), (None, None));
    let found = place.ask("docs", ID, &skipping()).unwrap();
    assert_eq!(found.items.len(), 1);
}

#[test]
fn an_item_without_an_attribute_is_an_error_with_its_key_or_left_out() {
    let place = Place::new(MODEL);
    place.put("Doc", &[("id", "1"), ("n", "1"), ("body", "x")]);
    place.put_raw(&[
        ("zp", "D#1"),
        ("zs", "N#0002"),
        ("a", "first"),
        ("b", "next"),
    ]);
    let error = unknown(&place, "(zp = \"D#1\", zs = \"N#0002\")");
    assert_eq!(error.entity.as_deref(), Some("Doc"));
    assert_eq!(error.attribute.as_deref(), Some("body"));
    let found = place.ask("docs", ID, &skipping()).unwrap();
    assert_eq!(found.items.len(), 1);
}
