//! Named writes from which nothing else follows are one request, which is judged where it is
//! carried out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::write::Written;
use keyfold_client::{ClientError, arguments, write};
use keyfold_types::Value;
use std::sync::atomic::{AtomicUsize, Ordering};

const LOCKS: &str = r##"
model locks 1
table Tab (PK, SK) type kind ttl gone
  gsi GSI1 (A, B)
entity Lock
  name: string, holder: string?, until: time?, packed: list of int?
  key  "LOCK#{name}" "LOCK"
  GSI1 "HOLDER#{holder}" "{until}"
  version v
  compress packed
entity Shown
  name: string, holder: string?, until: time?
  key "SHOWN#{name}" "LOCK"
  copy by "BY" "{name}"
entity Shelf
  name: string, size: int?
  key "SHELF#{name}" "SHELF"
  count books of Book
entity Book
  name: Shelf.name, n: int, title: string
  key "SHELF#{name}" "BOOK#{n:04}"
pattern lock(name) -> Lock?
pattern shelf(name) -> Shelf?
pattern held(holder) -> Lock[] where until
write take()
  put Lock when (missing holder or until < now)
write take_packed(least: int)
  put Lock when missing packed or size(packed) > least
write take_shown()
  put Shown when missing holder or until < now
write fill(title, n)
  put Shelf when missing size or size < 9
  create Book
"##;

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<Written, ClientError> {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text))?;
    write::run(&place.backend, &place.model, named, &values)
}

fn requests(place: &Place, name: &str) -> String {
    place.model.requests(place.model.write(name).unwrap())
}

const FREE: Text<'_> = &[
    ("name", "a"),
    ("holder", "ada"),
    ("until", "2024-01-01T10:00:00Z"),
    ("now", "2024-01-01T09:00:00Z"),
];

#[test]
fn a_conditional_put_is_one_request() {
    let place = Place::new(LOCKS);
    assert_eq!(requests(&place, "take"), "UpdateItem");
    assert_eq!(run(&place, "take", FREE).unwrap().operation, "UpdateItem");
    assert_eq!(place.found("held", &[("holder", "ada")], "v"), ["1"]);
    let bob = [
        ("name", "a"),
        ("holder", "bob"),
        ("until", "2024-01-01T12:00:00Z"),
        ("now", "2024-01-01T09:59:00Z"),
    ];
    assert_eq!(
        run(&place, "take", &bob).unwrap_err().to_string(),
        "put Lock: the Lock with name = a does not meet the condition missing holder or until < now (now = 2024-01-01T09:59:00.000Z)"
    );
    let later = [bob[0], bob[1], bob[2], ("now", "2024-01-01T10:00:01Z")];
    run(&place, "take", &later).unwrap();
    assert_eq!(place.found("held", &[("holder", "bob")], "v"), ["2"]);
    assert!(place.found("held", &[("holder", "ada")], "v").is_empty());
}

#[test]
fn what_is_not_given_goes_and_what_is_not_named_stays() {
    let place = Place::new(LOCKS);
    place.put_raw(&[
        ("PK", "LOCK#a"),
        ("SK", "LOCK"),
        ("name", "a"),
        ("kind", "Lock"),
        ("until", "2020-01-01T00:00:00.000Z"),
        ("A", "HOLDER#x"),
        ("B", "2020-01-01T00:00:00.000Z"),
        ("foreign", "kept"),
    ]);
    run(&place, "take", &[("name", "a"), ("holder", "eve")]).unwrap();
    let item = place.stored().remove(0);
    let names: Vec<&str> = item.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["PK", "SK", "foreign", "holder", "kind", "name", "v"]
    );
}

#[test]
fn a_put_that_rests_on_what_the_engine_cannot_see_reads_first() {
    let place = Place::new(LOCKS);
    assert_eq!(
        requests(&place, "take_packed"),
        "GetItem, then PutItem or UpdateItem"
    );
    let put = |least| {
        let args = [("name", "a"), ("packed", "[1,2]"), ("least", least)];
        run(&place, "take_packed", &args)
    };
    put("1").unwrap();
    put("1").unwrap();
    put("2").unwrap_err();
    assert_eq!(
        requests(&place, "take_shown"),
        "GetItem, then TransactWriteItems"
    );
    assert_eq!(
        run(&place, "take_shown", FREE).unwrap().operation,
        "TransactWriteItems"
    );
    run(&place, "take_shown", FREE).unwrap_err();
}

#[test]
fn a_count_follows_in_the_same_transaction() {
    let place = Place::new(LOCKS);
    assert_eq!(requests(&place, "fill"), "TransactWriteItems");
    for n in ["1", "2"] {
        let args = [("name", "s"), ("size", "3"), ("n", n), ("title", "t")];
        run(&place, "fill", &args).unwrap();
    }
    assert_eq!(place.found("shelf", &[("name", "s")], "books"), ["2"]);
}

#[test]
fn one_of_many_takers_gets_a_free_lock() {
    let place = Place::new(LOCKS);
    let taken = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for by in 0..8 {
            let (place, taken) = (&place, &taken);
            scope.spawn(move || {
                for name in 0..40 {
                    let (name, by) = (name.to_string(), by.to_string());
                    let args = [
                        ("name", name.as_str()),
                        ("holder", by.as_str()),
                        ("until", "2024-01-01T10:00:00Z"),
                        ("now", "2024-01-01T09:00:00Z"),
                    ];
                    match run(place, "take", &args) {
                        Ok(_) => taken.fetch_add(1, Ordering::Relaxed),
                        Err(ClientError::Refused(_)) => 0,
                        Err(other) => panic!("{other}"),
                    };
                }
            });
        }
    });
    assert_eq!(taken.load(Ordering::Relaxed), 40);
    let items = place.stored();
    assert_eq!(items.len(), 40);
    let first = Some(Value::from(1));
    assert!(items.iter().all(|item| item.get("v").cloned() == first));
}
