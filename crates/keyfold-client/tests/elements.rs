//! Elements of sets and lists, and fields inside attributes: changed in place by many writers.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::write::Written;
use keyfold_client::{ClientError, arguments, write};

const MODEL: &str = r##"
model boxes 1
table Tab (PK, SK) type kind
record Address
  city: string, zip: string?, floor: int
entity Box
  id: string, tags: set of string?, log: list of int, at: Address, prices: map of int
  key "BOX#{id}" "BOX"
entity Copied
  id: string, tags: set of string?, log: list of int, at: Address
  key "COPIED#{id}" "BOX"
  copy card "CARDS" "{id}"
pattern boxed(id) -> Box?
pattern copied(id) -> Copied?
pattern cards() -> Copied.card[]
write tag(tag: string)
  update Box set tags = tags + tag
write untag(tag: string)
  update Box set tags = tags - tag
write push(n: int)
  update Box set log = n + log
write move(city: string?, floor: int?)
  update Box set at.city = city, at.floor = floor
write price(n: int)
  update Box set prices."eu-west" = n
write change(tag: string, n: int, city: string)
  update Copied set tags = tags + tag, log = n + log, at.city = city
write climb(floor: int)
  update Copied set at.floor = floor
"##;

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<Written, ClientError> {
    let named = place.model.write(name).unwrap();
    let values = arguments::of_write(named, &given(text))?;
    write::run(&place.backend, &place.model, named, &values)
}

fn place() -> Place {
    let place = Place::new(MODEL);
    let all = [
        ("id", "1"),
        ("log", "[]"),
        ("at", r#"{"city":"Bonn","floor":1}"#),
    ];
    place.put("Box", &[&all[..], &[("prices", "{}")]].concat());
    place.put("Copied", &all);
    place
}

#[test]
fn each_change_is_one_update_in_place() {
    let place = place();
    let found = |of| place.found("boxed", &[("id", "1")], of).concat();
    let run = |name, more: Text<'_>| {
        let written = run(&place, name, &[&[("id", "1")], more].concat()).unwrap();
        assert_eq!(written.operation, "UpdateItem", "{name}");
    };
    run("tag", &[("tag", "b")]);
    run("tag", &[("tag", "a")]);
    run("tag", &[("tag", "a")]);
    assert_eq!(found("tags"), "<a, b>");
    run("untag", &[("tag", "b")]);
    run("untag", &[("tag", "c")]);
    assert_eq!(found("tags"), "<a>");
    run("untag", &[("tag", "a")]);
    assert_eq!(found("tags"), "");
    run("push", &[("n", "1")]);
    run("push", &[("n", "2")]);
    assert_eq!(found("log"), "[2, 1]");
    run("move", &[("city", "Ulm")]);
    run("move", &[("floor", "7")]);
    assert_eq!(found("at"), "{city: Ulm, floor: 7}");
    run("price", &[("n", "5")]);
    assert_eq!(found("prices"), "{eu-west: 5}");
}

#[test]
fn writers_of_one_collection_lose_nothing() {
    let place = place();
    std::thread::scope(|scope| {
        for by in 0..6_u8 {
            let place = &place;
            scope.spawn(move || {
                let (tag, n) = (format!("t{by}"), by.to_string());
                let args = [("id", "1"), ("tag", &*tag), ("n", &*n), ("city", "Ulm")];
                run(place, "tag", &args[..2]).unwrap();
                run(place, "push", &[args[0], args[2]]).unwrap();
                let climb = [("id", "1"), ("floor", n.as_str())];
                let mut tried = 0;
                // A write that others overtake many times in a row says so.
                while run(place, "change", &args).is_err() || run(place, "climb", &climb).is_err() {
                    tried += 1;
                    assert!(tried < 50);
                }
            });
        }
    });
    let tags = "<t0, t1, t2, t3, t4, t5>";
    assert_eq!(place.found("boxed", &[("id", "1")], "tags"), [tags]);
    assert_eq!(place.found("copied", &[("id", "1")], "tags"), [tags]);
    assert_eq!(place.found("cards", &[], "tags"), [tags]);
    // A field that one writer sets is not lost to another who sets the field beside it.
    let at = place.found("copied", &[("id", "1")], "at").concat();
    assert!(at.starts_with("{city: Ulm, floor: "), "{at}");
    assert_eq!(place.found("cards", &[], "at"), [at]);
    for pattern in ["boxed", "copied"] {
        let log = place.found(pattern, &[("id", "1")], "log").concat();
        let count = log.matches(|c: char| c.is_ascii_digit()).count();
        assert!(count >= 6, "{log}");
    }
}
