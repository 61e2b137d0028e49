//! Fields inside attributes: counted up, taken as values, compared and removed, in one update where
//! DynamoDB can, and after a read where others follow from the attribute.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Place, Text, given};
use keyfold_client::write::Written;
use keyfold_client::{ClientError, arguments, write};

const MODEL: &str = r##"
model pages 1
table Tab (PK, SK) type kind
record Stats
  views: int, likes: int?, tags: set of string?, log: list of int
record Address
  city: string, line2: string?
entity Page
  id: string, n: int, address: Address, old: Address?, stats: Stats, prices: map of int
  key "PAGE#{id}" "PAGE"
  version v
entity Card
  id: string, stats: Stats
  key "CARD#{id}" "CARD"
  copy live "CARDS" "{id}" when stats.views >= 2
pattern page(id) -> Page?
pattern card(id) -> Card?
pattern live() -> Card.live[]
write view()
  update Page set stats.views = stats.views + 1
write take()
  update Page set n = stats.views, stats.views = n
write log(entry: int)
  update Page set stats.log = entry + stats.log
write tag(tag: string)
  update Page set stats.tags = stats.tags + tag
write untag(tag: string)
  update Page set stats.tags = stats.tags - tag
write short(price: string?)
  update Page set prices.eu = 4 remove address.line2, prices.us
write like()
  update Page set stats.likes = stats.likes + 1 when exists stats.likes and n <= stats.likes
write forget()
  update Page remove old.line2 when exists old
write copy_views()
  update Page set prices.eu = 3, n = n + stats.views
write view_both()
  update Page set stats.views = stats.views + 1
  check Card
write look()
  update Card set stats.views = stats.views + 1
"##;

fn run(place: &Place, name: &str, text: Text<'_>) -> Result<Written, ClientError> {
    let named = place.model.write(name).unwrap();
    let all = [&[("id", "1")], text].concat();
    let values = arguments::of_write(named, &given(&all))?;
    write::run(&place.backend, &place.model, named, &values)
}

fn place() -> Place {
    let place = Place::new(MODEL);
    let stats = r#"{"views":7,"log":[]}"#;
    place.put(
        "Page",
        &[
            ("id", "1"),
            ("n", "3"),
            ("address", r#"{"city":"Bonn","line2":"back"}"#),
            ("stats", stats),
            ("prices", r#"{"us":1}"#),
        ],
    );
    let stats = r#"{"views":1,"log":[]}"#;
    place.put("Card", &[("id", "1"), ("stats", stats)]);
    place
}

fn found(place: &Place, attribute: &str) -> String {
    place.found("page", &[("id", "1")], attribute).concat()
}

#[test]
fn a_field_changes_in_one_update_in_place() {
    let place = place();
    let run = |name, more: Text<'_>| {
        let written = run(&place, name, more).unwrap();
        assert_eq!(written.operation, "UpdateItem", "{name}");
    };
    run("view", &[]);
    assert_eq!(found(&place, "stats"), "{log: [], views: 8}");
    run("take", &[]);
    assert_eq!(found(&place, "n"), "8");
    assert_eq!(found(&place, "stats"), "{log: [], views: 3}");
    run("log", &[("entry", "5")]);
    run("log", &[("entry", "6")]);
    assert_eq!(found(&place, "stats"), "{log: [6, 5], views: 3}");
    run("short", &[]);
    assert_eq!(found(&place, "address"), "{city: Bonn}");
    assert_eq!(found(&place, "prices"), "{eu: 4}");
    // What is not there is removed, too.
    run("short", &[]);
    assert_eq!(found(&place, "v"), "7");
}

#[test]
fn a_set_inside_a_record_is_read_and_written() {
    let place = place();
    run(&place, "tag", &[("tag", "b")]).unwrap();
    run(&place, "tag", &[("tag", "a")]).unwrap();
    assert_eq!(found(&place, "stats"), "{log: [], tags: <a, b>, views: 7}");
    run(&place, "untag", &[("tag", "b")]).unwrap();
    run(&place, "untag", &[("tag", "a")]).unwrap();
    assert_eq!(found(&place, "stats"), "{log: [], views: 7}");
}

#[test]
fn what_may_be_missing_is_refused_by_its_condition() {
    let place = place();
    let error = run(&place, "like", &[]).unwrap_err().to_string();
    assert!(
        error.contains("exists stats.likes and n <= stats.likes"),
        "{error}"
    );
    let error = run(&place, "forget", &[]).unwrap_err().to_string();
    assert!(error.contains("exists old"), "{error}");
}

#[test]
fn a_copy_follows_a_field() {
    let place = place();
    assert!(place.found("live", &[], "stats").is_empty());
    run(&place, "look", &[]).unwrap();
    assert_eq!(place.found("live", &[], "stats"), ["{log: [], views: 2}"]);
    run(&place, "look", &[]).unwrap();
    assert_eq!(place.found("live", &[], "stats"), ["{log: [], views: 3}"]);
}

/// The item that another program wrote, without its records.
const FOREIGN: Text<'_> = &[
    ("PK", "PAGE#9"),
    ("SK", "PAGE"),
    ("kind", "Page"),
    ("id", "9"),
];

#[test]
fn an_item_without_its_record_is_named_with_the_attribute() {
    let place = place();
    place.put_raw(FOREIGN);
    place.put_raw(&[
        ("PK", "CARD#9"),
        ("SK", "CARD"),
        ("kind", "Card"),
        ("id", "9"),
    ]);
    let refused = |name: &str, sentence: &str| {
        let named = place.model.write(name).unwrap();
        let mut given = given(&[("id", "9"), ("tag", "a")]);
        given.retain(|name, _| named.parameters.iter().any(|one| one.name == *name));
        let values = arguments::of_write(named, &given).unwrap();
        let error = write::run(&place.backend, &place.model, named, &values).unwrap_err();
        assert!(
            matches!(error, ClientError::Refused(_)),
            "{name}: {error:?}"
        );
        let sentence = format!("{sentence}; `keyfold verify` finds such items");
        assert_eq!(error.to_string(), sentence, "{name}");
    };
    let lies = "the Page with id = 9 has no `stats`, in which `stats.views` lies";
    refused("view", lies);
    // In a transaction, and after a read.
    refused("view_both", lies);
    let tags = "the Page with id = 9 has no `stats`, in which `stats.tags` lies";
    refused("tag", tags);
    let line = "the Page with id = 9 has no `prices`, in which `prices.eu` lies";
    refused("short", line);
    let card = "the Card with id = 9 has no `stats.views`, which the model requires";
    refused("look", card);
}

#[test]
fn an_item_without_an_operand_is_named_with_the_path() {
    let place = place();
    let mut item = keyfold_types::Item::new();
    for (name, text) in FOREIGN {
        item.insert(*name, *text);
    }
    item.insert("n", keyfold_types::Value::from(1));
    item.insert(
        "prices",
        keyfold_types::Value::M(std::collections::BTreeMap::new()),
    );
    item.insert("stats", "seven");
    let put = |item: keyfold_types::Item| {
        let input = keyfold_api::PutItemInput {
            table_name: Some("Tab".to_owned()),
            item: Some(Ok(item)),
            ..keyfold_api::PutItemInput::default()
        };
        place.backend.call(input.into()).unwrap();
    };
    put(item.clone());
    let refused = |name: &str| {
        let named = place.model.write(name).unwrap();
        let values = arguments::of_write(named, &given(&[("id", "9")])).unwrap();
        write::run(&place.backend, &place.model, named, &values)
            .unwrap_err()
            .to_string()
    };
    let finds = "; `keyfold verify` finds such items";
    let text = "`stats` of the Page with id = 9 has no fields, in which `stats.views` lies";
    assert_eq!(refused("view"), format!("{text}{finds}"));
    let missing = "the Page with id = 9 has no `stats.views`, which the model requires";
    assert_eq!(refused("copy_views"), format!("{missing}{finds}"));
}

#[test]
fn writers_of_one_field_lose_nothing() {
    let place = place();
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| (0..5).for_each(|_| drop(run(&place, "view", &[]).unwrap())));
        }
    });
    assert_eq!(found(&place, "stats"), "{log: [], views: 37}");
}
