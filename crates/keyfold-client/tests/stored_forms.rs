//! Attributes that are stored in another form: writes, conditions and patterns see their values, or
//! the model is refused.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Place, given};
use keyfold_client::{ClientError, PageRequest, arguments, write};

const MODEL: &str = r##"
model forms 1
table Tab (PK, SK)
  gsi ByTag (A, B)
entity Doc
  id: string, note: string, b: string, xs: list of string, ys: list of string
  key "DOC#{id}" "D"
  compress note
  split xs by 1
entity Tagged
  u: string, id: string, tag: string, xs: list of string
  key   "U#{u}" "L#{id}"
  ByTag "TAG#{u}#{tag}" "L#{id}"
  split xs by 2
entity Order
  oid: string
  key   "Z#{oid}" "M"
  ByTag "O#{oid}" "X"
entity Item
  iid: string, oid: Order.oid
  key   "A#{oid}" "I#{iid}"
  ByTag "O#{oid}" "X"
entity Seen
  src: string, at: time, seen: time
  key "S#{src}" "{at}" bucket day
entity Kept
  id: string, x: int?, y: int
  key "K#{id}" "K"
  count cs of Child
entity Child
  id: Kept.id, n: int
  key "K#{id}" "C#{n:04}"
pattern doc(id)               -> Doc?
pattern tagged(u, tag?)       -> Tagged[] only id, tag page 10
pattern order(oid)            -> Order + Item[] page 2
pattern seen(src, at in at..to)  -> Seen[] filter seen >= at
pattern kept(id)              -> Kept?
write if_note(id, want: string)
  update Doc set b = "done" when note = want
write copy_note(id)
  update Doc set b = note
write if_last(id, want: string)
  check Doc when xs contains want
write take_list(id)
  update Doc set ys = xs
write other_list(id, x: string)
  update Doc set ys = xs + x
write own_list(id)
  update Doc set ys = ys + b
"##;

impl Place {
    fn run(&self, name: &str, text: common::Text<'_>) -> Result<write::Written, ClientError> {
        let named = self.model.write(name).unwrap();
        write::run(
            &self.backend,
            &self.model,
            named,
            &arguments::of_write(named, &given(text)).unwrap(),
        )
    }

    fn doc(&self, of: &str) -> String {
        self.found("doc", &[("id", "1")], of).concat()
    }
}

#[test]
fn writes_see_values_in_place_of_their_stored_form() {
    let place = Place::new(MODEL);
    place.put(
        "Doc",
        &[
            ("id", "1"),
            ("note", "long"),
            ("b", "b"),
            ("xs", r#"["1","2","3"]"#),
            ("ys", r#"["y"]"#),
        ],
    );
    assert!(matches!(
        place.run("if_note", &[("id", "1"), ("want", "other")]),
        Err(ClientError::Refused(_))
    ));
    place
        .run("if_note", &[("id", "1"), ("want", "long")])
        .unwrap();
    assert_eq!(place.doc("b"), "done");
    place.run("copy_note", &[("id", "1")]).unwrap();
    assert_eq!(place.doc("b"), "long");
    place.run("if_last", &[("id", "1"), ("want", "3")]).unwrap();
    assert!(matches!(
        place.run("if_last", &[("id", "1"), ("want", "4")]),
        Err(ClientError::Refused(_))
    ));
    place.run("own_list", &[("id", "1")]).unwrap();
    assert_eq!(place.doc("ys"), "[y, long]");
    place.run("other_list", &[("id", "1"), ("x", "z")]).unwrap();
    assert_eq!(place.doc("ys"), "[1, 2, 3, z]");
    place.run("take_list", &[("id", "1")]).unwrap();
    assert_eq!(
        (place.doc("ys"), place.doc("xs")),
        ("[1, 2, 3]".to_owned(), "[1, 2, 3]".to_owned())
    );
}

#[test]
fn parts_are_joined_for_each_choice_of_parameters() {
    let place = Place::new(MODEL);
    place.put(
        "Tagged",
        &[
            ("u", "u"),
            ("id", "1"),
            ("tag", "t"),
            ("xs", r#"["1","2","3"]"#),
        ],
    );
    for text in [&[("u", "u")][..], &[("u", "u"), ("tag", "t")]] {
        assert_eq!(place.found("tagged", text, "id"), ["1"]);
    }
}

#[test]
fn a_required_item_may_be_anywhere_among_equal_index_keys() {
    let place = Place::new(MODEL);
    place.put("Order", &[("oid", "o")]);
    for iid in ["1", "2", "3", "4"] {
        place.put("Item", &[("iid", iid), ("oid", "o")]);
    }
    let (mut after, mut found) = (None, 0);
    loop {
        let page = place.ask(
            "order",
            &[("oid", "o")],
            &PageRequest {
                limit: Some(2),
                after,
                ..PageRequest::default()
            },
        );
        let page = page.unwrap();
        found += page.items.len();
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, 5);
}

#[test]
fn a_filter_compares_with_the_given_value() {
    let place = Place::new(MODEL);
    place.put(
        "Seen",
        &[
            ("src", "s"),
            ("at", "2024-01-01T12:00:00Z"),
            ("seen", "2024-01-01T05:00:00Z"),
        ],
    );
    place.put(
        "Seen",
        &[
            ("src", "s"),
            ("at", "2024-01-01T13:00:00Z"),
            ("seen", "2024-01-01T11:00:00Z"),
        ],
    );
    let text = [
        ("src", "s"),
        ("at", "2024-01-01T10:00:00Z"),
        ("to", "2024-01-02"),
    ];
    assert_eq!(
        place.found("seen", &text, "seen"),
        ["2024-01-01T11:00:00.000Z"]
    );
}

#[test]
fn a_put_removes_attributes_of_concurrent_writes() {
    let place = Place::new(MODEL);
    place.put("Kept", &[("id", "1"), ("x", "1"), ("y", "2")]);
    place.put("Kept", &[("id", "1"), ("y", "5")]);
    assert_eq!(place.found("kept", &[("id", "1")], "x"), [""]);
    let sent = std::thread::scope(|scope| {
        let writers = (0..2).map(|at| {
            let place = &place;
            scope.spawn(move || {
                for _ in 0..200 {
                    match at {
                        0 => place.put("Kept", &[("id", "1"), ("y", "5")]),
                        _ => drop(
                            place
                                .update("Kept", &[("id", "1"), ("x", "1"), ("y", "2")])
                                .unwrap(),
                        ),
                    }
                }
            })
        });
        writers
            .collect::<Vec<_>>()
            .into_iter()
            .all(|writer| writer.join().is_ok())
    });
    assert!(sent);
    let of = |name: &str| place.found("kept", &[("id", "1")], name).concat();
    let state = (of("x"), of("y"));
    let possible = [
        ("1".to_owned(), "2".to_owned()),
        (String::new(), "5".to_owned()),
    ];
    assert!(possible.contains(&state), "{state:?}");
}

/// An absent field of a record has no value, even where the write has an argument of the same name.
#[test]
fn an_absent_field_of_a_record_has_no_value() {
    let place = Place::new(
        "model m 1\ntable Tab (PK, SK)\nentity Order\n  orderId: string, note: string?\n  key \"ORDER#{orderId}\" \"META\"\nentity Item\n  orderId: string, itemId: string, note: string?\n  key \"ORDER#{orderId}\" \"ITEM#{itemId}\"\nrecord Line\n  itemId: string, note: string?\npattern items(orderId) -> Item[]\nwrite place(lines: list of Line)\n  create Order\n  create Item for each lines\n",
    );
    let lines = r#"[{"itemId":"a"},{"itemId":"b","note":"x"}]"#;
    place
        .run(
            "place",
            &[
                ("orderId", "1"),
                ("note", "leave-at-door"),
                ("lines", lines),
            ],
        )
        .unwrap();
    assert_eq!(place.found("items", &[("orderId", "1")], "note"), ["", "x"]);
}

/// The stored parts come from a model with another part size: all of them are replaced or deleted.
#[test]
fn a_list_of_another_part_size_is_split_again() {
    let text = "model m 1\ntable Tab (PK, SK)\nentity A\n  a: string, l: list of int\n  key \"A#{a}\" \"A\"\n  split l by 2\npattern one(a) -> A?\n";
    for (from, to, list) in [
        (2, 5, "[1,2,3,4,5]"),
        (5, 2, "[1,2,3,4,5]"),
        (2, 3, "[1,2,3,4]"),
    ] {
        let cut = |size: u32| text.replace("by 2", &format!("by {size}"));
        let old = Place::new(&cut(from));
        old.put("A", &[("a", "1"), ("l", list)]);
        let new = Place {
            model: keyfold_model::compile(&cut(to)).model.unwrap(),
            backend: old.backend,
        };
        new.put("A", &[("a", "1"), ("l", list)]);
        assert_eq!(
            new.found("one", &[("a", "1")], "l"),
            [list.replace(',', ", ")],
            "{from} to {to}"
        );
        new.delete("A", &[("a", "1")]).unwrap();
        assert!(
            new.stored().is_empty(),
            "{from} to {to}: {:?}",
            new.stored()
        );
    }
}

/// A text field excludes the delimiters that it must, and no other: the rest is stored and found.
#[test]
fn texts_hold_every_delimiter_that_their_keys_can() {
    const KEYS: &str = r##"
model keys 1
table Tab (PK, SK)
entity User
  email: string
  key "USER#{email}" "PROFILE"
entity Race
  raceId: string, name: string
  key "race-{raceId}" "{name}"
entity Entry
  raceId: string, runner: string
  key "race-{raceId}" "{runner}/entry"
entity Note
  email: string, id: string
  key "USER#{email}#{id}" "NOTE"
pattern user(email)            -> User?
pattern races(raceId, name)    -> Race?
pattern entry(raceId, runner)  -> Entry?
pattern note(email, id)        -> Note?
"##;
    let place = Place::new(KEYS);
    let uuid = "0b5cf6a4-8b5e-4c58-9d6e-0a8f0f2b7f11";
    place.put("User", &[("email", "jean-luc@x.org")]);
    place.put("Race", &[("raceId", uuid), ("name", "a#b-c")]);
    place.put("Entry", &[("raceId", "a-#/b"), ("runner", "x#y-z")]);
    place.put("Note", &[("email", "a/b-c"), ("id", "1#2")]);
    let found = |pattern: &str, with: &[(&str, &str)]| {
        let page = place.ask(pattern, with, &PageRequest::default());
        page.unwrap().items.len()
    };
    assert_eq!(found("user", &[("email", "jean-luc@x.org")]), 1);
    assert_eq!(found("races", &[("raceId", uuid), ("name", "a#b-c")]), 1);
    assert_eq!(
        found("entry", &[("raceId", "a-#/b"), ("runner", "x#y-z")]),
        1
    );
    assert_eq!(found("note", &[("email", "a/b-c"), ("id", "1#2")]), 1);
    // These would be the keys of other kinds.
    for (entity, values) in [
        ("User", vec![("email", "a#b")]),
        ("Race", vec![("raceId", "r"), ("name", "x/entry")]),
        ("Entry", vec![("raceId", "r"), ("runner", "x/y")]),
        ("Note", vec![("email", "a#b"), ("id", "c")]),
    ] {
        let values = place.values(entity, &values);
        let refused = write::put(&place.backend, &place.model, place.entity(entity), &values);
        assert!(
            matches!(refused, Err(ClientError::Value(_))),
            "{entity}: {refused:?}"
        );
    }
}

/// Attributes that are only in keys come back in their type, from items that others wrote, too; an
/// item that lacks one is refused.
#[test]
fn attributes_inside_keys_are_read_back() {
    const ONLY_KEYS: &str = r##"
model inside 1
table Tab (PK, SK)
  gsi ByAt (GPK, GSK) project keys
entity Reading
  device: string, at: time, n: int, deg: number, on: bool, mode: a-b | c, path: string
  key       "DEV#{device}#{mode}#{on}" "{at:reverse}#{n:05:reverse}#{deg:06.2}#{path:escape}"
  ByAt      "ALL" "{at}"
  copy flat "FLAT#{device}#{n}" "{at}#{deg}#{mode}#{on}#{path:hash}" only device, n, path
  unstored  device, at, n, deg, on, mode, path
entity Plain
  id: string, size: int, note: string
  key "PLAIN#{id}" "{size:04}"
pattern readings(device, mode, on)  -> Reading[]  newest page 10
pattern all()                       -> Reading[]  newest page 10
pattern flat(device, n)             -> Reading.flat[]
pattern plain(id)                   -> Plain[]  page 10
"##;
    let place = Place::new(&ONLY_KEYS.replace("a-b | c", "ab | c"));
    let given = [
        ("device", "d-1"),
        ("at", "2024-01-15T12:30:00Z"),
        ("n", "42"),
        ("deg", "7.5"),
        ("on", "true"),
        ("mode", "ab"),
        ("path", "a#b/c %"),
    ];
    place.put("Reading", &given);
    let mut stored: Vec<Vec<String>> = place
        .stored()
        .iter()
        .map(|item| item.iter().map(|(name, _)| name.clone()).collect())
        .collect();
    stored.sort();
    assert_eq!(
        stored,
        [vec!["GPK", "GSK", "PK", "SK"], vec!["PK", "SK", "path"]]
    );
    let ask =
        |pattern: &str, with: &[(&str, &str)]| place.ask(pattern, with, &PageRequest::default());
    let wanted = place.values("Reading", &given);
    for found in [
        ask(
            "readings",
            &[("device", "d-1"), ("mode", "ab"), ("on", "true")],
        )
        .unwrap(),
        ask("all", &[]).unwrap(),
    ] {
        for (name, value) in &wanted {
            assert_eq!(found.items[0].get(name), Some(value), "{name}");
        }
    }
    let flat = ask("flat", &[("device", "d-1"), ("n", "42")]).unwrap();
    assert_eq!(flat.items[0].get("path"), wanted.get("path"));
    assert_eq!(flat.items[0].get("n"), wanted.get("n"));
    // Another program stores an item without its identifiers, and one without a note.
    place.put_raw(&[("PK", "PLAIN#x-1"), ("SK", "0007"), ("note", "n")]);
    let plain = ask("plain", &[("id", "x-1")]).unwrap();
    assert_eq!(plain.items[0].get("id"), Some(&"x-1".into()));
    assert_eq!(plain.items[0].get("size"), Some(&7.into()));
    place.put_raw(&[("PK", "PLAIN#x-1"), ("SK", "0008")]);
    let lacking = ask("plain", &[("id", "x-1")]);
    let Err(ClientError::UnknownItem(why)) = lacking else {
        panic!("{lacking:?}")
    };
    assert!(
        why.message.contains("an item of Plain without `note`") && why.message.contains("0008"),
        "{why}"
    );
}
