//! Arguments at the edge of a pattern's domain: empty prefixes, letters whose lower case depends on
//! their neighbors, ranges that end before they start, times finer than stored, cursors of other
//! pages.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::Place;
use keyfold_client::{ClientError, PageRequest};

const MODEL: &str = r##"
model edges 1
table Edges (PK, SK)
  gsi GSI1 (A, B)
entity File
  drive: string, path: string
  key "DRIVE#{drive}" "FILE#{path:escape}"
entity Word
  book: string, text: string
  key "BOOK#{book}" "WORD#{text:lower}#{text}"
entity Event
  source: string, at: time(s), n: int
  key  "SOURCE#{source}" "AT#{at}#{n:04}"
  GSI1 "ALL" "AT#{at}#{n:04}#{source}" shard 3
  expect 10 writes a second
pattern below(drive, path starts folder)         -> File[] page 50
pattern words(book, text starts start)           -> Word[] page 50
pattern events(source, at in from..to)           -> Event[] oldest page 2
pattern events_since(source, at >= from)         -> Event[] oldest page 2
pattern event(source, at, n)                     -> Event?
pattern all()                                    -> Event[] oldest page 2
"##;

#[test]
fn an_empty_prefix_matches_every_text() {
    let place = Place::new(MODEL);
    for path in ["abc", "#x", "", "%q"] {
        place.put("File", &[("drive", "d"), ("path", path)]);
    }
    assert_eq!(
        place
            .found("below", &[("drive", "d"), ("folder", "")], "path")
            .len(),
        4
    );
    assert_eq!(
        place.found("below", &[("drive", "d"), ("folder", "#")], "path"),
        ["#x"]
    );
}

#[test]
fn lower_case_is_made_letter_by_letter() {
    let place = Place::new(MODEL);
    // Unicode lowers a final sigma to a letter of its own; keys do not.
    place.put("Word", &[("book", "b"), ("text", "ΑΣΑ")]);
    assert_eq!(
        place.found("words", &[("book", "b"), ("start", "ας")], "text"),
        Vec::<String>::new()
    );
    assert_eq!(
        place.found("words", &[("book", "b"), ("start", "ΑΣ")], "text"),
        ["ΑΣΑ"]
    );
}

#[test]
fn a_range_that_ends_before_it_starts_is_empty() {
    let place = Place::new(MODEL);
    place.put(
        "Event",
        &[("source", "s"), ("at", "2024-01-01"), ("n", "1")],
    );
    let found = place
        .ask(
            "events",
            &[
                ("source", "s"),
                ("from", "2025-01-01"),
                ("to", "2024-01-01"),
            ],
            &PageRequest::default(),
        )
        .unwrap();
    assert_eq!((found.items.len(), found.requests), (0, 0));
}

#[test]
fn times_reach_the_year_9999_and_must_not_be_finer_than_stored() {
    let place = Place::new(MODEL);
    place.put(
        "Event",
        &[("source", "s"), ("at", "9999-12-31T23:59:59Z"), ("n", "1")],
    );
    assert_eq!(
        place.found(
            "event",
            &[("source", "s"), ("at", "9999-12-31T23:59:59Z"), ("n", "1")],
            "at"
        ),
        ["9999-12-31T23:59:59Z"]
    );
    let finer = place.ask(
        "events_since",
        &[("source", "s"), ("from", "2024-01-01T00:00:00.95Z")],
        &PageRequest::default(),
    );
    assert!(finer.unwrap_err().to_string().contains("finer"));
}

#[test]
fn a_cursor_of_another_pattern_or_argument_is_refused() {
    let place = Place::new(MODEL);
    for n in 0..7 {
        let (source, n) = (if n % 2 == 0 { "s" } else { "t" }, n.to_string());
        place.put(
            "Event",
            &[("source", source), ("at", "2024-01-01"), ("n", &n)],
        );
    }
    let first = |name: &str, text: &[(&str, &str)]| {
        place
            .ask(
                name,
                text,
                &PageRequest {
                    limit: Some(2),
                    ..PageRequest::default()
                },
            )
            .unwrap()
            .next
            .unwrap()
    };
    let of_s = [("source", "s"), ("from", "2023-01-01")];
    let (one, all) = (first("events_since", &of_s), first("all", &[]));
    let go_on = |name: &str, text: &[(&str, &str)], after: &keyfold_types::Item| {
        place.ask(
            name,
            text,
            &PageRequest {
                limit: Some(9),
                after: Some(after.clone()),
                ..PageRequest::default()
            },
        )
    };
    assert_eq!(go_on("events_since", &of_s, &one).unwrap().items.len(), 2);
    assert_eq!(go_on("all", &[], &all).unwrap().items.len(), 5);
    for (name, text, after) in [
        ("events_since", &of_s[..], &all),
        ("all", &[][..], &one),
        (
            "events_since",
            &[("source", "t"), ("from", "2023-01-01")][..],
            &one,
        ),
    ] {
        assert!(
            matches!(go_on(name, text, after), Err(ClientError::Unknown(_))),
            "{name}"
        );
    }
}
