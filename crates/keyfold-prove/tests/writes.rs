//! Named writes in every form, as one update and after a read, do what the rows do.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use keyfold_model::{Model, compile};
use keyfold_prove::{Options, prove};

const TOUCHED: &str = include_str!("touched.keyfold");
const UPSERTS: &str = include_str!("upserts.keyfold");
const ELEMENTS: &str = include_str!("elements.keyfold");
const PATHS: &str = include_str!("paths.keyfold");
const PARTIAL: &str = include_str!("partial.keyfold");
const LENT: &str = include_str!("lent.keyfold");
const BANK: &str = include_str!("bank.keyfold");
const HANDED_OVER: &str = include_str!("handed_over.keyfold");
const MARKS: &str = include_str!("marks.keyfold");
const PLACES: &str = include_str!("places.keyfold");

fn model(source: &str) -> Model {
    let compiled = compile(source);
    let shown: Vec<String> = compiled
        .diagnostics
        .iter()
        .map(|one| one.render(source, "model", false))
        .collect();
    compiled
        .model
        .unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

fn is_proved(source: &str) {
    is_proved_with(40, source);
}

/// Proves a model with so many items of each entity.
fn is_proved_with(items: usize, source: &str) {
    let model = model(source);
    for seed in 1..=4 {
        let options = Options {
            seed,
            items,
            asks: 8,
            now_epoch_ms: 1_700_000_000_000,
            deep: false,
        };
        let report = prove(&model, options, |_| {}).unwrap();
        let failures: Vec<String> = report
            .all_failures()
            .take(3)
            .map(|one| format!("{one:#?}"))
            .collect();
        assert!(failures.is_empty(), "seed {seed}: {}", failures.join("\n"));
    }
}

/// Three generations that are made, and go, in one write; two of one entity that go together.
const FAMILY: &str = r##"
model family 1
table Tab (PK, SK)
entity Group
  g: string, name: string
  key   "G#{g}"  "G"
  count members of Member
entity Member
  g: Group.g, m: string
  key   "G#{g}"  "M#{m}"
  count public of Post where pub = true
  sum   likes of Post.likes
entity Post
  g: Member.g, m: Member.m, at: time, p: string, likes: int = 0, pub: bool = false
  key   "G#{g}#{m}"  "{at}#{p}"
entity Node
  id: string, next: Node.id?
  key   "NODE#{id}"  "NODE"
  count before of Node
pattern group(g)    -> Group? + Member[]
pattern posts(g, m) -> Post[] newest
pattern node(id)    -> Node?
write all(g, m, at, p)
  create Group
  create Member
  create Post
write none(g, m, at, p)
  delete Post
  delete Member
write nobody(g, m)
  delete Group
  delete Member
write pair
  create Node as one set next = {two.id}
  create Node as two
write unpair
  delete Node as one
  delete Node as two
"##;

/// A period of a collection whose first kind has none.
const PERIODS: &str = r##"
model periods 1
table Tab (PK, SK)
entity Customer
  c: string, name: string
  key  "C#{c}"  "A"
entity Order
  c: Customer.c, at: time, o: string
  key  "C#{c}"  "E#{at}#O#{o}"
entity Shipment
  c: Customer.c, at: time, s: string
  key  "C#{c}"  "E#{at}#S#{s}"
pattern on_day(c, day of at)     -> Customer + Order[] + Shipment[]
pattern in_year(c, year of at)   -> Customer? + Shipment[] + Order[] newest page 2
"##;

/// Items of one write that refer to each other.
const CIRCLE: &str = r##"
model circle 1
table Tab (PK, SK)
entity Node
  id: string, next: Node.id, weight: int
  key   "NODE#{id}"  "NODE"
  count before of Node
  sum   weights of Node.weight
pattern node(id)  -> Node?
write pair
  create Node as one set next = {two.id}
  put Node as two set next = {one.id}
"##;

#[test]
fn items_that_refer_to_each_other_are_made_in_one_write() {
    is_proved(CIRCLE);
}

#[test]
fn every_upsert_is_proved() {
    is_proved(UPSERTS);
}

#[test]
fn every_partial_update_is_proved() {
    is_proved(PARTIAL);
}

#[test]
fn every_change_of_elements_and_fields_is_proved() {
    is_proved(ELEMENTS);
}

#[test]
fn every_path_into_an_attribute_is_proved() {
    is_proved(PATHS);
}

#[test]
fn a_change_inside_an_attribute_is_one_request() {
    let model = model(PATHS);
    let of_page = [
        "view",
        "like",
        "take",
        "forget",
        "forget_far",
        "push",
        "count",
    ];
    for name in of_page {
        let write = model.write(name).unwrap();
        assert!(
            write.actions.iter().all(|one| model.is_direct(one)),
            "{name}"
        );
    }
    // ADD and DELETE take whole attributes only, and nothing joins two lists.
    for name in ["mark", "unmark", "log_of", "weigh", "view_shelf", "pack"] {
        let write = model.write(name).unwrap();
        assert!(
            !write.actions.iter().all(|one| model.is_direct(one)),
            "{name}"
        );
    }
}

#[test]
fn writes_on_several_items_of_one_entity_are_proved() {
    is_proved(BANK);
}

#[test]
fn what_an_action_takes_from_one_above_is_proved() {
    is_proved(LENT);
}

#[test]
fn every_touch_is_proved() {
    is_proved(TOUCHED);
}

#[test]
fn an_upsert_is_one_request_where_one_has_both_outcomes() {
    let model = model(UPSERTS);
    let direct: Vec<&str> = model
        .writes
        .iter()
        .filter(|write| model.requests(write) == "UpdateItem")
        .map(|write| write.name.as_str())
        .collect();
    assert_eq!(direct, ["view", "note", "load", "add_load"]);
}

#[test]
fn families_come_and_go_in_one_write() {
    is_proved(FAMILY);
}

#[test]
fn periods_of_collections_are_those_of_the_kinds_that_have_them() {
    is_proved(PERIODS);
}

#[test]
fn unique_values_change_hands_in_one_write() {
    // Two items with the values that a write names are drawn rarely.
    is_proved_with(200, HANDED_OVER);
}

#[test]
fn no_argument_is_stored_in_the_mark_of_a_kind() {
    is_proved(MARKS);
}

#[test]
fn single_items_and_greatest_values_are_found_in_every_place_that_holds_them() {
    is_proved(PLACES);
}
