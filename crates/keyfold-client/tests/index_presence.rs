//! An item comes into an index when the last attribute of its key comes, and leaves it with the
//! first that goes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::{arguments, write};

const MODEL: &str = r#"
model presence 1
table Tab (PK, SK) type kind
  gsi ByStatus (status, S2)
entity Task
  id: string, status: string?, n: int, m: int = 0
  key "TASK#{id}" "TASK"
  ByStatus {status} "N#{n:04}#{id}"
pattern by_status(status) -> Task[]
write start(status)
  update Task set status = status
write stop
  update Task remove status
write bump(more: int)
  update Task set m = m + more
"#;

fn run(place: &Place, name: &str, text: Text<'_>) {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text)).unwrap();
    write::run(&place.backend, &place.model, named, &values).unwrap();
}

#[test]
fn a_key_attribute_that_comes_later_brings_the_item_into_the_index() {
    let place = Place::new(MODEL);
    let open = || place.found("by_status", &[("status", "open")], "id");
    place.put("Task", &[("id", "a"), ("n", "1")]);
    assert!(open().is_empty());
    run(&place, "start", &[("id", "a"), ("status", "open")]);
    assert_eq!(open(), ["a"]);
    run(&place, "stop", &[("id", "a")]);
    let of_index = |name: &str| place.stored().iter().any(|item| item.get(name).is_some());
    assert!(open().is_empty() && !of_index("S2"));
    place
        .update("Task", &[("id", "a"), ("status", "open")])
        .unwrap();
    assert_eq!(open(), ["a"]);
    // What is not part of the key changes without a read.
    run(&place, "bump", &[("id", "a"), ("more", "2")]);
    assert_eq!(open(), ["a"]);
}
